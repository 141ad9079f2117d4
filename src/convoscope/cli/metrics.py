"""``convoscope metrics``: the registry, for people and for programs."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import click

__all__ = ["command"]


@click.command("metrics")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(names: tuple[str, ...], as_json: bool) -> None:
    """List the metrics; with NAMEs, say all about these."""
    from convoscope.metrics import metric_class, metric_classes

    classes = [metric_class(n) for n in names] if names else metric_classes()
    described = [describe(c) for c in classes]
    if as_json:
        click.echo(json.dumps(described, indent=2, ensure_ascii=False))
        return
    for i, metric in enumerate(described):
        if names:
            click.echo(("\n" if i else "") + _details(metric))
        else:
            click.echo(f"{metric['name']:<10} {metric['summary']}")
    if not names:
        click.echo("\nconvoscope metrics NAME tells parameters, range, source and signature.")


def describe(cls: Any) -> dict[str, Any]:
    """Return everything the registry knows of a metric class."""
    from convoscope.metrics import parameters

    declared = []
    for p in parameters(cls):
        required = p.default is dataclasses.MISSING
        declared.append(
            {
                "name": p.name,
                "type": p.type.__name__,
                "required": required,
                "default": None if required else _plain(p.default),
                "summary": p.summary,
                "choices": list(p.choices) if p.choices else None,
                "low": p.low,
                "high": p.high,
                "source": p.source or None,
            }
        )
    example = None if any(p["required"] for p in declared) else cls()
    return {
        "name": cls.__name__,
        "title": cls.title,
        "summary": cls.summary,
        "source": cls.source,
        "level": cls.level,
        "family": cls.family,
        "needs": sorted(cls.needs),
        "range": list(cls.range),
        "higher_is_better": cls.higher_is_better,
        "empty": cls.empty,
        "parameters": declared,
        "signature": None if example is None else example.signature(),
    }


def _plain(value: Any) -> Any:
    return value if isinstance(value, int | float | str | bool | None) else str(value)


def _details(metric: dict[str, Any]) -> str:
    low, high = metric["range"]
    lines = [
        f"{metric['name']}: {metric['title']}",
        f"  {metric['summary']}",
        f"  source     {metric['source']}",
        f"  needs      {', '.join(metric['needs']) or 'nothing but the response'}",
        f"  range      [{low:g}, {high:g}], "
        + ("higher is better" if metric["higher_is_better"] else "lower is better"),
        f"  empty text {metric['empty']}",
        "  parameters",
    ]
    for p in metric["parameters"]:
        value = "(required)" if p["required"] else f"= {p['default']}"
        lines.append(f"    {p['name']} {value}: {p['summary']}")
        if p["choices"]:
            lines.append(f"      one of {', '.join(map(str, p['choices']))}")
        if p["source"]:
            lines.append(f"      source: {p['source']}")
    if metric["signature"]:
        lines.append(f"  signature  {metric['signature']}")
    return "\n".join(lines)
