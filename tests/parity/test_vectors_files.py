"""The readers of vector files against gensim."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from convoscope.text.vectors import load_vectors

gensim = pytest.importorskip("gensim.models.keyedvectors", reason="gensim writes the files")

WORDS = ["the", "naïve", "日本", "don't", "</s>", "New_York", "😀", "a\u00a0b"]


@pytest.fixture(scope="module")
def peer():
    vectors = gensim.KeyedVectors(vector_size=50)
    matrix = np.random.default_rng(3).normal(size=(len(WORDS) + 6000, 50)).astype(np.float32)
    vectors.add_vectors(WORDS + [f"w{i}" for i in range(6000)], matrix)
    return vectors


@pytest.mark.parametrize("binary", [False, True])
def test_word2vec_files_of_gensim(tmp_path: Path, peer, binary):
    path = tmp_path / "v.w2v"
    peer.save_word2vec_format(str(path), binary=binary)
    ours = load_vectors(str(path))
    again = gensim.KeyedVectors.load_word2vec_format(str(path), binary=binary)
    assert ours.dim == again.vector_size
    np.testing.assert_array_equal(ours.lookup(again.index_to_key), again.vectors)


def test_glove_without_header(tmp_path: Path, peer):
    path = tmp_path / "glove.txt"
    peer.save_word2vec_format(str(path), binary=False, write_header=False)
    again = gensim.KeyedVectors.load_word2vec_format(str(path), binary=False, no_header=True)
    np.testing.assert_array_equal(load_vectors(str(path)).lookup(again.index_to_key), again.vectors)


def test_gzipped(tmp_path: Path, peer):
    path = tmp_path / "v.txt.gz"
    peer.save_word2vec_format(str(path), binary=False)
    np.testing.assert_array_equal(load_vectors(str(path)).lookup(peer.index_to_key), peer.vectors)
