"""Every kind of bad file, for every reader: one clear line with file, place and field."""
# ruff: noqa: E501

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from convoscope import io
from convoscope.cli.validate import command
from convoscope.errors import InputError

HEADER = '{"type":"collection","format":"convoscope","version":1,"name":"n"}\n'
ITEM = '{"type":"item","id":"i1","context":[],"references":["r"]}\n'
RESPONSE = '{"type":"response","item":"i1","system":"s","text":"t"}\n'
CHAT = (
    '{"id":"a","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"yo"}]}\n'
)
USR = {
    "context": "hi\nthere\n\n",
    "fact": "f\n",
    "annotators": ["x", "y"],
    "responses": [
        {"response": "gold\n", "model": "Original Ground Truth", "Overall": [4, 5]},
        {"response": "a\n", "model": "M", "Overall": [1, 2]},
    ],
}
TABLE = "item,system,response,reference\ni1,s,t,r\n"
LONG = "x" * 10_000_000


def usr(change: Callable[[dict], object]) -> str:
    entry = json.loads(json.dumps(USR))
    change(entry)
    return json.dumps([entry])


def response(k: int, **fields: object) -> str:
    return usr(lambda e: e["responses"][k].update(fields))


# (id, format, suffix, content, what the message must name)
CASES: list[tuple[str, str, str, str | bytes, tuple[str, ...]]] = [
    # jsonl
    ("empty", "jsonl", ".jsonl", "", ("empty",)),
    ("blank", "jsonl", ".jsonl", "\n \n", ("empty",)),
    ("no header", "jsonl", ".jsonl", ITEM, (":1:", "header")),
    ("other file", "jsonl", ".jsonl", CHAT, (":1:", "header")),
    ("format", "jsonl", ".jsonl", HEADER.replace("convoscope", "conv"), (":1:", "'format'")),
    ("newer", "jsonl", ".jsonl", HEADER.replace("1", "2"), (":1:", "'version'", "upgrade")),
    ("version text", "jsonl", ".jsonl", HEADER.replace("1", '"1"'), (":1:", "'version'")),
    ("no name", "jsonl", ".jsonl", HEADER.replace(',"name":"n"', ""), (":1:", "'name'", "missing")),
    ("header twice", "jsonl", ".jsonl", HEADER + HEADER, (":2:", "first line")),
    ("bad json", "jsonl", ".jsonl", HEADER + '{"type": item}', (":2:", "column 10")),
    ("truncated", "jsonl", ".jsonl", HEADER + ITEM[:30], (":2:", "column")),
    ("array", "jsonl", ".jsonl", HEADER + "[1]", (":2:", "object", "a list")),
    ("unknown type", "jsonl", ".jsonl", HEADER + '{"type":"itm"}', (":2:", "'type'", "'item'")),
    ("no type", "jsonl", ".jsonl", HEADER + "{}", (":2:", "'type'", "missing")),
    ("type number", "jsonl", ".jsonl", HEADER + '{"type":3}', (":2:", "'type'", "number 3")),
    ("unknown field", "jsonl", ".jsonl", HEADER + ITEM.replace("references", "refrences"),
     (":2:", "'refrences'", "did you mean 'references'")),
    ("missing field", "jsonl", ".jsonl", HEADER + '{"type":"item","id":"a","references":[]}',
     (":2:", "'context'", "missing")),
    ("wrong type", "jsonl", ".jsonl", HEADER + ITEM.replace('["r"]', '"r"'),
     (":2:", "'references'", "the string 'r'")),
    ("wrong inner", "jsonl", ".jsonl", HEADER + ITEM.replace('["r"]', '["a",2]'),
     (":2:", "'references[1]'", "number 2")),
    ("null", "jsonl", ".jsonl", HEADER + ITEM.replace('["r"]', "null"), (":2:", "'references'", "null")),
    ("empty id", "jsonl", ".jsonl", HEADER + ITEM.replace("i1", ""), (":2:", "'id'", "empty")),
    ("utterance", "jsonl", ".jsonl", HEADER + ITEM.replace("[]", '[{"txt":"a"}]'),
     (":2:", "'context[0].txt'", "'text'")),
    ("bool rank", "jsonl", ".jsonl", HEADER + ITEM + RESPONSE.replace("}", ',"rank":true}'),
     (":3:", "'rank'", "true")),
    ("rank 0", "jsonl", ".jsonl", HEADER + ITEM + RESPONSE.replace("}", ',"rank":0}'),
     (":3:", "'rank'", "from 1")),
    ("duplicate", "jsonl", ".jsonl", HEADER + ITEM + RESPONSE * 2, (":4:", "rank 1", "'i1'", "'s'")),
    ("duplicate item", "jsonl", ".jsonl", HEADER + ITEM * 2, (":3:", "'i1'", "unique")),
    ("dangling", "jsonl", ".jsonl", HEADER + ITEM + RESPONSE.replace("i1", "i11"),
     (":3:", "'i11'", "did you mean 'i1'")),
    ("kind", "jsonl", ".jsonl", HEADER + '{"type":"run","system":"s","kind":"humn"}',
     (":2:", "'kind'", "'human'")),
    ("score text", "jsonl", ".jsonl", HEADER + ITEM + '{"type":"judgement","rater":"a","item":"i1",'
     '"system":"s","dimension":"d","score":"4"}', (":3:", "'score'", "number")),
    ("score nan", "jsonl", ".jsonl", HEADER + ITEM + '{"type":"judgement","rater":"a","item":"i1",'
     '"system":"s","dimension":"d","score":NaN}', (":3:", "NaN")),
    ("score inf", "jsonl", ".jsonl", HEADER + ITEM + '{"type":"judgement","rater":"a","item":"i1",'
     '"system":"s","dimension":"d","score":1e999}', (":3:", "'score'", "finite")),
    ("score huge", "jsonl", ".jsonl", HEADER + ITEM + '{"type":"judgement","rater":"a","item":"i1",'
     '"system":"s","dimension":"d","score":1' + "0" * 400 + "}", (":3:", "'score'", "finite")),
    ("digits", "jsonl", ".jsonl", HEADER + '{"type":' + "9" * 5000 + "}", (":2:", "digits")),
    ("nested", "jsonl", ".jsonl", HEADER + "[" * 200_000, (":2:", "nested")),
    ("key twice", "jsonl", ".jsonl", HEADER + '{"type":"run","type":"run"}', (":2:", "'type'", "twice")),
    ("latin1", "jsonl", ".jsonl", (HEADER + ITEM.replace('"r"', '"café"')).encode("latin-1"),
     (":2:", "byte", "0xe9", "iconv")),
    ("surrogate", "jsonl", ".jsonl", HEADER + ITEM.replace('"r"', '"a\\ud800"'),
     (":2:", "'references[0]'", "surrogate")),
    ("utf16", "jsonl", ".jsonl", HEADER.encode("utf-16"), ("UTF-16", "iconv")),
    ("gzip", "jsonl", ".jsonl", b"\x1f\x8b\x08\x00", ("gzip",)),
    ("long line", "jsonl", ".jsonl", HEADER + f'{{"type":"{LONG}"}}', (":2:", "'type'")),
    ("long id", "jsonl", ".jsonl", HEADER + ITEM + RESPONSE.replace("i1", LONG), (":3:", "exist")),
    ("long field", "jsonl", ".jsonl", HEADER + f'{{"type":"run","{LONG}":1}}', (":2:", "unknown")),
    ("long junk", "jsonl", ".jsonl", HEADER + LONG, (":2:", "column 1")),
    ("newline in id", "jsonl", ".jsonl", HEADER + ITEM + RESPONSE.replace("i1", "a\\nb"), (":3:",)),
    ("session", "jsonl", ".jsonl", HEADER + ITEM + '{"type":"session","id":"s","items":["i1","i1"]}',
     (":3:", "twice")),
    # chat
    ("empty", "chat", ".jsonl", "", ("empty",)),
    ("bad json", "chat", ".jsonl", CHAT + "{", (":2:", "column")),
    ("array", "chat", ".jsonl", "[]", (":1:", "object")),
    ("no messages", "chat", ".jsonl", '{"mesages":[]}', (":1:", "'messages'", "is it 'mesages'")),
    ("none", "chat", ".jsonl", '{"messages":[]}', (":1:", "'messages'", "empty")),
    ("not list", "chat", ".jsonl", '{"messages":"hi"}', (":1:", "'messages'", "the string 'hi'")),
    ("role", "chat", ".jsonl", CHAT.replace('"user"', '"usr"'), (":1:", "'messages[0].role'", "'user'")),
    ("content", "chat", ".jsonl", CHAT.replace('"hi"', "null"), (":1:", "'messages[0].content'")),
    ("image", "chat", ".jsonl", CHAT.replace('"hi"', '[{"type":"image_url"}]'),
     (":1:", "'messages[0].content[0]'", "image_url")),
    ("duplicate id", "chat", ".jsonl", CHAT * 2, (":2:", "'a'", ":1")),
    ("duplicate", "chat", ".jsonl", CHAT.replace('"id"', '"model":"m","id"') * 2, (":2:", "rank 1", "'m'")),
    ("contexts", "chat", ".jsonl", CHAT.replace('"id"', '"model":"m","id"')
     + CHAT.replace('"id"', '"model":"n","id"').replace("hi", "ho"), (":2:", "context", "'a'")),
    ("no system", "chat", ".jsonl", CHAT.replace('"id"', '"response":"x","id"'), (":1:", "'response'")),
    ("both", "chat", ".jsonl", CHAT.replace('"id"', '"model":"x","system":"y","id"'), (":1:", "'model'")),
    ("latin1", "chat", ".jsonl", CHAT.replace("hi", "é").encode("latin-1"), (":1:", "byte", "iconv")),
    ("surrogate", "chat", ".jsonl", CHAT.replace("hi", "\\uDC00"), (":1:", "'messages[0].content'")),
    ("nan", "chat", ".jsonl", '{"messages":NaN}', (":1:", "NaN")),
    ("long line", "chat", ".jsonl", f'{{"messages":"{LONG}"}}', (":1:", "'messages'")),
    # usr
    ("empty", "usr", ".json", "", ("empty",)),
    ("bad json", "usr", ".json", "[\n{", (":2:", "column")),
    ("object", "usr", ".json", "{}", ("list", "an object")),
    ("no entries", "usr", ".json", "[]", ("empty",)),
    ("entry", "usr", ".json", "[3]", ("entry 1", "number 3")),
    ("no context", "usr", ".json", usr(lambda e: e.pop("context")), ("entry 1", "'context'", "missing")),
    ("unknown", "usr", ".json", usr(lambda e: e.update(fakt="")), ("entry 1", "'fakt'", "'fact'")),
    ("no model", "usr", ".json", usr(lambda e: e["responses"][1].pop("model")),
     ("entry 1", "'responses[1].model'", "missing")),
    ("text", "usr", ".json", response(1, response=5), ("entry 1", "'responses[1].response'", "number 5")),
    ("scores", "usr", ".json", response(1, Overall=3), ("entry 1", "'responses[1].Overall'", "list")),
    ("score", "usr", ".json", response(1, Overall=[3, "4"]),
     ("entry 1", "'responses[1].Overall[1]'", "number")),
    ("dimension", "usr", ".json", response(1, Overal=[1, 2]), ("entry 1", "'responses[1].Overal'", "'Overall'")),
    ("duplicate", "usr", ".json", usr(lambda e: e["responses"].append(e["responses"][1])),
     ("entry 1", "rank 1", "'M'")),
    ("duplicate reference", "usr", ".json", usr(lambda e: e["responses"].append(e["responses"][0])),
     ("entry 1", "second time")),
    ("reference", "usr", ".json", response(0, model="Original Grund Truth"),
     ("'reference'", "did you mean 'Original Grund Truth'")),
    ("nan", "usr", ".json", response(1, Overall=[float("nan"), 1]), ("NaN",)),
    ("surrogate", "usr", ".json", response(1, response="\ud800"),
     ("entry 1", "'responses[1].response'", "surrogate")),
    ("latin1", "usr", ".json", '[\n{"context":"é"}]'.encode("latin-1"), (":2:", "byte 13", "iconv")),
    ("long line", "usr", ".json", json.dumps(LONG), ("list", "the string")),
    # table
    ("empty", "table", ".csv", "", ("empty",)),
    ("no rows", "table", ".csv", "item,system,response\n", ("no rows",)),
    ("no column", "table", ".csv", "item,sys,response\n", (":1:", "system", "'sys'")),
    ("column twice", "table", ".csv", "item,system,item\n", (":1:", "'item'")),
    ("ragged", "table", ".csv", TABLE + "i2,s,t\n", (":3:", "3 cells", "4 columns")),
    ("ragged later", "table", ".csv", TABLE + 'i2,s,"a\nb",r\ni3,s\n', (":5:", "2 cells")),
    ("open quote", "table", ".csv", TABLE + 'i2,s,"t,r\n', (":3:", "quote")),
    ("no item", "table", ".csv", TABLE + ",s,t,r\n", (":3:", "'item'", "empty")),
    ("no system", "table", ".csv", TABLE + "i2,,t,r\n", (":3:", "'system'", "empty")),
    ("duplicate", "table", ".csv", TABLE + "i1,s,t,r\n", (":3:", "rank 1", "'i1'", ":2")),
    ("other text", "table", ".csv", TABLE + "i1,s,u,q\n", (":3:", "rank 1", "'i1'", ":2")),
    ("rank", "table", ".csv", "item,system,response,rank\ni1,s,t,0.5\n", (":2:", "'rank'", "whole number")),
    ("score", "table", ".csv", "item,system,response,judgement:O\ni1,s,t,good\n",
     (":2:", "'judgement:O'", "number")),
    ("score nan", "table", ".csv", "item,system,response,judgement:O\ni1,s,t,nan\n",
     (":2:", "'judgement:O'", "finite")),
    ("kind", "table", ".csv", "item,system,response,kind\ni1,s,t,humn\n", (":2:", "'human'")),
    ("context", "table", ".csv", "item,system,response,context\ni1,s,t,a\ni1,z,t,b\n",
     (":3:", "'context'", "'i1'", ":2")),
    ("speakers", "table", ".csv", 'item,system,response,context,speakers\ni1,s,t,a,"x\ny"\n',
     (":2:", "'speakers'", "2 speakers")),
    ("latin1", "table", ".csv", (TABLE + "i2,s,é,r\n").encode("latin-1"), (":3:", "byte 6", "iconv")),
    ("utf16", "table", ".tsv", TABLE.encode("utf-16"), ("UTF-16",)),
    ("not parquet", "table", ".parquet", "item,system\n", ("Parquet",)),
    ("empty parquet", "table", ".parquet", "", ("empty",)),
    ("long cell", "table", ".csv", TABLE + f"i2,{LONG},t\n", (":3:", "3 cells")),
    ("long id", "table", ".csv", TABLE + f"{LONG},,t,r\n", (":3:", "'system'")),
]  # fmt: skip


