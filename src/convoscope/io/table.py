"""Tables of responses: CSV, TSV and Parquet, one row a response (and rater), columns mapped."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from convoscope.collection import CollectionBuilder
from convoscope.errors import CollectionError, InputError, nearest, quoted
from convoscope.io.formats import Format
from convoscope.io.options import Option
from convoscope.io.table_rows import RowReader
from convoscope.io.table_write import losses, write
from convoscope.io.text import whole_text

__all__ = ["FORMAT"]

Row = dict[str, object]

DEFAULTS: dict[str, tuple[str, ...]] = {
    "item": ("item", "item_id", "query_id", "qid", "example_id", "id"),
    "system": ("system", "system_id", "model", "run", "method"),
    "response": ("response", "system_output", "output", "prediction", "candidate", "hypothesis"),
    "context": ("context", "history", "query", "question", "source"),
    "speakers": ("speakers",),
    "knowledge": ("knowledge", "fact"),
    "dialogue": ("dialogue", "dialogue_id", "dialog", "dialog_id"),
    "turn": ("turn",),
    "rank": ("rank",),
    "kind": ("kind", "system_kind"),
    "rater": ("rater", "annotator", "worker", "judge"),
}
"""The column names that each part is looked for under, first match first."""
_REFERENCE = re.compile(r"references?([_ ]?\d+)?|ground_truth", re.IGNORECASE)
_JUDGEMENT = "judgement:"


def read(
    path: Path,
    into: CollectionBuilder,
    *,
    reference: tuple[str, ...] | None = None,
    judgements: Mapping[str, str] | None = None,
    **columns: str | None,
) -> None:
    """Add the rows of a table to a builder."""
    parquet = path.suffix.lower() == ".parquet" or _magic(path) == b"PAR1"
    table = _parquet(path, into) if parquet else _delimited(path, into)
    if table is None:
        return
    header, rows = table
    place = str(path) if parquet else f"{path}:1"
    try:
        mapping = _mapping(header, columns, place)
        references = _references(header, reference, place)
        scores = _judgements(header, judgements, place)
    except CollectionError as error:
        into.problem(error.message, error.where or place)
        return
    reader = RowReader(into, mapping, references, scores)
    for where, row in rows:
        reader.add(row, where)
    reader.flush()
    if not reader.rows and not into.problems:
        into.problem("the table has a header and no rows", str(path))


def _magic(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(4)


def _column(header: list[str], name: str, option: str, place: str) -> str:
    if name in header:
        return name
    hint = nearest(name, header, what="columns")
    raise CollectionError(f"no column {quoted(name)} for option {option!r}{hint}", where=place)


def _mapping(header: list[str], chosen: Mapping[str, str | None], place: str) -> dict[str, str]:
    folded = {h.casefold().strip(): h for h in reversed(header)}
    mapping: dict[str, str] = {}
    for part, names in DEFAULTS.items():
        wanted = chosen.get(part)
        if wanted is not None:
            mapping[part] = _column(header, wanted, part, place)
            continue
        found = next((folded[n] for n in names if n in folded), None)
        if found is not None:
            mapping[part] = found
    for part in ("item", "system", "response"):
        if part not in mapping:
            raise CollectionError(
                f"no column for the {part}; name one by --option {part}=COLUMN "
                f"(columns: {', '.join(quoted(h, 40) for h in header[:40])})",
                where=place,
            )
    return mapping


def _references(header: list[str], chosen: tuple[str, ...] | None, place: str) -> list[str]:
    if chosen is not None:
        return [_column(header, name, "reference", place) for name in chosen]
    found = [h for h in header if _REFERENCE.fullmatch(h.strip())]
    return sorted(found, key=lambda h: int("".join(re.findall(r"\d+", h)) or 0))


def _judgements(header: list[str], chosen: Mapping[str, str] | None, place: str) -> dict[str, str]:
    if chosen is not None:
        return {d: _column(header, c, "judgements", place) for d, c in chosen.items()}
    return {h.removeprefix(_JUDGEMENT): h for h in header if h.startswith(_JUDGEMENT)}


def _delimited(
    path: Path, into: CollectionBuilder
) -> tuple[list[str], Iterator[tuple[str, Row]]] | None:
    text = whole_text(path, into)
    if text is None:
        return None
    first = text.split("\n", 1)[0]
    tabs = path.suffix.lower() == ".tsv" or first.count("\t") > first.count(",")
    # A field may be as long as it likes; the module's own limit is 128 KiB.
    csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))
    lines = csv.reader(io.StringIO(text, newline=""), delimiter="\t" if tabs else ",", strict=True)
    try:
        header = next(lines)
    except csv.Error as error:
        into.problem(f"invalid CSV: {error}", f"{path}:1")
        return None
    twice = next((h for k, h in enumerate(header) if h in header[:k]), None)
    if twice is not None:
        into.problem(f"two columns are called {quoted(twice)}; rename one", f"{path}:1")
        return None
    return header, _csv_rows(path, into, header, lines)


def _csv_rows(
    path: Path, into: CollectionBuilder, header: list[str], lines: Iterator[list[str]]
) -> Iterator[tuple[str, Row]]:
    number = 1 + getattr(lines, "line_num", 1) - 1
    while True:
        start = number + 1
        try:
            cells = next(lines)
        except StopIteration:
            return
        except csv.Error as error:
            into.problem(f"invalid CSV: {error}; quote cells and double inner quotes",
                         f"{path}:{start}")  # fmt: skip
            # Where a quote is open there is no telling where the next row starts.
            return
        number = getattr(lines, "line_num", start)
        if not cells:
            continue
        if len(cells) != len(header):
            into.problem(
                f"{len(cells)} cells, and the header has {len(header)} columns; quote cells that "
                "hold the delimiter or a line break",
                f"{path}:{start}",
            )
            continue
        yield f"{path}:{start}", dict(zip(header, cells, strict=True))


def _parquet(
    path: Path, into: CollectionBuilder
) -> tuple[list[str], Iterator[tuple[str, Row]]] | None:
    if path.stat().st_size == 0:
        into.problem("the file is empty", str(path))
        return None
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path)
        header = list(table.column_names)
        if len(set(header)) != len(header):
            raise InputError("two columns have the same name; rename one")
        batches = table.to_batches(max_chunksize=10_000)
        rows = [row for batch in batches for row in batch.to_pylist()]
    except InputError as error:
        into.problem(error.message, str(path))
        return None
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())[:200]
        into.problem(f"not a readable Parquet file ({reason})", str(path))
        return None
    return header, ((f"{path}: row {n}", row) for n, row in enumerate(rows, 1))


def _sniff(head: bytes) -> bool:
    return head.startswith(b"PAR1")


_COLUMN = "the column of the {}; default: the first of {}"
FORMAT = Format(
    name="table",
    summary="CSV, TSV or Parquet, one row a response",
    suffixes=(".csv", ".tsv", ".parquet"),
    read=read,
    write=write,
    losses=losses,
    sniff=_sniff,
    options=(
        *(Option(part, _COLUMN.format(part, ", ".join(n))) for part, n in DEFAULTS.items()),
        Option(
            "reference",
            "the columns of the references; default: reference, reference_1, reference_2, …",
            kind="list",
        ),
        Option(
            "judgements",
            "dimensions and their columns, Overall=overall_col,…; default: judgement:… columns",
            kind="mapping",
        ),
    ),
)
