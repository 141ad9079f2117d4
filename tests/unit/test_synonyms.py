from __future__ import annotations

import numpy as np

from convoscope.assets import asset
from convoscope.text.columns import split_whitespace
from convoscope.text.synonyms import load_synonyms

# The expected sets are those of `wordnet.synsets` in NLTK 3.10.4 over WordNet 3.0
# (single-word lemma names); tests/parity/test_wordnet_vs_nltk.py compares tens of thousands.


def of(word: str) -> set[str]:
    return load_synonyms().of([word])[0]


def test_lemmas_and_case() -> None:
    assert of("automobile") == {"auto", "automobile", "car", "machine", "motorcar"}
    assert of("Automobiles") == of("automobile")
    assert of("paris") == {"Paris"}
    assert not any("_" in name for name in of("hot_dog"))
    assert "frankfurter" in of("hot_dogs")


def test_exceptions_replace_the_rules() -> None:
    assert "goose" in of("geese")
    assert {"axis", "ax"} <= of("axes")
    assert {"good", "well"} <= of("better")


def test_unknown_words() -> None:
    for word in ["", "qwzx", "s", "\0", "😀s", "a" * 1_000, "x" * 1_000 + "ing"]:
        assert isinstance(of(word), set)
    assert of("qwzx") == of("") == of("😀s") == of("x" * 1_000 + "ing") == set()


def test_among() -> None:
    column = split_whitespace(["auto cars car qwzx machine cars"])
    offsets, others = load_synonyms().among(column)
    types = column.types
    found = {
        word: {types[i] for i in others[offsets[k] : offsets[k + 1]]}
        for k, word in enumerate(types)
    }
    assert found == {
        "auto": {"car", "machine"},
        "cars": {"auto", "car", "machine"},
        "car": {"auto", "machine"},
        "qwzx": set(),
        "machine": {"auto", "car"},
    }
    offsets, others = load_synonyms().among(split_whitespace([]))
    assert offsets.tolist() == [0]
    assert len(others) == 0


def test_asset() -> None:
    found = asset("wordnet_en")
    assert found.verify() == []
    assert found.licence == "LicenseRef-WordNet-3.0"
    assert "Princeton" in (found.path / "LICENSE").read_text()
    table = load_synonyms()
    assert table.signature == f"wordnet:3.0-{found.identity}"
    assert load_synonyms() is table
    assert np.all(np.diff(table.starts) > 0)
