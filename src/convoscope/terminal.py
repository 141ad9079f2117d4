"""Printing tables, for every room that prints one."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

__all__ = ["console", "print_table"]


def console() -> Console:
    """Return a console that prints text as it is, as wide as needed where it is no terminal."""
    from rich.console import Console

    # Names and digests in brackets are text, never markup.
    width = None if sys.stdout.isatty() else 400
    return Console(width=width, soft_wrap=True, markup=False, highlight=False, emoji=False)


def print_table(title: str, header: Sequence[str], rows: Sequence[Sequence[str | Text]]) -> None:
    """Print a table; the first column holds names, the others figures."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title), title_justify="left")
    for n, name in enumerate(header):
        table.add_column(Text(name), justify="left" if n == 0 else "right")
    for row in rows:
        table.add_row(*(Text(c) if isinstance(c, str) else c for c in row))
    console().print(table)
