"""The tagger's contract: shapes, edges, errors, independence of blocks, accuracy."""

from __future__ import annotations

import itertools
import os
import sys
from pathlib import Path

import numpy as np
import pytest

from convoscope.assets import asset
from convoscope.errors import InputError
from convoscope.text import pos
from convoscope.text.pos import UPOS, load_tagger

DATA = Path(
    os.environ.get("CONVOSCOPE_DATA", Path(__file__).resolve().parents[3] / "shared" / "data")
)


def columns(texts):
    number: dict[str, int] = {}
    ids = [number.setdefault(w, len(number)) for text in texts for w in text]
    offsets = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    return list(number), np.array(ids, dtype=np.int32), offsets


def tag(texts):
    flat = load_tagger().tag(*columns(texts))
    ends = columns(texts)[2]
    return [[UPOS[t] for t in flat[a:b]] for a, b in itertools.pairwise(ends)]


def read_ewt():
    file = DATA / "ud-english-ewt" / "en_ewt-ud-test.conllu"
    if not file.is_file():
        pytest.skip("CONVOSCOPE_DATA has no ud-english-ewt")
    texts, tags = [], []
    for block in file.read_text(encoding="utf-8").split("\n\n"):
        rows = [line.split("\t") for line in block.splitlines() if line and line[0] != "#"]
        rows = [row for row in rows if row[0].isdigit()]
        if rows:
            texts.append([row[1] for row in rows])
            tags.append([row[3] for row in rows])
    return texts, tags


def test_upos_is_the_universal_tag_set_in_order():
    assert len(UPOS) == 17
    assert list(UPOS) == sorted(UPOS)


def test_plain_sentence():
    text = ["She", "quickly", "bought", "three", "red", "apples", "in", "London", "."]
    assert tag([text]) == [["PRON", "ADV", "VERB", "NUM", "ADJ", "NOUN", "ADP", "PROPN", "PUNCT"]]


def test_lower_cased_question():
    text = ["do", "you", "like", "old", "movies", "and", "music", "?"]
    assert tag([text]) == [["AUX", "PRON", "VERB", "ADJ", "NOUN", "CCONJ", "NOUN", "PUNCT"]]


def test_no_texts():
    out = load_tagger().tag([], np.empty(0, np.int32), np.zeros(1, np.int64))
    assert out.dtype == np.uint8
    assert len(out) == 0


def test_only_empty_texts():
    assert tag([[], [], []]) == [[], [], []]


def test_empty_texts_between_others_change_nothing():
    text = ["I", "really", "love", "it"]
    assert tag([[], text, [], [], text, []]) == [[], tag([text])[0], [], [], tag([text])[0], []]


def test_types_that_no_token_uses_are_harmless():
    types, ids, offsets = columns([["a", "dog", "barks"]])
    alone = load_tagger().tag(types, ids, offsets)
    more = load_tagger().tag(["unused", *types, "", "\0"], ids + 1, offsets)
    assert alone.tolist() == more.tolist()


def test_a_text_is_tagged_the_same_in_any_company():
    texts = [f"well {w} is what they {w} about , is n't it".split() for w in ["run", "talk", "go"]]
    texts += [["!"], ["hello"], ["x"] * 50]
    together = tag(texts)
    assert together == [tag([text])[0] for text in texts]


@pytest.mark.parametrize("block", [3, 64, 1000])
def test_blocks_do_not_matter(monkeypatch, block):
    rng = np.random.default_rng(5)
    words = [
        "the",
        "a",
        "old",
        "dog",
        "runs",
        "quickly",
        "to",
        "you",
        ",",
        ".",
        "IBM",
        "Paris",
        "42",
        ":)",
        "n't",
        "and",
    ]
    texts = [[words[i] for i in rng.integers(0, len(words), n)] for n in rng.integers(0, 12, 12)]
    whole = tag(texts)
    monkeypatch.setattr(pos, "_BLOCK", block)
    assert tag(texts) == whole


def test_lone_surrogates_do_not_crash():
    assert len(tag([["\ud83d", "ok", "\udc00x"]])[0]) == 3


def test_memory_stays_bounded_for_one_very_long_text():
    assert len(tag([["word", "after", "word"] * 10_000])[0]) == 30_000


@pytest.mark.parametrize(
    ("ids", "offsets", "message"),
    [
        ([0, 1], [0, 3], "end with 2"),
        ([0, 1], [1, 2], "begin with 0"),
        ([0, 1], [0, 2, 1, 2], "decrease"),
        ([0, 2], [0, 2], "outside 0 … 1"),
        ([-1, 0], [0, 2], "outside 0 … 1"),
    ],
)
def test_columns_that_do_not_fit_are_refused(ids, offsets, message):
    with pytest.raises(InputError, match=message):
        load_tagger().tag(["a", "b"], np.array(ids, np.int32), np.array(offsets, np.int64))


def test_the_tagger_is_loaded_once():
    assert load_tagger() is load_tagger("embedded")


def test_signature_names_the_asset_version():
    assert load_tagger().signature == f"pos:embedded-{asset('pos_en').identity}"


def test_asset_is_whole_and_small():
    found = asset("pos_en")
    assert found.verify() == []
    assert found.licence == "CC-BY-SA-4.0"
    assert sum(f.stat().st_size for f in found.path.rglob("*") if f.is_file()) <= 12_000_000


def test_missing_model_says_what_to_install():
    pytest.importorskip("spacy")
    with pytest.raises(InputError, match="python -m spacy download no_such_model"):
        load_tagger("no_such_model")


def test_missing_spacy_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(InputError, match=r"convoscope\[spacy\]"):
        load_tagger("en_core_web_sm")


def test_a_model_without_parts_of_speech_is_refused(tmp_path):
    spacy = pytest.importorskip("spacy")
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(InputError, match=r"assigns no part of speech"):
        load_tagger(str(tmp_path / "blank"))


def test_spacy_model_by_path():
    pytest.importorskip("spacy")
    texts = [["I", "like", "green", "tea", "."], [], ["ok"]]
    other = load_tagger(str(asset("pos_en").path))
    assert other.signature == "pos:en_convoscope_pos-1.0.0"
    assert other.tag(*columns(texts)).tolist() == load_tagger().tag(*columns(texts)).tolist()


@pytest.mark.parametrize(("form", "least"), [(str, 0.950), (str.lower, 0.940)])
def test_accuracy_on_ewt_test(form, least):
    texts, tags = read_ewt()
    guessed = tag([[form(w) for w in text] for text in texts])
    pairs = [(g, t) for a, b in zip(guessed, tags, strict=True) for g, t in zip(a, b, strict=True)]
    assert sum(g == t for g, t in pairs) / len(pairs) >= least
