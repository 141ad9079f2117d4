"""Reliability by hand: algorithms 1 and 2, the other tests, degenerate input, the study."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

from convoscope.cli.meta import command as meta
from convoscope.collection import Collection, Item, Response, Run
from convoscope.errors import InputError
from convoscope.meta.asl import (
    asl_curve,
    discriminative_power,
    paired_bootstrap,
    parametric_tukey,
    performance_delta,
    randomised_tukey,
)
from convoscope.meta.reliability import reliability
from convoscope.metrics import Metric, register
from convoscope.rundir import RunDirectory
from convoscope.scores import ScoreTable

NAN = float("nan")


def rng(seed=0):
    return np.random.default_rng(seed)


def table(systems="ABC", **metrics):
    """Build a score table from {metric: rows of items}."""
    names = list(systems)
    n = len(next(iter(metrics.values())))
    return ScoreTable(
        items=tuple(f"q{i}" for i in range(n) for _ in names),
        systems=tuple(names * n),
        ranks=np.ones(n * len(names), np.int64),
        values={m: np.array(rows, np.float64).ravel() for m, rows in metrics.items()},
        signatures={m: m for m in metrics},
        collection="toy",
    )


# --- Algorithm 1 by hand -----------------------------------------------------------------------


@pytest.mark.parametrize("items", [2, 3, 5])
def test_two_systems_by_hand(items):
    # Every item says A = 1, B = 0. The difference of the sums is `items` only if no row is swapped
    # or all are: 2 of 2^items outcomes.
    asl = randomised_tukey(np.tile([1.0, 0.0], (items, 1)), draws=20_000, rng=rng())
    assert asl[0, 1] == asl[1, 0] == pytest.approx(2 / 2**items, abs=0.015)
    assert np.isnan(asl[0, 0])


def test_three_systems_by_hand():
    # Two rows (2, 1, 0). The second, permuted against the first, gives sums
    # (4,2,0) (4,1,1) (3,3,0) (3,1,2) (2,3,1) (2,2,2), largest differences 4 3 3 2 2 0.
    # Observed: AC 4, one of six; AB and BC 2, five of six.
    asl = randomised_tukey(np.array([[2.0, 1.0, 0.0]] * 2), draws=20_000, rng=rng())
    assert asl[0, 2] == pytest.approx(1 / 6, abs=0.015)
    assert asl[0, 1] == asl[1, 2] == pytest.approx(5 / 6, abs=0.015)


def test_differences_equal_up_to_rounding_are_ties():
    # A has .1 .2 .3 .4, B has .6: the difference is .4. Leave the .4 where it is; the signed sum
    # of the others must be 0 or more (9 of 16 outcomes, two of them 0) or -.8 or less (3, one of
    # them -.8): ASL 12/16. One of the zeros is 1.0 - .6000000000000001, short only by rounding.
    rows = np.array([[0.1, 0.0], [0.2, 0.0], [0.3, 0.0], [0.0, 0.6], [0.4, 0.0]])
    asl = randomised_tukey(rows, draws=20_000, rng=rng())
    assert asl[0, 1] == pytest.approx(12 / 16, abs=0.015)
    # The rule is relative: tiny scores are scores.
    assert randomised_tukey(rows * 2.0**-300, draws=20_000, rng=rng())[0, 1] == asl[0, 1]


def test_equal_systems_have_asl_one():
    asl = randomised_tukey(np.array([[0.3, 0.3, 1.0], [0.7, 0.7, 0.0]]), draws=50, rng=rng())
    assert asl[0, 1] == 1.0


def test_conventions():
    rows = np.tile([1.0, 0.0], (40, 1))
    assert randomised_tukey(rows, draws=99, rng=rng())[0, 1] == 0.0
    assert randomised_tukey(rows, draws=99, rng=rng(), p_value="plus-one")[0, 1] == 0.01
    other = rng(1).random((8, 3))
    paper = randomised_tukey(other, draws=99, rng=rng())
    plus = randomised_tukey(other, draws=99, rng=rng(), p_value="plus-one")
    assert plus[0, 1] == pytest.approx((99 * paper[0, 1] + 1) / 100)


# --- the other tests by hand -------------------------------------------------------------------


def test_bootstrap_by_hand():
    # z = 1, 3; t = 2 / (sqrt(2) / sqrt(2)) = 2; w = -1, 1. Resamples: (-1,-1) and (1,1) have no
    # variance and an infinite t; (-1,1) and (1,-1) have t = 0. ASL 1/2.
    asl = paired_bootstrap(np.array([[1.0, 0.0], [3.0, 0.0]]), draws=20_000, rng=rng())
    assert asl[0, 1] == pytest.approx(0.5, abs=0.015)


def test_bootstrap_of_constant_differences():
    rows = np.array([[0.1, 0.3, 0.1], [0.5, 0.7, 0.5], [0.2, 0.4, 0.2]])
    asl = paired_bootstrap(rows, draws=50, rng=rng())
    assert asl[0, 2] == 1.0
    assert asl[0, 1] == 0.0


def test_parametric_by_hand():
    # Means 2, 3, 5; items 2, 10/3, 14/3; all 10/3. Residuals 1/3 1/3 -2/3, 0 0 0, -1/3 -1/3 2/3:
    # S_E = 4/3 with 4 degrees of freedom, V = 1/3, sqrt(V / 3) = 1/3. q = 3, 6, 9.
    # Tables: q(.05; 3, 4) = 5.040, q(.01; 3, 4) = 8.120.
    asl = parametric_tukey(np.array([[1.0, 2.0, 3.0], [2.0, 3.0, 5.0], [3.0, 4.0, 7.0]]))
    assert asl[0, 1] > 0.05
    assert 0.01 < asl[1, 2] < 0.05
    assert asl[0, 2] < 0.01
    assert asl[0, 1] == pytest.approx(stats.studentized_range.sf(3, 3, 4))


def test_parametric_without_residuals():
    # Items and systems explain everything: A = B, C always .5 above.
    rows = np.array([[0.1, 0.1, 0.6], [0.4, 0.4, 0.9], [0.2, 0.2, 0.7]])
    asl = parametric_tukey(rows)
    assert asl[0, 1] == 1.0
    assert asl[0, 2] == 0.0


def test_power_curve_and_delta():
    asl = np.array([[NAN, 0.01, 0.2], [0.01, NAN, 0.049], [0.2, 0.049, NAN]])
    rows = np.array([[0.0, 0.4, 0.1], [0.2, 0.8, 0.1]])  # means .1, .6, .1
    assert asl_curve(asl).tolist() == [0.01, 0.049, 0.2]
    assert discriminative_power(asl) == pytest.approx(2 / 3)
    assert discriminative_power(asl, 0.049) == pytest.approx(1 / 3)  # strictly below
    assert performance_delta(rows, asl) == pytest.approx(0.5)
    assert performance_delta(rows, asl, 0.001) is None


@pytest.mark.parametrize(
    ("matrix", "options", "message"),
    [
        (np.ones((1, 3)), {}, "at least two of each"),
        (np.ones((3, 1)), {}, "at least two of each"),
        (np.ones(3), {}, "matrix of scores"),
        (np.array([[1.0, NAN], [1.0, 2.0]]), {}, "not finite"),
        (np.ones((2, 2)), {"draws": 0}, "1 or more"),
        (np.ones((2, 2)), {"p_value": "papr"}, "did you mean 'paper'"),
    ],
)
def test_bad_matrices(matrix, options, message):
    with pytest.raises(InputError, match=message):
        randomised_tukey(matrix, rng=rng(), **options)


# --- the study ---------------------------------------------------------------------------------


# C < B < A on every item. Permuted sums have a standard deviation of 2; the differences are 12.
CLEAR = [[1.0, 0.5, 0.0]] * 24


@dataclass(frozen=True)
class Loss(Metric):
    """Where lower is better."""

    title: ClassVar[str] = "loss"
    summary: ClassVar[str] = "A loss, for tests."
    source: ClassVar[str] = "none"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    empty: ClassVar[str] = "0"
    higher_is_better: ClassVar[bool] = False

    def compute(self, batch):
        return np.zeros(len(batch))


def test_study():
    noise = rng(3).random((24, 3)).tolist()
    result = reliability(table(M=CLEAR, Noise=noise), draws=2000)
    row = result["M"]
    assert (row.value, row.significant, row.pairs, row.items, row.dropped) == (1.0, 3, 3, 24, 0)
    assert row.delta == pytest.approx(0.5)
    assert row.reason is None
    assert result["Noise"].reason == "no significant pair, so no delta"
    assert (result["Noise"].value, result["Noise"].delta) == (0.0, None)
    assert result.curve("M")[-1] < 0.05
    overlap = result.overlap("M", "Noise")
    assert str(overlap) == "3/0/0"
    assert overlap.opposite == ()
    data = result.to_json()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert data["asl"]["M"] == result.asl["M"][[0, 0, 1], [1, 2, 2]].tolist()
    assert data["system_pairs"] == {"first": ["A", "A", "B"], "second": ["B", "C", "C"]}
    with pytest.raises(InputError, match="no metric 'X'"):
        result["X"]


def test_opposite_significance(capsys):
    flipped = [row[::-1] for row in CLEAR]
    result = reliability(table(M=CLEAR, W=flipped), draws=2000)
    overlap = result.overlap("M", "W")
    assert str(overlap) == "0/3/0"
    assert overlap.opposite == (("A", "B"), ("A", "C"), ("B", "C"))
    result.print()
    printed = capsys.readouterr().out
    assert "opposite: A > C by M, A < C by W" in printed
    assert "100.0%" in printed


def test_lower_is_better_is_no_opposite():
    register(Loss)
    flipped = [row[::-1] for row in CLEAR]
    result = reliability(table(M=CLEAR, Loss=flipped), draws=2000)
    assert result.overlap("M", "Loss").opposite == ()


@pytest.mark.parametrize("method", ["tukey", "bootstrap", "parametric"])
def test_missing_scores_drop_the_item_for_that_metric_only(method):
    full = rng(2).random((12, 3))
    holes = full.copy()
    holes[3, 1] = NAN
    holes[7] = NAN
    holes[9, 0] = np.inf
    result = reliability(table(M=full, H=holes), method=method, draws=200)
    assert (result["H"].items, result["H"].dropped, result["M"].dropped) == (9, 3, 0)
    kept = np.delete(full, [3, 7, 9], axis=0)
    assert result.means["H"] == pytest.approx(kept.mean(axis=0))
    alone = reliability(table(H=holes), method=method, draws=200)
    assert np.array_equal(alone.asl["H"], result.asl["H"], equal_nan=True)
    if method == "bootstrap":
        assert np.array_equal(
            paired_bootstrap(kept, draws=200, rng=rng(0)), result.asl["H"], equal_nan=True
        )


@pytest.mark.parametrize("method", ["tukey", "bootstrap", "parametric"])
@pytest.mark.parametrize(
    ("systems", "rows", "reason"),
    [
        ("A", [[0.1], [0.2], [0.4]], "1 system: a comparison needs two"),
        ("ABC", [[0.1, 0.2, 0.3]], "one item with a score of every system: a test needs two"),
        ("ABC", [[0.4] * 3] * 5, "every system has the same score on every item"),
        ("AB", [[0.1 + 0.2, 0.3], [0.0, 0.0]], "every system has the same score on every item"),
        ("AB", [[NAN, 0.3], [NAN, 0.0]], "no scores of A: exclude it to compare the others"),
        ("AB", [[NAN, 0.3], [0.1, NAN]], "no item has a score of every system"),
        ("AB", [[NAN, NAN]] * 3, "no scores at all"),
    ],
)
def test_degenerate_input_has_a_reason(method, systems, rows, reason, capsys):
    result = reliability(table(systems, M=rows), method=method, draws=20)
    assert (result["M"].value, result["M"].delta, result["M"].reason) == (None, None, reason)
    assert result.curve("M") is None
    assert result.overlap("M", "M") is None
    result.print()
    assert reason in capsys.readouterr().out
    json.dumps(result.to_json(), allow_nan=False)


def test_exclusion():
    scores = table(M=CLEAR)
    assert reliability(scores, exclude=["B"], draws=50).systems == ("A", "C")
    none = reliability(scores, exclude=["A", "B", "C"], draws=50)
    assert none["M"].reason == "0 systems: a comparison needs two"
    with pytest.raises(InputError, match="no system 'Z'"):
        reliability(scores, exclude=["Z"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "tuky"}, "did you mean 'tukey'"),
        ({"p_value": "plus"}, "plus-one"),
        ({"draws": 0}, "draws=0"),
        ({"alpha": 1.0}, "between 0 and 1"),
        ({"seed": -1}, "seed=-1"),
        ({"metrics": ["N"]}, "no scores of metric 'N'"),
    ],
)
def test_bad_parameters(options, message):
    with pytest.raises(InputError, match=message):
        reliability(table(M=CLEAR), **options)


def test_signature_holds_what_can_change_a_number():
    scores = table(M=CLEAR)
    digests = {
        reliability(scores, **options).digest
        for options in (
            {}, {"draws": 10}, {"alpha": 0.1}, {"p_value": "plus-one"}, {"seed": 1},
            {"method": "bootstrap"}, {"method": "parametric"}, {"exclude": ["A"]},
        )
    }  # fmt: skip
    assert len(digests) == 8
    assert "seed" not in reliability(scores, method="parametric").signature


# --- the command -------------------------------------------------------------------------------


def test_command(tmp_path):
    texts = {"A": "i love the blue guitar", "B": "the weather is nice", "C": "yes"}
    collection = Collection(
        name="toy",
        items=tuple(Item(f"q{n}", references=(f"i love the blue guitar {n}",)) for n in range(9)),
        runs=tuple(
            Run(s, "unknown", tuple(Response(f"q{n}", t) for n in range(9)))
            for s, t in texts.items()
        ),
    )
    RunDirectory(tmp_path / "run").score(collection, ["ROUGE_L", "BLEU(n=1)"])
    arguments = [
        "reliability", str(tmp_path / "run"), "--json", "-m", "ROUGE_L", "--draws", "50",
        "--alpha", "0.1", "--p-value", "plus-one", "--seed", "4", "--exclude-system", "C",
    ]  # fmt: skip
    done = CliRunner().invoke(meta, arguments, catch_exceptions=False)
    data = json.loads(done.stdout)
    assert data == json.loads((tmp_path / "run/results/reliability.json").read_text("utf-8"))
    signature = data["signature"]
    assert (signature["draws"], signature["alpha"], signature["seed"]) == (50, 0.1, 4)
    assert signature["p_value"] == "plus-one"
    assert data["systems"] == ["A", "B"]
    done = CliRunner().invoke(
        meta, ["reliability", str(tmp_path / "run"), "--method", "parametric"]
    )
    assert "disc. power" in done.output
    assert (tmp_path / "run/results/reliability-parametric.json").is_file()
