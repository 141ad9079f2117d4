"""How the texts of the sample collection are written down."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Dialogue", "Turn"]


@dataclass(frozen=True, kw_only=True)
class Turn:
    """A question, its references, and the written answers with their quality from 1 to 5."""

    user: str
    """What the user asks."""
    refs: tuple[str, ...]
    """Right answers; the first one is what the dialogue goes on with."""
    human: str
    """The expert's answer."""
    large: str
    """The strong generative assistant's answer."""
    small: str
    """The weak generative assistant's answer."""
    h: int = 5
    """Quality of the expert's answer."""
    g: int = 4
    """Quality of the strong assistant's answer; 2 where it is fluent and wrong."""
    w: int = 2
    """Quality of the weak assistant's answer."""
    good: dict[int, int] = field(default_factory=dict)
    """Quality of the dialogue's own passages as answers; 2 where none is given."""
    knowledge: bool = False
    """Whether the item carries the dialogue's first relevant passage as knowledge."""


@dataclass(frozen=True, kw_only=True)
class Dialogue:
    """A dialogue, and the passages on its topic that the retriever can find."""

    id: str
    """Its id."""
    passages: tuple[str, ...]
    """On topic; each answers some of the questions."""
    turns: tuple[Turn, ...]
    """Its turns in order."""
