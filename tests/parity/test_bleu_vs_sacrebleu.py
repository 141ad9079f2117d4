"""BLEU against sacrebleu's sentence scores, to 1e-9, on a scale of 0 to 1."""

from __future__ import annotations

import itertools
import json
import logging

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from convoscope.metrics import Batch
from convoscope.metrics.overlap.bleu import BLEU

sacrebleu = pytest.importorskip("sacrebleu.metrics.bleu")

METHODS = ["none", "floor", "add-k", "exp"]
# Smoothing, tokeniser, effective order, highest order, lower-casing: every combination.
GRID = list(
    itertools.product(METHODS, ("none", "13a"), (False, True), (1, 2, 3, 4, 5), (False, True))
)


@pytest.fixture(autouse=True, scope="module")
def _quiet():
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


def check(rows, grid=GRID, value=None):
    batch = Batch.from_strings([c for c, _ in rows], [r for _, r in rows])
    for method, tokenize, effective, n, lowercase in grid:
        theirs = sacrebleu.BLEU(
            smooth_method=method,
            smooth_value=value,
            tokenize=tokenize,
            effective_order=effective,
            max_ngram_order=n,
            lowercase=lowercase,
        )
        ours = BLEU(
            n=n,
            smoothing=f"sacrebleu-{method}",
            tokenizer="whitespace" if tokenize == "none" else tokenize,
            effective_order=effective,
            lowercase=lowercase,
            **({} if value is None else {"smooth_value": value}),
        )
        expected = [theirs.sentence_score(c, r).score / 100 for c, r in rows]
        np.testing.assert_allclose(
            ours.compute(batch), expected, rtol=1e-9, atol=1e-300, err_msg=str(ours)
        )


@pytest.mark.parametrize("method", METHODS)
def test_ugly(ugly, method):
    """Every ugly text but the longest, with 1 to 4 references, in every combination."""
    extra = ["cut-\n", "soft-\nhyphen -\n", "&LT;b&gt; &AMP;quot; <skipped>", "ΟΔΟΣ.ΣΑΣ. ΟΔΟΣ"]
    texts = [*(t for t in ugly if len(t) < 5_000), *extra]
    rows = [
        (c, [texts[(i * step + r) % len(texts)] for r in range(n)])
        for i, c in enumerate(texts)
        for n, step in ((1, 1), (2, 3), (3, 1), (4, 5))
    ]
    rows += [(t, [t.lower()]) for t in texts]
    check(rows, [g for g in GRID if g[0] == method])


def test_ten_thousand_tokens(ugly):
    """A long text against itself, reversed and cut."""
    long = max(ugly, key=len)
    words = long.split()
    rows = [(long, [long]), (long, [" ".join(words[::-1]), long[: len(long) // 2]])]
    check(rows, [(m, t, True, 4, False) for m in METHODS for t in ("none", "13a")])


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_real(data, count):
    """DailyDialog++ with 1 to 4 references."""
    path = data / "dailydialog-plusplus" / "dev.jsonl"
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    with path.open(encoding="utf-8") as file:
        items = [json.loads(line) for line in itertools.islice(file, 60)]
    rows = []
    for item in items:
        positive = item["positive_responses"]
        rows.append((positive[0], positive[1 : 1 + count]))
        rows.append((item["adversarial_negative_responses"][0], positive[:count]))
    check(rows)


@pytest.mark.parametrize(("method", "value"), [("floor", 0.0), ("floor", 0.5), ("add-k", 0.3)])
def test_smooth_value(ugly, method, value):
    """A value other than the default."""
    texts = [*(t for t in ugly if len(t) < 300), "the cat sat on the mat today"]
    rows = [(a, [b]) for a in texts for b in texts]
    check(rows, [g for g in GRID if g[0] == method and not g[4]], value)


WORD = st.sampled_from(["a", "b", "A", "the", ".", "1,5", "e-mail", "🙂", "\x00", "x.", "&amp;"])


@settings(max_examples=300, deadline=None)
@given(
    st.lists(WORD, max_size=12).map(" ".join),
    st.lists(st.lists(WORD, max_size=12).map(" ".join), min_size=1, max_size=4),
    st.sampled_from(GRID),
)
def test_generated(candidate, references, combination):
    """Sentences of few words, so that n-grams repeat and match."""
    check([(candidate, references)], [combination])


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=60), st.lists(st.text(max_size=60), min_size=1, max_size=3))
def test_any_text(candidate, references):
    """Any text at all, tokenised by either."""
    rows = [(candidate, [*references, candidate.upper()])]
    check(rows, [("exp", "13a", True, 3, True), ("floor", "none", False, 2, False)])
