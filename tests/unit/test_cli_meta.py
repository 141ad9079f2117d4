"""``convoscope meta`` and ``convoscope reproduce`` from the command line, on small made-up data."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from convoscope.cli.meta import command as meta
from convoscope.cli.reproduce import command as reproduce
from convoscope.errors import InputError
from convoscope.io import load
from convoscope.rundir import RunDirectory

DIMENSIONS = (
    "Understandable",
    "Natural",
    "Maintains Context",
    "Engaging",
    "Uses Knowledge",
    "Overall",
)
TEXTS = {
    "Original Ground Truth": "i love the blue guitar , it plays well",
    "A": "i love the blue guitar",
    "B": "the weather is nice",
    "C": "yes",
}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("usr")
    entries = [
        {
            "context": f"hello {n} \n hi there {n} \n",
            "fact": "guitars\n",
            "annotators": ["x", "y"],
            "responses": [
                {
                    "response": f"{text} {n} \n",
                    "model": system,
                    **{d: [5 - k, max(1, 4 - k)] for d in DIMENSIONS},
                }
                for k, (system, text) in enumerate(TEXTS.items())
            ],
        }
        for n in range(4)
    ]
    (folder / "tc_usr_data.json").write_text(json.dumps(entries))
    return folder


@pytest.fixture
def run_dir(data, tmp_path):
    collection = load("usr", data / "tc_usr_data.json")
    RunDirectory(tmp_path / "run").score(collection, ["METEOR", "BLEU(n=1)"])
    return tmp_path / "run"


def call(command, *arguments):
    return CliRunner().invoke(command, [str(a) for a in arguments], catch_exceptions=False)


def test_fidelity_prints_a_table_and_saves_the_result(run_dir):
    done = call(meta, "fidelity", run_dir, "-d", "Overall", "--boot", 20)
    assert done.exit_code == 0
    assert "METEOR" in done.output
    assert "Random" in done.output
    (saved,) = RunDirectory(run_dir).results()
    assert saved["study"] == "fidelity"
    assert saved["signature"]["n_boot"] == 20
    assert (run_dir / "results" / "fidelity-Overall.json").is_file()


def test_fidelity_as_json_is_what_is_saved(run_dir):
    done = call(meta, "fidelity", run_dir, "-d", "Uses Knowledge", "--json", "-m", "METEOR")
    assert json.loads(done.stdout) == json.loads(
        (run_dir / "results" / "fidelity-Uses-Knowledge.json").read_text("utf-8")
    )
    assert [r["metric"] for r in json.loads(done.stdout)["results"]] == ["METEOR", "Random"]


def test_fidelity_options_reach_the_study(run_dir):
    done = call(
        meta, "fidelity", run_dir, "-d", "Overall", "--json", "--ties", "half", "--seed", 5,
        "--exclude-system", "C", "--baseline", "none", "--level", 0.9,
    )  # fmt: skip
    result = json.loads(done.stdout)
    signature = result["signature"]
    assert (signature["ties"], signature["seed"], signature["level"]) == ("half", 5, 0.9)
    assert signature["exclude"] == ["C"]
    assert result["baseline"] is None
    assert result["results"][0]["reason"] == "no baseline"


def test_correlation(run_dir):
    result = json.loads(call(meta, "correlation", run_dir, "--json").stdout)
    assert result["results"][0]["metric"] == "METEOR"
    assert result["results"][0]["responses"] == 12


def test_errors_name_what_to_do(run_dir, tmp_path):
    with pytest.raises(InputError, match="convoscope score"):
        call(meta, "fidelity", tmp_path / "nothing", "-d", "Overall")
    with pytest.raises(InputError, match="choose one with --dimension: Understandable"):
        call(meta, "fidelity", run_dir)
    with pytest.raises(InputError, match="did you mean 'Overall'"):
        call(meta, "fidelity", run_dir, "-d", "overal")


def test_reproduce_prints_and_writes_every_table(data, tmp_path):
    file = tmp_path / "out.json"
    done = call(reproduce, "posscore", "--data", data, "--json", file)
    assert done.exit_code == 0
    written = json.loads(file.read_text("utf-8"))
    ids = [t["id"] for t in written["tables"]]
    assert ids == [
        "Table 5", "Table 7, TC", "Table 8, TC", "Table 9, TC", "Table 10, TC", "Table 11, TC",
        "Figure 1, TC", "Figure 3, TC", "Table 1", "Table 12",
    ]  # fmt: skip
    for table_id in ids:
        assert table_id in done.output
    sets = written["tables"][0]["rows"]["TC"]["evaluation sets"]
    assert (sets["paper"], sets["ours"]) == (550, 12)
    assert "pc_usr_data.json is not in the folder" in done.output


def test_reproduce_errors(data, tmp_path):
    with pytest.raises(InputError, match=r"tc_usr_data\.json or pc_usr_data\.json"):
        call(reproduce, "posscore", "--data", tmp_path)
    with pytest.raises(InputError, match="did you mean 'vectors'"):
        call(reproduce, "posscore", "--data", data, "--option", "vector=x")
    done = call(reproduce, "poscore", "--data", data)
    assert done.exit_code == 2
    assert "did you mean 'posscore'" in done.output
