"""ChrF: n-grams of characters (and of words) that response and reference share."""

from __future__ import annotations

import string
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from convoscope.errors import MetricError
from convoscope.metrics.base import Metric, param
from convoscope.metrics.batch import Batch
from convoscope.metrics.overlap._ngrams import _count
from convoscope.text.analysis import Texts
from convoscope.text.columns import Tokens, encode, split_whitespace

__all__ = ["ChrF", "characters"]

Array = NDArray[np.float64]

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
        matches, n_left, n_right = [], [], []
        for kind, order in (("char", self.char_order), ("word", self.word_order)):
            if order == 0:
                continue
            tokens = self._column(batch.texts, kind)

            def make(tokens: Tokens = tokens, order: int = order) -> NDArray[np.int32]:
                # Each pair as a row of its own: the best reference is chosen by its score.
                each = np.arange(len(left) + 1, dtype=np.int64)
                none = np.zeros(len(left) + 1, np.int64)
                pairs = Batch(batch.texts, left, right, each, left[:0], none)
                return _count(pairs, tokens, order).matches

            key = ("chrf", kind, order, self.lowercase, kind == "char" and self.whitespace)
            matches.append(batch.memo(key, make))
            shorter_by = np.arange(order)
            n_left.append(np.maximum(tokens.lengths[left][:, None] - shorter_by, 0))
            n_right.append(np.maximum(tokens.lengths[right][:, None] - shorter_by, 0))
        values = self._score(np.hstack(matches), np.hstack(n_left), np.hstack(n_right))
        return batch.reduce(values, self.multi)

    def _column(self, texts: Texts, kind: str) -> Tokens:
        def make() -> Tokens:
            # The whole text is lower-cased, not its words, as sacrebleu does.
            strings = [t.lower() for t in texts.strings] if self.lowercase else texts.strings
            if kind == "word":
                return _words(split_whitespace(strings))
            return characters(strings, whitespace=self.whitespace)

        return texts.memo(("chrf", kind, self.lowercase, kind == "char" and self.whitespace), make)

    def _score(
        self, matches: NDArray[np.int32], n_left: NDArray[np.int64], n_right: NDArray[np.int64]
    ) -> Array:
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
