"""``convoscope convert``: a file of one format to a file of another."""

from __future__ import annotations

import click

from convoscope.cli.common import key_values

__all__ = ["command"]


@click.command("convert")
@click.argument("source", metavar="SRC", type=click.Path())
@click.argument("target", metavar="DST", type=click.Path())
@click.option("--from", "source_format", metavar="NAME", help="Format of SRC; default: detected.")
@click.option("--to", "target_format", metavar="NAME",
              help="Format of DST; default: by its suffix.")  # fmt: skip
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="KEY=VALUE",
    help="An option of the format of SRC; repeatable.",
)
@click.option("--name", help="What to call the collection; default: its own name.")
@click.option("--drop", is_flag=True, help="Leave out what the format of DST cannot carry.")
def command(
    source: str,
    target: str,
    source_format: str | None,
    target_format: str | None,
    options: tuple[str, ...],
    name: str | None,
    drop: bool,
) -> None:
    """Read the file SRC and write it to the file DST in another format."""
    from convoscope import io

    source_format = source_format or io.detect(source)
    target_format = target_format or io.format_for_suffix(target)
    collection = io.load(source_format, source, name=name, **key_values(options))
    for loss in io.save(collection, target, target_format, drop=drop):
        click.echo(f"convoscope: dropped {loss}", err=True)
    click.echo(
        f"{target} ({target_format}): {len(collection.items)} items, {len(collection.runs)} "
        f"systems, {collection.n_responses} responses",
        err=True,
    )
