"""``convoscope meta``: studies over the scores in a run directory, one file per study."""

from __future__ import annotations

import click

from convoscope.cli.lazy import LazyGroup

__all__ = ["command"]

_STUDIES = {
    "fidelity": "How often does each metric prefer the response that raters prefer?",
    "judgements": "How far does each metric go along with mean judgements?",
    "reliability": "How many systems does each metric tell apart beyond chance?",
    "intuitiveness": "Which of two metrics that disagree does a gold standard side with?",
    "correlation": "Which metrics order the responses alike?",
    "agreement": "How far do the raters agree with each other?",
}


@click.group("meta", cls=LazyGroup, package="convoscope.cli.meta", lines=_STUDIES)
def command() -> None:
    """Meta-evaluate: learn which metrics can be believed.

    Every study reads a run directory that 'convoscope score' wrote, prints its result and saves
    it in RUN_DIR/results for the report.
    """
