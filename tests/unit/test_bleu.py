"""BLEU worked by hand, its parameters and names, and what its metrics share."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from convoscope import parallel
from convoscope.errors import InputError, MetricError
from convoscope.metrics import Batch, parse
from convoscope.metrics.overlap import _ngrams
from convoscope.metrics.overlap.bleu import BLEU, SMOOTHINGS, ngram_statistics

# Candidate (7 words):  the the cat sat on the mat
# Reference (6 words):  the cat is on the mat
# Words in both, clipped: the 2 of 3, cat 1, on 1, mat 1         -> 5 of 7
# Pairs: the-cat, on-the, the-mat                                -> 3 of 6
# Triples: on-the-mat                                            -> 1 of 5
# Quadruples: none                                               -> 0 of 4
CANDIDATE = "the the cat sat on the mat"
REFERENCE = "the cat is on the mat"


def one(candidate=CANDIDATE, references=(REFERENCE,), **parameters):
    return BLEU(**parameters).compute(Batch.from_strings([candidate], [list(references)]))[0]


def test_statistics_by_hand():
    s = ngram_statistics(Batch.from_strings([CANDIDATE], [[REFERENCE]]))
    assert s.matches.tolist() == [[5, 3, 1, 0, 0]]
    assert s.totals.tolist() == [[7, 6, 5, 4, 3]]
    assert (s.lengths.tolist(), s.reference_lengths.tolist()) == ([7], [6])


def test_values_by_hand():
    # The candidate is longer than the reference: no penalty.
    assert one(n=1) == pytest.approx(5 / 7, rel=1e-12)
    assert one(n=2) == pytest.approx(math.sqrt(5 / 7 * 3 / 6), rel=1e-12)
    assert one(n=3) == pytest.approx((5 / 7 * 3 / 6 * 1 / 5) ** (1 / 3), rel=1e-12)
    three = 5 / 7 * 3 / 6 * 1 / 5
    assert one() == pytest.approx((three * 0.1 / 4) ** 0.25, rel=1e-12)
    assert one(smoothing="method2") == pytest.approx(
        (5 / 7 * 4 / 7 * 2 / 6 * 1 / 5) ** 0.25, rel=1e-12
    )
    assert one(smoothing="method3") == pytest.approx((three * 1 / (2 * 4)) ** 0.25, rel=1e-12)
    # ln(7) / (2 * 5) matches out of 4
    assert one(smoothing="method4") == pytest.approx(
        (three * math.log(7) / 10 / 4) ** 0.25, rel=1e-12
    )
    assert one(smoothing="method0") < 1e-70
    assert one(smoothing="sacrebleu-none") == 0.0
    assert one(smoothing="sacrebleu-exp") == pytest.approx((three / 8) ** 0.25, rel=1e-12)


def test_method5_by_hand():
    # m0 = 1 + 5/7; m1 = (m0 + 5/7 + 3/6) / 3; m2 = (m1 + 3/6 + 5-gram precision 0/3) / 3
    first = (1 + 5 / 7 + 5 / 7 + 3 / 6) / 3
    second = (first + 3 / 6 + 0) / 3
    assert one(n=2, smoothing="method5") == pytest.approx(math.sqrt(first * second), rel=1e-12)
    # With four orders looked at, the second is averaged with the third, 1/5.
    second = (first + 3 / 6 + 1 / 5) / 3
    assert one(n=2, smoothing="method5", orders=4) == pytest.approx(math.sqrt(first * second))


def test_method6_by_hand():
    # Prior of the third order: (3/6)² / (5/7); it weighs as much as 5 trigrams beside the real 5.
    third = (1 + 5 * (3 / 6) ** 2 / (5 / 7)) / (5 + 5)
    expected = (5 / 7 * 3 / 6 * third) ** (1 / 3)
    assert one(n=3, smoothing="method6") == pytest.approx(expected, rel=1e-12)


def test_brevity():
    # 3 of 3 words match; exp(1 - 6 / 3)
    assert one("on the mat", n=1) == pytest.approx(math.exp(-1), rel=1e-12)
    # References of 2 and 4 words are equally close to 3: the shorter one counts, no penalty.
    assert one("a b c", ["a b", "c d e f"], n=1) == 1.0
    assert one("a b c", ["a b d e", "c d e f"], n=1) == pytest.approx(math.exp(1 - 4 / 3))


def test_clipping_over_references():
    # "a" three times: one reference has it twice, another once: 2 of 3, not 3 of 3.
    assert one("a a a", ["a a b", "a b c"], n=1) == pytest.approx(2 / 3)


def test_empty():
    batch = Batch.from_strings(["", "a", "", " "], [["a"], [""], [""], []])
    for smoothing in SMOOTHINGS:
        values = BLEU(smoothing=smoothing).compute(batch)
        assert values[:3].tolist() == [0.0, 0.0, 0.0]
        assert np.isnan(values[3])
    assert BLEU().compute(Batch.from_strings([], [])).shape == (0,)


def test_undefined_method6():
    assert np.isnan(one("the cat", smoothing="method6"))
    assert one("zebra", smoothing="method6") == 0.0


@pytest.mark.parametrize(
    "metric",
    [
        BLEU(),
        BLEU(n=2),
        BLEU(n=9, smoothing="method3", lowercase=True),
        BLEU(n=1, smoothing="method7", orders=4, k=2.5),
        BLEU(n=3, smoothing="method6", alpha=1.5),
        BLEU(smoothing="sacrebleu-add-k", tokenizer="13a", smooth_value=0.5, effective_order=True),
    ],
)
def test_canonical_name(metric):
    assert parse(str(metric)) == metric
    assert "tokenizer:" in metric.signature()


def test_names():
    assert str(BLEU()) == "BLEU(n=4)"
    assert str(BLEU(n=2, smoothing="method7")) == "BLEU(n=2, smoothing='method7')"
    assert parse("BLEU(n=2, smoothing=method7)") == BLEU(n=2, smoothing="method7")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n": 0}, "out of range"),
        ({"n": 10}, "out of range"),
        ({"n": 2.0}, "an integer"),
        ({"smoothing": "method8"}, "method7"),
        ({"tokenizer": "spaces"}, "whitespace"),
        ({"epsilon": -0.1}, "out of range"),
        ({"epsilon": 0.5, "smoothing": "method2"}, "belongs to method1"),
        ({"k": 2.0}, "belongs to method4, method7"),
        ({"effective_order": True}, "belongs to sacrebleu-none"),
        ({"smoothing": "sacrebleu-floor", "smooth_value": -0.5}, "expected a number from 0"),
        ({"smoothing": "method7", "orders": 3}, "n=4 orders or more"),
        ({"n": 2, "smoothing": "method6"}, "3 or more"),
        ({"smothing": "method1"}, "smoothing"),
    ],
)
def test_wrong_parameters(parameters, message):
    with pytest.raises(MetricError, match=message):
        BLEU(**parameters)


def test_bounds():
    assert BLEU().bounds == (0.0, 1.0)
    metric = BLEU(n=1, smoothing="method5")
    same = metric.compute(Batch.from_strings(["a b c d e f"], [["a b c d e f"]]))[0]
    assert same == pytest.approx(metric.bounds[1])


def _many(n=6_000):
    rng = np.random.default_rng(0)
    words = np.array(["a", "b", "c", "d", "e"])

    def text():
        return " ".join(words[rng.integers(5, size=rng.integers(0, 15))])

    return [text() for _ in range(n)], [[text() for _ in range(k % 4)] for k in range(n)]


def test_thread_count(monkeypatch):
    candidates, references = _many()
    results = []
    for threads in ("1", "2", "3", "8"):
        monkeypatch.setenv("CONVOSCOPE_THREADS", threads)
        s = ngram_statistics(Batch.from_strings(candidates, references))
        results.append((s.matches.tobytes(), s.reference_lengths.tobytes()))
    assert len(set(results)) == 1


@pytest.mark.parametrize("text", ["0", "-1", "two", "1.5", "²"])
def test_wrong_thread_count(monkeypatch, text):
    monkeypatch.setenv("CONVOSCOPE_THREADS", text)
    with pytest.raises(InputError, match="CONVOSCOPE_THREADS"):
        parallel.thread_count()


@pytest.mark.parametrize("n", [0, 1, 7, 4_096, 10_001])
def test_map_ranges(monkeypatch, n):
    monkeypatch.setenv("CONVOSCOPE_THREADS", "3")
    ranges = parallel.map_ranges(lambda a, b: (a, b), n, smallest=100)
    assert [a for a, _ in ranges] == [0, *(b for _, b in ranges[:-1])][: len(ranges)]
    assert (ranges[-1][1] if ranges else 0) == n
    assert all(a < b for a, b in ranges)
    assert all(left[1] == right[0] for left, right in pairwise(ranges))


def test_one_pass_for_all_orders(monkeypatch):
    calls = []
    count = _ngrams._count

    def counted(*arguments):
        calls.append(arguments[-1])
        return count(*arguments)

    monkeypatch.setattr(_ngrams, "_count", counted)
    batch = Batch.from_strings([CANDIDATE], [[REFERENCE]])
    for n in (1, 2, 3, 4):
        for smoothing in ("method1", "method7", "sacrebleu-exp"):
            BLEU(n=n, smoothing=smoothing).compute(batch)
    assert calls == [5]
    BLEU(n=1, lowercase=True).compute(batch)
    BLEU(n=9).compute(batch)
    assert calls == [5, 5, 9]


def test_corpus_from_statistics():
    """Sums over rows give corpus BLEU."""
    sacrebleu = pytest.importorskip("sacrebleu.metrics.bleu")
    candidates = [CANDIDATE, "a b", "on the mat"]
    references = [[REFERENCE], ["a b c"], ["on the mat there"]]
    s = ngram_statistics(Batch.from_strings(candidates, references))
    total = type(s)(*(v.sum(axis=0, keepdims=True) for v in vars(s).values()))
    metric = BLEU(smoothing="sacrebleu-exp")
    theirs = sacrebleu.BLEU(tokenize="none")
    expected = theirs.corpus_score(candidates, [[r[0] for r in references]]).score / 100
    assert metric.score(total)[0] == pytest.approx(expected, rel=1e-12)
