"""Convoscope's own format: what is written is what is read, to the byte."""

import math
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convoscope import io
from convoscope.collection import (
    Collection,
    CollectionBuilder,
    Item,
    Judgement,
    Response,
    Run,
    Session,
    Utterance,
)
from convoscope.data import demo_path
from convoscope.errors import InputError

PROJECT = Path(__file__).resolve().parents[2]
HEADER = '{"type": "collection", "format": "convoscope", "version": 1, "name": "n"}\n'

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
names = texts.filter(bool)
numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-5, 5).map(float)


@st.composite
def collections(draw: st.DrawFn) -> Collection:
    ids = draw(st.lists(names, unique=True, max_size=4))
    optional = st.none() | texts
    items = tuple(
        Item(
            i,
            tuple(draw(st.lists(st.builds(Utterance, texts, optional), max_size=3))),
            tuple(draw(st.lists(texts, max_size=3))),
            draw(optional),
            draw(st.none() | st.integers(1, 9)),
            draw(optional),
        )
        for i in ids
    )
    some = st.sets(st.sampled_from(ids), max_size=4) if ids else st.just(set())
    runs = tuple(
        Run(
            system,
            draw(st.sampled_from(["retrieval", "generative", "human", "unknown"])),
            tuple(
                Response(i, draw(texts), rank)
                for i in ids
                for rank in sorted(draw(st.sets(st.integers(1, 4), max_size=3)))
            ),
        )
        for system in draw(st.lists(names, unique=True, max_size=3))
    )
    judgements = tuple(
        Judgement(rater, i, draw(names), draw(names), draw(numbers), draw(st.integers(1, 3)))
        for rater in draw(st.lists(names, unique=True, max_size=2))
        for i in sorted(draw(some))
    )
    sessions = tuple(
        Session(s, tuple(sorted(draw(some))), draw(st.none() | numbers), draw(optional))
        for s in draw(st.lists(names, unique=True, max_size=2))
    )
    return Collection(draw(names), items, runs, judgements, sessions, draw(st.none() | names))


@given(collections())
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, made: Collection) -> None:
    folder = tmp_path_factory.mktemp("jsonl")
    first, second = folder / "a.jsonl", folder / "b.jsonl"
    assert io.save(made, first) == []
    again = io.load("jsonl", first)
    assert again == made
    io.save(again, second)
    assert first.read_bytes() == second.read_bytes()
    assert io.detect(first) == "jsonl"
    assert io.validate(first).collection == made


def test_numbers(tmp_path: Path) -> None:
    scores = (3.0, 2.5, -0.0, 1e300, 0.1, 2.0**53)
    judgements = tuple(Judgement("r", "a", "s", f"d{k}", v) for k, v in enumerate(scores))
    path = tmp_path / "a.jsonl"
    io.save(Collection("n", (Item("a"),), judgements=judgements), path)
    assert '"score": 3}' in path.read_text()
    again = [j.score for j in io.load("jsonl", path).judgements]
    assert again == list(scores)
    assert math.copysign(1, again[2]) == -1


