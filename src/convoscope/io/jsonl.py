"""Convoscope's own format: JSON Lines, one record a line, that carries a whole collection."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

from convoscope.collection import (
    KINDS,
    Collection,
    CollectionBuilder,
    Item,
    Judgement,
    Response,
    Session,
    SystemKind,
)
from convoscope.errors import InputError, nearest, quoted
from convoscope.io.fields import Fields
from convoscope.io.formats import Format
from convoscope.io.text import BOM, describe, json_lines

__all__ = ["FORMAT"]

VERSION = 1
_HEADER = '{"type": "collection", "format": "convoscope", "version": 1, "name": "…"}'


def read(path: Path, into: CollectionBuilder) -> None:
    """Add the records of a file to a builder."""
    seen_header = False
    for number, data in json_lines(path, into):
        where = f"{path}:{number}"
        kind = data.get("type")
        if not seen_header:
            seen_header = True
            if kind != "collection":
                into.problem(f"the first line must be the header {_HEADER}", where)
                if kind not in _RECORDS:
                    # Some other file: one true message is worth more than one for each line.
                    return
            else:
                if not _read_header(Fields(data, where, into)):
                    return
                continue
        record = _RECORDS.get(kind) if isinstance(kind, str) else None
        if record is None:
            _unknown_type(Fields(data, where, into))
            continue
        known, add = record
        fields = Fields(data, where, into)
        if not data.keys() <= known:
            fields.only(sorted(known), f"a record of type {kind!r}")
        add(fields, into)
    if not seen_header and not into.problems:
        into.problem(f"the file holds no header; its first line must be {_HEADER}", str(path))


def _unknown_type(fields: Fields) -> None:
    kind = fields.data.get("type")
    if kind == "collection":
        fields.wrong("type", "'collection' may only be on the first line; start another file")
    elif isinstance(kind, str):
        hint = nearest(kind, _RECORDS, what="types")
        fields.wrong("type", f"has the unknown value {quoted(kind)}{hint}")
    elif "type" not in fields.data:
        fields.wrong("type", f"is missing; it must be one of: {', '.join(_RECORDS)}")
    else:
        fields.wrong(
            "type", f"must be one of {', '.join(_RECORDS)}, not {describe(fields.data['type'])}"
        )


def _read_header(fields: Fields) -> bool:
    known = ("type", "format", "version", "name", "reference_system")
    fields.only(known, "the header")
    named = fields.text("format")
    if named != "convoscope" and fields.ok:
        fields.wrong("format", f"must be 'convoscope', not {quoted(named)}")
    version = fields.data.get("version")
    if version != VERSION or isinstance(version, bool):
        if isinstance(version, int) and not isinstance(version, bool) and version > VERSION:
            fields.wrong(
                "version",
                f"is {describe(version)}, and this Convoscope reads up to {VERSION}; upgrade it",
            )
            return False
        if "version" in fields.data:
            fields.wrong("version", f"must be {VERSION}, not {describe(version)}")
        else:
            fields.wrong("version", f"is missing; it must be {VERSION}")
    fields.into.name = fields.text("name", filled=True) or fields.into.name
    if "reference_system" in fields.data:
        fields.into.reference_system = fields.text("reference_system", filled=True)
    return True


def _add_run(fields: Fields, into: CollectionBuilder) -> None:
    system = fields.text("system", filled=True)
    kind = fields.text("kind") if "kind" in fields.data else "unknown"
    if fields.ok and kind not in KINDS:
        fields.wrong(
            "kind", f"has the unknown value {quoted(kind)}{nearest(kind, KINDS, what='kinds')}"
        )
    if fields.ok:
        into.add_run(system, cast(SystemKind, kind), fields.where)


def _add_item(fields: Fields, into: CollectionBuilder) -> None:
    item = Item(
        id=fields.text("id", filled=True),
        context=fields.utterances("context"),
        references=fields.texts("references"),
        dialogue=fields.optional_text("dialogue"),
        turn=fields.optional_count("turn"),
        knowledge=fields.optional_text("knowledge"),
    )
    # An item with a wrong field still exists: what refers to it is not wrong too.
    if fields.ok or (into.gather and item.id):
        into.add_item(item, fields.where)


def _add_response(fields: Fields, into: CollectionBuilder) -> None:
    item = fields.text("item", filled=True)
    system = fields.text("system", filled=True)
    response = Response(item, fields.text("text"), fields.optional_count("rank") or 1)
    if fields.ok:
        into.add_response(system, response, fields.where)


def _add_judgement(fields: Fields, into: CollectionBuilder) -> None:
    judgement = Judgement(
        rater=fields.text("rater", filled=True),
        item=fields.text("item", filled=True),
        system=fields.text("system", filled=True),
        dimension=fields.text("dimension", filled=True),
        score=fields.number("score"),
        rank=fields.optional_count("rank") or 1,
    )
    if fields.ok:
        into.add_judgement(judgement, fields.where)


def _add_session(fields: Fields, into: CollectionBuilder) -> None:
    session = Session(
        id=fields.text("id", filled=True),
        items=fields.texts("items"),
        satisfaction=fields.optional_number("satisfaction"),
        system=fields.optional_text("system"),
    )
    if fields.ok:
        into.add_session(session, fields.where)


_Adder = Callable[[Fields, CollectionBuilder], None]
_RECORDS: dict[str, tuple[frozenset[str], _Adder]] = {
    "run": (frozenset({"type", "system", "kind"}), _add_run),
    "item": (
        frozenset({"type", "id", "context", "references", "dialogue", "turn", "knowledge"}),
        _add_item,
    ),
    "response": (frozenset({"type", "item", "system", "text", "rank"}), _add_response),
    "judgement": (
        frozenset({"type", "rater", "item", "system", "dimension", "score", "rank"}),
        _add_judgement,
    ),
    "session": (frozenset({"type", "id", "items", "satisfaction", "system"}), _add_session),
}


def records(collection: Collection) -> Iterator[dict[str, Any]]:
    """Yield the records of a collection in the canonical order, absent fields left out."""
    yield _present(
        type="collection",
        format="convoscope",
        version=VERSION,
        name=collection.name,
        reference_system=collection.reference_system,
    )
    for run in collection.runs:
        yield {"type": "run", "system": run.system, "kind": run.kind}
    for item in collection.items:
        yield _present(
            type="item",
            id=item.id,
            dialogue=item.dialogue,
            turn=item.turn,
            context=[_present(speaker=u.speaker, text=u.text) for u in item.context],
            knowledge=item.knowledge,
            references=list(item.references),
        )
    for run in collection.runs:
        for r in run.responses:
            yield _present(
                type="response", item=r.item, system=run.system, rank=_rank(r.rank), text=r.text
            )
    for j in collection.judgements:
        yield _present(
            type="judgement",
            rater=j.rater,
            item=j.item,
            system=j.system,
            rank=_rank(j.rank),
            dimension=j.dimension,
            score=_number(j.score),
        )
    for s in collection.sessions:
        yield _present(
            type="session",
            id=s.id,
            system=s.system,
            items=list(s.items),
            satisfaction=None if s.satisfaction is None else _number(s.satisfaction),
        )


def _present(**fields: object) -> dict[str, object]:
    return {name: value for name, value in fields.items() if value is not None}


def _rank(rank: int) -> int | None:
    return rank if rank != 1 else None


def _number(value: float) -> float | int:
    # Ratings are whole numbers nearly always: 4, not 4.0. The one number that int changes is -0.0.
    value = float(value)
    whole = value.is_integer() and abs(value) < 2**53 and (value or math.copysign(1, value) > 0)
    return int(value) if whole else value


def write(collection: Collection, path: Path) -> None:
    """Write a collection: UTF-8, LF, no byte order mark."""
    encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
    with path.open("wb") as file:
        for record in records(collection):
            try:
                file.write(encode(record).encode() + b"\n")
            except UnicodeEncodeError:
                name = record.get("id") or record.get("item") or record.get("system") or "header"
                raise InputError(
                    f"a text of the {record['type']} {quoted(str(name))} holds half of a "
                    "surrogate pair, which UTF-8 cannot carry; repair the text"
                ) from None


def _sniff(head: bytes) -> bool:
    line = head.removeprefix(BOM).lstrip().split(b"\n", 1)[0]
    if b'"convoscope"' in line:
        return True
    try:
        data = json.loads(line)
    except ValueError:
        return False
    return isinstance(data, dict) and data.get("type") in ("collection", *_RECORDS)


FORMAT = Format(
    name="jsonl",
    summary="Convoscope's own JSON Lines; carries everything",
    suffixes=(".jsonl", ".ndjson"),
    read=read,
    write=write,
    sniff=_sniff,
)
