"""The report: one HTML file that opens anywhere, offline."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from pathlib import Path
from string import Template

from convoscope._version import __version__
from convoscope.errors import InputError
from convoscope.report import sections
from convoscope.report.data import ReportData, collect
from convoscope.report.explorer import MAX_RANK, explorer, safe_json
from convoscope.report.names import esc
from convoscope.report.provenance import provenance
from convoscope.rundir import RunDirectory

__all__ = ["ITEMS", "render", "write_report"]

ITEMS = 200
"""How many items the page holds by default."""


def write_report(run: RunDirectory, *, dimension: str | None = None, items: int = ITEMS) -> Path:
    """Write ``report.html`` into a run directory.

    Parameters
    ----------
    run
        A finished run.
    dimension
        The judged dimension; by default that of a saved fidelity study, or ``Overall``, or the
        first. Without a saved fidelity study of it, the report makes one.
    items
        How many items the page lets readers browse, from the first.

    Returns
    -------
    Path
        The file. The same run gives the same bytes.

    Raises
    ------
    InputError
        The run has no scores, nothing was judged in the dimension, or `items` is negative.
    """
    if items < 0:
        raise InputError(f"items={items}; it must be 0 or more")
    page = render(collect(run, dimension), items=items)
    temporary = run.report.with_name(run.report.name + ".partial")
    temporary.write_text(page, encoding="utf-8", newline="\n")
    temporary.replace(run.report)
    return run.report


def render(data: ReportData, *, items: int = ITEMS) -> str:
    """Return the page."""
    script, style = _file("page.js"), _file("page.css")
    body = "\n".join(
        part
        for part in (
            sections.headline(data),
            sections.fidelity(data),
            sections.systems(data),
            _explorer(data, items),
            sections.others(data),
            provenance(data),
        )
        if part
    )
    return Template(_file("page.html")).substitute(
        title=esc(f"{data.collection.name or 'Untitled collection'} – Convoscope report"),
        script_digest=_digest(script),
        style_digest=_digest(style),
        style=style,
        body=body,
        data=safe_json(explorer(data, items)) if items else "null",
        script=script,
        version=esc(__version__),
    )


def _explorer(data: ReportData, items: int) -> str:
    if not items:
        return ""
    total = len(dict.fromkeys(data.scores.items))
    shown = min(items, total)
    note = ""
    if shown < total:
        note = (
            f'<p class="note">{shown:,} of {total:,} items shown, from the first; '
            "<code>convoscope report RUN_DIR --items N</code> changes it.</p>"
        )
    if (data.scores.ranks > MAX_RANK).any():
        note += f'<p class="note">Responses of ranks 1 to {MAX_RANK} are shown.</p>'
    return f"""<section aria-labelledby="items" id="explorer">
<h2 id="items">Item by item</h2>
{note}<noscript><p class="note">Browsing items needs JavaScript; the rest of the page does not.</p>
</noscript>
</section>"""


def _digest(text: str) -> str:
    """Return what the page's content security policy calls a script or a style."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _file(name: str) -> str:
    return files("convoscope.report").joinpath(name).read_text(encoding="utf-8")