def test_tolerated(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    item = '{"type":"item","id":"é\\ud83d\\ude00","context":[],"references":["a\u2028b"]}'
    path.write_bytes(b"\xef\xbb\xbf" + HEADER.encode() + f"\r\n{item}\r\n  \r\n".encode())
    made = io.load("jsonl", path)
    assert made.items[0].id == "é😀"
    assert made.items[0].references == ("a\u2028b",)
    io.save(made, path)
    assert path.read_bytes().startswith(b'{"type": "collection"')
    assert io.load("jsonl", path, name="other").name == "other"


def test_save_checks_and_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("old")
    broken = Collection("n", (), (Run("s", "human", (Response("a", "x"),)),))
    with pytest.raises(InputError, match="run 's': item 'a' does not exist"):
        io.save(broken, path)
    with pytest.raises(InputError, match="item 'a' holds half of a surrogate pair"):
        io.save(Collection("n", (Item("a", references=("\ud800",)),)), path)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.jsonl"]


def test_save_follows_links_and_writes_to_devices(tmp_path: Path) -> None:
    (tmp_path / "b.jsonl").write_text("old")
    (tmp_path / "a.jsonl").symlink_to("b.jsonl")
    made = Collection("n", (Item("a"),))
    io.save(made, tmp_path / "a.jsonl")
    assert (tmp_path / "a.jsonl").is_symlink()
    assert io.load("jsonl", tmp_path / "b.jsonl") == made
    io.save(made, os.devnull)
    assert Path(os.devnull).is_char_device()


def test_detect(tmp_path: Path) -> None:
    cases = {
        "a.txt": (HEADER, "jsonl"),
        "b.data": ('{"messages": []}', "chat"),
        "c.jsonl": ("broken", "jsonl"),
        "d.csv": ("item,system", "table"),
        "e.dat": ("PAR1", "table"),
        "f.json": ("[]", "usr"),
    }
    for name, (text, expected) in cases.items():
        (tmp_path / name).write_text(text)
        assert io.detect(tmp_path / name) == expected
    (tmp_path / "g.txt").write_text("hello")
    with pytest.raises(InputError, match="cannot tell its format"):
        io.detect(tmp_path / "g.txt")


def test_register(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("convoscope.io.formats._added", {})

    def read(path: Path, into: CollectionBuilder, **_: object) -> None:
        into.add_item(Item(path.read_text()), str(path))

    io.register(io.Format(name="mine", summary="", suffixes=(".mine",), read=read))
    (tmp_path / "x.mine").write_text("q")
    assert io.load(io.detect(tmp_path / "x.mine"), tmp_path / "x.mine").items == (Item("q"),)
    with pytest.raises(InputError, match="exists already"):
        io.register(io.Format(name="jsonl", summary="", suffixes=(), read=read))


def test_validation_of_the_sample() -> None:
    found = io.validate(demo_path())
    assert found.ok
    assert found.items >= 40
    assert found.references is not None
    assert found.references[0] >= 1
    assert len(found.systems) >= 6
    assert all(s.coverage == 1.0 and s.judged == s.responses for s in found.systems)
    assert [d.dimension for d in found.dimensions] == ["Overall", "Relevance", "Fluency"]
    assert len(found.raters) == 3
    assert found.sessions_with_satisfaction >= 2
    assert len(found.warnings) == 1
    assert "2 empty response(s)" in found.warnings[0]
    assert found.to_dict()["references"] == {"min": 1, "mean": found.references[1], "max": 3}


def test_the_recipe_makes_the_sample(tmp_path: Path) -> None:
    code = (
        "import sys, pathlib, demo_data; demo_data.TARGET = pathlib.Path(sys.argv[1]); "
        "demo_data.main()"
    )
    made = tmp_path / "demo.jsonl"
    subprocess.run(
        [sys.executable, "-c", code, str(made)], cwd=PROJECT / "recipes", check=True, timeout=300
    )
    assert made.read_bytes() == demo_path().read_bytes()


def test_warnings(tmp_path: Path) -> None:
    items = (Item("a"), Item("b", (Utterance("x"),), ("r", " ")))
    runs = (Run("s", "human", (Response("a", "t"), Response("a", "u", 3))),)
    judgements = (
        Judgement("r", "b", "s", "d", 1.0),
        Judgement("r", "a", "gone", "d", 1.0),
    )
    path = tmp_path / "w.jsonl"
    io.save(Collection("n", items, runs, judgements), path)
    found = io.validate(path)
    assert found.ok
    expected = ("without references: 'a'", "empty reference: 'b'", "without context", "no response",
                "skips a rank", "'gone' has no run", "not there")  # fmt: skip
    assert len(found.warnings) == len(expected)
    assert all(e in w for e, w in zip(expected, found.warnings, strict=True))
