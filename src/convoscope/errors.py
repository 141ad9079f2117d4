"""Errors that teach: what was wrong, where, and what would be right.

Every error a user can cause is a :class:`ConvoscopeError`; the command line prints it on one
line and exits with code 2. Anything else is a defect of Convoscope.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = ["CollectionError", "ConvoscopeError", "InputError", "MetricError", "nearest", "quoted"]


class ConvoscopeError(Exception):
    """Base of every error that a user's input can cause."""


class InputError(ConvoscopeError):
    """Bad input: an argument, a file or a field that cannot be used.

    Parameters
    ----------
    message
        What was wrong and what would be right, in one sentence.
    where
        The place: ``"runs.jsonl:12"``, ``"item 'd3-1'"``, ``"--dimension"``; put in front.
    """

    def __init__(self, message: str, *, where: str | None = None) -> None:
        self.where = where
        self.message = message
        super().__init__(f"{where}: {message}" if where else message)


class CollectionError(InputError):
    """A collection whose parts contradict each other (duplicates, dangling ids, …)."""


class MetricError(InputError):
    """An unknown metric, a wrong parameter, or a metric that lacks what it needs."""


def quoted(text: str, limit: int = 60) -> str:
    """Return a text in quotes on one line, cut where it is long.

    What a file holds goes into messages only through here: a broken file may hold megabytes.
    """
    return repr(text if len(text) <= limit else text[:limit] + "…")


def nearest(name: str, known: Iterable[str], *, what: str = "") -> str:
    """Return a hint such as ``"; did you mean 'BLEU'? (known: BLEU, METEOR)"``.

    Parameters
    ----------
    name
        What the user wrote.
    known
        The names that would have been right.
    what
        What the names are (``"metrics"``), for the list of them.
    """
    names = list(dict.fromkeys(known))
    # Matching is quadratic, and no name of thousands of characters is a slip of the finger.
    name = name[:100]
    by_fold = {n.casefold(): n for n in reversed(names)}
    close = difflib.get_close_matches(name.casefold(), by_fold, n=1, cutoff=0.6)
    hint = f"; did you mean {quoted(by_fold[close[0]])}?" if close else ""
    if names and len(names) <= 40:
        label = f"known {what}".strip()
        hint += f" ({label}: {', '.join(_plain(n) for n in names)})"
    return hint


def _plain(name: str) -> str:
    return name if len(name) <= 60 and name.isprintable() else quoted(name)
