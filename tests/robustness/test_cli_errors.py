"""Bad input at the command line: one line, where and what, exit code 2, nothing left behind."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEADER = {"type": "collection", "format": "convoscope", "version": 1, "name": "small"}
ITEM = {"type": "item", "id": "i1", "context": [], "references": ["a b"]}
RESPONSE = {"type": "response", "item": "i1", "system": "s", "text": "a"}
JUDGEMENT = {
    "type": "judgement",
    "rater": "r",
    "item": "i1",
    "system": "s",
    "dimension": "Overall",
    "score": 3,
}


def run(*args, cwd):
    return subprocess.run(
        [sys.executable, "-m", "convoscope", *map(str, args)],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )


def write(path, *records):
    path.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
    return path


@pytest.fixture
def small(tmp_path):
    return write(tmp_path / "small.jsonl", HEADER, ITEM, RESPONSE, JUDGEMENT)


@pytest.fixture
def scored(small, tmp_path):
    assert run("score", small, "-m", "BLEU(n=1)", "-o", "run", cwd=tmp_path).returncode == 0
    return tmp_path


def refused(done, *parts):
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    lines = [x for x in done.stderr.splitlines() if x.startswith("convoscope: error: ")]
    assert len(lines) == 1, done.stderr
    for part in parts:
        assert part in lines[0]


@pytest.mark.parametrize(
    ("args", "parts"),
    [
        (["score", "missing.jsonl", "-m", "EA", "-o", "run"], ["missing.jsonl", "no such file"]),
        (["score", "small.jsonl", "-m", "BLUE", "-o", "run"], ["did you mean 'BLEU'?"]),
        (["score", "small.jsonl", "-m", "BLEU(m=1)", "-o", "run"], ["no parameter 'm'"]),
        (["score", "small.jsonl", "-m", "BLEU(n=99)", "-o", "run"], ["out of range"]),
        (["score", "small.jsonl", "-m", "EA(", "-o", "run"], ["not a metric expression"]),
        (["score", "small.jsonl", "-m", "EA(vectors='no.vec')", "-o", "run"], ["no.vec"]),
        (["score", "small.jsonl", "-o", "run"], ["--metric"]),
        (["score", "small.jsonl", "-m", "EA", "-o", "small.jsonl"], ["small.jsonl"]),
        (["score", "small.jsonl", "-m", "EA", "-o", "run", "--format", "jsonk"], ["'jsonl'"]),
        (["score", "small.jsonl", "-m", "EA", "-o", "run", "--option", "x"], ["KEY=VALUE"]),
        (["scores"], ["did you mean 'score'?"]),
        (["report", "nowhere"], ["nowhere"]),
        (["meta", "fidelity", "nowhere", "--dimension", "Overall"], ["nowhere"]),
        (["metrics", "METEORE"], ["did you mean 'METEOR'?"]),
        (["reproduce", "posscore", "--data", "nowhere"], ["nowhere"]),
    ],
    ids=lambda value: " ".join(value)[:50],
)
def test_usage_and_missing_things(args, parts, small, tmp_path):
    before = sorted(p.name for p in tmp_path.iterdir())
    refused(run(*args, cwd=tmp_path), *parts)
    assert sorted(p.name for p in tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("records", "parts"),
    [
        ([HEADER, ITEM, RESPONSE, RESPONSE], ["bad.jsonl:4", "rank 1"]),
        ([HEADER, ITEM, {**RESPONSE, "item": "i9"}], ["bad.jsonl:3", "'i9'"]),
        ([HEADER, ITEM, {**RESPONSE, "txt": "x"}], ["bad.jsonl:3", "'text'"]),
        ([HEADER, {**ITEM, "references": []}, RESPONSE], ["needs a reference", "'references'"]),
        ([HEADER, ITEM], ["no responses to score"]),
        ([ITEM, RESPONSE], ["bad.jsonl:1"]),
    ],
    ids=["duplicate", "dangling", "unknown field", "no reference", "no responses", "no header"],
)
def test_bad_collections_leave_nothing_behind(records, parts, tmp_path):
    write(tmp_path / "bad.jsonl", *records)
    refused(run("score", "bad.jsonl", "-m", "METEOR", "-o", "run", cwd=tmp_path), *parts)
    assert not (tmp_path / "run").exists()


def test_invalid_json_names_the_line(tmp_path):
    bad = tmp_path / "bad.jsonl"
    bad.write_text(json.dumps(HEADER) + '\n{"type": "item", "id": \n', encoding="utf-8")
    refused(run("score", bad, "-m", "EA", "-o", "run", cwd=tmp_path), "bad.jsonl:2")


def test_unknown_dimension_system_metric(scored):
    refused(run("meta", "fidelity", "run", "--dimension", "Overal", cwd=scored), "'Overall'")
    fidelity = ["meta", "fidelity", "run", "--dimension", "Overall"]
    refused(run(*fidelity, "--exclude-system", "t", cwd=scored), "'t'")
    refused(run(*fidelity, "--metric", "METEOR", cwd=scored), "METEOR")
    refused(run("report", "run", "--dimension", "Overal", cwd=scored), "'Overall'")


def test_another_run_in_the_folder_is_kept(scored):
    before = (scored / "run" / "scores.parquet").read_bytes()
    refused(run("score", "small.jsonl", "-m", "EA", "-o", "run", cwd=scored), "--overwrite")
    assert (scored / "run" / "scores.parquet").read_bytes() == before


def test_broken_run_directory(scored):
    (scored / "run" / "scores.parquet").write_bytes(b"not parquet")
    done = run("meta", "fidelity", "run", "--dimension", "Overall", cwd=scored)
    refused(done, "scores.parquet", "not a Parquet file")


def test_empty_response_is_legal(tmp_path):
    write(tmp_path / "empty.jsonl", HEADER, ITEM, {**RESPONSE, "text": ""})
    metrics = "BLEU(n=2), METEOR, ROUGE_L, EA, POSScore"
    done = run("score", "empty.jsonl", "-m", metrics, "-o", "run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "1 responses x 5 metrics" in done.stdout


def test_evaluate_lines(tmp_path):
    (tmp_path / "c.txt").write_text("a b\nc\n", encoding="utf-8")
    (tmp_path / "r.txt").write_text("a b\nc\n", encoding="utf-8")
    (tmp_path / "short.txt").write_text("a b\n", encoding="utf-8")
    (tmp_path / "latin.txt").write_bytes(b"a\ncaf\xe9\n")
    done = run("evaluate", "c.txt", "r.txt", "-m", "BLEU(n=1)", "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["results"][0]["values"] == [1.0, 1.0]
    refused(run("evaluate", "c.txt", "short.txt", "-m", "EA", cwd=tmp_path), "short.txt", "1 lines")
    refused(run("evaluate", "latin.txt", "r.txt", "-m", "EA", cwd=tmp_path), "latin.txt:2", "0xe9")
    refused(run("evaluate", "no.txt", "r.txt", "-m", "EA", cwd=tmp_path), "no.txt")
