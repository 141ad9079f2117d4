"""The concordance test: counts of algorithm 4 for any metrics and gold standards, and its p-values.

Meta-evaluation of conversational search evaluation metrics, section 4.3, algorithm 4.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from convoscope.meta._concordance import count_concordance
from convoscope.parallel import map_ranges

__all__ = ["Reading", "Test", "concordance_counts", "concordance_p"]

Reading = Literal["product", "sign"]
Test = Literal["t", "sign", "items"]
# Items per piece of work, at least: a few milliseconds.
_RANGE = 512


def concordance_counts(
    values: NDArray[np.float64],
    pairs: Sequence[tuple[int, int]],
    golds: Sequence[Sequence[int]],
    *,
    ties: Reading = "product",
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the counts of algorithm 4 for pairs of metrics under gold standards.

    Parameters
    ----------
    values
        Scores, higher is better, shape (metrics, items, systems); NaN = missing.
    pairs
        Indices of M1 and M2.
    golds
        Indices of the metrics of each gold standard.
    ties
        As for :func:`convoscope.meta.intuitiveness.intuitiveness`.

    Returns
    -------
    disagreements
        Shape (pairs,).
    counts
        Shape (golds, pairs, 8): disagreements with a gold score; on which M1 agrees; M2; both;
        over items with s = (M1 agrees) - (M2 agrees) and n = disagreements, the sums of s², s·n
        and n²; items with a disagreement. All are integers: the number of threads cannot change
        them.
    """
    values = np.ascontiguousarray(values, np.float64)
    if np.isinf(values).any():
        # An infinite score has no relative distance to others; the largest number has.
        values = np.clip(values, -np.finfo(np.float64).max, np.finfo(np.float64).max)
    index = np.array(pairs, np.int64).reshape(-1, 2)
    flat = np.array([m for g in golds for m in g], np.int64)
    offsets = np.cumsum([0, *(len(g) for g in golds)]).astype(np.int64)
    disagreements = np.zeros(len(index), np.int64)
    counts = np.zeros((len(golds), len(index), 8), np.int64)
    strict = ties == "sign"
    parts = map_ranges(
        lambda a, b: count_concordance(values, a, b, index, flat, offsets, strict),
        values.shape[1],
        smallest=_RANGE,
    )
    for some, more in parts:
        disagreements += some
        counts += more
    return disagreements, counts


def concordance_p(
    counts: NDArray[np.int64], test: Test = "t"
) -> tuple[float, None] | tuple[None, str]:
    """Return the two-sided p of equal concordance, or None and the reason why there is none.

    Parameters
    ----------
    counts
        One cell of :func:`concordance_counts`, shape (8,).
    test
        ``"t"``: the paired t-test over disagreements of (M1 agrees) - (M2 agrees), computed from
        the counts; ``"sign"``: the exact sign test over the disagreements on which one of them
        agrees; ``"items"``: a t-test of the ratio of sums over items, which lets the disagreements
        of one item depend on each other (linearised variance, items - 1 degrees of freedom).
    """
    from scipy.special import bdtr, stdtr

    n, first, second, both, squares, cross, sizes, items = (int(c) for c in counts)
    if n == 0:
        return None, "no disagreement that the gold standard scored"
    one, two = first - both, second - both
    if one + two == 0:
        return None, "on no disagreement does the gold standard prefer one of the two"
    s = one - two
    if test == "sign":
        return min(1.0, 2.0 * float(bdtr(min(one, two), one + two, 0.5))), None
    # Sums of integers, exact: with s/n the mean, n times the sum of squared deviations.
    if test == "t":
        clusters, spread, unit = n, n * (one + two) - s * s, n
    else:
        clusters, spread, unit = items, n * n * squares - 2 * n * s * cross + s * s * sizes, n * n
    what = "disagreement" if test == "t" else "item with a disagreement"
    if clusters < 2:
        return None, f"only one {what}"
    if spread == 0:
        return None, f"the same on every {what}: no variance"
    if test == "t":
        t = s / math.sqrt(spread / (n - 1))
    else:
        t = s / math.sqrt(spread / unit * clusters / (clusters - 1))
    return float(2.0 * stdtr(clusters - 1, -abs(t))), None
