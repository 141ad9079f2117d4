"""What EA, vector extrema and greedy matching share: their parameters and their range."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from convoscope.metrics.base import Metric, param

__all__ = ["WordVectorMetric"]


@dataclass(frozen=True, repr=False)
class WordVectorMetric(Metric):
    """Base of cosines over the word vectors of response and reference."""

    range: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    empty: ClassVar[str] = "0 (no vector, no similarity)"
    family: ClassVar[str] = "embedding"

    tokenizer: str = param(
        "whitespace", "how texts become words", choices=("whitespace", "word", "13a", "alnum")
    )
    vectors: str = param("embedded", "'embedded', or the path of a vectors file")
    multi: str = param("max", "how several references combine", choices=("max", "mean"))
