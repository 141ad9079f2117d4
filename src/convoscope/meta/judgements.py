"""Correlation of metrics with judgements, at item, system and pooled level.

Which level and which systems decide the number (Kocmi et al. 2021; Deutsch et al. 2023), so both
are in every result: a metric that only tells people from machines correlates well over all systems
and not at all among the machines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from convoscope.collection import Collection
from convoscope.errors import InputError
from convoscope.meta.pairwise import (
    CalibratedAccuracy,
    calibrated_accuracy,
    pairwise_accuracy,
    random_signs,
    soft_pairwise_accuracy,
)
from convoscope.meta.resampling import bootstrap_counts, bootstrap_ratio, percentile_interval
from convoscope.meta.study import (
    StudyResult,
    choose,
    choose_metrics,
    direction,
    null,
    stars,
    study_signature,
)
from convoscope.meta.ties import TIE_TOLERANCE, dense_ranks
from convoscope.metrics import MetricLike
from convoscope.scores import ScoreTable

__all__ = [
    "COEFFICIENTS",
    "JudgementCorrelation",
    "JudgementsResult",
    "PairwiseAccuracies",
    "coefficients",
    "judgement_correlation",
    "level_coefficients",
]

Level = Literal["item", "system", "pooled"]
Matrix = NDArray[np.float64]
SPA_DRAWS = 10_000
COEFFICIENTS = ("pearson", "spearman", "tau_a", "tau_b", "tau_c")


@dataclass(frozen=True)
class JudgementCorrelation:
    """One coefficient of one metric at one level."""

    metric: str
    """Canonical name."""
    level: Level
    """``item``: mean over items of the coefficient within the item; ``system``: over means of
    systems; ``pooled``: over all responses."""
    coefficient: str
    """One of :data:`COEFFICIENTS`."""
    value: float | None
    """The coefficient."""
    low: float | None
    """Lower end of the bootstrap interval over items."""
    high: float | None
    """Upper end."""
    p: float | None
    """Two-sided, of no correlation."""
    n: int
    """Items with a coefficient, systems, or responses."""
    reason: str | None
    """Why `value` or `p` is None."""


@dataclass(frozen=True)
class PairwiseAccuracies:
    """How often one metric orders two systems, or two responses to an item, as raters do."""

    pa: float | None
    """Pairwise accuracy over means of systems."""
    spa: float | None
    """Soft pairwise accuracy."""
    system_pairs: int
    """Pairs of systems."""
    acc_eq: CalibratedAccuracy
    """Of responses, with the best ε."""


@dataclass(frozen=True, eq=False)
class JudgementsResult(StudyResult):
    """Correlations of metrics with judgements."""

    study: ClassVar[str] = "judgements"

    rows: tuple[JudgementCorrelation, ...]
    """By metric, level and coefficient."""
    pairwise: Mapping[str, PairwiseAccuracies]
    """Metric → pairwise accuracies."""

    def to_table(self) -> list[dict[str, Any]]:
        """Return one row per metric, level and coefficient."""
        return [
            asdict(r) | {k: null(getattr(r, k)) for k in ("value", "low", "high", "p")}
            for r in self.rows
        ]

    def lines(self) -> list[list[str]]:
        """Return the printed table: a row per metric and level."""
        header = ["metric", "level", "n", "Pearson r", "Spearman ρ", "τ-a", "τ-b", "τ-c"]
        header += ["PA", "SPA", "acc_eq"]
        groups: dict[tuple[str, str], list[JudgementCorrelation]] = {}
        for r in self.rows:
            groups.setdefault((r.metric, r.level), []).append(r)
        out = [header]
        for (metric, level), rows in groups.items():
            w = self.pairwise[metric]
            some = {"system": (w.pa, w.spa, None), "item": (None, None, null(w.acc_eq.value))}
            last = ["–" if v is None else f"{v:.3f}" for v in some.get(level, (None,) * 3)]
            out.append([metric, level, str(rows[0].n), *map(_cell, rows), *last])
        return out

    def details(self) -> dict[str, Any]:
        """Return the pairwise accuracies."""
        return {
            "pairwise": [
                {
                    "metric": m,
                    "pa": w.pa,
                    "spa": w.spa,
                    "system_pairs": w.system_pairs,
                    "acc_eq": null(w.acc_eq.value),
                    "epsilon": null(w.acc_eq.epsilon),
                    "acc_eq_uncalibrated": null(w.acc_eq.uncalibrated),
                    "response_pairs": w.acc_eq.pairs,
                    "judged_ties": w.acc_eq.judged_ties,
                    "metric_ties": w.acc_eq.metric_ties,
                    "reason": None if w.acc_eq.pairs else "no item with two judged responses",
                }
                for m, w in self.pairwise.items()
            ]
        }

    def caption(self) -> str:
        """Return what the printed table is about."""
        s = self.signature
        out = f" without {', '.join(s['exclude'])}" if s["exclude"] else ""
        return (
            f"{s['collection']}: correlation with {s['dimension']}, {s['items']} items, "
            f"{len(s['systems'])} systems{out} [{self.digest}]"
        )


def coefficients(x: Matrix, y: Matrix) -> Matrix:
    """Return Pearson's r, Spearman's ρ and Kendall's τ-a, τ-b, τ-c of two columns.

    Rows where either is NaN are left out. All NaN where fewer than two rows are left or a column
    is constant (for ranks and constancy, values tie within a relative difference of 1e-12).
    """
    from scipy.stats import kendalltau

    both = ~(np.isnan(x) | np.isnan(y))
    x, y = x[both], y[both]
    a, b = dense_ranks(x), dense_ranks(y)
    if len(x) < 2 or not a.any() or not b.any():
        return np.full(len(COEFFICIENTS), np.nan)
    n = len(x)
    tau_b = float(kendalltau(a, b, method="asymptotic").statistic)
    all_pairs = n * (n - 1) / 2
    free = [all_pairs - sum(c * (c - 1) / 2 for c in np.bincount(r).tolist()) for r in (a, b)]
    # Concordant less discordant pairs: an integer.
    surplus = round(tau_b * np.sqrt(free[0] * free[1]))
    classes = min(int(a.max()), int(b.max())) + 1
    tau_c = 2 * surplus / (n**2 * (classes - 1) / classes)
    values = [_pearson(x, y), _pearson(_mid_ranks(a), _mid_ranks(b))]
    return np.array([*values, surplus / all_pairs, tau_b, tau_c])


def level_coefficients(judgements: Matrix, scores: Matrix, level: Level) -> tuple[Matrix, int]:
    """Return the coefficients at a level, and over how many points (see JudgementCorrelation.n).

    Parameters
    ----------
    judgements, scores
        Shape (items, systems); NaN = missing. A cell counts where both have a value.
    level
        Items with fewer than two such cells, or where a column is constant, have no coefficient
        and are left out of the mean at item level.
    """
    both = ~(np.isnan(judgements) | np.isnan(scores))
    if level == "pooled":
        return coefficients(judgements[both], scores[both]), int(both.sum())
    if level == "system":
        n = both.sum(axis=0)
        use = n > 0
        h, m = (np.where(both, v, 0.0).sum(axis=0)[use] / n[use] for v in (judgements, scores))
        return coefficients(h, m), int(use.sum())
    within = _within_items(judgements, scores)
    if not len(within):
        return np.full(len(COEFFICIENTS), np.nan), 0
    return within.mean(axis=0), len(within)


def judgement_correlation(
    scores: ScoreTable,
    collection: Collection,
    dimension: str,
    *,
    exclude: Sequence[str] = (),
    metrics: Sequence[MetricLike] | None = None,
    n_boot: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> JudgementsResult:
    """Return the correlation of metrics with mean judgements, at item, system and pooled level.

    Parameters
    ----------
    scores
        Scores of the collection's first-ranked responses.
    collection
        Where the judgements are.
    dimension
        Which judgements.
    exclude
        Systems to leave out.
    metrics
        Metrics of the table; all by default.
    n_boot
        Bootstrap draws of items; 0 for no intervals. The same draws for every metric and level.
    seed
        Makes the bootstrap and the permutations of SPA repeatable.
    level
        Of the percentile intervals.

    Raises
    ------
    InputError
        The dimension, a system or a metric is unknown, no judged response has a score, or a
        parameter is out of range.

    Notes
    -----
    p-values are SciPy's for the columns at system and pooled level (of τ-a and τ-c, that of τ-b:
    they test the same surplus of concordant pairs), and a t-test of the mean over items at item
    level. Pooled, responses to one item are taken for independent, which they are not; the
    interval resamples items and does not assume it. Systems are never resampled: the intervals
    are about other items for these systems. Of a metric for which lower is better, the
    scores are negated.
    """
    if n_boot < 0 or seed < 0 or not 0.0 < level < 1.0:
        raise InputError(
            f"n_boot={n_boot}, seed={seed}, level={level}; draws and seed must be 0 or more, the "
            "level between 0 and 1"
        )
    names = choose_metrics(scores, metrics)
    left_out = set(choose(list(exclude), scores.system_names, "system"))
    kept = [i for i, s in enumerate(scores.system_names) if s not in left_out]
    means = collection.mean_judgements(dimension)
    systems = [scores.system_names[i] for i in kept]
    cells = [[means.get((i, s, 1), np.nan) for s in systems] for i in scores.item_ids]
    judged = np.array(cells, np.float64).reshape(len(scores.item_ids), len(systems))
    if np.isnan(judged).all():
        raise InputError(f"no scored response is judged in {dimension!r}; score this collection")
    rows: list[JudgementCorrelation] = []
    pairwise = {}
    signs = random_signs(len(judged), SPA_DRAWS, np.random.default_rng([seed, 1]))
    for name in names:
        values = direction(name) * scores.matrix(name)[:, kept]
        for where in get_args(Level):
            rows += _rows(name, judged, values, where, n_boot, seed, level)
        pa, pairs = pairwise_accuracy(judged, values)
        spa, _ = soft_pairwise_accuracy(judged, values, signs)
        calibrated = calibrated_accuracy(judged, values)
        pairwise[name] = PairwiseAccuracies(null(pa), null(spa), pairs, calibrated)
    used = ~np.isnan(judged).all(axis=1)
    signature = study_signature(
        "judgements",
        scores,
        dimension=dimension,
        exclude=sorted(left_out),
        tie_tolerance=TIE_TOLERANCE,
        n_boot=n_boot,
        seed=seed,
        level=level,
        spa_draws=SPA_DRAWS,
        items=int(used.sum()),
        systems=[s for s, c in zip(systems, judged.T, strict=True) if not np.isnan(c).all()],
        responses=int((~np.isnan(judged)).sum()),
        metrics={m: scores.signatures.get(m, m) for m in names},
    )
    return JudgementsResult(signature, tuple(rows), pairwise)


def _rows(
    metric: str, h: Matrix, m: Matrix, where: Level, n_boot: int, seed: int, level: float
) -> list[JudgementCorrelation]:
    values, n = level_coefficients(h, m, where)
    ps = _p_values(h, m, where, values)
    rng = np.random.default_rng(seed)
    if where == "item":
        tops = _within_items(h, m).T
        draws = bootstrap_ratio(np.ascontiguousarray(tops), np.ones(tops.shape), n_boot, rng)
    else:
        draws = np.full((len(COEFFICIENTS), n_boot), np.nan)
        counts = (c for block in bootstrap_counts(len(h), n_boot, rng) for c in block)
        for k, count in enumerate(counts):
            picked = np.repeat(np.arange(len(h)), count)
            draws[:, k] = level_coefficients(h[picked], m[picked], where)[0]
    out = []
    for k, name in enumerate(COEFFICIENTS):
        low, high = percentile_interval(draws[k], level)
        value, p = null(float(values[k])), null(float(ps[k]))
        reason = None
        if value is None:
            reason = "fewer than two values, or all are equal"
            low = high = None
        elif p is None:
            reason = "too few values for a p-value, or no variance"
        out.append(JudgementCorrelation(metric, where, name, value, low, high, p, n, reason))
    return out


def _p_values(h: Matrix, m: Matrix, where: Level, values: Matrix) -> Matrix:
    from scipy import stats

    out = np.full(len(COEFFICIENTS), np.nan)
    if np.isnan(values).all():
        return out
    if where == "item":
        within = _within_items(h, m)
        spread = within.std(axis=0, ddof=1) if len(within) > 1 else np.zeros(len(out))
        use = spread > TIE_TOLERANCE
        t = values[use] / (spread[use] / np.sqrt(len(within)))
        out[use] = 2.0 * stats.t.sf(np.abs(t), len(within) - 1)
        return out
    both = ~(np.isnan(h) | np.isnan(m))
    if where == "pooled":
        x, y = h[both], m[both]
    else:
        use = both.any(axis=0)
        n = both.sum(axis=0)[use]
        x, y = (np.where(both, v, 0.0).sum(axis=0)[use] / n for v in (h, m))
    if len(x) > 2:
        a, b = dense_ranks(x), dense_ranks(y)
        tau = stats.kendalltau(a, b).pvalue
        out[:] = [stats.pearsonr(x, y).pvalue, stats.spearmanr(a, b).pvalue, tau, tau, tau]
    return out


def _within_items(h: Matrix, m: Matrix) -> Matrix:
    """Return the coefficients within each item that has them, shape (items, 5)."""
    rows = [coefficients(a, b) for a, b in zip(h, m, strict=True)]
    found = np.array(rows, np.float64).reshape(-1, len(COEFFICIENTS))
    return np.ascontiguousarray(found[~np.isnan(found).any(axis=1)])


def _mid_ranks(ranks: NDArray[np.int64]) -> Matrix:
    sizes = np.bincount(ranks)
    return np.asarray(np.cumsum(sizes) - (sizes - 1) / 2.0, np.float64)[ranks]


def _pearson(x: Matrix, y: Matrix) -> float:
    # Scaled first, so that squares of tiny or huge scores stay in range.
    dx, dy = x - x.mean(), y - y.mean()
    dx, dy = dx / np.abs(dx).max(), dy / np.abs(dy).max()
    return float(np.clip((dx @ dy) / np.sqrt((dx @ dx) * (dy @ dy)), -1.0, 1.0))


def _cell(row: JudgementCorrelation) -> str:
    if row.value is None:
        return "–"
    interval = "" if row.low is None else f" [{row.low:.2f}, {row.high:.2f}]"
    return f"{row.value:.3f}{stars(row.p)}{interval}"
