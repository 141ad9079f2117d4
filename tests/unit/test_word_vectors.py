"""Greedy matching and vector extrema worked by hand."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from convoscope.errors import MetricError
from convoscope.metrics import Batch, parse
from convoscope.metrics.embedding.extrema import Extrema
from convoscope.metrics.embedding.greedy import Greedy

# east and north are at right angles, northeast is between them; down is opposite to up.
VECTORS = "east 2 0\nnorth 0 1\nnortheast 3 3\nwest -4 0\nsteep 1 3\n"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "compass.txt"
    path.write_text(VECTORS, "utf-8")
    return str(path)


def one(metric, candidate, *references):
    return metric.compute(Batch.from_strings([candidate], [list(references)]))[0]


def test_greedy_by_hand(file):
    # east east north | northeast west. Cosines: east-northeast 1/√2, east-west -1,
    # north-northeast 1/√2, north-west 0.
    # Response: best 1/√2 for each of its three words, mean 1/√2.
    # Reference: northeast 1/√2, west 0; mean 1/(2√2).
    half = 1 / sqrt(2)
    value = one(Greedy(vectors=file), "east east north", "northeast west")
    assert value == pytest.approx((half + half / 2) / 2, abs=1e-6)
    # Repeated words count each time: the reference's mean is (2/√2 + 0)/3.
    value = one(Greedy(vectors=file), "east north", "northeast northeast west")
    assert value == pytest.approx((half + 2 * half / 3) / 2, abs=1e-6)


def test_greedy_leaves_unknown_words_out(file):
    assert one(Greedy(vectors=file), "east zzz", "yyy east") == 1.0
    assert one(Greedy(vectors=file), "zzz", "zzz") == 0.0
    assert one(Greedy(vectors=file), "east", "zzz") == 0.0
    assert one(Greedy(vectors=file), "east", "west") == -1.0


def test_extrema_by_hand(file):
    # east (2 0), west (-4 0), steep (1 3): first dimension 2 and -4: |-4| is more, -4; second 0
    # and 3: 3. north: (0 1). Cosine of (-4 3) and (0 1): 3/5.
    value = one(Extrema(vectors=file), "east west steep", "north")
    assert value == pytest.approx(3 / 5)
    # northeast west: (-4 3): the same vector.
    assert one(Extrema(vectors=file), "east west steep", "northeast west") == pytest.approx(1.0)
    assert one(Extrema(vectors=file), "zzz", "zzz") == 0.0


def test_extrema_takes_the_least_of_equal_amounts(tmp_path):
    path = tmp_path / "ties.txt"
    path.write_text("plus 2 1\nminus -2 1\nleft -1 0\n", "utf-8")
    # plus minus: first dimension 2 and -2: the least, -2; second 1. (-2 1) and (-1 0): 2/√5.
    value = one(Extrema(vectors=str(path)), "plus minus", "left")
    assert value == pytest.approx(2 / sqrt(5))


@pytest.mark.parametrize("metric", [Greedy, Extrema])
class TestBoth:
    def test_references(self, metric, file):
        m = metric(vectors=file)
        each = [one(m, "east steep", r) for r in ("north", "northeast west")]
        assert one(m, "east steep", "north", "northeast west") == max(each)
        mean = one(metric(vectors=file, multi="mean"), "east steep", "north", "northeast west")
        assert mean == pytest.approx(sum(each) / 2)

    def test_empty(self, metric):
        batch = Batch.from_strings(["", "a", "", "b"], [["a"], [""], [""], []])
        values = metric().compute(batch)
        assert values[:3].tolist() == [0.0] * 3
        assert np.isnan(values[3])
        assert metric().compute(Batch.from_strings([], [])).shape == (0,)

    def test_canonical_name(self, metric):
        for m in (metric(), metric(tokenizer="word", multi="mean"), metric(vectors="a/b.vec")):
            assert parse(str(m)) == m

    def test_wrong_parameters(self, metric):
        with pytest.raises(MetricError):
            metric(multi="median")

    def test_thread_count(self, metric, monkeypatch):
        rng = np.random.default_rng(1)
        words = ["east", "north", "museum", "opens", "late", "today", "hello", "you", "i"]
        texts = [" ".join(rng.choice(words, rng.integers(0, 12))) for _ in range(5000)]
        results = set()
        for threads in ("1", "2", "5"):
            monkeypatch.setenv("CONVOSCOPE_THREADS", threads)
            batch = Batch.from_strings(texts, [[t] for t in reversed(texts)])
            results.add(metric().compute(batch).tobytes())
        assert len(results) == 1
