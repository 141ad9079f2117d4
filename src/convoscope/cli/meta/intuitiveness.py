"""``convoscope meta intuitiveness``: which of two metrics a gold standard sides with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from convoscope.cli.meta.common import finish, open_run, study_options

__all__ = ["command"]


@click.command("intuitiveness")
@study_options
@click.option(
    "-g",
    "--gold",
    "gold",
    multiple=True,
    required=True,
    metavar="METRIC",
    help="A metric of the run that stands for a property; repeatable, then also all combined.",
)
@click.option(
    "--ties",
    type=click.Choice(["product", "sign"]),
    default="product",
    show_default=True,
    help="Disagree where the product of differences is negative, or where signs differ.",
)
@click.option(
    "--test",
    type=click.Choice(["t", "sign", "items"]),
    default="t",
    show_default=True,
    help="Paired t over disagreements, exact sign test, or t over items.",
)
@click.option(
    "--alpha",
    type=click.FloatRange(0.0, 1.0, min_open=True, max_open=True),
    default=0.01,
    show_default=True,
    help="Of a '>' in the order.",
)
def command(
    run_dir: Path,
    metrics: tuple[str, ...],
    exclude: tuple[str, ...],
    as_json: bool,
    gold: tuple[str, ...],
    ties: Any,
    test: Any,
    alpha: float,
) -> None:
    """Ask which of two metrics that disagree agrees with a gold-standard metric.

    The concordance test over all items and pairs of systems, for every two metrics and every
    gold standard; with several, also the share on which a metric agrees with all of them.
    """
    from convoscope.meta.intuitiveness import intuitiveness

    run = open_run(run_dir)
    result = intuitiveness(
        run.scores(),
        gold,
        metrics=metrics or None,
        exclude=exclude,
        ties=ties,
        test=test,
        alpha=alpha,
    )
    finish(run, "intuitiveness", result, as_json)
