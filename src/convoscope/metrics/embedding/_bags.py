"""Texts as their distinct words with counts, for metrics that compare words one by one.

Comparing every word of one text with every word of another is quadratic; over distinct words it
is bounded by the vocabulary, and a word that is repeated costs nothing more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from convoscope.metrics.embedding.average import type_vectors
from convoscope.text.analysis import Texts

__all__ = ["Bags", "bags", "cosines", "unit_vectors"]


@dataclass(frozen=True, eq=False)
class Bags:
    """The distinct words of each text, in order of first appearance."""

    ids: NDArray[np.int32]
    """Type ids, concatenated."""
    counts: NDArray[np.int32]
    """How often the text has each."""
    offsets: NDArray[np.int64]
    """Where each text begins, shape (n_texts + 1,)."""


def bags(texts: Texts, tokenizer: str) -> Bags:
    """Return the bags of all texts, made once for each tokeniser."""

    def make() -> Bags:
        tokens = texts.tokens(tokenizer)
        return Bags(*_count(tokens.ids, tokens.offsets, tokens.n_types))

    return texts.memo(("bags", tokenizer), make)


def unit_vectors(
    texts: Texts, tokenizer: str, vectors: str
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Return each token type's vector at length 1, and the length it had.

    Shapes (n_types, dim) and (n_types,); a type without a vector has zeros.
    """

    def make() -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        table = type_vectors(texts, tokenizer, vectors)
        norms = np.sqrt(np.einsum("ij,ij->i", table, table, dtype=np.float64))
        scale = np.where(norms > 0.0, norms, 1.0)[:, None]
        return np.divide(table, scale, dtype=np.float64).astype(np.float32), norms

    return texts.memo(("unit_vectors", tokenizer, vectors), make)


@njit(cache=True, nogil=True)
def _count(ids: Any, offsets: Any, n_types: int) -> Any:
    place = np.full(n_types, -1, np.int64)
    found = np.empty(len(ids), np.int32)
    counts = np.empty(len(ids), np.int32)
    bounds = np.zeros(len(offsets), np.int64)
    end = 0
    for t in range(len(offsets) - 1):
        begin = end
        for i in range(offsets[t], offsets[t + 1]):
            at = place[ids[i]]
            if at < begin:
                place[ids[i]] = end
                found[end] = ids[i]
                counts[end] = 1
                end += 1
            else:
                counts[at] += 1
        bounds[t + 1] = end
    return found[:end].copy(), counts[:end].copy(), bounds


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"})
def cosines(unit: Any, a: int, ids: Any, first: int, last: int, out: Any) -> None:
    """Write the cosines of a word with the words ``ids[first:last]`` to the start of `out`.

    Four words at once share what is loaded of the one; float32 numbers are added in whatever
    order is fast. Words without a vector have a cosine of 0 here, also with themselves.
    """
    one = np.float32(1.0)
    j = first
    while j < last:
        left = last - j
        b0, b1 = ids[j], ids[j + min(1, left - 1)]
        b2, b3 = ids[j + min(2, left - 1)], ids[j + min(3, left - 1)]
        s0 = s1 = s2 = s3 = np.float32(0.0)
        for d in range(unit.shape[1]):
            v = unit[a, d]
            s0 += v * unit[b0, d]
            s1 += v * unit[b1, d]
            s2 += v * unit[b2, d]
            s3 += v * unit[b3, d]
        at = j - first
        # Rounding must not push a cosine over its bounds. The last four may lie past the end, so
        # `out` has room for three more.
        out[at] = min(one, max(-one, s0))
        out[at + 1] = min(one, max(-one, s1))
        out[at + 2] = min(one, max(-one, s2))
        out[at + 3] = min(one, max(-one, s3))
        j += 4
