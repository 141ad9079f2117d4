"""ChrF against sacrebleu's sentence scores, to 1e-9, for every parameter combination."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from convoscope.metrics import Batch
from convoscope.metrics.overlap.chrf import ChrF

CHRF = pytest.importorskip("sacrebleu.metrics.chrf").CHRF

SWITCHES = ("lowercase", "whitespace", "eps_smoothing")
COMBINATIONS = [
    {"char_order": c, "word_order": w, "beta": b, **dict(zip(SWITCHES, s, strict=True))}
    for c, w in ((6, 0), (6, 2), (1, 0), (0, 1), (0, 3), (2, 1), (9, 4))
    for b in (2.0, 1.0, 0.0, 0.5, 3.0)
    for s in itertools.product((False, True), repeat=3)
]


def check(rows, combinations=COMBINATIONS):
    batch = Batch.from_strings([c for c, _ in rows], [r for _, r in rows])
    for parameters in combinations:
        peer = CHRF(**parameters)
        expected = [peer.sentence_score(c, r).score / 100 for c, r in rows]
        ours = ChrF(**parameters).compute(batch)
        np.testing.assert_allclose(ours, expected, rtol=1e-9, atol=1e-12, err_msg=str(parameters))


def test_ugly(ugly):
    """Every two ugly texts, the longest aside; several references for each."""
    texts = [t[:900] for t in ugly if len(t) < 5_000]
    some = COMBINATIONS[::7]
    check([(a, [b]) for a in texts for b in texts], some[::4])
    check([(a, [texts[(i + r) % len(texts)] for r in range(4)]) for i, a in enumerate(texts)], some)


SHORT = [
    ("", [""]),
    ("", ["a"]),
    ("a", [""]),
    ("a b", ["ab"]),
    ("Hello , world !", ["hello, world!", "Hello world"]),
    ("(hi) 'tis -- don't. ...", ["(hi), tis --- dont ... .", "( hi )"]),
    ("ΑΣ ΑΣ. İstanbul", ["ας ας i\u0307stanbul"]),
    ("the\u00a0cat\u3000sat", ["the cat sat", "thecatsat"]),
    ("🙂 👩‍👩‍👧‍👦", ["🙂🙂 👩"]),
    ("abab" * 30, ["baba" * 25]),
]


@pytest.mark.parametrize("parameters", COMBINATIONS, ids=str)
def test_every_combination(parameters):
    check(SHORT, [parameters])


def test_ten_thousand_words(ugly):
    long = max(ugly, key=len)
    check([(long, [long[5_000:]]), (long[:20_000], [long, long[::-1]])], [{}, {"word_order": 2}])


def test_real(data):
    """DailyDialog++ with one and with four references."""
    path = data / "dailydialog-plusplus" / "dev.jsonl"
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    rows = []
    with path.open(encoding="utf-8") as file:
        for line in itertools.islice(file, 300):
            item = json.loads(line)
            positive = item["positive_responses"]
            rows.append((positive[0], positive[1:5]))
            rows.append((item["adversarial_negative_responses"][0], positive[:1]))
    check(rows, [{}, {"word_order": 2}, {"whitespace": True, "eps_smoothing": True}])


@given(
    st.text(st.sampled_from("aAbB .,'é🙂\u2003\n"), max_size=60),
    st.lists(st.text(st.sampled_from("aAbB .,'é🙂\u2003\n"), max_size=60), min_size=1, max_size=3),
    st.sampled_from(COMBINATIONS),
)
def test_generated(candidate, references, parameters):
    check([(candidate, references)], [parameters])


@given(st.text(max_size=60), st.text(max_size=60), st.sampled_from(COMBINATIONS))
def test_any_text(candidate, reference, parameters):
    check([(candidate, [reference, candidate.swapcase()])], [parameters])
