"""ROUGE-L against the rouge-score package, to 1e-9."""

from __future__ import annotations

import itertools
import json
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from convoscope.metrics import Batch
from convoscope.metrics.overlap.rouge import ROUGE_L
from convoscope.text.alnum import split_alnum
from convoscope.text.tokens import tokenizer

rouge_scorer = pytest.importorskip("rouge_score.rouge_scorer")
SCORERS = {s: rouge_scorer.RougeScorer(["rougeL"], use_stemmer=s) for s in (False, True)}


def check(rows, stems=(False, True)):
    batch = Batch.from_strings([c for c, _ in rows], [r for _, r in rows])
    for stem in stems:
        score = SCORERS[stem].score
        each = [[score(r, c)["rougeL"].fmeasure for r in refs] for c, refs in rows]
        for multi, combine in (("max", max), ("mean", np.mean)):
            ours = ROUGE_L(stem=stem, multi=multi).compute(batch)
            expected = [combine(values) for values in each]
            np.testing.assert_allclose(ours, expected, rtol=1e-9, atol=0)


def test_ugly(ugly):
    """Every two ugly texts, the longest aside."""
    texts = [t for t in ugly if len(t) < 5_000]
    check([(a, [b]) for a in texts for b in texts])
    check([(a, [texts[(i + r) % len(texts)] for r in range(4)]) for i, a in enumerate(texts)])


def test_many_words():
    """Around 64 and 128 words, where the bits of the table go over to another machine word."""
    rng = np.random.default_rng(3)
    lengths = [1, 2, 62, 63, 64, 65, 127, 128, 129, 190, 193, 320]
    rows = []
    for a, b in itertools.product(lengths, lengths):
        for kinds in (2, 30):
            left, right = rng.integers(kinds, size=a), rng.integers(kinds, size=b)
            rows.append((" ".join(f"w{i}" for i in left), [" ".join(f"w{i}" for i in right)]))
    rows += [("x " * a, ["x " * b]) for a, b in itertools.product(lengths, lengths)]
    check(rows, stems=(False,))


def test_ten_thousand_words(ugly):
    """A long text; the package's table has ten thousand columns, so the other side is short."""
    long = max(ugly, key=len)
    words = long.split()
    check([(long, [" ".join(words[5:3_000:7])]), (" ".join(words[::-97]), [long])])
    batch = Batch.from_strings([long], [[long]])
    assert ROUGE_L().compute(batch)[0] == 1.0


def test_real(data):
    """DailyDialog++ with one and with four references."""
    path = data / "dailydialog-plusplus" / "dev.jsonl"
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    with path.open(encoding="utf-8") as file:
        items = [json.loads(line) for line in file]
    rows = []
    for item in items:
        positive = item["positive_responses"]
        rows.append((positive[0], positive[1:5]))
        rows.append((item["adversarial_negative_responses"][0], positive[:1]))
    check(rows)


WORD = st.sampled_from(
    [
        "a",
        "b",
        "cats",
        "cat",
        "running",
        "Runs",
        "RUNNING",
        "happily",
        "happy",
        "e-mail",
        "3.5",
        "skies",
        "dying",
        "\u0130s",
        "\u212aelvin",
        "na\u00efve",
        "🙂",
        "שלום",
        "\x00",
        "generously",
    ]
)
SENTENCE = st.lists(WORD, max_size=90).map(" ".join)


@settings(max_examples=300, deadline=None)
@given(SENTENCE, st.lists(SENTENCE, min_size=1, max_size=4))
def test_generated(candidate, references):
    """Sentences of few words."""
    check([(candidate, references)])


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=80), st.lists(st.text(max_size=80), min_size=1, max_size=3))
def test_any_text(candidate, references):
    """Any text at all."""
    check([(candidate, [*references, candidate.swapcase()])])


def test_tokens_of_every_character():
    """The byte table against the regular expression, for each character there is."""
    texts = [f"A{chr(c)}b9" for c in range(sys.maxunicode + 1) if not 0xD800 <= c <= 0xDFFF]
    ours, expected = split_alnum(texts), tokenizer("alnum").split(texts)
    assert ours.types == expected.types
    np.testing.assert_array_equal(ours.ids, expected.ids)
    np.testing.assert_array_equal(ours.offsets, expected.offsets)
