"""Static word vectors: the embedded ones, or any word2vec, GloVe or fastText file.

The embedded vectors are the MiniLM encoder's embeddings of single words, unweighted and not
centred (``recipes/static_vectors.py``). They know every token: a word without a vector of its own
is put together from word pieces, and a character the encoder never saw gets a vector made from
its code point. Files know only the words written in them; for the rest they answer with a row of
zeros.

No module of the toolkit needs torch, tokenizers or gensim for any of this.
"""

from __future__ import annotations

import hashlib
import string
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from convoscope.assets import ROOT, asset
from convoscope.errors import InputError
from convoscope.text.vector_files import read_vectors

__all__ = ["EmbeddedVectors", "Pieces", "WordVectors", "load_vectors"]

ASSET = "vectors_en"

_ASCII_MARKS = string.punctuation + " "
# Accents and controls. Not "Cn" (unassigned), which depends on Python's version of Unicode.
_DROPPED = frozenset({"Mn", "Cc", "Cf", "Cs"})


class WordVectors(Protocol):
    """What gives words their vectors."""

    @property
    def dim(self) -> int:
        """The number of dimensions."""
        ...

    @property
    def signature(self) -> str:
        """What identifies the vectors in a metric's signature."""
        ...

    def lookup(self, types: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of `types`, one a row; a row of zeros where none is known."""
        ...


def load_vectors(name: str = "embedded") -> WordVectors:
    """Return the vectors called `name`.

    Parameters
    ----------
    name
        ``"embedded"``, or the path of a word2vec (text or binary), GloVe or fastText ``.vec``
        file, gzipped or not.

    Raises
    ------
    InputError
        No such file, or a file that is not what it should be (with its line).
    """
    if name == "embedded":
        return _embedded()
    path = Path(name)
    if not path.is_file():
        raise InputError(
            f"no word vectors {name!r}: write 'embedded', or the path of a word2vec, GloVe or "
            "fastText (.vec) file"
        )
    stat = path.stat()
    return read_vectors(path.resolve(), stat.st_mtime_ns, stat.st_size)


class Pieces:
    """The words and word pieces of the embedded vectors, by row.

    The rows are, in order: the encoder's word-initial pieces, more whole words, and the
    encoder's continuation pieces.

    Parameters
    ----------
    words
        The words of the first rows.
    n_initial
        How many of them are word-initial pieces.
    continuations
        The pieces of the last rows, without their ``##``.
    """

    def __init__(self, words: Sequence[str], n_initial: int, continuations: Sequence[str]) -> None:
        self.words: Mapping[str, int] = dict(zip(words, range(len(words)), strict=True))
        # Kept apart, for `words` also holds whole words that must not become beginnings.
        self.initial: Mapping[str, int] = dict(
            zip(words[:n_initial], range(n_initial), strict=True)
        )
        self.continuations: Mapping[str, int] = {
            piece: len(words) + i for i, piece in enumerate(continuations)
        }
        self.longest = max(map(len, [*words[:n_initial], *continuations]), default=1)

    def split(self, word: str, *, whole: bool = True) -> list[int | str]:
        """Return what `word` is made of: rows, and the characters no row is known for.

        The text is lower-cased and freed of accents and control characters as the encoder does,
        then looked up without the punctuation around it, then cut at whitespace and punctuation.
        Punctuation counts only where there is nothing else. A part that is a word is taken
        whole, any other is cut into the longest pieces from the left. Without `whole`, a word
        that has a row is cut all the same.
        """
        text = plain(word)
        if whole and (row := self.words.get(_bare(text))) is not None:
            return [row]
        parts, marks = _parts(text)
        found: list[int | str] = []
        for part in parts or marks:
            row = self.words.get(part) if whole or part != text else None
            if row is not None:
                found.append(row)
            else:
                found.extend(self.greedy(part))
        return found

    def greedy(self, part: str) -> Iterator[int | str]:
        """Yield the rows of the longest pieces of `part` from the left, WordPiece's way."""
        known, at = self.initial, 0
        while at < len(part):
            for end in range(min(len(part), at + self.longest), at, -1):
                row = known.get(part[at:end])
                if row is not None:
                    yield row
                    at = end
                    break
            else:
                yield part[at]
                at += 1
            known = self.continuations


def plain(word: str) -> str:
    """Return `word` as the encoder's normaliser leaves it: lower case, no accents, no controls."""
    word = word.lower().replace("\u2019", "'").replace("\u2018", "'")
    if word.isascii() and word.isprintable():
        return word
    kept = []
    for char in unicodedata.normalize("NFD", word):
        if char in "\t\n\r" or (category := unicodedata.category(char)) == "Zs":
            kept.append(" ")
        elif category not in _DROPPED and char != "\ufffd":
            kept.append(char)
    return "".join(kept)


def _bare(text: str) -> str:
    """Return `text` without the punctuation and spaces around it."""
    first, last = 0, len(text)
    while first < last and (text[first] == " " or _is_punctuation(text[first])):
        first += 1
    while last > first and (text[last - 1] == " " or _is_punctuation(text[last - 1])):
        last -= 1
    return text[first:last]


def _parts(text: str) -> tuple[list[str], list[str]]:
    """Return the runs of letters, digits and symbols of `text`, and its punctuation marks."""
    if text.isalnum():
        return [text], []
    runs: list[str] = [""]
    marks: list[str] = []
    for char in text:
        if char == " ":
            runs.append("")
        elif _is_punctuation(char):
            marks.append(char)
            runs.append("")
        else:
            runs[-1] += char
    return [r for r in runs if r], marks


def _is_punctuation(char: str) -> bool:
    # As BERT's tokeniser has it: every ASCII sign counts, such as "$" and "+".
    if char.isascii():
        return not char.isalnum()
    return unicodedata.category(char).startswith("P")


class EmbeddedVectors:
    """Word vectors in eight bits a number, with word pieces for the words they do not hold.

    Parameters
    ----------
    pieces
        The words and pieces by row.
    codes
        int8 matrix, one row for each of them.
    scales
        What the codes of each row are multiplied by.
    signature
        What identifies the vectors.
    """

    def __init__(
        self,
        pieces: Pieces,
        codes: NDArray[np.int8],
        scales: NDArray[np.float32],
        signature: str,
    ) -> None:
        self._pieces = pieces
        self._codes = codes
        self._scales = scales
        self._signature = signature
        self._unseen_scale = float(np.median(scales)) if len(scales) else 1.0

    @property
    def dim(self) -> int:
        """The number of dimensions."""
        return int(self._codes.shape[1])

    @property
    def signature(self) -> str:
        """What identifies the vectors in a metric's signature."""
        return self._signature

    def lookup(self, types: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of `types`, one a row.

        A word comes as it is, else lower-cased, else as the mean of its parts. A character
        without a row, and a text with nothing in it that could have one (empty, only control
        characters), get a fixed pseudo-random vector made from their code points: equal texts
        have equal vectors, different ones are nearly orthogonal, and none is zero or NaN.
        """
        known = self._pieces.words
        rows = [known.get(t, -1) for t in types]
        missing = []
        for i in [i for i, r in enumerate(rows) if r < 0]:
            lower = types[i].lower()
            rows[i] = known.get(lower, -1)
            if rows[i] < 0 and lower.isascii() and lower.isprintable():
                # What `Pieces.split` tries first, in one step: most words that raw text glues to
                # a mark end here.
                rows[i] = known.get(lower.strip(_ASCII_MARKS), -1)
            if rows[i] < 0:
                missing.append(i)
        found = self._rows(np.array(rows, np.intp))
        if missing:
            found[missing] = self._composed([types[i] for i in missing])
        return found

    def _rows(self, rows: NDArray[np.intp]) -> NDArray[np.float32]:
        return np.multiply(self._codes[rows], self._scales[rows, None], dtype=np.float32)

    def _composed(self, types: Sequence[str]) -> NDArray[np.float32]:
        rows: list[int] = []
        counts: list[int] = []
        unseen: dict[str, int] = {}
        for word in types:
            parts = self._pieces.split(word) or [word]
            counts.append(len(parts))
            # What no row is known for has a number below zero.
            rows += [p if isinstance(p, int) else ~unseen.setdefault(p, len(unseen)) for p in parts]
        made = np.array([self._unseen(text) for text in unseen]).reshape(-1, self.dim)
        row, count = np.array(rows, np.intp), np.array(counts, np.intp)
        first = np.cumsum(count) - count
        sums = np.zeros((len(types), self.dim), np.float32)
        # First parts, second parts, …: a few long steps (np.add.reduceat takes many times longer).
        for k in range(max(counts)):
            live = np.flatnonzero(count > k)
            part = row[first[live] + k]
            known = part >= 0
            sums[live[known]] += self._rows(part[known])
            sums[live[~known]] += made[~part[~known]]
        sums /= count[:, None].astype(np.float32)
        return sums

    def _unseen(self, text: str) -> NDArray[np.float32]:
        # SHAKE gives as many bytes as there are dimensions. Halves keep its integers off zero.
        digest = hashlib.shake_128(text.encode("utf-8", "surrogatepass")).digest(self.dim)
        code = np.frombuffer(digest, np.uint8).astype(np.float32) - 127.5
        return code * np.float32(self._unseen_scale / 2)


@lru_cache(maxsize=1)
def _embedded() -> EmbeddedVectors:
    entry = asset(ASSET)
    words = (entry.path / "words.txt").read_text(encoding="utf-8").split("\n")[:-1]
    continuations = (entry.path / "continuations.txt").read_text(encoding="utf-8")
    return EmbeddedVectors(
        Pieces(words, int(entry.manifest["settings"]["n_initial"]), continuations.split("\n")[:-1]),
        # Read into memory at first use only, row by row, and shared between processes.
        np.load(ROOT / ASSET / "codes.npy", mmap_mode="r", allow_pickle=False),
        np.load(ROOT / ASSET / "scales.npy", allow_pickle=False),
        f"vectors:embedded-{entry.identity}",
    )
