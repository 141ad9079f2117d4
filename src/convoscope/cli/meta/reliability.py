"""``convoscope meta reliability``: how many systems a metric tells apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from convoscope.cli.meta.common import finish, open_run, study_options

__all__ = ["command"]


@click.command("reliability")
@study_options
@click.option(
    "--method",
    type=click.Choice(["tukey", "bootstrap", "parametric"]),
    default="tukey",
    show_default=True,
    help="Randomised Tukey HSD, paired bootstrap of each pair alone, or Tukey HSD by ANOVA.",
)
@click.option(
    "--draws",
    type=click.IntRange(min=1),
    default=1000,
    show_default=True,
    help="Random permutations, or resamples.",
)
@click.option(
    "--alpha",
    type=click.FloatRange(0.0, 1.0, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Two systems differ where the test's p-value is below.",
)
@click.option(
    "--p-value",
    type=click.Choice(["paper", "plus-one"]),
    default="paper",
    show_default=True,
    help="c/B as in the paper, or (c+1)/(B+1).",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
def command(
    run_dir: Path,
    metrics: tuple[str, ...],
    exclude: tuple[str, ...],
    as_json: bool,
    method: Any,
    draws: int,
    alpha: float,
    p_value: Any,
    seed: int,
) -> None:
    """Ask how many systems each metric tells apart beyond chance.

    Discriminative power (Sakai 2006): the share of pairs of systems whose difference is
    significant, by the randomised Tukey HSD test over all systems at once. Delta is the least
    difference of means that was significant.
    """
    from convoscope.meta.reliability import reliability

    run = open_run(run_dir)
    result = reliability(
        run.scores(),
        metrics=metrics or None,
        exclude=exclude,
        method=method,
        draws=draws,
        alpha=alpha,
        p_value=p_value,
        seed=seed,
    )
    name = "reliability" if method == "tukey" else f"reliability-{method}"
    finish(run, name, result, as_json)
