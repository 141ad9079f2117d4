"""Correlation between metrics: whether two of them order the responses alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from convoscope.meta.study import StudyResult, choose, choose_metrics, null, study_signature
from convoscope.meta.ties import TIE_TOLERANCE, dense_ranks
from convoscope.metrics import MetricLike
from convoscope.scores import ScoreTable

__all__ = ["CorrelationResult", "correlation", "kendall_tau_b"]


@dataclass(frozen=True, eq=False)
class CorrelationResult(StudyResult):
    """Kendall's τ-b between metrics over responses."""

    study: ClassVar[str] = "correlation"

    metrics: tuple[str, ...]
    """Row and column names."""
    tau: NDArray[np.float64]
    """Shape (metrics, metrics); NaN where a metric is constant or too few responses are shared."""
    responses: NDArray[np.int64]
    """Responses that both metrics scored, shape (metrics, metrics)."""

    def to_table(self) -> list[dict[str, Any]]:
        """Return one row per two metrics, each pair once."""
        return [
            {
                "metric": a,
                "other": b,
                "tau": null(float(self.tau[i, j])),
                "responses": int(self.responses[i, j]),
                "reason": None
                if np.isfinite(self.tau[i, j])
                else "a metric is constant, or fewer than two responses have both scores",
            }
            for i, a in enumerate(self.metrics)
            for j, b in enumerate(self.metrics)
            if i < j
        ]

    def lines(self) -> list[list[str]]:
        """Return the matrix as text."""
        rows = [
            [name, *(f"{v:.2f}" if np.isfinite(v) else "–" for v in row.tolist())]
            for name, row in zip(self.metrics, self.tau, strict=True)
        ]
        return [["metric", *self.metrics], *rows]

    def caption(self) -> str:
        """Return what the printed table is about."""
        return f"{self.signature['collection']}: Kendall's tau-b between metrics [{self.digest}]"


def kendall_tau_b(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Return Kendall's τ-b of two columns over the rows where both have a value.

    NaN where fewer than two rows are left or a column is constant. Values are equal within a
    relative difference of 1e-12 (see :mod:`convoscope.meta.ties`).
    """
    from scipy.stats import kendalltau

    both = ~(np.isnan(a) | np.isnan(b))
    if both.sum() < 2:
        return float("nan")
    x, y = dense_ranks(a[both]), dense_ranks(b[both])
    if not x.any() or not y.any():
        return float("nan")
    return float(kendalltau(x, y).statistic)


def correlation(
    scores: ScoreTable,
    *,
    metrics: Sequence[MetricLike] | None = None,
    exclude: Sequence[str] = (),
) -> CorrelationResult:
    """Return Kendall's τ-b between every two metrics, over the first-ranked responses.

    Parameters
    ----------
    scores
        The score table.
    metrics
        Metrics of the table; all by default.
    exclude
        Systems to leave out.

    Raises
    ------
    InputError
        A metric or a system is unknown.

    Notes
    -----
    POSSCORE, figure 3. Scores are taken as they are: a metric for which lower is better has
    negative correlations with the others.
    """
    names = choose_metrics(scores, metrics)
    left_out = set(choose(list(exclude), scores.system_names, "system"))
    keep = (scores.ranks == 1) & np.array([s not in left_out for s in scores.systems], np.bool_)
    columns = [scores[m][keep] for m in names]
    n = len(names)
    tau = np.full((n, n), np.nan)
    responses = np.zeros((n, n), np.int64)
    for i in range(n):
        for j in range(i, n):
            shared = ~(np.isnan(columns[i]) | np.isnan(columns[j]))
            responses[i, j] = responses[j, i] = int(shared.sum())
            tau[i, j] = tau[j, i] = kendall_tau_b(columns[i], columns[j])
    signature = study_signature(
        "correlation",
        scores,
        coefficient="Kendall's tau-b",
        exclude=sorted(set(exclude)),
        tie_tolerance=TIE_TOLERANCE,
        metrics={m: scores.signatures.get(m, m) for m in names},
    )
    return CorrelationResult(signature, tuple(names), tau, responses)
