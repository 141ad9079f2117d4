"""Kernels of the concordance test: signs as bits, disagreements and agreements by popcount.

For one item, the sign of M(r1) - M(r2) over all pairs of systems is four bit planes (greater,
less, equal, both scored) of ⌈pairs / 64⌉ words. A metric's planes are made once per item and used
for every other metric and gold standard; they stay in the first-level cache, so that nothing is
read from memory but the scores, once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

from convoscope.meta.ties import TIE_TOLERANCE

# Columns of what `count_concordance` returns.
SCORED, FIRST, SECOND, BOTH, SQUARES, CROSS, SIZES, ITEMS = range(8)

_GREATER, _LESS, _EQUAL, _VALID = range(4)
# Sum of byte j (0 or 1) times 2^j, in the highest byte of the product.
_GATHER = np.uint64(0x0102040810204080)
_TOLERANCE = TIE_TOLERANCE


def _ctpop(typingctx: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


# NumPy's bitwise_count is no function of numba's, and needs NumPy 2.
_popcount: Any = intrinsic(_ctpop)


@njit(cache=True, nogil=True)
def _pack(row: Any, twice: Any, near: Any, bytes_: Any, planes: Any, full: Any) -> Any:
    """Write the planes of one metric on one item; return whether a score is missing."""
    systems = len(row)
    greater, less, valid = bytes_[0], bytes_[1], bytes_[2]
    missing = False
    for s in range(systems):
        value = row[s]
        missing |= np.isnan(value)
        twice[s] = twice[s + systems] = value
        near[s] = near[s + systems] = _TOLERANCE * abs(value)
    # The pairs (r, r + step) around the circle of systems are every pair once, in runs of one
    # length: slices indexed from 0, which become vector instructions. Which of the two comes
    # first does not matter, it is the same for all metrics.
    k = 0
    for step in range(1, systems // 2 + 1):
        n = systems if 2 * step < systems else step
        others, others_near = twice[step : step + n], near[step : step + n]
        ones, ones_near = twice[:n], near[:n]
        up8, down8 = greater[k : k + n], less[k : k + n]
        for j in range(n):
            difference = ones[j] - others[j]
            tie = max(ones_near[j], others_near[j])
            up8[j] = difference > tie
            down8[j] = difference < -tie
        if missing:
            for j in range(n):
                valid[k + j] = not (np.isnan(ones[j]) or np.isnan(others[j]))
        k += n
    greater8, less8, valid8 = greater.view(np.uint64), less.view(np.uint64), valid.view(np.uint64)
    for w in range(planes.shape[1]):
        up, down, known = np.uint64(0), np.uint64(0), np.uint64(0)
        for j in range(8):
            shift = np.uint64(8 * j)
            up |= ((greater8[8 * w + j] * _GATHER) >> np.uint64(56)) << shift
            down |= ((less8[8 * w + j] * _GATHER) >> np.uint64(56)) << shift
            if missing:
                known |= ((valid8[8 * w + j] * _GATHER) >> np.uint64(56)) << shift
        if not missing:
            known = full[w]
        planes[_GREATER, w], planes[_LESS, w], planes[_VALID, w] = up, down, known
        planes[_EQUAL, w] = known & ~(up | down)
    return missing


@njit(cache=True, nogil=True)
def _agreeing(planes: Any, members: Any, strict: bool, out: Any) -> None:
    """Write where a metric that says greater, less or equal agrees with all gold standards."""
    for w in range(planes.shape[2]):
        up = down = equal = valid = ~np.uint64(0)
        for g in members:
            p = planes[g]
            known = p[_VALID, w]
            valid &= known
            if strict:
                up &= p[_GREATER, w]
                down &= p[_LESS, w]
                equal &= p[_EQUAL, w]
            else:
                # The product of differences is >= 0 unless the signs are opposite.
                up &= known & ~p[_LESS, w]
                down &= known & ~p[_GREATER, w]
                equal &= known
        out[_GREATER, w], out[_LESS, w], out[_EQUAL, w], out[_VALID, w] = up, down, equal, valid


@njit(cache=True, nogil=True)
def count_concordance(
    values: Any, start: int, stop: int, pairs: Any, golds: Any, offsets: Any, strict: bool
) -> Any:
    """Count over the items from start up to stop.

    Parameters
    ----------
    values
        Scores, higher is better, shape (metrics, items, systems); NaN = missing, no infinity.
    start, stop
        The items.
    pairs
        Metrics compared, shape (pairs, 2).
    golds, offsets
        Gold standard k is all of the metrics ``golds[offsets[k]:offsets[k + 1]]``.
    strict
        Compare signs (a tie is a sign of its own) instead of products of differences.

    Returns
    -------
    disagreements
        Of each pair of metrics, shape (pairs,).
    counts
        Shape (gold standards, pairs, 8), columns: disagreements that the gold standard scored;
        those on which the first metric agrees with it, the second, both; over items, with
        s = first - second and n = scored: the sums of s², s·n and n²; items with n > 0.
    """
    metrics, _, systems = values.shape
    bits = systems * (systems - 1) // 2
    words = (bits + 63) // 64
    planes = np.zeros((metrics, 4, words), np.uint64)
    gold = np.zeros((len(offsets) - 1, 4, words), np.uint64)
    whole = np.ones(len(offsets) - 1, np.bool_)
    gaps = np.zeros(metrics, np.bool_)
    full = np.zeros(words, np.uint64)
    for k in range(bits):
        full[k // 64] |= np.uint64(1) << np.uint64(k % 64)
    twice, near = np.empty(2 * systems), np.empty(2 * systems)
    bytes_ = np.zeros((3, 64 * words), np.uint8)
    apart = np.empty(words, np.uint64)
    disagreements = np.zeros(len(pairs), np.int64)
    counts = np.zeros((len(offsets) - 1, len(pairs), 8), np.int64)
    for i in range(start, stop):
        for m in range(metrics):
            gaps[m] = _pack(values[m, i], twice, near, bytes_, planes[m], full)
        for g in range(len(offsets) - 1):
            members = golds[offsets[g] : offsets[g + 1]]
            _agreeing(planes, members, strict, gold[g])
            whole[g] = True
            for member in members:
                whole[g] &= not gaps[member]
        for q in range(len(pairs)):
            one, two = planes[pairs[q, 0]], planes[pairs[q, 1]]
            all_apart = np.int64(0)
            for w in range(words):
                d = (one[_GREATER, w] & two[_LESS, w]) | (one[_LESS, w] & two[_GREATER, w])
                if strict:
                    # Both scored, and the signs are not the same.
                    d = (one[_VALID, w] & two[_VALID, w]) & (
                        (one[_GREATER, w] ^ two[_GREATER, w]) | (one[_LESS, w] ^ two[_LESS, w])
                    )
                apart[w] = d
                all_apart += np.int64(_popcount(d))
            if all_apart == 0:
                continue
            disagreements[q] += all_apart
            for g in range(len(offsets) - 1):
                p = gold[g]
                n, first, second, both = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
                for w in range(words):
                    d = apart[w]
                    up, down = p[_GREATER, w], p[_LESS, w]
                    a = (one[_GREATER, w] & up) | (one[_LESS, w] & down)
                    b = (two[_GREATER, w] & up) | (two[_LESS, w] & down)
                    if strict:
                        a |= one[_EQUAL, w] & p[_EQUAL, w]
                        b |= two[_EQUAL, w] & p[_EQUAL, w]
                    a &= d
                    b &= d
                    first += np.int64(_popcount(a))
                    second += np.int64(_popcount(b))
                    both += np.int64(_popcount(a & b))
                    if not whole[g]:
                        n += np.int64(_popcount(d & p[_VALID, w]))
                if whole[g]:
                    n = all_apart
                if n == 0:
                    continue
                s = first - second
                c = counts[g, q]
                c[SCORED] += n
                c[FIRST] += first
                c[SECOND] += second
                c[BOTH] += both
                c[SQUARES] += s * s
                c[CROSS] += s * n
                c[SIZES] += n * n
                c[ITEMS] += 1
    return disagreements, counts
