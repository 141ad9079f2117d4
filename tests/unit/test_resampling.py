"""The cluster bootstrap: repeatable, the same for any block size, and honest about its width."""

from __future__ import annotations

import numpy as np
import pytest

from convoscope.errors import InputError
from convoscope.meta.resampling import bootstrap_counts, bootstrap_ratio, percentile_interval


def test_counts_draw_every_cluster_n_times_in_all():
    blocks = list(bootstrap_counts(7, 20, np.random.default_rng(0), block=6))
    assert [len(b) for b in blocks] == [6, 6, 6, 2]
    counts = np.concatenate(blocks)
    assert counts.shape == (20, 7)
    assert (counts.sum(axis=1) == 7).all()


@pytest.mark.parametrize("block", [1, 7, 64, 1000])
def test_block_size_changes_nothing(block):
    rng = np.random.default_rng(5)
    tops, bottoms = rng.normal(size=(3, 41)), rng.random((3, 41))
    whole = bootstrap_ratio(tops, bottoms, 300, np.random.default_rng(9))
    cut = bootstrap_ratio(tops, bottoms, 300, np.random.default_rng(9), block=block)
    np.testing.assert_array_equal(whole, cut)


def test_the_seed_decides():
    tops, bottoms = np.arange(12.0).reshape(1, 12), np.full((1, 12), 11.0)
    one, same, other = (
        bootstrap_ratio(tops, bottoms, 50, np.random.default_rng(s)) for s in (1, 1, 2)
    )
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()


def test_each_draw_is_the_ratio_of_the_drawn_clusters():
    tops, bottoms = np.array([[1.0, 2.0, 0.0]]), np.array([[2.0, 2.0, 5.0]])
    draws = bootstrap_ratio(tops, bottoms, 40, np.random.default_rng(3))
    (counts,) = bootstrap_counts(3, 40, np.random.default_rng(3))
    np.testing.assert_allclose(draws[0], (counts @ tops[0]) / (counts @ bottoms[0]), rtol=1e-15)


def test_statistics_share_their_draws():
    tops = np.random.default_rng(0).random((1, 30))
    both = bootstrap_ratio(np.vstack([tops, tops]), np.ones((2, 30)), 100, np.random.default_rng(1))
    np.testing.assert_array_equal(both[0], both[1])


def test_draws_without_a_denominator_are_nan_and_left_out_of_the_interval():
    tops, bottoms = np.array([[1.0, 0.0]]), np.array([[1.0, 0.0]])
    draws = bootstrap_ratio(tops, bottoms, 200, np.random.default_rng(0))
    assert 0.1 < np.isnan(draws).mean() < 0.4
    assert percentile_interval(draws[0], 0.95) == (1.0, 1.0)
    assert percentile_interval(np.full(3, np.nan), 0.95) == (None, None)


def test_no_clusters_no_draws():
    empty = np.empty((2, 0))
    assert np.isnan(bootstrap_ratio(empty, empty, 5, np.random.default_rng(0))).all()


def test_bad_input_is_named():
    rng = np.random.default_rng(0)
    with pytest.raises(InputError, match="one shape"):
        bootstrap_ratio(np.ones((1, 3)), np.ones((1, 4)), 5, rng)
    with pytest.raises(InputError, match="finite"):
        bootstrap_ratio(np.full((1, 3), np.nan), np.ones((1, 3)), 5, rng)


def test_coverage_is_roughly_nominal_on_clustered_data():
    # 40 items of 6 pairs; each item has its own probability, so pairs of an item go together.
    rng = np.random.default_rng(11)
    truth, runs, clusters, pairs = 0.6, 300, 40, 6
    item_wise = pair_wise = 0
    for _ in range(runs):
        chance = rng.beta(1.2, 0.8, size=clusters)
        right = rng.binomial(pairs, chance).astype(float)[None, :]
        total = np.full((1, clusters), float(pairs))
        low, high = percentile_interval(bootstrap_ratio(right, total, 400, rng)[0], 0.95)
        item_wise += low <= truth <= high
        flat = np.repeat([[1.0, 0.0]], [int(right.sum()), int((total - right).sum())], axis=1)
        low, high = percentile_interval(
            bootstrap_ratio(flat, np.ones_like(flat), 400, rng)[0], 0.95
        )
        pair_wise += low <= truth <= high
    assert 0.90 <= item_wise / runs <= 0.98
    # What the cluster bootstrap is for: resampling pairs is far too sure of itself.
    assert pair_wise / runs < 0.85
