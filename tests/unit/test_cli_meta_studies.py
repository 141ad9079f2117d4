"""``convoscope meta`` intuitiveness, agreement and judgements at the command line, on the demo."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from convoscope.cli.meta import command as meta
from convoscope.data import demo_path
from convoscope.errors import InputError
from convoscope.io import load
from convoscope.rundir import RunDirectory

METRICS = ["BLEU(n=1)", "BLEU(n=2)", "METEOR", "ROUGE_L"]


@pytest.fixture(scope="module")
def run_dir(tmp_path_factory):
    path = tmp_path_factory.mktemp("run")
    RunDirectory(path).score(load("jsonl", demo_path()), METRICS)
    return path


def call(*arguments):
    return CliRunner().invoke(meta, [str(a) for a in arguments], catch_exceptions=False)


def test_intuitiveness_prints_cells_and_orders(run_dir):
    done = call("intuitiveness", run_dir, "--gold", "BLEU(n=2)", "--gold", "ROUGE_L")
    assert done.exit_code == 0
    assert "BLEU(n=2) & ROUGE_L: " in done.output
    assert "METEOR" in done.output
    assert (run_dir / "results" / "intuitiveness.json").is_file()


def test_intuitiveness_as_json_is_what_is_saved(run_dir):
    done = call(
        "intuitiveness", run_dir, "-g", "BLEU(n=2)", "-m", "METEOR", "-m", "ROUGE_L", "--json",
        "--exclude-system", "Echo", "--ties", "sign", "--test", "items", "--alpha", 0.05,
    )  # fmt: skip
    result = json.loads(done.stdout)
    saved = (run_dir / "results" / "intuitiveness.json").read_text("utf-8")
    assert result == json.loads(saved)
    signature = result["signature"]
    assert (signature["ties"], signature["test"], signature["alpha"]) == ("sign", "items", 0.05)
    assert signature["exclude"] == ["Echo"]
    assert [(r["metric"], r["other"]) for r in result["results"]] == [("METEOR", "ROUGE_L")]


def test_agreement(run_dir):
    done = call("agreement", run_dir)
    assert done.exit_code == 0
    assert "Fluency" in done.output
    result = json.loads(call("agreement", run_dir, "-d", "Overall", "--json").stdout)
    (row,) = result["results"]
    assert row["raters"] == 3
    assert 0 < row["alpha_interval"] < 1
    assert row["reason"] is None


def test_judgements(run_dir):
    done = call("judgements", run_dir, "-d", "Overall", "--boot", 5)
    assert done.exit_code == 0
    assert "acc_eq" in done.output
    options = ["-m", "METEOR", "--exclude-system", "Expert", "--boot", 0, "--seed", 3, "--json"]
    result = json.loads(call("judgements", run_dir, "-d", "Overall", *options).stdout)
    signature = result["signature"]
    assert (signature["exclude"], signature["seed"], signature["n_boot"]) == (["Expert"], 3, 0)
    assert len(result["results"]) == 15
    assert result["results"][0]["low"] is None
    assert result["pairwise"][0]["metric"] == "METEOR"
    with pytest.raises(InputError, match="choose one with --dimension"):
        call("judgements", run_dir)


def test_errors_name_what_to_do(run_dir, tmp_path):
    assert "--gold" in call("intuitiveness", run_dir).output
    with pytest.raises(InputError, match="no scores of metric 'BLEU"):
        call("intuitiveness", run_dir, "--gold", "BLEU(n=3)")
    with pytest.raises(InputError, match="did you mean 'Overall'"):
        call("agreement", run_dir, "-d", "overal")
    with pytest.raises(InputError, match="convoscope score"):
        call("agreement", tmp_path)
