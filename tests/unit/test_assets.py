"""Assets: manifests that are true, identities that change with the files."""

from __future__ import annotations

import copy
import dataclasses

import pytest
from click.testing import CliRunner

from convoscope.assets import asset, assets
from convoscope.cli.assets import command
from convoscope.errors import InputError


def test_every_asset_is_what_its_manifest_says():
    found = assets()
    assert {a.name for a in found} == {"pos_en", "vectors_en", "wordnet_en"}
    for a in found:
        assert a.verify() == []
        assert a.licence
        assert a.manifest["sources"]
        assert a.manifest["command"].startswith("python recipes/")
        assert a.manifest["quality"]
        assert (a.path / "MODEL_CARD.md").is_file()
        assert (a.path / "LICENSE").is_file()


@pytest.mark.parametrize(("name", "limit"), [("pos_en", 12e6), ("vectors_en", 25e6)])
def test_sizes_keep_to_their_limits(name, limit):
    assert sum(f["size"] for f in asset(name).manifest["files"].values()) <= limit


def test_identity_changes_with_a_weight_and_not_with_a_card():
    a = asset("vectors_en")
    manifest = copy.deepcopy(a.manifest)
    manifest["files"]["MODEL_CARD.md"]["sha256"] = "0"
    assert dataclasses.replace(a, manifest=manifest).identity == a.identity
    manifest["files"]["codes.npy"]["sha256"] = "0"
    assert dataclasses.replace(a, manifest=manifest).identity != a.identity


def test_a_changed_file_is_found(tmp_path):
    a = asset("vectors_en")
    for name in a.manifest["files"]:
        (tmp_path / name).write_bytes((a.path / name).read_bytes())
    (tmp_path / "words.txt").write_text("other")
    (tmp_path / "scales.npy").unlink()
    problems = dataclasses.replace(a, path=tmp_path).verify()
    assert len(problems) == 2
    assert "checksum differs" in " ".join(problems)
    assert "missing" in " ".join(problems)


def test_unknown_asset_names_the_known():
    with pytest.raises(InputError, match="did you mean 'pos_en'"):
        asset("pos_em")


def test_command():
    done = CliRunner().invoke(command, ["--verify"])
    assert done.exit_code == 0
    assert "CC-BY-SA-4.0" in done.output
