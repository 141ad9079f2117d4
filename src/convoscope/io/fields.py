"""Typed access to the fields of one JSON object, reporting every field that is wrong."""

from __future__ import annotations

from collections.abc import Collection as Names
from typing import Any

from convoscope.collection import CollectionBuilder, Utterance
from convoscope.errors import nearest, quoted
from convoscope.io.text import describe

__all__ = ["Fields"]


class Fields:
    """Reads fields of an object; a wrong one is reported and its placeholder returned.

    Parameters
    ----------
    data
        The JSON object.
    where
        Its place, for messages.
    into
        The builder that problems go to.
    prefix
        The path to the object in its record, such as ``responses[2].``.
    """

    __slots__ = ("data", "into", "ok", "prefix", "where")

    def __init__(
        self, data: dict[str, object], where: str, into: CollectionBuilder, prefix: str = ""
    ) -> None:
        self.data = data
        self.where = where
        self.into = into
        self.prefix = prefix
        self.ok = True

    def wrong(self, name: str, message: str) -> None:
        """Report what is wrong with a field."""
        self.ok = False
        self.into.problem(f"field {quoted(self.prefix + name)} {message}", self.where)

    def only(self, known: Names[str], what: str) -> None:
        """Report every field that is not known."""
        for name in self.data:
            if name not in known:
                hint = nearest(name, known, what="fields")
                self.wrong(name, f"is unknown in {what}{hint}")

    def _expected(self, name: str, kind: str, value: object) -> None:
        self.wrong(name, f"must be {kind}, not {describe(value)}")

    def _missing(self, name: str, kind: str) -> None:
        close = nearest(name, [n for n in self.data if n not in ("type", "id")])
        close = close.split(" (known")[0].replace("did you mean", "is it")
        self.wrong(name, f"is missing; it must be {kind}{close}")

    def text(self, name: str, *, filled: bool = False) -> str:
        """Return a required string; `filled` refuses the empty one."""
        value = self.data.get(name)
        kind = "a string"
        if isinstance(value, str):
            if value or not filled:
                return value
            self.wrong(name, "is empty; it must have at least one character")
        elif name not in self.data:
            self._missing(name, kind)
        else:
            self._expected(name, kind, value)
        return ""

    def optional_text(self, name: str) -> str | None:
        """Return a string, or None where the field is absent."""
        return self.text(name) if name in self.data else None

    def number(self, name: str) -> float:
        """Return a required finite number."""
        value = self.data.get(name)
        kind = "a number"
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            try:
                found = float(value)
            except OverflowError:
                found = float("inf")
            if found - found == 0.0:
                return found
            self.wrong(name, f"must be a finite number, not {describe(value)}")
        elif name not in self.data:
            self._missing(name, kind)
        else:
            self._expected(name, kind, value)
        return 0.0

    def optional_number(self, name: str) -> float | None:
        """Return a finite number, or None where the field is absent."""
        return self.number(name) if name in self.data else None

    def optional_count(self, name: str) -> int | None:
        """Return a whole number from 1, or None where the field is absent."""
        if name not in self.data:
            return None
        value = self.data[name]
        if isinstance(value, int) and not isinstance(value, bool) and 1 <= value < 1 << 31:
            return value
        self._expected(name, "a whole number from 1", value)
        return 1

    def objects(self, name: str) -> list[tuple[str, dict[str, Any]]]:
        """Return a required list of objects, each with its path."""
        value = self.data.get(name)
        if isinstance(value, list):
            found = []
            for index, inner in enumerate(value):
                if isinstance(inner, dict):
                    found.append((f"{name}[{index}]", inner))
                else:
                    self._expected(f"{name}[{index}]", "an object", inner)
            return found
        if name not in self.data:
            self._missing(name, "a list of objects")
        else:
            self._expected(name, "a list of objects", value)
        return []

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a required list of strings."""
        value = self.data.get(name)
        if isinstance(value, list):
            for index, inner in enumerate(value):
                if not isinstance(inner, str):
                    self._expected(f"{name}[{index}]", "a string", inner)
            return tuple(v for v in value if isinstance(v, str))
        if name not in self.data:
            self._missing(name, "a list of strings")
        else:
            self._expected(name, "a list of strings", value)
        return ()

    def utterances(self, name: str) -> tuple[Utterance, ...]:
        """Return a required list of ``{"speaker"?, "text"}`` objects."""
        found = []
        for path, inner in self.objects(name):
            fields = Fields(inner, self.where, self.into, f"{self.prefix}{path}.")
            if not inner.keys() <= {"text", "speaker"}:
                fields.only(("text", "speaker"), "an utterance")
            found.append(Utterance(fields.text("text"), fields.optional_text("speaker")))
            self.ok = self.ok and fields.ok
        return tuple(found)
