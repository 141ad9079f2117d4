"""Achieved significance levels: which systems differ, by one matrix of scores.

Every test takes scores as a matrix (items, systems) and returns the matrix of achieved
significance levels (ASL, the p-value of each pair of systems), symmetric, NaN on the diagonal.

Carterette: Multiple testing in statistical analysis of systems-based information retrieval
experiments. TOIS 2012 (algorithm 1 of the meta-evaluation paper). Sakai: Evaluating evaluation
metrics based on the bootstrap. SIGIR 2006. Sakai: Laboratory experiments in information
retrieval, 2018.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from convoscope.errors import InputError, nearest
from convoscope.meta._tukey import bootstrap_exceedances, permuted_ranges
from convoscope.meta.ties import TIE_TOLERANCE

__all__ = [
    "PValue",
    "asl_curve",
    "discriminative_power",
    "paired_bootstrap",
    "parametric_tukey",
    "performance_delta",
    "randomised_tukey",
    "system_pairs",
]

PValue = Literal["paper", "plus-one"]
"""``"paper"``: c / B, the share of draws, as algorithm 1 has it; it can be 0. ``"plus-one"``:
(c + 1) / (B + 1), the observed data counted as one more draw, never 0 and never too small."""


def system_pairs(systems: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the first and the second system of each pair, in the order of the upper triangle."""
    first, second = np.triu_indices(systems, 1)
    return first, second


def randomised_tukey(
    matrices: NDArray[np.float64],
    *,
    draws: int = 1000,
    rng: np.random.Generator,
    p_value: PValue = "paper",
) -> NDArray[np.float64]:
    """Return ASLs by the randomised Tukey HSD test (meta-evaluation, algorithm 1).

    Under the null hypothesis a row's scores belong to the systems in any order. Each draw permutes
    every row and keeps the largest difference between two column means; the ASL of a pair is the
    share of draws whose largest difference is at least the pair's own. The family-wise error over
    all pairs is at most α.

    Parameters
    ----------
    matrices
        Finite scores, shape (items, systems), or (metrics, items, systems) for several metrics.
    draws
        B, the number of draws. There is no early stopping.
    rng
        Where chance comes from; the result does not depend on the number of threads.
    p_value
        ``"paper"`` or ``"plus-one"``: see :data:`PValue`.

    Returns
    -------
    NDArray
        Shape (systems, systems), or (metrics, systems, systems).

    Raises
    ------
    InputError
        The shape is wrong, a score is not finite, or a parameter is out of range.

    Notes
    -----
    *Ties.* The algorithm prints ``>``; here a draw counts when its largest difference is equal
    to the pair's, within 1e-12 of the systems' mean absolute scores (the sums differ in their last
    bits, by the order of additions). With ``>`` the test is not a valid one where scores lie on a
    grid; where they do not, ties do not occur.

    *Several metrics share each permutation.* The test of one metric looks at that metric alone, and
    its permutations are uniform and independent of each other, so its distribution is what it would
    be with draws of its own. What becomes dependent are the Monte-Carlo errors of two metrics:
    positively, which makes their comparison sharper.
    """
    scores = _checked(matrices, draws, p_value)
    cube = scores[None] if scores.ndim == 2 else scores
    metrics, _, systems = cube.shape
    first, second = system_pairs(systems)
    sums = cube.sum(axis=1)
    slack = TIE_TOLERANCE * np.abs(cube).sum(axis=1).max(axis=1)
    least = np.abs(sums[:, first] - sums[:, second]) - slack[:, None]
    ranges = np.sort(permuted_ranges(cube, draws, rng), axis=1)
    out = np.empty((metrics, systems, systems))
    for m in range(metrics):
        counts = draws - np.searchsorted(ranges[m], least[m], side="left")
        out[m] = _square(_level(counts, draws, p_value), systems)
    return out[0] if scores.ndim == 2 else out


def paired_bootstrap(
    matrix: NDArray[np.float64],
    *,
    draws: int = 1000,
    rng: np.random.Generator,
    p_value: PValue = "paper",
) -> NDArray[np.float64]:
    """Return ASLs by the paired bootstrap test of each pair of systems (Sakai 2006, figure 1).

    The differences z of two systems are shifted to have no mean and resampled; the ASL is the share
    of resamples with ``|t(w*)| >= |t(z)|``, where t is the studentised mean. Each pair is tested on
    its own: with many pairs, expect α of them to be significant by chance.

    Parameters
    ----------
    matrix
        Finite scores, shape (items, systems), two items or more.
    draws, rng, p_value
        As for :func:`randomised_tukey`. Every pair sees the same resamples.

    Raises
    ------
    InputError
        The shape is wrong, a score is not finite, or a parameter is out of range.

    Notes
    -----
    Two systems whose scores are the same on every item have ASL 1. A difference that is the same
    on every item has no variance: t is infinite, the resamples' is 0, and none of them counts.
    """
    scores = _checked(matrix, draws, p_value, dimensions=2)
    items, systems = scores.shape
    first, second = system_pairs(systems)
    z = scores[:, first] - scores[:, second]
    mean = z.mean(axis=0)
    scale = np.abs(scores).mean(axis=0)
    small = TIE_TOLERANCE * np.maximum(scale[first], scale[second])
    centred = z - mean
    deviation = centred.std(axis=0, ddof=1)
    constant = deviation <= small
    centred[:, constant] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = np.abs(mean) / (deviation / np.sqrt(items))
    observed[constant] = np.inf
    observed[np.abs(mean) <= small] = 0.0
    counts = bootstrap_exceedances(np.ascontiguousarray(centred), observed, draws, rng)
    return _square(_level(counts, draws, p_value), systems)


