"""What the tests share: where the corpora are, and ugly text."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# Compiled kernels make the first example slow, and machines differ: time is not what these test.
# derandomize: a run of the suite is reproducible.
settings.register_profile("convoscope", deadline=None, derandomize=True)
settings.load_profile("convoscope")

PROJECT = Path(__file__).resolve().parents[1]

UGLY = [
    "",
    " ",
    "\t\n\u2003\u3000",
    "a",
    "I",
    "...",
    "?!,;:--()[]{}",
    "hello",
    "Hello , world !",
    "don't can't won't it's",
    "🙂",
    "🙂 🙃 👩‍👩‍👧‍👦 ok",
    "שלום עולם , مرحبا بالعالم",
    "中文 没有 空格 日本語テキスト",
    "nul\x00inside and \x00 alone",
    "e\u0301 é İstanbul ΑΣ ß ﬁ K",
    "the the the the cat sat on on the mat",
    "REPEAT " * 50,
    "x" * 3000,
    "1 2 3 4,5 6.7 8-9 10th",
    "<script>alert('x')</script> & \"quotes\"",
    "tab\tand\u00a0nbsp\u200bzero width",
    " ".join(f"word{i % 700}" for i in range(10_000)),
]


@pytest.fixture(autouse=True)
def registry_as_it_was() -> Iterator[None]:
    """A metric that one test registers is gone in the next."""
    from convoscope.metrics import registry

    before = dict(registry._added)
    yield
    registry._added.clear()
    registry._added.update(before)


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of the corpora; tests that need it skip where it is absent."""
    root = Path(os.environ.get("CONVOSCOPE_DATA", PROJECT.parent / "shared" / "data"))
    if not root.is_dir():
        pytest.skip(f"no corpora at {root}; set CONVOSCOPE_DATA to run this test")
    return root


@pytest.fixture
def ugly() -> list[str]:
    """Texts that break naive code."""
    return list(UGLY)
