"""Soft cosine worked by hand, both readings of equation 9, and its parameters."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from convoscope.errors import MetricError
from convoscope.metrics import Batch, parse
from convoscope.metrics.embedding.scs import SCS

# Cosines: east-north 0, east-northeast and north-northeast 1/√2, east-west -1, north-west 0,
# northeast-west -1/√2.
VECTORS = "east 2 0\nnorth 0 1\nnortheast 3 3\nwest -4 0\n"
C = 1 / sqrt(2)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "compass.txt"
    path.write_text(VECTORS, "utf-8")
    return str(path)


def one(file, candidate, *references, **parameters):
    metric = SCS(vectors=file, **parameters)
    return metric.compute(Batch.from_strings([candidate], [list(references)]))[0]


def test_by_hand(file):
    # r = east east north, weights 2 1;  g = northeast.
    # Σ m g r = 2 · 1/√2 + 1/√2 = 3/√2;  Σ m r r = 2·2 + 1·1 + 0 = 5;  Σ m g g = 1
    value = one(file, "east east north", "northeast")
    assert value == pytest.approx(3 * C / sqrt(5), abs=1e-7)


def test_exponent_and_threshold(file):
    # r = east north, g = northeast west.
    # Plain: east-northeast C, east-west -1, north-northeast C, north-west 0: Σ = 2C - 1.
    # r r: 2. g g: 2 + 2 · (-C).
    value = one(file, "east north", "northeast west")
    assert value == pytest.approx((2 * C - 1) / sqrt(2 * (2 - 2 * C)), abs=1e-6)
    # Without negative ones: Σ = 2C; r r 2; g g 2.
    value = one(file, "east north", "northeast west", threshold=0)
    assert value == pytest.approx(2 * C / 2, abs=1e-6)
    # Squared as well: Σ = 1/2 + 1/2; r r 2; g g 2.
    value = one(file, "east north", "northeast west", threshold=0, exponent=2)
    assert value == pytest.approx(1 / 2, abs=1e-6)


def test_vectors_as_weights(file):
    # r = east east, g = northeast: lengths 2 and 3√2; inner product of the vectors 6.
    # Σ m (g · r) = 2 · (C · 6) = 12 C
    # r r: 4 pairs of east with east, 1 · 4 each: 16;  g g: 18
    value = one(file, "east east", "northeast", weights="vector")
    assert value == pytest.approx(12 * C / sqrt(16 * 18), abs=1e-6)
    # r = east north: (C · 6 + C · 3) = 9 C;  r r: 4 + 1 + 0;  g g: 18
    value = one(file, "east north", "northeast", weights="vector")
    assert value == pytest.approx(9 * C / sqrt(5 * 18), abs=1e-6)


def test_words_without_a_vector(file):
    # Only like themselves: the cosine of word counts.  zzz east | zzz yyy north: 1 / √(2 · 3)
    for parameters in ({}, {"exponent": 2, "threshold": 0}):
        value = one(file, "zzz east", "zzz yyy north", **parameters)
        assert value == pytest.approx(1 / sqrt(6), abs=1e-7)
        assert one(file, "zzz", "yyy", **parameters) == 0.0
        assert one(file, "zzz zzz", "zzz", **parameters) == pytest.approx(1.0)
    # In the paper's reading such a word has no weight.
    assert one(file, "zzz", "zzz", weights="vector") == 0.0


def test_two_ways_to_one_number():
    """The sums of unit vectors against the comparison of every two words."""
    rng = np.random.default_rng(0)
    words = ["the", "museum", "opens", "at", "nine", "late", "today", "hello", "you", "i", "chess"]
    texts = [" ".join(rng.choice(words, rng.integers(0, 15))) for _ in range(300)]
    batch = Batch.from_strings(texts, [[t] for t in reversed(texts)])
    # A threshold a hair above -1 drops no cosine, but takes the long way.
    slow = SCS(threshold=-0.999999).compute(batch)
    np.testing.assert_allclose(SCS().compute(batch), slow, atol=1e-6)


def test_references(file):
    each = [one(file, "east", r) for r in ("north", "northeast")]
    assert one(file, "east", "north", "northeast") == max(each)
    assert one(file, "east", "north", "northeast", multi="mean") == pytest.approx(sum(each) / 2)


@pytest.mark.parametrize("parameters", [{}, {"exponent": 2, "threshold": 0}, {"weights": "vector"}])
def test_empty(parameters):
    batch = Batch.from_strings(["", "a", "", "b"], [["a"], [""], [""], []])
    values = SCS(**parameters).compute(batch)
    assert values[:3].tolist() == [0.0] * 3
    assert np.isnan(values[3])
    assert SCS(**parameters).compute(Batch.from_strings([], [])).shape == (0,)


@pytest.mark.parametrize("metric", [SCS(), SCS("vector"), SCS(exponent=2, threshold=0)])
def test_canonical_name(metric):
    assert parse(str(metric)) == metric


@pytest.mark.parametrize(
    "wrong", [{"weights": "tf"}, {"exponent": 0}, {"threshold": -2}, {"exponent": 0.5}]
)
def test_wrong_parameters(wrong):
    with pytest.raises(MetricError):
        SCS(**wrong)


@pytest.mark.parametrize("metric", [SCS(), SCS(exponent=2, threshold=0)])
def test_thread_count(metric, monkeypatch):
    rng = np.random.default_rng(1)
    words = ["east", "north", "museum", "opens", "late", "today", "hello", "you", "i"]
    texts = [" ".join(rng.choice(words, rng.integers(0, 12))) for _ in range(5000)]
    results = set()
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("CONVOSCOPE_THREADS", threads)
        batch = Batch.from_strings(texts, [[t] for t in reversed(texts)])
        results.add(metric.compute(batch).tobytes())
    assert len(results) == 1
