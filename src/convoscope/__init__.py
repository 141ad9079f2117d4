"""Convoscope scores dialogue and conversational-search responses and judges the metrics.

Everything public is here; heavy parts load at first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from convoscope._version import __version__

if TYPE_CHECKING:
    from convoscope.collection import (
        Collection,
        Item,
        Judgement,
        Response,
        Run,
        Session,
        Utterance,
    )
    from convoscope.errors import ConvoscopeError, InputError, MetricError
    from convoscope.io import load, save, validate
    from convoscope.meta.fidelity import fidelity
    from convoscope.metrics import Metric, TagSet, parse, register
    from convoscope.rundir import RunDirectory
    from convoscope.scores import ScoreTable
    from convoscope.scoring import Evaluation, evaluate, score

_WHERE = {
    "Collection": "collection",
    "Item": "collection",
    "Judgement": "collection",
    "Response": "collection",
    "Run": "collection",
    "Session": "collection",
    "Utterance": "collection",
    "ConvoscopeError": "errors",
    "InputError": "errors",
    "MetricError": "errors",
    "load": "io",
    "save": "io",
    "validate": "io",
    "fidelity": "meta.fidelity",
    "Metric": "metrics",
    "TagSet": "metrics",
    "parse": "metrics",
    "register": "metrics",
    "RunDirectory": "rundir",
    "ScoreTable": "scores",
    "Evaluation": "scoring",
    "evaluate": "scoring",
    "score": "scoring",
}

__all__ = [
    "Collection",
    "ConvoscopeError",
    "Evaluation",
    "InputError",
    "Item",
    "Judgement",
    "Metric",
    "MetricError",
    "Response",
    "Run",
    "RunDirectory",
    "ScoreTable",
    "Session",
    "TagSet",
    "Utterance",
    "__version__",
    "evaluate",
    "fidelity",
    "load",
    "parse",
    "register",
    "save",
    "score",
    "validate",
]


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        return getattr(import_module(f"convoscope.{_WHERE[name]}"), name)
    # Metrics and tags are public under their own names, so that a canonical name is a Python
    # expression: ``from convoscope import POSScore, ADJ, NOUN``.
    if name[:1].isupper():
        from convoscope.metrics.registry import metric_class, metric_names
        from convoscope.metrics.tags import CONSTANTS

        if name in CONSTANTS:
            return CONSTANTS[name]
        if name in metric_names():
            return metric_class(name)
    raise AttributeError(f"module 'convoscope' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
