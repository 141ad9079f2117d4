"""Agreement of raters: published examples, hand-worked cases, scikit-learn, degenerate input."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from convoscope.collection import Collection, Item, Judgement
from convoscope.errors import InputError
from convoscope.meta.agreement import (
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    leave_one_out,
    mean_cohen_kappa,
    rater_agreement,
)

NAN = math.nan
# Krippendorff: Computing Krippendorff's alpha-reliability (2011), section D.
KRIPPENDORFF = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
)
# The classical example of Fleiss' kappa: 14 raters, 10 units, 5 categories; counts.
FLEISS = [
    [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
]  # fmt: skip


def ratings_of(counts):
    return np.array([[c for c, n in enumerate(row) for _ in range(n)] for row in counts], float).T


@pytest.mark.parametrize(
    ("level", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_krippendorffs_published_example(level, alpha):
    assert krippendorff_alpha(KRIPPENDORFF, level) == pytest.approx(alpha, abs=5e-4)


def test_fleiss_classical_example():
    assert round(fleiss_kappa(ratings_of(FLEISS)), 3) == 0.210


def test_fleiss_by_hand_with_a_missing_rating():
    # Units: {a, a}, {a, b, b}, {b} (one rating: left out).
    # Agreement: 2·1/(2·1) = 1; (1·0 + 2·1)/(3·2) = 1/3; mean 2/3.
    # Shares of a: 1, 1/3, mean 2/3; of b 1/3. Chance: 4/9 + 1/9 = 5/9.
    # κ = (2/3 - 5/9) / (1 - 5/9) = (1/9) / (4/9) = 1/4.
    ratings = np.array([[0, 0, 1], [0, 1, NAN], [NAN, 1, NAN]])
    assert fleiss_kappa(ratings) == pytest.approx(0.25)


def test_alpha_by_hand():
    # Two raters, two units: (0, 0), (0, 2). Values: 0 three times, 2 once, n = 4.
    # Coincidences: unit 1 gives o00 = 2, unit 2 o02 = o20 = 1.
    # Observed (interval): 2 · 4 = 8. Expected: 2 · 3 · 1 · 4 / 3 = 8. α = 0.
    ratings = np.array([[0.0, 0.0], [0.0, 2.0]])
    assert krippendorff_alpha(ratings, "interval") == pytest.approx(0.0)
    # Opposite raters do worse than chance: (0, 1), (1, 0): observed 4, expected 2·2·2/3; α = -1/2.
    assert krippendorff_alpha(np.array([[0.0, 1.0], [1.0, 0.0]])) == pytest.approx(-0.5)


def test_cohen_by_hand():
    # 4 units: agree on 3 (a, a, b), once (a, b). p_o = 3/4.
    # Rater 1: a 3/4; rater 2: a 2/4. p_e = 3/4·1/2 + 1/4·1/2 = 1/2. κ = 1/2.
    kappa = cohen_kappa(np.array([0.0, 0, 1, 0]), np.array([0.0, 0, 1, 1]))
    assert kappa == pytest.approx(0.5)


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
@pytest.mark.parametrize("seed", range(5))
def test_cohen_is_scikit_learns(weights, seed):
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 5, 80).astype(float)
    b = np.where(rng.random(80) < 0.5, a, rng.integers(0, 5, 80))
    expected = cohen_kappa_score(a, b, weights=None if weights == "none" else weights)
    assert cohen_kappa(a, b, weights=weights) == pytest.approx(expected, abs=1e-12)
    holes = rng.random(80) < 0.2
    shared = cohen_kappa_score(
        a[~holes], b[~holes], labels=range(5), weights=None if weights == "none" else weights
    )
    b[holes] = NAN
    ours = cohen_kappa(a, b, weights=weights, categories=np.arange(5.0))
    assert ours == pytest.approx(shared, abs=1e-12)


def naive_alpha(ratings, level):
    """α from its definition: mean cost of pairs within units against that of all pairs."""
    units = [[v for v in column if not math.isnan(v)] for column in ratings.T]
    units = [u for u in units if len(u) > 1]
    flat = [v for u in units for v in u]

    def cost(x, y):
        if level == "nominal":
            return float(x != y)
        if level == "interval":
            return (x - y) ** 2
        low, high = min(x, y), max(x, y)
        between = sum(low <= v <= high for v in flat)
        return (between - (flat.count(low) + flat.count(high)) / 2) ** 2 if x != y else 0.0

    within = sum(
        cost(u[i], u[j]) / (len(u) - 1)
        for u in units
        for i in range(len(u))
        for j in range(len(u))
        if i != j
    ) / len(flat)
    n = len(flat)
    every = sum(cost(flat[i], flat[j]) for i in range(n) for j in range(n) if i != j)
    return 1 - within / (every / (n * (n - 1)))


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("seed", range(4))
def test_alpha_from_its_definition(level, seed):
    rng = np.random.default_rng(seed)
    ratings = rng.integers(1, 6, (4, 15)) + rng.integers(0, 3, 15)[None, :] + 0.0
    ratings[rng.random(ratings.shape) < 0.3] = NAN
    assert krippendorff_alpha(ratings, level) == pytest.approx(naive_alpha(ratings, level))


def test_leave_one_out_is_scipys():
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 4, 40)
    ratings = (truth + rng.integers(-1, 2, (3, 40))).astype(float)
    ratings[0, :10] = NAN
    pearson, spearman = [], []
    for k in range(3):
        use = ~np.isnan(ratings[k])
        others = np.nanmean(np.delete(ratings, k, axis=0), axis=0)[use]
        pearson.append(stats.pearsonr(ratings[k][use], others).statistic)
        spearman.append(stats.spearmanr(ratings[k][use], others).statistic)
    got = leave_one_out(ratings)
    assert got[:2] == (pytest.approx(np.mean(pearson)), pytest.approx(np.mean(spearman)))
    assert got[2] == 3


def test_degenerate_ratings_are_nan():
    constant = np.ones((3, 4))
    assert math.isnan(cohen_kappa(constant[0], constant[1]))
    assert math.isnan(fleiss_kappa(constant))
    assert math.isnan(krippendorff_alpha(constant))
    assert leave_one_out(constant)[2] == 0
    alone = np.array([[1.0, 2.0, NAN], [NAN, NAN, 3.0]])
    assert math.isnan(cohen_kappa(alone[0], alone[1]))
    assert mean_cohen_kappa(alone)[1] == 0
    assert math.isnan(fleiss_kappa(alone))
    assert math.isnan(krippendorff_alpha(alone, "ordinal"))
    one_rater = np.array([[1.0, 2.0]])
    assert leave_one_out(one_rater)[2] == 0
    assert math.isnan(fleiss_kappa(np.empty((0, 0))))
    perfect = np.array([[1.0, 2.0, 5.0]] * 2)
    assert cohen_kappa(*perfect) == fleiss_kappa(perfect) == krippendorff_alpha(perfect) == 1.0


def test_wrong_parameters():
    with pytest.raises(InputError, match="did you mean 'ordinal'"):
        krippendorff_alpha(KRIPPENDORFF, "ordnal")
    with pytest.raises(InputError, match="did you mean 'linear'"):
        cohen_kappa(np.ones(2), np.ones(2), weights="liner")


def collection(rows):
    items = tuple(Item(i) for i in dict.fromkeys(r[1] for r in rows))
    return Collection(
        name="c",
        items=items,
        judgements=tuple(Judgement(r, i, "S", d, float(v)) for r, i, d, v in rows),
    )


def test_study_over_dimensions():
    units = [(i, r) for i in range(12) for r in range(4) if not math.isnan(KRIPPENDORFF[r, i])]
    rows = [(f"r{r}", f"i{i}", "Quality", KRIPPENDORFF[r, i]) for i, r in units]
    rows += [("r0", "i0", "Alone", 1), ("r1", "i1", "Alone", 2)]
    rows += [("r0", "i0", "Same", 1), ("r1", "i0", "Same", 1)]
    result = rater_agreement(collection(rows))
    quality, alone, same = result.rows
    assert (quality.units, quality.shared, quality.raters, quality.ratings) == (12, 11, 4, 41)
    assert quality.alpha_nominal == pytest.approx(0.743, abs=5e-4)
    assert quality.reason is None
    assert (alone.fleiss, alone.reason) == (None, "no response has two ratings")
    assert same.reason == "all ratings are equal: agreement needs variation"
    assert result.to_json()["results"][1]["cohen"] is None
    assert result.lines()[2][3] == "–"
    (only,) = rater_agreement(collection(rows), ["Same"]).rows
    assert only.dimension == "Same"
    with pytest.raises(InputError, match="did you mean 'Quality'"):
        rater_agreement(collection(rows), ["quality"])
    with pytest.raises(InputError, match="no judgements"):
        rater_agreement(Collection("empty"))
