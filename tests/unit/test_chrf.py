"""ChrF worked by hand, its parameters and names."""

from __future__ import annotations

import numpy as np
import pytest

from convoscope.errors import InputError, MetricError
from convoscope.metrics import Batch, parse
from convoscope.metrics.overlap import chrf
from convoscope.metrics.overlap.chrf import ChrF, characters


def one(candidate, *references, **parameters):
    batch = Batch.from_strings([candidate], [list(references)])
    return ChrF(**parameters).compute(batch)[0]


def test_by_hand():
    # Response "abc", reference "abd e": without white space "abde".
    # Order 1: a b c | a b d e: 2 of 3 and 2 of 4.  Order 2: ab bc | ab bd de: 1 of 2 and 1 of 3.
    # Order 3: abc | abd bde: 0 of 1 and 0 of 2.    Order 4: the response has none: left out.
    p = (2 / 3 + 1 / 2 + 0) / 3
    r = (2 / 4 + 1 / 3 + 0) / 3
    assert one("abc", "abd e") == pytest.approx(5 * p * r / (4 * p + r), rel=1e-12)
    assert one("abc", "abd e", beta=1) == pytest.approx(2 * p * r / (p + r), rel=1e-12)


def test_words_by_hand():
    # "cat." is "cat" and "."; order 1: 2 of 2 and 2 of 3; order 2: "cat ." 1 of 1 and 1 of 2.
    p = (2 / 2 + 1 / 1) / 2
    r = (2 / 3 + 1 / 2) / 2
    value = one("cat.", "a cat .", char_order=0, word_order=2)
    assert value == pytest.approx(5 * p * r / (4 * p + r), rel=1e-12)


def test_every_order_counts_with_eps_smoothing():
    # Orders 1 and 2 agree wholly, orders 3 to 6 do not exist: 2 of 6.
    assert one("ab", "ab") == pytest.approx(1.0)
    assert one("ab", "ab", eps_smoothing=True) == pytest.approx(2 / 6)


def test_clipped():
    # a a a | a a b: the third a finds no partner.
    assert one("aaa", "aab", char_order=1) == pytest.approx(2 / 3)


def test_white_space():
    assert one("a b", "ab") == 1.0
    assert one("a b", "ab", whitespace=True) < 1.0


def test_several_references():
    both = [one("abc", r) for r in ("abd", "xbc")]
    assert one("abc", "abd", "xbc") == max(both)
    assert one("abc", "abd", "xbc", multi="mean") == pytest.approx(sum(both) / 2)


def test_empty():
    batch = Batch.from_strings(["", "a", "", "b"], [["a"], [""], [""], []])
    for parameters in ({}, {"word_order": 2}):
        values = ChrF(**parameters).compute(batch)
        assert values[:3].tolist() == [0.0, 0.0, 0.0]
        assert np.isnan(values[3])
    assert ChrF(word_order=2).compute(Batch.from_strings([], [])).shape == (0,)


def test_characters():
    column = characters(["a🙂 é", "", "\u3000a"])
    assert [column.words(i) for i in range(3)] == [["a", "🙂", " ", "é"], [], ["\u3000", "a"]]
    column = characters(["a🙂 é", "", "\u3000a"], whitespace=False)
    assert [column.words(i) for i in range(3)] == [["a", "🙂", "é"], [], ["a"]]
    with pytest.raises(InputError, match="surrogate"):
        characters(["\ud800"])


@pytest.mark.parametrize("metric", [ChrF(), ChrF(word_order=2), ChrF(beta=1, lowercase=True)])
def test_canonical_name(metric):
    assert parse(str(metric)) == metric


@pytest.mark.parametrize(
    "wrong", [{"beta": -1}, {"char_order": 0}, {"word_order": -1}, {"whitespace": 1}, {"n": 2}]
)
def test_wrong_parameters(wrong):
    with pytest.raises(MetricError):
        ChrF(**wrong)


def test_chunks(monkeypatch):
    texts = ["abc", "abd", "", "bcd abc", "d.", "(a) b"]
    batch = [texts, [[t, "ab"] for t in reversed(texts)]]
    whole = ChrF(word_order=2).compute(Batch.from_strings(*batch))
    monkeypatch.setattr(chrf, "_CHUNK", 5)
    np.testing.assert_array_equal(ChrF(word_order=2).compute(Batch.from_strings(*batch)), whole)


def test_thread_count(monkeypatch):
    rng = np.random.default_rng(1)
    texts = ["".join(chr(97 + c) for c in rng.integers(5, size=20)) for _ in range(6000)]
    results = set()
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("CONVOSCOPE_THREADS", threads)
        batch = Batch.from_strings(texts, [[t] for t in reversed(texts)])
        results.add(ChrF(word_order=2).compute(batch).tobytes())
    assert len(results) == 1
