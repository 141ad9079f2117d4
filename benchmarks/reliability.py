"""Randomised Tukey HSD against NumPy: all metrics of a study, from matrices to ASLs.

    python benchmarks/reliability.py [--draws 1000] [--items 1000] [--systems 23] [--metrics 10]

The promise is about `rng.permuted` per metric; the second peer draws each permutation once for all
metrics, as ours does. The null distributions are compared before any time is believed. Runs of ours
and of the peers alternate. Exits with 1 when the promised ratio does not hold.
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from common import Timing, merged, peak_memory, timed
from convoscope.meta._tukey import permuted_ranges
from convoscope.meta.asl import randomised_tukey
from convoscope.parallel import thread_count

LEAST = 10.0


def per_metric(cube: NDArray[np.float64], draws: int) -> NDArray[np.float64]:
    rng = np.random.default_rng(0)
    out = np.empty((len(cube), draws))
    for m, rows in enumerate(cube):
        permuted = np.empty_like(rows)
        for b in range(draws):
            rng.permuted(rows, axis=1, out=permuted)
            out[m, b] = np.ptp(permuted.sum(axis=0))
    return out


def shared(cube: NDArray[np.float64], draws: int) -> NDArray[np.float64]:
    rng = np.random.default_rng(0)
    _, items, systems = cube.shape
    order = np.tile(np.arange(systems), (items, 1))
    rows = np.arange(items)[:, None]
    stacked = np.ascontiguousarray(cube.transpose(1, 2, 0))
    out = np.empty((len(cube), draws))
    for b in range(draws):
        out[:, b] = np.ptp(stacked[rows, rng.permuted(order, axis=1)].sum(axis=0), axis=0)
    return out


def bandwidth() -> float:
    """Return how many bytes a second one thread reads from memory, measured."""
    block = np.ones(1 << 25)
    timing, _ = timed(block.sum, 5)
    return block.nbytes / timing.best


def additions() -> float:
    """Return how many additions a second one thread does in the nearest cache, measured."""
    a, b = np.zeros(1500), np.ones(1500)

    def work() -> None:
        for _ in range(2000):
            np.add(a, b, out=a)

    timing, _ = timed(work, 5)
    return 1500 * 2000 / timing.best


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    for name, default in (("draws", 1000), ("items", 1000), ("systems", 23), ("metrics", 10)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    rng = np.random.default_rng(1)
    shape = (args.metrics, args.items, args.systems)
    cube = rng.random(shape) + 0.02 * np.arange(args.systems)
    permuted_ranges(cube[:1, :10], 16, rng)

    before = peak_memory()
    randomised_tukey(cube, draws=args.draws, rng=rng)
    after = peak_memory()
    ours: list[Timing] = []
    metric_wise: list[Timing] = []
    together: list[Timing] = []
    for _ in range(args.repeats):
        mine = timed(lambda: randomised_tukey(cube, draws=args.draws, rng=rng), 3)[0]
        ours.append(mine)
        timing, first = timed(lambda: per_metric(cube, args.draws), 1)
        metric_wise.append(timing)
        timing, second = timed(lambda: shared(cube, args.draws), 1)
        together.append(timing)
    null = permuted_ranges(cube, args.draws, np.random.default_rng(2)).mean()
    off = max(abs(null / peer.mean() - 1.0) for peer in (first, second))

    cells = args.draws * args.metrics * args.items * args.systems
    threads = thread_count()
    limits = {
        "scores read once from memory": cube.nbytes / bandwidth(),
        f"every addition, {threads} threads": cells / additions() / threads,
    }
    mine, *peers = (merged(*t) for t in (ours, metric_wise, together))
    table = Table(
        title=f"randomised Tukey HSD, B = {args.draws:,}, {args.systems} systems x {args.items:,} "
        f"items x {args.metrics} metrics, {threads} threads"
    )
    for name in ("", "ms", "ours is", "CPU"):
        table.add_column(name, justify="left" if not name else "right")
    table.add_row("convoscope", f"{1e3 * mine.median:,.1f}", "", "")
    for name, peer in zip(
        ("NumPy, rng.permuted per metric", "NumPy, permutations shared"), peers, strict=True
    ):
        table.add_row(
            name,
            f"{1e3 * peer.median:,.1f}",
            f"{peer.median / mine.median:.1f}x faster",
            f"{peer.cpu / mine.cpu:.1f}x",
        )
    for name, seconds in limits.items():
        table.add_row(
            f"limit: {name}", f"{1e3 * seconds:,.2f}", f"{mine.median / seconds:.0f}x slower", ""
        )
    Console(width=100).print(table)
    print(f"mean of the null distribution: within {off:.2%} of NumPy's")
    print(f"peak memory {before:.0f} MB before, {after:.0f} MB after ours (scores in it)")
    start = time.perf_counter()
    randomised_tukey(cube, draws=100 * args.draws, rng=rng)
    print(f"B = {100 * args.draws:,}: {time.perf_counter() - start:.1f} s")
    held = peers[0].median / mine.median >= LEAST and off < 0.02
    print(f"promised {LEAST:g}x: {'held' if held else 'FAILED'}")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
