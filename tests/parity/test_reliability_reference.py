"""Reliability against plain-Python transcriptions, exact enumeration, SciPy and Sakai's data."""

from __future__ import annotations

import csv
from collections import Counter
from itertools import combinations, permutations

import numpy as np
import pytest
from scipy import stats

from convoscope.meta._tukey import DRAWS_PER_BLOCK, _fresh_words
from convoscope.meta.asl import (
    discriminative_power,
    paired_bootstrap,
    parametric_tukey,
    performance_delta,
    randomised_tukey,
)
from convoscope.meta.resampling import bootstrap_counts


def same_permutations(items, systems, draws, rng):
    """Yield for each draw the permutation of each row, from the random words that ours reads.

    Fisher-Yates in exact integers: of a word x, floor(x n / 2^64) picks, x n mod 2^64 goes on.
    """
    key = rng.integers(0, 1 << 32, size=8, dtype=np.uint32).tolist()
    fresh = _fresh_words(systems)
    for block in range(-(-draws // DRAWS_PER_BLOCK)):
        stream = np.random.Generator(
            np.random.PCG64(np.random.SeedSequence(key, spawn_key=(block,)))
        )
        size = (items, DRAWS_PER_BLOCK, int(fresh.sum()))
        words = stream.integers(0, 2**64 - 1, size, np.uint64, endpoint=True).tolist()
        for b in range(min(DRAWS_PER_BLOCK, draws - block * DRAWS_PER_BLOCK)):
            rows = []
            for i in range(items):
                left, out, pool = list(range(systems)), [0] * systems, iter(words[i][b])
                for j in range(systems - 1, 0, -1):
                    if fresh[j]:
                        x = next(pool)
                    picked, x = divmod(x * (j + 1), 2**64)
                    out[j] = left[picked]
                    left[picked] = left[j]
                out[0] = left[0]
                rows.append(out)
            yield rows


def algorithm_1(matrix, draws, rng):
    """Compute ASLs: meta-evaluation, algorithm 1, line by line, in integers: ties are exact."""
    n, m = len(matrix), len(matrix[0])
    total = [sum(row[j] for row in matrix) for j in range(m)]
    count = dict.fromkeys(combinations(range(m), 2), 0)
    for rows in same_permutations(n, m, draws, rng):
        star = [sum(matrix[i][rows[i][j]] for i in range(n)) for j in range(m)]
        largest = max(star) - min(star)
        for r1, r2 in count:
            if largest >= abs(total[r1] - total[r2]):
                count[r1, r2] += 1
    return {pair: c / draws for pair, c in count.items()}


def algorithm_2(matrix, asl, alpha):
    """Compute delta: meta-evaluation, algorithm 2."""
    n = len(matrix)
    deltas = [
        abs(sum(row[r1] - row[r2] for row in matrix)) / n
        for (r1, r2), level in asl.items()
        if level < alpha
    ]
    return min(deltas) if deltas else None


@pytest.mark.parametrize(("items", "systems"), [(6, 3), (20, 5), (40, 11), (9, 25)])
@pytest.mark.parametrize("seed", [0, 1])
def test_algorithms_1_and_2(items, systems, seed):
    rng = np.random.default_rng(seed)
    whole = rng.integers(0, 10, (items, systems)) + 2 * np.arange(systems)
    matrix = whole / 10  # tenths: sums differ in their last bits where integers tie
    ours = randomised_tukey(matrix, draws=150, rng=np.random.default_rng(seed))
    theirs = algorithm_1(whole.tolist(), 150, np.random.default_rng(seed))
    assert {p: ours[p] for p in theirs} == theirs
    for alpha in (0.05, 0.3):
        assert discriminative_power(ours, alpha) == np.mean([v < alpha for v in theirs.values()])
        expected = algorithm_2(matrix.tolist(), theirs, alpha)
        assert performance_delta(matrix, ours, alpha) == pytest.approx(expected)


def exact_levels(matrix):
    """Return the exact ASLs of three systems, by the distribution of their permuted sums."""
    sums = Counter({(0, 0): 1.0})
    for row in matrix:
        grown: Counter[tuple[int, int]] = Counter()
        for order in permutations(row):
            for (a, b), weight in sums.items():
                grown[a + order[0], b + order[1]] += weight / 6
        sums = grown
    whole = int(matrix.sum())
    a, b, c = matrix.sum(axis=0).tolist()
    out = []
    for observed in (abs(a - b), abs(a - c), abs(b - c)):
        reached = [
            w
            for (x, y), w in sums.items()
            if max(x, y, whole - x - y) - min(x, y, whole - x - y) >= observed
        ]
        out.append(sum(reached))
    return out


@pytest.fixture(scope="module")
def sakai(data):
    with (data / "sakai" / "table-5-1.csv").open(encoding="utf-8") as file:
        return np.array([[float(r[s]) for s in "XYZ"] for r in csv.DictReader(file)])


def test_sakai_table_5_1(sakai):
    asl = randomised_tukey(sakai, draws=100_000, rng=np.random.default_rng(0))
    ours = [asl[0, 1], asl[0, 2], asl[1, 2]]
    exact = exact_levels(np.round(10 * sakai).astype(int))
    # By enumeration, to four places; the Monte-Carlo error of 100,000 draws is below .0015.
    assert exact == pytest.approx([0.3038, 0.1066, 0.8916], abs=5e-5)
    assert ours == pytest.approx(exact, abs=0.005)
    # Values of one run of 100,000 draws by another implementation.
    assert ours == pytest.approx([0.301, 0.106, 0.891], abs=0.006)


def test_sakai_table_5_1_parametric(sakai):
    asl = parametric_tukey(sakai)
    # S_E and V from the sums of squares of an analysis of variance, by its textbook formulas.
    n, m = sakai.shape
    whole = (sakai**2).sum() - sakai.sum() ** 2 / (n * m)
    systems = (sakai.sum(axis=0) ** 2).sum() / n - sakai.sum() ** 2 / (n * m)
    items = (sakai.sum(axis=1) ** 2).sum() / m - sakai.sum() ** 2 / (n * m)
    v = (whole - systems - items) / ((n - 1) * (m - 1))
    for a, b in combinations(range(3), 2):
        q = abs(sakai[:, a].mean() - sakai[:, b].mean()) / np.sqrt(v / n)
        assert asl[a, b] == pytest.approx(stats.studentized_range.sf(q, 3, 38), rel=1e-9)


def test_parametric_on_two_systems_is_the_paired_t_test():
    rng = np.random.default_rng(0)
    for _ in range(5):
        rows = rng.normal(size=(15, 2)) + np.array([0.0, 0.4])
        expected = stats.ttest_rel(rows[:, 0], rows[:, 1]).pvalue
        assert parametric_tukey(rows)[0, 1] == pytest.approx(expected, rel=1e-6)


def test_parametric_against_scipys_unpaired_test_on_residuals():
    # Once the items' effects are taken out, Tukey's unpaired test sees the same residuals with
    # (n - 1) m degrees of freedom in place of (n - 1)(m - 1): its q, rescaled, is ours.
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(12, 4)) + rng.normal(size=(12, 1)) + np.array([0.0, 0.2, 0.5, 1.0])
    flat = rows - rows.mean(axis=1, keepdims=True)
    ours = parametric_tukey(rows)
    unpaired = stats.tukey_hsd(*flat.T).pvalue
    n, m = rows.shape
    for a, b in combinations(range(m), 2):
        q = stats.studentized_range.isf(unpaired[a, b], m, (n - 1) * m)
        rescaled = q * np.sqrt((m - 1) / m)
        expected = stats.studentized_range.sf(rescaled, m, (n - 1) * (m - 1))
        assert ours[a, b] == pytest.approx(expected, rel=1e-4)


def test_bootstrap_is_sakais_figure_1():
    rng = np.random.default_rng(2)
    rows = rng.random((25, 4)) + np.array([0.0, 0.05, 0.1, 0.3])
    ours = paired_bootstrap(rows, draws=400, rng=np.random.default_rng(9))
    drawn = np.concatenate(list(bootstrap_counts(25, 400, np.random.default_rng(9))))
    for a, b in combinations(range(4), 2):
        z = rows[:, a] - rows[:, b]
        t = stats.ttest_1samp(z, 0).statistic
        w = z - z.mean()
        samples = [np.repeat(w, counts) for counts in drawn]
        count = sum(abs(stats.ttest_1samp(s, 0).statistic) >= abs(t) for s in samples)
        assert ours[a, b] == count / 400


def test_randomised_and_parametric_agree_on_normal_scores():
    rng = np.random.default_rng(4)
    rows = rng.normal(size=(60, 5)) + rng.normal(size=(60, 1)) + 0.15 * np.arange(5)
    randomised = randomised_tukey(rows, draws=20_000, rng=rng)
    assert np.nanmax(np.abs(randomised - parametric_tukey(rows))) < 0.02
