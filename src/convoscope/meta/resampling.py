"""Bootstrap over clusters: items are drawn, with everything that belongs to them.

The pairs of one item share its reference and its responses, so they are no independent
observations: an interval that resamples pairs is too narrow. Items are resampled instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from convoscope.errors import InputError

__all__ = ["bootstrap_counts", "bootstrap_ratio", "percentile_interval"]

_BLOCK_BYTES = 1 << 24


def bootstrap_counts(
    n: int, n_boot: int, rng: np.random.Generator, *, block: int | None = None
) -> Iterator[NDArray[np.int64]]:
    """Yield how often each of `n` clusters is drawn, shape (draws in the block, n).

    Each draw takes n clusters with replacement. The draws depend on the generator alone: a block
    of any size continues the same stream.

    Parameters
    ----------
    n
        Number of clusters.
    n_boot
        Number of draws.
    rng
        Where chance comes from.
    block
        Draws per block; by default as many as fit in 16 MB.
    """
    size = block or max(1, _BLOCK_BYTES // (8 * max(n, 1)))
    for start in range(0, n_boot, size):
        draws = min(size, n_boot - start)
        picked = rng.integers(0, n, size=(draws, n)) + n * np.arange(draws)[:, None]
        yield np.bincount(picked.ravel(), minlength=draws * n).reshape(draws, n)


def bootstrap_ratio(
    numerators: NDArray[np.float64],
    denominators: NDArray[np.float64],
    n_boot: int,
    rng: np.random.Generator,
    *,
    block: int | None = None,
) -> NDArray[np.float64]:
    """Return bootstrap draws of a ratio of sums over clusters.

    Parameters
    ----------
    numerators, denominators
        The sums within each cluster, shape (statistics, clusters), finite. Every statistic sees
        the same draws, so that differences between statistics are paired.
    n_boot
        Number of draws.
    rng
        Where chance comes from.
    block
        Draws per block; it changes memory, never results.

    Returns
    -------
    NDArray
        Shape (statistics, n_boot); NaN where a draw's denominator is 0.

    Raises
    ------
    InputError
        The shapes differ, or a value is not finite.

    Notes
    -----
    Sums run over clusters in their order, one thread, so that the block size cannot change the
    order of additions and with it the last bit.
    """
    if numerators.ndim != 2 or numerators.shape != denominators.shape:
        raise InputError(
            f"numerators and denominators must be (statistics, clusters) matrices of one shape, "
            f"got {numerators.shape} and {denominators.shape}"
        )
    if not (np.isfinite(numerators).all() and np.isfinite(denominators).all()):
        raise InputError("numerators and denominators must be finite; leave out what is missing")
    statistics, clusters = numerators.shape
    out = np.full((statistics, n_boot), np.nan)
    if clusters == 0:
        return out
    tops = np.ascontiguousarray(numerators.T, np.float64)
    bottoms = np.ascontiguousarray(denominators.T, np.float64)
    done = 0
    for counts in bootstrap_counts(clusters, n_boot, rng, block=block):
        top, bottom = _weighted_sums(counts, tops, bottoms)
        ratio = np.full(top.shape, np.nan)
        np.divide(top, bottom, out=ratio, where=bottom != 0.0)
        out[:, done : done + len(counts)] = ratio.T
        done += len(counts)
    return out


@njit(cache=True, nogil=True)
def _weighted_sums(counts: Any, tops: Any, bottoms: Any) -> Any:
    draws, clusters = counts.shape
    statistics = tops.shape[1]
    top = np.zeros((draws, statistics), np.float64)
    bottom = np.zeros((draws, statistics), np.float64)
    for b in range(draws):
        for c in range(clusters):
            weight = counts[b, c]
            if weight:
                for s in range(statistics):
                    top[b, s] += weight * tops[c, s]
                    bottom[b, s] += weight * bottoms[c, s]
    return top, bottom


def percentile_interval(
    draws: NDArray[np.float64], level: float
) -> tuple[float, float] | tuple[None, None]:
    """Return the percentile interval of bootstrap draws, (None, None) without a defined draw.

    Draws that are NaN (a resample without a single pair) are left out.
    """
    defined = draws[~np.isnan(draws)]
    if not len(defined):
        return None, None
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(defined, [tail, 1.0 - tail])
    return float(low), float(high)
