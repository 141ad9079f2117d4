"""The sample collection that comes with the package."""

from __future__ import annotations

from pathlib import Path

__all__ = ["demo_path"]


def demo_path() -> Path:
    """Return the path of the sample collection, a JSONL file to load and to copy from."""
    return Path(__file__).with_name("demo.jsonl")
