"""Static word vectors: the embedded ones, or any word2vec, GloVe or fastText file.

The embedded vectors are the MiniLM encoder's embeddings of single words, unweighted and not
centred (``recipes/static_vectors.py``). They know every token: a word without a vector of its own
is put together from word pieces, and a character the encoder never saw gets a vector made from
its code point. Files know only the words written in them; for the rest they answer with a row of
zeros.

No module of the toolkit needs torch, tokenizers or gensim for any of this.
"""

from __future__ import annotations

import gzip
import hashlib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import IO, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from convoscope.assets import ROOT, asset
from convoscope.errors import InputError

__all__ = ["EmbeddedVectors", "FileVectors", "Pieces", "WordVectors", "load_vectors"]

ASSET = "vectors_en"

# Longer headers or words are a sign of a file that is something else.
_LONGEST_WORD = 10_000
_BLOCK = 4096
# Accents and controls. Not "Cn" (unassigned), which depends on Python's version of Unicode.
_DROPPED = frozenset({"Mn", "Cc", "Cf", "Cs"})
_FASTTEXT_MAGIC = (793712314).to_bytes(4, "little")


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
    return _from_file(path.resolve(), stat.st_mtime_ns, stat.st_size)


# ------------------------------------------------------------------------- the embedded vectors


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
            rows[i] = known.get(types[i].lower(), -1)
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
        f"vectors:embedded-{entry.version}",
    )


# ------------------------------------------------------------------------------ vectors in files


