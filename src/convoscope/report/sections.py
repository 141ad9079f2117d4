"""The page's sections as HTML, top to bottom. Everything from data goes through ``esc``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from convoscope.report.charts import power_chart
from convoscope.report.data import NO_RUN, RANDOM, REFERENCE, Cell, ReportData, SystemRow, unscored
from convoscope.report.headline import finding
from convoscope.report.names import breakable, esc, number, rest

__all__ = ["fidelity", "headline", "others", "systems"]

_MAX_OTHER_ROWS = 300
_KINDS = {REFERENCE: "references only", NO_RUN: "no responses here", "unknown": ""}


def headline(data: ReportData) -> str:
    """Return the collection's name, its counts and the finding."""
    c = data.collection
    counts = [
        (len(c.items), "item"),
        (len(c.runs), "system"),
        (c.n_responses, "response"),
        (len(data.scores.metrics), "metric"),
    ]
    if c.judgements:
        counts.append((len(c.judgements), "judgement"))
    facts = " · ".join(f"<span><b>{n:,}</b> {w}{'' if n == 1 else 's'}</span>" for n, w in counts)
    return f"""<header>
<p class="kicker">Convoscope report</p>
<h1 dir="auto">{esc(c.name or "Untitled collection")}</h1>
<p class="facts">{facts}</p>
<p class="finding" dir="auto">{_whole(esc(finding(data)))}</p>
</header>"""


def _whole(text: str) -> str:
    """Keep intervals, as in [66–75 %], on one line."""
    return re.sub(r"(\[\d[\d–%\s]*\])", r'<span class="whole">\1</span>', text)


def fidelity(data: ReportData) -> str:
    """Return the predictive power section; nothing without judgements."""
    study = data.fidelity
    if study is None:
        return ""
    s = study["signature"]
    rows = [r for r in study["results"] if r["metric"] != RANDOM]
    pairs = max((r["pairs"] + r["unscored"] for r in rows), default=0)
    notes = [
        f"A pair is two responses to one item whose mean {esc(data.dimension)} judgements differ: "
        f"{pairs:,} pairs on {s.get('items', 0):,} items."
    ]
    if study.get("equal_judgements"):
        notes.append(f"{study['equal_judgements']:,} more pairs are judged equal and say nothing.")
    tie = "counts as wrong" if s.get("ties") == "wrong" else "counts half"
    notes.append(f"A metric agrees when it prefers the same response; its tie {tie}.")
    if s.get("n_boot"):
        notes.append(
            f"Bars are {100 * s.get('level', 0.95):g} % percentile intervals of "
            f"{s['n_boot']:,} bootstrap draws of items (seed {s.get('seed')})."
        )
    if any(r["metric"] == RANDOM for r in study["results"]):
        notes.append(
            "Random: the mean of many metrics that score at random, and the range that most of "
            "them reach."
        )
    if study.get("baseline"):
        notes.append(
            f"<b>*</b> p &lt; .05 and <b>**</b> p &lt; .01: differs from "
            f"{breakable(data.short.get(study['baseline'], study['baseline']))} in a two-sided "
            "paired t-test over pairs. The test takes pairs for independent, the interval does "
            "not; where they disagree, trust the interval."
        )
    if s.get("exclude"):
        notes.append(f"Left out: {esc(', '.join(s['exclude']))}.")
    judged = f'<b dir="auto">{esc(data.dimension)}</b>{_dimensions(data)}'
    return f"""<section aria-labelledby="power">
<h2 id="power">Which metrics agree with people?</h2>
<p class="lead">Predictive power: the share of pairs of responses on which a metric prefers the one
that people prefer. Judged dimension: {judged}.</p>
<div class="figure">{power_chart(study, data.short)}</div>
<p class="note">{" ".join(notes)}</p>
</section>"""


def _dimensions(data: ReportData) -> str:
    others = [d for d in data.collection.dimensions if d != data.dimension]
    if not others:
        return ""
    more = f" and {len(others) - 8} more" if len(others) > 8 else ""
    return (
        f' (also judged: <span dir="auto">{esc(", ".join(others[:8]))}{more}</span>; '
        "<code>convoscope report RUN_DIR --dimension NAME</code> shows another)"
    )


