"""Score tables: metric × response → value, with a reason wherever there is none."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from convoscope.errors import InputError, nearest

__all__ = ["ScoreTable"]

_KEYS = ("item", "system", "rank")
_UNSCORED = "unscored"
_METADATA = b"convoscope"


@dataclass(frozen=True, eq=False, repr=False)
class ScoreTable:
    """The values of metrics on responses.

    Row i is the response of ``systems[i]`` with rank ``ranks[i]`` to item ``items[i]``.
    """

    items: tuple[str, ...]
    """Item id of each row."""
    systems: tuple[str, ...]
    """System of each row."""
    ranks: NDArray[np.int64]
    """Rank of each row, shape (n,)."""
    values: Mapping[str, NDArray[np.float64]]
    """Canonical metric name → values, shape (n,); NaN = not scored."""
    signatures: Mapping[str, str]
    """Canonical metric name → long signature."""
    reasons: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    """Metric name → row → why there is no value."""
    collection: str = ""
    """Name of the collection."""

    def __len__(self) -> int:
        return len(self.items)

    def __repr__(self) -> str:
        return f"<ScoreTable of {self.collection!r}: {len(self)} responses x {list(self.values)}>"

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics' canonical names."""
        return tuple(self.values)

    def __getitem__(self, metric: object) -> NDArray[np.float64]:
        """Return the values of a metric (a metric value or its name), one per row."""
        return self.values[self.name_of(metric)]

    def name_of(self, metric: object) -> str:
        """Return the canonical name of a metric in this table.

        Raises
        ------
        InputError
            The table has no such metric.
        """
        if str(metric) in self.values:
            return str(metric)
        from convoscope.errors import MetricError
        from convoscope.metrics import as_metric

        try:
            name = str(as_metric(metric))  # type: ignore[arg-type]
        except MetricError:
            name = str(metric)
        if name not in self.values:
            hint = nearest(name, self.values, what="metrics")
            raise InputError(f"no scores of metric {name!r} in this table{hint}")
        return name

    @cached_property
    def digest(self) -> str:
        """What identifies the values: a hash of rows, metrics, signatures and scores."""
        keys = [self.items, self.systems, dict(self.signatures), list(self.values)]
        found = hashlib.sha256(json.dumps(keys, ensure_ascii=False).encode())
        for column in (self.ranks, *self.values.values()):
            found.update(np.ascontiguousarray(column).tobytes())
        return found.hexdigest()[:16]

    @cached_property
    def item_ids(self) -> tuple[str, ...]:
        """The distinct items, in order of first appearance."""
        return tuple(dict.fromkeys(self.items))

    @cached_property
    def system_names(self) -> tuple[str, ...]:
        """The distinct systems, in order of first appearance."""
        return tuple(dict.fromkeys(self.systems))

    @cached_property
    def _cells(self) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
        item_index = {x: i for i, x in enumerate(self.item_ids)}
        system_index = {x: i for i, x in enumerate(self.system_names)}
        rows = np.flatnonzero(self.ranks == 1)
        return (
            rows,
            np.array([item_index[self.items[r]] for r in rows.tolist()], np.intp),
            np.array([system_index[self.systems[r]] for r in rows.tolist()], np.intp),
        )

    def matrix(self, metric: object) -> NDArray[np.float64]:
        """Return first-ranked values as a matrix, shape (items, systems); NaN = missing."""
        rows, item, system = self._cells
        out = np.full((len(self.item_ids), len(self.system_names)), np.nan)
        out[item, system] = self[metric][rows]
        return out

    def write(self, path: Path) -> None:
        """Write the table as Parquet: one row per response, one column per metric.

        The column ``unscored`` maps a metric's name to the reason why its value is null; the
        signatures are in the file's metadata.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        columns: dict[str, Any] = {
            "item": pa.array(self.items, pa.string()),
            "system": pa.array(self.systems, pa.string()),
            "rank": pa.array(self.ranks, pa.int64()),
        }
        for name, values in self.values.items():
            columns[name] = pa.array(values, pa.float64(), mask=np.isnan(values))
        rows: list[list[tuple[str, str]]] = [[] for _ in range(len(self))]
        for name, reasons in self.reasons.items():
            for row, reason in reasons.items():
                rows[row].append((name, reason))
        columns[_UNSCORED] = pa.array(rows, pa.map_(pa.string(), pa.string()))
        record = {"version": 1, "collection": self.collection, "signatures": dict(self.signatures)}
        table = pa.table(columns).replace_schema_metadata(
            {_METADATA: json.dumps(record, ensure_ascii=False).encode()}
        )
        temporary = path.with_name(path.name + ".partial")
        pq.write_table(table, temporary, compression="zstd")
        temporary.replace(path)

    @classmethod
    def read(cls, path: Path) -> ScoreTable:
        """Read a table that :meth:`write` wrote.

        Raises
        ------
        InputError
            The file is missing or is no score table.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        if not path.is_file():
            raise InputError("no such file; make it with 'convoscope score'", where=str(path))
        try:
            table = pq.read_table(path)
        except (pa.ArrowInvalid, OSError) as error:
            raise InputError("not a Parquet file of scores", where=str(path)) from error
        raw = (table.schema.metadata or {}).get(_METADATA)
        if raw is None:
            raise InputError("a Parquet file, but not one of Convoscope's scores", where=str(path))
        record = json.loads(raw)
        values = {
            name: table.column(name).to_numpy(zero_copy_only=False).astype(np.float64)
            for name in record["signatures"]
        }
        reasons: dict[str, dict[int, str]] = {}
        for row, pairs in enumerate(table.column(_UNSCORED).to_pylist()):
            for name, reason in pairs or ():
                reasons.setdefault(name, {})[row] = reason
        return cls(
            items=tuple(table.column("item").to_pylist()),
            systems=tuple(table.column("system").to_pylist()),
            ranks=table.column("rank").to_numpy(zero_copy_only=False),
            values=values,
            signatures=record["signatures"],
            reasons=reasons,
            collection=record["collection"],
        )

    @classmethod
    def concatenate(cls, parts: Sequence[ScoreTable]) -> ScoreTable:
        """Return one table of the rows of several with the same metrics, in order."""
        first = parts[0]
        reasons: dict[str, dict[int, str]] = {}
        start = 0
        for part in parts:
            for name, rows in part.reasons.items():
                reasons.setdefault(name, {}).update({start + r: w for r, w in rows.items()})
            start += len(part)
        return cls(
            items=tuple(i for p in parts for i in p.items),
            systems=tuple(s for p in parts for s in p.systems),
            ranks=np.concatenate([p.ranks for p in parts]),
            values={m: np.concatenate([p.values[m] for p in parts]) for m in first.metrics},
            signatures=first.signatures,
            reasons=reasons,
            collection=first.collection,
        )
