"""``convoscope reproduce``: a paper's tables, the paper's values beside ours."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import click

from convoscope.cli.common import key_values, progress_bar
from convoscope.errors import nearest

if TYPE_CHECKING:
    from convoscope.reproduce.tables import Cell, PaperTable, Reproduction

__all__ = ["command"]


class _Papers(click.Group):
    """One subcommand per paper, all with the same options."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        from convoscope.reproduce import PAPERS

        return list(PAPERS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        from convoscope.reproduce import PAPERS

        return _paper_command(cmd_name, PAPERS[cmd_name]) if cmd_name in PAPERS else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        from convoscope.reproduce import PAPERS

        if args and not args[0].startswith("-") and args[0] not in PAPERS:
            hint = nearest(args[0], PAPERS, what="papers")
            raise click.UsageError(f"no paper {args[0]!r}{hint}")
        return super().resolve_command(ctx, args)


@click.group("reproduce", cls=_Papers)
def command() -> None:
    """Compute a paper's tables again, its printed values beside ours."""


def _paper_command(name: str, summary: str) -> click.Command:
    module = import_module(f"convoscope.reproduce.{name.replace('-', '_')}")
    known = " ".join(f"{option}: {what}." for option, what in module.OPTIONS.items())

    @click.command(name, help=f"Print {summary} Each cell: the paper's value, ours, difference.")
    @click.option(
        "--data",
        required=True,
        type=click.Path(path_type=Path, file_okay=False, exists=True),
        metavar="DIR",
        help="The folder with the paper's data files.",
    )
    @click.option(
        "--json",
        "output",
        type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
        metavar="FILE",
        help="Write everything as JSON too ('-': to standard output, instead of the tables).",
    )
    @click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0))
    @click.option(
        "--option",
        "options",
        multiple=True,
        metavar="NAME=VALUE",
        help=f"An option of this paper; repeatable. {known}",
    )
    def run(data: Path, output: Path | None, seed: int, options: tuple[str, ...]) -> None:
        from convoscope.reproduce import reproduce

        with progress_bar(name) as progress:
            result = reproduce(
                name, data, seed=seed, progress=progress, options=key_values(options)
            )
        text = json.dumps(result.to_json(), indent=1, ensure_ascii=False, allow_nan=False)
        if output is not None and str(output) == "-":
            click.echo(text)
            return
        _show(result)
        if output is not None:
            output.write_text(text + "\n", encoding="utf-8")
            click.echo(f"\nwritten to {output}")

    return run


def _show(result: Reproduction) -> None:
    click.echo(result.citation)
    click.echo("Each cell: the paper's value, ours, ours - paper.")
    for note in result.notes:
        click.echo(f"- {note}")
    for table in result.tables:
        click.echo()
        _print(table)
        for note in table.notes:
            click.echo(f"  {note}")


def _print(table: PaperTable) -> None:
    from rich.text import Text

    from convoscope.terminal import print_table

    rows = []
    for name, cells in table.rows.items():
        row = [Text(name)]
        for column in table.columns:
            cell = cells.get(column)
            style = _shade(cell.ours) if table.shaded and cell is not None else ""
            row.append(Text("" if cell is None else _text(cell, table.digits), style=style))
        rows.append(row)
    print_table(f"{table.id}: {table.title}", ["", *table.columns], rows)


def _text(cell: Cell, digits: int) -> str:
    """Return ``.604** .595* -.009``, or the part of it that there is."""
    if cell.paper is None and cell.ours is None:
        marks = cell.paper_mark, cell.mark
        return f"{marks[0] or '-':2} {marks[1] or '-':2}" if any(marks) else "-  - "
    ours = "–" if cell.ours is None else _number(cell.ours, digits) + cell.mark
    if cell.paper is None:
        return ours
    paper = _number(cell.paper, digits) + cell.paper_mark
    if cell.difference is None:
        return f"{paper} {ours}"
    return f"{paper} {ours} {_number(cell.difference, digits, sign=True)}"


def _number(value: float, digits: int, *, sign: bool = False) -> str:
    if isinstance(value, int):
        digits = 0
    # Adding 0.0 makes a rounded -0.0 positive.
    rounded = round(value, digits) + 0.0
    text = f"{rounded:{'+' if sign else ''}.{digits}f}"
    return text.replace("0.", ".", 1) if abs(rounded) < 1 and digits else text


def _shade(value: float | None) -> str:
    """Return a background from dark (0) to light (1), as a heat map's."""
    if value is None or value != value:
        return ""
    level = round(232 + 23 * min(1.0, abs(value)))
    return f"{'black' if level > 244 else 'white'} on color({level})"
