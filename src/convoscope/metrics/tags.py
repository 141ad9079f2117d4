"""Sets of part-of-speech tags, written ``ADJ+NOUN``.

Each universal tag is a constant here, so that a metric's canonical name is a Python expression:
``POSScore(tags=ADJ+VERB)``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from convoscope.errors import MetricError, nearest

__all__ = ["PAPER_TAG_SETS", "TagSet"]

# The order POSSCORE's paper writes its six tags in, then the others by alphabet.
_ORDER = (
    "ADJ", "ADV", "VERB", "PROPN", "NOUN", "PRON", "ADP", "AUX", "CCONJ", "DET", "INTJ", "NUM",
    "PART", "PUNCT", "SCONJ", "SYM", "X",
)  # fmt: skip


@dataclass(frozen=True)
class TagSet:
    """A non-empty set of universal part-of-speech tags."""

    names: tuple[str, ...]
    """The tags, in a fixed order, so that equal sets are equal values."""

    @classmethod
    def of(cls, value: TagSet | str | Iterable[str]) -> TagSet:
        """Return the set for ``"ADJ+NOUN"``, an iterable of tags, or a set.

        Raises
        ------
        MetricError
            A tag is unknown, or there is none.
        """
        if isinstance(value, TagSet):
            return value
        try:
            parts = [
                t.strip() for t in (value.split("+") if isinstance(value, str) else list(value))
            ]
        except (TypeError, AttributeError):
            raise MetricError(
                f"{value!r} is not a set of part-of-speech tags; write ADJ+NOUN"
            ) from None
        for tag in parts:
            if tag not in _ORDER:
                hint = nearest(tag, _ORDER, what="tags")
                raise MetricError(f"unknown part-of-speech tag {tag!r}{hint}")
        if not parts:
            raise MetricError("a tag set needs at least one tag, as in ADJ+NOUN")
        return cls(tuple(t for t in _ORDER if t in parts))

    def __add__(self, other: TagSet) -> TagSet:
        return TagSet.of((*self.names, *TagSet.of(other).names))

    def __str__(self) -> str:
        return "+".join(self.names)

    __repr__ = __str__


CONSTANTS = {name: TagSet((name,)) for name in _ORDER}

# POSSCORE, Table 4, in the order of Tables 7-9.
PAPER_TAG_SETS = tuple(
    TagSet.of(t)
    for t in (
        "PROPN+NOUN",
        "ADJ",
        "ADV",
        "VERB",
        "PRON",
        "PROPN+NOUN+PRON",
        "ADJ+PROPN+NOUN",
        "ADV+VERB",
        "VERB+PROPN+NOUN",
        "ADJ+VERB+PROPN+NOUN",
        "ADJ+PROPN+NOUN+PRON",
        "ADV+VERB+PROPN+NOUN",
        "ADV+ADJ+PROPN+NOUN",
        "ADV+PROPN+NOUN+PRON",
        "VERB+PROPN+NOUN+PRON",
        "ADJ+ADV+VERB+PROPN+NOUN",
        "ADJ+ADV+VERB+PROPN+NOUN+PRON",
    )
)
