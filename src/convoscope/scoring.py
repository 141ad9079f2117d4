"""Scoring: a collection and metrics make a score table, block by block.

A block is a range of items with the responses of every system, so that all the texts that an
item shares (its references, equal responses) are analysed once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from convoscope.collection import Collection
from convoscope.errors import InputError, MetricError
from convoscope.metrics import Batch, Metric, MetricLike, as_metric
from convoscope.metrics.base import Need
from convoscope.scores import ScoreTable

__all__ = ["Block", "Evaluation", "blocks", "evaluate", "score", "score_block"]

BLOCK_RESPONSES = 20_000

_ADVICE: dict[Need, str] = {
    "reference": "add 'references' to its items",
    "context": "add 'context' to its items",
}
_REASONS: dict[Need, str] = {
    "reference": "the item has no reference",
    "context": "the item has no context",
}


@dataclass(frozen=True)
class Block:
    """A range of a collection's items and the responses to them, in row order."""

    number: int
    """Place in the sequence of blocks, from 0."""
    rows: tuple[tuple[str, str, int, str], ...]
    """(item id, system, rank, text) of each response."""


def blocks(collection: Collection, size: int = BLOCK_RESPONSES) -> Iterator[Block]:
    """Cut a collection into blocks of about `size` responses.

    Rows run by item, then system (in the order of the runs), then rank.
    """
    by_item: dict[str, list[tuple[str, str, int, str]]] = {i.id: [] for i in collection.items}
    for run in collection.runs:
        for response in run.responses:
            by_item[response.item].append((response.item, run.system, response.rank, response.text))
    number = 0
    rows: list[tuple[str, str, int, str]] = []
    for responses in by_item.values():
        rows += responses
        if len(rows) >= size:
            yield Block(number, tuple(rows))
            number, rows = number + 1, []
    if rows:
        yield Block(number, tuple(rows))


def check_needs(collection: Collection, metrics: Sequence[Metric]) -> None:
    """Refuse metrics that no item of the collection can satisfy, before any work is done.

    Raises
    ------
    MetricError
        Names the metric, what it lacks and how to add it.
    """
    if not collection.n_responses:
        raise InputError(
            f"{collection.name} has no responses to score; add records of type 'response'"
        )
    has: dict[Need, bool] = {
        "reference": any(i.references for i in collection.items),
        "context": any(i.context for i in collection.items),
    }
    for metric in metrics:
        for need in sorted(metric.requirements):
            if not has.get(need, True):
                raise MetricError(
                    f"{metric} needs a {need}, and no item of {collection.name} has one; "
                    f"{_ADVICE[need]}"
                )


def score(
    collection: Collection,
    metrics: Sequence[MetricLike],
    *,
    progress: Callable[[int, int], None] | None = None,
) -> ScoreTable:
    """Score every response of a collection with every metric, in memory.

    Parameters
    ----------
    collection
        Items, references and runs.
    metrics
        Metrics, metric classes or canonical names.
    progress
        Called with (responses done, responses in all) after each block.

    Returns
    -------
    ScoreTable
        One row per response; NaN with a reason where a metric has no value.

    Raises
    ------
    MetricError
        A metric is unknown, or needs what the collection lacks.

    Notes
    -----
    :class:`convoscope.rundir.RunDirectory` does the same on disk, and resumes.
    """
    if not isinstance(collection, Collection):
        raise InputError(
            f"expected a Collection, got {type(collection).__name__}; "
            "read one with convoscope.load(format, path)"
        )
    chosen = unique_metrics(metrics)
    check_needs(collection, chosen)
    parts = []
    done = 0
    for block in blocks(collection):
        parts.append(score_block(collection, block, chosen))
        done += len(block.rows)
        if progress is not None:
            progress(done, collection.n_responses)
    return ScoreTable.concatenate(parts)


def unique_metrics(metrics: Sequence[MetricLike]) -> list[Metric]:
    """Return the metrics as values, each once, in order.

    Raises
    ------
    MetricError
        There is none.
    """
    if isinstance(metrics, str | Metric | type):
        metrics = [metrics]
    chosen = list(dict.fromkeys(as_metric(m) for m in metrics))
    if not chosen:
        raise MetricError("no metric given; name at least one, as in 'METEOR'")
    return chosen


def score_block(collection: Collection, block: Block, metrics: Sequence[Metric]) -> ScoreTable:
    """Score the responses of one block."""
    item = {row[0]: collection.item(row[0]) for row in block.rows}
    batch = Batch.from_strings(
        [row[3] for row in block.rows],
        [item[row[0]].references for row in block.rows],
        [[u.text for u in item[row[0]].context] for row in block.rows],
    )
    values: dict[str, NDArray[np.float64]] = {}
    reasons: dict[str, Mapping[int, str]] = {}
    for metric in metrics:
        values[str(metric)], why = compute(metric, batch)
        if why:
            reasons[str(metric)] = why
    return ScoreTable(
        items=tuple(row[0] for row in block.rows),
        systems=tuple(row[1] for row in block.rows),
        ranks=np.array([row[2] for row in block.rows], np.int64),
        values=values,
        signatures={str(m): m.signature() for m in metrics},
        reasons=reasons,
        collection=collection.name,
    )


