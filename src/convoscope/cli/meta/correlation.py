"""``convoscope meta correlation``: which metrics order responses alike."""

from __future__ import annotations

from pathlib import Path

import click

from convoscope.cli.meta.common import finish, open_run, study_options

__all__ = ["command"]


@click.command("correlation")
@study_options
def command(
    run_dir: Path, metrics: tuple[str, ...], exclude: tuple[str, ...], as_json: bool
) -> None:
    """Ask which metrics order the responses alike: Kendall's tau-b of every two."""
    from convoscope.meta.correlation import correlation

    run = open_run(run_dir)
    result = correlation(run.scores(), metrics=metrics or None, exclude=exclude)
    finish(run, "correlation", result, as_json)
