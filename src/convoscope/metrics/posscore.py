"""POSSCORE: embedding similarity that rewards informative parts of speech.

Liu, Zhou, Mao, Wilson: POSSCORE: A Simple Yet Effective Evaluation of Conversational Search with
Part of Speech Labelling. CIKM 2021.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numba import njit
from numpy.typing import NDArray

from convoscope.metrics.base import Metric, param
from convoscope.metrics.batch import Batch
from convoscope.metrics.embedding.average import cosine_pairs
from convoscope.metrics.tags import TagSet
from convoscope.text.analysis import Texts

__all__ = ["POSScore", "POSScoreTerms"]

RECOMMENDED = TagSet.of("ADJ+ADV+VERB+PROPN+NOUN")

# The released implementation averages over gensim's simple_preprocess of each group: lower-cased
# runs of letters, 2 to 15 long, not beginning with "_".
_RUN = re.compile(r"(?:(?!\d)\w)+", re.UNICODE)


@dataclass(frozen=True, eq=False)
class POSScoreTerms:
    """The terms of equation 1 for each (candidate, reference) pair."""

    weight: NDArray[np.float64]
    """w, equation 3."""
    pos: NDArray[np.float64]
    """S(r_p, r̂_p): similarity of the words with the selected tags."""
    rest: NDArray[np.float64]
    """S(r_q, r̂_q): similarity of the other words."""

    @property
    def score(self) -> NDArray[np.float64]:
        """W · S(r_p, r̂_p) + S(r_q, r̂_q), equation 1."""
        return self.weight * self.pos + self.rest


@dataclass(frozen=True, repr=False)
class POSScore(Metric):
    """POSSCORE (Liu et al. 2021, equations 1-3).

    The words of response and reference are split by whether their part of speech is in `tags`.
    With S the cosine of mean word vectors and n the share of words with a selected tag,
    POSSCORE = w · S(POS words) + S(other words) and w = exp(1 - n_reference / n_response).

    Notes
    -----
    ``cleanup='released'`` is what the authors' published code does, and what reaches the paper's
    numbers: ASCII punctuation is deleted from the text before tagging, and the averages leave out
    words of one letter, of more than 15 letters and digits. The code returns no score where a
    text has no words; here an empty side counts 0, so that every response has a value.
    ``cleanup='none'`` is the equations to the letter: every token counts.

    Where either side has no POS word, w is undefined (0/0) or S(r_p, r̂_p) is 0 anyway; w is
    reported as 1, as the released code has it.
    """

    title: ClassVar[str] = "POSSCORE"
    summary: ClassVar[str] = "embedding similarity that rewards informative parts of speech"
    source: ClassVar[str] = "Liu et al. 2021 (CIKM), equations 1-3"
    range: ClassVar[tuple[float, float]] = (-1.0 - math.e, 1.0 + math.e)
    empty: ClassVar[str] = "0 (an empty group of words has similarity 0)"
    family: ClassVar[str] = "embedding"

    tags: TagSet = param(RECOMMENDED, "the informative tags", source="Table 4", shown=True)
    cleanup: str = param(
        "released",
        "'released': punctuation deleted, short words left out of the means; 'none': all tokens",
        choices=("released", "none"),
    )
    tokenizer: str = param(
        "whitespace", "how texts become words", choices=("whitespace", "word", "13a")
    )
    tagger: str = param("embedded", "'embedded', or the name of an installed spaCy model")
    vectors: str = param("embedded", "'embedded', or the path of a vectors file")
    multi: str = param("max", "how several references combine", choices=("max", "mean"))

    def compute(self, batch: Batch) -> NDArray[np.float64]:
        """Return the score of each row, shape (n,)."""
        return batch.reduce(self.terms(batch).score, self.multi)

    def terms(self, batch: Batch) -> POSScoreTerms:
        """Return the terms of equation 1 for each (candidate, reference) pair of the batch."""
        texts = batch.texts
        share, pos_means, rest_means = texts.memo(("posscore", self), lambda: self._analyse(texts))
        candidates, references = batch.pairs()
        n_candidate, n_reference = share[candidates], share[references]
        both = (n_candidate > 0.0) & (n_reference > 0.0)
        ratio = np.divide(n_reference, n_candidate, out=np.ones(len(both)), where=both)
        return POSScoreTerms(
            weight=np.exp(1.0 - ratio),
            pos=cosine_pairs(pos_means, pos_means, candidates, references),
            rest=cosine_pairs(rest_means, rest_means, candidates, references),
        )

    def selected(self, texts: Texts) -> NDArray[np.bool_]:
        """Return which tokens of the cleaned texts have a selected tag, shape (n_tokens,)."""
        return tagged(texts, self.tags, self.tokenizer, self.tagger, self.cleanup == "none")

    def _analyse(self, texts: Texts) -> tuple[NDArray[np.float64], Any, Any]:
        column = texts.tokens(self.tokenizer, punctuation=self.cleanup == "none")
        keep = self.selected(texts)
        # Sums of 0/1 in float64 are exact, so shares of equal counts are equal.
        inside = np.concatenate([[0], np.cumsum(keep)])
        counts = inside[column.offsets[1:]] - inside[column.offsets[:-1]]
        share = counts / np.maximum(column.lengths, 1)
        vectors, weights = texts.memo(
            ("posscore_vectors", self.cleanup, self.tokenizer, self.vectors),
            lambda: _vectors(column.types, self.vectors, released=self.cleanup == "released"),
        )
        means = [
            _group_means(vectors, weights, column.ids, column.offsets, chosen)
            for chosen in (keep, ~keep)
        ]
        return share, means[0], means[1]


def tagged(
    texts: Texts, tags: TagSet, tokenizer: str, tagger: str, punctuation: bool = True
) -> NDArray[np.bool_]:
    """Return which tokens of a column have one of the tags, shape (n_tokens,)."""
    from convoscope.text.pos import UPOS

    wanted = np.array([t in tags.names for t in UPOS])
    found: NDArray[np.bool_] = wanted[texts.tags(tokenizer, punctuation=punctuation, tagger=tagger)]
    return found


def _vectors(
    types: Sequence[str], name: str, *, released: bool
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Return what each type adds to a mean: the sum of its words' vectors, and their number."""
    from convoscope.text.vectors import load_vectors

    source = load_vectors(name)
    if not released:
        table = source.lookup(types)
        return table, np.any(table != 0.0, axis=1).astype(np.float64)
    words = [
        [w for w in _RUN.findall(t.lower()) if 2 <= len(w) <= 15 and not w.startswith("_")]
        for t in types
    ]
    index: dict[str, int] = {}
    flat = [index.setdefault(w, len(index)) for ws in words for w in ws]
    owner = np.repeat(np.arange(len(types)), [len(ws) for ws in words])
    table = source.lookup(list(index))
    known = np.any(table != 0.0, axis=1)
    sums = np.zeros((len(types), source.dim), np.float32)
    np.add.at(sums, owner, table[flat])
    weights = np.bincount(owner, weights=known[flat], minlength=len(types)).astype(np.float64)
    return sums, weights


@njit(cache=True, nogil=True)
def _group_means(table: Any, weights: Any, ids: Any, offsets: Any, chosen: Any) -> Any:
    """Return the mean vector of each text's chosen tokens, zeros where none has a vector."""
    n, dim = len(offsets) - 1, table.shape[1]
    out = np.zeros((n, dim), np.float64)
    for t in range(n):
        weight = 0.0
        for i in range(offsets[t], offsets[t + 1]):
            if chosen[i] and weights[ids[i]] > 0.0:
                weight += weights[ids[i]]
                for d in range(dim):
                    out[t, d] += table[ids[i], d]
        if weight > 0.0:
            for d in range(dim):
                out[t, d] /= weight
    return out