def compute(metric: Metric, batch: Batch) -> tuple[NDArray[np.float64], dict[int, str]]:
    """Return the values of all rows, and the reason of each row without one."""
    reasons: dict[int, str] = {}
    counts: dict[Need, NDArray[np.int64]] = {
        "reference": np.diff(batch.reference_offsets),
        "context": np.diff(batch.context_offsets),
    }
    ready = np.ones(len(batch), np.bool_)
    for need in sorted(metric.requirements & counts.keys()):
        for row in np.flatnonzero((counts[need] == 0) & ready).tolist():
            reasons[row] = _REASONS[need]
        ready &= counts[need] > 0
    if ready.all():
        values = metric.compute(batch)
    else:
        values = np.full(len(batch), np.nan)
        if ready.any():
            values[ready] = metric.compute(batch.select(np.flatnonzero(ready)))
    for row in np.flatnonzero(np.isnan(values) & ready).tolist():
        reasons[row] = f"{type(metric).__name__} is undefined for this response"
    return values, reasons


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The values of metrics on loose responses, see :func:`evaluate`."""

    metrics: tuple[Metric, ...]
    """The metrics."""
    values: NDArray[np.float64]
    """Shape (metrics, responses); NaN = not scored."""
    reasons: tuple[Mapping[int, str], ...]
    """For each metric: row → why there is no value."""

    def __getitem__(self, metric: MetricLike) -> NDArray[np.float64]:
        """Return the values of one metric, shape (responses,)."""
        wanted = as_metric(metric)
        if wanted not in self.metrics:
            raise MetricError(f"{wanted} was not evaluated; these were: {self.names}")
        row: NDArray[np.float64] = self.values[self.metrics.index(wanted)]
        return row

    @property
    def names(self) -> list[str]:
        """The canonical names of the metrics."""
        return [str(m) for m in self.metrics]

    @property
    def means(self) -> dict[str, float]:
        """Canonical name → mean over the scored responses (NaN when there is none)."""
        return {
            name: float(np.mean(row[~np.isnan(row)])) if (~np.isnan(row)).any() else math.nan
            for name, row in zip(self.names, self.values, strict=True)
        }

    @property
    def signatures(self) -> dict[str, str]:
        """Canonical name → long signature."""
        return {str(m): m.signature() for m in self.metrics}

    def __str__(self) -> str:
        lines = [f"{name}  {mean:.4f}" for name, mean in self.means.items()]
        return "\n".join(lines)


def evaluate(
    metric: MetricLike | Sequence[MetricLike],
    *,
    candidates: Sequence[str],
    references: Sequence[str] | Sequence[Sequence[str]] | None = None,
    contexts: Sequence[Sequence[str]] | None = None,
) -> Evaluation:
    """Score loose responses: the quick case, without a collection.

    Parameters
    ----------
    metric
        One metric or several: values, classes or canonical names.
    candidates
        The responses.
    references
        For each response its reference, or its list of references.
    contexts
        For each response the utterances before it, oldest first.

    Returns
    -------
    Evaluation
        ``evaluate(...)["METEOR"]`` is an array with one value per response.

    Raises
    ------
    InputError
        The lists are ragged or transposed, or hold something else than strings.
    MetricError
        A metric is unknown, or needs what was not given.

    Examples
    --------
    >>> import convoscope
    >>> result = convoscope.evaluate(
    ...     "BLEU(n=1)", candidates=["i like chess"], references=["i like chess"]
    ... )
    >>> result.means
    {'BLEU(n=1)': 1.0}
    """
    one = isinstance(metric, str | Metric | type)
    chosen = unique_metrics([metric] if one else metric)  # type: ignore[list-item, arg-type]
    texts = _strings(candidates, "candidates")
    nested = _nested(references, "references", texts) if references is not None else None
    before = _nested(contexts, "contexts", texts) if contexts is not None else None
    for m in chosen:
        for need, given in (("reference", nested), ("context", before)):
            if need in m.requirements and given is None:
                raise MetricError(f"{m} needs {need}s; pass {need}s=[…]")
    batch = Batch.from_strings(texts, nested, before)
    results = [compute(m, batch) for m in chosen]
    return Evaluation(
        metrics=tuple(chosen),
        values=np.array([v for v, _ in results]),
        reasons=tuple(r for _, r in results),
    )


def _strings(values: object, name: str) -> Sequence[str]:
    texts = _sized(values, name)
    for i, value in enumerate(texts):
        if not isinstance(value, str):
            raise InputError(f"expected a string, got {type(value).__name__}", where=f"{name}[{i}]")
    return texts


def _sized(values: object, name: str) -> Sequence[Any]:
    """Return the values if they are a list or something like it, never a string."""
    if isinstance(values, str | bytes) or not isinstance(values, Sequence):
        if hasattr(values, "tolist"):  # arrays and series
            return list(values.tolist())
        raise InputError(f"must be a list of strings, got {type(values).__name__}", where=name)
    return values


def _nested(values: object, name: str, candidates: Sequence[str]) -> list[Sequence[str]]:
    given = _sized(values, name)
    n = len(candidates)
    flat = sum(isinstance(v, str) for v in given)
    if flat not in (0, len(given)):
        usual = flat * 2 > len(given)
        odd = next(i for i, v in enumerate(given) if isinstance(v, str) != usual)
        raise InputError(
            "mixes strings and lists; give every candidate one string, or every candidate a list",
            where=f"{name}[{odd}]",
        )
    if flat:
        inner: list[Sequence[str]] = [[str(v)] for v in given]
    else:
        inner = [_strings(v, f"{name}[{i}]") for i, v in enumerate(given)]
    if len(given) != n:
        transposed = not flat and {len(v) for v in inner} == {n}
        hint = (
            f"; they look transposed (sacrebleu's order): pass list(zip(*{name}))"
            if transposed
            else ""
        )
        raise InputError(f"{len(given)} {name} for {n} candidates; give one entry each{hint}")
    return inner
