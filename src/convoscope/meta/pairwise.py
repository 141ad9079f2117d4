"""Pairwise accuracies: how often a metric and raters order two systems, or two responses, alike.

PA: Kocmi et al.: To ship or not to ship. WMT 2021. SPA: Thompson, Mathur, Deutsch, Khayrallah:
Improving statistical significance in human evaluation of automatic metrics via soft pairwise
accuracy. WMT 2024. acc_eq with tie calibration: Deutsch, Foster, Freitag: Ties matter. EMNLP 2023.

Scores and judgements are matrices of shape (items, systems), higher is better, NaN = missing: a
cell counts only where both have a value, a pair of systems only over the items where both are.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from convoscope.errors import InputError
from convoscope.meta.ties import TIE_TOLERANCE, difference_signs

__all__ = [
    "CalibratedAccuracy",
    "calibrated_accuracy",
    "pairwise_accuracy",
    "random_signs",
    "soft_pairwise_accuracy",
]

Matrix = NDArray[np.float64]
_CELLS = 1 << 22


@dataclass(frozen=True)
class CalibratedAccuracy:
    """acc_eq at the best ε."""

    value: float
    """Mean over items of the share of pairs ordered alike, ties included; NaN without a pair."""
    epsilon: float
    """Scores that differ by no more are ties: the smallest that is best."""
    uncalibrated: float
    """The value at ε = 0."""
    pairs: int
    """Pairs of responses."""
    judged_ties: int
    """Pairs that raters judge equal."""
    metric_ties: int
    """Pairs that the metric ties at the best ε."""


def pairwise_accuracy(judgements: Matrix, scores: Matrix) -> tuple[float, int]:
    """Return the share of pairs of systems whose means differ in the same direction (PA).

    Returns
    -------
    value, pairs
        NaN and 0 without a pair. Two ties are alike, a tie and a difference are not; means tie
        within a relative difference of 1e-12.
    """
    hits = []
    for h, m in _differences(judgements, scores):
        signs = [_mean_sign(first, second) for first, second in (h, m)]
        hits.append(signs[0] == signs[1])
    return (float(np.mean(hits)) if hits else float("nan")), len(hits)


def random_signs(items: int, draws: int, rng: np.random.Generator) -> NDArray[np.int8]:
    """Return random signs, shape (draws, items): which of two systems gets which score."""
    return (2 * rng.integers(0, 2, size=(draws, items), dtype=np.int8) - 1).astype(np.int8)


def soft_pairwise_accuracy(
    judgements: Matrix, scores: Matrix, signs: NDArray[np.int8]
) -> tuple[float, int]:
    """Return the soft pairwise accuracy (SPA) of a metric.

    For two systems, p is the one-sided paired permutation test that the first is better; SPA is
    the mean over pairs of 1 - |p of raters - p of the metric|.

    Parameters
    ----------
    judgements, scores
        Shape (items, systems).
    signs
        The permutations, shape (draws, items), from :func:`random_signs`: the same for raters and
        metric and for all pairs of systems, as in the authors' code.

    Returns
    -------
    value, pairs
        NaN and 0 without a pair.

    Notes
    -----
    A permuted difference equal up to rounding counts as reached. The authors' code adds in single
    precision without that care, so that ties, which ratings have many of, fall either way.
    """
    if signs.ndim != 2 or signs.shape[1] != len(judgements) or not len(signs):
        raise InputError(f"signs have shape {signs.shape}, not (draws, {len(judgements)})")
    soft = []
    for h, m in _differences(judgements, scores, keep=True):
        p = [_permutation_p(first - second, signs) for first, second in (h, m)]
        soft.append(1.0 - abs(p[0] - p[1]))
    return (float(np.mean(soft)) if soft else float("nan")), len(soft)


def calibrated_accuracy(judgements: Matrix, scores: Matrix) -> CalibratedAccuracy:
    """Return the pairwise accuracy of responses to one item with ties calibrated (acc*_eq).

    Of all pairs of responses to one item, the share on which raters and metric say the same:
    better, worse, or equal; averaged over items. Differences of scores up to ε are ties, and ε is
    the one value that makes the average best, so that a metric that never ties is not punished
    where raters do.

    Notes
    -----
    ε is fitted to the very data it is judged on, as in the paper: compare metrics by it, do not
    take it for an accuracy on new data.
    """
    both = ~(np.isnan(judgements) | np.isnan(scores))
    a, b = np.triu_indices(judgements.shape[1], 1)
    item, pair = np.nonzero(both[:, a] & both[:, b])
    if not len(item):
        return CalibratedAccuracy(float("nan"), float("nan"), float("nan"), 0, 0, 0)
    left, right = (item, a[pair]), (item, b[pair])
    human = difference_signs(judgements[left], judgements[right])
    metric = difference_signs(scores[left], scores[right])
    size = np.where(metric == 0.0, 0.0, np.abs(scores[left] - scores[right]))
    per_item = np.bincount(item, minlength=len(judgements))
    weight = 1.0 / (per_item[item] * np.count_nonzero(per_item))
    # A pair that becomes a tie gains where raters tie, and loses where it was right.
    order = np.argsort(size, kind="stable")
    change = weight * ((human == 0.0).astype(float) - ((human == metric) & (metric != 0.0)))
    values = float(weight[(human == metric) & (metric != 0.0)].sum()) + np.cumsum(change[order])
    sizes = size[order]
    # Only the last of equal sizes is a state; before the first there is ε = 0 without a tie.
    last = np.append(sizes[1:] != sizes[:-1], True)
    epsilons, values = sizes[last], values[last]
    untied = float(weight[human == metric].sum())
    if epsilons[0] != 0.0:
        epsilons, values = np.append(0.0, epsilons), np.append(untied, values)
    # Sums of weights differ by rounding: the smallest ε of those that are as good.
    best = int(np.argmax(values >= values.max() - 1e-12))
    return CalibratedAccuracy(
        value=float(values[best]),
        epsilon=float(epsilons[best]),
        uncalibrated=untied,
        pairs=len(item),
        judged_ties=int((human == 0.0).sum()),
        metric_ties=int((size <= epsilons[best]).sum()),
    )


def _differences(
    judgements: Matrix, scores: Matrix, *, keep: bool = False
) -> list[tuple[tuple[Matrix, Matrix], tuple[Matrix, Matrix]]]:
    """Return both systems' values by raters and by the metric, of each pair that shares items.

    With `keep` values of all items are kept in place, 0 where one is missing: no difference.
    """
    if judgements.shape != scores.shape or judgements.ndim != 2:
        raise InputError(
            f"judgements and scores must be (items, systems) matrices of one shape, got "
            f"{judgements.shape} and {scores.shape}"
        )
    out = []
    for a, b in combinations(range(judgements.shape[1]), 2):
        use = ~(np.isnan(judgements[:, [a, b]]) | np.isnan(scores[:, [a, b]])).any(axis=1)
        if use.any():
            h, m = (
                tuple(np.where(use, x[:, k], 0.0) if keep else x[use, k] for k in (a, b))
                for x in (judgements, scores)
            )
            out.append(((h[0], h[1]), (m[0], m[1])))
    return out


def _mean_sign(first: Matrix, second: Matrix) -> float:
    return float(difference_signs(np.array([first.mean()]), np.array([second.mean()]))[0])


def _permutation_p(difference: Matrix, signs: NDArray[np.int8]) -> float:
    total = float(difference.sum())
    reached = total - TIE_TOLERANCE * float(np.abs(difference).sum())
    step = max(1, _CELLS // max(1, len(difference)))
    hits = 0
    for start in range(0, len(signs), step):
        hits += int((signs[start : start + step] @ difference >= reached).sum())
    return hits / len(signs)
