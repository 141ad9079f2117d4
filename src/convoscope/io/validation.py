"""What a file holds, and everything that is wrong with it."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from convoscope.collection import Collection
from convoscope.errors import CollectionError, quoted
from convoscope.io.formats import detect, get_format, read_into

__all__ = ["DimensionSummary", "Problem", "SystemSummary", "Validation", "validate"]

_SHOWN = 3


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a file."""

    file: str
    """The file, as it was named."""
    line: int | None
    """The line, row or entry, from 1; None where the whole file is meant."""
    message: str
    """What is wrong, naming the field, and what would be right."""
    where: str
    """The place in words, as messages show it."""

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"


@dataclass(frozen=True)
class SystemSummary:
    """What a file holds of one system."""

    system: str
    """Its name."""
    kind: str
    """How it makes responses."""
    responses: int
    """How many responses it has, of all ranks."""
    items: int
    """How many items it responds to."""
    coverage: float
    """The share of items it responds to."""
    max_rank: int
    """The length of its longest list."""
    judged: int
    """How many of its responses somebody judged."""


@dataclass(frozen=True)
class DimensionSummary:
    """What a file holds of one judged dimension."""

    dimension: str
    """Its name."""
    judgements: int
    """How many ratings."""
    raters: int
    """How many raters gave them."""
    responses: int
    """How many responses they are about."""
    minimum: float
    """The lowest rating."""
    mean: float
    """The mean rating."""
    maximum: float
    """The highest rating."""


