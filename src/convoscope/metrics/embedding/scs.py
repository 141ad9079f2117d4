"""Soft cosine similarity: the cosine of term weights, where similar words are not orthogonal."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numba import njit
from numpy.typing import NDArray

from convoscope.errors import MetricError
from convoscope.metrics.base import Metric, param
from convoscope.metrics.batch import Batch
from convoscope.metrics.embedding._bags import bags, cosines, unit_vectors
from convoscope.parallel import map_ranges

__all__ = ["SCS"]


@dataclass(frozen=True, repr=False)
class SCS(Metric):
    """Soft cosine similarity (Sidorov et al. 2014; Liu, Zhou and Wilson 2021, equation 9).

    With g and r the weights of the words of reference and response, and m the similarity of two
    words::

        SCS = Σ m_ij g_i r_j / (√(Σ m_ij g_i g_j) √(Σ m_ij r_i r_j))

    A word is as similar to itself as can be, 1; two words have the cosine of their vectors to the
    power of `exponent`, and 0 unless the cosine is above `threshold`. A word without a vector
    (possible only with external vectors) is similar to itself alone.

    Notes
    -----
    The paper calls w "the embedding vector of word i", where Sidorov et al. and gensim have the
    weight of a term. ``weights='count'`` is the standard measure: w is how often the text has the
    word. ``weights='vector'`` is the paper's sentence to the letter: the product of two weights
    is the inner product of the words' vectors, for every occurrence of each.

    Equation 9 has plain cosines, the default here. gensim's ``WordEmbeddingSimilarityIndex``
    squares them and drops the negative ones: ``exponent=2, threshold=0`` (and keeps the 100
    words nearest to each unless told otherwise, which is not done here). A sum under a root that
    is not above 0, which plain cosines exclude, gives 0.

    With plain cosines and counts the sums are products of sums of unit vectors, and cost time in
    proportion to the words; otherwise every word is compared with every other.
    """

    title: ClassVar[str] = "Soft cosine similarity"
    summary: ClassVar[str] = "cosine of word counts in which similar words count as alike"
    source: ClassVar[str] = "Sidorov et al. 2014; Liu, Zhou and Wilson 2021, equation 9"
    range: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    empty: ClassVar[str] = "0 (no word, no similarity)"
    family: ClassVar[str] = "embedding"

    weights: str = param(
        "count",
        "'count': w is how often a word occurs; 'vector': w is the word's vector",
        choices=("count", "vector"),
        source="equation 9",
    )
    exponent: float = param(1.0, "the power cosines are raised to", low=0.01)
    threshold: float = param(-1.0, "cosines not above it are 0; -1 keeps all", low=-1.0, high=1.0)
    tokenizer: str = param(
        "whitespace", "how texts become words", choices=("whitespace", "word", "13a", "alnum")
    )
    vectors: str = param("embedded", "'embedded', or the path of a vectors file")
    multi: str = param("max", "how several references combine", choices=("max", "mean"))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.threshold < 0.0 and self.exponent != int(self.exponent):
            raise MetricError(
                "a negative cosine has no such power; set threshold=0 or a whole exponent",
                where=f"SCS(exponent={self.exponent})",
            )

    def compute(self, batch: Batch) -> NDArray[np.float64]:
        """Return the soft cosine of each row, shape (n,)."""
        words = bags(batch.texts, self.tokenizer)
        unit, norms = unit_vectors(batch.texts, self.tokenizer, self.vectors)
        left, right = batch.pairs()
        out = np.zeros(len(left))
        arrays = (words.ids, words.counts, words.offsets, unit, norms)
        if self.weights == "count" and self.exponent == 1.0 and self.threshold == -1.0:
            map_ranges(lambda a, b: _plain(a, b, *arrays, left, right, out), len(left))
        else:
            how = (self.weights == "vector", self.exponent, self.threshold)
            texts, place = np.unique(np.concatenate([left, right]), return_inverse=True)
            own = np.zeros(len(texts))
            longest = int(np.diff(words.offsets)[texts].max(initial=0))
            for one, other, sums in ((texts, texts, own), (left, right, out)):
                job = partial(_products, *arrays, *how, one, other, longest, sums)
                map_ranges(job, len(one), smallest=256)
            both = own[place[: len(left)]], own[place[len(left) :]]
            good = (both[0] > 0.0) & (both[1] > 0.0)
            below = np.where(
                good, np.sqrt(np.maximum(both[0], 0.0) * np.maximum(both[1], 0.0)), 1.0
            )
            out = np.where(good, np.clip(out / below, -1.0, 1.0), 0.0)
        return batch.reduce(out, self.multi)


@njit(cache=True, nogil=True)
def _products(
    ids: Any,
    counts: Any,
    offsets: Any,
    unit: Any,
    norms: Any,
    as_vectors: bool,
    exponent: float,
    threshold: float,
    left: Any,
    right: Any,
    longest: int,
    out: Any,
    start: int,
    stop: int,
) -> None:
    """Fill the sum of m_ij w_i w_j over the words of each pair of texts."""
    square = exponent == 2.0
    with_word = np.empty(longest + 3, np.float32)
    for p in range(start, stop):
        same = left[p] == right[p]
        r_end = offsets[right[p] + 1]
        total = 0.0
        for i in range(offsets[left[p]], offsets[left[p] + 1]):
            a = ids[i]
            # A text with itself: each two words once, here those after the first of them.
            r = i + 1 if same else offsets[right[p]]
            inner = 0.0
            if norms[a] > 0.0:
                cosines(unit, a, ids, r, r_end, with_word)
            for j in range(r, r_end):
                b = ids[j]
                cosine = 1.0
                if a != b:
                    if norms[a] == 0.0 or norms[b] == 0.0:
                        continue
                    cosine = np.float64(with_word[j - r])
                    if cosine <= threshold and threshold > -1.0:
                        continue
                similarity = cosine * cosine if square else cosine**exponent
                if as_vectors:
                    similarity *= cosine * norms[b]
                inner += counts[j] * similarity
            if same:
                inner = 2.0 * inner + counts[i] * (norms[a] if as_vectors else 1.0)
            total += counts[i] * (inner * norms[a] if as_vectors else inner)
        out[p] = total


@njit(cache=True, nogil=True)
def _sum(text: int, ids: Any, counts: Any, offsets: Any, unit: Any, norms: Any, out: Any) -> Any:
    """Add up a text's unit vectors in `out`; return the sum of its other words' squared counts."""
    out[:] = 0.0
    alone = 0.0
    for i in range(offsets[text], offsets[text + 1]):
        k = ids[i]
        count = np.float64(counts[i])
        if norms[k] == 0.0:
            alone += count * count
        else:
            for d in range(unit.shape[1]):
                out[d] += count * unit[k, d]
    return alone


@njit(cache=True, nogil=True)
def _plain(
    start: int,
    stop: int,
    ids: Any,
    counts: Any,
    offsets: Any,
    unit: Any,
    norms: Any,
    left: Any,
    right: Any,
    out: Any,
) -> None:
    """Fill the soft cosines for plain cosines and counts, from sums of unit vectors."""
    dim = unit.shape[1]
    a, b = np.empty(dim, np.float64), np.empty(dim, np.float64)
    of_a, of_b = -1, -1
    alone_a = alone_b = 0.0
    count_in_a = np.zeros(len(norms), np.int32)
    for p in range(start, stop):
        # Neighbouring rows often share a reference.
        if left[p] != of_a:
            of_a = left[p]
            alone_a = _sum(of_a, ids, counts, offsets, unit, norms, a)
        if right[p] != of_b:
            of_b = right[p]
            alone_b = _sum(of_b, ids, counts, offsets, unit, norms, b)
        ab, aa, bb = 0.0, alone_a, alone_b
        for d in range(dim):
            ab += a[d] * b[d]
            aa += a[d] * a[d]
            bb += b[d] * b[d]
        if alone_a > 0.0 and alone_b > 0.0:
            for i in range(offsets[of_a], offsets[of_a + 1]):
                if norms[ids[i]] == 0.0:
                    count_in_a[ids[i]] = counts[i]
            for j in range(offsets[of_b], offsets[of_b + 1]):
                ab += np.float64(counts[j]) * count_in_a[ids[j]]
            for i in range(offsets[of_a], offsets[of_a + 1]):
                count_in_a[ids[i]] = 0
        if aa > 0.0 and bb > 0.0:
            out[p] = min(1.0, max(-1.0, ab / np.sqrt(aa * bb)))
