"""The permutations of the randomised Tukey HSD test: uniform, seeded, the same for any threads."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from convoscope.meta._tukey import _add_permuted, _fresh_words, permuted_ranges
from convoscope.meta.asl import asl_curve, paired_bootstrap, randomised_tukey


def rng(seed=0):
    return np.random.default_rng(seed)


def permutations(systems, draws, items=1):
    fresh = _fresh_words(systems)
    words = rng().integers(0, 2**64 - 1, (items, draws, int(fresh.sum())), np.uint64, True)
    sums = np.zeros((draws, systems, 1))
    _add_permuted(np.arange(systems, dtype=np.float64).reshape(1, -1, 1), words, fresh, sums)
    return sums[:, :, 0].astype(int)


def test_permutations_are_uniform():
    drawn = permutations(4, 48_000)
    _, counts = np.unique(drawn, axis=0, return_counts=True)
    assert len(counts) == 24
    assert stats.chisquare(counts).pvalue > 1e-3


@pytest.mark.parametrize("systems", [2, 13, 23, 100])
def test_every_system_reaches_every_place_equally_often(systems):
    drawn = permutations(systems, 20_000)
    assert (np.sort(drawn, axis=1) == np.arange(systems)).all()
    for place in (0, 1, systems // 2, systems - 1):
        counts = np.bincount(drawn[:, place], minlength=systems)
        assert stats.chisquare(counts).pvalue > 1e-4


def test_random_words_are_shared_within_their_bits():
    fresh = _fresh_words(23)
    # 23 * 22 * ... * 17 < 2^32, times 16 exceeds it; 16 * ... * 8 < 2^32, times 7 exceeds it.
    assert np.flatnonzero(fresh).tolist() == [6, 15, 22]
    assert _fresh_words(2).tolist() == [False, True]


@pytest.mark.parametrize("shape", [(1, 7, 2), (3, 50, 5), (5, 9000, 3)])
def test_threads_do_not_matter(shape, monkeypatch):
    cube = rng(1).random(shape)
    results = []
    for threads in (1, 2, 8):
        monkeypatch.setenv("CONVOSCOPE_THREADS", str(threads))
        results.append((permuted_ranges(cube, 100, rng()), paired_bootstrap(cube[0], rng=rng())))
    for ranges, boot in results[1:]:
        assert np.array_equal(ranges, results[0][0])
        assert np.array_equal(boot, results[0][1], equal_nan=True)


def test_a_longer_run_begins_with_the_draws_of_a_shorter_one():
    cube = rng(1).random((2, 30, 4))
    assert np.array_equal(
        permuted_ranges(cube, 200, rng())[:, :37], permuted_ranges(cube, 37, rng())
    )


def test_a_metric_does_not_depend_on_the_others():
    cube = rng(1).random((6, 30, 4))
    together = permuted_ranges(cube, 100, rng())
    for m in range(6):
        assert np.array_equal(permuted_ranges(cube[m : m + 1], 100, rng())[0], together[m])


def test_seeds():
    cube = rng(1).random((1, 30, 4))
    assert not np.array_equal(permuted_ranges(cube, 50, rng(0)), permuted_ranges(cube, 50, rng(1)))
    generator = rng(0)
    first = permuted_ranges(cube, 50, generator)
    assert not np.array_equal(first, permuted_ranges(cube, 50, generator))


def test_the_family_wise_error_is_alpha():
    # All systems equal: skewed scores on a grid around item effects. 400 collections: the share
    # with any significant pair is .05 with a standard error of .011; loose bounds.
    source = rng(7)
    errors = 0
    for _ in range(400):
        item = source.random((12, 1))
        rows = item + np.round(source.exponential(0.3, (12, 5)), 2)
        errors += asl_curve(randomised_tukey(rows, draws=200, rng=source))[0] < 0.05
    assert 0.015 <= errors / 400 <= 0.095


def test_power_grows_with_the_difference():
    source = rng(8)
    found = []
    for shift in (0.0, 0.5, 1.0):
        hits = 0
        for _ in range(60):
            rows = source.normal(size=(20, 4)) + source.normal(size=(20, 1))
            rows[:, 0] += shift
            hits += asl_curve(randomised_tukey(rows, draws=100, rng=source))[0] < 0.05
        found.append(hits)
    assert found[0] < found[1] < found[2]
