"""ChrF: n-grams of characters (and of words) that response and reference share."""

from __future__ import annotations

import string
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from convoscope.errors import MetricError
from convoscope.metrics.base import Metric, param
from convoscope.metrics.batch import Batch
from convoscope.metrics.overlap._ngrams import _count
from convoscope.text.columns import Tokens, encode, split_whitespace

__all__ = ["ChrF", "characters"]

Array = NDArray[np.float64]
Ids = NDArray[np.int32]

# Pairs whose characters are in memory at once: a character takes some forty bytes.
_CHUNK = 10_000

# sacrebleu's stand-in for a precision or recall that does not exist.
_EPSILON = 1e-16
_PUNCTUATION = frozenset(string.punctuation)


@dataclass(frozen=True, repr=False)
class ChrF(Metric):
    """ChrF and ChrF++ (Popović 2015, 2017), each response by itself, as sacrebleu computes them.

    With P and R the means, over the orders that both texts have, of the clipped precisions and
    recalls of character n-grams (and of word n-grams where `word_order` is above 0), the value
    is (1 + beta²) P R / (beta² P + R), on a scale of 0 to 1 where sacrebleu has 0 to 100.

    ``word_order=2`` is ChrF++. ``eps_smoothing`` is the older rule of the authors' script, NLTK
    and Moses: the mean over all orders of each order's own F, where an order that a text is too
    short for counts as 0. With ``multi='max'`` the best of several references counts, as in
    sacrebleu.
    """

    title: ClassVar[str] = "ChrF"
    summary: ClassVar[str] = "F measure of shared character n-grams, and of word n-grams"
    source: ClassVar[str] = "Popović 2015, equation 1; word n-grams: Popović 2017"
    empty: ClassVar[str] = "0 (nothing matches), for an empty response or an empty reference"
    hard_matching: ClassVar[bool] = True

    char_order: int = param(6, "the highest order of character n-grams", low=0, high=20)
    word_order: int = param(0, "the highest order of word n-grams; 2 is ChrF++", low=0, high=9)
    beta: float = param(2.0, "how many times recall counts more than precision", low=0.0)
    lowercase: bool = param(False, "whether texts are lower-cased first")
    whitespace: bool = param(False, "whether white space counts among the characters")
    eps_smoothing: bool = param(
        False, "whether orders that a text is too short for count, as 0 (as NLTK and Moses do)"
    )
    multi: str = param("max", "how several references combine", choices=("max", "mean"))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.char_order + self.word_order == 0:
            raise MetricError(
                "char_order and word_order are both 0; one of them must be 1 or more",
                where="ChrF(char_order=0)",
            )

    def compute(self, batch: Batch) -> Array:
        """Return ChrF of each row, shape (n,); NaN without a reference."""
        left, right = batch.pairs()
        values = np.empty(len(left))
        orders = (("char", self.char_order), ("word", self.word_order))
        for start in range(0, len(left), _CHUNK):
            some = slice(start, start + _CHUNK)
            parts = []
            for kind, order in orders:
                if order:
                    space = kind == "char" and self.whitespace
                    key = ("chrf", kind, order, self.lowercase, space, start)
                    count = partial(self._count, batch, kind, order, left[some], right[some])
                    parts.append(batch.memo(key, count))
            matches, n_left, n_right = (np.hstack(each) for each in zip(*parts, strict=True))
            values[some] = self._score(matches, n_left, n_right)
        return batch.reduce(values, self.multi)

    def _count(
        self, batch: Batch, kind: str, order: int, left: Ids, right: Ids
    ) -> tuple[Ids, Ids, Ids]:
        """Return the n-grams in common, in the responses and in the references, by order."""
        used, place = np.unique(np.concatenate([left, right]), return_inverse=True)
        strings = [batch.texts.strings[t] for t in used.tolist()]
        if self.lowercase:  # the whole text, not its words, as sacrebleu does
            strings = [t.lower() for t in strings]
        if kind == "word":
            tokens = _words(split_whitespace(strings))
        else:
            tokens = characters(strings, whitespace=self.whitespace)
        # Each pair as a row of its own: the best reference is chosen by its score.
        each = np.arange(len(left) + 1, dtype=np.int64)
        index: Ids = place.astype(np.int32)
        a, b = index[: len(left)], index[len(left) :]
        pairs = Batch(batch.texts, a, b, each, a[:0], np.zeros_like(each))
        sizes: Ids = np.maximum(tokens.lengths[:, None] - np.arange(order), 0).astype(np.int32)
        return _count(pairs, tokens, order).matches, sizes[a], sizes[b]

    def _score(self, matches: Ids, n_left: Ids, n_right: Ids) -> Array:
        """Return the value of each pair from counts of shape (pairs, orders)."""
        both = (n_left > 0) & (n_right > 0)
        weight = self.beta**2
        missing = _EPSILON if self.eps_smoothing else 0.0
        # Where only one of the texts has n-grams of an order, sacrebleu does not count the
        # response's, but does count the reference's: recall is 0 then, not missing.
        precision = np.where(both, matches / np.maximum(n_left, 1), missing)
        recall = np.where(n_right > 0, matches / np.maximum(n_right, 1), missing)
        if self.eps_smoothing:
            below = weight * precision + recall
            some = below > 0.0
            above = (1.0 + weight) * precision * recall
            each = np.where(some, above / np.where(some, below, 1.0), missing)
            smoothed: Array = each.mean(axis=1)
            return smoothed
        orders = np.maximum(both.sum(axis=1), 1)
        p = np.where(both, precision, 0.0).sum(axis=1) / orders
        r = np.where(both, recall, 0.0).sum(axis=1) / orders
        value: Array = (1.0 + weight) * p * r / np.where(p > 0.0, weight * p + r, 1.0)
        return value


