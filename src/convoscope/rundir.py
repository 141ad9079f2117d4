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
import os
import platform
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Any

from convoscope._version import __version__
from convoscope.collection import Collection
from convoscope.errors import InputError
from convoscope.metrics import Metric, MetricLike
from convoscope.parallel import thread_count
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

    def exists(self) -> bool:
        """Return whether the folder holds a finished run."""
        return (self.path / "record.json").is_file()

    @property
    def report(self) -> Path:
        """Where the HTML report goes."""
        return self.path / "report.html"

    @property
    def record(self) -> dict[str, Any]:
        """The record of what made the scores."""
        return _read_json(self._need("record.json"))

    def collection(self) -> Collection:
        """Read the collection that was scored."""
        from convoscope.io import load

        file = self._need("collection.jsonl")
        if hashlib.sha256(file.read_bytes()).hexdigest() != self.record["collection"]["sha256"]:
            raise InputError(
                "was changed after it was scored; score it again into another folder",
                where=str(file),
            )
        return load("jsonl", file)

    def scores(self) -> ScoreTable:
        """Read the score table."""
        return ScoreTable.read(self._need("scores.parquet"))

    def results(self) -> list[dict[str, Any]]:
        """Return the saved results of studies, by file name."""
        files = sorted((self.path / "results").glob("*.json"))
        return [_read_json(f) for f in files]

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
        chosen = unique_metrics(metrics)
        check_needs(collection, chosen)
        thread_count()  # a wrong setting is refused before anything is written
        signatures = {str(m): m.signature() for m in chosen}
        if self.path.exists() and not self.path.is_dir():
            raise InputError("not a folder; choose another output folder", where=str(self.path))
        self.path.mkdir(parents=True, exist_ok=True)
        with _only_writer(self.path):
            for leftover in self.path.glob(".*.partial"):
                leftover.unlink()  # of a run that was killed while it wrote
            digest = self._copy(collection)
            plan = json.dumps([digest, signatures, block_size], sort_keys=True)
            fingerprint = hashlib.sha256(plan.encode()).hexdigest()
            finished = self._finished(fingerprint, overwrite)
            if finished is not None:
                self._partial_collection.unlink()
                return finished
            table = self._score_blocks(
                collection, chosen, fingerprint, block_size, progress, overwrite=overwrite
            )
            self._partial_collection.replace(self.path / "collection.jsonl")
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
                    {
                        "name": str(m),
                        "signature": signatures[str(m)],
                        "short": m.signature(short=True),
                    }
                    for m in chosen
                ],
                "python": platform.python_version(),
                "packages": {p: metadata.version(p) for p in _PACKAGES},
                "git": _git_revision(),
            }
            # The record comes last: a folder with a record holds a finished run.
            _write_json(self.path / "record.json", record)
            shutil.rmtree(self.path / "blocks")
            return table

    @property
    def _partial_collection(self) -> Path:
        return self.path / "collection.jsonl.partial"

    def _copy(self, collection: Collection) -> str:
        """Write the collection beside the old one and return its checksum."""
        from convoscope.io import save

        save(collection, self._partial_collection, format="jsonl")
        return hashlib.sha256(self._partial_collection.read_bytes()).hexdigest()

    def _score_blocks(
        self,
        collection: Collection,
        metrics: list[Metric],
        fingerprint: str,
        block_size: int,
        progress: Callable[[int, int], None] | None,
        *,
        overwrite: bool,
    ) -> ScoreTable:
        """Score the blocks that are not there yet, and return all of them as one table."""
        # A folder of its own for each plan: blocks of another run are never taken for ours.
        folder = self.path / "blocks" / fingerprint[:16]
        for other in (self.path / "blocks").glob("*"):
            if other != folder:
                if not overwrite:
                    self._partial_collection.unlink()
                    raise InputError(
                        "holds an unfinished run of another collection or of other metrics; finish "
                        "that one, choose another folder, or pass --overwrite",
                        where=str(self.path),
                    )
                shutil.rmtree(other)
        folder.mkdir(parents=True, exist_ok=True)
        parts = []
        done = 0
        for block in blocks(collection, block_size):
            file = folder / f"{block.number:06d}.parquet"
            if not file.exists():
                score_block(collection, block, metrics).write(file)
            parts.append(ScoreTable.read(file))
            done += len(block.rows)
            if progress is not None:
                progress(done, collection.n_responses)
        return ScoreTable.concatenate(parts)

    def _finished(self, fingerprint: str, overwrite: bool) -> ScoreTable | None:
        """Return the scores that are here if they are the ones asked for."""
        if not self.exists():
            return None
        if not overwrite and not (self.path / "scores.parquet").is_file():
            return None
        if not overwrite and self.record.get("fingerprint") == fingerprint:
            return self.scores()
        if not overwrite:
            self._partial_collection.unlink()
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
        if self.path.is_file():
            raise InputError(
                "is a file, not a run directory; make one with "
                f"'convoscope score {self.path} -m METRIC -o RUN_DIR'",
                where=str(self.path),
            )
        if (self.path / "blocks").is_dir():
            raise InputError(
                "holds an unfinished run; repeat the command that began it, and it goes on",
                where=str(self.path),
            )
        if not file.is_file():
            raise InputError(
                f"has no {name}; make it with "
                f"'convoscope score COLLECTION -m METRIC -o {self.path}'",
                where=str(self.path),
            )
        return file


@contextmanager
def _only_writer(folder: Path) -> Iterator[None]:
    """Hold the folder's lock, which ends with the process however it ends."""
    try:
        import fcntl
    except ImportError:  # Windows has no such lock; two runs into one folder are not caught there
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(
                "another run is writing here; wait for it, or choose another folder",
                where=str(folder),
            ) from None
        yield
    finally:
        os.close(handle)


def _read_json(file: Path) -> dict[str, Any]:
    try:
        value = json.loads(file.read_text("utf-8"))
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise InputError(
            "is broken (not a JSON object); delete it, and run the command that made it again",
            where=str(file),
        )
    return value


def _write_json(file: Path, value: dict[str, Any]) -> None:
    temporary = file.with_name(file.name + ".partial")
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    temporary.write_text(text + "\n", encoding="utf-8")
    temporary.replace(file)


def _git_revision() -> str | None:
    """Return the revision of Convoscope where it runs from a checkout of its own."""
    here = Path(__file__)
    revision = None
    # Installed into somebody's checkout it is no tracked file there, and that revision not ours.
    for command in (["ls-files", "--error-unmatch", here.name], ["rev-parse", "HEAD"]):
        try:
            done = subprocess.run(
                ["git", *command],
                cwd=here.parent,
                capture_output=True,
                text=True,
                timeout=5,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        if done.returncode:
            return None
        revision = done.stdout.strip()
    return revision
