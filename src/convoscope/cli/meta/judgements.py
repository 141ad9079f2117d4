"""``convoscope meta judgements``: correlation with mean judgements."""

from __future__ import annotations

from pathlib import Path

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


@click.command("judgements")
@study_options
@dimension_option
@bootstrap_options
def command(
    run_dir: Path,
    metrics: tuple[str, ...],
    exclude: tuple[str, ...],
    as_json: bool,
    dimension: str | None,
    n_boot: int,
    seed: int,
    level: float,
) -> None:
    """Ask how far each metric goes along with mean judgements.

    Pearson's, Spearman's and Kendall's coefficients within items, over systems and over all
    responses, with intervals that resample items; pairwise accuracies of systems (PA, SPA) and of
    responses (acc_eq). All of them depend on which systems are in: see --exclude-system.
    """
    from convoscope.meta.judgements import judgement_correlation

    run = open_run(run_dir)
    collection = run.collection()
    chosen = one_dimension(collection, dimension)
    result = judgement_correlation(
        run.scores(),
        collection,
        chosen,
        exclude=exclude,
        metrics=metrics or None,
        n_boot=n_boot,
        seed=seed,
        level=level,
    )
    finish(run, f"judgements-{slug(chosen)}", result, as_json)
