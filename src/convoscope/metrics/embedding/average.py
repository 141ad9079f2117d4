"""Embedding average: the cosine of two texts' mean word vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numba import njit
from numpy.typing import NDArray

from convoscope.metrics.base import Metric, param
from convoscope.metrics.batch import Batch
from convoscope.text.analysis import Texts

__all__ = ["EA"]


@dataclass(frozen=True, repr=False)
class EA(Metric):
    """Embedding average (Foltz et al. 1998; POSSCORE, equation 2).

    The cosine of the unweighted means of the word vectors of response and reference. Words
    without a vector (possible only with external vectors) are left out of the mean.
    """

    title: ClassVar[str] = "Embedding average"
    summary: ClassVar[str] = "cosine of the mean word vectors of response and reference"
    source: ClassVar[str] = "Foltz et al. 1998; POSSCORE, equation 2"
    range: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    empty: ClassVar[str] = "0 (no vector, no similarity)"
    family: ClassVar[str] = "embedding"

    tokenizer: str = param(
        "whitespace", "how texts become words", choices=("whitespace", "word", "13a", "alnum")
    )
    vectors: str = param("embedded", "'embedded', or the path of a vectors file")
    multi: str = param("max", "how several references combine", choices=("max", "mean"))

    def compute(self, batch: Batch) -> NDArray[np.float64]:
        """Return the cosine of each row, shape (n,)."""
        means = mean_vectors(batch.texts, self.tokenizer, self.vectors)
        candidates, references = batch.pairs()
        return batch.reduce(cosine_pairs(means, means, candidates, references), self.multi)


def type_vectors(texts: Texts, tokenizer: str, vectors: str, **column: bool) -> NDArray[np.float32]:
    """Return the vector of each token type of a column, shape (n_types, dim)."""
    from convoscope.text.vectors import load_vectors

    def make() -> NDArray[np.float32]:
        return load_vectors(vectors).lookup(texts.tokens(tokenizer, **column).types)

    return texts.memo(("type_vectors", tokenizer, vectors, *column.items()), make)


def mean_vectors(texts: Texts, tokenizer: str, vectors: str) -> NDArray[np.float32]:
    """Return the mean word vector of every text, zeros where no word has one."""

    def make() -> NDArray[np.float32]:
        tokens = texts.tokens(tokenizer)
        table = type_vectors(texts, tokenizer, vectors)
        known: NDArray[np.bool_] = np.any(table != 0.0, axis=1)
        keep = known[tokens.ids]
        means: NDArray[np.float32] = group_means(table, tokens.ids, tokens.offsets, keep)
        return means

    return texts.memo(("mean_vectors", tokenizer, vectors), make)


@njit(cache=True, nogil=True, fastmath={"contract"})
def group_means(table: Any, ids: Any, offsets: Any, keep: Any) -> Any:
    """Return the mean of the vectors of each text's kept tokens, shape (n_texts, dim)."""
    n, dim = len(offsets) - 1, table.shape[1]
    out = np.zeros((n, dim), np.float32)
    total = np.empty(dim, np.float64)
    for t in range(n):
        total[:] = 0.0
        count = 0
        for i in range(offsets[t], offsets[t + 1]):
            if keep[i]:
                row = table[ids[i]]
                for d in range(dim):
                    total[d] += row[d]
                count += 1
        if count:
            for d in range(dim):
                out[t, d] = total[d] / count
    return out


@njit(cache=True, nogil=True)
def cosine_pairs(left: Any, right: Any, rows: Any, columns: Any) -> Any:
    """Return the cosine of ``left[rows[i]]`` and ``right[columns[i]]``; 0 with a zero vector."""
    out = np.empty(len(rows), np.float64)
    for i in range(len(rows)):
        a, b = left[rows[i]], right[columns[i]]
        ab = aa = bb = 0.0
        for d in range(len(a)):
            x, y = np.float64(a[d]), np.float64(b[d])
            ab += x * y
            aa += x * x
            bb += y * y
        out[i] = ab / np.sqrt(aa * bb) if aa > 0.0 and bb > 0.0 else 0.0
    return out
