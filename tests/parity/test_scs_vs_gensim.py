"""Soft cosine against gensim's inner_product over the same similarity matrix, to 1e-6."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from scipy import sparse

from convoscope.metrics import Batch
from convoscope.metrics.embedding.scs import SCS
from convoscope.text.vectors import load_vectors

termsim = pytest.importorskip("gensim.similarities.termsim")


def similarities(vectors, exponent, threshold):
    """The matrix of word similarities, in float64."""
    norms = np.linalg.norm(vectors, axis=1)
    unit = vectors / np.where(norms > 0, norms, 1)[:, None]
    cosines = np.clip(unit @ unit.T, -1, 1)
    matrix = np.where(cosines > threshold, cosines, 0.0) if threshold > -1 else cosines
    matrix = matrix**exponent
    matrix[(norms == 0)] = 0.0
    matrix[:, (norms == 0)] = 0.0
    np.fill_diagonal(matrix, 1.0)
    return matrix


def check(rows, vectors="embedded", settings=((1.0, -1.0), (2.0, 0.0), (3.0, 0.3), (2.0, -1.0))):
    index: dict[str, int] = {}
    texts = {t: None for c, refs in rows for t in (c, *refs)}
    bags = {}
    for text in texts:
        bag: dict[int, int] = {}
        for word in text.split():
            k = index.setdefault(word, len(index))
            bag[k] = bag.get(k, 0) + 1
        bags[text] = sorted(bag.items())
    table = load_vectors(vectors).lookup(list(index)).astype(np.float64)
    batch = Batch.from_strings([c for c, _ in rows], [r for _, r in rows])
    for exponent, threshold in settings:
        matrix = similarities(table, exponent, threshold)
        peer = termsim.SparseTermSimilarityMatrix(sparse.csc_matrix(matrix))
        each = [
            [peer.inner_product(bags[c], bags[r], normalized=(True, True)) for r in refs]
            for c, refs in rows
        ]
        for multi, combine in (("max", max), ("mean", np.mean)):
            metric = SCS(exponent=exponent, threshold=threshold, vectors=vectors, multi=multi)
            expected = [combine(values) for values in each]
            ours = metric.compute(batch)
            np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-6, err_msg=str(metric))


@pytest.fixture
def file(tmp_path):
    """Vectors that know few words."""
    path = tmp_path / "few.vec"
    path.write_text(
        "the 1 2 -3\ncat 0.5 -2 1\nmat -1 -2.5 3\nhello 0 0 2\nworld 1 2 -3\non 1e-3 4 0\n", "utf-8"
    )
    return str(path)


def test_ugly(ugly, file):
    texts = [t for t in ugly if len(t) < 5_000]
    rows = [(a, [b]) for a in texts for b in texts]
    rows += [(a, [texts[(i + r) % len(texts)] for r in range(4)]) for i, a in enumerate(texts)]
    check(rows)
    check(rows, file)


def test_ten_thousand_words(ugly):
    long = max(ugly, key=len)
    check([(long, [long[: len(long) // 3], "word1 the cat"])])


def test_real(data):
    path = data / "dailydialog-plusplus" / "dev.jsonl"
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    rows = []
    with path.open(encoding="utf-8") as lines:
        for line in itertools.islice(lines, 100):
            item = json.loads(line)
            positive = item["positive_responses"]
            rows.append((positive[0], positive[1:5]))
            rows.append((item["adversarial_negative_responses"][0], positive[:1]))
    check(rows)
