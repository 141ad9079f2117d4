"""The embedded synonym table against NLTK's reader of WordNet 3.0."""

from __future__ import annotations

import random
from typing import Any

import pytest
from wordnet_oracle import FOLDER, synonyms, wordnet

from convoscope.text.columns import split_whitespace
from convoscope.text.synonyms import load_synonyms

ENDINGS = ["s", "ses", "ves", "xes", "zes", "ches", "shes", "men", "ies", "es", "ed", "ing", "er"]
ENDINGS += ["est", "ly", "ness", "'s"]


@pytest.fixture(scope="module")
def reader() -> Any:
    return wordnet()


@pytest.fixture(scope="module")
def lemmas(reader: Any) -> list[str]:
    return sorted(reader._lemma_pos_offset_map)


def differing(reader: Any, words: list[str]) -> list[str]:
    mine = load_synonyms().of(words)
    return [w for w, s in zip(words, mine, strict=True) if s != synonyms(reader, w)]


def test_every_exception_form(reader: Any) -> None:
    forms = set()
    for suffix in ("noun", "verb", "adj", "adv"):
        for line in (FOLDER / f"{suffix}.exc").read_text().splitlines():
            forms.update(line.split())
    assert len(forms) > 9_000
    assert differing(reader, sorted(forms)) == []


def test_lemmas(reader: Any, lemmas: list[str]) -> None:
    single = [w for w in lemmas if "_" not in w]
    several = [w for w in lemmas if "_" in w]
    random.Random(0).shuffle(single)
    assert differing(reader, single[:20_000]) == []
    assert differing(reader, several[::20]) == []


def test_inflected_forms(reader: Any, lemmas: list[str]) -> None:
    rng = random.Random(1)
    words = []
    for _ in range(20_000):
        lemma, ending = rng.choice(lemmas), rng.choice(ENDINGS)
        words.append(lemma[: len(lemma) - rng.randrange(3)] + ending)
    assert differing(reader, words) == []


def test_strange_words(reader: Any) -> None:
    words = ["", "s", "ies", "men", "ing", "es", "ed", "er", "est", "Paris", "DOGS", "New_York"]
    words += ["İstanbul", "naïve", "\0", "dog\0s", "😀s", "a" * 100, "x" * 5_000 + "ing", "'s"]
    words += ["_", "hot_dogs", "o'clock", ".22-caliber", "mother-in-law", "mothers-in-law"]
    assert differing(reader, words) == []


def test_among_is_of_within_the_column(reader: Any, lemmas: list[str]) -> None:
    rng = random.Random(2)
    words = [w + rng.choice(["", "", "s", "ed"]) for w in rng.sample(lemmas, 8_000)]
    column = split_whitespace([" ".join(words)])
    offsets, others = load_synonyms().among(column)
    types = set(column.types)
    for k, word in enumerate(column.types):
        mine = [column.types[i] for i in others[offsets[k] : offsets[k + 1]]]
        assert len(mine) == len(set(mine))
        assert set(mine) == (synonyms(reader, word) & types) - {word}
