"""The embedded tagger gives exactly the tags that spaCy gives with the same pipeline."""

from __future__ import annotations

import itertools
import os
import random
from pathlib import Path

import numpy as np
import pytest

from convoscope.assets import asset
from convoscope.text import _tagger_kernels as kernels
from convoscope.text.pos import UPOS, load_tagger

spacy = pytest.importorskip("spacy")

DATA = Path(
    os.environ.get("CONVOSCOPE_DATA", Path(__file__).resolve().parents[3] / "shared" / "data")
)

UGLY = {
    "empty": [],
    "one": ["hi"],
    "emoji": ["I", "❤️", "u", "😀😀", "👨‍👩‍👧‍👦", "🏳️‍🌈", ":)", "¯\\_(ツ)_/¯"],
    "right to left": ["مرحبا", "شكرا", "שלום", "hello", "؟", "\u200f", "٣٤"],
    "punctuation": [*list("!?.,;:-()[]{}\"'`~@#$%^&*_+=/\\|<>"), "...", "!!!!!!!!", "``", "''"],
    "nul": ["a\0b", "\0", "x\0", "\0\0\0"],
    "white space": [" ", "\n", "\t\t", "  ", "\u00a0", "a", "\u3000"],
    "long words": ["a" * 99, "a" * 100, "b" * 5000, "ab" * 300, "http://" + "x/" * 200],
    "symbols of spaCy": ["NOUN", "case", "list", "X", "det", "ID", "mark", "PERSON", "xcomp"],
    "case folding": ["İstanbul", "ǅ", "ß", "ẞ", "ŒUVRE", "②", "½", "ﬁne", "É", "e\u0301"],
    "mixed scripts": ["日本語", "русский", "Ελλάς", "हिन्दी", "한국어", "naïve", "café"],
    "repeats": ["ha"] * 200,
    "looong": ["sooooooo", "SOOOOOOO", "1111111", "aAAAAAaaaaa", "x.x.x.x.x.x."],
}  # fmt: skip


@pytest.fixture(scope="module")
def nlp():
    return spacy.load(asset("pos_en").path)


def by_spacy(nlp, texts):
    Doc = spacy.tokens.Doc  # noqa: N806
    return [[t.pos_ for t in nlp(Doc(nlp.vocab, words=text))] for text in texts]


def by_us(texts):
    number: dict[str, int] = {}
    ids = [number.setdefault(w, len(number)) for text in texts for w in text]
    ends = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    flat = load_tagger().tag(list(number), np.array(ids, dtype=np.int32), ends)
    return [[UPOS[t] for t in flat[a:b]] for a, b in itertools.pairwise(ends)]


@pytest.mark.parametrize("name", UGLY)
def test_ugly_text(nlp, name):
    assert by_us([UGLY[name]]) == by_spacy(nlp, [UGLY[name]])


def test_ugly_texts_together(nlp):
    texts = list(UGLY.values())
    assert by_us(texts) == by_spacy(nlp, texts)


def test_ten_thousand_tokens(nlp):
    rng = random.Random(3)
    pool = [w for text in UGLY.values() for w in text] + [
        "the",
        "dog",
        "that",
        "I",
        "saw",
        "was",
        "n't",
        "big",
    ]
    text = [rng.choice(pool) for _ in range(10_000)]
    assert by_us([text]) == by_spacy(nlp, [text])


@pytest.mark.parametrize("seed", range(5))
def test_random_strings(nlp, seed):
    rng = random.Random(seed)
    alphabet = "abcdeABCDE0123 .,!?'-_/éßشע日😀\0\n\u200d"
    texts = [
        ["".join(rng.choices(alphabet, k=rng.randint(1, 12))) for _ in range(rng.randint(0, 25))]
        for _ in range(60)
    ]
    assert by_us(texts) == by_spacy(nlp, texts)


def test_treebank_sentences(nlp):
    file = DATA / "ud-english-ewt" / "en_ewt-ud-test.conllu"
    if not file.is_file():
        pytest.skip("CONVOSCOPE_DATA has no ud-english-ewt")
    texts = []
    for block in file.read_text(encoding="utf-8").split("\n\n"):
        rows = [line.split("\t") for line in block.splitlines() if line and line[0] != "#"]
        texts.append([row[1] for row in rows if row[0].isdigit()])
    sample = texts[::3]
    sample += [[w.lower() for w in text] for text in texts[1::6]]
    assert by_us(sample) == by_spacy(nlp, sample)


def test_lexical_attributes():
    attributes = ["ORTH", "LOWER", "PREFIX", "SUFFIX", "SHAPE"]
    words = sorted({w for text in UGLY.values() for w in text})
    doc = spacy.tokens.Doc(spacy.blank("en").vocab, words=words)
    ours = kernels.attribute_ids(words, attributes, spacy.symbols.IDS)
    np.testing.assert_array_equal(ours, doc.to_array(attributes).astype(np.uint64))


def test_rows_of_the_tables():
    from thinc.api import NumpyOps

    numbers = np.random.default_rng(1).integers(0, 2**64, 1000, dtype=np.uint64)
    for seed, n_rows in [(8, 2000), (9, 12_000), (12, 1)]:
        ours = kernels.hash_rows(numbers, seed, n_rows)
        np.testing.assert_array_equal(ours, NumpyOps().hash(numbers, seed) % n_rows)
