"""``convoscope meta fidelity``: agreement with raters on pairs of responses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from convoscope.cli.meta.common import (
    bootstrap_options,
    dimension_option,
    finish,
    one_dimension,
    open_run,
    slug,
    study_options,
)

__all__ = ["command"]


@click.command("fidelity")
@study_options
@dimension_option
@click.option(
    "--baseline",
    default="best",
    show_default=True,
    metavar="METRIC",
    help="What p-values are against: a metric, 'best', or 'none'.",
)
@click.option(
    "--ties",
    type=click.Choice(["wrong", "half"]),
    default="wrong",
    show_default=True,
    help="What pairs count that a metric scores equally.",
)
@bootstrap_options
def command(
    run_dir: Path,
    metrics: tuple[str, ...],
    exclude: tuple[str, ...],
    as_json: bool,
    dimension: str | None,
    baseline: str,
    ties: Any,
    n_boot: int,
    seed: int,
    level: float,
) -> None:
    """Ask how often each metric prefers the response that raters prefer.

    Predictive power (Sakai 2013; POSSCORE, algorithm 1): of all pairs of responses to one item
    that raters rate differently, the share on which the metric agrees. Intervals resample items;
    p is a paired t-test against the baseline over pairs. 'Random' is what chance alone reaches.
    """
    from convoscope.meta.fidelity import fidelity

    run = open_run(run_dir)
    collection = run.collection()
    chosen = one_dimension(collection, dimension)
    result = fidelity(
        run.scores(),
        collection,
        chosen,
        exclude=exclude,
        metrics=metrics or None,
        baseline=None if baseline == "none" else baseline,
        ties=ties,
        n_boot=n_boot,
        seed=seed,
        level=level,
    )
    finish(run, f"fidelity-{slug(chosen)}", result, as_json)
