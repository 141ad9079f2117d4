"""Clipped n-gram counts of responses against their references: BLEU's sufficient statistics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from convoscope.metrics.batch import Batch
from convoscope.parallel import map_ranges
from convoscope.text.analysis import Texts
from convoscope.text.columns import Tokens
from convoscope.text.tokens import tokenizer as find_tokenizer

__all__ = ["NgramStatistics", "ngram_statistics"]

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
# Orders are counted up to one of these, so that BLEU(n=1) to BLEU(n=4) share one pass. Five, not
# four, because NLTK's methods 5 and 7 look at 5-grams whatever n is.
_DEPTHS = (5, 9)


@dataclass(frozen=True, eq=False)
class NgramStatistics:
    """What BLEU is computed from, per response; sums over rows give corpus BLEU's."""

    matches: NDArray[np.int32]
    """N-grams of order k + 1 that a reference has too, clipped; shape (n, orders)."""
    totals: NDArray[np.int32]
    """N-grams of order k + 1 of each response, shape (n, orders)."""
    lengths: NDArray[np.int32]
    """Tokens of each response, shape (n,)."""
    reference_lengths: NDArray[np.int32]
    """Tokens of the reference closest in length (the shorter of two as close), shape (n,).

    -1 where a response has no reference.
    """


def ngram_statistics(
    batch: Batch, order: int = 4, *, tokenizer: str = "whitespace", lowercase: bool = False
) -> NgramStatistics:
    """Return the statistics of each row, for at least `order` orders, computed once a batch.

    Parameters
    ----------
    batch
        Responses and references.
    order
        The highest n-gram order needed, 1 to 9.
    tokenizer
        How texts become words.
    lowercase
        Whether words are lower-cased first.
    """
    depth = next(d for d in _DEPTHS if d >= order)

    def make() -> NgramStatistics:
        return _count(batch, _column(batch.texts, tokenizer, lowercase), depth)

    return batch.memo(("ngrams", depth, tokenizer, lowercase), make)


def _column(texts: Texts, name: str, lowercase: bool) -> Tokens:
    if name != "13a":
        return texts.tokens(name, lowercase=lowercase)

    # sacrebleu lower-cases the whole text (entities such as "&LT;" included) and strips its end
    # before it tokenises; both can change the tokens.
    def make() -> Tokens:
        strings = [t.lower() for t in texts.strings] if lowercase else texts.strings
        return find_tokenizer("13a").split([t.rstrip() for t in strings])

    return texts.memo(("tokens", "13a as sacrebleu", lowercase), make)


def _count(batch: Batch, tokens: Tokens, depth: int) -> NgramStatistics:
    n = len(batch)
    matches = np.zeros((n, depth), np.int32)
    lengths = tokens.lengths[batch.candidates].astype(np.int32)
    closest = np.full(n, -1, np.int32)

    def some(start: int, stop: int) -> None:
        _count_rows(
            tokens.ids,
            tokens.offsets,
            tokens.n_types,
            batch.candidates,
            batch.references,
            batch.reference_offsets,
            start,
            stop,
            int(lengths[start:stop].max(initial=0)),
            matches,
            closest,
        )

    map_ranges(some, n)
    totals = np.maximum(lengths[:, None] - np.arange(depth, dtype=np.int32), np.int32(0))
    return NgramStatistics(matches, totals, lengths, closest)


@njit(cache=True, nogil=True, inline="always")
def _slot(key: Any, shift: Any) -> Any:
    return np.int64((key * _MULTIPLIER) >> shift)


@njit(cache=True, nogil=True)
def _count_rows(
    ids: Any,
    offsets: Any,
    n_types: int,
    candidates: Any,
    references: Any,
    reference_offsets: Any,
    start: int,
    stop: int,
    longest: int,
    matches: Any,
    closest: Any,
) -> None:
    """Fill `matches` and `closest` of the rows from start up to stop.

    The response's n-grams make a trie: a node is an n-gram, its children are one word longer.
    Nodes of the first level are found by word in an array, all others in a hash table by (parent,
    word), which fits a 64-bit key whole: equal keys are equal n-grams. Each reference then walks
    the trie from each of its words, as deep as it goes. Time is linear in the words.
    """
    depth = matches.shape[1]
    most = longest * depth + 1
    root = np.full(n_types, -1, np.int32)
    level = np.empty(most, np.int32)
    count = np.empty(most, np.int32)
    seen = np.empty(most, np.int32)
    best = np.empty(most, np.int32)
    capacity = 8
    while capacity < 2 * most:
        capacity *= 2
    keys = np.empty(capacity, np.uint64)
    nodes = np.empty(capacity, np.int32)

    for row in range(start, stop):
        text = candidates[row]
        first, last = offsets[text], offsets[text + 1]
        length = last - first
        begin, end = reference_offsets[row], reference_offsets[row + 1]

        nearest, gap = np.int64(-1), np.int64(0)
        for r in range(begin, end):
            size = offsets[references[r] + 1] - offsets[references[r]]
            distance = abs(size - length)
            if nearest < 0 or distance < gap or (distance == gap and size < nearest):
                nearest, gap = size, distance
        closest[row] = nearest
        if length == 0 or begin == end:
            continue

        # A table as small as the row allows: clearing it is part of the row's cost.
        bits = 3
        while (1 << bits) < 2 * length * (depth - 1):
            bits += 1
        shift = np.uint64(64 - bits)
        mask = (1 << bits) - 1
        nodes[: mask + 1] = -1

        n_nodes = 0
        for i in range(first, last):
            node = root[ids[i]]
            if node < 0:
                node = n_nodes
                n_nodes += 1
                root[ids[i]] = node
                level[node], count[node], seen[node], best[node] = 0, 0, 0, 0
            count[node] += 1
            for d in range(1, min(depth, last - i)):
                key = (np.uint64(node) << np.uint64(32)) | np.uint64(ids[i + d])
                at = _slot(key, shift)
                while nodes[at] >= 0 and keys[at] != key:
                    at = (at + 1) & mask
                node = nodes[at]
                if node < 0:
                    node = n_nodes
                    n_nodes += 1
                    keys[at], nodes[at] = key, node
                    level[node], count[node], seen[node], best[node] = d, 0, 0, 0
                count[node] += 1

        for r in range(begin, end):
            for i in range(offsets[references[r]], offsets[references[r] + 1]):
                node = root[ids[i]]
                if node < 0:
                    continue
                seen[node] += 1
                for d in range(1, min(depth, offsets[references[r] + 1] - i)):
                    key = (np.uint64(node) << np.uint64(32)) | np.uint64(ids[i + d])
                    at = _slot(key, shift)
                    while nodes[at] >= 0 and keys[at] != key:
                        at = (at + 1) & mask
                    node = nodes[at]
                    if node < 0:
                        break
                    seen[node] += 1
            for node in range(n_nodes):
                if seen[node] > best[node]:
                    best[node] = seen[node]
                seen[node] = 0

        for node in range(n_nodes):
            matches[row, level[node]] += min(count[node], best[node])
        for i in range(first, last):
            root[ids[i]] = -1
