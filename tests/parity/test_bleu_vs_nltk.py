"""BLEU against ``nltk.translate.bleu_score.sentence_bleu``, to 1e-9, relative."""

from __future__ import annotations

import json
import warnings
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from convoscope.metrics import Batch
from convoscope.metrics.overlap.bleu import BLEU

bleu_score = pytest.importorskip("nltk.translate.bleu_score")

METHODS = [f"method{i}" for i in range(8)]
COMBINATIONS = [
    (method, n) for method in METHODS for n in range(1, 6) if not (method == "method6" and n < 3)
]


def oracle(method, n, candidate, references, **options):
    """NLTK's value; NaN where its method 6 refuses to answer."""
    smooth = getattr(bleu_score.SmoothingFunction(**options), method)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return bleu_score.sentence_bleu(
                [r.split() for r in references], candidate.split(), [1 / n] * n, smooth
            )
        except AssertionError:
            return float("nan")


def check(rows, combinations=COMBINATIONS):
    batch = Batch.from_strings([c for c, _ in rows], [r for _, r in rows])
    for method, n in combinations:
        ours = BLEU(n=n, smoothing=method).compute(batch)
        expected = [oracle(method, n, c, r) for c, r in rows]
        np.testing.assert_allclose(ours, expected, rtol=1e-9, atol=0, err_msg=f"{method}, n={n}")


@pytest.mark.parametrize("method", METHODS)
def test_ugly(ugly, method):
    """Every ugly text but the longest, with 1 to 4 references, in every combination."""
    texts = [t for t in ugly if len(t) < 5_000]
    rows = [
        (c, [texts[(i * step + r) % len(texts)] for r in range(n)])
        for i, c in enumerate(texts)
        for n in (1, 2, 3, 4)
        for step in (1, 3)
    ]
    check(rows, [x for x in COMBINATIONS if x[0] == method])


def test_ten_thousand_tokens(ugly):
    """A long text against itself, changed, cut and repeated."""
    long = max(ugly, key=len)
    words = long.split()
    rows = [
        (long, [long]),
        (long, [" ".join(words[::-1]), " ".join(words[:9_000])]),
        (" ".join(words[50:5_000]), [long]),
        (long, ["word1 word2 word3"]),
        ("word1 word2 word3 word4 word5", [long]),
        ("a " * 10_000, ["a " * 9_000, "a b " * 5_000]),
    ]
    check(rows, [("method1", 4), ("method3", 2), ("method7", 4)])


@cache
def _dev(data):
    path = data / "dailydialog-plusplus" / "dev.jsonl"
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_real(data, count):
    """DailyDialog++: human responses and adversarial negatives against 1 to 4 references."""
    rows = []
    for item in _dev(data)[:150]:
        positive = item["positive_responses"]
        rows.append((positive[0], positive[1 : 1 + count]))
        rows.append((item["adversarial_negative_responses"][0], positive[:count]))
    check(rows)


WORD = st.sampled_from(["a", "b", "c", "A", "the", ".", "🙂", "שלום", "\x00", "e\u0301", "İ"])
SENTENCE = st.lists(WORD, max_size=14).map(" ".join)


@settings(max_examples=300, deadline=None)
@given(SENTENCE, st.lists(SENTENCE, min_size=1, max_size=4), st.sampled_from(COMBINATIONS))
def test_generated(candidate, references, combination):
    """Sentences of few words, so that n-grams repeat and match."""
    check([(candidate, references)], [combination])


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60), st.lists(st.text(max_size=60), min_size=1, max_size=4))
def test_any_text(candidate, references):
    """Any text at all, where ``str.split`` decides what a word is."""
    check([(candidate, [*references, candidate[::-1]])], [("method1", 2), ("method7", 3)])


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("method1", {"epsilon": 0.0}),
        ("method1", {"epsilon": 0.01}),
        ("method4", {"k": 3.5}),
        ("method7", {"k": 2.0}),
        ("method6", {"alpha": 0.5}),
    ],
)
def test_parameters(ugly, method, options):
    """The parameter of each method that has one."""
    texts = [*(t for t in ugly if len(t) < 500), "the cat sat on the mat today", "a b c d e f"]
    rows = [(a, [b]) for a in texts for b in texts]
    batch = Batch.from_strings([c for c, _ in rows], [r for _, r in rows])
    for n in (3, 4):
        ours = BLEU(n=n, smoothing=method, **options).compute(batch)
        expected = [oracle(method, n, c, r, **options) for c, r in rows]
        np.testing.assert_allclose(ours, expected, rtol=1e-9, atol=0)


@pytest.mark.parametrize("method", ["method5", "method6", "method7"])
def test_list_of_weights(ugly, method):
    """`orders` is what NLTK does when it is given several lists of weights at once."""
    texts = [*(t for t in ugly if len(t) < 500), "the cat sat on the mat today", "a b c d e f"]
    smooth = getattr(bleu_score.SmoothingFunction(), method)
    weights = [[1 / n] * n for n in (1, 2, 3, 4)]
    for a in texts:
        for b in texts:
            batch = Batch.from_strings([a], [[b]])
            try:
                expected = bleu_score.sentence_bleu([b.split()], a.split(), weights, smooth)
            except AssertionError:
                expected = [float("nan")] * 4
            ours = [BLEU(n=n, smoothing=method, orders=4).compute(batch)[0] for n in (1, 2, 3, 4)]
            np.testing.assert_allclose(ours, expected, rtol=1e-9, atol=0)


def test_lowercase():
    """Lower-casing words is lower-casing the text, final sigma included."""
    pairs = [("THE Cat ΟΔΟΣ ΣΑΣ İ sat", "the CAT οδος σας i\u0307 SAT down")]
    batch = Batch.from_strings([pairs[0][0]], [[pairs[0][1]]])
    expected = oracle("method1", 4, pairs[0][0].lower(), [pairs[0][1].lower()])
    assert BLEU(lowercase=True).compute(batch)[0] == pytest.approx(expected, rel=1e-9)
    assert expected > 0.5
