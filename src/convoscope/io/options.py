"""Options of readers: declared once, checked and parsed the same from Python and the shell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from convoscope.errors import InputError, nearest, quoted

__all__ = ["Option", "parse_options"]

_TRUE = ("true", "yes", "on", "1")
_FALSE = ("false", "no", "off", "0")


@dataclass(frozen=True)
class Option:
    """Something the caller of a reader may choose."""

    name: str
    """The keyword, and the key of ``--option key=value``."""
    meaning: str
    """One line on what it does."""
    default: object = None
    """What holds when it is not given."""
    kind: Literal["text", "flag", "list", "mapping"] = "text"
    """How a string from the command line is read; lists and mappings are split at commas."""
    choices: tuple[str, ...] = ()
    """The values it may take; empty: any."""


def parse_options(
    format_name: str, declared: Iterable[Option], given: Mapping[str, object]
) -> dict[str, object]:
    """Return every declared option with its given or default value.

    Raises
    ------
    InputError
        An option is unknown, or its value cannot be used.
    """
    known = {o.name: o for o in declared}
    for name in given:
        if name in known:
            continue
        if not known:
            raise InputError(f"format {format_name!r} has no options; leave out {quoted(name)}")
        hint = nearest(name, known, what="options")
        raise InputError(f"format {format_name!r} has no option {quoted(name)}{hint}")
    return {
        name: _parse(option, given[name]) if name in given else option.default
        for name, option in known.items()
    }


def _parse(option: Option, value: object) -> object:
    where = f"option {option.name!r}"
    if value is None:
        return option.default
    if option.kind == "flag":
        return _flag(value, where)
    if option.kind == "list":
        return _list(value, where)
    if option.kind == "mapping":
        return _mapping(value, where)
    if not isinstance(value, str):
        raise InputError(f"must be a string, not {type(value).__name__}", where=where)
    if option.choices and value not in option.choices:
        hint = nearest(value, option.choices, what="values")
        raise InputError(f"unknown value {quoted(value)}{hint}", where=where)
    return value


def _flag(value: object, where: str) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in _TRUE + _FALSE:
        return value.lower() in _TRUE
    raise InputError(f"must be true or false, not {quoted(str(value))}", where=where)


def _list(value: object, where: str) -> tuple[str, ...]:
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, (list, tuple)) or not all(isinstance(p, str) for p in parts):
        raise InputError("must be a list of strings, or one string with commas", where=where)
    return tuple(p.strip() for p in parts if p.strip())


def _mapping(value: object, where: str) -> dict[str, str]:
    if isinstance(value, str):
        pairs = [part.partition("=") for part in value.split(",") if part.strip()]
        # "Overall" alone means the column of that name.
        return {k.strip(): (v if eq else k).strip() for k, eq, v in pairs}
    if isinstance(value, Mapping) and all(
        isinstance(k, str) and isinstance(v, str) for k, v in value.items()
    ):
        return dict(value)
    raise InputError("must be a mapping, or text such as 'Overall=overall_col'", where=where)
