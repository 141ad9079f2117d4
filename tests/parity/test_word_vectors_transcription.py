"""Greedy matching and vector extrema against plain NumPy transcriptions of their definitions."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

from convoscope.metrics import Batch
from convoscope.metrics.embedding.extrema import Extrema
from convoscope.metrics.embedding.greedy import Greedy
from convoscope.text.vectors import load_vectors


def matrix(text, vectors):
    """The vectors of a text's words, in float64, without the words that have none."""
    rows = load_vectors(vectors).lookup(text.split()).astype(np.float64)
    return rows[(rows != 0).any(axis=1)]


def greedy(a, b):
    if not len(a) or not len(b):
        return 0.0
    unit_a = a / np.linalg.norm(a, axis=1)[:, None]
    unit_b = b / np.linalg.norm(b, axis=1)[:, None]
    cosines = unit_a @ unit_b.T
    return (cosines.max(axis=1).mean() + cosines.max(axis=0).mean()) / 2


def extrema(a, b):
    if not len(a) or not len(b):
        return 0.0
    x, y = (
        np.where(m.max(axis=0) > np.abs(m.min(axis=0)), m.max(axis=0), m.min(axis=0))
        for m in (a, b)
    )
    return x @ y / (np.linalg.norm(x) * np.linalg.norm(y))


@pytest.fixture
def file(tmp_path):
    """Vectors that know few words, with negative, equal and opposite ones among them."""
    path = tmp_path / "few.vec"
    path.write_text(
        "the 1 2 -3\ncat 0.5 -2 1\nmat -1 -2 3\nhello 0 0 2\nworld 1 2 -3\non 1e-3 4 0\n"
        "word1 3 1 1\nword2 -3 -1 2\nword3 2 2 2\nok 0 -1 0\n",
        "utf-8",
    )
    return str(path)


@pytest.mark.parametrize(
    ("metric", "peer", "tolerance"), [(Greedy, greedy, 1e-6), (Extrema, extrema, 1e-12)]
)
class TestParity:
    def check(self, rows, metric, peer, tolerance, vectors="embedded"):
        batch = Batch.from_strings([c for c, _ in rows], [r for _, r in rows])
        texts = {t for c, refs in rows for t in (c, *refs)}
        known = {t: matrix(t, vectors) for t in texts}
        each = [[peer(known[c], known[r]) for r in refs] for c, refs in rows]
        for multi, combine in (("max", max), ("mean", np.mean)):
            ours = metric(multi=multi, vectors=vectors).compute(batch)
            np.testing.assert_allclose(ours, [combine(v) for v in each], rtol=0, atol=tolerance)

    def test_ugly(self, metric, peer, tolerance, ugly, file):
        rows = [(a, [b]) for a in ugly for b in ugly]
        rows += [(a, [ugly[(i + r) % len(ugly)] for r in range(4)]) for i, a in enumerate(ugly)]
        self.check(rows, metric, peer, tolerance)
        self.check(rows, metric, peer, tolerance, file)

    def test_real(self, metric, peer, tolerance, data):
        path = data / "dailydialog-plusplus" / "dev.jsonl"
        if not path.is_file():
            pytest.skip(f"{path} is not there")
        rows = []
        with path.open(encoding="utf-8") as lines:
            for line in itertools.islice(lines, 300):
                item = json.loads(line)
                positive = item["positive_responses"]
                rows.append((positive[0], positive[1:5]))
                rows.append((item["adversarial_negative_responses"][0], positive[:1]))
        self.check(rows, metric, peer, tolerance)
