"""Distinct, Length and Copy worked by hand, and against plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import convoscope
from convoscope.errors import MetricError
from convoscope.metrics import Batch, parse
from convoscope.metrics.sentinel import Copy, Distinct, Length
from convoscope.scoring import compute


def values(metric, candidates, contexts=None):
    return metric.compute(Batch.from_strings(candidates, None, contexts)).tolist()


def test_distinct_by_hand():
    # the cat the dog: words the cat dog, 3 of 4; pairs the-cat cat-the the-dog, 3 of 3.
    # a a a a: 1 of 4; a-a, 1 of 3; a-a-a, 1 of 2.
    texts = ["the cat the dog", "a a a a", "a b a b", "one", ""]
    assert values(Distinct(), texts) == [3 / 4, 1 / 4, 2 / 4, 1.0, 0.0]
    assert values(Distinct(n=2), texts) == [1.0, 1 / 3, 2 / 3, 0.0, 0.0]
    assert values(Distinct(n=3), texts) == [1.0, 1 / 2, 1.0, 0.0, 0.0]
    assert values(Distinct(), ["The the"]) == [1.0]
    assert values(Distinct(lowercase=True), ["The the"]) == [0.5]


def plain_distinct(text, n):
    words = text.split()
    grams = [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]
    return len(set(grams)) / len(grams) if grams else 0.0


@given(st.lists(st.text(st.sampled_from("ab c"), max_size=60), min_size=1, max_size=9))
def test_distinct_against_sets(texts):
    for n in (1, 2, 3, 5, 9):
        assert values(Distinct(n=n), texts) == [plain_distinct(t, n) for t in texts]


def test_distinct_on_ugly_text(ugly):
    for n in (1, 2, 4):
        assert values(Distinct(n=n), ugly) == [plain_distinct(t, n) for t in ugly]


def test_length_by_hand():
    assert values(Length(), ["the cat , no", "", " \t", "a"]) == [4.0, 0.0, 0.0, 1.0]
    assert values(Length(tokenizer="word"), ["the cat, no!"]) == [5.0]


def test_copy_by_hand():
    # Last utterance "do you like Cats": i like cats cats has like cats cats, 3 of 4.
    # Before it "i like you": i is there too, 4 of 4.
    context = ["i like you", "do you like Cats"]
    assert values(Copy(), ["i like cats cats"], [context]) == [3 / 4]
    assert values(Copy(context="all"), ["i like cats cats"], [context]) == [1.0]
    assert values(Copy(lowercase=False), ["i like cats cats"], [context]) == [1 / 4]
    assert values(Copy(), ["", "a", "a"], [["a"], ["", ""], ["a", ""]]) == [0.0, 0.0, 0.0]
    assert values(Copy(context="all"), ["a"], [["a", ""]]) == [1.0]


def test_copy_on_ugly_text(ugly):
    pairs = [(a, [b, c]) for a in ugly for b, c in zip(ugly, reversed(ugly), strict=True)]
    batch = Batch.from_strings([a for a, _ in pairs], None, [c for _, c in pairs])
    split = {t: t.lower().split() for t in ugly}
    for which, start in (("last", 1), ("all", 0)):
        expected = []
        for a, context in pairs:
            said = {w for u in context[start:] for w in split[u]}
            expected.append(sum(w in said for w in split[a]) / max(1, len(split[a])))
        assert Copy(context=which).compute(batch).tolist() == expected


def test_copy_without_a_context():
    batch = Batch.from_strings(["a", "a"], None, [[], ["a"]])
    got, reasons = compute(Copy(), batch)
    assert np.isnan(got[0])
    assert got[1] == 1.0
    assert reasons == {0: "the item has no context"}
    with pytest.raises(MetricError, match="needs contexts"):
        convoscope.evaluate("Copy", candidates=["a"])


def test_nothing_but_the_response():
    result = convoscope.evaluate(["Length", "Distinct(n=2)"], candidates=["a b a b"])
    assert result["Length"].tolist() == [4.0]
    assert result["Distinct(n=2)"].tolist() == [2 / 3]


def test_no_rows():
    for metric in (Distinct(), Length(), Copy()):
        assert metric.compute(Batch.from_strings([])).shape == (0,)


@pytest.mark.parametrize("metric", [Distinct(), Distinct(n=2), Length(), Copy(), Copy("all")])
def test_canonical_name(metric):
    assert parse(str(metric)) == metric


@pytest.mark.parametrize(
    ("metric", "wrong"), [(Distinct, {"n": 0}), (Length, {"n": 1}), (Copy, {"context": "first"})]
)
def test_wrong_parameters(metric, wrong):
    with pytest.raises(MetricError):
        metric(**wrong)


def test_thread_count(monkeypatch):
    rng = np.random.default_rng(1)
    texts = [
        " ".join(f"w{i}" for i in rng.integers(9, size=rng.integers(0, 40))) for _ in range(6000)
    ]
    results = set()
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("CONVOSCOPE_THREADS", threads)
        batch = Batch.from_strings(texts, None, [[t] for t in reversed(texts)])
        results.add(Distinct(n=2).compute(batch).tobytes() + Copy().compute(batch).tobytes())
    assert len(results) == 1
