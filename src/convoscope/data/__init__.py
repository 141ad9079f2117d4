"""The sample collection that comes with the package.

Its texts are written by hand for it; its ratings and satisfactions are drawn, with seeded noise,
around a quality assigned by hand. It is there to try things on and is no evidence for any metric.
``recipes/demo_data.py`` makes it again.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["demo_path"]


def demo_path() -> Path:
    """Return the path of the sample collection, a JSONL file to load and to copy from."""
    return Path(__file__).with_name("demo.jsonl")