def characters(strings: list[str], *, whitespace: bool = True) -> Tokens:
    """Return the column of the texts' characters (code points), with or without white space."""
    encoded, starts = encode(strings)
    # Every character has one byte that does not continue another.
    before = np.concatenate([[0], np.cumsum((encoded & 0xC0) != 0x80)])
    offsets = before[starts]
    codes = np.frombuffer(encoded.tobytes().decode("utf-8").encode("utf-32-le"), "<u4")
    present = np.zeros(0x110000, np.bool_)
    present[codes] = True
    types = np.flatnonzero(present)
    if not whitespace:
        spaces = [c for c in types.tolist() if chr(c).isspace()]
        present[spaces] = False
        kept = present[codes]
        offsets = np.concatenate([[0], np.cumsum(kept)])[offsets]
        codes = codes[kept]
        types = np.flatnonzero(present)
    number = np.zeros(0x110000, np.int32)
    number[types] = np.arange(len(types), dtype=np.int32)
    buffer, ends = encode([chr(c) for c in types.tolist()])
    return Tokens(number[codes], offsets, buffer, np.stack([ends[:-1], ends[1:]], axis=1))


def _words(tokens: Tokens) -> Tokens:
    """Return the words with one punctuation mark at their end, or else their start, cut off."""
    pieces = [_cut(t) for t in tokens.types]
    index: dict[str, int] = {}
    ids = [[index.setdefault(p, len(index)) for p in parts] for parts in pieces]
    first = np.array([i[0] for i in ids], np.int32)
    second = np.array([i[-1] for i in ids], np.int32)
    counts = np.array([len(i) for i in ids], np.int64)[tokens.ids]
    ends = np.cumsum(counts)
    out = np.empty(int(ends[-1]) if len(ends) else 0, np.int32)
    # Where a word is whole, its second piece is its first, and both go to one place.
    out[ends - counts] = first[tokens.ids]
    out[ends - 1] = second[tokens.ids]
    offsets = np.concatenate([[0], ends])[tokens.offsets]
    buffer, bounds = encode(list(index))
    return Tokens(out, offsets, buffer, np.stack([bounds[:-1], bounds[1:]], axis=1))


def _cut(word: str) -> list[str]:
    if len(word) > 1 and word[-1] in _PUNCTUATION:
        return [word[:-1], word[-1]]
    if len(word) > 1 and word[0] in _PUNCTUATION:
        return [word[0], word[1:]]
    return [word]
