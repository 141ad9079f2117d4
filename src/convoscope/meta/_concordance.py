"""Kernels of the concordance test: signs as bits, disagreements and agreements by popcount.

For one item, the sign of M(r1) - M(r2) over all pairs of systems is four bit planes (greater,
less, equal, both scored) of ⌈pairs / 64⌉ words. A metric's planes are made once per item and used
for every other metric and gold standard; they stay in the first-level cache, so that nothing is
read from memory but the scores, once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import njit, types
from numba.extending import intrinsic

from convoscope.meta.ties import TIE_TOLERANCE

# Columns of what `count_concordance` returns.
SCORED, FIRST, SECOND, BOTH, SQUARES, CROSS, SIZES, ITEMS = range(8)

_GREATER, _LESS, _EQUAL, _VALID = range(4)
_TOLERANCE = TIE_TOLERANCE
# Comparisons at once; the buffers are padded so that reading past the last system is legal.
_LANES = 32


def _ctpop(typingctx: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


# NumPy's bitwise_count is no function of numba's, and needs NumPy 2.
_popcount: Any = intrinsic(_ctpop)


def _compare(typingctx: Any, scores: Any, near: Any, first: Any, second: Any) -> Any:
    """Compare 32 scores from `first` on with 32 from `second` on.

    Returns, as one word, in bit j whether score j of the first is greater, in bit 32 + j whether
    it is less, by more than the larger of their `near`.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = ir.VectorType(ir.DoubleType(), _LANES)

        def load(k: int, start: Any) -> Any:
            array = context.make_array(signature.args[k])(context, builder, arguments[k])
            place = builder.gep(array.data, [start])
            return builder.load(builder.bitcast(place, lanes.as_pointer()), align=8)

        one, other = load(0, arguments[2]), load(0, arguments[3])
        one_near, other_near = load(1, arguments[2]), load(1, arguments[3])
        tie = builder.select(builder.fcmp_ordered(">", one_near, other_near), one_near, other_near)
        word = ir.IntType(64)
        bits = [
            builder.zext(
                builder.bitcast(builder.fcmp_ordered(">", difference, tie), ir.IntType(_LANES)),
                word,
            )
            for difference in (builder.fsub(one, other), builder.fsub(other, one))
        ]
        return builder.or_(bits[0], builder.shl(bits[1], ir.Constant(word, _LANES)))

    return types.uint64(scores, near, types.intp, types.intp), generate


# Numba makes vector comparisons of a loop, but stores a byte for each; here they stay bits.
_compare32: Any = intrinsic(_compare)


@njit(cache=True, nogil=True)
def _pack(row: Any, twice: Any, near: Any, planes: Any, full: Any) -> Any:
    """Write the planes of one metric on one item; return whether a score is missing."""
    systems = len(row)
    missing = False
    for s in range(systems):
        value = row[s]
        missing |= np.isnan(value)
        twice[s] = twice[s + systems] = value
        near[s] = near[s + systems] = _TOLERANCE * abs(value)
    greater, less, equal, valid = planes[0], planes[1], planes[2], planes[3]
    greater[:] = 0
    less[:] = 0
    # The pairs (r, r + step) around the circle of systems are every pair once, in runs of one
    # length. Which of the two comes first does not matter, it is the same for all metrics.
    k = 0
    for step in range(1, systems // 2 + 1):
        n = systems if 2 * step < systems else step
        for start in range(0, n, _LANES):
            bits = _compare32(twice, near, start, start + step)
            size = min(_LANES, n - start)
            keep = (np.uint64(1) << np.uint64(size)) - np.uint64(1)
            up, down = bits & keep, (bits >> np.uint64(_LANES)) & keep
            w, shift = k // 64, np.uint64(k % 64)
            greater[w] |= up << shift
            less[w] |= down << shift
            if k % 64 + size > 64:
                rest = np.uint64(64) - shift
                greater[w + 1] |= up >> rest
                less[w + 1] |= down >> rest
            k += size
    valid[:] = full
    if missing:
        k = 0
        for step in range(1, systems // 2 + 1):
            n = systems if 2 * step < systems else step
            for j in range(n):
                if np.isnan(twice[j]) or np.isnan(twice[j + step]):
                    valid[k // 64] &= ~(np.uint64(1) << np.uint64(k % 64))
                k += 1
    for w in range(len(full)):
        equal[w] = valid[w] & ~(greater[w] | less[w])
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
    twice, near = np.zeros(2 * systems + _LANES), np.zeros(2 * systems + _LANES)
    apart = np.empty(words, np.uint64)
    disagreements = np.zeros(len(pairs), np.int64)
    counts = np.zeros((len(offsets) - 1, len(pairs), 8), np.int64)
    for i in range(start, stop):
        for m in range(metrics):
            gaps[m] = _pack(values[m, i], twice, near, planes[m], full)
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
