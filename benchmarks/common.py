"""What the benchmarks share: pairs to score, a clock, a table."""

from __future__ import annotations

import json
import os
import random
import resource
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from rich.console import Console
from rich.table import Table

T = TypeVar("T")
PROJECT = Path(__file__).resolve().parents[1]


def data_root() -> Path:
    """Return the folder of the corpora (``CONVOSCOPE_DATA``, default ``../shared/data``)."""
    return Path(os.environ.get("CONVOSCOPE_DATA", PROJECT.parent / "shared" / "data"))


def pairs(n: int, words: int = 20, seed: int = 0) -> list[tuple[str, str]]:
    """Return n distinct (candidate, reference) pairs of about `words` words each.

    From DailyDialog++'s responses where the corpus is there: response i and i + 1 to one context
    make a pair, several contexts joined until it is long enough, texts shifted against each other
    from pass to pass so that none comes twice. Elsewhere from words with Zipf's frequencies, half
    of each reference's words taken over into its candidate.
    """
    rng = random.Random(seed)
    path = data_root() / "dailydialog-plusplus" / "train_positives.jsonl"
    source = _corpus_pairs(path, words, rng) if path.is_file() else _zipf_pairs(words, rng)
    found: dict[tuple[str, str], None] = {}
    texts: set[str] = set()
    for pair in source:
        # Distinct texts, not only distinct pairs: a toolkit that interns them must gain nothing.
        if pair[0] not in texts and pair[1] not in texts and pair[0] != pair[1]:
            texts.update(pair)
            found[pair] = None
            if len(found) == n:
                break
    return list(found)


def _corpus_pairs(path: Path, words: int, rng: random.Random) -> Iterator[tuple[str, str]]:
    with path.open(encoding="utf-8") as file:
        groups = [json.loads(line)["positive_responses"] for line in file]
    groups = [g for g in groups if len(g) >= 2]
    while True:
        rng.shuffle(groups)
        left: list[str] = []
        right: list[str] = []
        for group in groups:
            a, b = rng.sample(group, 2)
            left += a.split()
            right += b.split()
            if len(left) + len(right) >= 2 * words:
                yield " ".join(left), " ".join(right)
                left, right = [], []


def _zipf_pairs(words: int, rng: random.Random) -> Iterator[tuple[str, str]]:
    vocabulary = [f"w{i}" for i in range(20_000)]
    weights = [1.0 / (i + 1) for i in range(len(vocabulary))]
    while True:
        size = max(2, words + rng.randrange(-words // 2, words // 2 + 1))
        reference = rng.choices(vocabulary, weights, k=size)
        fresh = rng.choices(vocabulary, weights, k=size)
        mixed = [r if rng.random() < 0.5 else f for r, f in zip(reference, fresh, strict=True)]
        yield " ".join(mixed), " ".join(reference)


@dataclass(frozen=True)
class Timing:
    """How long a call took."""

    best: float
    """Least wall-clock time, in seconds."""
    median: float
    """Median wall-clock time, in seconds."""
    cpu: float
    """Least time the process's threads computed together, in seconds."""


def merged(*timings: Timing) -> Timing:
    """Return what several runs of one call come to together."""
    return Timing(
        min(t.best for t in timings),
        statistics.median(t.median for t in timings),
        min(t.cpu for t in timings),
    )


def timed(fn: Callable[[], T], repeats: int = 5) -> tuple[Timing, T]:
    """Return the timing of `repeats` calls, and what the last one returned."""
    wall, cpu = [], []
    for _ in range(max(1, repeats)):
        start, start_cpu = time.perf_counter(), time.process_time()
        result = fn()
        wall.append(time.perf_counter() - start)
        cpu.append(time.process_time() - start_cpu)
    return Timing(min(wall), statistics.median(wall), min(cpu)), result


@dataclass(frozen=True)
class Row:
    """One line of a report: ours against a peer, over the same input."""

    what: str
    """What was computed."""
    ours: Timing
    """Convoscope's time."""
    peer: Timing
    """The peer's time."""
    n: int
    """How many pairs each call scored."""
    least: float | None = None
    """The ratio that is promised, None where none is."""

    @property
    def ratio(self) -> float:
        """How many times as fast ours is: median against median."""
        return self.peer.median / self.ours.median

    @property
    def cpu_ratio(self) -> float:
        """The same in processor time, all threads counted."""
        return self.peer.cpu / self.ours.cpu


def peak_memory() -> float:
    """Return this process's greatest resident memory so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def report(title: str, rows: Sequence[Row]) -> bool:
    """Print a table of the rows; return whether every promised ratio holds."""
    table = Table(title=f"{title} (peak memory {peak_memory():.0f} MB)")
    for name in ("", "ours, pairs/s", "peer, pairs/s", "ratio", "ratio, CPU", "promised"):
        table.add_column(name, justify="left" if not name else "right")
    for row in rows:
        promise = "" if row.least is None else f"{row.least:g}x"
        failed = row.least is not None and row.ratio < row.least
        cells: list[Any] = [
            row.what,
            f"{row.n / row.ours.median:,.0f}",
            f"{row.n / row.peer.median:,.0f}",
            f"{row.ratio:.1f}x",
            f"{row.cpu_ratio:.1f}x",
            promise + (" FAILED" if failed else ""),
        ]
        table.add_row(*cells)
    Console(width=110).print(table)
    return all(row.least is None or row.ratio >= row.least for row in rows)
