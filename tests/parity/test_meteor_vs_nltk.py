"""METEOR against nltk.translate.meteor_score over the same WordNet 3.0."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wordnet_oracle import synonyms, wordnet

from convoscope.metrics import Batch
from convoscope.metrics.overlap.meteor import METEOR

# Words that meet each other in every stage: inflections, and synonyms of different stems.
WORDS = """
car cars automobile automobiles auto machine machines machinery drive drives driving drove driven
big large larger largest bigger great begin begins began start starts started starting commence
happy happily happiness glad gladly buy bought purchase purchases purchasing child children kid
kids goose geese fool fools film films movie movies picture pictures the a of to and in is are was
be been run runs running ran hat hats home house houses dwelling sofa couch couches couched
fast quick quickly speedy rapid rapidly answer answers reply replies replied response respond
help helps helped assist assistance aid aids axes axis ax better good well best goodness flies fly
dies die dying died Paris paris S s second seconds moment moments Minute minutes , . ! ? 's n't
"""
SALAD = WORDS.split()
UGLY = [
    "", " ", "\t\n", "😀 😀 👍🏽", "مرحبا بالعالم مرحبا", "שלום עולם", ". , ! ? ...", "\0",
    "a\0b \0 a\0b", "İstanbul ΑΣ ΣΑ ßß", "naïve café cafés", "\u200b x\u00a0y",
    "new_york hot_dogs hot_dog frank",
    "y yy yyy yyyed", "THE The the tHe", "e\u0301e\u0301ing éé", "a " * 300, "x" * 3_000,
]  # fmt: skip


@pytest.fixture(scope="module")
def reader() -> Any:
    return wordnet()


def nltk_scores(
    reader: Any, candidates: list[str], references: list[list[str]], **kwargs: float
) -> list[float]:
    from nltk.translate.meteor_score import meteor_score

    return [
        meteor_score([r.split() for r in refs], c.split(), wordnet=reader, **kwargs)
        for c, refs in zip(candidates, references, strict=True)
    ]


def check(reader: Any, candidates: list[str], references: list[list[str]], **kwargs: float) -> None:
    mine = METEOR(**kwargs).compute(Batch.from_strings(candidates, references))
    theirs = nltk_scores(reader, candidates, references, **kwargs)
    np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-9)


def salad(rng: random.Random, words: list[str], longest: int = 25) -> str:
    return " ".join(rng.choices(words, k=rng.randrange(longest)))


def test_parameters_and_references(reader: Any) -> None:
    rng = random.Random(0)
    for alpha in (0.0, 0.5, 0.9, 1.0):
        for beta in (0.0, 0.5, 3.0):
            for gamma in (0.0, 0.5, 1.0):
                candidates = [salad(rng, SALAD) for _ in range(60)]
                references = [
                    [salad(rng, SALAD) for _ in range(rng.randint(1, 4))] for _ in range(60)
                ]
                check(reader, candidates, references, alpha=alpha, beta=beta, gamma=gamma)


def test_every_stage_fires_in_the_salad(reader: Any) -> None:
    from nltk.stem.porter import PorterStemmer

    stem = PorterStemmer().stem
    stems = {stem(w.lower()) for w in SALAD}
    assert len(stems) < len({w.lower() for w in SALAD})
    linked = {s for s in stems if (synonyms(reader, s) - {s}) & stems}
    assert len(linked) > 20


@settings(max_examples=400, deadline=None)
@given(
    st.lists(st.sampled_from(SALAD), max_size=30),
    st.lists(st.lists(st.sampled_from(SALAD), max_size=30), min_size=1, max_size=3),
)
def test_word_salad(reader: Any, candidate: list[str], references: list[list[str]]) -> None:
    check(reader, [" ".join(candidate)], [[" ".join(r) for r in references]])


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=40), st.text(max_size=40))
def test_any_text(reader: Any, candidate: str, reference: str) -> None:
    check(reader, [candidate], [[reference, candidate]])
    check(reader, [candidate], [[reference]])


def test_inflected_vocabulary(reader: Any) -> None:
    """Synonyms of synonyms, so that the synonym stage meets the whole vocabulary."""
    rng = random.Random(3)
    lemmas = [w for w in sorted(reader._lemma_pos_offset_map) if "_" not in w]
    candidates, references = [], []
    for _ in range(1_500):
        words = rng.choices(lemmas, k=8)
        other = [rng.choice([*sorted(synonyms(reader, w)), w]) for w in words]
        rng.shuffle(other)
        bend = [w + rng.choice(["", "", "s", "ed", "ing", "ly"]) for w in other]
        candidates.append(" ".join(words))
        references.append([" ".join(bend)])
    check(reader, candidates, references)


def test_ugly_text(reader: Any, ugly: list[str]) -> None:
    short = [t for t in ugly if len(t) < 20_000]
    pairs = [(a, b) for a in UGLY for b in [*UGLY, *short]]
    pairs += [(a, b) for a in ugly for b in (a, ugly[-1], ugly[16])]
    check(reader, [a for a, _ in pairs], [[b] for _, b in pairs])


def test_long_texts(reader: Any) -> None:
    rng = random.Random(1)
    texts = [" ".join(rng.choices(SALAD, k=k)) for k in (1_000, 1_200, 10_000, 10_000)]
    check(reader, texts[:2] + texts[2:3], [[texts[1]], [texts[0]], [texts[3]]])


def test_real_responses(reader: Any, data: Path) -> None:
    file = data / "dailydialog-plusplus" / "dev.jsonl"
    if not file.is_file():
        pytest.skip(f"needs DailyDialog++ (dailydialog-plusplus/dev.jsonl) under {data}")
    candidates, references = [], []
    for line in file.read_text(encoding="utf-8").splitlines():
        item = json.loads(line)
        positive = item["positive_responses"]
        for response in (positive[0], *item["adversarial_negative_responses"][:2]):
            candidates.append(response)
            references.append(positive[1:])
    assert len(candidates) > 3_000
    check(reader, candidates, references)
