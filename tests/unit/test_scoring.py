"""Scoring: rows, reasons, blocks, resumption, and the quick case."""

from __future__ import annotations

import json

import numpy as np
import pytest

import convoscope
from convoscope import scoring
from convoscope.collection import Collection, Item, Response, Run
from convoscope.errors import InputError, MetricError
from convoscope.rundir import RunDirectory
from convoscope.scores import ScoreTable

METRICS = ["BLEU(n=1)", "METEOR", "EA"]


@pytest.fixture
def collection() -> Collection:
    items = tuple(
        Item(f"i{k}", references=() if k == 3 else (f"the answer is {k}", "no idea"))
        for k in range(7)
    )
    good = Run("good", "human", tuple(Response(f"i{k}", f"the answer is {k}") for k in range(7)))
    bad = Run(
        "bad",
        "retrieval",
        (Response("i0", "", 1), Response("i0", "the answer", 2), Response("i5", "nope")),
    )
    return Collection("small", items, (good, bad))


def test_one_row_per_response_and_nothing_dropped(collection):
    table = convoscope.score(collection, METRICS)
    assert len(table) == 10
    assert list(zip(table.items, table.systems, table.ranks.tolist(), strict=True))[:3] == [
        ("i0", "good", 1),
        ("i0", "bad", 1),
        ("i0", "bad", 2),
    ]
    row = table.items.index("i3")
    for name in table.metrics:
        assert np.isnan(table[name][row])
        assert table.reasons[name] == {row: "the item has no reference"}
    assert table["BLEU(n=1)"][0] == 1.0


def test_matrix_has_nan_where_a_system_is_silent(collection):
    matrix = convoscope.score(collection, METRICS).matrix("METEOR")
    assert matrix.shape == (7, 2)
    assert np.isnan(matrix[1, 1])
    assert matrix[5, 1] == 0.0


def test_blocks_do_not_change_a_number(collection):
    whole = convoscope.score(collection, METRICS)
    parts = [
        scoring.score_block(collection, b, scoring.unique_metrics(METRICS))
        for b in scoring.blocks(collection, 2)
    ]
    assert len(parts) > 2
    joined = ScoreTable.concatenate(parts)
    assert joined.items == whole.items
    assert joined.reasons == whole.reasons
    for name in whole.metrics:
        np.testing.assert_array_equal(joined[name], whole[name])


def test_parquet_round_trip(collection, tmp_path):
    table = convoscope.score(collection, METRICS)
    table.write(tmp_path / "scores.parquet")
    back = ScoreTable.read(tmp_path / "scores.parquet")
    assert (back.items, back.systems, back.signatures) == (
        table.items,
        table.systems,
        dict(table.signatures),
    )
    assert back.reasons == {k: dict(v) for k, v in table.reasons.items()}
    for name in table.metrics:
        np.testing.assert_array_equal(back[name], table[name])


def test_killed_run_resumes_and_ends_byte_identical(collection, tmp_path, monkeypatch):
    whole = RunDirectory(tmp_path / "whole")
    whole.score(collection, METRICS, block_size=2)

    class Killed(BaseException):
        pass

    real, calls = scoring.score_block, []

    def dies_at_third(*args):
        if len(calls) == 2:
            raise Killed
        calls.append(args[1].number)
        return real(*args)

    broken = RunDirectory(tmp_path / "broken")
    monkeypatch.setattr("convoscope.rundir.score_block", dies_at_third)
    with pytest.raises(Killed):
        broken.score(collection, METRICS, block_size=2)
    assert not (broken.path / "record.json").exists()
    assert not (broken.path / "scores.parquet").exists()

    again = []
    monkeypatch.setattr(
        "convoscope.rundir.score_block", lambda *a: again.append(a[1].number) or real(*a)
    )
    broken.score(collection, METRICS, block_size=2)
    assert calls == [0, 1]
    assert again[0] == 2
    for name in ("scores.parquet", "collection.jsonl", "record.json"):
        assert (broken.path / name).read_bytes() == (whole.path / name).read_bytes()
    assert not (broken.path / "blocks").exists()


def test_same_run_again_is_free_and_another_needs_overwrite(collection, tmp_path, monkeypatch):
    run = RunDirectory(tmp_path / "run")
    run.score(collection, METRICS)
    monkeypatch.setattr("convoscope.rundir.score_block", lambda *a: pytest.fail("scored again"))
    assert len(run.score(collection, METRICS)) == 10
    monkeypatch.undo()
    with pytest.raises(InputError, match="--overwrite"):
        run.score(collection, ["EA"])
    assert run.scores().metrics == tuple(METRICS)
    assert not list(run.path.glob("*.partial"))
    run.score(collection, ["EA"], overwrite=True)
    assert run.scores().metrics == ("EA",)


def test_two_runs_into_one_folder_do_not_mix(collection, tmp_path, monkeypatch):
    run = RunDirectory(tmp_path / "run")
    real = scoring.score_block

    def second_run_meanwhile(*args):
        with pytest.raises(InputError, match="another run is writing here"):
            RunDirectory(run.path).score(collection, ["EA"])
        return real(*args)

    monkeypatch.setattr("convoscope.rundir.score_block", second_run_meanwhile)
    assert run.score(collection, METRICS).metrics == tuple(METRICS)
    monkeypatch.undo()
    assert run.scores().metrics == tuple(METRICS)


