"""Tables for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rich.table import Table

    from convoscope.collection import Collection
    from convoscope.scores import ScoreTable

__all__ = ["print_scores", "print_table"]


def print_table(table: Table) -> None:
    """Print a table as wide as it needs to be where the output is no terminal."""
    import sys

    from rich.console import Console

    Console(width=None if sys.stdout.isatty() else 400, soft_wrap=True).print(table)


def print_scores(collection: Collection, scores: ScoreTable) -> None:
    """Print the mean of each metric over each system's first responses, a metric a row."""
    from rich.table import Table

    table = Table(title=f"{collection.name}: mean scores of the systems", title_justify="left")
    table.add_column("metric")
    for system in scores.system_names:
        table.add_column(system, justify="right")
    for name in scores.metrics:
        cells = []
        for column in scores.matrix(name).T:
            values = column[~np.isnan(column)]
            cells.append(f"{values.mean():.3f}" if len(values) else "–")
        table.add_row(name, *cells)
    print_table(table)
