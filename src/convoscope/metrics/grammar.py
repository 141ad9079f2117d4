"""From a metric's canonical name back to the metric.

The grammar is Python's own expression syntax, read with :mod:`ast` and never evaluated:
``Name``, ``Name(value, key=value)``, sets of tags ``ADJ+NOUN``, numbers, quoted strings and bare
words (``smoothing=method3``), metrics inside metrics.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from convoscope.errors import MetricError, quoted
from convoscope.metrics.base import Metric
from convoscope.metrics.registry import metric_class, metric_names
from convoscope.metrics.tags import CONSTANTS, TagSet

__all__ = ["parse", "parse_many"]


def parse(text: str) -> Metric:
    """Return the metric that `text` names; ``parse(str(m)) == m`` for every metric m.

    Raises
    ------
    MetricError
        The text is no metric expression, or names an unknown metric or parameter.
    """
    found = parse_many([text])
    if len(found) != 1:
        raise MetricError(f"expected one metric, got {len(found)}", where=repr(text))
    return found[0]


def parse_many(texts: Iterable[str]) -> list[Metric]:
    """Return the metrics of several expressions, each of which may hold several by commas."""
    out: list[Metric] = []
    for text in texts:
        if not isinstance(text, str):
            raise MetricError(f"expected a metric's name, got {text!r}; see convoscope.parse")
        try:
            body = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise MetricError(
                "not a metric expression; write it as BLEU(n=2) or POSScore(tags=ADJ+NOUN), "
                "with quotes around paths",
                where=quoted(text),
            ) from None
        nodes = body.elts if isinstance(body, ast.Tuple) else [body]
        out += [_metric(node, text) for node in nodes]
    return out


def _metric(node: ast.expr, text: str) -> Metric:
    if isinstance(node, ast.Name):
        return metric_class(node.id)()
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        cls = metric_class(node.func.id)
        if any(k.arg is None for k in node.keywords):
            raise MetricError("'**' has no place in a metric's name", where=repr(text))
        given = [str(k.arg) for k in node.keywords]
        for name in given:
            if given.count(name) > 1:
                raise MetricError(f"{node.func.id}: parameter {name!r} is given twice")
        args = [_value(a, text) for a in node.args]
        return cls(*args, **{str(k.arg): _value(k.value, text) for k in node.keywords})
    raise MetricError(
        f"{ast.unparse(node)!r} is not a metric; write a name, or a name with parameters as "
        "BLEU(n=2)",
        where=repr(text),
    )


def _value(node: ast.expr, text: str) -> Any:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float | str | bool):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _value(node.operand, text)
        if isinstance(inner, int | float):
            return -inner
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return TagSet.of(ast.unparse(node))
    if isinstance(node, ast.Call):
        return _metric(node, text)
    if isinstance(node, ast.Name):
        if node.id in CONSTANTS:
            return CONSTANTS[node.id]
        return _metric(node, text) if node.id in metric_names() else node.id
    raise MetricError(
        f"cannot read the value {ast.unparse(node)!r}; put quotes around text and paths",
        where=repr(text),
    )
