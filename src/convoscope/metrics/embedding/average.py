"""Embedding average: the cosine of two texts' mean word vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from convoscope.metrics.batch import Batch
from convoscope.metrics.embedding._cosine import group_cosines
from convoscope.metrics.embedding.base import WordVectorMetric
from convoscope.text.analysis import Texts

__all__ = ["EA"]


@dataclass(frozen=True, repr=False)
class EA(WordVectorMetric):
    """Embedding average (Foltz et al. 1998; POSSCORE, equation 2).

    The cosine of the unweighted means of the word vectors of response and reference. Words
    without a vector (possible only with external vectors) are left out of the mean.
    """

    title: ClassVar[str] = "Embedding average"
    summary: ClassVar[str] = "cosine of the mean word vectors of response and reference"
    source: ClassVar[str] = "Foltz et al. 1998; POSSCORE, equation 2"

    def compute(self, batch: Batch) -> NDArray[np.float64]:
        """Return the cosine of each row, shape (n,)."""
        tokens = batch.texts.tokens(self.tokenizer)
        table = type_vectors(batch.texts, self.tokenizer, self.vectors)
        known: NDArray[np.bool_] = np.any(table != 0.0, axis=1)
        group = np.zeros(len(tokens.ids), np.uint8)
        candidates, references = batch.pairs()
        cosines = group_cosines(tokens, table, known, group, candidates, references)
        return batch.reduce(cosines[0], self.multi)


def type_vectors(texts: Texts, tokenizer: str, vectors: str) -> NDArray[np.float32]:
    """Return the vector of each token type of a column, shape (n_types, dim)."""
    from convoscope.text.vectors import load_vectors

    def make() -> NDArray[np.float32]:
        return load_vectors(vectors).lookup(texts.tokens(tokenizer).types)

    return texts.memo(("type_vectors", tokenizer, vectors), make)
