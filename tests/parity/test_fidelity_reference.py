"""Fidelity against algorithm 1 in plain Python, and against SciPy's tests."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from convoscope.collection import Collection, Item, Judgement, Response, Run
from convoscope.meta import correlation, fidelity, kendall_tau_b
from convoscope.scores import ScoreTable

SYSTEMS = ["A", "B", "C", "D"]


def algorithm_1(dialogues, metric, judgement):
    """POSSCORE, algorithm 1, line by line, over the pairs whose judgements differ (section 4.1)."""
    total = correct = 0
    hits = []
    for d in dialogues:
        for r1, r2 in itertools.combinations(SYSTEMS, 2):
            if judgement[d, r1] == judgement[d, r2]:
                continue
            if math.isnan(metric[d, r1]) or math.isnan(metric[d, r2]):
                hits.append(math.nan)
                continue
            total += 1
            delta_x = metric[d, r1] - metric[d, r2]
            delta_star = judgement[d, r1] - judgement[d, r2]
            if delta_x * delta_star > 0:
                correct += 1
            hits.append(float(delta_x * delta_star > 0))
    return correct / total, np.array(hits)


@pytest.fixture(scope="module", params=range(5))
def study(request):
    rng = np.random.default_rng(request.param)
    dialogues = [f"d{n}" for n in range(60)]
    cells = list(itertools.product(dialogues, SYSTEMS))
    ratings = {c: rng.integers(1, 6, size=3) for c in cells}
    judgement = {c: math.fsum(v) / 3 for c, v in ratings.items()}
    metrics = {}
    for n, (grid, gaps) in enumerate([(0.0, 0.0), (0.25, 0.0), (0.1, 0.15), (0.0, 0.05)]):
        values = {c: judgement[c] / 4 + rng.normal() for c in cells}
        if grid:
            values = {c: round(v / grid) * grid for c, v in values.items()}
        metrics[f"m{n}"] = {c: math.nan if rng.random() < gaps else v for c, v in values.items()}
    collection = Collection(
        name="simulated",
        items=tuple(Item(d) for d in dialogues),
        runs=tuple(Run(s, "unknown", tuple(Response(d, "x") for d in dialogues)) for s in SYSTEMS),
        judgements=tuple(
            Judgement(f"r{k}", d, s, "Overall", float(v))
            for (d, s), row in ratings.items()
            for k, v in enumerate(row)
        ),
    )
    table = ScoreTable(
        items=tuple(d for d, _ in cells),
        systems=tuple(s for _, s in cells),
        ranks=np.ones(len(cells), np.int64),
        values={m: np.array([v[c] for c in cells]) for m, v in metrics.items()},
        signatures={m: m for m in metrics},
        collection="simulated",
    )
    return collection, table, {m: algorithm_1(dialogues, v, judgement) for m, v in metrics.items()}


def test_predictive_power_is_algorithm_1(study):
    collection, table, reference = study
    result = fidelity(table, collection, "Overall", n_boot=0)
    for metric, (value, hits) in reference.items():
        row = result[metric]
        assert row.value == value
        assert row.unscored == int(np.isnan(hits).sum())
        assert row.pairs == int((~np.isnan(hits)).sum())
        np.testing.assert_array_equal(result.outcomes[metric] > 0, hits == 1.0)


def test_p_is_scipys_paired_t_test(study):
    collection, table, reference = study
    result = fidelity(table, collection, "Overall", baseline="m0", n_boot=0)
    for metric in ("m1", "m2", "m3"):
        a, b = reference[metric][1], reference["m0"][1]
        expected = stats.ttest_rel(a, b, nan_policy="omit").pvalue
        assert result[metric].p == pytest.approx(expected, rel=1e-9)


def test_tau_is_scipys(study):
    _, table, _ = study
    result = correlation(table)
    for (i, a), (j, b) in itertools.product(enumerate(table.metrics), repeat=2):
        expected = stats.kendalltau(table[a], table[b], nan_policy="omit").statistic
        assert result.tau[i, j] == pytest.approx(expected, abs=1e-12)


def test_tau_is_its_definition():
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 6, 40).astype(float), rng.integers(0, 6, 40).astype(float)
    signs = [
        (np.sign(x[i] - x[j]), np.sign(y[i] - y[j]))
        for i, j in itertools.combinations(range(40), 2)
    ]
    s = sum(a * b for a, b in signs)
    n1, n2 = sum(a != 0 for a, _ in signs), sum(b != 0 for _, b in signs)
    assert kendall_tau_b(x, y) == pytest.approx(s / math.sqrt(n1 * n2), abs=1e-12)
