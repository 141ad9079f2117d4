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
    """Print the mean of each metric for each system."""
    from rich.table import Table

    table = Table(title=f"{collection.name}: means by system", title_justify="left")
    table.add_column("system")
    for name in scores.metrics:
        table.add_column(name, justify="right")
    systems = np.array(scores.systems)
    for system in scores.system_names:
        cells = []
        for name in scores.metrics:
            values = scores[name][systems == system]
            values = values[~np.isnan(values)]
            cells.append(f"{values.mean():.4f}" if len(values) else "–")
        table.add_row(system, *cells)
    print_table(table)
