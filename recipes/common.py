"""What every recipe shares: where the corpora are, and how a manifest is written."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[1]
ASSETS = PROJECT / "src" / "convoscope" / "assets"


def data_root() -> Path:
    """Return the folder of the corpora (``CONVOSCOPE_DATA``, default ``../shared/data``)."""
    return Path(os.environ.get("CONVOSCOPE_DATA", PROJECT.parent / "shared" / "data"))


def write_manifest(
    folder: Path,
    *,
    version: str,
    title: str,
    licence: str,
    sources: list[dict[str, str]],
    command: str,
    quality: dict[str, Any],
    settings: dict[str, Any],
) -> None:
    """Write ``manifest.json`` for every file that is in `folder` now.

    Parameters
    ----------
    folder
        The asset's folder.
    version
        Raised whenever a number that the asset influences can change.
    title
        One line: what it is.
    licence
        SPDX name of the licence the asset carries.
    sources
        ``{"name", "url", "licence"}`` of everything it was made from.
    command
        The exact command that makes it again.
    quality
        Measured figures, each with the data it was measured on in its name.
    settings
        Hyper-parameters and seeds of the making.
    """
    files = {
        str(f.relative_to(folder)): {
            "sha256": hashlib.sha256(f.read_bytes()).hexdigest(),
            "size": f.stat().st_size,
        }
        for f in sorted(folder.rglob("*"))
        if f.is_file() and f.name != "manifest.json"
    }
    manifest = {
        "name": folder.name,
        "version": version,
        "title": title,
        "licence": licence,
        "sources": sources,
        "command": command,
        "settings": settings,
        "quality": quality,
        "files": files,
    }
    text = json.dumps(manifest, indent=2, ensure_ascii=False, sort_keys=False) + "\n"
    (folder / "manifest.json").write_text(text, encoding="utf-8")
