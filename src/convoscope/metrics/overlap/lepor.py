"""LEPOR: shared words, weighed down by differences of length and of word order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numba import njit
from numpy.typing import NDArray

from convoscope.errors import MetricError
from convoscope.metrics.base import Metric, param
from convoscope.metrics.batch import Batch
from convoscope.parallel import map_ranges

__all__ = ["LEPOR", "LEPORTerms"]

Array = NDArray[np.float64]

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
# A key holds two words of 31 bits and the distance between them in the 2 that are left.
_WIDEST = 4


@dataclass(frozen=True, eq=False)
class LEPORTerms:
    """The factors of equation 24 for each (candidate, reference) pair, each of shape (pairs,)."""

    length_penalty: Array
    """LP."""
    position_penalty: Array
    """NPosPenal, equation 25."""
    precision: Array
    """Share of the response's words that it has in common with the reference."""
    recall: Array
    """Share of the reference's words that it has in common with the response."""
    harmonic: Array
    """Harmonic(alpha R, beta P), equation 27; 0 where nothing is in common."""

    @property
    def score(self) -> Array:
        """LP · NPosPenal · Harmonic, equation 24."""
        return self.length_penalty * self.position_penalty * self.harmonic


@dataclass(frozen=True, repr=False)
class LEPOR(Metric):
    """LEPOR (Han, Wong and Chao 2012), each response by itself.

    With c and r the numbers of words of response and reference, P and R the shares of their words
    that they have in common::

        LEPOR = LP · exp(-NPD) · (alpha + beta) / (alpha / R + beta / P)
        LP    = exp(1 - r / c) if c < r, exp(1 - c / r) if c > r, else 1
        NPD   = 1/c · Σ |i / c - j / r|  over the words i of the response, aligned with j

    Alignment goes from the response to the reference. A word that the reference has once is
    aligned with it. Of several, the one with an equal word at an equal distance, up to `n` words
    before or after it, is taken; among several such, or if there is none, the nearest.

    Notes
    -----
    Liu, Zhou and Wilson (2021, equations 24-27) leave open what LP is, how positions are measured,
    how common words are counted, and alpha and beta. Here all are as in Han et al. 2012 and the
    authors' program: positions are divided by the lengths of the texts; each word of the
    reference is common with one word of the response at most; texts are lower-cased; recall
    counts nine times as much as precision; nearness is measured in words, and the earlier of two
    words as near is taken. ``positions='absolute'`` takes the difference of word numbers as it
    stands, ``common='any'`` counts every word that occurs in the other text. ``n=2`` is the
    program's window too; it also accepts neighbours at unequal distances. Two words of the
    response may be aligned with one of the reference.

    ``nltk.translate.lepor`` differs from the paper (its length penalty rewards texts of unequal
    length, and it takes the farthest word, not the nearest), and gives other values.
    """

    title: ClassVar[str] = "LEPOR"
    summary: ClassVar[str] = "shared words, with penalties for length and word order"
    source: ClassVar[str] = "Han et al. 2012; Liu, Zhou and Wilson 2021, equations 24-27"
    empty: ClassVar[str] = "0 (nothing in common), for an empty response or an empty reference"
    hard_matching: ClassVar[bool] = True

    alpha: float = param(9.0, "weight of recall", low=0.0, source="equation 27")
    beta: float = param(1.0, "weight of precision", low=0.0, source="equation 27")
    n: int = param(
        2,
        "how many words before and after help to choose among equal words; 0: the nearest is taken",
        low=0,
        high=_WIDEST,
        source="Han et al. 2012, n-gram word alignment",
    )
    positions: str = param(
        "relative",
        "'relative': positions divided by the texts' lengths; 'absolute': as they are",
        choices=("relative", "absolute"),
        source="equation 26",
    )
    common: str = param(
        "clipped",
        "'clipped': a word is common as often as both texts have it; 'any': as often as it occurs",
        choices=("clipped", "any"),
        source="equation 27",
    )
    tokenizer: str = param(
        "whitespace", "how texts become words", choices=("whitespace", "word", "13a", "alnum")
    )
    lowercase: bool = param(True, "whether words are lower-cased first")
    multi: str = param("max", "how several references combine", choices=("max", "mean"))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.alpha + self.beta == 0.0:
            raise MetricError(
                "alpha and beta are both 0; one of them must be above 0", where="LEPOR(alpha=0)"
            )

    def compute(self, batch: Batch) -> Array:
        """Return LEPOR of each row, shape (n,); NaN without a reference."""
        return batch.reduce(self.terms(batch).score, self.multi)

    def terms(self, batch: Batch) -> LEPORTerms:
        """Return the factors of equation 24 for each (candidate, reference) pair of the batch."""
        tokens = batch.texts.tokens(self.tokenizer, lowercase=self.lowercase)
        left, right = batch.pairs()

        def make() -> tuple[NDArray[np.int32], Array]:
            counts = np.zeros((len(left), 3), np.int32)
            distances = np.zeros((len(left), 2))
            arrays = (tokens.ids, tokens.offsets, tokens.n_types, left, right, self.n)

            def some(start: int, stop: int) -> None:
                longest = int(tokens.lengths[right[start:stop]].max(initial=0))
                _align(start, stop, *arrays, longest, counts, distances)

            map_ranges(some, len(left))
            return counts, distances

        key = ("lepor", self.n, self.tokenizer, self.lowercase)
        counts, distances = batch.memo(key, make)
        c = np.maximum(tokens.lengths[left], 1).astype(np.float64)
        r = np.maximum(tokens.lengths[right], 1).astype(np.float64)
        clipped = self.common == "clipped"
        precision = counts[:, 0 if clipped else 1] / c
        recall = counts[:, 0 if clipped else 2] / r
        some = counts[:, 0] > 0
        # 1 stands where nothing is in common: it only avoids a division by 0.
        above = self.alpha + self.beta
        below = self.alpha / np.where(some, recall, 1.0) + self.beta / np.where(
            some, precision, 1.0
        )
        return LEPORTerms(
            length_penalty=np.exp(1.0 - np.maximum(r / c, c / r)),
            position_penalty=np.exp(-distances[:, 0 if self.positions == "relative" else 1] / c),
            precision=precision,
            recall=recall,
            harmonic=np.where(some, above / below, 0.0),
        )