class FileVectors:
    """Word vectors read from a file; words it does not have get a row of zeros.

    Parameters
    ----------
    words
        The words of the rows.
    matrix
        One row a word.
    signature
        What identifies the vectors.
    """

    def __init__(self, words: Sequence[str], matrix: NDArray[np.float32], signature: str) -> None:
        # A word that comes twice keeps its first vector, as in gensim.
        self._row = dict(zip(reversed(words), range(len(words) - 1, -1, -1), strict=True))
        self._matrix = matrix
        self._signature = signature

    @property
    def dim(self) -> int:
        """The number of dimensions."""
        return int(self._matrix.shape[1])

    @property
    def signature(self) -> str:
        """What identifies the vectors: file name, dimensions and the file's SHA-256."""
        return self._signature

    def __len__(self) -> int:
        return len(self._row)

    def lookup(self, types: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of `types`, one a row: as written, else lower-cased, else zeros."""
        found = np.zeros((len(types), self.dim), np.float32)
        at, rows = [], []
        for i, word in enumerate(types):
            row = self._row.get(word)
            if row is None:
                row = self._row.get(word.lower())
            if row is not None:
                at.append(i)
                rows.append(row)
        found[at] = self._matrix[rows]
        return found


@lru_cache(maxsize=2)
def _from_file(path: Path, mtime_ns: int, size: int) -> FileVectors:
    # The time and size are there for the cache: a file that changed is read again.
    del mtime_ns, size
    with path.open("rb") as raw:
        digest = hashlib.file_digest(raw, "sha256").hexdigest()
    with _open(path) as handle:
        words, matrix = _read(handle, path)
    return FileVectors(words, matrix, f"vectors:{path.name}-{matrix.shape[1]}-{digest[:12]}")


def _open(path: Path) -> IO[bytes]:
    with path.open("rb") as raw:
        magic = raw.read(4)
    if magic[:2] == b"\x1f\x8b":
        return cast("IO[bytes]", gzip.GzipFile(path, "rb"))
    if magic == b"PK\x03\x04":
        raise InputError("a zip archive; unpack it and give the file inside", where=str(path))
    if magic == _FASTTEXT_MAGIC:
        raise InputError("a fastText model; give the .vec file that comes with it", where=str(path))
    return path.open("rb")


def _read(handle: IO[bytes], path: Path) -> tuple[list[str], NDArray[np.float32]]:
    try:
        first = handle.readline(_LONGEST_WORD * 32)
        if not first.strip():
            raise InputError(
                "the file is empty" if not first else "the first line is empty", where=f"{path}:1"
            )
        header = _header(first, path)
        if header is None:
            return _read_text(handle, path, first, None)
        peek = handle.read(_LONGEST_WORD)
        handle.seek(len(first))
        if _is_binary(peek, header[1]):
            return _read_binary(handle, path, *header)
        return _read_text(handle, path, None, header)
    except (gzip.BadGzipFile, EOFError) as error:
        raise InputError(f"the gzip file is damaged ({error})", where=str(path)) from error


def _header(line: bytes, path: Path) -> tuple[int, int] | None:
    """Return the number of rows and of dimensions if `line` is a header."""
    fields = line.split()
    if len(fields) != 2:
        return None
    try:
        rows, dim = int(fields[0]), int(fields[1])
    except ValueError as error:
        raise InputError(
            f"the first line has two fields, {line[:60].strip()!r}, but is no header of two whole "
            "numbers (rows and dimensions)",
            where=f"{path}:1",
        ) from error
    if rows < 1 or dim < 1:
        raise InputError(
            f"the header promises {rows} rows of {dim} dimensions; both must be 1 or more",
            where=f"{path}:1",
        )
    return rows, dim


def _is_binary(start: bytes, dim: int) -> bool:
    """Tell whether what follows the header is word2vec's binary form.

    Text has a number after the first word; four bytes of a float that happen to look like one
    would also have to be followed by as many more as there are dimensions.
    """
    line = start.split(b"\n", 1)[0]
    numbers = line.split()[1 : dim + 1]
    try:
        for number in numbers:
            float(number)
    except ValueError:
        # One bad number in a line that is printable throughout is an error in a text file.
        return not line.strip().isascii() or any(c < 32 and c not in b"\t\r" for c in line)
    return not numbers


def _read_text(
    handle: IO[bytes], path: Path, first: bytes | None, header: tuple[int, int] | None
) -> tuple[list[str], NDArray[np.float32]]:
    words: list[str] = []
    blocks: list[NDArray[np.float32]] = []
    pending: list[tuple[int, list[bytes]]] = []
    dim = header[1] if header else len((first or b"").split()) - 1
    if dim < 1:
        raise InputError("a word without a vector", where=f"{path}:1")

    def flush() -> None:
        if pending:
            blocks.append(_numbers(pending, path))
            pending.clear()

    number = 0 if header is None else 1
    for line in _lines(handle, first):
        number += 1
        # Only ASCII whitespace separates: a word may hold any other kind.
        fields = line.strip(b" \t\r\n").rsplit(None, dim)
        if not fields:
            raise InputError("an empty line", where=f"{path}:{number}")
        if len(fields) != dim + 1 or _ends_in_number(fields[0]):
            raise InputError(
                f"{len(line.split()) - 1} numbers after the word, but "
                f"{'the header says' if header else 'the first line has'} {dim}",
                where=f"{path}:{number}",
            )
        words.append(_word(fields[0], f"{path}:{number}"))
        pending.append((number, fields[1:]))
        if len(pending) == _BLOCK:
            flush()
    flush()
    if header and len(words) != header[0]:
        raise InputError(
            f"the header says {header[0]} rows, the file has {len(words)}", where=f"{path}:{number}"
        )
    return words, np.concatenate(blocks)


def _lines(handle: IO[bytes], first: bytes | None) -> Iterator[bytes]:
    if first is not None:
        yield first
    yield from handle


def _ends_in_number(word: bytes) -> bool:
    # Some GloVe files have words with spaces in them (". . ."): what is left of the last `dim`
    # fields is the word, unless it, too, ends in a number, for then the row is too long.
    _, space, last = word.rpartition(b" ")
    if not space:
        return False
    try:
        float(last)
    except ValueError:
        return False
    return True


def _word(raw: bytes, where: str) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"the word {raw[:40]!r} is not UTF-8", where=where) from error


def _numbers(rows: list[tuple[int, list[bytes]]], path: Path) -> NDArray[np.float32]:
    try:
        with np.errstate(over="ignore"):  # what is too large becomes infinite, and is refused
            block = np.array([fields for _, fields in rows], dtype=np.bytes_).astype(np.float32)
    except ValueError:
        block = np.full((1, 1), np.nan, np.float32)
    if not np.isfinite(block).all():
        _blame(rows, path)
    return block


def _blame(rows: list[tuple[int, list[bytes]]], path: Path) -> None:
    """Raise for the first number among `rows` that cannot be used."""
    for line, fields in rows:
        for field in fields:
            try:
                usable = abs(float(field)) <= float(np.finfo(np.float32).max)
            except ValueError:
                usable = False
            if not usable:
                raise InputError(
                    f"{field[:40].decode('utf-8', 'replace')!r} is not a finite number",
                    where=f"{path}:{line}",
                )


def _read_binary(
    handle: IO[bytes], path: Path, rows: int, dim: int
) -> tuple[list[str], NDArray[np.float32]]:
    words: list[str] = []
    blocks: list[NDArray[np.float32]] = []
    values: list[bytes] = []
    width = 4 * dim
    buffer, at = b"", 0

    def flush() -> None:
        block = np.frombuffer(b"".join(values), "<f4").reshape(-1, dim).astype(np.float32)
        bad = np.flatnonzero(~np.isfinite(block).all(axis=1))
        if len(bad):
            row = len(words) - len(values) + int(bad[0])
            raise InputError(
                f"the vector of {words[row]!r} has NaN or infinite numbers",
                where=f"{path}:{row + 2}",
            )
        blocks.append(block)
        values.clear()

    for row in range(rows):
        where = f"{path}:{row + 2}"
        space = buffer.find(b" ", at)
        while space < 0 or len(buffer) < space + 1 + width:
            if space < 0 and len(buffer) - at > _LONGEST_WORD:
                raise InputError("no end of the word in sight; not a word2vec file?", where=where)
            more = handle.read(max(1 << 20, width))
            if not more:
                raise InputError(
                    f"the header says {rows} rows, the file ends in row {row + 1}", where=where
                )
            buffer, at = buffer[at:] + more, 0
            space = buffer.find(b" ")
        # Some writers end each row with a line feed, some do not.
        words.append(_word(buffer[at:space].lstrip(b"\n"), where))
        at = space + 1 + width
        values.append(buffer[space + 1 : at])
        if len(values) == _BLOCK:
            flush()
    if values:
        flush()
    if (buffer[at:] + handle.read(2)).strip(b"\n"):
        raise InputError(
            f"the header says {rows} rows, but more follows", where=f"{path}:{rows + 2}"
        )
    return words, np.concatenate(blocks)
