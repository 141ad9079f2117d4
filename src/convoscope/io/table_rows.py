"""Rows of a table to the parts of a collection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from convoscope.collection import (
    CollectionBuilder,
    Item,
    Judgement,
    Response,
    SystemKind,
    Utterance,
)
from convoscope.errors import quoted
from convoscope.io.text import describe

__all__ = ["RowReader"]

UNNAMED = "unnamed"
"""The rater of tables that have judgements and no column of raters."""


class _BadCell(ValueError):
    """What is wrong with a cell, naming its column."""


class RowReader:
    """Adds rows one after the other; rows may repeat an item, and a response for each rater.

    Parameters
    ----------
    into
        Where the parts go.
    columns
        The column of each part that has one.
    references
        The columns of references.
    judgements
        The column of each dimension.
    """

    def __init__(
        self,
        into: CollectionBuilder,
        columns: Mapping[str, str],
        references: list[str],
        judgements: Mapping[str, str],
    ) -> None:
        self.into = into
        self.columns = columns
        self.references = references
        self.judgements = judgements
        self.rows = 0
        self._items: dict[str, tuple[Item, str]] = {}
        self._responses: dict[tuple[str, str, int], tuple[str, str]] = {}
        self._scores: dict[tuple[str, str, int, str, str], float] = {}
        self._seen: dict[tuple[object, ...], str] = {}

    def add(self, row: Mapping[str, object], where: str) -> None:
        """Add what one row holds, or report what is wrong with it."""
        self.rows += 1
        try:
            self._add(row, where)
        except _BadCell as bad:
            self.into.problem(str(bad), where)

    def flush(self) -> None:
        """Hand over the items, which rows complete until the last."""
        for item, where in self._items.values():
            self.into.add_item(item, where)

    def _add(self, row: Mapping[str, object], where: str) -> None:
        item_id = self._text(row, "item")
        if not item_id:
            raise _BadCell(f"column {quoted(self.columns['item'])} is empty; it names the item")
        references = self._row_references(row)
        self._add_item(row, item_id, references, where)
        system = self._text(row, "system")
        text = self._cell_text(row, self.columns["response"])
        if not system:
            if text:
                raise _BadCell(
                    f"column {quoted(self.columns['system'])} is empty beside a response; "
                    "it names the system"
                )
            return
        if text is None:
            raise _BadCell(
                f"column {quoted(self.columns['response'])} is null; an empty response is ''"
            )
        rank = self._count(row, "rank") or 1
        rater = self._text(row, "rater") or UNNAMED
        row_key = (item_id, system, rank, rater, references)
        if row_key in self._seen:
            raise _BadCell(
                f"system {quoted(system)} has a response of rank {rank} to item "
                f"{quoted(item_id)} already, at {self._seen[row_key]}; give each a rank of its own"
            )
        self._seen[row_key] = where
        kind = self._text(row, "kind")
        if kind:
            self.into.add_run(system, cast(SystemKind, kind), where)
        key = (item_id, system, rank)
        old = self._responses.get(key)
        if old is None:
            self._responses[key] = (text, where)
            self.into.add_response(system, Response(item_id, text, rank), where)
        elif old[0] != text:
            raise _BadCell(
                f"system {quoted(system)} has another response of rank {rank} to item "
                f"{quoted(item_id)}, at {old[1]}; give each a rank of its own"
            )
        self._add_scores(row, item_id, system, rank, rater, where)

    def _add_scores(
        self,
        row: Mapping[str, object],
        item: str,
        system: str,
        rank: int,
        rater: str,
        where: str,
    ) -> None:
        for dimension, column in self.judgements.items():
            score = self._number(row.get(column), column)
            if score is None:
                continue
            key = (item, system, rank, rater, dimension)
            # A response repeated for another reference repeats its ratings with it.
            if self._scores.get(key) == score:
                continue
            self._scores[key] = score
            self.into.add_judgement(Judgement(rater, item, system, dimension, score, rank), where)

    def _add_item(
        self, row: Mapping[str, object], item_id: str, references: tuple[str, ...], where: str
    ) -> None:
        new = Item(
            id=item_id,
            context=self._context(row),
            references=references,
            dialogue=self._text(row, "dialogue") or None,
            turn=self._count(row, "turn"),
            knowledge=self._text(row, "knowledge") or None,
        )
        known = self._items.get(item_id)
        if known is None:
            self._items[item_id] = (new, where)
            return
        old, place = known
        for field in ("context", "dialogue", "turn", "knowledge"):
            if getattr(new, field) and getattr(new, field) != getattr(old, field):
                raise _BadCell(
                    f"column {quoted(self.columns[field])} differs from that of item "
                    f"{quoted(item_id)} at {place}; make them equal, or leave this one empty"
                )
        more = tuple(r for r in references if r not in old.references)
        if more:
            self._items[item_id] = (replace(old, references=old.references + more), place)

    def _row_references(self, row: Mapping[str, object]) -> tuple[str, ...]:
        found: list[str] = []
        for column in self.references:
            value = row.get(column)
            if isinstance(value, list):
                found.extend(_string(v, column) for v in value)
            elif value is not None and value != "":
                found.append(_string(value, column))
        return tuple(found)

    def _context(self, row: Mapping[str, object]) -> tuple[Utterance, ...]:
        column = self.columns.get("context")
        value = row.get(column) if column is not None else None
        if column is None or value is None or value == "":
            return ()
        if isinstance(value, list):
            return tuple(_utterance(v, column) for v in value)
        turns = _string(value, column).split("\n")
        names = (self._text(row, "speakers") or "").split("\n")
        if names == [""]:
            return tuple(Utterance(t) for t in turns)
        if len(names) != len(turns):
            raise _BadCell(
                f"column {quoted(self.columns['speakers'])} names {len(names)} speakers for "
                f"{len(turns)} utterances; give one a line"
            )
        return tuple(Utterance(t, n or None) for t, n in zip(turns, names, strict=True))

    def _text(self, row: Mapping[str, object], part: str) -> str | None:
        column = self.columns.get(part)
        return self._cell_text(row, column) if column is not None else None

    def _cell_text(self, row: Mapping[str, object], column: str) -> str | None:
        value = row.get(column)
        return None if value is None else _string(value, column)

    def _count(self, row: Mapping[str, object], part: str) -> int | None:
        column = self.columns.get(part)
        value = row.get(column) if column is not None else None
        if column is None or value is None or value == "":
            return None
        number = self._number(value, column)
        if number is None or not number.is_integer() or not 1 <= number < 1 << 31:
            raise _BadCell(
                f"column {quoted(column)} must be a whole number from 1, not {describe(value)}"
            )
        return int(number)

    def _number(self, value: object, column: str) -> float | None:
        if value is None or (isinstance(value, str) and not value.strip()):
            return None
        try:
            number = float("nan") if isinstance(value, bool) else float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            number = float("nan")
        if number - number != 0.0:
            raise _BadCell(f"column {quoted(column)} must be a finite number, not {_said(value)}")
        return number


def _said(value: object) -> str:
    return describe(value) if value is None or isinstance(value, (str, int, float, list)) else (
        f"a {type(value).__name__}"
    )  # fmt: skip


def _string(value: object, column: str) -> str:
    if isinstance(value, str):
        return value
    # Whole numbers serve as ids in many tables.
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise _BadCell(f"column {quoted(column)} must hold text, not {_said(value)}")


def _utterance(value: object, column: str) -> Utterance:
    if isinstance(value, str):
        return Utterance(value)
    if isinstance(value, dict) and isinstance(value.get("text"), str):
        speaker = value.get("speaker")
        if speaker is None or isinstance(speaker, str):
            return Utterance(value["text"], speaker)
    raise _BadCell(
        f"column {quoted(column)} must hold utterances: strings, or structs of speaker and text"
    )
