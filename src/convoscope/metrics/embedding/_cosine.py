"""The kernel of metrics that compare mean word vectors.

A cosine does not change when a vector is scaled, so sums stand for means. Nothing is kept per
text: a table of mean vectors would cost more in memory traffic than computing them again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from convoscope.parallel import map_ranges
from convoscope.text.columns import Tokens

__all__ = ["group_cosines"]

# Words added in float32 before the sum goes to float64: exact enough, and twice as fast.
_PART = 32


def group_cosines(
    tokens: Tokens,
    table: NDArray[np.float32],
    known: NDArray[np.bool_],
    group: NDArray[np.uint8],
    left: NDArray[np.int32],
    right: NDArray[np.int32],
) -> NDArray[np.float64]:
    """Return, for each pair of texts and each of two groups of words, the cosine of mean vectors.

    Parameters
    ----------
    tokens
        The token column.
    table
        What each type adds to a sum, shape (n_types, dim).
    known
        Which types count, shape (n_types,).
    group
        0 or 1 for each token, shape (n_tokens,).
    left, right
        The texts of each pair.

    Returns
    -------
    ndarray
        Shape (2, pairs); 0 where a side has no vector.
    """
    out = np.zeros((2, len(left)))
    arrays = (tokens.ids, tokens.offsets, table, known, group, left, right, out)
    map_ranges(lambda start, stop: _cosines(start, stop, *arrays), len(left))
    return out


@njit(cache=True, nogil=True)
def _sum_groups(
    text: int, ids: Any, offsets: Any, table: Any, known: Any, group: Any, part: Any, total: Any
) -> None:
    """Add up the vectors of a text's words by group: part is float32 scratch, total the sums."""
    dim = table.shape[1]
    total[:] = 0.0
    part[:] = 0.0
    waiting = 0
    for i in range(offsets[text], offsets[text + 1]):
        k = ids[i]
        if known[k]:
            g = group[i]
            for d in range(dim):
                part[g, d] += table[k, d]
            waiting += 1
            if waiting == _PART:
                for other in range(2):
                    for d in range(dim):
                        total[other, d] += part[other, d]
                part[:] = 0.0
                waiting = 0
    for g in range(2):
        for d in range(dim):
            total[g, d] += part[g, d]


@njit(cache=True, nogil=True)
def _cosines(
    start: int,
    stop: int,
    ids: Any,
    offsets: Any,
    table: Any,
    known: Any,
    group: Any,
    left: Any,
    right: Any,
    out: Any,
) -> None:
    dim = table.shape[1]
    part = np.empty((2, dim), np.float32)
    a, b = np.empty((2, dim), np.float64), np.empty((2, dim), np.float64)
    of_a, of_b = -1, -1
    for p in range(start, stop):
        # Neighbouring rows often share a reference.
        if left[p] != of_a:
            of_a = left[p]
            _sum_groups(of_a, ids, offsets, table, known, group, part, a)
        if right[p] != of_b:
            of_b = right[p]
            _sum_groups(of_b, ids, offsets, table, known, group, part, b)
        for g in range(2):
            ab = aa = bb = 0.0
            for d in range(dim):
                ab += a[g, d] * b[g, d]
                aa += a[g, d] * a[g, d]
                bb += b[g, d] * b[g, d]
            if aa > 0.0 and bb > 0.0:
                # Rounding must not push a cosine over its bounds.
                out[g, p] = min(1.0, max(-1.0, ab / np.sqrt(aa * bb)))
