"""A collection as a table: one row a response and rater, the item's columns repeated."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from convoscope.collection import Collection, Item
from convoscope.errors import InputError, quoted

__all__ = ["losses", "write"]


def losses(collection: Collection, path: Path) -> list[str]:
    """Say what a table of this kind cannot carry of the collection."""
    lost = []
    if collection.sessions:
        lost.append(f"{len(collection.sessions)} session(s)")
    if collection.reference_system is not None:
        lost.append(f"the name of the reference system {quoted(collection.reference_system)}")
    idle = [run.system for run in collection.runs if not run.responses]
    if idle:
        lost.append(f"{len(idle)} system(s) without responses")
    there = {(r.item, run.system, r.rank) for run in collection.runs for r in run.responses}
    loose = sum((j.item, j.system, j.rank) not in there for j in collection.judgements)
    if loose:
        lost.append(f"{loose} judgement(s) of responses that are not there")
    if path.suffix.lower() != ".parquet":
        lost.extend(_text_losses(collection))
    return lost


def _text_losses(collection: Collection) -> Iterator[str]:
    # In a cell, turns are separated by line breaks and the empty cell means "none".
    utterances = [u for i in collection.items for u in i.context]
    broken = sum("\n" in u.text or "\n" in (u.speaker or "") for u in utterances)
    if broken:
        yield f"line breaks in {broken} utterance(s)"
    blank = sum("" in i.references for i in collection.items)
    if blank:
        yield f"empty references of {blank} item(s)"


def write(collection: Collection, path: Path) -> None:
    """Write the table in the kind its suffix names: .csv, .tsv or .parquet."""
    suffix = path.suffix.lower()
    if suffix == ".parquet":
        _write_parquet(collection, path)
    elif suffix in (".csv", ".tsv"):
        _write_delimited(collection, path, "\t" if suffix == ".tsv" else ",")
    else:
        raise InputError(
            f"the suffix {path.suffix!r} names no kind of table; use .csv, .tsv or .parquet"
        )


def _rows(collection: Collection) -> Iterator[tuple[Item, dict[str, Any]]]:
    ratings: dict[tuple[str, str, int], dict[str, dict[str, float]]] = {}
    for j in collection.judgements:
        raters = ratings.setdefault((j.item, j.system, j.rank), {})
        raters.setdefault(j.rater, {})[f"judgement:{j.dimension}"] = j.score
    by_item: dict[str, list[dict[str, Any]]] = {i.id: [] for i in collection.items}
    for run in collection.runs:
        for r in run.responses:
            response = {
                "system": run.system,
                "kind": run.kind,
                "rank": r.rank,
                "response": r.text,
            }
            rows = by_item[r.item]
            for rater, scores in ratings.get((r.item, run.system, r.rank), {}).items():
                rows.append({**response, "rater": rater, **scores})
            if (r.item, run.system, r.rank) not in ratings:
                rows.append(response)
    for item in collection.items:
        for row in by_item[item.id] or [{}]:
            yield item, row


def _columns(collection: Collection) -> list[str]:
    columns = ["item", "dialogue", "turn", "context", "speakers", "knowledge", "system", "kind",
               "rank", "response", "rater"]  # fmt: skip
    return columns + [f"judgement:{d}" for d in collection.dimensions]


def _write_delimited(collection: Collection, path: Path, delimiter: str) -> None:
    width = max((len(i.references) for i in collection.items), default=0)
    references = [f"reference_{k}" for k in range(1, width + 1)]
    with path.open("w", encoding="utf-8", newline="") as file:
        columns = _columns(collection) + references
        out = csv.DictWriter(file, columns, restval="", delimiter=delimiter, lineterminator="\n")
        out.writeheader()
        for item, row in _rows(collection):
            speakers = [u.speaker or "" for u in item.context]
            out.writerow(
                {
                    "item": item.id,
                    "dialogue": item.dialogue or "",
                    "turn": item.turn or "",
                    "context": "\n".join(u.text for u in item.context),
                    "speakers": "\n".join(speakers) if any(speakers) else "",
                    "knowledge": item.knowledge or "",
                    **dict(zip(references, item.references, strict=False)),
                    **{k: _shortest(v) for k, v in row.items()},
                }
            )


def _shortest(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _write_parquet(collection: Collection, path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    utterance = pa.struct([("speaker", pa.string()), ("text", pa.string())])
    types = {
        "context": pa.list_(utterance),
        "references": pa.list_(pa.string()),
        "turn": pa.int64(),
        "rank": pa.int64(),
    }
    columns = [c for c in _columns(collection) if c != "speakers"] + ["references"]
    schema = pa.schema(
        [
            (c, types.get(c, pa.float64() if c.startswith("judgement:") else pa.string()))
            for c in columns
        ]
    )
    rows = [
        {
            "item": item.id,
            "dialogue": item.dialogue,
            "turn": item.turn,
            "context": [{"speaker": u.speaker, "text": u.text} for u in item.context],
            "knowledge": item.knowledge,
            "references": list(item.references),
            **row,
        }
        for item, row in _rows(collection)
    ]
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), path)