@dataclass(frozen=True)
class Validation:
    """What a file holds, its problems and warnings."""

    path: str
    """The file."""
    format: str
    """The format it was read as."""
    name: str
    """The collection's name."""
    items: int
    """How many items."""
    dialogues: int
    """How many dialogues the items name."""
    references: tuple[int, float, int] | None
    """The least, mean and greatest number of references of an item; None without items."""
    reference_system: str | None
    """The system whose responses became the references."""
    systems: tuple[SystemSummary, ...]
    """One per system with a run."""
    dimensions: tuple[DimensionSummary, ...]
    """One per judged dimension."""
    raters: tuple[str, ...]
    """Everybody who judged."""
    judgements: int
    """How many ratings in all."""
    sessions: int
    """How many sessions."""
    sessions_with_satisfaction: int
    """How many of them have a satisfaction."""
    problems: tuple[Problem, ...] = ()
    """Everything that makes the file unusable."""
    warnings: tuple[str, ...] = ()
    """What is legal and perhaps not meant."""
    collection: Collection | None = field(default=None, repr=False, compare=False)
    """What could be read; partial where there are problems."""

    @property
    def ok(self) -> bool:
        """Whether the file can be used."""
        return not self.problems

    @property
    def responses(self) -> int:
        """How many responses in all."""
        return sum(s.responses for s in self.systems)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the collection as plain values, for JSON."""
        plain = {
            name: getattr(self, name) for name in self.__dataclass_fields__ if name != "collection"
        }
        plain["systems"] = [asdict(s) for s in self.systems]
        plain["dimensions"] = [asdict(d) for d in self.dimensions]
        plain["problems"] = [asdict(p) for p in self.problems]
        if self.references is not None:
            plain["references"] = dict(zip(("min", "mean", "max"), self.references, strict=True))
        return {"ok": self.ok, **plain}


def validate(
    path: str | os.PathLike[str], format: str | None = None, **options: object
) -> Validation:
    """Read a file to its end, gathering every problem instead of stopping at the first.

    Parameters
    ----------
    path
        The file.
    format
        Its format; the default is to detect it.
    options
        The options of the format.

    Raises
    ------
    InputError
        The file does not exist, or its format or an option is unknown.
    """
    chosen = get_format(format if format is not None else detect(path))
    into = read_into(chosen, Path(path), options, gather=True)
    collection = into.build()
    # Ids that nothing defines are only known at the end; the reader goes through a file by line.
    problems = tuple(
        sorted((_problem(e, str(path)) for e in into.problems), key=lambda p: p.line or 0)
    )
    # Warnings about the parts of a broken file would be about the breakage.
    warnings = () if problems else tuple(_warnings(collection))
    counts = [len(i.references) for i in collection.items]
    return Validation(
        path=str(path),
        format=chosen.name,
        name=collection.name,
        items=len(counts),
        dialogues=len({i.dialogue for i in collection.items if i.dialogue is not None}),
        references=(min(counts), sum(counts) / len(counts), max(counts)) if counts else None,
        reference_system=collection.reference_system,
        systems=_systems(collection),
        dimensions=_dimensions(collection),
        raters=tuple(dict.fromkeys(j.rater for j in collection.judgements)),
        judgements=len(collection.judgements),
        sessions=len(collection.sessions),
        sessions_with_satisfaction=sum(s.satisfaction is not None for s in collection.sessions),
        problems=problems,
        warnings=warnings,
        collection=collection,
    )


def _problem(error: CollectionError, path: str) -> Problem:
    where = error.where or path
    found = re.match(r"\D*(\d+)", where.removeprefix(path))
    return Problem(path, int(found[1]) if found else None, error.message, where)


def _systems(collection: Collection) -> tuple[SystemSummary, ...]:
    judged = Counter(
        system for _, system, _ in {(j.item, j.system, j.rank) for j in collection.judgements}
    )
    total = len(collection.items)
    found = []
    for run in collection.runs:
        answered = len({r.item for r in run.responses})
        found.append(
            SystemSummary(
                system=run.system,
                kind=run.kind,
                responses=len(run.responses),
                items=answered,
                coverage=answered / total if total else 0.0,
                max_rank=max((r.rank for r in run.responses), default=0),
                judged=judged[run.system],
            )
        )
    return tuple(found)


def _dimensions(collection: Collection) -> tuple[DimensionSummary, ...]:
    found = []
    for dimension in collection.dimensions:
        ratings = [j for j in collection.judgements if j.dimension == dimension]
        scores = [j.score for j in ratings]
        found.append(
            DimensionSummary(
                dimension=dimension,
                judgements=len(ratings),
                raters=len({j.rater for j in ratings}),
                responses=len({(j.item, j.system, j.rank) for j in ratings}),
                minimum=min(scores),
                mean=sum(scores) / len(scores),
                maximum=max(scores),
            )
        )
    return tuple(found)


def _few(names: list[str]) -> str:
    shown = ", ".join(quoted(n, 40) for n in names[:_SHOWN])
    return shown + (", …" if len(names) > _SHOWN else "")


def _warnings(collection: Collection) -> Iterator[str]:
    if not collection.items:
        yield "the file holds no items"
    bare = [i.id for i in collection.items if not i.references]
    if bare:
        yield f"{len(bare)} item(s) without references: {_few(bare)}"
    blank = [i.id for i in collection.items if any(not r.strip() for r in i.references)]
    if blank:
        yield f"{len(blank)} item(s) with an empty reference: {_few(blank)}"
    alone = [i.id for i in collection.items if not i.context]
    if alone:
        yield f"{len(alone)} item(s) without context: {_few(alone)}"
    if collection.items and not collection.runs:
        yield "no system has a run"
    yield from _run_warnings(collection)
    yield from _judgement_warnings(collection)


def _run_warnings(collection: Collection) -> Iterator[str]:
    for run in collection.runs:
        name = quoted(run.system, 40)
        answered = {r.item for r in run.responses}
        missing = [i.id for i in collection.items if i.id not in answered]
        if missing:
            yield f"system {name} has no response to {len(missing)} item(s): {_few(missing)}"
        empty = [r.item for r in run.responses if not r.text.strip()]
        if empty:
            yield f"system {name} has {len(empty)} empty response(s), to item(s) {_few(empty)}"
        ranks: dict[str, list[int]] = {}
        for r in run.responses:
            ranks.setdefault(r.item, []).append(r.rank)
        gaps = [i for i, found in ranks.items() if max(found) != len(found)]
        if gaps:
            yield f"system {name} skips a rank on {len(gaps)} item(s): {_few(gaps)}"


def _judgement_warnings(collection: Collection) -> Iterator[str]:
    responses = {(r.item, run.system, r.rank) for run in collection.runs for r in run.responses}
    ran = set(collection.systems)
    unseen: dict[str, int] = {}
    dangling: list[str] = []
    for j in collection.judgements:
        if j.system not in ran:
            unseen[j.system] = unseen.get(j.system, 0) + 1
        elif (j.item, j.system, j.rank) not in responses:
            dangling.append(j.item)
    for system, count in unseen.items():
        role = " (the reference system)" if system == collection.reference_system else ""
        yield f"judged system {quoted(system, 40)}{role} has no run: {count} judgement(s)"
    if dangling:
        yield (
            f"{len(dangling)} judgement(s) of responses that are not there, of item(s) "
            f"{_few(list(dict.fromkeys(dangling)))}"
        )
