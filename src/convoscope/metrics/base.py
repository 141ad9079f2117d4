"""What a metric is: a frozen value that knows its name, parameters, needs and source.

A metric's ``str`` is its canonical name: a Python expression, a command-line argument, a column
name and a cache key at once. :func:`convoscope.metrics.parse` reads it back.
"""

from __future__ import annotations

import dataclasses
import hashlib
import math
from abc import ABCMeta, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from convoscope._version import __version__
from convoscope.errors import MetricError, nearest
from convoscope.metrics.batch import Batch
from convoscope.metrics.tags import TagSet

__all__ = ["Metric", "MetricLike", "Need", "Parameter", "as_metric", "param", "parameters"]

Need = Literal["reference", "context", "speaker", "ranking", "session", "model"]
M = TypeVar("M", bound="Metric")


@dataclass(frozen=True)
class Parameter:
    """The declaration of one metric parameter."""

    name: str
    """Its keyword."""
    type: type
    """``int``, ``float``, ``str``, ``bool``, ``TagSet`` or ``Metric``."""
    default: Any
    """Its default, ``dataclasses.MISSING`` when it must be given."""
    summary: str
    """What it means, in one line."""
    choices: tuple[Any, ...] | None
    """The values allowed, or None."""
    low: float | None
    """Least value allowed."""
    high: float | None
    """Greatest value allowed."""
    source: str
    """Paper and equation it comes from, or empty."""
    shown: bool
    """Whether the canonical name shows it even at its default."""
    positional: bool
    """Whether the canonical name shows it without its keyword."""


def param(
    default: Any,
    summary: str,
    *,
    choices: Sequence[Any] | None = None,
    low: float | None = None,
    high: float | None = None,
    source: str = "",
    shown: bool = False,
    positional: bool = False,
) -> Any:
    """Declare a parameter as a dataclass field (see :class:`Parameter` for the arguments)."""
    metadata = {
        "summary": summary,
        "choices": tuple(choices) if choices is not None else None,
        "low": low,
        "high": high,
        "source": source,
        "shown": shown,
        "positional": positional,
    }
    if default is dataclasses.MISSING:
        return field(metadata=metadata)
    return field(default=default, metadata=metadata)


class _Teaching(ABCMeta):
    """Makes ``BLEU(smothing=1)`` name the right parameters, where a dataclass says TypeError."""

    def __call__(cls: type[M], *args: Any, **kwargs: Any) -> M:  # type: ignore[misc]
        """Construct a metric from positional and keyword parameters."""
        known = parameters(cls)
        names = [p.name for p in known]
        for name in kwargs:
            if name not in names:
                hint = nearest(name, names, what="parameters") or "; it takes no parameters"
                raise MetricError(f"{cls.__name__} has no parameter {name!r}{hint}")
        if len(args) > len(names):
            raise MetricError(f"{cls.__name__} takes at most {len(names)} values: {names}")
        bound = dict(zip(names, args, strict=False))
        for name in bound:
            if name in kwargs:
                raise MetricError(f"{cls.__name__}: parameter {name!r} is given twice")
        bound.update(kwargs)
        for p in known:
            if p.default is dataclasses.MISSING and p.name not in bound:
                raise MetricError(f"{cls.__name__} needs {p.name!r}: {p.summary}")
        made: M = ABCMeta.__call__(cls, **bound)
        return made