@njit(cache=True, nogil=True)
def _find(keys: Any, nodes: Any, key: Any, shift: Any, mask: int) -> Any:
    """Return the slot of the table that holds the key, or the free slot where it belongs."""
    at = np.int64((key * _MULTIPLIER) >> shift)
    while nodes[at] >= 0 and keys[at] != key:
        at = (at + 1) & mask
    return at


@njit(cache=True, nogil=True)
def _nearest(here: Any, node: int, after: Any, base: int, wanted: int) -> Any:
    """Return the place of a chain nearest to the one wanted, the earlier of two as near.

    ``here[node]`` is where the last call for this chain ended; what is wanted only grows, so that
    all calls together pass over each chain once.
    """
    at = here[node]
    following = after[base + at]
    while following >= 0 and following <= wanted:
        at = following
        following = after[base + at]
    here[node] = at
    if following >= 0 and following - wanted < abs(at - wanted):
        return following
    return at


@njit(cache=True, nogil=True)
def _align(
    start: int,
    stop: int,
    ids: Any,
    offsets: Any,
    n_types: int,
    left: Any,
    right: Any,
    n: int,
    longest: int,
    counts: Any,
    distances: Any,
) -> None:
    """Fill the counts of common words and the sums of position differences of some pairs.

    The places of a word in the reference are a chain from its first to its last, and so are the
    places of every two words at most `n` apart: what the search for a neighbour needs. The chains
    are walked once, so that time is linear in the words however often they repeat.
    """
    root = np.full(n_types, -1, np.int32)
    after = np.empty(longest * (n + 1), np.int32)
    here = np.empty(longest, np.int32)
    total = np.empty(longest, np.int32)
    free = np.empty(longest, np.int32)
    most = longest * n
    capacity = 8
    while capacity < 2 * most:
        capacity *= 2
    keys = np.empty(capacity, np.uint64)
    nodes = np.empty(capacity, np.int32)
    # A chain of two words is searched for what stands before a word and for what stands after it.
    first_here, second_here = np.empty(most, np.int32), np.empty(most, np.int32)
    for p in range(start, stop):
        c, n_left = offsets[left[p]], offsets[left[p] + 1] - offsets[left[p]]
        r, n_right = offsets[right[p]], offsets[right[p] + 1] - offsets[right[p]]
        if n_left == 0 or n_right == 0:
            continue
        n_words = 0
        bits = 3
        while (1 << bits) < 2 * n_right * n:
            bits += 1
        shift = np.uint64(64 - bits)
        mask = (1 << bits) - 1
        nodes[: mask + 1] = -1
        n_nodes = 0
        for j in range(n_right - 1, -1, -1):
            word = ids[r + j]
            slot = root[word]
            if slot < 0:
                slot = n_words
                n_words += 1
                root[word] = slot
                here[slot] = -1
                total[slot] = 0
            after[j] = here[slot]
            here[slot] = j
            total[slot] += 1
            free[slot] = total[slot]
            for k in range(1, min(n, n_right - 1 - j) + 1):
                key = (
                    (np.uint64(word) << np.uint64(33))
                    | (np.uint64(ids[r + j + k]) << np.uint64(2))
                    | np.uint64(k - 1)
                )
                at = _find(keys, nodes, key, shift, mask)
                if nodes[at] < 0:
                    keys[at] = key
                    nodes[at] = n_nodes
                    first_here[n_nodes] = -1
                    n_nodes += 1
                node = nodes[at]
                after[k * n_right + j] = first_here[node]
                first_here[node] = j
                second_here[node] = j
        clipped, hits, hit_back = 0, 0, 0
        relative, absolute = 0.0, 0.0
        for i in range(n_left):
            word = ids[c + i]
            slot = root[word]
            if slot < 0:
                continue
            hits += 1
            if free[slot] > 0:
                clipped += 1
                if free[slot] == total[slot]:
                    hit_back += total[slot]
                free[slot] -= 1
            best = -1
            if total[slot] > 1:
                for k in range(1, n + 1):
                    if i + k < n_left:
                        key = (
                            (np.uint64(word) << np.uint64(33))
                            | (np.uint64(ids[c + i + k]) << np.uint64(2))
                            | np.uint64(k - 1)
                        )
                        node = nodes[_find(keys, nodes, key, shift, mask)]
                        if node >= 0:
                            j = _nearest(first_here, node, after, k * n_right, i)
                            if best < 0 or _closer(j, best, i):
                                best = j
                    if i - k >= 0:
                        key = (
                            (np.uint64(ids[c + i - k]) << np.uint64(33))
                            | (np.uint64(word) << np.uint64(2))
                            | np.uint64(k - 1)
                        )
                        node = nodes[_find(keys, nodes, key, shift, mask)]
                        if node >= 0:
                            j = k + _nearest(second_here, node, after, k * n_right, i - k)
                            if best < 0 or _closer(j, best, i):
                                best = j
            if best < 0:
                best = _nearest(here, slot, after, 0, i)
            absolute += abs(i - best)
            relative += abs((i + 1) / n_left - (best + 1) / n_right)
        counts[p, 0], counts[p, 1], counts[p, 2] = clipped, hits, hit_back
        distances[p, 0], distances[p, 1] = relative, absolute
        for j in range(n_right):
            root[ids[r + j]] = -1


@njit(cache=True, nogil=True)
def _closer(j: int, best: int, i: int) -> Any:
    return abs(j - i) < abs(best - i) or (abs(j - i) == abs(best - i) and j < best)
