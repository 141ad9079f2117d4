"""POSSCORE against a direct, unoptimised transcription of its equations and released code."""

from __future__ import annotations

import math
import re
import string

import numpy as np
import pytest

from convoscope.metrics import Batch, TagSet
from convoscope.metrics.posscore import POSScore
from convoscope.text.columns import split_whitespace
from convoscope.text.pos import UPOS, load_tagger
from convoscope.text.vectors import load_vectors

SENTENCES = [
    "it is from our evolution when land animals had both gills and lungs",
    "i like sports , football , hockey , soccer i also find swimming interesting as well .",
    "i like hockey and soccer . what teams do you support ?",
    "i have never swam competitively , but i did nt have it . i do like it though .",
    "Chess tournaments protein makes your brain more activate for intense chess matches.",
    "I am a professional chess player.",
    "Paris and the_underscore_word 2nd 42 don't",
    "of the and to",
    "dogs",
]


def tag_one(words):
    column = split_whitespace([" ".join(words)])
    tags = load_tagger().tag(column.types, column.ids, column.offsets)
    return [UPOS[t] for t in tags]


def cosine(a, b):
    if a is None or b is None or not np.any(a) or not np.any(b):
        return 0.0
    return float(a @ b / math.sqrt((a @ a) * (b @ b)))


def mean(words):
    if not words:
        return None
    return np.mean(load_vectors().lookup(words).astype(np.float64), axis=0)


def simple_preprocess(text):
    """gensim.utils.simple_preprocess at its defaults (gensim 4.4, utils.py)."""
    tokens = re.findall(r"(?:(?!\d)\w)+", text.lower(), re.UNICODE)
    return [t for t in tokens if 2 <= len(t) <= 15 and not t.startswith("_")]


def group(text, tags, cleanup):
    """Return the mean vectors of POS words and other words, and the share of POS words."""
    if cleanup == "released":
        text = text.translate(str.maketrans("", "", string.punctuation))
    words = text.split()
    upos = tag_one(words)
    pos = [w for w, t in zip(words, upos, strict=True) if t in tags]
    rest = [w for w, t in zip(words, upos, strict=True) if t not in tags]
    share = len(pos) / len(words) if words else 0.0
    if cleanup == "released":
        pos, rest = simple_preprocess(" ".join(pos)), simple_preprocess(" ".join(rest))
    return mean(pos), mean(rest), share


def posscore(reference, candidate):
    """Equations 1-3, from the groups of two texts."""
    (r_pos, r_rest, n_r), (c_pos, c_rest, n_c) = reference, candidate
    w = math.exp(1.0 - n_r / n_c) if n_r and n_c else 1.0
    return w * cosine(r_pos, c_pos) + cosine(r_rest, c_rest)


@pytest.mark.parametrize("cleanup", ["released", "none"])
@pytest.mark.parametrize("tags", ["ADJ+ADV+VERB+PROPN+NOUN", "NOUN", "PRON+ADP", "PUNCT"])
def test_equals_transcription(cleanup, tags, ugly):
    texts = SENTENCES + ugly
    pairs = [(a, b) for a in texts for b in texts]
    metric = POSScore(tags=TagSet.of(tags), cleanup=cleanup)
    ours = metric.compute(Batch.from_strings([c for c, _ in pairs], [[r] for _, r in pairs]))
    groups = {t: group(t, TagSet.of(tags).names, cleanup) for t in texts}
    expected = [posscore(groups[r], groups[c]) for c, r in pairs]
    np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-6)


def test_several_references_take_the_best():
    metric = POSScore()
    both = Batch.from_strings([SENTENCES[2]], [[SENTENCES[1], SENTENCES[5]]])
    each = Batch.from_strings([SENTENCES[2]] * 2, [[SENTENCES[1]], [SENTENCES[5]]])
    assert metric.compute(both)[0] == metric.compute(each).max()
    average = POSScore(multi="mean").compute(both)[0]
    assert average == pytest.approx(metric.compute(each).mean(), abs=1e-12)


def test_weight_is_the_papers():
    # Every word tagged NOUN or not: n_r = 1/2, n_c = 1 gives w = exp(1 - 1/2).
    metric = POSScore(tags=TagSet.of("NOUN"), cleanup="none")
    batch = Batch.from_strings(["dogs cats"], [["dogs the"]])
    assert metric.terms(batch).weight[0] == pytest.approx(math.exp(0.5))


def test_empty_sides_count_zero():
    metric = POSScore()
    assert metric.compute(Batch.from_strings(["", "dogs"], [["dogs"], [""]])).tolist() == [0, 0]
