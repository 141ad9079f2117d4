"""``convoscope demo``: the whole story on the bundled collection, offline."""

from __future__ import annotations

from pathlib import Path

import click

from convoscope.cli.common import progress_bar

__all__ = ["command"]

METRICS = (
    "BLEU(n=1, tokenizer=word, lowercase=True)",
    "BLEU(n=4, tokenizer=word, lowercase=True)",
    "METEOR(tokenizer=word)",
    "ROUGE_L",
    "EA(tokenizer=word)",
    "POSScore",
)


@click.command("demo")
@click.option(
    "-o",
    "--output",
    default="convoscope-demo",
    show_default=True,
    type=click.Path(path_type=Path, file_okay=False),
    metavar="RUN_DIR",
    help="Folder for scores, results and report.",
)
def command(output: Path) -> None:
    """Score the bundled sample collection, ask which metric to trust, write the report."""
    from convoscope.data import demo_path
    from convoscope.io import load
    from convoscope.meta.fidelity import fidelity
    from convoscope.metrics import parse
    from convoscope.report.html import write_report
    from convoscope.report.terminal import print_scores
    from convoscope.rundir import RunDirectory

    collection = load("jsonl", demo_path())
    click.echo(
        f"{collection.name}: {len(collection.items)} items, {len(collection.systems)} systems, "
        f"{collection.n_responses} responses, {len(collection.judgements)} judgements"
    )
    run = RunDirectory(output)
    # Only a run of the demo itself may be replaced.
    ours = run.exists() and run.record.get("arguments") == {"command": "demo"}
    with progress_bar("scoring") as progress:
        scores = run.score(
            collection,
            [parse(m) for m in METRICS],
            overwrite=ours,
            arguments={"command": "demo"},
            progress=progress,
        )
    print_scores(collection, scores)
    result = fidelity(scores, collection, dimension="Overall")
    run.save_result("fidelity-Overall", result.to_json())
    result.print()
    path = write_report(run, dimension="Overall")
    click.echo(f"\nThe report: {path}")
    click.echo("Next: your own data, 'convoscope validate FILE', then 'convoscope score --help'.")
