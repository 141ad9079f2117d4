"""What the studies' commands share: their options, opening a run, keeping a result."""

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

__all__ = [
    "bootstrap_options",
    "dimension_option",
    "finish",
    "one_dimension",
    "open_run",
    "slug",
    "study_options",
]

F = TypeVar("F", bound=Callable[..., Any])


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


def dimension_option(function: F) -> F:
    """Add ``--dimension``."""
    return click.option(
        "-d",
        "--dimension",
        metavar="NAME",
        help="Which judgements; may be left out where there is one dimension.",
    )(function)


def bootstrap_options(function: F) -> F:
    """Add the options of intervals that resample items."""
    for decorator in (
        click.option(
            "--level",
            type=click.FloatRange(0.0, 1.0, min_open=True, max_open=True),
            default=0.95,
            show_default=True,
            help="Of the intervals.",
        ),
        click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True),
        click.option(
            "--boot",
            "n_boot",
            type=click.IntRange(min=0),
            default=1000,
            show_default=True,
            help="Bootstrap draws of items; 0 for no intervals.",
        ),
    ):
        function = decorator(function)
    return function


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
