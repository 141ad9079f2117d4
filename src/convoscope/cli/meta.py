"""``convoscope meta``: studies over the scores in a run directory."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from convoscope.errors import InputError

if TYPE_CHECKING:
    from convoscope.collection import Collection
    from convoscope.meta.study import StudyResult
    from convoscope.rundir import RunDirectory

__all__ = ["command"]

F = TypeVar("F", bound=Callable[..., Any])


@click.group("meta")
def command() -> None:
    """Meta-evaluate: learn which metrics can be believed.

    Every study reads a run directory that 'convoscope score' wrote, prints its result and saves
    it in RUN_DIR/results for the report.
    """


def study_options(function: F) -> F:
    """Add the options that every study has: the run, its metrics and systems, JSON."""
    for decorator in (
        click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table."),
        click.option(
            "--exclude-system",
            "exclude",
            multiple=True,
            metavar="NAME",
            help="A system to leave out; repeatable.",
        ),
        click.option(
            "-m",
            "--metric",
            "metrics",
            multiple=True,
            metavar="METRIC",
            help="A metric of the run; repeatable. All by default.",
        ),
        click.argument("run_dir", type=click.Path(path_type=Path), metavar="RUN_DIR"),
    ):
        function = decorator(function)
    return function


@command.command("fidelity")
@study_options
@click.option(
    "-d",
    "--dimension",
    metavar="NAME",
    help="Which judgements; may be left out where there is one dimension.",
)
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
@click.option(
    "--boot",
    "n_boot",
    type=click.IntRange(min=0),
    default=1000,
    show_default=True,
    help="Bootstrap draws of items; 0 for no intervals.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option(
    "--level",
    type=click.FloatRange(0.0, 1.0, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Of the intervals.",
)
def fidelity_command(
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
    p is a paired t-test against the baseline over pairs. 'Random' is a coin.
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


@command.command("correlation")
@study_options
def correlation_command(
    run_dir: Path, metrics: tuple[str, ...], exclude: tuple[str, ...], as_json: bool
) -> None:
    """Ask which metrics order the responses alike: Kendall's tau-b of every two."""
    from convoscope.meta.correlation import correlation

    run = open_run(run_dir)
    result = correlation(run.scores(), metrics=metrics or None, exclude=exclude)
    finish(run, "correlation", result, as_json)


@command.command("reliability")
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
def reliability_command(
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


def open_run(run_dir: Path) -> RunDirectory:
    """Return a finished run.

    Raises
    ------
    InputError
        The folder holds none, or one that was interrupted.
    """
    from convoscope.rundir import RunDirectory

    run = RunDirectory(run_dir)
    # The record is written last: without it the scores are not all there.
    _ = run.record
    return run


def one_dimension(collection: Collection, dimension: str | None) -> str:
    """Return the dimension asked for, or the only one.

    Raises
    ------
    InputError
        None is named and there is a choice.
    """
    known = collection.dimensions
    if dimension is not None:
        return dimension
    if len(known) == 1:
        return known[0]
    if not known:
        raise InputError(
            f"{collection.name} has no judgements; add records of type 'judgement' to it"
        )
    raise InputError(f"several dimensions; choose one with --dimension: {', '.join(known)}")


def slug(name: str) -> str:
    """Return a name that is safe as part of a file's name."""
    return re.sub(r"[^\w.+-]+", "-", name).strip("-.") or "unnamed"


def finish(run: RunDirectory, name: str, result: StudyResult, as_json: bool) -> None:
    """Save a result in the run directory, and print it."""
    data = result.to_json()
    if as_json:
        click.echo(json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False))
    else:
        result.print()
    try:
        click.echo(f"saved in {run.save_result(name, data)}", err=True)
    except OSError as error:
        # The question is answered; where it cannot be kept is worth a word, not a failure.
        click.echo(f"convoscope: not saved in {run.path} ({error.strerror})", err=True)


# More studies: the module adds its commands to the group above.
from convoscope.cli import meta_studies as _studies  # noqa: E402, F401
