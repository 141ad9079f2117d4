"""Token columns against Python's own string methods."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from convoscope.errors import InputError
from convoscope.text.columns import from_token_lists, split_whitespace

ANY_TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=60)


@given(st.lists(ANY_TEXT, max_size=30))
def test_split_equals_str_split(texts):
    column = split_whitespace(texts)
    assert [column.words(i) for i in range(len(texts))] == [t.split() for t in texts]
    assert len(set(column.types)) == column.n_types


def test_every_code_point_splits_or_joins_as_python_does():
    points = [chr(c) for c in range(sys.maxunicode + 1) if not 0xD800 <= c <= 0xDFFF]
    lengths = split_whitespace([f"a{c}b" for c in points]).lengths
    expected = [2 if c.isspace() else 1 for c in points]
    assert lengths.tolist() == expected


def test_many_types_grow_the_table():
    words = [f"w{i}" for i in range(50_000)]
    column = split_whitespace([" ".join(words), " ".join(reversed(words)), "w1 " * 60_000])
    assert column.n_types == 50_000
    assert column.words(1) == words[::-1]
    assert column.lengths.tolist() == [50_000, 50_000, 60_000]


def test_no_texts_and_empty_texts():
    assert split_whitespace([]).lengths.tolist() == []
    column = split_whitespace(["", "  ", "a"])
    assert column.lengths.tolist() == [0, 0, 1]


def test_lone_surrogate_is_refused_by_position():
    with pytest.raises(InputError, match="text 1 holds a lone surrogate"):
        split_whitespace(["fine", "bad \ud800"])


@given(st.lists(ANY_TEXT, max_size=20))
def test_lower_lowers_each_token_and_merges_types(texts):
    column = split_whitespace(texts).lower()
    assert [column.words(i) for i in range(len(texts))] == [
        [w.lower() for w in t.split()] for t in texts
    ]
    assert len(set(column.types)) == column.n_types


def test_types_may_hold_white_space_or_be_empty():
    column = from_token_lists([["a b", "", "a b"], []])
    assert column.words(0) == ["a b", "", "a b"]
    assert column.ids.tolist() == [0, 1, 0]
    assert column.lower().words(0) == ["a b", "", "a b"]
    assert column.offsets.dtype == np.int64
