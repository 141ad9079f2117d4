"""Pairwise accuracies: golden values of mt-metrics-eval's code, by hand, degenerate input."""

from __future__ import annotations

import json
import math
from itertools import combinations

import numpy as np
import pytest

from convoscope.errors import InputError
from convoscope.meta.pairwise import (
    calibrated_accuracy,
    pairwise_accuracy,
    random_signs,
    soft_pairwise_accuracy,
)

NAN = math.nan
HUMANS = ["Original Ground Truth", "New Human Generated"]


@pytest.fixture(scope="module")
def unieval(data):
    """Judgements and UniEval's predictions on Topical-Chat, (items, systems), and the systems."""
    path = data / "usr" / "unieval_topical_chat_predictions.json"
    if not path.is_file():
        pytest.skip("no corpora here")
    rows = json.loads(path.read_text("utf-8"))
    items = list(dict.fromkeys((r["source"], r["context"]) for r in rows))
    systems = list(dict.fromkeys(r["system_id"] for r in rows))
    out = np.full((2, len(items), len(systems)), NAN)
    for r in rows:
        place = items.index((r["source"], r["context"])), systems.index(r["system_id"])
        out[(0, *place)] = r["scores"]["overall"]
        out[(1, *place)] = r["predict_scores"]["overall"]
    return out[0], out[1], systems


@pytest.mark.parametrize(
    ("left_out", "pa", "spa", "acc"),
    [(0, 0.6667, 0.7221, 0.7400), (1, 0.5000, 0.5845, 0.7117), (2, 0.1667, 0.3075, 0.5778)],
)
def test_golden_values_on_unieval(unieval, left_out, pa, spa, acc):
    h, m, systems = unieval
    keep = [k for k, s in enumerate(systems) if s not in HUMANS[:left_out]]
    h, m = h[:, keep], m[:, keep]
    assert round(pairwise_accuracy(h, m)[0], 4) == pa
    assert round(calibrated_accuracy(h, m).value, 4) == acc
    # The authors' permutations: 1,000 draws of seed 4. In single precision, as they add, the golden
    # value comes out; ours differs by the ties between permuted and observed difference, which
    # single precision lets fall either way.
    draws = np.rint(np.random.default_rng(4).random((1000, len(h)), dtype=np.float32))
    signs = (2 * draws - 1).astype(np.int8)
    assert round(single_precision_spa(h, m, signs), 4) == spa
    assert soft_pairwise_accuracy(h, m, signs)[0] == pytest.approx(spa, abs=0.004)
    many = random_signs(len(h), 20_000, np.random.default_rng(0))
    assert soft_pairwise_accuracy(h, m, many)[0] == pytest.approx(spa, abs=0.012)


def single_precision_spa(h, m, signs):
    """SPA with sums of float32, as the authors' code has them."""
    soft = []
    for a, b in combinations(range(h.shape[1]), 2):
        p = []
        for x in (h.T.astype(np.float32), m.T.astype(np.float32)):
            permuted = signs.astype(np.float32) @ x.T
            p.append(np.mean(permuted[:, a] - permuted[:, b] >= x[a].sum() - x[b].sum()))
        soft.append(1 - abs(p[0] - p[1]))
    return float(np.mean(soft))


def acc_eq(h, m, epsilon):
    """Deutsch et al., equation 7 at one ε, averaged over items."""
    per_item = []
    for x, y in zip(h, m, strict=True):
        hits = [
            np.sign(x[a] - x[b]) == (0 if abs(y[a] - y[b]) <= epsilon else np.sign(y[a] - y[b]))
            for a, b in combinations(range(len(x)), 2)
            if not np.isnan([x[a], x[b], y[a], y[b]]).any()
        ]
        if hits:
            per_item.append(np.mean(hits))
    return np.mean(per_item)


@pytest.mark.parametrize("seed", range(6))
def test_calibration_is_the_best_of_all_epsilons(seed):
    rng = np.random.default_rng(seed)
    h = rng.integers(0, 3, (12, 5)).astype(float)
    m = np.round((h + rng.normal(size=h.shape)) * 8) / 8
    m[rng.random(m.shape) < 0.1 * (seed % 3)] = NAN
    sizes = np.abs(m[:, :, None] - m[:, None, :])
    every = [0.0, *np.unique(sizes[~np.isnan(sizes)])]
    values = [acc_eq(h, m, e) for e in every]
    got = calibrated_accuracy(h, m)
    assert got.value == pytest.approx(max(values))
    assert acc_eq(h, m, got.epsilon) == pytest.approx(max(values))
    assert got.uncalibrated == pytest.approx(values[0])
    assert all(
        v < max(values) - 1e-9 for v, e in zip(values, every, strict=True) if e < got.epsilon
    )


def test_pairwise_accuracy_by_hand():
    # Means of raters 1, 2, 2; of the metric 1, 3, 2: A-B alike, A-C alike, B-C a tie against more.
    h = np.array([[1.0, 2, 2], [1, 2, 2]])
    m = np.array([[0.0, 4, 2], [2, 2, 2]])
    assert pairwise_accuracy(h, m) == (pytest.approx(2 / 3), 3)
    # Without C's scores, one pair is left.
    m[:, 2] = NAN
    assert pairwise_accuracy(h, m) == (1.0, 1)


def test_soft_pairwise_accuracy_by_hand():
    # All four permutations of two items. Raters: differences 1, 1: only (+, +) reaches 2, p = 1/4.
    # Metric: differences 1, -1, total 0: (+, +), (+, -) = 2 and (-, -) = 0 reach 0, p = 3/4.
    signs = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]], np.int8)
    h = np.array([[2.0, 1], [2, 1]])
    m = np.array([[2.0, 1], [1, 2]])
    assert soft_pairwise_accuracy(h, m, signs) == (0.5, 1)
    assert soft_pairwise_accuracy(h, h, signs) == (1.0, 1)


def test_calibration_by_hand():
    # Raters tie; the metric's difference of .5 becomes a tie at ε = .5: from 1/3 to 2/3 and the
    # third pair (1.5, judged apart) stays right.
    h = np.array([[1.0, 1, 2]])
    m = np.array([[0.0, 0.5, 2]])
    got = calibrated_accuracy(h, m)
    assert (got.value, got.epsilon) == (pytest.approx(1.0), 0.5)
    assert got.uncalibrated == pytest.approx(2 / 3)
    assert (got.pairs, got.judged_ties, got.metric_ties) == (3, 1, 1)


def test_degenerate_input():
    none = np.full((3, 2), NAN)
    signs = random_signs(3, 10, np.random.default_rng(0))
    assert math.isnan(pairwise_accuracy(none, none)[0])
    assert math.isnan(soft_pairwise_accuracy(none, none, signs)[0])
    assert math.isnan(calibrated_accuracy(none, none).value)
    one = np.ones((3, 1))
    assert pairwise_accuracy(one, one)[1] == 0
    assert calibrated_accuracy(one, one).pairs == 0
    constant = np.ones((3, 2))
    assert pairwise_accuracy(constant, constant) == (1.0, 1)
    assert calibrated_accuracy(constant, constant).value == 1.0
    with pytest.raises(InputError, match="one shape"):
        pairwise_accuracy(np.ones((3, 2)), np.ones((2, 2)))
    with pytest.raises(InputError, match="signs have shape"):
        soft_pairwise_accuracy(constant, constant, signs[:, :2])
