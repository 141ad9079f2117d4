"""``convoscope meta`` intuitiveness, agreement and judgements."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from convoscope.cli.meta import command as meta
from convoscope.cli.meta import finish, one_dimension, open_run, slug, study_options

__all__ = ["agreement_command", "intuitiveness_command", "judgements_command"]


@meta.command("intuitiveness")
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
def intuitiveness_command(
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


@meta.command("agreement")
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
def agreement_command(run_dir: Path, dimensions: tuple[str, ...], as_json: bool) -> None:
    """Ask how far the raters agree with each other.

    Cohen's and Fleiss' kappa, Krippendorff's alpha, and how well each rater predicts the mean of
    the others: no metric can be expected to do better than that.
    """
    from convoscope.meta.agreement import rater_agreement

    run = open_run(run_dir)
    result = rater_agreement(run.collection(), dimensions or None)
    finish(run, "agreement", result, as_json)


@meta.command("judgements")
@study_options
@click.option(
    "-d",
    "--dimension",
    metavar="NAME",
    help="Which judgements; may be left out where there is one dimension.",
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
def judgements_command(
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
