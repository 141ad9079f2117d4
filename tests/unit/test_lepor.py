"""LEPOR worked by hand, every step written out."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest

from convoscope.errors import MetricError
from convoscope.metrics import Batch, parse
from convoscope.metrics.overlap.lepor import LEPOR


def terms(candidate, *references, **parameters):
    return LEPOR(**parameters).terms(Batch.from_strings([candidate], [list(references)]))


def one(candidate, *references, **parameters):
    return LEPOR(**parameters).compute(Batch.from_strings([candidate], [list(references)]))[0]


def test_shorter_response():
    # response  the cat sat          c = 3
    # reference the black cat sat .  r = 5
    # LP = exp(1 - 5/3).
    # the 1 - 1, cat 2 - 3, sat 3 - 4 (each once in the reference):
    # NPD = 1/3 (|1/3 - 1/5| + |2/3 - 3/5| + |3/3 - 4/5|) = 1/3 (2/15 + 1/15 + 3/15) = 2/15
    # P = 3/3, R = 3/5; Harmonic = (9 + 1) / (9 / (3/5) + 1 / 1) = 10 / 16
    t = terms("the cat sat", "the black cat sat .")
    assert t.length_penalty[0] == pytest.approx(exp(1 - 5 / 3))
    assert t.position_penalty[0] == pytest.approx(exp(-2 / 15))
    assert (t.precision[0], t.recall[0]) == (1.0, 3 / 5)
    assert t.harmonic[0] == pytest.approx(10 / 16)
    expected = exp(1 - 5 / 3) * exp(-2 / 15) * 10 / 16
    assert one("the cat sat", "the black cat sat .") == pytest.approx(expected, rel=1e-12)


def test_longer_response():
    # response  x b a y   c = 4
    # reference a b       r = 2
    # LP = exp(1 - 4/2) = exp(-1).
    # x and y are not aligned. b 2 - 2: |2/4 - 2/2| = 1/2. a 3 - 1: |3/4 - 1/2| = 1/4.
    # NPD = 1/4 (1/2 + 1/4) = 3/16;  P = 2/4, R = 2/2
    # alpha = beta = 1: Harmonic = 2 / (1 / 1 + 1 / (1/2)) = 2/3
    expected = exp(-1) * exp(-3 / 16) * 2 / 3
    assert one("x b a y", "a b", alpha=1, beta=1) == pytest.approx(expected, rel=1e-12)
    # As they stand: b |2 - 2| = 0, a |3 - 1| = 2; NPD = 1/4 · 2
    expected = exp(-1) * exp(-2 / 4) * 2 / 3
    value = one("x b a y", "a b", alpha=1, beta=1, positions="absolute")
    assert value == pytest.approx(expected, rel=1e-12)


def test_neighbours_choose_among_equal_words():
    # response  a stone is on a bird   reference  a bird is on a stone, c = r = 6
    # First a (1): the reference has it at 1 and 5. At 5 the next word, stone, agrees: 1 - 5,
    # though 1 is nearer. Second a (5): at 1, bird follows; at 5, "is on" stands before it too:
    # both have a neighbour, so the nearest: 5 - 5. stone 2 - 6, is 3 - 3, on 4 - 4, bird 6 - 2.
    # NPD = 1/6 (4/6 + 4/6 + 0 + 0 + 0 + 4/6) = 1/3;  LP = 1, P = R = 1.
    pair = ("a stone is on a bird", "a bird is on a stone")
    assert one(*pair, n=1) == pytest.approx(exp(-1 / 3), rel=1e-12)
    # n = 2: first a at 1: two words after it stands "is", as in the response: both have a
    # neighbour, so the nearest, 1 - 1.  NPD = 1/6 (0 + 4/6 + 0 + 0 + 0 + 4/6) = 2/9
    assert one(*pair, n=2) == pytest.approx(exp(-2 / 9), rel=1e-12)
    # n = 0: only nearness counts, with the same outcome here.
    assert one(*pair, n=0) == pytest.approx(exp(-2 / 9), rel=1e-12)


def test_no_neighbour_takes_the_nearest():
    # response  x x x a   reference  a y y y a, c = 4, r = 5: a (4) - a (5), distance 1 and not 3.
    # NPD = 1/4 |4/4 - 5/5| = 0; P = 1/4, R = 1/5; LP = exp(1 - 5/4)
    # Harmonic = 10 / (9 · 5 + 1 · 4) = 10/49
    expected = exp(-1 / 4) * 10 / 49
    assert one("x x x a", "a y y y a") == pytest.approx(expected, rel=1e-12)


def test_common_words():
    # response  the the the   reference  the cat: clipped 1 of 3 and 1 of 2; any 3 of 3 and 1 of 2
    t = terms("the the the", "the cat")
    assert (t.precision[0], t.recall[0]) == (1 / 3, 1 / 2)
    t = terms("the the the", "the cat", common="any")
    assert (t.precision[0], t.recall[0]) == (1.0, 1 / 2)


def test_case_and_references():
    assert one("The Cat", "the cat") == 1.0
    assert one("The Cat", "the cat", lowercase=False) == 0.0
    each = [one("a b c", r) for r in ("a b", "c x b a")]
    assert one("a b c", "a b", "c x b a") == max(each)
    assert one("a b c", "a b", "c x b a", multi="mean") == pytest.approx(sum(each) / 2)


def test_empty():
    batch = Batch.from_strings(["", "a", "", "b", "c"], [["a"], [""], [""], [], ["d"]])
    values = LEPOR().compute(batch)
    assert values[[0, 1, 2, 4]].tolist() == [0.0] * 4
    assert np.isnan(values[3])
    assert LEPOR().compute(Batch.from_strings([], [])).shape == (0,)


@pytest.mark.parametrize("metric", [LEPOR(), LEPOR(1, 1, 0), LEPOR(common="any", multi="mean")])
def test_canonical_name(metric):
    assert parse(str(metric)) == metric


@pytest.mark.parametrize(
    "wrong", [{"alpha": -1}, {"n": 5}, {"alpha": 0, "beta": 0}, {"positions": "word"}, {"p": 1}]
)
def test_wrong_parameters(wrong):
    with pytest.raises(MetricError):
        LEPOR(**wrong)


def test_time_is_linear_in_repeated_words():
    # 30,000 equal words against as many: every word of one is a candidate for every other.
    text = "a " * 30_000
    assert LEPOR().compute(Batch.from_strings([text + "b"], [[text]]))[0] > 0.9


def test_thread_count(monkeypatch):
    rng = np.random.default_rng(1)
    texts = [
        " ".join(f"w{i}" for i in rng.integers(9, size=rng.integers(0, 40))) for _ in range(6000)
    ]
    results = set()
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("CONVOSCOPE_THREADS", threads)
        batch = Batch.from_strings(texts, [[t] for t in reversed(texts)])
        results.add(LEPOR().compute(batch).tobytes())
    assert len(results) == 1
