"""Fidelity: how often a metric prefers the response that raters prefer (predictive power).

Sanderson, Paramita, Clough, Kanoulas: Do user preferences and evaluation measures line up?
SIGIR 2010. Sakai: Metrics, statistics, tests. PROMISE winter school 2013. Liu, Zhou, Mao, Wilson:
POSSCORE. CIKM 2021, algorithm 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from convoscope.collection import Collection
from convoscope.errors import InputError, nearest
from convoscope.meta.pairs import (
    PreferencePairs,
    Ties,
    agreement,
    pair_outcomes,
    paired_t_test,
    predictive_power,
    preference_pairs,
)
from convoscope.meta.resampling import bootstrap_ratio, percentile_interval
from convoscope.meta.study import (
    StudyResult,
    choose_metrics,
    null,
    stars,
    study_signature,
)
from convoscope.meta.ties import TIE_TOLERANCE
from convoscope.metrics import MetricLike
from convoscope.scores import ScoreTable

__all__ = [
    "FidelityResult",
    "FidelityRow",
    "fidelity",
]

RANDOM = "Random"
RANDOM_METRICS = 1000
_MARKS = {1.0: "+", -1.0: "-", 0.0: "="}


@dataclass(frozen=True)
class FidelityRow:
    """The predictive power of one metric."""

    metric: str
    """Canonical name, or ``Random``."""
    value: float | None
    """Share of pairs on which metric and raters agree; None without a pair."""
    low: float | None
    """Lower end of the bootstrap interval."""
    high: float | None
    """Upper end of the bootstrap interval."""
    pairs: int
    """Pairs that the metric scored."""
    correct: int
    """Pairs on which it prefers the response that raters prefer."""
    ties: int
    """Pairs on which it prefers neither."""
    unscored: int
    """Pairs left out because a response has no score."""
    difference: float | None
    """Value minus the baseline's, over the pairs that both scored."""
    p: float | None
    """Two-sided paired t-test against the baseline over the pairs that both scored."""
    reason: str | None
    """Why `value` or `p` is None."""


@dataclass(frozen=True, eq=False)
class FidelityResult(StudyResult):
    """Predictive power of metrics, with the outcome of every pair."""

    study: ClassVar[str] = "fidelity"

    rows: tuple[FidelityRow, ...]
    """One per metric, in the order asked for, then ``Random``."""
    baseline: str | None
    """The metric that p-values are against."""
    pairs: PreferencePairs
    """The pairs."""
    outcomes: Mapping[str, NDArray[np.float64]]
    """Metric → 1 agrees, -1 contradicts, 0 ties, NaN not scored; shape (pairs,)."""

    def __getitem__(self, metric: object) -> FidelityRow:
        """Return the row of a metric."""
        names = {r.metric: r for r in self.rows}
        if str(metric) not in names:
            hint = nearest(str(metric), names, what="metrics")
            raise InputError(f"no metric {str(metric)!r} in this result{hint}")
        return names[str(metric)]

    def to_table(self) -> list[dict[str, Any]]:
        """Return one row per metric."""
        return [
            {
                "metric": r.metric,
                "value": null(r.value),
                "low": null(r.low),
                "high": null(r.high),
                "pairs": r.pairs,
                "correct": r.correct,
                "ties": r.ties,
                "unscored": r.unscored,
                "difference": null(r.difference),
                "p": null(r.p),
                "reason": r.reason,
            }
            for r in self.rows
        ]

    def lines(self) -> list[list[str]]:
        """Return the printed table; unscored pairs only where there are some."""
        level = f"{100 * float(self.signature['level']):g}%"
        gaps = any(r.unscored for r in self.rows)
        header = ["metric", "agrees", f"{level} interval", "pairs", "ties"]
        header += ["unscored"] * gaps + ["p vs baseline", ""]
        return [header, *(_line(r, self.baseline, gaps) for r in self.rows)]

    def caption(self) -> str:
        """Return what the printed table is about."""
        s = self.signature
        return (
            f"{s['collection']}: agreement with raters on {s['dimension']}, {len(self.pairs)} "
            f"pairs of {len(self.pairs.items)} items [{self.digest}]"
        )

    def notes(self) -> list[str]:
        """Return what a reader of the printed table must know, a line each."""
        ties = self.signature["ties"]
        tested = "** p < .01, * p < .05 against the baseline; " if self.baseline else ""
        return [
            "agrees: share of pairs where metric and raters prefer the same response; "
            f"ties: pairs the metric scores equally, counted as {ties}",
            f"{tested}{RANDOM}: what chance alone reaches",
        ]

    def details(self) -> dict[str, Any]:
        """Return the pairs and each metric's outcome on them, one character per pair.

        ``+`` agrees, ``-`` contradicts, ``=`` ties, ``?`` not scored.
        """
        return {
            "baseline": self.baseline,
            "equal_judgements": self.pairs.equal,
            "unjudged_responses": self.pairs.unjudged,
            "pairs": {
                "item": [self.pairs.items[i] for i in self.pairs.item.tolist()],
                "better": [self.pairs.systems[i] for i in self.pairs.better.tolist()],
                "worse": [self.pairs.systems[i] for i in self.pairs.worse.tolist()],
            },
            "outcomes": {
                m: "".join(_MARKS.get(o, "?") for o in v.tolist()) for m, v in self.outcomes.items()
            },
        }


