"""ROUGE-L: the longest common subsequence of response and reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numba import njit
from numpy.typing import NDArray

from convoscope.metrics.base import Metric, param
from convoscope.metrics.batch import Batch
from convoscope.parallel import map_ranges
from convoscope.text.alnum import split_alnum
from convoscope.text.analysis import Texts
from convoscope.text.columns import Tokens, from_token_lists

__all__ = ["ROUGE_L", "lcs_lengths"]

# Words of the shorter text up to which the bit masks are kept: their memory grows with its square
# (8 MB here). Beyond it, a row of the plain table takes its place.
_WIDEST = 8192


@dataclass(frozen=True, repr=False)
class ROUGE_L(Metric):
    """ROUGE-L (Lin 2004), as the rouge-score package computes it where beta is 1.

    With P and R the longest common subsequence's share of the response's and of the reference's
    words, the value is (1 + beta²) P R / (R + beta² P).
    """

    title: ClassVar[str] = "ROUGE-L"
    summary: ClassVar[str] = "F measure of the longest common subsequence of words"
    source: ClassVar[str] = "Lin 2004, equations 2 to 4"
    empty: ClassVar[str] = "0 (nothing in common), for an empty response or an empty reference"
    hard_matching: ClassVar[bool] = True

    beta: float = param(1.0, "how many times recall counts more than precision", low=0.0)
    stem: bool = param(
        False, "whether words longer than three letters are stemmed (NLTK's Porter stemmer)"
    )
    multi: str = param("max", "how several references combine", choices=("max", "mean"))
    tokenizer: str = param(
        "alnum", "how texts become words", choices=("alnum", "whitespace", "word", "13a")
    )

    def compute(self, batch: Batch) -> NDArray[np.float64]:
        """Return ROUGE-L of each row, shape (n,); NaN without a reference."""
        tokens = _column(batch.texts, self.tokenizer, self.stem)

        def make() -> NDArray[np.int32]:
            return lcs_lengths(tokens, *batch.pairs())

        common = batch.memo(("lcs", self.tokenizer, self.stem), make)
        candidates, references = batch.pairs()
        # A length of 0 goes with a common length of 0; 1 in its place only avoids 0 / 0.
        precision = common / np.maximum(tokens.lengths[candidates], 1)
        recall = common / np.maximum(tokens.lengths[references], 1)
        weight = self.beta**2
        below = recall + weight * precision
        value = (1.0 + weight) * precision * recall / np.where(common > 0, below, 1.0)
        return batch.reduce(value, self.multi)

    def fragments(self) -> dict[str, str]:
        """Return what can change a number; stems name their stemmer."""
        out = super().fragments()
        if self.stem:
            from convoscope.text.stems import SIGNATURE

            out["stem"] = SIGNATURE.removeprefix("stem:")
        return out


def _column(texts: Texts, tokenizer: str, stem: bool) -> Tokens:
    def plain() -> Tokens:
        if tokenizer == "alnum":
            # The key of Texts.tokens, so that whoever asks it for this column gets this one.
            key = ("tokens", "alnum", False, True)
            return texts.memo(key, lambda: split_alnum(texts.strings))
        return texts.tokens(tokenizer)

    return texts.memo(("rouge stems", tokenizer), lambda: _stems(plain())) if stem else plain()


def _stems(tokens: Tokens) -> Tokens:
    """Return the column with the stem of each word longer than three characters."""
    from convoscope.text.stems import stem_column

    types = tokens.types
    alone = from_token_lists([[t.lower()] for t in types])
    column = stem_column(alone)
    stems = column.types
    return tokens.map_types(
        [stems[column.ids[i]] if len(t) > 3 else t for i, t in enumerate(types)]
    )


def lcs_lengths(
    tokens: Tokens, left: NDArray[np.int32], right: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Return the length of the longest common subsequence of each pair of texts, shape (n,)."""
    out = np.zeros(len(left), np.int32)
    shorter = np.minimum(tokens.lengths[left], tokens.lengths[right])

    def some(start: int, stop: int) -> None:
        longest = int(shorter[start:stop].max(initial=0))
        widest = min(longest, _WIDEST)
        masks = np.zeros(widest * ((widest + 63) // 64), np.uint64)
        row = np.empty(longest + 1 if longest > _WIDEST else 0, np.int32)
        _lcs_rows(
            tokens.ids,
            tokens.offsets,
            tokens.n_types,
            left,
            right,
            start,
            stop,
            widest,
            masks,
            row,
            out,
        )

    map_ranges(some, len(left))
    return out


@njit(cache=True, nogil=True)
def _lcs_rows(
    ids: Any,
    offsets: Any,
    n_types: int,
    left: Any,
    right: Any,
    start: int,
    stop: int,
    widest: int,
    masks: Any,
    table_row: Any,
    out: Any,
) -> None:
    """Fill `out` from start up to stop, 64 cells of the table at once (Hyyrö 2004).

    A set bit i of ``masks`` of a word says that the shorter text has the word at position i. In
    the row of the table that the loop keeps, a bit is 0 where the table grows by one.
    """
    slot = np.full(n_types, -1, np.int32)
    row = np.empty((widest + 63) >> 6, np.uint64)
    one, low = np.uint64(1), np.uint64(63)
    ones = ~np.uint64(0)
    for p in range(start, stop):
        a, b = left[p], right[p]
        if offsets[a + 1] - offsets[a] > offsets[b + 1] - offsets[b]:
            a, b = b, a
        first, last = offsets[a], offsets[a + 1]
        if last - first > widest:
            out[p] = _lcs_plain(ids, first, last, offsets[b], offsets[b + 1], table_row)
            continue
        words = (last - first + 63) >> 6
        n_slots = 0
        for i in range(first, last):
            s = slot[ids[i]]
            if s < 0:
                s = n_slots
                n_slots += 1
                slot[ids[i]] = s
            at = i - first
            masks[s * words + (at >> 6)] |= one << (np.uint64(at) & low)
        if words == 1:
            v = ones
            for j in range(offsets[b], offsets[b + 1]):
                s = slot[ids[j]]
                if s >= 0:
                    mask = masks[s]
                    v = (v + (v & mask)) | (v & ~mask)
            row[0] = v
        else:
            row[:words] = ones
            for j in range(offsets[b], offsets[b + 1]):
                s = slot[ids[j]]
                if s < 0:
                    continue
                carry = np.uint64(0)
                for w in range(words):
                    v = row[w]
                    mask = masks[s * words + w]
                    u = v & mask
                    total = v + u
                    over = np.uint64(total < v)
                    total += carry
                    over |= np.uint64(total < carry)
                    row[w] = total | (v & ~mask)
                    carry = over
        zeros = 0
        for w in range(words):
            v = ~row[w]
            while v:
                v &= v - one
                zeros += 1
        out[p] = zeros
        masks[: n_slots * words] = 0
        for i in range(first, last):
            slot[ids[i]] = -1


@njit(cache=True, nogil=True)
def _lcs_plain(ids: Any, first: int, last: int, begin: int, end: int, row: Any) -> Any:
    row[: last - first + 1] = 0
    for j in range(begin, end):
        diagonal = np.int32(0)
        for i in range(first, last):
            above = row[i - first + 1]
            if ids[i] == ids[j]:
                row[i - first + 1] = diagonal + 1
            else:
                row[i - first + 1] = max(above, row[i - first])
            diagonal = above
    return row[last - first]
