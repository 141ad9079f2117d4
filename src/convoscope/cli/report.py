"""``convoscope report``: a run directory as one HTML page."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["command"]


@click.command("report")
@click.argument("run_dir", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--dimension",
    metavar="NAME",
    help="The judged dimension; Overall, or the first, when left out.",
)
@click.option(
    "--items",
    default=200,
    show_default=True,
    type=click.IntRange(min=0),
    metavar="N",
    help="How many items the page lets readers browse.",
)
@click.option("--open", "show", is_flag=True, help="Open the page in the browser.")
def command(run_dir: Path, dimension: str | None, items: int, show: bool) -> None:
    """Write RUN_DIR/report.html: the finding, the systems, the items, where it all comes from."""
    from convoscope.report.html import write_report
    from convoscope.rundir import RunDirectory

    path = write_report(RunDirectory(run_dir), dimension=dimension, items=items)
    click.echo(path)
    if show:
        click.launch(path.resolve().as_uri())