def test_blocks_of_another_plan_are_not_taken(collection, tmp_path, monkeypatch):
    class Killed(BaseException):
        pass

    def killed(*args):
        raise Killed

    run = RunDirectory(tmp_path / "run")
    monkeypatch.setattr(ScoreTable, "concatenate", killed)
    with pytest.raises(Killed):
        run.score(collection, ["METEOR"])
    monkeypatch.undo()
    with pytest.raises(InputError, match="unfinished run of another collection"):
        run.score(collection, ["EA"])
    assert not list(run.path.glob("*.partial"))
    with pytest.raises(InputError, match="holds an unfinished run; repeat the command"):
        run.scores()
    assert run.score(collection, ["EA"], overwrite=True).metrics == ("EA",)
    assert not (run.path / "blocks").exists()


def test_a_collection_edited_after_scoring_is_noticed(collection, tmp_path):
    run = RunDirectory(tmp_path / "run")
    run.score(collection, ["EA"])
    file = run.path / "collection.jsonl"
    file.write_text(file.read_text("utf-8").replace("nope", "yes"), encoding="utf-8")
    with pytest.raises(InputError, match="was changed after it was scored"):
        run.collection()


def test_broken_files_of_a_run_are_named(collection, tmp_path):
    run = RunDirectory(tmp_path / "run")
    run.score(collection, ["EA"])
    (run.path / "scores.parquet").unlink()
    assert len(run.score(collection, ["EA"])) == 10
    run.save_result("fidelity", {"study": "fidelity"})
    (run.path / "results" / "fidelity.json").write_text("{")
    with pytest.raises(InputError, match=r"fidelity\.json: is broken"):
        run.results()
    (run.path / "record.json").write_text("[]")
    with pytest.raises(InputError, match=r"record\.json: is broken"):
        _ = run.record
    assert len(run.score(collection, ["EA"], overwrite=True)) == 10


def test_record_says_what_made_the_numbers(collection, tmp_path):
    run = RunDirectory(tmp_path / "run")
    run.score(collection, METRICS, arguments={"command": "score"})
    record = run.record
    assert [m["name"] for m in record["metrics"]] == METRICS
    assert "tokenizer:whitespace" in record["metrics"][0]["signature"]
    assert record["arguments"] == {"command": "score"}
    assert record["packages"]["numpy"] == np.__version__
    json.dumps(record, allow_nan=False)


def test_needs_are_checked_before_any_work(collection):
    bare = Collection("bare", (Item("i0"),), (Run("s", "unknown", (Response("i0", "x"),)),))
    with pytest.raises(MetricError, match=r"METEOR needs a reference.*add 'references'"):
        convoscope.score(bare, ["METEOR"])
    with pytest.raises(InputError, match="no responses to score"):
        convoscope.score(Collection("none", collection.items), ["METEOR"])
    with pytest.raises(MetricError, match="no metric given"):
        convoscope.score(collection, [])


def test_unknown_metric_in_a_table_names_the_known(collection):
    table = convoscope.score(collection, METRICS)
    with pytest.raises(InputError, match="no scores of metric 'ROUGE_L'"):
        table["ROUGE_L"]


class TestEvaluate:
    def test_values_means_signatures(self):
        result = convoscope.evaluate(METRICS, candidates=["a b", "c"], references=["a b", ["c"][0]])
        assert result["BLEU(n=1)"].tolist() == [1.0, 1.0]
        assert list(result.means) == METRICS
        assert result.signatures["EA"].startswith("metric:EA|")

    def test_arguments_are_keyword_only(self):
        with pytest.raises(TypeError):
            convoscope.evaluate("EA", ["a"], ["a"])

    @pytest.mark.parametrize(
        ("candidates", "references", "message"),
        [
            (["a", "b", "c"], [["a", "b", "c"], ["x", "y", "z"]], "transposed"),
            (["a", "b"], ["a"], "1 references for 2 candidates"),
            (["a", "b"], ["a", ["b"]], "mixes strings and lists"),
            ("abc", ["a"], "candidates: must be a list"),
            (["a"], "a", "references: must be a list"),
            ([1], ["a"], r"candidates\[0\]: expected a string, got int"),
            (["a"], [[None]], r"references\[0\]\[0\]: expected a string"),
            (["a"], [1], r"references\[0\]: must be a list of strings, got int"),
            (None, ["a"], "candidates: must be a list of strings, got NoneType"),
            ((x for x in "ab"), ["a"], "got generator"),
        ],
    )
    def test_refuses_wrong_nesting(self, candidates, references, message):
        with pytest.raises(InputError, match=message):
            convoscope.evaluate("EA", candidates=candidates, references=references)

    def test_needs_references(self):
        with pytest.raises(MetricError, match="pass references="):
            convoscope.evaluate("METEOR", candidates=["a"])

    def test_no_responses_is_an_empty_result(self):
        result = convoscope.evaluate("EA", candidates=[], references=[])
        assert result.values.shape == (1, 0)
