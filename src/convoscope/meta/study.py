"""What every study's result has: a name, a signature, rows, and its JSON form."""

from __future__ import annotations

import hashlib
import json
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from convoscope._version import __version__
from convoscope.errors import InputError, nearest
from convoscope.scores import ScoreTable
from convoscope.terminal import console, print_table

__all__ = ["StudyResult", "choose", "choose_metrics", "null", "stars", "study_signature"]


@dataclass(frozen=True, eq=False)
class StudyResult(ABC):
    """Base of the result of a study."""

    study: ClassVar[str]
    """The study's name, as in ``convoscope meta NAME``."""
    signature: Mapping[str, Any]
    """Everything that can change a number."""

    @property
    def digest(self) -> str:
        """Eight characters that differ where the signature differs."""
        text = json.dumps(self.signature, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()[:8]

    @abstractmethod
    def to_table(self) -> list[dict[str, Any]]:
        """Return the result as rows with the same columns; None where there is no value."""

    def lines(self) -> list[list[str]]:
        """Return the table as text: the header, then one list of cells per row."""
        rows = self.to_table()
        header = list(rows[0]) if rows else []
        return [header, *([_cell(r[c]) for c in header] for r in rows)]

    def caption(self) -> str:
        """Return what the printed table is about, in one line."""
        return f"{self.study} on {self.signature.get('collection') or 'a collection'}"

    def notes(self) -> list[str]:
        """Return what a reader of the printed table must know, a line each."""
        return []

    def print(self) -> None:
        """Print the result as a table."""
        header, *rows = self.lines()
        print_table(self.caption(), header, rows)
        for note in self.notes():
            console().print(note)

    def details(self) -> dict[str, Any]:
        """Return what one needs to check the rows, by key; JSON values only."""
        return {}

    def to_json(self) -> dict[str, Any]:
        """Return ``{"study", "signature", "digest", "results", …}``, JSON values only."""
        return {
            "study": self.study,
            "signature": dict(self.signature),
            "digest": self.digest,
            "results": self.to_table(),
            **self.details(),
        }


def study_signature(study: str, scores: ScoreTable, **parameters: Any) -> dict[str, Any]:
    """Return a signature: the study, its parameters, the data and the version."""
    return {
        "study": study,
        "collection": scores.collection,
        "scores_digest": scores.digest,
        **parameters,
        "version": __version__,
    }


def choose(
    asked: tuple[str, ...] | list[str] | None, known: tuple[str, ...], what: str
) -> list[str]:
    """Return the names asked for, in the order of `known`; all of them for None.

    Raises
    ------
    InputError
        A name is unknown (the nearest one is suggested).
    """
    if asked is None:
        return list(known)
    for name in asked:
        if name not in known:
            raise InputError(f"no {what} {name!r}{nearest(name, known, what=f'{what}s')}")
    return [k for k in known if k in set(asked)]


def choose_metrics(scores: ScoreTable, asked: Any) -> list[str]:
    """Return the canonical names of the metrics asked for, in the order asked; all for None.

    Raises
    ------
    InputError
        The table has no such metric.
    """
    if asked is None:
        return list(scores.metrics)
    return list(dict.fromkeys(scores.name_of(m) for m in asked))


def direction(name: str) -> int:
    """Return 1 where higher values of the metric are better, -1 where lower ones are.

    A name that is no registered metric (a column of somebody's own) counts as higher is better.
    """
    from convoscope.metrics import as_metric

    try:
        return as_metric(name).direction
    except InputError:
        return 1


def null(value: float | None) -> float | None:
    """Return a float for JSON, None for NaN and infinities."""
    return None if value is None or not math.isfinite(value) else float(value)


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def stars(p: float | None) -> str:
    """Return ``**`` for p < .01, ``*`` for p < .05, else nothing."""
    if p is None:
        return ""
    return "**" if p < 0.01 else "*" if p < 0.05 else ""
