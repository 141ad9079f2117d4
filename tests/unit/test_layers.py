"""The architecture as a test: imports point left, never right (docs/architecture.md)."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src" / "convoscope"

# From left to right. A room may import from its own and from rooms to its left.
LAYERS = [
    {"errors", "_version", "terminal"},
    {"assets", "collection", "data", "parallel"},
    {"io", "text"},
    {"metrics"},
    {"scores"},
    {"scoring"},
    {"rundir"},
    {"meta"},
    {"report"},
    {"reproduce"},
    {"cli"},
    {"__main__"},
]
RANK = {room: rank for rank, rooms in enumerate(LAYERS) for room in rooms}


def room(path: Path) -> str:
    part = path.relative_to(SOURCE).parts[0]
    return part.removesuffix(".py")


FILES = [p for p in SOURCE.rglob("*.py") if room(p) != "__init__"]


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_imports_point_left(path):
    here = room(path)
    assert here in RANK, f"{here} is a new room: give it a place in LAYERS and in architecture.md"
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
            if node.module == "convoscope":
                names = [f"convoscope.{a.name}" for a in node.names]
        elif isinstance(node, ast.Import):
            names = [a.name for a in node.names]
        for name in names:
            parts = name.split(".")
            if parts[0] == "convoscope" and len(parts) > 1 and parts[1] in RANK:
                other = parts[1]
                allowed = other == here or RANK[other] < RANK[here]
                assert allowed, f"{here} (line {node.lineno}) imports {other}, to its right"


def test_public_modules_declare_all():
    for path in FILES:
        if path.name.startswith("_") and path.name != "__init__.py":
            continue
        tree = ast.parse(path.read_text("utf-8"))
        public = [
            n.name
            for n in tree.body
            if isinstance(n, ast.FunctionDef | ast.ClassDef) and not n.name.startswith("_")
        ]
        has_all = any(
            isinstance(n, ast.Assign) and any(getattr(t, "id", "") == "__all__" for t in n.targets)
            for n in tree.body
        )
        assert has_all or not public, f"{path.relative_to(SOURCE)} has no __all__"
