"""Every command and code block of README and docs runs, in order, in one folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
PAGES = [PROJECT / "README.md", *sorted((PROJECT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path) -> list[tuple[str, str]]:
    return [(m[1], m[2]) for m in FENCE.finditer(page.read_text("utf-8"))]


def installs(code: str) -> bool:
    """The two commands of a fresh machine, which .ci/run runs (see below)."""
    return "-m venv" in code


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_every_block_runs(page, tmp_path):
    scripts = Path(sys.executable).parent
    corpora = Path(os.environ.get("CONVOSCOPE_DATA", PROJECT.parent / "shared" / "data"))
    env = os.environ | {
        "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
        "CONVOSCOPE_DATA": str(corpora),
    }
    left_out = False
    for language, code in blocks(page):
        if language == "bash" and not installs(code):
            command = ["bash", "-euo", "pipefail", "-c", code]
        elif language == "python":
            command = [sys.executable, "-c", code]
        else:
            assert language in {"bash", "text", "json", "csv", "toml"}, f"{page.name}: {language}"
            continue
        if "CONVOSCOPE_DATA" in code and not corpora.is_dir():
            left_out = True
            continue
        done = subprocess.run(
            command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{page.name}:\n{code}\n{done.stdout}\n{done.stderr}"
    if left_out:
        pytest.skip(f"a block needs the corpora: no CONVOSCOPE_DATA at {corpora}")


def test_ci_runs_exactly_the_readmes_two_commands():
    commands = [code.strip() for _, code in blocks(PROJECT / "README.md") if installs(code)]
    assert len(commands) == 2
    script = (PROJECT / ".ci" / "run").read_text("utf-8")
    assert all(command in script for command in commands)
    assert commands[0].endswith("convoscope demo")


def test_links_between_pages_lead_somewhere():
    for page in [*PAGES, PROJECT / "CONTRIBUTING.md"]:
        for target in re.findall(r"\]\(([^)#]+)", page.read_text("utf-8")):
            if not target.startswith("http"):
                assert (page.parent / target).exists(), f"{page.name} links to {target}"
