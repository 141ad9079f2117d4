"""Reliability: how many differences between systems a metric detects beyond chance.

Sakai: Evaluating evaluation metrics based on the bootstrap. SIGIR 2006. Carterette: Multiple
testing in statistical analysis of systems-based information retrieval experiments. TOIS 2012.
Liu, Zhou, Wilson: Meta-evaluation of conversational search evaluation metrics. TOIS 2021,
section 4.1, algorithms 1 and 2, tables 5 to 7, figures 5 and 6.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from convoscope.errors import InputError, nearest
from convoscope.meta.asl import (
    PValue,
    asl_curve,
    discriminative_power,
    paired_bootstrap,
    parametric_tukey,
    performance_delta,
    randomised_tukey,
    system_pairs,
)
from convoscope.meta.study import (
    StudyResult,
    choose,
    choose_metrics,
    direction,
    null,
    study_signature,
)
from convoscope.meta.ties import TIE_TOLERANCE
from convoscope.metrics import MetricLike
from convoscope.scores import ScoreTable
from convoscope.terminal import console, print_table

__all__ = ["Method", "Overlap", "ReliabilityResult", "ReliabilityRow", "reliability"]

Method = Literal["tukey", "bootstrap", "parametric"]
_TESTS = {
    "tukey": "randomised Tukey HSD",
    "bootstrap": "paired bootstrap",
    "parametric": "paired Tukey HSD",
}


@dataclass(frozen=True)
class ReliabilityRow:
    """The discriminative power of one metric."""

    metric: str
    """Canonical name."""
    value: float | None
    """Discriminative power: the share of pairs of systems with ASL < α."""
    delta: float | None
    """The least significant difference of means (algorithm 2); None where there is none."""
    significant: int
    """Pairs with ASL < α."""
    pairs: int
    """Pairs of systems."""
    systems: int
    """Systems compared."""
    items: int
    """Items with a score of every system: what the test saw."""
    dropped: int
    """Items left out because a system has no score."""
    reason: str | None
    """Why `value` or `delta` is None."""


@dataclass(frozen=True)
class Overlap:
    """The significant pairs of two metrics: X/Y/Z (meta-evaluation, table 6)."""

    metric: str
    """The row's metric."""
    other: str
    """The column's metric."""
    only: int
    """X: pairs that are significant for `metric` only."""
    both: int
    """Y: pairs that are significant for both."""
    only_other: int
    """Z: pairs that are significant for `other` only."""
    opposite: tuple[tuple[str, str], ...]
    """Pairs of systems that are significant for both, in opposite directions: the first is better
    by `metric`, the second by `other`. They are counted in `both`."""

    def __str__(self) -> str:
        return f"{self.only}/{self.both}/{self.only_other}"


