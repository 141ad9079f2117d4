"""ROUGE-L worked by hand, its parameters and names."""

from __future__ import annotations

import numpy as np
import pytest

from convoscope.errors import MetricError
from convoscope.metrics import Batch, parse
from convoscope.metrics.overlap import rouge
from convoscope.metrics.overlap.rouge import ROUGE_L, lcs_lengths


def one(candidate, references, **parameters):
    return ROUGE_L(**parameters).compute(Batch.from_strings([candidate], [list(references)]))[0]


def test_by_hand():
    # police the gunman  (Lin 2004: S1 "police killed the gunman", S2 "police kill the gunman",
    # S3 "the gunman kill police"): S2 has 3 words in common in order, S3 has 2.
    reference = ["police killed the gunman"]
    assert one("police kill the gunman", reference) == pytest.approx(3 / 4)
    assert one("the gunman kill police", reference) == pytest.approx(2 / 4)


def test_beta():
    # Common: a c = 2; P = 2/5, R = 2/3.
    p, r = 2 / 5, 2 / 3
    for beta in (0.0, 0.5, 1.0, 3.0):
        expected = (1 + beta**2) * p * r / (r + beta**2 * p)
        assert one("a x c y z", ["a b c"], beta=beta) == pytest.approx(expected, rel=1e-12)
    assert one("a x c y z", ["a b c"], beta=0) == pytest.approx(p)


def test_several_references():
    # 2 of 2 and 2 of 4 -> F 2/3; 1 of 2 and 1 of 2 -> F 1/2
    references = ["a b c d", "a z"]
    assert one("a b", references) == pytest.approx(2 / 3)
    assert one("a b", references, multi="mean") == pytest.approx((2 / 3 + 1 / 2) / 2)


def test_case_and_punctuation():
    assert one("Hello, WORLD!", ["hello world"]) == 1.0
    assert one("Hello, WORLD!", ["hello world"], tokenizer="whitespace") == 0.0


def test_stems():
    assert one("running cats", ["run cat"]) == 0.0
    assert one("running cats", ["run cat"], stem=True) == 1.0
    assert one("his", ["hi"], stem=True) == 0.0  # three letters: left alone
    assert "porter" in ROUGE_L(stem=True).signature()


def test_empty():
    batch = Batch.from_strings(["", "a", "...", "b"], [["a"], [""], ["!"], []])
    values = ROUGE_L().compute(batch)
    assert values[:3].tolist() == [0.0, 0.0, 0.0]
    assert np.isnan(values[3])
    assert ROUGE_L().compute(Batch.from_strings([], [])).shape == (0,)


@pytest.mark.parametrize(
    "metric",
    [ROUGE_L(), ROUGE_L(beta=1.2), ROUGE_L(stem=True, multi="mean", tokenizer="word")],
)
def test_canonical_name(metric):
    assert parse(str(metric)) == metric


def test_name():
    assert str(ROUGE_L()) == "ROUGE_L"


@pytest.mark.parametrize("wrong", [{"beta": -1}, {"stem": 1}, {"multi": "median"}, {"alpha": 1}])
def test_wrong_parameters(wrong):
    with pytest.raises(MetricError):
        ROUGE_L(**wrong)


def test_lcs_against_the_table():
    rng = np.random.default_rng(0)
    texts = [
        " ".join(f"w{i}" for i in rng.integers(6, size=rng.integers(0, 200))) for _ in range(120)
    ]
    batch = Batch.from_strings(texts)
    tokens = batch.texts.tokens()
    left, right = batch.candidates[:-1], batch.candidates[1:]
    ours = lcs_lengths(tokens, left, right)
    for a, b, length in zip(left, right, ours, strict=True):
        x, y = tokens.words(a), tokens.words(b)
        row = [0] * (len(y) + 1)
        for word in x:
            diagonal = 0
            for j, other in enumerate(y):
                grown = diagonal + 1 if word == other else max(row[j + 1], row[j])
                diagonal, row[j + 1] = row[j + 1], grown
        assert length == row[-1]


def test_texts_too_wide_for_masks(monkeypatch):
    rng = np.random.default_rng(2)
    texts = [" ".join(f"w{i}" for i in rng.integers(9, size=size)) for size in range(0, 150, 3)]
    batch = Batch.from_strings(texts)
    pairs = (batch.texts.tokens(), batch.candidates[:-1], batch.candidates[::-1][1:])
    expected = lcs_lengths(*pairs)
    for widest in (0, 1, 64, 65):
        monkeypatch.setattr(rouge, "_WIDEST", widest)
        np.testing.assert_array_equal(lcs_lengths(*pairs), expected)


def test_thread_count(monkeypatch):
    rng = np.random.default_rng(1)
    texts = [
        " ".join(f"w{i}" for i in rng.integers(9, size=rng.integers(0, 90))) for _ in range(6000)
    ]
    results = set()
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("CONVOSCOPE_THREADS", threads)
        batch = Batch.from_strings(texts, [[t] for t in reversed(texts)])
        results.add(ROUGE_L().compute(batch).tobytes())
    assert len(results) == 1
