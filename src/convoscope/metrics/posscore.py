"""POSSCORE: embedding similarity that rewards informative parts of speech.

Liu, Zhou, Mao, Wilson: POSSCORE: A Simple Yet Effective Evaluation of Conversational Search with
Part of Speech Labelling. CIKM 2021.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from convoscope.metrics.base import Metric, param
from convoscope.metrics.batch import Batch
from convoscope.metrics.embedding._cosine import group_cosines
from convoscope.metrics.tags import TagSet
from convoscope.text.analysis import Texts
from convoscope.text.columns import Tokens

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
        column = texts.tokens(self.tokenizer, punctuation=self.cleanup == "none")
        chosen = texts.memo(("posscore", self), lambda: self.selected(texts))
        table, known = texts.memo(
            ("posscore_vectors", self.cleanup, self.tokenizer, self.vectors),
            lambda: _vectors(column.types, self.vectors, released=self.cleanup == "released"),
        )
        candidates, references = batch.pairs()
        share = _shares(chosen, column)
        n_candidate, n_reference = share[candidates], share[references]
        both = (n_candidate > 0.0) & (n_reference > 0.0)
        ratio = np.divide(n_reference, n_candidate, out=np.ones(len(both)), where=both)
        group = (~chosen).view(np.uint8)
        cosines = group_cosines(column, table, known, group, candidates, references)
        return POSScoreTerms(weight=np.exp(1.0 - ratio), pos=cosines[0], rest=cosines[1])

    def selected(self, texts: Texts) -> NDArray[np.bool_]:
        """Return which tokens of the cleaned texts have a selected tag, shape (n_tokens,)."""
        return tagged(texts, self.tags, self.tokenizer, self.tagger, self.cleanup == "none")


def _shares(chosen: NDArray[np.bool_], column: Tokens) -> NDArray[np.float64]:
    """Return the share of chosen tokens in each text, 0 for an empty one."""
    inside = np.concatenate([[0], np.cumsum(chosen)])
    counts = inside[column.offsets[1:]] - inside[column.offsets[:-1]]
    share: NDArray[np.float64] = counts / np.maximum(column.lengths, 1)
    return share


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
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Return the sum of the vectors of each type's words, and which types have any."""
    from convoscope.text.vectors import load_vectors

    source = load_vectors(name)
    if not released:
        table = source.lookup(types)
        return table, np.any(table != 0.0, axis=1)
    words = [
        [w for w in _RUN.findall(t.lower()) if 2 <= len(w) <= 15 and not w.startswith("_")]
        for t in types
    ]
    index: dict[str, int] = {}
    flat = [index.setdefault(w, len(index)) for ws in words for w in ws]
    owner = np.repeat(np.arange(len(types)), [len(ws) for ws in words])
    table = source.lookup(list(index))
    sums = np.zeros((len(types), source.dim), np.float32)
    np.add.at(sums, owner, table[flat])
    return sums, np.any(sums != 0.0, axis=1)
