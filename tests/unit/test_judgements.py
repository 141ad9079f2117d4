"""Correlation with judgements: SciPy's values, UniEval's published ones, degenerate input."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy import stats

from convoscope.collection import Collection, Item, Judgement, Response, Run
from convoscope.errors import InputError
from convoscope.meta.judgements import coefficients, judgement_correlation, level_coefficients
from convoscope.meta.pairwise import calibrated_accuracy, pairwise_accuracy
from convoscope.scores import ScoreTable

NAN = math.nan


def tau_a(x, y):
    n = len(x)
    pairs = [(i, j) for i in range(n) for j in range(i)]
    signs = [np.sign(x[i] - x[j]) * np.sign(y[i] - y[j]) for i, j in pairs]
    return sum(signs) / len(pairs)


@pytest.mark.parametrize("seed", range(5))
def test_coefficients_are_scipys(seed):
    rng = np.random.default_rng(seed)
    x = rng.integers(1, 6, 40).astype(float)
    y = np.round(x + rng.normal(size=40) * 2, seed % 3)
    expected = [
        stats.pearsonr(x, y).statistic,
        stats.spearmanr(x, y).statistic,
        tau_a(x, y),
        stats.kendalltau(x, y).statistic,
        stats.kendalltau(x, y, variant="c").statistic,
    ]
    assert coefficients(x, y) == pytest.approx(expected)
    x[3] = y[5] = NAN
    use = ~(np.isnan(x) | np.isnan(y))
    assert coefficients(x, y) == pytest.approx(coefficients(x[use], y[use]))


def test_spearman_of_unieval_depends_on_the_systems(data):
    path = data / "usr" / "unieval_topical_chat_predictions.json"
    if not path.is_file():
        pytest.skip("no corpora here")
    rows = json.loads(path.read_text("utf-8"))
    humans = ["Original Ground Truth", "New Human Generated"]
    for left_out, expected in ((0, 0.663), (1, 0.604), (2, 0.375)):
        kept = [r for r in rows if r["system_id"] not in humans[:left_out]]
        h = np.array([[r["scores"]["overall"]] for r in kept])
        m = np.array([[r["predict_scores"]["overall"]] for r in kept])
        values, n = level_coefficients(h, m, "pooled")
        assert (round(values[1], 3), n) == (expected, len(kept))


def test_levels_by_hand():
    h = np.array([[1.0, 2, 3], [3, 2, 1], [1, 1, 1]])
    m = np.array([[1.0, 2, 3], [1, 2, 3], [1, 2, 3]])
    # Within items 1, -1, undefined: the mean of two is 0. System means of h are 5/3 each: constant.
    values, n = level_coefficients(h, m, "item")
    assert values == pytest.approx(np.zeros(5))
    assert n == 2
    values, n = level_coefficients(h, m, "system")
    assert np.isnan(values).all()
    assert n == 3
    m[0, 2] = NAN
    assert level_coefficients(h, m, "pooled")[1] == 8


@pytest.mark.parametrize("column", [[1.0, 1, 1], [1.0, NAN, NAN], [NAN] * 3])
def test_degenerate_columns_are_nan(column):
    assert np.isnan(coefficients(np.array(column), np.array([1.0, 2, 3]))).all()


def study(items=30, systems=4, seed=0):
    rng = np.random.default_rng(seed)
    names = "ABCDEFGH"[:systems]
    truth = rng.integers(1, 6, (items, systems)).astype(float)
    collection = Collection(
        name="made up",
        items=tuple(Item(f"i{i}") for i in range(items)),
        runs=tuple(
            Run(s, "unknown", tuple(Response(f"i{i}", "x") for i in range(items))) for s in names
        ),
        judgements=tuple(
            Judgement("r", f"i{i}", s, "Overall", truth[i, k])
            for i in range(items)
            for k, s in enumerate(names)
        ),
    )
    scores = ScoreTable(
        items=tuple(f"i{i}" for i in range(items) for _ in names),
        systems=tuple(s for _ in range(items) for s in names),
        ranks=np.ones(truth.size, np.int64),
        values={
            "good": (truth + rng.normal(size=truth.shape)).ravel(),
            "constant": np.ones(truth.size),
        },
        signatures={"good": "good", "constant": "constant"},
        collection="made up",
    )
    return scores, collection, truth


def test_study():
    scores, collection, truth = study()
    result = judgement_correlation(scores, collection, "Overall", n_boot=200)
    rows = {(r.metric, r.level, r.coefficient): r for r in result.rows}
    pooled = rows["good", "pooled", "spearman"]
    expected = stats.spearmanr(truth.ravel(), scores["good"])
    assert pooled.value == pytest.approx(expected.statistic)
    assert pooled.p == pytest.approx(expected.pvalue)
    assert pooled.low < pooled.value < pooled.high
    assert pooled.n == 120
    matrix = scores.matrix("good")
    within = [stats.pearsonr(a, b).statistic for a, b in zip(truth, matrix, strict=True)]
    item = rows["good", "item", "pearson"]
    assert item.value == pytest.approx(np.mean(within))
    assert item.p == pytest.approx(stats.ttest_1samp(within, 0).pvalue)
    system = rows["good", "system", "tau_b"]
    assert system.value == pytest.approx(stats.kendalltau(truth.mean(0), matrix.mean(0)).statistic)
    flat = rows["constant", "pooled", "pearson"]
    assert (flat.value, flat.low, flat.p) == (None, None, None)
    assert flat.reason == "fewer than two values, or all are equal"
    (good, constant) = json.loads(json.dumps(result.to_json(), allow_nan=False))["pairwise"]
    assert good["pa"] == pairwise_accuracy(truth, matrix)[0]
    assert good["acc_eq"] == calibrated_accuracy(truth, matrix).value
    assert 0 < good["spa"] < 1
    assert (good["system_pairs"], good["response_pairs"]) == (6, 180)
    assert constant["metric_ties"] == 180
    assert result.lines()[1][:3] == ["good", "item", "30"]
    again = judgement_correlation(scores, collection, "Overall", n_boot=200)
    assert again.to_json() == result.to_json()


def test_one_system_and_wrong_arguments():
    scores, collection, _ = study()
    result = judgement_correlation(
        scores, collection, "Overall", exclude=["B", "C", "D"], n_boot=5, metrics=["good"]
    )
    values = {(r.level, r.coefficient): r.value for r in result.rows}
    assert values["system", "pearson"] is None
    assert values["item", "pearson"] is None
    assert values["pooled", "pearson"] is not None
    with pytest.raises(InputError, match="did you mean 'Overall'"):
        judgement_correlation(scores, collection, "overall")
    with pytest.raises(InputError, match="level=2"):
        judgement_correlation(scores, collection, "Overall", level=2)
