"""When two scores are the same score.

Metrics are sums of floats: two responses that deserve equal values can differ in the last bits,
by the order of their words. A difference is a tie when it is below ``TIE_TOLERANCE`` times the
larger magnitude. The rule is relative only, with no absolute floor: scores that are honestly tiny
(a BLEU-4 of 1e-78) still differ.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["TIE_TOLERANCE", "dense_ranks", "difference_signs"]

TIE_TOLERANCE = 1e-12


def difference_signs(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sign of ``a - b``: 1, -1, 0 for a tie, NaN where either is NaN."""
    with np.errstate(invalid="ignore"):
        difference = a - b
        near = np.abs(difference) <= TIE_TOLERANCE * np.maximum(np.abs(a), np.abs(b))
    # Infinities: inf is no relative distance from inf, but equal infinities are a tie.
    tie = (near & np.isfinite(difference)) | (a == b)
    return np.where(tie, 0.0, np.sign(difference))


def dense_ranks(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the rank of each value among the distinct ones, from 0; ties share a rank.

    Neighbours in sorted order that tie are merged, so that ranks order values as
    :func:`difference_signs` does. NaN is not allowed.
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    steps = difference_signs(ordered[1:], ordered[:-1]) > 0
    ranks = np.empty(len(values), np.int64)
    ranks[order] = np.concatenate([[0], np.cumsum(steps)]) if len(values) else []
    return ranks
