"""PWE and PTLC: any response metric, seen through parts of speech (POSSCORE, section 3.3)."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from convoscope.errors import MetricError
from convoscope.metrics.base import Metric, Need, param
from convoscope.metrics.batch import Batch
from convoscope.metrics.overlap.bleu import BLEU
from convoscope.metrics.posscore import tagged
from convoscope.metrics.tags import TagSet
from convoscope.text.analysis import Texts

__all__ = ["PTLC", "PWE"]

_TAG_BLEU = BLEU(n=1)


@dataclass(frozen=True, repr=False)
class _Wrapper(Metric):
    """What PWE and PTLC share: a metric, tags, and texts rewritten to the words they select."""

    metric: Metric = param(dataclasses.MISSING, "the metric to wrap", positional=True)
    tags: TagSet = param(dataclasses.MISSING, "the tags whose words count", source="Table 4")
    tokenizer: str = param(
        "whitespace", "how texts become tagged words", choices=("whitespace", "word", "13a")
    )
    tagger: str = param("embedded", "'embedded', or the name of an installed spaCy model")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.metric.level != "response":
            raise MetricError(
                f"{type(self).__name__} wraps response metrics, and {self.metric} is a "
                f"{self.metric.level} metric"
            )

    @property
    def direction(self) -> int:
        """The wrapped metric's direction."""
        return self.metric.direction

    @property
    def matches_hard(self) -> bool:
        """Whether the wrapped metric matches hard."""
        return self.metric.matches_hard

    @property
    def requirements(self) -> frozenset[Need]:
        """What the wrapped metric needs."""
        return self.metric.requirements

    def _rewritten(self, batch: Batch, *, words: bool, tags: bool) -> Batch:
        """Return the batch with each text cut down to its selected words, tags, or both."""
        key = (self.tags, self.tokenizer, self.tagger, words, tags)
        return batch.rewritten(lambda: self._rewrite(batch.texts, words=words, tags=tags), key)

    def _rewrite(self, texts: Texts, *, words: bool, tags: bool) -> list[str]:
        from convoscope.text.pos import UPOS

        column = texts.tokens(self.tokenizer)
        chosen = tagged(texts, self.tags, self.tokenizer, self.tagger)
        types, ids = column.types, column.ids.tolist()
        names = [UPOS[t] for t in texts.tags(self.tokenizer, tagger=self.tagger).tolist()]
        offsets = column.offsets.tolist()
        kept = np.flatnonzero(chosen)
        bounds = np.searchsorted(kept, offsets).tolist()
        out = []
        positions = kept.tolist()
        for t in range(len(texts)):
            here = positions[bounds[t] : bounds[t + 1]]
            parts = [types[ids[i]] for i in here] if words else []
            if tags:
                parts += [names[i] for i in here]
            out.append(" ".join(parts))
        return out


@dataclass(frozen=True, repr=False)
class PWE(_Wrapper):
    """POS word extraction: the wrapped metric sees only the words with the given tags."""

    title: ClassVar[str] = "POS word extraction"
    summary: ClassVar[str] = "any response metric over only the words with the given tags"
    source: ClassVar[str] = "Liu et al. 2021 (CIKM), section 3.3"
    empty: ClassVar[str] = "what the wrapped metric gives an empty text"
    family: ClassVar[str] = "pos"

    @property
    def bounds(self) -> tuple[float, float]:
        """The wrapped metric's bounds."""
        return self.metric.bounds

    def compute(self, batch: Batch) -> NDArray[np.float64]:
        """Return the wrapped metric's value for each row, shape (n,)."""
        return self.metric.compute(self._rewritten(batch, words=True, tags=False))


@dataclass(frozen=True, repr=False)
class PTLC(_Wrapper):
    """POS tag linear combination: words and tags of the selected words.

    A hard-matching metric (BLEU, ROUGE-L) sees the words followed by their tags as one sentence.
    For any other, the metric over the words is added to BLEU-1 over the sequence of tags.
    """

    title: ClassVar[str] = "POS tag linear combination"
    summary: ClassVar[str] = "any response metric over the selected words, and their tags"
    source: ClassVar[str] = "Liu et al. 2021 (CIKM), section 3.3"
    empty: ClassVar[str] = "what the wrapped metric gives an empty text"
    family: ClassVar[str] = "pos"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.direction < 0 and not self.matches_hard:
            raise MetricError(
                f"PTLC adds BLEU-1 over tags, where higher is better, and lower is better for "
                f"{self.metric}; wrap it with PWE"
            )

    def fragments(self) -> dict[str, str]:
        """Return what can change a number, with the metric over the tags where there is one."""
        inner = {} if self.matches_hard else {"tag_metric": _TAG_BLEU.signature()}
        return super().fragments() | inner

    @property
    def requirements(self) -> frozenset[Need]:
        """What the wrapped metric needs; BLEU-1 over tags needs a reference."""
        inner = super().requirements
        return inner if self.matches_hard else inner | _TAG_BLEU.requirements

    @property
    def bounds(self) -> tuple[float, float]:
        """The wrapped metric's bounds, with BLEU-1's added where it is added."""
        low, high = self.metric.bounds
        return (low, high) if self.matches_hard else (low, high + 1.0)

    def compute(self, batch: Batch) -> NDArray[np.float64]:
        """Return the combined value of each row, shape (n,)."""
        if self.matches_hard:
            return self.metric.compute(self._rewritten(batch, words=True, tags=True))
        words = self.metric.compute(self._rewritten(batch, words=True, tags=False))
        tags = _TAG_BLEU.compute(self._rewritten(batch, words=False, tags=True))
        return words + tags
