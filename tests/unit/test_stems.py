from __future__ import annotations

import random

import pytest

from convoscope.text.columns import split_whitespace
from convoscope.text.stems import SIGNATURE, number_spans, porter, stem_column

# Pairs from Porter (1980) as printed there, but for those NLTK changes on purpose.
PAPER = """
caresses=caress ponies=poni ties=tie cats=cat feed=feed agreed=agre plastered=plaster bled=bled
motoring=motor sing=sing conflated=conflat troubled=troubl sized=size hopping=hop tanned=tan
falling=fall hissing=hiss fizzed=fizz failing=fail filing=file happy=happi sky=sky
relational=relat conditional=condit rational=ration digitizer=digit operator=oper feudalism=feudal
decisiveness=decis hopefulness=hope callousness=callous formaliti=formal sensibiliti=sensibl
triplicate=triplic formative=form electriciti=electr goodness=good revival=reviv allowance=allow
airliner=airlin gyroscopic=gyroscop adjustable=adjust irritant=irrit replacement=replac
adoption=adopt homologous=homolog effective=effect bowdlerize=bowdler probate=probat rate=rate
cease=ceas controll=control roll=roll
"""
# NLTK's own changes: nltk.stem.porter, the comments on NLTK_EXTENSIONS.
NLTK = """
dies=die died=die flies=fli dying=die lying=lie news=news innings=inning howe=howe skies=sky
enjoy=enjoy spy=spi succeed=succeed is=is as=as archaeology=archaeolog geologi=geolog
hopefulli=hope radicalli=radic
"""


@pytest.mark.parametrize("pair", (PAPER + NLTK).split())
def test_known_stems(pair: str) -> None:
    word, stem = pair.split("=")
    assert porter([word, word.upper()]) == [stem, stem]


def test_same_as_nltk() -> None:
    nltk_porter = pytest.importorskip("nltk.stem.porter").PorterStemmer()
    rng = random.Random(0)
    ends = "ational alli fulli logi iviti ness ement ion ous e ing ed eed ied ies sses s y ll *d"
    ends += " at bl iz éé yy ational's biliti izer bli ful al ance ate"
    parts = ends.split()
    words = ["", "y", "yyyyy", "'", "İİ", "ΑΣ", "a*ded", "\0", "ing", "ness", "😀😀ing", "ééed"]
    for _ in range(60_000):
        head = "".join(rng.choice("aeiouybcdlstzxw*éĂ😀İßΣ") for _ in range(rng.randrange(7)))
        words.append(head + "".join(rng.choice(parts) for _ in range(rng.randrange(4))))
    mine = porter(words)
    assert [(w, s) for w, s in zip(words, mine, strict=True) if nltk_porter.stem(w) != s] == []


def test_long_words_take_linear_time() -> None:
    word = "y" * 300_000 + "ing"
    assert porter([word, "a" * 300_000 + "s"])[1] == "a" * 300_000


def test_column() -> None:
    column = split_whitespace(["cats and cat", "", "the cat 's hats"])
    stems = stem_column(column)
    assert stems.words(0) == ["cat", "and", "cat"]
    assert stems.words(1) == []
    assert stems.words(2) == ["the", "cat", "'s", "hat"]
    assert stems.n_types == len(set(stems.types)) == 5
    empty = stem_column(split_whitespace([]))
    assert empty.n_types == 0


def test_number_spans() -> None:
    column = split_whitespace(["a bb a ccc bb"])
    numbers, first = number_spans(column.buffer, column.spans[[0, 1, 0, 2, 1]])
    assert numbers.tolist() == [0, 1, 0, 2, 1]
    assert first.tolist() == [0, 1, 3]


def test_signature() -> None:
    assert SIGNATURE == "stem:porter-nltk"
