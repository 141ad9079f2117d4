"""The concordance test at the paper's size against plain Python and against NumPy.

    python benchmarks/concordance.py [--items 14456] [--systems 23] [--repeats 5]

10 metrics (45 pairs) under 3 gold standards and the three combined. The plain transcription of
algorithm 4 is measured on a slice of the items and extrapolated, one gold standard at a time as
the paper's loop has it. NumPy computes the signs of each metric once, as int8, and each pair's
disagreements once for all gold standards. All three must count the same.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from functools import partial

import numpy as np
from rich.console import Console
from rich.table import Table

from common import Timing, merged, peak_memory, timed
from convoscope.meta.concordance import concordance_counts
from convoscope.parallel import thread_count

METRICS = 10
PAIRS = list(itertools.combinations(range(METRICS), 2))
GOLDS = [[10], [11], [12], [10, 11, 12]]


def made_up(items: int, systems: int) -> np.ndarray:
    """Return correlated scores with ties, shape (13, items, systems)."""
    rng = np.random.default_rng(0)
    base = rng.normal(size=(items, systems))
    values = base + rng.normal(size=(METRICS + 3, items, systems))
    # Overlap metrics tie often, mostly at 0: binary fractions, so that ties are exact everywhere.
    values[::2] = np.maximum(np.round(values[::2] * 16) / 16, 0.0)
    return values


def plain_python(m1: list, m2: list, golds: list[list], systems: int) -> tuple[int, int, int]:
    """Algorithm 4, line by line; several gold standards must all agree."""
    disagreements = conc1 = conc2 = 0
    for r1, r2 in itertools.combinations(range(systems), 2):
        for t in range(len(m1)):
            d1 = m1[t][r1] - m1[t][r2]
            d2 = m2[t][r1] - m2[t][r2]
            if d1 * d2 < 0:
                disagreements += 1
                stars = [g[t][r1] - g[t][r2] for g in golds]
                if all(d1 * star >= 0 for star in stars):
                    conc1 += 1
                if all(d2 * star >= 0 for star in stars):
                    conc2 += 1
    return disagreements, conc1, conc2


def signs_of(values: np.ndarray) -> np.ndarray:
    """Return the signs of all metrics over items and pairs of systems, int8."""
    a, b = np.triu_indices(values.shape[2], 1)
    return np.stack([np.sign(m[:, a] - m[:, b]).astype(np.int8).ravel() for m in values])


def numpy_counts(signs: np.ndarray) -> np.ndarray:
    """Return disagreements and agreements, shape (golds, pairs, 3)."""
    out = np.empty((len(GOLDS), len(PAIRS), 3), np.int64)
    for q, (i, j) in enumerate(PAIRS):
        apart = signs[i] * signs[j] < 0
        one, two = signs[i], signs[j]
        agree = {g: (one * signs[g] >= 0, two * signs[g] >= 0) for g in (10, 11, 12)}
        for k, members in enumerate(GOLDS):
            a, b = apart, apart
            for g in members:
                a = a & agree[g][0]
                b = b & agree[g][1]
            out[k, q] = [np.count_nonzero(x) for x in (apart, a, b)]
    return out


def read_once(values: np.ndarray) -> Timing:
    """Time one pass of the memory that holds the scores (a sum, one thread)."""
    return timed(lambda: values.sum(), 7)[0]


def main() -> None:
    """Compare counts, then time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=14_456)
    parser.add_argument("--systems", type=int, default=23)
    parser.add_argument("--slice", type=int, default=40)
    parser.add_argument("--repeats", type=int, default=5)
    args = parser.parse_args()
    values = made_up(args.items, args.systems)
    pairs = args.systems * (args.systems - 1) // 2
    concordance_counts(values[:, :10], PAIRS, GOLDS)
    before = peak_memory()
    # Interleaved, so that a busy neighbour slows both.
    ours, fast, sign = [], [], []
    for n in range(args.repeats):
        timing, (disagreements, counts) = timed(lambda: concordance_counts(values, PAIRS, GOLDS), 3)
        ours.append(timing)
        if n == 0:
            memory = peak_memory()
        timing, signs = timed(lambda: signs_of(values), 1)
        sign.append(timing)
        timing, expected = timed(partial(numpy_counts, signs), 1)
        fast.append(timing)
    mine, numpy_, numpy_signs = merged(*ours), merged(*fast), merged(*sign)
    np.testing.assert_array_equal(counts[:, :, 1:3], expected[:, :, 1:])
    apart = np.broadcast_to(disagreements, counts.shape[:2])
    np.testing.assert_array_equal(apart, expected[:, :, 0])
    few = values[:, : args.slice].tolist()
    plain, found = timed(
        lambda: [
            [plain_python(few[i], few[j], [few[g] for g in gold], args.systems) for i, j in PAIRS]
            for gold in GOLDS
        ],
        1,
    )
    part = concordance_counts(values[:, : args.slice], PAIRS, GOLDS)[1][:, :, 1:3]
    np.testing.assert_array_equal(part, np.array(found)[:, :, 1:])
    python = plain.median * args.items / args.slice
    limit = read_once(values).best
    decisions = len(PAIRS) * len(GOLDS) * args.items * pairs
    title = (
        f"Concordance: {len(PAIRS)} pairs of metrics x {len(GOLDS)} gold standards over "
        f"{args.items:,} items x {pairs} pairs of systems, {thread_count()} threads"
    )
    table = Table(title=title)
    for name in ("", "seconds", "decisions/s", "ours is faster", "promised"):
        table.add_column(name, justify="left" if not name else "right")
    rows = [
        ("ours, signs included", mine.median, None),
        (f"plain Python, from {args.slice} items", python, 500.0),
        ("NumPy, its signs for nothing", numpy_.median, 5.0),
        ("NumPy, signs computed once", numpy_.median + numpy_signs.median, 5.0),
        ("limit: the scores read once, 1 thread", limit, None),
    ]
    good = True
    for what, seconds, least in rows:
        ratio = seconds / mine.median
        failed = least is not None and ratio < least
        good &= not failed
        promise = "" if least is None else f"{least:g}x" + (" FAILED" if failed else "")
        shown = f"{ratio:,.1f}x" if ratio >= 0.1 else f"1/{1 / ratio:,.1f}x"
        table.add_row(what, f"{seconds:.4f}", f"{decisions / seconds:,.3g}", shown, promise)
    Console(width=120).print(table)
    size = values.nbytes / 2**20
    print(f"scores {size:.0f} MB, read at {values.nbytes / limit / 1e9:.1f} GB/s")
    print(f"memory: {memory:.0f} MB at most, {memory - before:.0f} MB of it above the start")
    good &= memory < 1000
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