def parametric_tukey(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ASLs by the paired Tukey HSD test: two-way ANOVA and the studentised range.

    With items as blocks, V = S_E / ((n - 1)(m - 1)) is the residual variance of an analysis of
    variance without replication, and the ASL of a pair is the probability that the studentised
    range of m means with (n - 1)(m - 1) degrees of freedom exceeds abs(d) / sqrt(V / n) (Sakai
    2018, section 4.4).

    Parameters
    ----------
    matrix
        Finite scores, shape (items, systems), two items and two systems or more.

    Raises
    ------
    InputError
        The shape is wrong, or a score is not finite.

    Notes
    -----
    Where items explain everything but the systems' differences (no residual variance), a
    difference has ASL 0, and no difference has ASL 1.
    """
    import warnings

    from scipy.integrate import IntegrationWarning
    from scipy.stats import studentized_range

    scores = _checked(matrix, 1, "paper", dimensions=2)
    items, systems = scores.shape
    first, second = system_pairs(systems)
    means = scores.mean(axis=0)
    residual = scores - means - scores.mean(axis=1, keepdims=True) + scores.mean()
    freedom = (items - 1) * (systems - 1)
    scale = float(np.abs(scores).mean(axis=0).max())
    difference = np.abs(means[first] - means[second])
    difference[difference <= TIE_TOLERANCE * scale] = 0.0
    error = np.sqrt(float((residual**2).sum()) / freedom / items)
    if error <= TIE_TOLERANCE * scale:
        return _square(np.where(difference > 0.0, 0.0, 1.0), systems)
    with warnings.catch_warnings():
        # Far out in the tail the quadrature warns about an integral that is zero.
        warnings.simplefilter("ignore", IntegrationWarning)
        tail = np.asarray(studentized_range.sf(difference / error, systems, freedom), np.float64)
    return _square(np.clip(tail, 0.0, 1.0), systems)


def discriminative_power(asl: NDArray[np.float64], alpha: float = 0.05) -> float:
    """Return the share of pairs of systems with ASL < α; NaN where there is no pair."""
    curve = asl_curve(asl)
    return float((curve < alpha).mean()) if len(curve) else float("nan")


def performance_delta(
    matrix: NDArray[np.float64], asl: NDArray[np.float64], alpha: float = 0.05
) -> float | None:
    """Return the least difference of means that is significant at α (algorithm 2), or None."""
    first, second = system_pairs(len(asl))
    significant = asl[first, second] < alpha
    if not significant.any():
        return None
    means = matrix.mean(axis=0)
    return float(np.abs(means[first] - means[second])[significant].min())


def asl_curve(asl: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the ASLs of all pairs, ascending: the curve of meta-evaluation, figure 5."""
    return np.sort(asl[system_pairs(len(asl))])


def _level(counts: NDArray[np.int64], draws: int, p_value: PValue) -> NDArray[np.float64]:
    extra = 1 if p_value == "plus-one" else 0
    return (counts + extra) / (draws + extra)


def _square(values: NDArray[np.float64], systems: int) -> NDArray[np.float64]:
    out = np.full((systems, systems), np.nan)
    first, second = system_pairs(systems)
    out[first, second] = out[second, first] = values
    return out


def _checked(
    matrix: NDArray[np.float64], draws: int, p_value: str, dimensions: int | None = None
) -> NDArray[np.float64]:
    scores = np.asarray(matrix, np.float64)
    allowed = (2, 3) if dimensions is None else (dimensions,)
    if scores.ndim not in allowed or scores.shape[-2] < 2 or scores.shape[-1] < 2:
        raise InputError(
            "expected a matrix of scores (items, systems) with at least two of each, "
            f"got shape {scores.shape}"
        )
    if not np.isfinite(scores).all():
        raise InputError("a score is not finite; leave out items that lack a system's score")
    if draws < 1:
        raise InputError(f"draws={draws}; it must be 1 or more")
    if p_value not in ("paper", "plus-one"):
        hint = nearest(str(p_value), ("paper", "plus-one"), what="conventions")
        raise InputError(f"p_value={p_value!r} is no convention{hint}")
    return scores
