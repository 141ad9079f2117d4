"""``convoscope score``: a collection and metrics make a run directory."""

from __future__ import annotations

from pathlib import Path

import click

from convoscope.cli.common import format_options, load_collection, progress_bar

__all__ = ["command"]


@click.command("score")
@click.argument("collection", type=click.Path(path_type=Path))
@click.option(
    "-m",
    "--metric",
    "metrics",
    multiple=True,
    required=True,
    metavar="METRIC",
    help="A metric's name, as METEOR or 'BLEU(n=2)'; several by commas or by repeating -m.",
)
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    metavar="RUN_DIR",
    help="Folder for scores, results and report.",
)
@format_options
@click.option("--overwrite", is_flag=True, help="Replace another run in RUN_DIR.")
@click.option("--quiet", is_flag=True, help="No progress bar, no table.")
def command(
    collection: Path,
    metrics: tuple[str, ...],
    output: Path,
    format_name: str | None,
    options: tuple[str, ...],
    overwrite: bool,
    quiet: bool,
) -> None:
    """Score every response of COLLECTION with every METRIC.

    Killed or interrupted, the same command goes on from the last finished block.
    """
    from convoscope.metrics import parse_many
    from convoscope.rundir import RunDirectory

    chosen = parse_many(metrics)
    loaded = load_collection(collection, format_name, options)
    run = RunDirectory(output)
    arguments = {
        "command": "score",
        "collection": str(collection),
        "format": format_name,
        "options": list(options),
        "metrics": [str(m) for m in chosen],
    }
    with progress_bar("scoring", quiet=quiet) as progress:
        table = run.score(
            loaded, chosen, overwrite=overwrite, arguments=arguments, progress=progress
        )
    if not quiet:
        from convoscope.report.terminal import print_scores

        print_scores(loaded, table)
    unscored = sum(len(rows) for rows in table.reasons.values())
    note = (
        f"; {unscored} values are null, with reasons in the column 'unscored'" if unscored else ""
    )
    click.echo(f"{len(table)} responses x {len(table.metrics)} metrics in {output}{note}")
