"""What the report shows: means by system, the fidelity study, what made the numbers."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from convoscope.collection import Collection
from convoscope.errors import InputError, nearest
from convoscope.meta.study import direction
from convoscope.report.names import short_names
from convoscope.rundir import RunDirectory
from convoscope.scores import ScoreTable

__all__ = ["RANDOM", "Cell", "ReportData", "SystemRow", "collect"]

RANDOM = "Random"
REFERENCE = "reference"
NO_RUN = "no run"
_LEVEL = 0.95


@dataclass(frozen=True)
class Cell:
    """A mean over the responses of one system."""

    mean: float | None
    """The mean; None where there is no value."""
    half: float | None
    """Half the width of its 95 % t interval; None below two values."""
    count: int
    """Number of values."""
    missing: int = 0
    """Responses without one."""


@dataclass(frozen=True)
class SystemRow:
    """One system: how many responses, and its means."""

    name: str
    """The system."""
    kind: str
    """Its kind, or why it has no scores: ``reference``, ``no run``."""
    responses: int
    """First-ranked responses."""
    cells: Mapping[str, Cell]
    """Metric → mean; empty without a run."""
    human: Cell | None
    """Mean judgement in the report's dimension; None without judgements."""


@dataclass(frozen=True)
class ReportData:
    """Everything the page shows but single items."""

    collection: Collection
    """What was scored."""
    scores: ScoreTable
    """Its scores."""
    record: Mapping[str, Any]
    """The run's record; empty where there is none."""
    dimension: str | None
    """The judged dimension the report is about; None without judgements."""
    human: Mapping[tuple[str, str, int], float]
    """(item, system, rank) → mean judgement in that dimension."""
    systems: tuple[SystemRow, ...]
    """One row per system."""
    fidelity: Mapping[str, Any] | None
    """The fidelity study of that dimension, in its JSON form."""
    others: tuple[Mapping[str, Any], ...]
    """The other saved results."""
    short: Mapping[str, str]
    """Canonical metric name → the page's name for it."""
    higher: Mapping[str, bool]
    """Canonical metric name → whether higher is better."""


def collect(run: RunDirectory, dimension: str | None = None) -> ReportData:
    """Read a run directory.

    Parameters
    ----------
    run
        A finished run.
    dimension
        The judged dimension; by default that of a saved fidelity study, or ``Overall``, or the
        first.

    Raises
    ------
    InputError
        There are no scores, or nothing was judged in the dimension.
    """
    scores = run.scores()
    collection = run.collection()
    results = run.results()
    chosen = _dimension(collection, results, dimension)
    human = collection.mean_judgements(chosen) if chosen is not None else {}
    study = _fidelity(scores, collection, results, chosen)
    return ReportData(
        collection=collection,
        scores=scores,
        record=run.record if (run.path / "record.json").is_file() else {},
        dimension=chosen,
        human=human,
        systems=_systems(collection, scores, human),
        fidelity=study,
        others=tuple(r for r in results if r is not study),
        short=short_names([*scores.metrics, *_metrics_of(study)]),
        higher={m: direction(m) > 0 for m in scores.metrics},
    )


def _metrics_of(study: Mapping[str, Any] | None) -> list[str]:
    rows = study["results"] if study is not None else []
    return [r["metric"] for r in rows if r["metric"] != RANDOM]


def _dimension(
    collection: Collection, results: list[dict[str, Any]], asked: str | None
) -> str | None:
    known = collection.dimensions
    if asked is not None:
        if asked not in known:
            if not known:
                raise InputError(
                    f"{collection.name} has no judgements; leave out the dimension {asked!r}"
                )
            hint = nearest(asked, known, what="dimensions")
            raise InputError(f"no judgements in dimension {asked!r}{hint}")
        return asked
    saved = [r["signature"]["dimension"] for r in results if _is_fidelity(r)]
    for candidates in (saved, known):
        here = [d for d in candidates if d in known]
        if here:
            return "Overall" if "Overall" in here else here[0]
    return None


def _is_fidelity(result: Mapping[str, Any]) -> bool:
    return result.get("study") == "fidelity" and "dimension" in result.get("signature", {})


def _fidelity(
    scores: ScoreTable,
    collection: Collection,
    results: list[dict[str, Any]],
    dimension: str | None,
) -> Mapping[str, Any] | None:
    """Return the saved study of the dimension, or make it."""
    if dimension is None:
        return None
    for result in results:
        if _is_fidelity(result) and result["signature"]["dimension"] == dimension:
            return result
    from convoscope.meta.fidelity import fidelity

    return fidelity(scores, collection, dimension).to_json()


def _systems(
    collection: Collection, scores: ScoreTable, human: Mapping[tuple[str, str, int], float]
) -> tuple[SystemRow, ...]:
    judged: dict[str, list[float]] = defaultdict(list)
    for (_, system, rank), mean in human.items():
        if rank == 1:
            judged[system].append(mean)
    first = scores.ranks == 1
    rows_of: dict[str, list[int]] = defaultdict(list)
    for row in np.flatnonzero(first).tolist():
        rows_of[scores.systems[row]].append(row)
    out = []
    for run in collection.runs:
        rows = np.array(rows_of[run.system], np.intp)
        cells = {m: _cell(scores[m][rows]) for m in scores.metrics}
        values = np.array(judged.pop(run.system, []), np.float64)
        people = _cell(values, len(rows) - len(values)) if human else None
        out.append(SystemRow(run.system, run.kind, len(rows), cells, people))
    for system, means in judged.items():
        kind = REFERENCE if system == collection.reference_system else NO_RUN
        out.append(SystemRow(system, kind, 0, {}, _cell(np.array(means))))
    return tuple(out)


def _cell(values: NDArray[np.float64], missing: int = 0) -> Cell:
    from scipy.special import stdtrit

    known = values[~np.isnan(values)]
    n = len(known)
    missing = max(missing, 0) + len(values) - n
    if not n:
        return Cell(None, None, 0, missing)
    mean = math.fsum(known.tolist()) / n
    if n < 2 or not math.isfinite(mean):
        return Cell(mean, None, n, missing)
    error = float(known.std(ddof=1)) / math.sqrt(n)
    return Cell(mean, float(stdtrit(n - 1, 0.5 + _LEVEL / 2.0)) * error, n, missing)


def unscored(scores: ScoreTable) -> dict[str, Counter[str]]:
    """Return, for each metric with unscored responses, how many there are for each reason."""
    out: dict[str, Counter[str]] = {}
    for metric in scores.metrics:
        rows = np.flatnonzero(np.isnan(scores[metric])).tolist()
        if rows:
            reasons = scores.reasons.get(metric, {})
            out[metric] = Counter(reasons.get(r, "no reason was recorded") for r in rows)
    return out
