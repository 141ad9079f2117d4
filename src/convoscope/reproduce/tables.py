"""What a reproduction is made of: tables whose cells hold the paper's value beside ours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Cell", "PaperTable", "Reproduction"]


@dataclass(frozen=True)
class Cell:
    """One value of a paper, and ours."""

    paper: float | None = None
    """The printed value, None where the paper has none."""
    ours: float | None = None
    """Our value, None where there is none."""
    paper_mark: str = ""
    """The paper's significance mark."""
    mark: str = ""
    """Our significance mark."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """What else belongs to the value: p, interval, number of sets; JSON values only."""

    @property
    def difference(self) -> float | None:
        """Ours minus the paper's."""
        return None if self.paper is None or self.ours is None else self.ours - self.paper

    def to_json(self) -> dict[str, Any]:
        """Return the cell as JSON values."""
        return {
            "paper": self.paper,
            "ours": self.ours,
            "difference": self.difference,
            "paper_mark": self.paper_mark,
            "mark": self.mark,
            **self.details,
        }


@dataclass(frozen=True)
class PaperTable:
    """A table or figure of a paper."""

    id: str
    """As the paper names it, with the collection: ``Table 9, TC``."""
    title: str
    """What it shows."""
    columns: tuple[str, ...]
    """Column names, without the one of row names."""
    rows: Mapping[str, Mapping[str, Cell]]
    """Row name → column → cell."""
    notes: tuple[str, ...] = ()
    """What a reader must know to compare."""
    digits: int = 3
    """Decimals to print."""
    shaded: bool = False
    """Whether to shade cells by value (a heat map)."""

    def to_json(self) -> dict[str, Any]:
        """Return the table as JSON values."""
        return {
            "id": self.id,
            "title": self.title,
            "columns": list(self.columns),
            "rows": {
                r: {c: x.to_json() for c, x in cells.items()} for r, cells in self.rows.items()
            },
            "notes": list(self.notes),
        }


@dataclass(frozen=True)
class Reproduction:
    """A paper's tables, computed again."""

    name: str
    """The paper's short name, as in ``convoscope reproduce NAME``."""
    citation: str
    """The paper."""
    tables: tuple[PaperTable, ...]
    """Its tables and figures."""
    notes: tuple[str, ...]
    """What holds for all of them."""
    signature: Mapping[str, Any]
    """Everything that can change a number."""

    def table(self, table_id: str) -> PaperTable:
        """Return the table with this id (KeyError for none)."""
        return {t.id: t for t in self.tables}[table_id]

    def to_json(self) -> dict[str, Any]:
        """Return the reproduction as JSON values."""
        return {
            "reproduction": self.name,
            "citation": self.citation,
            "signature": dict(self.signature),
            "notes": list(self.notes),
            "tables": [t.to_json() for t in self.tables],
        }
