"""Greedy matching: each word with the most similar word of the other text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numba import njit
from numpy.typing import NDArray

from convoscope.metrics.batch import Batch
from convoscope.metrics.embedding._bags import bags, cosines, unit_vectors
from convoscope.metrics.embedding.base import WordVectorMetric
from convoscope.parallel import map_ranges

__all__ = ["Greedy"]


@dataclass(frozen=True, repr=False)
class Greedy(WordVectorMetric):
    """Greedy matching (Rus and Lintean 2012), over cosines of word vectors.

    In one direction, each word of a text counts the cosine with the most similar word of the
    other text, and the mean over its words is taken; the value is the mean of both directions.
    Words may be matched more than once. Words without a vector (possible only with external
    vectors) are left out.
    """

    title: ClassVar[str] = "Greedy matching"
    summary: ClassVar[str] = "mean cosine of each word with its most similar word, both ways"
    source: ClassVar[str] = "Rus and Lintean 2012; Liu et al. 2016, section 3.2.1"

    def compute(self, batch: Batch) -> NDArray[np.float64]:
        """Return the value of each row, shape (n,)."""
        words = bags(batch.texts, self.tokenizer)
        unit, norms = unit_vectors(batch.texts, self.tokenizer, self.vectors)
        left, right = batch.pairs()
        out = np.zeros((len(left), 2))
        sizes = np.diff(words.offsets)
        arrays = (words.ids, words.counts, words.offsets, unit, norms, left, right, out)

        def some(start: int, stop: int) -> None:
            longest = int(sizes[right[start:stop]].max(initial=0))
            _greedy(start, stop, longest, *arrays)

        map_ranges(some, len(left), smallest=256)
        return batch.reduce((out[:, 0] + out[:, 1]) / 2.0, self.multi)


@njit(cache=True, nogil=True)
def _greedy(
    start: int,
    stop: int,
    longest: int,
    ids: Any,
    counts: Any,
    offsets: Any,
    unit: Any,
    norms: Any,
    left: Any,
    right: Any,
    out: Any,
) -> None:
    """Fill the mean best cosine of the left text's words, and of the right text's."""
    best = np.empty(longest, np.float32)
    with_word = np.empty(longest + 3, np.float32)
    none, one = np.float32(-2.0), np.float32(1.0)
    for p in range(start, stop):
        c, c_end = offsets[left[p]], offsets[left[p] + 1]
        r, r_end = offsets[right[p]], offsets[right[p] + 1]
        best[: r_end - r] = none
        total, words = 0.0, 0
        for i in range(c, c_end):
            if norms[ids[i]] == 0.0:
                continue
            cosines(unit, ids[i], ids, r, r_end, with_word)
            most = none
            for j in range(r, r_end):
                if norms[ids[j]] > 0.0:
                    cosine = one if ids[i] == ids[j] else with_word[j - r]
                    most = max(most, cosine)
                    best[j - r] = max(best[j - r], cosine)
            if most > none:
                total += counts[i] * np.float64(most)
                words += counts[i]
        if words == 0:  # one of the two has no word with a vector
            continue
        out[p, 0] = total / words
        total, words = 0.0, 0
        for j in range(r, r_end):
            if norms[ids[j]] > 0.0:
                total += counts[j] * np.float64(best[j - r])
                words += counts[j]
        out[p, 1] = total / words
