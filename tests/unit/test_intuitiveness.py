"""Intuitiveness: hand-worked cells, readings of ties, the order notation, degenerate input."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest

from convoscope.errors import InputError
from convoscope.meta._order import order_metrics
from convoscope.meta.concordance import concordance_p
from convoscope.meta.intuitiveness import intuitiveness
from convoscope.scores import ScoreTable

NAN = math.nan


def table(**metrics):
    """Metric name → rows (items) of scores of the systems A, B, …"""
    first = np.array(next(iter(metrics.values())), float)
    items, systems = first.shape
    return ScoreTable(
        items=tuple(f"i{i}" for i in range(items) for _ in range(systems)),
        systems=tuple("ABCDEFGH"[s] for _ in range(items) for s in range(systems)),
        ranks=np.ones(items * systems, np.int64),
        values={m: np.array(v, float).ravel() for m, v in metrics.items()},
        signatures={m: m for m in metrics},
        collection="made up",
    )


# Three items, systems A, B, C. Signs of the pairs AB, AC, BC:
#            x          y          g
# item 0:  + + +      - + +      + + +    x and y disagree on AB: g says x
# item 1:  + + 0      - - +      + - 0    AB: g says x; AC: g says y; BC: x ties, no disagreement
# item 2:  - - -      - - +      0 - 0    BC: g ties, agrees with both
X = [[3, 2, 1], [3, 1, 1], [1, 2, 3]]
Y = [[2, 3, 1], [1, 3, 2], [1, 3, 2]]
G = [[3, 2, 1], [2, 1, 3], [1, 1, 1]]


def cell(result, gold=("g",), metric="x"):
    (row,) = [r for r in result.rows if r.gold == gold and r.metric == metric]
    return row


def test_algorithm_4_by_hand():
    # Item 1 of G: A 2, B 1, C 3, so AB +, AC -, BC -. Item 2 of G ties everywhere.
    result = intuitiveness(table(x=X, y=Y, g=G), ["g"], metrics=["x", "y"])
    row = cell(result)
    assert row.disagreements == 4
    # x: item 0 AB, item 1 AB, item 2 BC (a tie of g); y: item 1 AC, item 2 BC.
    assert (row.agree, row.other_agrees, row.both) == (3, 2, 1)
    assert (row.value, row.other_value) == (0.75, 0.5)
    # Differences 1, 1, -1, 0: mean 1/4, variance (3 - 4/16) / 3 = 11/12, t = .25 / sqrt(11/48).
    t = 0.25 / math.sqrt(11 / 48)
    from scipy.stats import t as student

    assert row.p == pytest.approx(2 * student.sf(t, 3))
    assert row.better == 0


def test_sign_comparison_counts_ties_of_a_metric():
    result = intuitiveness(table(x=X, y=Y, g=G), ["g"], metrics=["x", "y"], ties="sign")
    row = cell(result)
    # BC of item 1 joins: x says 0, y says +, g says -: neither agrees. A tie of g agrees with none.
    assert row.disagreements == 5
    assert (row.agree, row.other_agrees, row.both) == (2, 1, 0)
    assert result.signature["ties"] == "sign"


def test_combined_gold_standards_must_all_agree():
    h = [[1, 2, 3], [2, 1, 3], [1, 2, 3]]
    result = intuitiveness(table(x=X, y=Y, g=G, h=h), ["g", "h"], metrics=["x", "y"])
    assert result.golds == (("g",), ("h",), ("g", "h"))
    # h: item 0 AB -, item 1 AB +, AC -, item 2 BC -. x with both: item 1 AB, item 2 BC;
    # y: item 1 AC (g -, h -). Item 0 AB: g says x, h says y, nobody agrees with both.
    row = cell(result, ("g", "h"))
    assert (row.disagreements, row.agree, row.other_agrees, row.both) == (4, 2, 1, 0)
    alone = intuitiveness(table(x=X, y=Y, g=G, h=h), ["g", "h"], combined=False)
    assert len(alone.golds) == 2


def test_a_gold_standard_without_a_score_counts_for_neither():
    g = [[NAN, 2, 1], *G[1:]]
    row = cell(intuitiveness(table(x=X, y=Y, g=g), ["g"], metrics=["x", "y"]))
    assert (row.disagreements, row.unscored) == (4, 1)
    assert (row.agree, row.other_agrees) == (2, 2)
    assert row.value == pytest.approx(2 / 3)
    x = [[NAN, 2, 1], *X[1:]]
    row = cell(intuitiveness(table(x=x, y=Y, g=G), ["g"], metrics=["x", "y"]))
    assert (row.disagreements, row.unscored) == (3, 0)


def test_metrics_are_not_compared_under_themselves():
    result = intuitiveness(table(x=X, y=Y, g=G), ["g"])
    assert {(r.metric, r.other) for r in result.rows} == {("x", "y")}
    both = intuitiveness(table(x=X, y=Y, g=G), ["g", "y"])
    pairs = [(r.metric, r.other) for r in both.rows if r.gold == ("g", "y")]
    assert pairs == [("x", "y"), ("x", "g"), ("y", "g")]


def test_lower_is_better_is_negated(monkeypatch):
    plain = cell(intuitiveness(table(x=X, y=Y, g=G), ["g"], metrics=["x", "y"]))
    monkeypatch.setattr(
        "convoscope.meta.intuitiveness.direction", lambda name: -1 if name == "y" else 1
    )
    y = (-np.array(Y)).tolist()
    assert cell(intuitiveness(table(x=X, y=y, g=G), ["g"], metrics=["x", "y"])) == plain


def test_excluded_systems():
    result = intuitiveness(table(x=X, y=Y, g=G), ["g"], metrics=["x", "y"], exclude=["C"])
    assert result.signature["system_pairs"] == 1
    assert cell(result).disagreements == 2


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"x": X, "y": X, "g": G}, "the two metrics never disagree"),
        ({"x": X, "y": [[1, 1, 1]] * 3, "g": G}, "the two metrics never disagree"),
        ({"x": X, "y": [[NAN] * 3] * 3, "g": G}, "the two metrics never disagree"),
        ({"x": [[1]], "y": [[2]], "g": [[1]]}, "the two metrics never disagree"),
        ({"x": X, "y": Y, "g": [[NAN] * 3] * 3}, "no disagreement that the gold standard scored"),
    ],
)
def test_without_a_disagreement_there_is_no_value(values, reason):
    result = intuitiveness(table(**values), ["g"], metrics=["x", "y"])
    row = cell(result)
    assert (row.value, row.other_value, row.p, row.better) == (None, None, None, None)
    assert row.reason == reason
    data = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert data["orders"] == [{"gold": ["g"], "order": None, "exceptions": []}]
    result.print()


def test_a_gold_standard_that_always_ties_and_one_that_always_agrees():
    row = cell(intuitiveness(table(x=X, y=Y, g=[[1, 1, 1]] * 3), ["g"], metrics=["x", "y"]))
    assert (row.value, row.other_value, row.p) == (1.0, 1.0, None)
    assert row.reason == "on no disagreement does the gold standard prefer one of the two"
    opposite = {"x": [[1, 2]] * 9, "y": [[2, 1]] * 9, "g": [[1, 2]] * 9}
    row = cell(intuitiveness(table(**opposite), ["g"], metrics=["x", "y"]))
    assert (row.value, row.other_value, row.p) == (1.0, 0.0, None)
    assert row.reason == "the same on every disagreement: no variance"
    # The order takes the exact sign test there: 2 / 2^9 < .01.
    assert row.better == 1
    sign = intuitiveness(table(**opposite), ["g"], metrics=["x", "y"], test="sign")
    assert cell(sign).p == pytest.approx(2 / 2**9)
    assert sign.orders[("g",)] == "x > y"


def test_one_item_is_no_sample_of_items():
    counts = np.array([5, 3, 2, 0, 1, 5, 25, 1])
    assert concordance_p(counts, "items") == (None, "only one item with a disagreement")


def test_rounding_is_a_tie_and_tiny_scores_differ():
    noisy = {"x": [[0.1 + 0.2, 0.3]], "y": [[1, 2]], "g": [[1, 2]]}
    assert cell(intuitiveness(table(**noisy), ["g"], metrics=["x", "y"])).disagreements == 0
    # The product of these differences underflows to 0; their signs do not.
    tiny = {"x": [[1e-200, 2e-200]], "y": [[2e-200, 1e-200]], "g": [[1, 2]]}
    assert cell(intuitiveness(table(**tiny), ["g"], metrics=["x", "y"])).disagreements == 1
    infinite = {"x": [[math.inf, 1]], "y": [[1, 2]], "g": [[1, -math.inf]]}
    row = cell(intuitiveness(table(**infinite), ["g"], metrics=["x", "y"]))
    assert (row.disagreements, row.agree) == (1, 1)
    same = {"x": [[math.inf, math.inf]], "y": [[1, 2]], "g": [[1, 2]]}
    assert cell(intuitiveness(table(**same), ["g"], metrics=["x", "y"])).disagreements == 0


# Table 9, MSDialog, SLOR (fluency): M1's share; .50 is no difference.
FLUENCY = {
    "BLEU1": [0.52, 0.52, 0.63, 0.52, 0.51, 0.47, 0.41],
    "BLEU2": [0.51, 0.61, 0.51, 0.50, 0.47, 0.41],
    "METEOR": [0.61, 0.50, 0.49, 0.47, 0.41],
    "ROUGE": [0.39, 0.40, 0.42, 0.37],
    "EA": [0.49, 0.47, 0.41],
    "SCS": [0.47, 0.41],
    "BERTScore": [0.44],
}


def test_the_papers_order_of_fluency():
    names = [*FLUENCY, "BERT-RUBER"]
    verdicts = {
        (a, b): round((FLUENCY[a][k] > 0.5) - (FLUENCY[a][k] < 0.5))
        for i, a in enumerate(names)
        for k, b in enumerate(names[i + 1 :])
    }
    (order, signs), exceptions = order_metrics(names, verdicts)
    line = " ".join(x for m, s in zip(order, ("", *signs), strict=True) for x in (s, m) if x)
    # As printed in section 4.3.3 (a).
    assert line == ("BERT-RUBER > BERTScore > BLEU1 > BLEU2 = SCS > METEOR = EA > ROUGE")
    assert exceptions == []


def test_orders_name_what_a_line_cannot_say():
    names = ["a", "b", "c"]
    chain = {("a", "b"): 0, ("b", "c"): 0, ("a", "c"): 1}
    (order, signs), exceptions = order_metrics(names, chain)
    assert (order, signs, exceptions) == (("a", "b", "c"), ("=", "="), [("a", "c")])
    cycle = {("a", "b"): 1, ("b", "c"): 1, ("a", "c"): -1}
    (order, signs), exceptions = order_metrics(names, cycle)
    assert exceptions == [("a", "c")]
    (order, signs), _ = order_metrics(names, {("a", "b"): 1})
    assert (order, signs) == (("a", "c", "b"), ("?", "?"))
    for verdicts in map(dict, itertools.product(*[[(p, v) for v in (-1, 0, 1)] for p in chain])):
        (order, signs), exceptions = order_metrics(names, verdicts)
        assert sorted(order) == names
        # Nothing is hidden: from the line and its exceptions every verdict can be told.
        for x, y in itertools.combinations(order, 2):
            said = int(">" in signs[order.index(x) : order.index(y)])
            verdict = verdicts.get((x, y), -verdicts.get((y, x), 0))
            assert verdict == said or (x, y) in exceptions


def test_errors_say_what_would_be_right():
    scores = table(x=X, y=Y, g=G)
    with pytest.raises(InputError, match="no gold standard"):
        intuitiveness(scores, [])
    with pytest.raises(InputError, match="no scores of metric 'z'"):
        intuitiveness(scores, ["z"])
    with pytest.raises(InputError, match="did you mean 'sign'"):
        intuitiveness(scores, ["g"], ties="signs")
    with pytest.raises(InputError, match="alpha=2"):
        intuitiveness(scores, ["g"], alpha=2)
    with pytest.raises(InputError, match="no system 'Z'"):
        intuitiveness(scores, ["g"], exclude=["Z"])


def test_false_alarms_of_the_tests():
    # Under no difference the t over items keeps its level; the paper's t takes pairs of systems
    # of one item for independent, and does not.
    rng = np.random.default_rng(0)
    alarms = {"items": 0, "t": 0}
    draws = 400
    for _ in range(draws):
        x, y, g = rng.normal(size=(3, 40, 8))
        scores = table(x=x, y=y, g=g)
        for test in alarms:
            p = cell(intuitiveness(scores, ["g"], metrics=["x", "y"], test=test)).p
            alarms[test] += p < 0.05
    assert 0.03 <= alarms["items"] / draws <= 0.075
    assert alarms["t"] / draws > 0.1
