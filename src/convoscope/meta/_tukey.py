"""Kernels of the resampling tests: permuted rows, resampled items, the same for any threads."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from convoscope.meta.resampling import bootstrap_counts
from convoscope.meta.ties import TIE_TOLERANCE
from convoscope.parallel import map_ranges

# Draws per stream of random words. A constant: it decides which words a draw gets.
DRAWS_PER_BLOCK = 16
_WORD_BYTES = 1 << 20
# Bounds that share one 64-bit word multiply to at most this: see `_fresh_words`.
_BOUNDS_PER_WORD = 1 << 32
_LANES = 4


def permuted_ranges(
    cube: NDArray[np.float64], draws: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return the largest difference of column sums after permuting every row, draw by draw.

    Parameters
    ----------
    cube
        Finite scores, shape (metrics, items, systems), two systems or more. All metrics see the
        same permutations.
    draws
        Number of draws.
    rng
        Where chance comes from: 256 bits are taken from it, whatever the size of the job.

    Returns
    -------
    NDArray
        max - min of the systems' sums, shape (metrics, draws).

    Notes
    -----
    Block c of 16 draws has a stream of its own (PCG64, seeded by those bits and by c), read
    item by item, so that neither threads nor memory limits change a number, and a longer run
    begins with the draws of a shorter one. Sums run over items in their order.

    The metrics of one cell lie side by side, so that one permutation moves all of them at once; a
    row of the cube is read once per block, for 16 draws.
    """
    metrics, items, systems = cube.shape
    lanes = metrics if metrics < _LANES else -(-metrics // _LANES) * _LANES
    rows = np.zeros((items, systems, lanes))
    rows[:, :, :metrics] = cube.transpose(1, 2, 0)
    fresh = _fresh_words(systems)
    words = int(fresh.sum())
    key = rng.integers(0, 1 << 32, size=8, dtype=np.uint32).tolist()
    out = np.empty((draws, lanes))
    blocks = -(-draws // DRAWS_PER_BLOCK)
    chunk = max(1, _WORD_BYTES // (8 * DRAWS_PER_BLOCK * max(1, words)))

    def work(start: int, stop: int) -> None:
        for c in range(start, stop):
            seeds = np.random.SeedSequence(key, spawn_key=(c,))
            stream = np.random.Generator(np.random.PCG64(seeds))
            sums = np.zeros((DRAWS_PER_BLOCK, systems, lanes))
            for i in range(0, items, chunk):
                part = rows[i : i + chunk]
                random = stream.integers(
                    0,
                    np.iinfo(np.uint64).max,
                    endpoint=True,
                    size=(len(part), DRAWS_PER_BLOCK, words),
                    dtype=np.uint64,
                )
                _add_permuted(part, random, fresh, sums)
            first = c * DRAWS_PER_BLOCK
            n = min(DRAWS_PER_BLOCK, draws - first)
            out[first : first + n] = (sums.max(axis=1) - sums.min(axis=1))[:n]

    map_ranges(work, blocks, smallest=1)
    return np.ascontiguousarray(out[:, :metrics].T)


def _fresh_words(systems: int) -> NDArray[np.bool_]:
    """Return at which steps of a shuffle, from the last place down, a new random word begins.

    One 64-bit word x serves several bounds n: floor(x n / 2^64) is a number below n, x n mod 2^64
    goes on as the next x. While the bounds multiply to at most 2^32, no outcome is favoured by
    more than a factor of 1 + 2^-32 (Brackett-Rozinsky, Lemire 2024).
    """
    fresh = np.zeros(systems, np.bool_)
    product = _BOUNDS_PER_WORD
    for j in range(systems - 1, 0, -1):
        if product * (j + 1) > _BOUNDS_PER_WORD:
            fresh[j] = True
            product = 1
        product *= j + 1
    return fresh


@njit(cache=True, nogil=True)
def _add_permuted(rows: Any, words: Any, fresh: Any, sums: Any) -> None:
    """Add each row, its systems shuffled anew for every draw (Fisher-Yates), to the sums."""
    items, systems, lanes = rows.shape
    left = np.empty(systems, np.int64)
    half = np.uint64(32)
    mask = np.uint64(0xFFFFFFFF)
    for i in range(items):
        for b in range(sums.shape[0]):
            for j in range(systems):
                left[j] = j
            w = 0
            x = np.uint64(0)
            for j in range(systems - 1, 0, -1):
                if fresh[j]:
                    x = words[i, b, w]
                    w += 1
                n = np.uint64(j + 1)
                picked = ((x >> half) * n + (((x & mask) * n) >> half)) >> half
                x *= n
                s = left[picked]
                left[picked] = left[j]
                for m in range(lanes):
                    sums[b, j, m] += rows[i, s, m]
            s = left[0]
            for m in range(lanes):
                sums[b, 0, m] += rows[i, s, m]


def bootstrap_exceedances(
    centred: NDArray[np.float64],
    observed: NDArray[np.float64],
    draws: int,
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Return how many resamples have an absolute t at least as great as the observed one.

    Parameters
    ----------
    centred
        Differences minus their mean, shape (items, pairs).
    observed
        Absolute t of each pair, shape (pairs,).
    draws
        Number of resamples of the items; every pair sees the same ones.
    rng
        Where chance comes from.
    """
    items, pairs = centred.shape
    counts = np.zeros(pairs, np.int64)
    least = observed * (1.0 - TIE_TOLERANCE)
    for drawn in bootstrap_counts(items, draws, rng):
        t = np.empty((len(drawn), pairs))

        def work(start: int, stop: int, drawn: Any = drawn, t: Any = t) -> None:
            _resampled_t(drawn[start:stop], centred, t[start:stop])

        map_ranges(work, len(drawn), smallest=8)
        counts += (t >= least).sum(axis=0)
    return counts


@njit(cache=True, nogil=True)
def _resampled_t(drawn: Any, centred: Any, out: Any) -> None:
    draws, items = drawn.shape
    pairs = centred.shape[1]
    total = np.empty(pairs)
    square = np.empty(pairs)
    for b in range(draws):
        total[:] = 0.0
        square[:] = 0.0
        for i in range(items):
            weight = drawn[b, i]
            if weight:
                for p in range(pairs):
                    z = centred[i, p]
                    total[p] += weight * z
                    square[p] += weight * z * z
        for p in range(pairs):
            residual = square[p] - total[p] * total[p] / items
            if square[p] == 0.0:
                out[b, p] = 0.0
            elif residual <= TIE_TOLERANCE * square[p]:
                out[b, p] = np.inf
            else:
                out[b, p] = abs(total[p]) / np.sqrt(residual * items / (items - 1))
