"""The embedded models and tables, each in a folder of its own with a ``manifest.json``.

A manifest says where an asset comes from and what it is worth: source, licence, the exact
command that makes it again, the checksum and size of every file, and the measured quality.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from convoscope.errors import InputError, nearest

__all__ = ["Asset", "asset", "assets"]

ROOT = Path(__file__).parent


@dataclass(frozen=True)
class Asset:
    """One embedded asset: a folder and what its manifest says."""

    name: str
    """The folder's name, also the name users write."""
    path: Path
    """The folder."""
    manifest: dict[str, Any]
    """The manifest, see ``recipes/common.py`` for its fields."""

    @property
    def version(self) -> str:
        """The asset's version."""
        return str(self.manifest["version"])

    @property
    def identity(self) -> str:
        """Version and a digest of the files: what signatures say, so that no change goes unseen."""
        data = {
            name: entry["sha256"]
            for name, entry in self.manifest["files"].items()
            if not name.endswith((".md", "LICENSE"))
        }
        digest = hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
        return f"{self.version}-{digest[:8]}"

    @property
    def licence(self) -> str:
        """The SPDX name of the licence the asset carries."""
        return str(self.manifest["licence"])

    def verify(self) -> list[str]:
        """Return what differs from the manifest (empty when every checksum is right)."""
        problems = []
        for name, entry in self.manifest["files"].items():
            file = self.path / name
            if not file.is_file():
                problems.append(f"{self.name}/{name}: missing")
            elif hashlib.sha256(file.read_bytes()).hexdigest() != entry["sha256"]:
                problems.append(f"{self.name}/{name}: checksum differs from manifest.json")
        return problems


def assets() -> list[Asset]:
    """Return every embedded asset, by name."""
    return [_read(p.parent) for p in sorted(ROOT.glob("*/manifest.json"))]


def asset(name: str) -> Asset:
    """Return the embedded asset called `name`.

    Raises
    ------
    InputError
        No asset has this name.
    """
    folder = ROOT / name
    if not (folder / "manifest.json").is_file():
        known = [p.parent.name for p in sorted(ROOT.glob("*/manifest.json"))]
        raise InputError(f"no embedded asset {name!r}{nearest(name, known, what='assets')}")
    return _read(folder)


def _read(folder: Path) -> Asset:
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return Asset(name=folder.name, path=folder, manifest=manifest)