def systems(data: ReportData) -> str:
    """Return the table systems × metrics."""
    human = any(r.human is not None for r in data.systems)
    metrics = list(data.scores.metrics)
    head = [_header("System", "", "text"), _header("Responses", "first-ranked", "number")]
    if human:
        head.append(_header("Human", str(data.dimension), "number"))
    for m in metrics:
        note = rest(m, data.short[m])
        head.append(_header(data.short[m], note if data.higher[m] else f"lower is better {note}"))
    best = {m: _best(data, m) for m in metrics}
    top = _best_human(data.systems)
    body = []
    for row in data.systems:
        kind = _KINDS.get(row.kind, row.kind)
        cells = [
            f'<th scope="row" data-v="{esc(row.name)}"><span dir="auto">{esc(row.name)}</span>'
            + (f"<small>{esc(kind)}</small>" if kind else "")
            + "</th>",
            f'<td class="num" data-v="{row.responses}">{row.responses or "–"}</td>',
        ]
        if human:
            cells.append(_value(row.human, top if row.cells else None, "human"))
        cells += [_value(row.cells.get(m), best[m]) for m in metrics]
        body.append(f"<tr>{''.join(cells)}</tr>")
    notes = ["Mean over first-ranked responses ± half of its 95 % t interval over items."]
    if human:
        notes.append("Human: mean over items of the mean over raters.")
    notes.append("The best mean of each column is marked ▲. Column headings sort.")
    return f"""<section aria-labelledby="systems">
<h2 id="systems">Systems and metrics</h2>
<div class="scroll" tabindex="0" role="region" aria-labelledby="systems">
<table class="systems" id="systems-table">
<thead><tr>{"".join(head)}</tr></thead>
<tbody>
{chr(10).join(body)}
</tbody></table></div>
<p class="note">{" ".join(notes)}</p>
{_unscored(data)}</section>"""


def _header(name: str, note: str, kind: str = "number") -> str:
    small = f"<small>{breakable(note)}</small>" if note else ""
    names = [n for n, on in (("num", kind == "number"), ("long", len(name) > 20)) if on]
    return (
        f'<th scope="col" class="{" ".join(names)}"><button type="button" data-kind="{kind}">'
        f"{breakable(name)}</button>{small}</th>"
    )


def _best(data: ReportData, metric: str) -> float | None:
    means = [c.mean for r in data.systems if (c := r.cells.get(metric)) and c.mean is not None]
    if not means:
        return None
    return max(means) if data.higher[metric] else min(means)


def _best_human(rows: Sequence[SystemRow]) -> float | None:
    means = [r.human.mean for r in rows if r.cells and r.human and r.human.mean is not None]
    return max(means) if means else None


def _value(cell: Cell | None, best: float | None, kind: str = "") -> str:
    if cell is None or cell.mean is None:
        return f'<td class="num {kind}">–</td>'
    top = best is not None and cell.mean == best
    half = f"<small>± {number(cell.half)}</small>" if cell.half is not None else ""
    missing = f"<small>{cell.missing:,} without</small>" if cell.missing else ""
    mark = '<span class="top" role="img" aria-label="best">▲</span>' if top else ""
    names = " ".join(n for n in ("num", kind, "best" if top else "") if n)
    return (
        f'<td class="{names}" data-v="{cell.mean!r}"><span class="mean">{mark}'
        f"{number(cell.mean)}</span>{half}{missing}</td>"
    )


def _unscored(data: ReportData) -> str:
    found = unscored(data.scores)
    if not found:
        return '<p class="note">Every response has a score of every metric.</p>\n'
    lines = []
    for metric, reasons in found.items():
        why = "; ".join(f"{esc(reason)} ({n:,})" for reason, n in sorted(reasons.items()))
        total = sum(reasons.values())
        lines.append(
            f"<li><b>{breakable(data.short[metric])}</b>: {total:,} of {len(data.scores):,} "
            f"responses not scored: {why}</li>"
        )
    return f'<ul class="note">{"".join(lines)}</ul>\n'


def others(data: ReportData) -> str:
    """Return the run's other studies as plain tables, folded."""
    parts = []
    for study in data.others:
        rows = study.get("results")
        if not isinstance(rows, list) or not rows or not all(isinstance(r, dict) for r in rows):
            continue
        name = str(study.get("study", "study")).capitalize()
        dimension = study.get("signature", {}).get("dimension")
        title = f"{name}, {dimension}" if dimension else name
        parts.append(f'<details><summary dir="auto">{esc(title)}</summary>{_plain(rows)}</details>')
    if not parts:
        return ""
    return f"""<section aria-labelledby="others">
<h2 id="others">Other studies of this run</h2>
{chr(10).join(parts)}
</section>"""


def _plain(rows: Sequence[Mapping[str, Any]]) -> str:
    columns = list(dict.fromkeys(k for r in rows for k in r))
    head = "".join(f'<th scope="col">{esc(c)}</th>' for c in columns)
    body = "".join(
        "<tr>" + "".join(_plain_cell(r.get(c)) for c in columns) + "</tr>"
        for r in rows[:_MAX_OTHER_ROWS]
    )
    more = len(rows) - _MAX_OTHER_ROWS
    note = f'<p class="note">{more:,} more rows in results/.</p>' if more > 0 else ""
    return (
        f'<div class="scroll" tabindex="0"><table class="plain"><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>{note}"
    )


def _plain_cell(value: Any) -> str:
    if isinstance(value, float):
        return f'<td class="num">{number(value)}</td>'
    if isinstance(value, int) and not isinstance(value, bool):
        return f'<td class="num">{value:,}</td>'
    if value is None:
        return "<td>–</td>"
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return f"<td>{breakable(text)}</td>"
