"""Sentinel metrics: baselines that look at nothing a good metric should be content with.

A metric that does not beat them, or agrees with people only as far as they do, has learned
little. All of them are written so that more counts as better.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numba import njit
from numpy.typing import NDArray

from convoscope.metrics.base import Metric, Need, param
from convoscope.metrics.batch import Batch
from convoscope.parallel import map_ranges
from convoscope.text.columns import Tokens

__all__ = ["Copy", "Distinct", "Length"]

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_TOKENIZERS = ("whitespace", "word", "13a", "alnum")
_HOW = "how texts become words"
_LOWER = "whether words are lower-cased first"


@dataclass(frozen=True, repr=False)
class Distinct(Metric):
    """Distinct-n of single responses (Li et al. 2016): distinct n-grams / n-grams."""

    title: ClassVar[str] = "Distinct-n"
    summary: ClassVar[str] = "share of the response's n-grams that are different from one another"
    source: ClassVar[str] = "Li et al. 2016, distinct-1 and distinct-2"
    needs: ClassVar[frozenset[Need]] = frozenset()
    empty: ClassVar[str] = "0, as any response of fewer than n words"
    family: ClassVar[str] = "sentinel"

    n: int = param(1, "the n-gram order", low=1, high=9, shown=True)
    tokenizer: str = param("whitespace", _HOW, choices=_TOKENIZERS)
    lowercase: bool = param(False, _LOWER)

    def compute(self, batch: Batch) -> NDArray[np.float64]:
        """Return the share of distinct n-grams of each row's response, shape (n,)."""
        tokens = batch.texts.tokens(self.tokenizer, lowercase=self.lowercase)
        texts, back = np.unique(batch.candidates, return_inverse=True)
        distinct = distinct_ngrams(tokens, texts, self.n)
        totals = np.maximum(tokens.lengths[texts] - (self.n - 1), 1)
        shares: NDArray[np.float64] = (distinct / totals)[back]
        return shares


@dataclass(frozen=True, repr=False)
class Length(Metric):
    """The number of the response's words."""

    title: ClassVar[str] = "Length"
    summary: ClassVar[str] = "number of words of the response"
    source: ClassVar[str] = "baseline; POSSCORE, section 5.3, shows why it is one"
    needs: ClassVar[frozenset[Need]] = frozenset()
    # Finite, since JSON has no infinity; columns of counts hold no more.
    range: ClassVar[tuple[float, float]] = (0.0, float(2**31 - 1))
    empty: ClassVar[str] = "0"
    family: ClassVar[str] = "sentinel"

    tokenizer: str = param("whitespace", _HOW, choices=_TOKENIZERS)

    def compute(self, batch: Batch) -> NDArray[np.float64]:
        """Return the number of words of each row's response, shape (n,)."""
        lengths = batch.texts.tokens(self.tokenizer).lengths
        return lengths[batch.candidates].astype(np.float64)


@dataclass(frozen=True, repr=False)
class Copy(Metric):
    """The share of the response's words that occur in what was said before.

    Every word of the response counts, repeated ones each time, and a word counts as copied
    however often the context has it. A response copied from the context word by word gets 1.
    """

    title: ClassVar[str] = "Copy"
    summary: ClassVar[str] = "share of the response's words that occur in the context"
    source: ClassVar[str] = "baseline; the copy attack of SSREM, section 8, shows why it is one"
    needs: ClassVar[frozenset[Need]] = frozenset({"context"})
    empty: ClassVar[str] = "0 (nothing is copied), for an empty response or an empty context"
    family: ClassVar[str] = "sentinel"

    context: str = param(
        "last",
        "'last': the utterance the response answers; 'all': every utterance before it",
        choices=("last", "all"),
    )
    tokenizer: str = param("whitespace", _HOW, choices=_TOKENIZERS)
    lowercase: bool = param(True, _LOWER)

    def compute(self, batch: Batch) -> NDArray[np.float64]:
        """Return the share of copied words of each row, shape (n,); NaN without a context."""
        tokens = batch.texts.tokens(self.tokenizer, lowercase=self.lowercase)
        ends = batch.context_offsets[1:]
        starts = batch.context_offsets[:-1]
        if self.context == "last":
            starts = np.maximum(starts, ends - 1)
        copied = np.zeros(len(batch), np.int32)
        arrays = (tokens.ids, tokens.offsets, tokens.n_types, batch.candidates, batch.contexts)
        map_ranges(lambda a, b: _copied(a, b, *arrays, starts, ends, copied), len(batch))
        shares: NDArray[np.float64] = copied / np.maximum(tokens.lengths[batch.candidates], 1)
        shares[ends == starts] = np.nan
        return shares


def distinct_ngrams(tokens: Tokens, texts: NDArray[np.int32], n: int) -> NDArray[np.int32]:
    """Return how many different n-grams each of the texts has, shape (len(texts),)."""
    out = np.zeros(len(texts), np.int32)
    arrays = (tokens.ids, tokens.offsets, tokens.n_types, texts, n)

    def some(start: int, stop: int) -> None:
        longest = int(tokens.lengths[texts[start:stop]].max(initial=0))
        _distinct(start, stop, *arrays, longest, out)

    map_ranges(some, len(texts))
    return out


@njit(cache=True, nogil=True)
def _distinct(
    start: int,
    stop: int,
    ids: Any,
    offsets: Any,
    n_types: int,
    texts: Any,
    n: int,
    longest: int,
    out: Any,
) -> None:
    """Fill `out`: a text's words are numbered, then its pairs by (number, word), and so on to n.

    A pair of numbers fits a 64-bit key whole: equal keys are equal n-grams.
    """
    root = np.full(n_types, -1, np.int32)
    number = np.empty(longest, np.int32)
    capacity = 8
    while capacity < 2 * longest:
        capacity *= 2
    keys = np.empty(capacity, np.uint64)
    nodes = np.empty(capacity, np.int32)
    for t in range(start, stop):
        first, last = offsets[texts[t]], offsets[texts[t] + 1]
        length = last - first
        if length < n:
            continue
        different = 0
        for i in range(length):
            word = ids[first + i]
            if root[word] < 0:
                root[word] = different
                different += 1
            number[i] = root[word]
        for i in range(length):
            root[ids[first + i]] = -1
        bits = 3
        while (1 << bits) < 2 * length:
            bits += 1
        shift = np.uint64(64 - bits)
        mask = (1 << bits) - 1
        for order in range(1, n):
            nodes[: mask + 1] = -1
            different = 0
            for i in range(length - order):
                key = (np.uint64(number[i]) << np.uint64(32)) | np.uint64(ids[first + i + order])
                at = np.int64((key * _MULTIPLIER) >> shift)
                while nodes[at] >= 0 and keys[at] != key:
                    at = (at + 1) & mask
                if nodes[at] < 0:
                    keys[at] = key
                    nodes[at] = different
                    different += 1
                number[i] = nodes[at]
        out[t] = different


@njit(cache=True, nogil=True)
def _copied(
    start: int,
    stop: int,
    ids: Any,
    offsets: Any,
    n_types: int,
    candidates: Any,
    contexts: Any,
    starts: Any,
    ends: Any,
    out: Any,
) -> None:
    """Count the response words that occur in the chosen utterances of each row's context."""
    said_in = np.full(n_types, -1, np.int64)
    for row in range(start, stop):
        for u in range(starts[row], ends[row]):
            for i in range(offsets[contexts[u]], offsets[contexts[u] + 1]):
                said_in[ids[i]] = row
        for i in range(offsets[candidates[row]], offsets[candidates[row] + 1]):
            if said_in[ids[i]] == row:
                out[row] += 1