@dataclass(frozen=True, eq=False)
class ReliabilityResult(StudyResult):
    """Discriminative power of metrics, with the ASL of every pair of systems."""

    study: ClassVar[str] = "reliability"

    rows: tuple[ReliabilityRow, ...]
    """One per metric, in the order asked for."""
    systems: tuple[str, ...]
    """Rows and columns of the matrices."""
    asl: Mapping[str, NDArray[np.float64]]
    """Metric → ASLs, shape (systems, systems), NaN on the diagonal; only metrics with a value."""
    means: Mapping[str, NDArray[np.float64]]
    """Metric → the systems' means over the items that the test saw, shape (systems,)."""

    def __getitem__(self, metric: object) -> ReliabilityRow:
        """Return the row of a metric."""
        names = {r.metric: r for r in self.rows}
        if str(metric) not in names:
            hint = nearest(str(metric), names, what="metrics")
            raise InputError(f"no metric {str(metric)!r} in this result{hint}")
        return names[str(metric)]

    def curve(self, metric: object) -> NDArray[np.float64] | None:
        """Return the metric's ASLs, ascending (figure 5), or None where it has no value."""
        name = self[metric].metric
        return asl_curve(self.asl[name]) if name in self.asl else None

    def overlap(self, metric: object, other: object) -> Overlap | None:
        """Return which significant pairs two metrics share; None where one has no value."""
        names = self[metric].metric, self[other].metric
        if any(n not in self.asl for n in names):
            return None
        first, second = system_pairs(len(self.systems))
        alpha = float(self.signature["alpha"])
        a, b = (self.asl[n][first, second] < alpha for n in names)
        signs = [
            direction(n) * np.sign(self.means[n][first] - self.means[n][second]) for n in names
        ]
        against = np.flatnonzero(a & b & (signs[0] * signs[1] < 0))
        opposite = []
        for p in against.tolist():
            s, t = self.systems[first[p]], self.systems[second[p]]
            opposite.append((s, t) if signs[0][p] > 0 else (t, s))
        return Overlap(
            *names, int((a & ~b).sum()), int((a & b).sum()), int((~a & b).sum()), tuple(opposite)
        )

    def overlaps(self) -> list[Overlap]:
        """Return the overlap of every two metrics with a value, each once."""
        names = list(self.asl)
        found = (self.overlap(a, b) for i, a in enumerate(names) for b in names[i + 1 :])
        return [o for o in found if o is not None]

    def to_table(self) -> list[dict[str, Any]]:
        """Return one row per metric."""
        return [asdict(r) for r in self.rows]

    def lines(self) -> list[list[str]]:
        """Return the printed table; dropped items and reasons only where there are some."""
        gaps = any(r.dropped for r in self.rows)
        reasons = any(r.reason for r in self.rows)
        header = ["metric", "disc. power", "delta", "significant", "items"]
        return [
            header + ["dropped"] * gaps + ["why"] * reasons,
            *(_line(r) + [str(r.dropped)] * gaps + [r.reason or ""] * reasons for r in self.rows),
        ]

    def caption(self) -> str:
        """Return what the printed table is about."""
        s = self.signature
        return (
            f"{s['collection']}: discriminative power, {_TESTS[s['method']]} at {s['alpha']:g}, "
            f"{len(self.systems)} systems [{self.digest}]"
        )

    def print(self) -> None:
        """Print the result and, for two metrics or more, the overlap of their pairs."""
        super().print()
        names = list(self.asl)
        if len(names) < 2:
            return
        rows = []
        for i, name in enumerate(names[:-1]):
            cells = [str(self.overlap(name, other)) for other in names[i + 1 :]]
            rows.append([name, *[""] * i, *cells])
        title = "significant pairs: only the row's / both / only the column's"
        print_table(title, ["", *names[1:]], rows)
        for o in self.overlaps():
            for better, worse in o.opposite:
                console().print(
                    f"opposite: {better} > {worse} by {o.metric}, {better} < {worse} by {o.other}"
                )

    def details(self) -> dict[str, Any]:
        """Return means and ASLs by system pair, and the overlaps.

        ``asl`` holds the upper triangle of each matrix, in the order of ``system_pairs``.
        """
        first, second = system_pairs(len(self.systems))
        return {
            "systems": list(self.systems),
            "means": {m: [null(v) for v in x.tolist()] for m, x in self.means.items()},
            "system_pairs": {
                "first": [self.systems[i] for i in first.tolist()],
                "second": [self.systems[i] for i in second.tolist()],
            },
            "asl": {m: x[first, second].tolist() for m, x in self.asl.items()},
            "overlaps": [
                {**asdict(o), "opposite": [list(p) for p in o.opposite]} for o in self.overlaps()
            ],
        }


