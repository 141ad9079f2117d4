"""Run directories: what a scoring run leaves on disk, and how it goes on after a kill.

RUN_DIR/
collection.jsonl   the collection that was scored
scores.parquet     the score table
record.json        arguments, signatures, versions: what made the numbers
results/           one JSON file per study
report.html        the report
blocks/            finished blocks, only while scoring is under way
"""

from __future__ import annotations

import hashlib
import json
import platform
import shutil
import subprocess
from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from convoscope._version import __version__
from convoscope.collection import Collection
from convoscope.errors import InputError
from convoscope.metrics import MetricLike
from convoscope.scores import ScoreTable
from convoscope.scoring import (
    BLOCK_RESPONSES,
    blocks,
    check_needs,
    score_block,
    unique_metrics,
)

__all__ = ["RunDirectory"]

_PACKAGES = ("numba", "numpy", "pyarrow", "sacrebleu", "scipy")


class RunDirectory:
    """The folder of one scoring run.

    Parameters
    ----------
    path
        The folder; it need not exist yet.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    @property
    def report(self) -> Path:
        """Where the HTML report goes."""
        return self.path / "report.html"

    @property
    def record(self) -> dict[str, Any]:
        """The record of what made the scores."""
        record: dict[str, Any] = json.loads(self._need("record.json").read_text("utf-8"))
        return record

    def collection(self) -> Collection:
        """Read the collection that was scored."""
        from convoscope.io import load

        return load("jsonl", self._need("collection.jsonl"))

    def scores(self) -> ScoreTable:
        """Read the score table."""
        return ScoreTable.read(self._need("scores.parquet"))

    def results(self) -> list[dict[str, Any]]:
        """Return the saved results of studies, by file name."""
        files = sorted((self.path / "results").glob("*.json"))
        return [json.loads(f.read_text("utf-8")) for f in files]

    def save_result(self, name: str, result: dict[str, Any]) -> Path:
        """Save a study's result as ``results/NAME.json`` and return its path."""
        folder = self.path / "results"
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"{name}.json"
        _write_json(file, result)
        return file

    def score(
        self,
        collection: Collection,
        metrics: Sequence[MetricLike],
        *,
        overwrite: bool = False,
        arguments: dict[str, Any] | None = None,
        progress: Callable[[int, int], None] | None = None,
        block_size: int = BLOCK_RESPONSES,
    ) -> ScoreTable:
        """Score a collection into this folder, going on from the last finished block.

        Parameters
        ----------
        collection, metrics
            As for :func:`convoscope.score`.
        overwrite
            Replace the scores of another collection or of other metrics.
        arguments
            What the user asked for, for the record.
        progress
            Called with (responses done, responses in all).
        block_size
            Responses per block.

        Raises
        ------
        InputError
            The folder holds another run, and `overwrite` is False.
        MetricError
            As for :func:`convoscope.score`.
        """
        from convoscope.io import save

        chosen = unique_metrics(metrics)
        check_needs(collection, chosen)
        if self.path.exists() and not self.path.is_dir():
            raise InputError("not a folder; choose another output folder", where=str(self.path))
        signatures = {str(m): m.signature() for m in chosen}
        self.path.mkdir(parents=True, exist_ok=True)
        copy = self.path / "collection.jsonl.partial"
        save(collection, copy, format="jsonl")
        digest = hashlib.sha256(copy.read_bytes()).hexdigest()
        plan = json.dumps([digest, signatures, block_size], sort_keys=True)
        fingerprint = hashlib.sha256(plan.encode()).hexdigest()
        try:
            finished = self._finished(fingerprint, overwrite)
        except InputError:
            copy.unlink()
            raise
        copy.replace(self.path / "collection.jsonl")
        if finished is not None:
            return finished
        folder = self.path / "blocks"
        if folder.exists() and not (folder / fingerprint).is_file():
            shutil.rmtree(folder)
        folder.mkdir(exist_ok=True)
        (folder / fingerprint).touch()
        files = []
        done = 0
        for block in blocks(collection, block_size):
            file = folder / f"{block.number:06d}.parquet"
            if not file.exists():
                score_block(collection, block, chosen).write(file)
            files.append(file)
            done += len(block.rows)
            if progress is not None:
                progress(done, collection.n_responses)
        table = ScoreTable.concatenate([ScoreTable.read(f) for f in files])
        table.write(self.path / "scores.parquet")
        record = {
            "convoscope": __version__,
            "fingerprint": fingerprint,
            "arguments": arguments or {},
            "collection": {
                "name": collection.name,
                "sha256": digest,
                "items": len(collection.items),
                "systems": list(collection.systems),
                "responses": collection.n_responses,
            },
            "metrics": [
                {"name": str(m), "signature": signatures[str(m)], "short": m.signature(short=True)}
                for m in chosen
            ],
            "python": platform.python_version(),
            "packages": {p: metadata.version(p) for p in _PACKAGES},
            "git": _git_revision(),
        }
        # The record comes last: a folder with a record holds a finished run.
        _write_json(self.path / "record.json", record)
        shutil.rmtree(folder)
        return table

    def _finished(self, fingerprint: str, overwrite: bool) -> ScoreTable | None:
        """Return the scores that are here if they are the ones asked for."""
        if not (self.path / "record.json").is_file():
            return None
        if self.record.get("fingerprint") == fingerprint:
            return self.scores()
        if not overwrite:
            raise InputError(
                "holds a run of another collection or of other metrics; "
                "choose another folder, or pass --overwrite",
                where=str(self.path),
            )
        for name in ("record.json", "scores.parquet", "report.html"):
            (self.path / name).unlink(missing_ok=True)
        shutil.rmtree(self.path / "results", ignore_errors=True)
        return None

    def _need(self, name: str) -> Path:
        file = self.path / name
        if not file.is_file():
            raise InputError(
                f"has no {name}; make it with "
                f"'convoscope score COLLECTION -m METRIC -o {self.path}'",
                where=str(self.path),
            )
        return file


def _write_json(file: Path, value: dict[str, Any]) -> None:
    temporary = file.with_name(file.name + ".partial")
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    temporary.write_text(text + "\n", encoding="utf-8")
    temporary.replace(file)


def _git_revision() -> str | None:
    try:
        done = subprocess.run(
            ["git", "rev-parse", "HEAD"], capture_output=True, text=True, timeout=5, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None if done.returncode == 0 else None