def one_line(error: Exception, path: Path) -> str:
    message = str(error)
    assert "\n" not in message, message
    assert len(message) < 700, message[:700]
    assert path.name in message
    return message


@pytest.mark.parametrize(
    ("fmt", "suffix", "content", "named"),
    [case[1:] for case in CASES],
    ids=[f"{case[1]}-{case[0]}" for case in CASES],
)
def test_bad_content(
    tmp_path: Path, fmt: str, suffix: str, content: str | bytes, named: tuple[str, ...]
) -> None:
    path = tmp_path / f"f{suffix}"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    started = time.perf_counter()
    with pytest.raises(InputError) as caught:
        io.load(fmt, path)
    message = one_line(caught.value, path)
    for part in named:
        assert part in message
    assert time.perf_counter() - started < 20
    found = io.validate(path, fmt)
    assert not found.ok
    assert all(part in str(found.problems[0]) for part in named)
    result = CliRunner().invoke(command, [str(path), "--format", fmt])
    assert result.exit_code == 1, result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize("fmt", io.format_names())
def test_missing_and_directory(tmp_path: Path, fmt: str) -> None:
    (tmp_path / "runs.jsonl").touch()
    path = tmp_path / "run.jsonl"
    with pytest.raises(InputError, match=r"no such file; did you mean 'runs.jsonl'\?$"):
        io.load(fmt, path)
    with pytest.raises(InputError, match="it is a directory"):
        io.load(fmt, tmp_path)
    with pytest.raises(InputError, match="no such file"):
        io.validate(path)


