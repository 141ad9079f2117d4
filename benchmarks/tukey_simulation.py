"""Whether the randomised Tukey HSD test is what it says: error rate and power by simulation.

    python benchmarks/tukey_simulation.py [--collections 2000] [--draws 500]

Every collection has 10 systems and 40 items. In the first scenarios all systems are equal: the
family-wise error (any pair significant at .05) must lie in [.035, .065]. In the last ones a single
system is better by delta standard deviations of the noise: power must grow with delta. The paired
bootstrap, which tests each pair alone, stands beside it for comparison. Exits with 1 when an
expectation fails.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from convoscope.meta.asl import asl_curve, paired_bootstrap, randomised_tukey
from convoscope.parallel import thread_count

ALPHA = 0.05
LOW, HIGH = 0.035, 0.065
ITEMS, SYSTEMS = 40, 10
Maker = Callable[[np.random.Generator], NDArray[np.float64]]


def normal(delta: float = 0.0) -> Maker:
    def make(rng: np.random.Generator) -> NDArray[np.float64]:
        rows = rng.normal(size=(ITEMS, SYSTEMS)) + rng.normal(size=(ITEMS, 1))
        rows[:, 0] += delta
        return rows

    return make


def skewed(rng: np.random.Generator) -> NDArray[np.float64]:
    """Most scores near 0, a few high, items of different spread: a BLEU-4."""
    return rng.exponential(size=(ITEMS, SYSTEMS)) ** 2 * rng.random((ITEMS, 1))


def gridded(rng: np.random.Generator) -> NDArray[np.float64]:
    """Ratings 1 to 5 around the item's own level: many ties."""
    return np.clip(
        np.round(3 + rng.normal(size=(ITEMS, SYSTEMS)) + rng.normal(size=(ITEMS, 1))), 1, 5
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--collections", type=int, default=2000)
    parser.add_argument("--draws", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    threads = thread_count()
    # Collections are the unit of work here: one thread within each.
    os.environ["CONVOSCOPE_THREADS"] = "1"

    def rejections(make: Maker, scenario: int) -> tuple[float, float]:
        def one(n: int) -> tuple[bool, bool]:
            rng = np.random.default_rng([args.seed, scenario, n])
            rows = make(rng)
            tukey = asl_curve(randomised_tukey(rows, draws=args.draws, rng=rng))
            boot = asl_curve(paired_bootstrap(rows, draws=args.draws, rng=rng))
            return bool(tukey[0] < ALPHA), bool(boot[0] < ALPHA)

        with ThreadPoolExecutor(threads) as pool:
            found = np.array(list(pool.map(one, range(args.collections))))
        tukey, boot = found.mean(axis=0).tolist()
        return tukey, boot

    table = Table(title=f"share of {args.collections:,} collections with a significant pair")
    for name in ("scenario", "Tukey HSD", "paired bootstrap", "expected of Tukey"):
        table.add_column(name, justify="left" if name == "scenario" else "right")
    held = True
    equal = {"normal": normal(), "skewed": skewed, "grid of five": gridded}
    for scenario, (name, make) in enumerate(equal.items()):
        tukey, boot = rejections(make, scenario)
        held &= LOW <= tukey <= HIGH
        table.add_row(f"equal, {name}", f"{tukey:.4f}", f"{boot:.4f}", f"[{LOW}, {HIGH}]")
    last = 0.0
    for scenario, delta in enumerate((0.3, 0.6, 0.9), start=len(equal)):
        tukey, boot = rejections(normal(delta), scenario)
        held &= tukey > last
        table.add_row(f"one better by {delta}", f"{tukey:.4f}", f"{boot:.4f}", "growing")
        last = tukey
    Console(width=100).print(table)
    print("all expectations held" if held else "an expectation FAILED")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
