"""Which metrics exist: ours and any package's, by the entry-point group ``convoscope.metrics``."""

from __future__ import annotations

from functools import cache
from importlib import metadata
from inspect import isabstract

from convoscope.errors import MetricError, nearest
from convoscope.metrics.base import Metric

__all__ = ["metric_class", "metric_classes", "register"]

GROUP = "convoscope.metrics"
_added: dict[str, type[Metric]] = {}


@cache
def _installed() -> dict[str, metadata.EntryPoint]:
    # The attribute is the metric's name, so that no module is imported to list the names.
    return {e.attr or e.name: e for e in metadata.entry_points(group=GROUP)}


def register(cls: type[Metric]) -> type[Metric]:
    """Add a metric class for this process (usable as a decorator).

    Raises
    ------
    MetricError
        The name belongs to another metric, or the class does not say what it is.
    """
    name = cls.__name__
    if name in _installed() or _added.get(name, cls) is not cls:
        raise MetricError(f"a metric called {name!r} exists already; choose another class name")
    _added[name] = _described(cls)
    return cls


def metric_names() -> list[str]:
    """Return the names of all metrics, sorted without regard to case."""
    return sorted({*_installed(), *_added}, key=str.casefold)


@cache
def _load(name: str) -> type[Metric]:
    loaded = _installed()[name].load()
    if not (isinstance(loaded, type) and issubclass(loaded, Metric)):
        raise MetricError(
            f"the entry point {name!r} of {GROUP} is not a Metric class; point it at one"
        )
    return _described(loaded)


def _described(cls: type[Metric]) -> type[Metric]:
    """Return the class if it declares what tables and docs print of every metric."""
    if isabstract(cls):
        raise MetricError(f"metric {cls.__name__} has no compute(batch); it makes the values")
    missing = [n for n in ("title", "summary", "source", "empty") if not getattr(cls, n, "")]
    if missing:
        raise MetricError(
            f"metric {cls.__name__} does not declare {', '.join(missing)}; "
            "set them as class attributes, as the metrics in convoscope.metrics do"
        )
    return cls


def metric_class(name: str) -> type[Metric]:
    """Return the metric class called `name`.

    Raises
    ------
    MetricError
        No metric has this name (the nearest one is suggested).
    """
    if name in _added:
        return _added[name]
    if name not in _installed():
        raise MetricError(f"unknown metric {name!r}{nearest(name, metric_names(), what='metrics')}")
    return _load(name)


def metric_classes() -> list[type[Metric]]:
    """Return every metric class, by name."""
    return [metric_class(n) for n in metric_names()]
