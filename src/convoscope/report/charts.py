"""The predictive power chart: a table whose rows each hold a small SVG plot.

Positions are percentages of the plot's width, so the chart fits any screen without a script and
its text stays text. Every plot has a title; the numbers beside it are its text alternative.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from convoscope.meta.study import stars
from convoscope.report.data import RANDOM
from convoscope.report.headline import CHANCE
from convoscope.report.names import breakable, esc, percent, rest

__all__ = ["power_chart"]


def power_chart(study: Mapping[str, Any], short: Mapping[str, str]) -> str:
    """Return the chart of a fidelity study as an HTML table, best metric first."""
    rows = sorted(
        study["results"], key=lambda r: (r["metric"] == RANDOM, -(r["value"] or 0.0), r["metric"])
    )
    low, high = _domain(rows)
    level = f"{100 * study['signature'].get('level', 0.95):g} %"
    body = "\n".join(_row(r, short, low, high, study.get("baseline")) for r in rows)
    return f"""<table class="power">
<caption class="hidden">Share of pairs on which each metric agrees with people, best first</caption>
<thead><tr><th scope="col">Metric</th><th scope="col" class="plot">{_axis(low, high)}</th>
<th scope="col" class="num">Agrees</th><th scope="col" class="num">{level} interval</th>
<th scope="col" class="num">p</th><th scope="col" class="num">Ties</th>\
<th scope="col" class="num">Pairs</th></tr></thead>
<tbody>
{body}
</tbody></table>"""


def _domain(rows: Sequence[Mapping[str, Any]]) -> tuple[float, float]:
    """Return the axis: tenths that hold every interval and chance."""
    ends = [CHANCE]
    for r in rows:
        ends += [r[k] for k in ("value", "low", "high") if r[k] is not None]
    low = max(0.0, math.floor(min(ends) * 10 - 0.2) / 10)
    high = min(1.0, math.ceil(max(ends) * 10 + 0.2) / 10)
    return low, high


def _x(value: float, low: float, high: float) -> str:
    return f"{100.0 * (value - low) / (high - low):.2f}%"


def _ticks(low: float, high: float) -> list[float]:
    step = 2 if high - low > 0.55 else 1
    tenths = range(round(low * 10), round(high * 10) + 1)
    return [t / 10 for t in tenths if t % step == 0 or t == 5]


def _axis(low: float, high: float) -> str:
    labels = []
    for t in _ticks(low, high):
        if _crowded(t, low, high):
            continue
        chance = t == CHANCE
        text = "chance" if chance else f"{100 * t:.0f}"
        anchor = "start" if t - low < 0.005 else "end" if high - t < 0.005 else "middle"
        kind = ' class="chance"' if chance else ""
        labels.append(
            f'<text x="{_x(t, low, high)}" y="14" text-anchor="{anchor}"{kind}>{text}</text>'
        )
    return (
        '<span class="hidden">Plot</span>'
        f'<svg width="100%" height="20" aria-hidden="true">{"".join(labels)}</svg>'
    )


def _crowded(tick: float, low: float, high: float) -> bool:
    """Return whether a tick's label would touch that of chance."""
    return tick != CHANCE and abs(tick - CHANCE) / (high - low) < 0.12


def _row(
    row: Mapping[str, Any],
    short: Mapping[str, str],
    low: float,
    high: float,
    baseline: str | None,
) -> str:
    random = row["metric"] == RANDOM
    name = "Random scores" if random else short[row["metric"]]
    more = "what chance reaches" if random else rest(row["metric"], name)
    mark = stars(row["p"])
    is_baseline = row["metric"] == baseline
    p = "baseline" if is_baseline else _p(row["p"])
    small = f"<small>{breakable(more)}</small>" if more else ""
    cells = (
        f'<td class="num agrees">{percent(row["value"])}'
        f'<span class="mark" aria-hidden="true">{mark}</span></td>'
        f'<td class="num range">{_range(row)}</td>'
        f'<td class="num p" title="{esc(row.get("reason") or "")}">{p}</td>'
        f'<td class="num ties">{row["ties"]:,}</td><td class="num pairs">{row["pairs"]:,}</td>'
    )
    kind = ' class="random"' if random else ""
    return (
        f'<tr{kind}><th scope="row">{breakable(name)}{small}</th>'
        f'<td class="plot">{_plot(row, name, low, high)}</td>{cells}</tr>'
    )


def _p(p: float | None) -> str:
    if p is None:
        return "–"
    return "&lt; .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


def _range(row: Mapping[str, Any]) -> str:
    if row["low"] is None or row["high"] is None:
        return "–"
    return f"{percent(row['low'], sign=False)}–{percent(row['high'], sign=False)}"


def _plot(row: Mapping[str, Any], name: str, low: float, high: float) -> str:
    lines = [
        f'<line class="{"chance" if t == CHANCE else "grid"}" x1="{_x(t, low, high)}" '
        f'x2="{_x(t, low, high)}" y1="0" y2="100%"/>'
        for t in _ticks(low, high)
    ]
    if row["value"] is None:
        what = f"{name}: no value, {row.get('reason') or 'not scored'}"
    else:
        what = f"{name}: {percent(row['value'])}, interval {_range(row)}"
        if row["low"] is not None:
            a, b = _x(row["low"], low, high), _x(row["high"], low, high)
            lines.append(f'<line class="ci" x1="{a}" x2="{b}" y1="50%" y2="50%"/>')
        lines.append(f'<circle cx="{_x(row["value"], low, high)}" cy="50%" r="5"/>')
    return (
        f'<svg width="100%" height="100%" role="img"><title>{esc(what)}</title>'
        f"{''.join(lines)}</svg>"
    )
