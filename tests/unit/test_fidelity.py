"""Predictive power by hand (POSSCORE, algorithm 1): every pair, ties, gaps, degenerate input."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from convoscope.collection import Collection, Item, Judgement, Response, Run
from convoscope.errors import InputError
from convoscope.meta import correlation, fidelity, kendall_tau_b, predictive_power, preference_pairs
from convoscope.meta.pairs import paired_t_test
from convoscope.meta.ties import dense_ranks, difference_signs
from convoscope.metrics import Metric, register
from convoscope.scores import ScoreTable

NAN = float("nan")


def make(judged, scored, dimension="Overall"):
    """Build a collection and table from {item: {system: ratings}} and {metric: {item: {…}}}."""
    systems = list(dict.fromkeys(s for row in judged.values() for s in row))
    collection = Collection(
        name="toy",
        items=tuple(Item(i) for i in judged),
        runs=tuple(Run(s, "unknown", tuple(Response(i, "x") for i in judged)) for s in systems),
        judgements=tuple(
            Judgement(f"r{n}", i, s, dimension, float(v))
            for i, row in judged.items()
            for s, ratings in row.items()
            for n, v in enumerate(ratings)
        ),
    )
    rows = [(i, s) for i in judged for s in systems]
    return collection, ScoreTable(
        items=tuple(i for i, _ in rows),
        systems=tuple(s for _, s in rows),
        ranks=np.ones(len(rows), np.int64),
        values={
            m: np.array([cells.get(i, {}).get(s, NAN) for i, s in rows])
            for m, cells in scored.items()
        },
        signatures={m: m for m in scored},
        collection="toy",
    )


# Two dialogues, three systems. Mean judgements: d1 A 4, B 3, C 3; d2 A 1, B 2, C 5.
# Pairs: d1 AB (A better), d1 AC (A better), d1 BC equal: no pair; d2 BA, CA, CB.
JUDGED = {
    "d1": {"A": [4, 4], "B": [2, 4], "C": [3, 3]},
    "d2": {"A": [1, 1], "B": [2, 2], "C": [5, 5]},
}
SCORED = {
    # d1 AB .9 > .1 right, AC .9 > .5 right; d2 BA .4 > .2 right, CA .2 = .2 tie, CB .2 < .4 wrong
    "M": {"d1": {"A": 0.9, "B": 0.1, "C": 0.5}, "d2": {"A": 0.2, "B": 0.4, "C": 0.2}},
    # d1 AB .3 > .2 right, AC unscored; d2 BA wrong, CA wrong, CB right
    "N": {"d1": {"A": 0.3, "B": 0.2}, "d2": {"A": 0.8, "B": 0.1, "C": 0.5}},
}


def test_every_step_of_algorithm_1():
    collection, table = make(JUDGED, SCORED)
    result = fidelity(table, collection, "Overall", n_boot=50)
    assert result.pairs.names() == [
        ("d1", "A", "B"),
        ("d1", "A", "C"),
        ("d2", "B", "A"),
        ("d2", "C", "A"),
        ("d2", "C", "B"),
    ]
    assert result.pairs.equal == 1
    assert result.pairs.difference.tolist() == [1, 1, 1, 4, 3]
    assert result.outcomes["M"].tolist() == [1, 1, 1, 0, -1]
    np.testing.assert_array_equal(result.outcomes["N"], [1, NAN, -1, -1, 1])
    m, n = result["M"], result["N"]
    assert (m.value, m.pairs, m.correct, m.ties, m.unscored) == (3 / 5, 5, 3, 1, 0)
    assert (n.value, n.pairs, n.correct, n.ties, n.unscored) == (2 / 4, 4, 2, 0, 1)
    assert result.baseline == "M"
    assert [r.metric for r in result.rows] == ["M", "N", "Random"]


def test_half_a_tie():
    collection, table = make(JUDGED, SCORED)
    assert fidelity(table, collection, "Overall", ties="half")["M"].value == 3.5 / 5


def test_p_is_over_the_pairs_that_both_scored():
    collection, table = make(JUDGED, SCORED)
    row = fidelity(table, collection, "Overall", baseline="M")["N"]
    # Differences N - M on the four shared pairs: 0, -1, 0, 1: mean 0, so t = 0.
    assert row.difference == 0.0
    assert row.p == 1.0
    assert row.reason is None


def test_rounding_noise_is_a_tie():
    noise = 0.1 + 0.2  # 0.30000000000000004
    collection, table = make({"d": {"A": [2], "B": [1]}}, {"M": {"d": {"A": noise, "B": 0.3}}})
    row = fidelity(table, collection, "Overall")["M"]
    assert (row.value, row.ties) == (0.0, 1)


def test_tiny_scores_still_differ():
    assert difference_signs(np.array([2e-78]), np.array([1e-78])).tolist() == [1.0]
    np.testing.assert_array_equal(
        difference_signs(np.array([np.inf, np.inf, NAN]), np.array([np.inf, 0.0, 1.0])),
        [0.0, 1.0, NAN],
    )


def test_means_of_the_same_ratings_are_equal_whatever_their_order():
    ratings = {"A": [0.1, 0.2, 0.7], "B": [0.7, 0.1, 0.2], "C": [0.3, 0.3, 0.4]}
    collection, _ = make({"d": ratings}, {"M": {}})
    pairs = preference_pairs(collection, "Overall")
    assert len(pairs) == 0
    assert pairs.equal == 3


def test_a_constant_metric_is_always_wrong_or_half_right():
    collection, table = make(JUDGED, {"M": {i: dict.fromkeys("ABC", 1.0) for i in JUDGED}})
    wrong = fidelity(table, collection, "Overall")["M"]
    assert (wrong.value, wrong.low, wrong.high, wrong.ties) == (0.0, 0.0, 0.0, 5)
    assert fidelity(table, collection, "Overall", ties="half")["M"].value == 0.5


def test_no_pair():
    collection, table = make({"d": {"A": [3], "B": [3]}}, {"M": {"d": {"A": 1.0, "B": 0.0}}})
    row = fidelity(table, collection, "Overall")["M"]
    assert (row.value, row.low, row.p, row.pairs) == (None, None, None, 0)
    assert row.reason == "no pair of responses differs"


def test_one_system():
    collection, table = make({"d": {"A": [3]}}, {"M": {"d": {"A": 1.0}}})
    result = fidelity(table, collection, "Overall")
    assert result["M"].value is None
    assert result.baseline is None


def test_a_metric_without_any_score():
    collection, table = make(JUDGED, {"M": SCORED["M"], "Empty": {}})
    row = fidelity(table, collection, "Overall")["Empty"]
    assert (row.value, row.pairs, row.unscored) == (None, 0, 5)
    assert row.reason == "no pair has both responses scored"


def test_a_metric_that_never_disagrees_with_the_baseline():
    collection, table = make(JUDGED, {"M": SCORED["M"], "Same": SCORED["M"]})
    result = fidelity(table, collection, "Overall")
    assert result.baseline == "M"
    assert result["M"].reason == "the baseline itself"
    same = result["Same"]
    assert (same.p, same.difference) == (None, 0.0)
    assert same.reason == "no disagreement with the baseline"


def test_reasons_for_no_p():
    one, two = np.array([1.0, NAN]), np.array([0.0, 1.0])
    assert paired_t_test(one, two)[1] == "fewer than two pairs that the baseline scores too"
    assert "no variance" in paired_t_test(np.ones(4), np.zeros(4))[1]


def test_excluded_systems_make_no_pairs():
    collection, table = make(JUDGED, SCORED)
    result = fidelity(table, collection, "Overall", exclude=["C"])
    assert result.pairs.names() == [("d1", "A", "B"), ("d2", "B", "A")]
    assert result.signature["exclude"] == ["C"]
    assert result["M"].value == 1.0


def test_unjudged_responses_are_counted_and_make_no_pairs():
    judged = {"d1": {"A": [4], "B": [2], "C": [1]}, "d2": {"A": [1], "B": [2]}}
    collection, table = make(judged, {"M": {}})
    pairs = preference_pairs(collection, "Overall")
    assert len(pairs) == 4
    assert pairs.unjudged == 1
    # A response that the table lacks is unscored, never silently wrong.
    assert fidelity(table, collection, "Overall")["M"].unscored == 4


def test_lower_ranked_responses_play_no_part():
    collection, table = make({"d": {"A": [4], "B": [2]}}, {"M": {"d": {"A": 1.0, "B": 0.0}}})
    more = ScoreTable(
        items=(*table.items, "d"),
        systems=(*table.systems, "A"),
        ranks=np.array([1, 1, 2]),
        values={"M": np.array([1.0, 0.0, -5.0])},
        signatures=table.signatures,
        collection="toy",
    )
    assert fidelity(more, collection, "Overall")["M"].value == 1.0


def test_random_is_near_a_half_and_repeatable():
    rng = np.random.default_rng(0)
    judged = {f"d{n}": {s: [rng.random()] for s in "ABCD"} for n in range(300)}
    collection, table = make(judged, {"M": {}})
    first, second, other = (
        fidelity(table, collection, "Overall", seed=s, n_boot=20).rows[-1] for s in (0, 0, 1)
    )
    assert first == second
    assert first.value != other.value
    assert first.value == pytest.approx(0.5, abs=0.04)


def test_intervals_hold_the_value_and_the_seed_repeats_them():
    rng = np.random.default_rng(0)
    judged = {f"d{n}": {s: [rng.random()] for s in "ABC"} for n in range(50)}
    scored = {i: {s: v[0] + rng.random() for s, v in row.items()} for i, row in judged.items()}
    collection, table = make(judged, {"M": scored})
    a, b = (fidelity(table, collection, "Overall", seed=3) for _ in range(2))
    assert a.to_json() == b.to_json()
    assert a["M"].low < a["M"].value < a["M"].high
    assert fidelity(table, collection, "Overall", n_boot=0)["M"].low is None


def test_a_metric_where_lower_is_better():
    @register
    @dataclass(frozen=True, repr=False)
    class LowerIsBetterHere(Metric):
        """A made-up metric."""

        title = summary = source = empty = "made up"
        higher_is_better: ClassVar[bool] = False

        def compute(self, batch):
            raise AssertionError("its scores are made up too")

    collection, table = make(JUDGED, {"LowerIsBetterHere": SCORED["M"]})
    outcomes = fidelity(table, collection, "Overall").outcomes["LowerIsBetterHere"]
    assert outcomes.tolist() == [-1, -1, -1, 0, 1]


def test_json_carries_what_checks_the_rows():
    collection, table = make(JUDGED, SCORED)
    result = fidelity(table, collection, "Overall").to_json()
    again = json.loads(json.dumps(result, allow_nan=False))
    assert again["study"] == "fidelity"
    assert again["outcomes"]["M"] == "+++=-"
    assert again["outcomes"]["N"] == "+?--+"
    assert again["pairs"]["better"] == ["A", "A", "B", "C", "C"]
    assert again["results"][0]["value"] == 0.6
    assert again["signature"]["ties"] == "wrong"


@pytest.mark.parametrize(
    "change",
    [{"ties": "half"}, {"seed": 1}, {"n_boot": 7}, {"level": 0.9}, {"exclude": ["A"]}],
)
def test_whatever_changes_a_number_changes_the_digest(change):
    collection, table = make(JUDGED, SCORED)
    plain = fidelity(table, collection, "Overall")
    assert fidelity(table, collection, "Overall", **change).digest != plain.digest


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"dimension": "Overal"}, "did you mean 'Overall'"),
        ({"exclude": ["a"]}, "did you mean 'A'"),
        ({"metrics": ["O"]}, "no scores of metric 'O'.*known metrics: M, N"),
        ({"baseline": "m"}, "did you mean 'M'"),
        ({"ties": "halves"}, "did you mean 'half'"),
        ({"n_boot": -1}, "0 or more"),
        ({"seed": -1}, "0 or more"),
        ({"level": 95.0}, "between 0 and 1"),
    ],
)
def test_errors_teach(arguments, message):
    collection, table = make(JUDGED, SCORED)
    with pytest.raises(InputError, match=message):
        fidelity(table, collection, **{"dimension": "Overall", **arguments})


def test_scores_of_another_collection():
    collection, _ = make(JUDGED, SCORED)
    _, other = make({"e": {"A": [1], "B": [2]}}, {"M": {"e": {"A": 1.0, "B": 2.0}}})
    with pytest.raises(InputError, match="none of the judged responses"):
        fidelity(other, collection, "Overall")


def test_predictive_power_of_outcomes():
    assert predictive_power(np.array([1.0, -1.0, 0.0, NAN])) == 1 / 3
    assert predictive_power(np.array([NAN])) is None


def test_ranks_merge_what_ties():
    assert dense_ranks(np.array([0.3, 1.0, 0.1 + 0.2, -1.0])).tolist() == [1, 2, 1, 0]
    assert dense_ranks(np.array([])).tolist() == []


def test_correlation_leaves_out_gaps_and_says_when_there_is_none():
    _, table = make(JUDGED, {**SCORED, "Flat": {i: dict.fromkeys("ABC", 1.0) for i in JUDGED}})
    result = correlation(table)
    assert result.responses[0, 1] == 5
    assert result.tau[0, 0] == 1.0
    assert np.isnan(result.tau[0, 2])
    rows = result.to_table()
    assert [(r["metric"], r["other"]) for r in rows] == [("M", "N"), ("M", "Flat"), ("N", "Flat")]
    assert rows[1]["tau"] is None
    assert "constant" in rows[1]["reason"]
    assert correlation(table, exclude=["C"]).responses[0, 0] == 4
    # By hand: 12, 13, 14 concordant, 24, 34 discordant, 23 tied in b: (3 - 2) / sqrt(6 · 5).
    tau = kendall_tau_b(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 3.0, 3.0, 2.0]))
    assert tau == pytest.approx((3 - 2) / np.sqrt(6 * 5))
