"""What POSSCORE's tables are computed from: one collection, scored and paired."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from convoscope.collection import Collection, Response, Run
from convoscope.meta.correlation import CorrelationResult, correlation
from convoscope.meta.fidelity import fidelity
from convoscope.meta.pairs import agreement, pair_outcomes, preference_pairs
from convoscope.metrics import PAPER_TAG_SETS, Metric, TagSet
from convoscope.metrics.embedding.average import EA
from convoscope.metrics.overlap.bleu import BLEU
from convoscope.metrics.overlap.meteor import METEOR
from convoscope.metrics.posscore import POSScore
from convoscope.metrics.wrappers import PTLC, PWE
from convoscope.scores import ScoreTable
from convoscope.scoring import score
from convoscope.text.analysis import Texts

__all__ = ["BASELINES", "DIMENSION", "RECOMMENDED", "TAGS", "PosscoreStudy"]

DIMENSION = "Overall"
BASELINES = ("BLEU1", "BLEU2", "BLEU3", "BLEU4", "METEOR", "EA")
"""The baselines, as the paper names them."""
TAGS = PAPER_TAG_SETS
RECOMMENDED = "ADJ+ADV+VERB+PROPN+NOUN"
FIGURE_TAGS = ("ADJ", "ADV", "VERB", "PROPN", "NOUN", "PRON")

_TWICE = " (twice)"


class PosscoreStudy:
    """One collection with the scores of every metric of the paper's tables 7-9.

    Parameters
    ----------
    collection
        The USR annotations of one corpus.
    vectors
        Word vectors of EA and POSSCORE: ``"embedded"``, or a file (the paper used fastText's).
    tagger
        ``"embedded"``, or the name of an installed spaCy model.
    """

    def __init__(
        self, collection: Collection, *, vectors: str = "embedded", tagger: str = "embedded"
    ) -> None:
        self.collection = collection
        self.vectors = vectors
        self.tagger = tagger
        self.pairs = preference_pairs(collection, DIMENSION)
        self._names = self.pairs.names()

    def baseline(self, name: str) -> Metric:
        """Return the metric of one of :data:`BASELINES`."""
        if name.startswith("BLEU"):
            return BLEU(n=int(name[4:]))
        return EA(vectors=self.vectors) if name == "EA" else METEOR()

    def posscore(self, tags: str = RECOMMENDED) -> Metric:
        """Return POSSCORE with a tag set."""
        return POSScore(tags=TagSet.of(tags), vectors=self.vectors, tagger=self.tagger)

    def wrapped(self, wrapper: str, name: str, tags: str) -> Metric:
        """Return PWE or PTLC of a baseline with a tag set."""
        cls = {"PWE": PWE, "PTLC": PTLC}[wrapper]
        return cls(self.baseline(name), tags=TagSet.of(tags), tagger=self.tagger)

    def named(self, name: str) -> Metric:
        """Return a baseline, or POSSCORE with the recommended tags."""
        return self.posscore() if name == "POSSCORE" else self.baseline(name)

    @cached_property
    def table(self) -> ScoreTable:
        """The scores of all metrics."""
        tags = [str(t) for t in TAGS]
        wrapped = [self.wrapped(w, m, t) for w in ("PWE", "PTLC") for m in BASELINES for t in tags]
        return score(self.collection, [*self._unwrapped, *wrapped])

    @property
    def _unwrapped(self) -> list[Metric]:
        """The metrics of table 9."""
        return [*map(self.baseline, BASELINES), *(self.posscore(str(t)) for t in TAGS)]

    @cached_property
    def _outcomes(self) -> dict[str, NDArray[np.float64]]:
        better = [(i, b) for i, b, _ in self._names]
        worse = [(i, w) for i, _, w in self._names]
        return pair_outcomes(self.table, list(self.table.metrics), better, worse)

    def agreement(self, metric: Metric) -> NDArray[np.float64]:
        """Return 1 for each set on which the metric is right, else 0; NaN where unscored."""
        return agreement(self._outcomes[str(metric)], "wrong")

    @staticmethod
    def power(agreed: NDArray[np.float64]) -> float | None:
        """Return the predictive power over the sets that have a value."""
        known = agreed[~np.isnan(agreed)]
        return float(known.sum() / len(known)) if len(known) else None

    @staticmethod
    def sets(agreed: NDArray[np.float64]) -> int:
        """Return how many sets have a value."""
        return int((~np.isnan(agreed)).sum())

    def value(self, metric: Metric) -> float | None:
        """Return a metric's predictive power over all sets."""
        return self.power(self.agreement(metric))

    def where_words(self, agreed: NDArray[np.float64], tags: str) -> NDArray[np.float64]:
        """Return a metric's sets, NaN where a text of the set has no word of the tags.

        The paper's tables 7 and 8 leave such sets out: their values are fractions of fewer sets,
        the fewer the rarer the tags (0.221, 0.225, 0.238 for ADJ are 53, 54, 57 of 240).
        """
        has = self._tag_counts([str(t) for t in tags.split("+")]).sum(axis=2).min(axis=1) > 0
        return np.where(has, agreed, np.nan)

    def mean_tag_counts(self) -> dict[str, dict[str, float]]:
        """Return tag → text → mean count over the sets (figure 1)."""
        means = self._tag_counts(FIGURE_TAGS).mean(axis=0)
        return {
            tag: dict(zip(("reference", "good", "bad"), means[:, k].tolist(), strict=True))
            for k, tag in enumerate(FIGURE_TAGS)
        }

    def intervals(self, seed: int) -> dict[str, dict[str, Any]]:
        """Return, for the metrics of table 9, the bootstrap interval of their value."""
        result = fidelity(
            self.table,
            self.collection,
            DIMENSION,
            metrics=self._unwrapped,
            baseline=None,
            seed=seed,
        )
        return {r.metric: {"low": r.low, "high": r.high} for r in result.rows}

    def correlation(self, metrics: Sequence[Metric]) -> CorrelationResult:
        """Return Kendall's τ-b between metrics over all responses."""
        return correlation(self.table, metrics=metrics)

    def doubled(self, metrics: Sequence[Metric]) -> list[NDArray[np.float64]]:
        """Return each metric's sets when the bad response of each is its text twice."""
        runs = tuple(
            Run(
                run.system + _TWICE,
                run.kind,
                tuple(Response(r.item, f"{r.text} {r.text}", r.rank) for r in run.responses),
            )
            for run in self.collection.runs
        )
        twice = score(dataclasses.replace(self.collection, runs=runs), metrics)
        # The metrics of the first table are those that the joint one keeps.
        both = ScoreTable.concatenate([twice, self.table])
        better = [(i, b) for i, b, _ in self._names]
        worse = [(i, w + _TWICE) for i, _, w in self._names]
        outcomes = pair_outcomes(both, list(both.metrics), better, worse)
        return [agreement(outcomes[str(m)], "wrong") for m in metrics]

    @cached_property
    def _all_tag_counts(self) -> NDArray[np.int64]:
        """Count each tag in the reference, good and bad text of each set: (sets, 3, tags)."""
        from convoscope.text.pos import UPOS

        reference = {i.id: i.references[0] for i in self.collection.items if i.references}
        response = {
            (r.item, run.system): r.text
            for run in self.collection.runs
            for r in run.responses
            if r.rank == 1
        }
        texts = Texts()
        ids = texts.intern(
            [t for i, b, w in self._names for t in (reference[i], response[i, b], response[i, w])]
        )
        column = texts.tokens("whitespace")
        owner = np.repeat(np.arange(len(texts)), column.lengths)
        counts = np.zeros((len(texts), len(UPOS)), np.int64)
        np.add.at(counts, (owner, texts.tags("whitespace", tagger=self.tagger)), 1)
        return counts[ids].reshape(len(self._names), 3, len(UPOS))

    def _tag_counts(self, tags: Sequence[str]) -> NDArray[np.int64]:
        from convoscope.text.pos import UPOS

        return self._all_tag_counts[:, :, [UPOS.index(t) for t in tags]]
