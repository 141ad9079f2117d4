"""Metrics: declared as frozen values, found by entry points, named by their expression."""

from convoscope.metrics.base import Metric, MetricLike, as_metric, param, parameters
from convoscope.metrics.batch import Batch
from convoscope.metrics.grammar import parse, parse_many
from convoscope.metrics.registry import metric_class, metric_classes, register
from convoscope.metrics.tags import PAPER_TAG_SETS, TagSet

__all__ = [
    "PAPER_TAG_SETS",
    "Batch",
    "Metric",
    "MetricLike",
    "TagSet",
    "as_metric",
    "metric_class",
    "metric_classes",
    "param",
    "parameters",
    "parse",
    "parse_many",
    "register",
]
