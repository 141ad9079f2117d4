"""METEOR: words matched exactly, by stem and by synonym, with a penalty for broken order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numba import njit
from numpy.typing import NDArray

from convoscope.metrics.base import Metric, param
from convoscope.metrics.batch import Batch
from convoscope.text import stems
from convoscope.text.analysis import Texts
from convoscope.text.columns import Tokens
from convoscope.text.synonyms import load_synonyms

__all__ = ["METEOR"]


@dataclass(frozen=True, repr=False)
class METEOR(Metric):
    """METEOR (Banerjee & Lavie 2005, with the parameters of Lavie & Agarwal 2007).

    Lower-cased words of the response are matched with words of the reference, each with at most
    one: first equal words, then words with one Porter stem, then WordNet synonyms. With m
    matches, precision P = m / response length and recall R = m / reference length::

        score = (1 - gamma · (chunks / m)^beta) · P · R / (alpha · P + (1 - alpha) · R)

    where chunks is the number of runs of matches that stand next to each other in both texts.

    The values are those of ``nltk.translate.meteor_score`` (3.10) over WordNet 3.0, which the
    papers on dialogue metrics report. Its ways are kept, also where the papers on METEOR differ:
    matching is greedy from the last word to the first; synonyms are looked up for the *stems* of
    the words that are left, not for the words; synonyms written with a capital never match.
    """

    title: ClassVar[str] = "METEOR"
    summary: ClassVar[str] = (
        "words matched exactly, by stem and by synonym; broken order is penalised"
    )
    source: ClassVar[str] = "Banerjee & Lavie 2005; Lavie & Agarwal 2007"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    empty: ClassVar[str] = "0 (nothing matches)"
    family: ClassVar[str] = "overlap"

    alpha: float = param(
        0.9,
        "weight of recall in the mean of precision and recall",
        low=0.0,
        high=1.0,
        source="Lavie & Agarwal 2007, section 2: Fmean",
    )
    beta: float = param(
        3.0,
        "exponent of the fragmentation penalty",
        low=0.0,
        source="Lavie & Agarwal 2007, section 2: Penalty",
    )
    gamma: float = param(
        0.5,
        "weight of the fragmentation penalty",
        low=0.0,
        high=1.0,
        source="Lavie & Agarwal 2007, section 2: Penalty",
    )
    tokenizer: str = param(
        "whitespace", "how texts become words", choices=("whitespace", "word", "13a", "alnum")
    )
    multi: str = param("max", "how several references combine", choices=("max", "mean"))

    def compute(self, batch: Batch) -> NDArray[np.float64]:
        """Return the score of each row, shape (n,)."""
        candidates, references = batch.pairs()
        lengths = batch.texts.tokens(self.tokenizer, lowercase=True).lengths
        values = _score(
            _counts(batch, self.tokenizer),
            lengths[candidates],
            lengths[references],
            self.alpha,
            self.beta,
            self.gamma,
        )
        return batch.reduce(values, self.multi)

    def fragments(self) -> dict[str, str]:
        """Return what can change a number: the parameters, the stemmer and the synonym table."""
        out = super().fragments()
        for signature in (stems.SIGNATURE, load_synonyms().signature):
            key, value = signature.split(":", 1)
            out[key] = value
        return out


def _counts(batch: Batch, tokenizer: str) -> NDArray[np.int32]:
    """Return matches and chunks of every pair, which all of METEOR's parameters share."""

    def make() -> NDArray[np.int32]:
        words = batch.texts.tokens(tokenizer, lowercase=True)
        stemmed, synonym_at, synonyms = _stems_and_synonyms(batch.texts, tokenizer)
        longest = int(words.lengths.max(initial=0))
        counts: NDArray[np.int32] = match_pairs(
            words.ids,
            stemmed.ids,
            words.offsets,
            *batch.pairs(),
            synonym_at,
            synonyms,
            np.full(words.n_types, -1, np.int32),
            np.full(stemmed.n_types, -1, np.int32),
            np.empty(longest, np.int32),
            np.empty(longest, np.int32),
        )
        return counts

    return batch.memo(("meteor", tokenizer), make)


