"""Vector extrema: the cosine of the most extreme values of two texts' word vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numba import njit
from numpy.typing import NDArray

from convoscope.metrics.batch import Batch
from convoscope.metrics.embedding.average import type_vectors
from convoscope.metrics.embedding.base import WordVectorMetric
from convoscope.parallel import map_ranges

__all__ = ["Extrema"]


@dataclass(frozen=True, repr=False)
class Extrema(WordVectorMetric):
    """Vector extrema (Forgues et al. 2014).

    A text's vector has in each dimension the value farthest from 0 among its words' vectors: the
    greatest value where it is above the absolute value of the least, else the least. The metric
    is the cosine of the two texts' vectors. Words without a vector (possible only with external
    vectors) are left out.
    """

    title: ClassVar[str] = "Vector extrema"
    summary: ClassVar[str] = "cosine of the most extreme values of the texts' word vectors"
    source: ClassVar[str] = "Forgues et al. 2014; Liu et al. 2016, section 3.2.3"

    def compute(self, batch: Batch) -> NDArray[np.float64]:
        """Return the cosine of each row, shape (n,)."""
        tokens = batch.texts.tokens(self.tokenizer)
        table = type_vectors(batch.texts, self.tokenizer, self.vectors)
        known = np.any(table != 0.0, axis=1)
        left, right = batch.pairs()
        out = np.zeros(len(left))
        arrays = (tokens.ids, tokens.offsets, table, known, left, right, out)
        map_ranges(lambda start, stop: _cosines(start, stop, *arrays), len(left))
        return batch.reduce(out, self.multi)


@njit(cache=True, nogil=True)
def _extremes(
    text: int, ids: Any, offsets: Any, table: Any, known: Any, high: Any, low: Any, out: Any
) -> None:
    """Write a text's vector to `out`, zeros where no word has a vector; high, low are scratch."""
    out[:] = 0.0
    high[:] = -np.inf
    low[:] = np.inf
    some = False
    for i in range(offsets[text], offsets[text + 1]):
        k = ids[i]
        if known[k]:
            some = True
            for d in range(table.shape[1]):
                v = table[k, d]
                high[d] = v if v > high[d] else high[d]
                low[d] = v if v < low[d] else low[d]
    if some:
        for d in range(table.shape[1]):
            out[d] = high[d] if high[d] > abs(low[d]) else low[d]


@njit(cache=True, nogil=True)
def _cosines(
    start: int,
    stop: int,
    ids: Any,
    offsets: Any,
    table: Any,
    known: Any,
    left: Any,
    right: Any,
    out: Any,
) -> None:
    dim = table.shape[1]
    high, low = np.empty(dim, np.float32), np.empty(dim, np.float32)
    a, b = np.empty(dim, np.float64), np.empty(dim, np.float64)
    of_a, of_b = -1, -1
    for p in range(start, stop):
        # Neighbouring rows often share a reference.
        if left[p] != of_a:
            of_a = left[p]
            _extremes(of_a, ids, offsets, table, known, high, low, a)
        if right[p] != of_b:
            of_b = right[p]
            _extremes(of_b, ids, offsets, table, known, high, low, b)
        ab = aa = bb = 0.0
        for d in range(dim):
            ab += a[d] * b[d]
            aa += a[d] * a[d]
            bb += b[d] * b[d]
        if aa > 0.0 and bb > 0.0:
            out[p] = min(1.0, max(-1.0, ab / np.sqrt(aa * bb)))