def reliability(
    scores: ScoreTable,
    *,
    metrics: Sequence[MetricLike] | None = None,
    exclude: Sequence[str] = (),
    method: Method = "tukey",
    draws: int = 1000,
    alpha: float = 0.05,
    p_value: PValue = "paper",
    seed: int = 0,
) -> ReliabilityResult:
    """Return the discriminative power of each metric: the share of systems it tells apart.

    Parameters
    ----------
    scores
        Scores; the first-ranked responses count.
    metrics
        Metrics of the table; all by default.
    exclude
        Systems to leave out.
    method
        ``"tukey"``: randomised Tukey HSD, the paper's test. ``"bootstrap"``: a paired bootstrap of
        each pair alone (Sakai 2006). ``"parametric"``: Tukey's HSD after a two-way analysis of
        variance; it draws nothing.
    draws
        B, the number of draws.
    alpha
        A pair is significant where its ASL is below.
    p_value
        ``"paper"``: c / B; ``"plus-one"``: (c + 1) / (B + 1). Without effect on ``"parametric"``.
    seed
        Makes the draws repeatable.

    Raises
    ------
    InputError
        A system or a metric is unknown, or a parameter is out of range.

    Notes
    -----
    *Missing scores.* For each metric, an item counts where every system has a finite score, and is
    left out, and counted as ``dropped``, otherwise: the tests permute or compare within an item
    across all systems, and all pairs must be judged on the same items. One system with gaps
    therefore costs the others those items; exclude it if that is too much.

    *A metric's numbers do not depend on the other metrics* of the study: all see the same draws,
    made over all items of the table, of which a metric reads those that count.

    *No value.* With fewer than two systems or two items, or where the metric has the same score for
    all systems on every item (a constant metric, for one), the value is None, with the reason.
    """
    _check(method, draws, alpha, p_value, seed)
    names = choose_metrics(scores, metrics)
    left_out = set(choose(list(exclude), scores.system_names, "system"))
    columns = [k for k, s in enumerate(scores.system_names) if s not in left_out]
    systems = tuple(scores.system_names[k] for k in columns)
    matrices = {m: scores.matrix(m)[:, columns] for m in names}
    complete = {m: np.asarray(np.isfinite(x).all(axis=1), np.bool_) for m, x in matrices.items()}
    reasons = {m: _obstacle(matrices[m], complete[m], systems) for m in names}
    usable = [m for m in names if reasons[m] is None]
    asl: dict[str, NDArray[np.float64]] = {}
    if method == "tukey" and usable:
        # Rows of zeros add nothing, so that every metric may read the same permutations.
        cube = np.stack([np.where(complete[m][:, None], matrices[m], 0.0) for m in usable])
        rng = np.random.default_rng(seed)
        asl = dict(
            zip(usable, randomised_tukey(cube, draws=draws, rng=rng, p_value=p_value), strict=True)
        )
    for m in usable:
        if method == "bootstrap":
            rng = np.random.default_rng(seed)
            asl[m] = paired_bootstrap(
                matrices[m][complete[m]], draws=draws, rng=rng, p_value=p_value
            )
        elif method == "parametric":
            asl[m] = parametric_tukey(matrices[m][complete[m]])
    rows = tuple(
        _row(m, matrices[m], complete[m], asl.get(m), reasons[m], alpha, systems) for m in names
    )
    means = {m: matrices[m][complete[m]].mean(axis=0) for m in usable}
    drawn = {} if method == "parametric" else {"draws": draws, "seed": seed, "p_value": p_value}
    signature = study_signature(
        "reliability",
        scores,
        method=method,
        test=_TESTS[method],
        alpha=alpha,
        **drawn,
        exclude=sorted(left_out),
        tie_tolerance=TIE_TOLERANCE,
        items=len(scores.item_ids),
        systems=list(systems),
        metrics={m: scores.signatures.get(m, m) for m in names},
    )
    return ReliabilityResult(signature, rows, systems, asl, means)


def _check(method: str, draws: int, alpha: float, p_value: str, seed: int) -> None:
    for value, what, known in (
        (method, "method", get_args(Method)),
        (p_value, "p_value", get_args(PValue)),
    ):
        if value not in known:
            raise InputError(f"{what}={value!r} is none{nearest(str(value), known, what='ones')}")
    if draws < 1:
        raise InputError(f"draws={draws}; it must be 1 or more")
    if not 0.0 < alpha < 1.0:
        raise InputError(f"alpha={alpha}; it must lie between 0 and 1, as 0.05")
    if seed < 0:
        raise InputError(f"seed={seed}; it must be 0 or more")


def _obstacle(
    matrix: NDArray[np.float64], complete: NDArray[np.bool_], systems: Sequence[str]
) -> str | None:
    """Return why there is nothing to test, or None."""
    if len(systems) < 2:
        return f"{len(systems)} system{'s' * (not systems)}: a comparison needs two"
    if not complete.any():
        silent = [s for s, x in zip(systems, matrix.T, strict=True) if not np.isfinite(x).any()]
        if len(silent) == len(systems):
            return "no scores at all"
        if silent:
            return f"no scores of {', '.join(silent)}: exclude it to compare the others"
        return "no item has a score of every system"
    if complete.sum() == 1:
        return "one item with a score of every system: a test needs two"
    scores = matrix[complete]
    spread = scores.max(axis=1) - scores.min(axis=1)
    if (spread <= TIE_TOLERANCE * np.abs(scores).max(axis=1)).all():
        return "every system has the same score on every item"
    return None


def _row(
    metric: str,
    matrix: NDArray[np.float64],
    complete: NDArray[np.bool_],
    asl: NDArray[np.float64] | None,
    reason: str | None,
    alpha: float,
    systems: Sequence[str],
) -> ReliabilityRow:
    value = delta = None
    significant = 0
    if asl is not None:
        value = discriminative_power(asl, alpha)
        delta = performance_delta(matrix[complete], asl, alpha)
        significant = int((asl_curve(asl) < alpha).sum())
        reason = None if significant else "no significant pair, so no delta"
    n = len(systems)
    kept = int(complete.sum())
    return ReliabilityRow(
        metric, value, delta, significant, n * (n - 1) // 2, n, kept, len(complete) - kept, reason
    )


def _line(row: ReliabilityRow) -> list[str]:
    value = "–" if row.value is None else f"{100 * row.value:.1f}%"
    delta = "–" if row.delta is None else f"{row.delta:.3g}"
    return [row.metric, value, delta, f"{row.significant}/{row.pairs}", str(row.items)]