def _stems_and_synonyms(
    texts: Texts, tokenizer: str
) -> tuple[Tokens, NDArray[np.int64], NDArray[np.int32]]:
    def make() -> tuple[Tokens, NDArray[np.int64], NDArray[np.int32]]:
        stemmed = stems.stem_column(texts.tokens(tokenizer, lowercase=True))
        return stemmed, *load_synonyms().among(stemmed)

    return texts.memo(("stems and synonyms", tokenizer), make)


def _score(
    counts: NDArray[np.int32],
    candidate_lengths: NDArray[np.int64],
    reference_lengths: NDArray[np.int64],
    alpha: float,
    beta: float,
    gamma: float,
) -> NDArray[np.float64]:
    out = np.zeros(len(counts), np.float64)
    some = counts[:, 0] > 0
    matches = counts[some, 0].astype(np.float64)
    precision = matches / candidate_lengths[some]
    recall = matches / reference_lengths[some]
    mean = precision * recall / (alpha * precision + (1.0 - alpha) * recall)
    out[some] = (1.0 - gamma * (counts[some, 1] / matches) ** beta) * mean
    return out


@njit(cache=True, nogil=True)
def match_pairs(
    word_ids: Any,
    stem_ids: Any,
    offsets: Any,
    candidates: Any,
    references: Any,
    synonym_at: Any,
    synonyms: Any,
    word_head: Any,
    stem_head: Any,
    before: Any,
    partner: Any,
) -> Any:
    """Return the number of matches and of chunks of each pair of texts, shape (n, 2).

    The free positions of a word in the reference are a chain from its last (``word_head``,
    ``stem_head``: all -1 between pairs) to its first (``before``). Taking the head is what the
    search from the end finds, and a pair costs time in proportion to its words, however long.
    """
    out = np.zeros((len(candidates), 2), np.int32)
    for p in range(len(candidates)):
        c, n = offsets[candidates[p]], offsets[candidates[p] + 1] - offsets[candidates[p]]
        r, m = offsets[references[p]], offsets[references[p] + 1] - offsets[references[p]]
        if n == 0 or m == 0:
            continue
        matches = 0
        for j in range(m):
            word = word_ids[r + j]
            before[j] = word_head[word]
            word_head[word] = j
        for i in range(n - 1, -1, -1):
            word = word_ids[c + i]
            j = word_head[word]
            partner[i] = j
            if j >= 0:
                word_head[word] = before[j]
                matches += 1
        if matches < n and matches < m:
            # what is left in the chains of words goes to the chains of stems, in order
            for i in range(n):
                if partner[i] >= 0:
                    before[partner[i]] = -2  # taken
            for j in range(m):
                if before[j] != -2:
                    stem = stem_ids[r + j]
                    before[j] = stem_head[stem]
                    stem_head[stem] = j
            for i in range(n - 1, -1, -1):
                if partner[i] < 0:
                    stem = stem_ids[c + i]
                    j = stem_head[stem]
                    if j >= 0:
                        partner[i] = j
                        stem_head[stem] = before[j]
                        matches += 1
            for i in range(n - 1, -1, -1):
                if partner[i] < 0:
                    stem = stem_ids[c + i]
                    best = -1
                    for k in range(synonym_at[stem], synonym_at[stem + 1]):
                        best = max(best, stem_head[synonyms[k]])
                    if best >= 0:
                        partner[i] = best
                        stem_head[stem_ids[r + best]] = before[best]
                        matches += 1
            for j in range(m):
                stem_head[stem_ids[r + j]] = -1
        for j in range(m):
            word_head[word_ids[r + j]] = -1
        chunks = 0
        last = -2  # the reference word matched by the word before, if it was
        for i in range(n):
            j = partner[i]
            if j < 0:
                last = -2
            else:
                if j != last + 1:
                    chunks += 1
                last = j
        out[p, 0] = matches
        out[p, 1] = chunks
    return out
