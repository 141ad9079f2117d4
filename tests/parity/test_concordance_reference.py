"""The concordance kernel against algorithm 4 in plain Python, and SciPy's tests on its samples."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from convoscope.meta.concordance import concordance_counts, concordance_p


def sign(x):
    return int(x > 0) - int(x < 0)


def algorithm_4(m1, m2, golds, ties):
    """Meta-evaluation, algorithm 4; the golds together as in table 10. Returns the counts."""
    items, systems = m1.shape
    disagreements = 0
    sample = []  # (topic, M1 agrees, M2 agrees) of each disagreement that the golds scored
    for r1, r2 in itertools.combinations(range(systems), 2):
        for t in range(items):
            d1 = m1[t, r1] - m1[t, r2]
            d2 = m2[t, r1] - m2[t, r2]
            if math.isnan(d1) or math.isnan(d2):
                continue
            apart = d1 * d2 < 0 if ties == "product" else sign(d1) != sign(d2)
            if not apart:
                continue
            disagreements += 1
            stars = [g[t, r1] - g[t, r2] for g in golds]
            if any(math.isnan(d) for d in stars):
                continue
            if ties == "product":
                agree = [all(d * s >= 0 for s in stars) for d in (d1, d2)]
            else:
                agree = [all(sign(d) == sign(s) for s in stars) for d in (d1, d2)]
            sample.append((t, *agree))
    return disagreements, sample


def case(seed, systems, gaps):
    rng = np.random.default_rng(seed)
    base = rng.normal(size=(30, systems))
    values = base + rng.normal(size=(6, 30, systems))
    # Grids of exact binary fractions: ties are exact for both.
    for k, grid in enumerate([0.5, 0.25, 0.5, 2.0]):
        values[k] = np.round(values[k] / grid) * grid
    values[rng.random(values.shape) < gaps] = np.nan
    return values


PAIRS = list(itertools.combinations(range(4), 2))
GOLDS = [[4], [0], [5, 3], [3, 4, 5]]


@pytest.mark.parametrize("ties", ["product", "sign"])
@pytest.mark.parametrize("gaps", [0.0, 0.1])
@pytest.mark.parametrize("systems", [1, 2, 3, 8, 11, 12, 23])
def test_counts_are_algorithm_4s(ties, gaps, systems):
    values = case(systems, systems, gaps)
    disagreements, counts = concordance_counts(values, PAIRS, GOLDS, ties=ties)
    for g, q in itertools.product(range(len(GOLDS)), range(len(PAIRS))):
        a, b = PAIRS[q]
        n, sample = algorithm_4(values[a], values[b], [values[m] for m in GOLDS[g]], ties)
        assert disagreements[q] == n
        per_item = {}
        for t, one, two in sample:
            s, k = per_item.get(t, (0, 0))
            per_item[t] = (s + one - two, k + 1)
        expected = [
            len(sample),
            sum(x[1] for x in sample),
            sum(x[2] for x in sample),
            sum(x[1] and x[2] for x in sample),
            sum(s * s for s, _ in per_item.values()),
            sum(s * k for s, k in per_item.values()),
            sum(k * k for _, k in per_item.values()),
            len(per_item),
        ]
        assert counts[g, q].tolist() == expected


def test_p_values_are_scipys():
    values = case(7, 6, 0.05)
    _, counts = concordance_counts(values, [(0, 1)], [[4]])
    _, sample = algorithm_4(values[0], values[1], [values[4]], "product")
    cell = counts[0, 0]
    one = np.array([x[1] for x in sample], float)
    two = np.array([x[2] for x in sample], float)
    paired = stats.ttest_rel(one, two).pvalue
    assert concordance_p(cell, "t")[0] == pytest.approx(paired, rel=1e-9)
    first, second = int((one > two).sum()), int((two > one).sum())
    binomial = stats.binomtest(first, first + second).pvalue
    assert concordance_p(cell, "sign")[0] == pytest.approx(binomial, rel=1e-9)
    # The ratio's linearised variance over items, from its definition.
    items = np.array([x[0] for x in sample])
    ids = np.unique(items)
    s = np.array([(one - two)[items == t].sum() for t in ids])
    n = np.array([(items == t).sum() for t in ids])
    r = s.sum() / n.sum()
    k = len(ids)
    error = math.sqrt(k / (k - 1) * ((s - r * n) ** 2).sum()) / n.sum()
    expected = 2 * stats.t.sf(abs(r / error), k - 1)
    assert concordance_p(cell, "items")[0] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("ties", ["product", "sign"])
def test_any_number_of_threads(ties, monkeypatch):
    values = np.concatenate([case(s, 9, 0.02) for s in range(120)], axis=1)
    found = []
    for threads in ("1", "2", "8"):
        monkeypatch.setenv("CONVOSCOPE_THREADS", threads)
        d, c = concordance_counts(values, PAIRS, GOLDS, ties=ties)
        found.append(d.tobytes() + c.tobytes())
    assert len(set(found)) == 1
