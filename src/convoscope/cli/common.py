"""What several subcommands share: reading a collection, options, progress."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from convoscope.errors import InputError

if TYPE_CHECKING:
    from convoscope.collection import Collection

__all__ = ["format_options", "key_values", "load_collection", "progress_bar"]

F = TypeVar("F", bound=Callable[..., Any])


def format_options(function: F) -> F:
    """Add ``--format`` and ``--option`` to a command that reads a collection."""
    function = click.option(
        "--option",
        "options",
        multiple=True,
        metavar="KEY=VALUE",
        help="An option of the format, as reference='Original Ground Truth'; repeatable.",
    )(function)
    return click.option(
        "--format",
        "format_name",
        metavar="FORMAT",
        help="The file's format (jsonl, table, chat, usr); told from the file when left out.",
    )(function)


def key_values(options: tuple[str, ...]) -> dict[str, str]:
    """Return ``KEY=VALUE`` strings as a dictionary.

    Raises
    ------
    InputError
        A string has no ``=``, or a key comes twice.
    """
    out: dict[str, str] = {}
    for option in options:
        key, sign, value = option.partition("=")
        if not sign or not key.strip():
            raise InputError(f"expected KEY=VALUE, got {option!r}", where="--option")
        if key.strip() in out:
            raise InputError(f"{key.strip()!r} is given twice", where="--option")
        out[key.strip()] = value
    return out


def load_collection(path: Path, format_name: str | None, options: tuple[str, ...]) -> Collection:
    """Read a collection, telling its format from the file where none is named."""
    from convoscope.io import detect, load

    given: dict[str, Any] = {**key_values(options)}
    return load(format_name or detect(path), path, **given)


@contextmanager
def progress_bar(what: str, *, quiet: bool = False) -> Iterator[Callable[[int, int], None] | None]:
    """Show a progress bar with the time left on standard error, where that is a terminal."""
    import sys

    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), Remaining())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
