"""``convoscope validate``: what a file holds, and everything that is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from convoscope.cli.common import format_options, key_values

if TYPE_CHECKING:
    from convoscope.io import Validation

__all__ = ["command"]


@click.command("validate")
@click.argument("path", type=click.Path())
@format_options
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON object.")
@click.option("--limit", default=100, show_default=True, type=click.IntRange(min=0),
              help="Problems to print; 0: all.")  # fmt: skip
def command(
    path: str, format_name: str | None, options: tuple[str, ...], as_json: bool, limit: int
) -> None:
    """Say what the file PATH holds, and everything that is wrong with it.

    Exits with 0 where the file can be used, 1 where it has problems, 2 where there is nothing
    to read.
    """
    import json

    from convoscope.io import validate

    found = validate(path, format_name, **key_values(options))
    if as_json:
        click.echo(json.dumps(found.to_dict(), ensure_ascii=False, indent=2))
    else:
        for line in _lines(found, limit):
            click.echo(line)
    if not found.ok:
        raise click.exceptions.Exit(1)


def _lines(found: Validation, limit: int) -> Iterator[str]:
    yield f"{found.path} ({found.format}): collection {found.name!r}"
    yield from _facts(found)
    if found.systems:
        yield ""
        yield from _table(
            ("system", "kind", "responses", "coverage", "ranks", "judged"),
            [
                (s.system, s.kind, str(s.responses), f"{s.coverage:.0%}", str(s.max_rank),
                 str(s.judged))
                for s in found.systems
            ],
        )  # fmt: skip
    if found.dimensions:
        yield ""
        yield from _table(
            ("dimension", "judgements", "raters", "responses", "min", "mean", "max"),
            [
                (d.dimension, str(d.judgements), str(d.raters), str(d.responses),
                 f"{d.minimum:g}", f"{d.mean:.2f}", f"{d.maximum:g}")
                for d in found.dimensions
            ],
        )  # fmt: skip
    yield ""
    for warning in found.warnings:
        yield f"warning: {warning}"
    shown = found.problems[:limit] if limit else found.problems
    for problem in shown:
        yield f"problem: {problem}"
    if len(shown) < len(found.problems):
        more = len(found.problems) - len(shown)
        yield f"… and {more} more problem(s); --limit 0 prints all"
    problems = f"{len(found.problems)} problem(s)" if found.problems else "no problems"
    yield f"{problems}, {len(found.warnings)} warning(s)"


def _facts(found: Validation) -> Iterator[str]:
    dialogues = f" in {found.dialogues} dialogue(s)" if found.dialogues else ""
    yield f"  items       {found.items}{dialogues}"
    if found.references is not None:
        low, mean, high = found.references
        source = f", from {found.reference_system!r}" if found.reference_system else ""
        yield f"  references  {low} to {high} an item, {mean:.2f} on average{source}"
    yield f"  responses   {found.responses} of {len(found.systems)} system(s)"
    yield f"  judgements  {found.judgements} by {len(found.raters)} rater(s)"
    satisfied = found.sessions_with_satisfaction
    yield f"  sessions    {found.sessions}, {satisfied} with a satisfaction"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    shown = [[c if len(c) <= 40 else c[:39] + "…" for c in row] for row in (header, *rows)]
    widths = [max(len(row[k]) for row in shown) for k in range(len(header))]
    text = {"system", "kind", "dimension"}
    for row in shown:
        cells = (
            c.ljust(w) if name in text else c.rjust(w)
            for c, w, name in zip(row, widths, header, strict=True)
        )
        yield ("  " + "  ".join(cells)).rstrip()
