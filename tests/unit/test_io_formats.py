"""Tables and chat transcripts, options, and the two commands."""

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from convoscope import io
from convoscope.cli.convert import command as convert
from convoscope.cli.validate import command as validate
from convoscope.collection import (
    Collection,
    Item,
    Judgement,
    Response,
    Run,
    Session,
    Utterance,
)
from convoscope.data import demo_path
from convoscope.errors import InputError


def sample() -> Collection:
    items = (
        Item("a", (Utterance('say "hi", ok', "U"), Utterance("x")), ("r1", "r,2\n"), "d", 1, "k"),
        Item("b", (), ("r",), turn=2),
        Item("c", (Utterance("only"),)),
    )
    runs = (
        Run("S", "human", (Response("a", "é\tt"), Response("a", "", 2), Response("b", "u"))),
        Run("T", "unknown", (Response("a", " v "),)),
    )
    judgements = tuple(
        Judgement(r, "a", "S", d, s) for r in ("x", "y") for d, s in (("O", 3.0), ("F", 0.5))
    )
    return Collection("t", items, runs, judgements)


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet"])
def test_table_round_trip(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"t{suffix}"
    assert io.save(sample(), path, "table") == []
    assert io.detect(path) == "table"
    assert io.load("table", path) == sample()


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_table_refuses_to_lose(tmp_path: Path, suffix: str) -> None:
    base = sample()
    whole = Collection(
        "t",
        (*base.items, Item("d", (Utterance("a\nb"),), ("",))),
        (*base.runs, Run("idle")),
        (*base.judgements, Judgement("x", "a", "gone", "O", 1.0)),
        (Session("s", ("a",)),),
        "gone",
    )
    path = tmp_path / f"t{suffix}"
    with pytest.raises(InputError, match=r"cannot carry 1 session\(s\);") as caught:
        io.save(whole, path, "table")
    assert not path.exists()
    lost = io.save(whole, path, "table", drop=True)
    assert all(part in str(caught.value) for part in lost)
    assert len(lost) == (6 if suffix == ".csv" else 4)
    assert io.load("table", path).runs == base.runs


def test_table_mapping(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        "q,sysname,text,gold,good,who,overall_col,flu\n"
        "1,S,t,r1,r2,ann,4,\n1,S,t,r1,r2,bob,5,2.5\n1,T,u,r1,r3,ann,1,1\n"
    )
    made = io.load(
        "table", path, item="q", system="sysname", response="text", reference="gold,good",
        rater="who", judgements="Overall=overall_col,flu",
    )  # fmt: skip
    assert made.items == (Item("1", references=("r1", "r2", "r3")),)
    assert made.mean_judgements("Overall") == {("1", "S", 1): 4.5, ("1", "T", 1): 1.0}
    assert made.mean_judgements("flu") == {("1", "S", 1): 2.5, ("1", "T", 1): 1.0}
    with pytest.raises(InputError, match=r":1: no column 'golt' .*did you mean 'gold'"):
        io.load("table", path, item="q", system="sysname", response="text", reference="golt")


def test_table_repeated_rows_give_references(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    rows = [["Item", "Model", "Output", "Reference", "judgement:O"]]
    rows += [["1", s, s, r, "3"] for s in "ST" for r in ("r1", "r2")]
    with path.open("w", newline="") as file:
        csv.writer(file, delimiter="\t").writerows(rows)
    made = io.load("table", path)
    assert made.items[0].references == ("r1", "r2")
    assert made.n_responses == 2
    assert [j.rater for j in made.judgements] == ["unnamed"] * 2


def test_table_of_references_in_order(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("item,system,response,reference_10,reference_2,reference\n1,S,t,c,b,a\n")
    assert io.load("table", path).items[0].references == ("a", "b", "c")


def chat(path: Path, *lines: dict) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def message(role: str, content: object, **more: str) -> dict:
    return {"role": role, "content": content, **more}


def test_chat_last(tmp_path: Path) -> None:
    talk = [message("system", "Be kind."), message("user", "hi", name="Ann")]
    path = chat(
        tmp_path / "c.jsonl",
        {"id": "d", "messages": [*talk, message("assistant", "gold")], "tools": []},
        {"messages": talk, "references": ["x", "y"], "knowledge": "k"},
    )
    assert io.detect(path) == "chat"
    made = io.load("chat", path)
    context = (Utterance("Be kind.", "system"), Utterance("hi", "Ann"))
    assert made.items == (
        Item("d", context, ("gold",), "d"),
        Item("2", context, ("x", "y"), "2", None, "k"),
    )
    assert made.runs == ()


def test_chat_systems_share_items(tmp_path: Path) -> None:
    parts = [{"type": "text", "text": "h"}, {"type": "text", "text": "i"}]
    path = chat(
        tmp_path / "c.jsonl",
        {"id": "d", "model": "M", "messages": [message("user", parts), message("assistant", "m")]},
        {"id": "d", "system": "N", "messages": [message("user", "hi")], "response": "n"},
        {"id": "d", "system": "O", "response": "o",
         "messages": [message("user", "hi"), message("assistant", "gold")]},
    )  # fmt: skip
    made = io.load("chat", path)
    assert made.items == (Item("d", (Utterance("hi", "user"),), ("gold",), "d"),)
    assert [(r.system, r.responses[0].text) for r in made.runs] == [
        ("M", "m"), ("N", "n"), ("O", "o")
    ]  # fmt: skip


def test_chat_references_may_come_in_any_order(tmp_path: Path) -> None:
    ask, gold = message("user", "hi"), message("assistant", "gold")
    lines = [
        {"id": "d", "model": "M", "messages": [ask, message("assistant", "m")]},
        {"id": "d", "messages": [ask, gold]},
    ]
    for order in (lines, lines[::-1]):
        made = io.load("chat", chat(tmp_path / "c.jsonl", *order))
        assert made.items[0].references == ("gold",)
        assert made.n_responses == 1


def test_chat_all(tmp_path: Path) -> None:
    talk = [message(r, t) for r, t in zip(("user", "assistant") * 2, "abcd", strict=True)]
    path = chat(tmp_path / "c.jsonl", {"id": "d", "messages": talk})
    made = io.load("chat", path, turns="all")
    assert [(i.id, len(i.context), i.references, i.turn) for i in made.items] == [
        ("d-1", 1, ("b",), 1),
        ("d-2", 3, ("d",), 2),
    ]
    assert made.sessions == (Session("d", ("d-1", "d-2")),)
    runs = io.load("chat", chat(path, {"model": "M", "messages": talk}), turns="all").runs
    assert [r.text for r in runs[0].responses] == ["b", "d"]
    with pytest.raises(InputError, match="option 'turns': unknown value 'al'; did you mean 'all'"):
        io.load("chat", path, turns="al")


def test_validate_command(tmp_path: Path) -> None:
    run = CliRunner().invoke(validate, [str(demo_path())])
    assert run.exit_code == 0
    assert "BM25" in run.output
    assert "no problems" in run.output
    run = CliRunner().invoke(validate, [str(demo_path()), "--json"])
    assert json.loads(run.output)["ok"] is True
    run = CliRunner().invoke(validate, [str(tmp_path / "none.jsonl")])
    assert isinstance(run.exception, InputError)


def test_convert_command(tmp_path: Path) -> None:
    source, target, back = (tmp_path / n for n in ("a.jsonl", "a.csv", "b.jsonl"))
    io.save(sample(), source)
    assert CliRunner().invoke(convert, [str(source), str(target)]).exit_code == 0
    assert CliRunner().invoke(convert, [str(target), str(back), "--name", "t"]).exit_code == 0
    assert back.read_bytes() == source.read_bytes()
    args = [str(demo_path()), str(target)]
    assert "cannot carry 84 session(s)" in str(CliRunner().invoke(convert, args).exception)
    run = CliRunner().invoke(convert, [*args, "--drop"])
    assert "dropped 84 session(s)" in run.output
    bad = CliRunner().invoke(convert, [*args, "--option", "x"])
    assert "expected KEY=VALUE" in str(bad.exception)