def fidelity(
    scores: ScoreTable,
    collection: Collection,
    dimension: str,
    *,
    exclude: Sequence[str] = (),
    metrics: Sequence[MetricLike] | None = None,
    baseline: MetricLike | None = "best",
    ties: Ties = "wrong",
    n_boot: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> FidelityResult:
    """Return the predictive power of each metric: its agreement with raters on pairs.

    For every item, every two systems whose mean judgements differ make a pair; a metric is right
    when its scores differ in the same direction: (ΔX · ΔX*) > 0 (POSSCORE, algorithm 1).

    Parameters
    ----------
    scores
        Scores of the collection's first-ranked responses.
    collection
        Where the judgements are.
    dimension
        Which judgements, for example ``"Overall"``.
    exclude
        Systems to leave out.
    metrics
        Metrics of the table; all by default.
    baseline
        The metric that p-values are against, ``"best"`` for the one with the highest value (the
        first of equals), None for no test.
    ties
        What pairs count that the metric scores equally: ``"wrong"`` or ``"half"``. Scores are
        equal within a relative difference of 1e-12.
    n_boot
        Bootstrap draws of items; 0 for no intervals.
    seed
        Makes the bootstrap and the ``Random`` row repeatable.
    level
        Of the percentile intervals.

    Raises
    ------
    InputError
        The dimension, a system or a metric is unknown, the scores are of another collection, or
        a parameter is out of range.

    Notes
    -----
    The t-test takes pairs for independent, as the papers do (Smucker et al. 2007); pairs of one
    item are not. The interval resamples items and does not assume it: where both disagree, trust
    the interval. Of a metric for which lower is better, the scores are negated.
    """
    if not isinstance(scores, ScoreTable) or not isinstance(collection, Collection):
        raise InputError("expected fidelity(scores, collection, dimension), in this order")
    if ties not in ("wrong", "half"):
        hint = nearest(str(ties), ("wrong", "half"), what="choices")
        raise InputError(f"ties={ties!r} is no way to count ties{hint}")
    if n_boot < 0:
        raise InputError(f"n_boot={n_boot}; it must be 0 or more")
    if seed < 0:
        raise InputError(f"seed={seed}; it must be 0 or more")
    if not 0.0 < level < 1.0:
        raise InputError(f"level={level}; it must lie between 0 and 1, as 0.95")
    names = choose_metrics(scores, metrics)
    asked = None if baseline is None else str(baseline)
    if asked not in (None, "best"):
        asked = scores.name_of(baseline)
        if asked not in names:
            names.append(asked)
    pairs = preference_pairs(collection, dimension, exclude=exclude)
    boot_rng, random_rng = map(np.random.default_rng, np.random.SeedSequence(seed).spawn(2))
    responses = pairs.names()
    outcomes = pair_outcomes(
        scores, names, [(i, b) for i, b, _ in responses], [(i, w) for i, _, w in responses]
    )
    counted = {m: agreement(o, ties) for m, o in outcomes.items()}
    values = {m: predictive_power(o, ties) for m, o in outcomes.items()}
    chosen = _best(names, values) if asked == "best" else asked
    draws = _bootstrap(counted, pairs, n_boot, boot_rng)
    rows = [
        _row(m, outcomes[m], counted[m], values[m], percentile_interval(d, level), chosen, counted)
        for m, d in zip(counted, draws, strict=True)
    ]
    rows.append(_random_row(pairs, level, random_rng))
    signature = study_signature(
        "fidelity",
        scores,
        dimension=dimension,
        exclude=sorted(set(exclude)),
        ties=ties,
        tie_tolerance=TIE_TOLERANCE,
        n_boot=n_boot,
        seed=seed,
        level=level,
        baseline=asked,
        items=len(pairs.items),
        systems=list(pairs.systems),
        pairs=len(pairs),
        pairs_digest=pairs.digest,
        metrics={m: scores.signatures.get(m, m) for m in names},
    )
    return FidelityResult(signature, tuple(rows), chosen, pairs, outcomes)


def _best(names: list[str], values: Mapping[str, float | None]) -> str | None:
    known = [(m, v) for m in names if (v := values[m]) is not None]
    return max(known, key=lambda mv: mv[1])[0] if known else None


def _bootstrap(
    counted: Mapping[str, NDArray[np.float64]],
    pairs: PreferencePairs,
    n_boot: int,
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    n = len(pairs.items)
    scored = [~np.isnan(c) for c in counted.values()]
    tops = [np.bincount(pairs.item, np.nan_to_num(c), n) for c in counted.values()]
    bottoms = [np.bincount(pairs.item, s, n) for s in scored]
    return bootstrap_ratio(np.array(tops, np.float64), np.array(bottoms, np.float64), n_boot, rng)


def _row(
    metric: str,
    outcomes: NDArray[np.float64],
    counted: NDArray[np.float64],
    value: float | None,
    interval: tuple[float | None, float | None],
    baseline: str | None,
    all_counted: Mapping[str, NDArray[np.float64]],
) -> FidelityRow:
    scored = ~np.isnan(outcomes)
    n = int(scored.sum())
    p: float | None = None
    difference: float | None = None
    reason: str | None
    if value is None:
        unscored = len(outcomes) > 0
        reason = "no pair has both responses scored" if unscored else "no pair of responses differs"
    elif baseline is None:
        reason = "no baseline"
    elif metric == baseline:
        reason = "the baseline itself"
    else:
        other = all_counted[baseline]
        d = (counted - other)[scored & ~np.isnan(other)]
        difference = float(d.mean()) if len(d) else None
        p, reason = paired_t_test(counted, other)
    return FidelityRow(
        metric=metric,
        value=value,
        low=interval[0],
        high=interval[1],
        pairs=n,
        correct=int((outcomes > 0).sum()),
        ties=int((outcomes == 0).sum()),
        unscored=len(outcomes) - n,
        difference=difference,
        p=p,
        reason=reason,
    )


def _random_row(pairs: PreferencePairs, level: float, rng: np.random.Generator) -> FidelityRow:
    """Return what chance alone reaches on these pairs: many metrics that score at random.

    The value is the mean over the random metrics, the interval the range of their values: one
    random metric may lie anywhere in it, and so says little by itself.
    """
    n = len(pairs)
    total = np.zeros(n)
    reached = np.empty(RANDOM_METRICS)
    for k in range(RANDOM_METRICS):
        noise = rng.random((len(pairs.items), len(pairs.systems)))
        right = noise[pairs.item, pairs.better] > noise[pairs.item, pairs.worse]
        total += right
        reached[k] = right.mean() if n else np.nan
    if not n:
        return FidelityRow(
            RANDOM, None, None, None, 0, 0, 0, 0, None, None, "no pair of responses differs"
        )
    low, high = np.quantile(reached, [(1.0 - level) / 2.0, (1.0 + level) / 2.0]).tolist()
    return FidelityRow(
        metric=RANDOM,
        value=float(total.sum()) / (n * RANDOM_METRICS),
        low=low,
        high=high,
        pairs=n,
        correct=round(float(total.sum()) / RANDOM_METRICS),
        ties=0,
        unscored=0,
        difference=None,
        p=None,
        reason="no test",
    )


def _line(row: FidelityRow, baseline: str | None, gaps: bool) -> list[str]:
    value = "–" if row.value is None else f"{row.value:.3f}"
    interval = "–" if row.low is None or row.high is None else f"[{row.low:.3f}, {row.high:.3f}]"
    if row.metric == baseline:
        p = "baseline"
    elif row.p is None:
        p = row.reason or "–"
    else:
        p = "< .0001" if row.p < 0.0001 else f"{row.p:.4f}"
    counts = [str(row.pairs), str(row.ties)] + [str(row.unscored)] * gaps
    return [row.metric, value, interval, *counts, p, stars(row.p)]