@pytest.mark.parametrize("fmt", io.format_names())
def test_wrong_option(tmp_path: Path, fmt: str) -> None:
    path = tmp_path / "f"
    path.write_text("x")
    with pytest.raises(InputError, match="'refrence'"):
        io.load(fmt, path, refrence="x")


def test_unknown_format() -> None:
    with pytest.raises(InputError, match=r"unknown format 'json'; did you mean 'jsonl'\?"):
        io.load("json", "x")


@pytest.mark.parametrize("fmt", io.format_names())
def test_binary_noise(tmp_path: Path, fmt: str) -> None:
    path = tmp_path / "f.bin"
    path.write_bytes(bytes(range(256)) * 50)
    with pytest.raises(InputError) as caught:
        io.load(fmt, path)
    one_line(caught.value, path)


def test_everything_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    path.write_text(
        HEADER + ITEM + "{\n" + ITEM.replace('"id":"i1"', '"id":7,"ix":1')
        + RESPONSE.replace("i1", "i9") + RESPONSE + RESPONSE + '{"type":"run"}\n'
    )  # fmt: skip
    found = io.validate(path)
    assert [p.line for p in found.problems] == [3, 4, 4, 5, 7, 8]
    assert {p.file for p in found.problems} == {str(path)}
    assert found.items == 1
    result = CliRunner().invoke(command, [str(path), "--limit", "2"])
    assert "and 4 more" in result.output
    result = CliRunner().invoke(command, [str(path), "--json"])
    assert len(json.loads(result.output)["problems"]) == 6