@dataclass(frozen=True, repr=False)
class Metric(metaclass=_Teaching):
    """Base of every metric. Subclasses are frozen dataclasses whose fields use :func:`param`."""

    title: ClassVar[str]
    """The metric's full name."""
    summary: ClassVar[str]
    """What it measures, in one line."""
    source: ClassVar[str]
    """Paper and equation."""
    level: ClassVar[Literal["response", "ranking", "session"]] = "response"
    """What one value belongs to."""
    needs: ClassVar[frozenset[Need]] = frozenset({"reference"})
    """What a collection must have."""
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    """Least and greatest value possible."""
    higher_is_better: ClassVar[bool] = True
    """Direction."""
    empty: ClassVar[str]
    """What an empty response, or an empty reference, gets."""
    hard_matching: ClassVar[bool] = False
    """Whether words count only when they are equal (PTLC then joins words and tags)."""
    family: ClassVar[str] = "overlap"
    """``overlap``, ``embedding``, ``learned``, …: how the report groups it."""

    def __post_init__(self) -> None:
        for p in parameters(type(self)):
            object.__setattr__(self, p.name, _check(type(self).__name__, p, getattr(self, p.name)))

    def __str__(self) -> str:
        parts = []
        for p in parameters(type(self)):
            value = getattr(self, p.name)
            if p.positional:
                parts.append(str(value))
            elif p.shown or value != p.default:
                parts.append(f"{p.name}={_literal(value)}")
        name = type(self).__name__
        return f"{name}({', '.join(parts)})" if parts else name

    __repr__ = __str__

    @property
    def requirements(self) -> frozenset[Need]:
        """What a collection must have; a wrapper asks the metric it wraps."""
        return self.needs

    @property
    def direction(self) -> int:
        """1 where higher values are better, -1 where lower ones are; a wrapper asks inside."""
        return 1 if self.higher_is_better else -1

    @property
    def matches_hard(self) -> bool:
        """Whether words count only when they are equal; a wrapper asks the metric it wraps."""
        return self.hard_matching

    @property
    def bounds(self) -> tuple[float, float]:
        """Least and greatest value possible; a wrapper asks the metric it wraps."""
        return self.range

    @abstractmethod
    def compute(self, batch: Batch) -> NDArray[np.float64]:
        """Return one value per row of `batch`, shape (n,); NaN where it is undefined.

        Rows lacking what the metric needs have been taken out before.
        """

    def fragments(self) -> dict[str, str]:
        """Return what can change a number, as key and value, in a fixed order."""
        out: dict[str, str] = {}
        for p in parameters(type(self)):
            value = getattr(self, p.name)
            if isinstance(value, Metric):
                out[p.name] = str(value)
                inner = value.fragments().items()
                out.update({f"{p.name}.{k}": v for k, v in inner})
            else:
                out[p.name] = resource_fragment(p.name, value)
        return out

    def signature(self, *, short: bool = False) -> str:
        """Return the signature: everything that can change a number.

        Parameters
        ----------
        short
            The canonical name with a digest of the long form instead of the long form.
        """
        parts = [f"metric:{type(self).__name__}"]
        parts += [f"{k}:{v}" for k, v in self.fragments().items()]
        text = "|".join([*parts, f"version:{__version__}"])
        if short:
            return f"{self}|{hashlib.sha256(text.encode()).hexdigest()[:8]}|v{__version__}"
        return text


MetricLike = Metric | type[Metric] | str


def resource_fragment(name: str, value: Any) -> str:
    """Return the signature fragment of a parameter value; resources answer for themselves."""
    if name == "tokenizer":
        from convoscope.text.tokens import tokenizer

        return tokenizer(value).signature()
    if name == "tagger":
        from convoscope.text.pos import load_tagger

        return load_tagger(value).signature.removeprefix("pos:")
    if name == "vectors":
        from convoscope.text.vectors import load_vectors

        return load_vectors(value).signature.removeprefix("vectors:")
    return str(value)


def as_metric(value: MetricLike) -> Metric:
    """Return a metric from a metric, a metric class (its defaults) or a canonical name.

    Raises
    ------
    MetricError
        The value is none of these.
    """
    if isinstance(value, Metric):
        return value
    if isinstance(value, type) and issubclass(value, Metric):
        return value()
    if isinstance(value, str):
        from convoscope.metrics.grammar import parse

        return parse(value)
    raise MetricError(f"{value!r} is not a metric; give a metric such as BLEU(n=2), or its name")


_TYPES: dict[str, type] = {
    "int": int,
    "float": float,
    "str": str,
    "bool": bool,
    "TagSet": TagSet,
    "Metric": Metric,
}


def parameters(cls: type[Metric]) -> list[Parameter]:
    """Return the declared parameters of a metric class, in order."""
    out = []
    for f in dataclasses.fields(cls):
        kind = _TYPES[f.type if isinstance(f.type, str) else f.type.__name__]
        out.append(Parameter(name=f.name, type=kind, default=f.default, **f.metadata))
    return out


def _check(metric: str, p: Parameter, value: Any) -> Any:
    where = f"{metric}({p.name}={value})"
    if p.type is Metric:
        value = as_metric(value)
    elif p.type is TagSet:
        value = TagSet.of(value)
    elif p.type is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    wrong_bool = isinstance(value, bool) and p.type is not bool
    if wrong_bool or not isinstance(value, p.type):
        raise MetricError(f"expected {_kind(p)}, got {value!r}", where=where)
    if p.choices is not None and value not in p.choices:
        hint = nearest(str(value), map(str, p.choices), what="choices")
        raise MetricError(f"not a choice{hint}", where=where)
    if isinstance(value, int | float) and not _within(value, p.low, p.high):
        raise MetricError(f"out of range, expected {_kind(p)}", where=where)
    return value


def _within(value: float, low: float | None, high: float | None) -> bool:
    # Not finite: no name could be parsed back, and no formula means it.
    return (
        math.isfinite(value) and (low is None or value >= low) and (high is None or value <= high)
    )


def _kind(p: Parameter) -> str:
    names = {int: "an integer", float: "a number", str: "a string", bool: "True or False"}
    text = names.get(p.type, f"a {p.type.__name__}")
    if p.low is not None or p.high is not None:
        low = "-inf" if p.low is None else f"{p.low:g}"
        high = "inf" if p.high is None else f"{p.high:g}"
        text += f" in [{low}, {high}]"
    return text


def _literal(value: Any) -> str:
    if isinstance(value, str):
        return repr(value)
    return str(value)
