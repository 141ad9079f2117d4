"""``convoscope meta agreement``: how far raters agree."""

from __future__ import annotations

from pathlib import Path

import click

from convoscope.cli.meta.common import finish, open_run

__all__ = ["command"]


@click.command("agreement")
@click.argument("run_dir", type=click.Path(path_type=Path), metavar="RUN_DIR")
@click.option(
    "-d",
    "--dimension",
    "dimensions",
    multiple=True,
    metavar="NAME",
    help="Which judgements; repeatable. All by default.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def command(run_dir: Path, dimensions: tuple[str, ...], as_json: bool) -> None:
    """Ask how far the raters agree with each other.

    Cohen's and Fleiss' kappa, Krippendorff's alpha, and how well each rater predicts the mean of
    the others: no metric can be expected to do better than that.
    """
    from convoscope.meta.agreement import rater_agreement

    run = open_run(run_dir)
    result = rater_agreement(run.collection(), dimensions or None)
    finish(run, "agreement", result, as_json)