def test_many_dangling_references_are_fast(tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    items = "".join(ITEM.replace("i1", f"i{k}") for k in range(9_000))
    lost = "".join(RESPONSE.replace("i1", f"j{k}") for k in range(20_000))
    path.write_text(HEADER + items + lost)
    started = time.perf_counter()
    assert len(io.validate(path).problems) == 20_000
    assert time.perf_counter() - started < 20


def test_a_legal_line_of_ten_megabytes(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    path.write_text(HEADER + ITEM.replace('"r"', f'"{LONG}"'))
    assert io.load("jsonl", path).items[0].references == (LONG,)
    table = tmp_path / "long.csv"
    table.write_text(TABLE + f"i2,s,{LONG},r\n")
    assert io.load("table", table).runs[0].responses[1].text == LONG


def test_unwritable(tmp_path: Path) -> None:
    collection = io.load("jsonl", _write(tmp_path / "a.jsonl", HEADER + ITEM))
    with pytest.raises(InputError, match="cannot write it"):
        io.save(collection, tmp_path / "none" / "b.jsonl")
    with pytest.raises(InputError, match="directory"):
        io.save(collection, tmp_path)
    with pytest.raises(InputError, match="can only be read"):
        io.save(collection, tmp_path / "b.json", "usr")
    with pytest.raises(InputError, match="suffix"):
        io.save(collection, tmp_path / "b.xls", "table")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.jsonl"]


def _write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path
