"""Tables of scores for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from convoscope.terminal import print_table

if TYPE_CHECKING:
    from convoscope.collection import Collection
    from convoscope.scores import ScoreTable

__all__ = ["print_scores"]


def print_scores(collection: Collection, scores: ScoreTable) -> None:
    """Print the mean of each metric over each system's first responses, a metric a row."""
    rows = []
    for name in scores.metrics:
        row = [name]
        for column in scores.matrix(name).T:
            values = column[~np.isnan(column)]
            row.append(f"{values.mean():.3f}" if len(values) else "–")
        rows.append(row)
    title = f"{collection.name}: mean scores of the systems"
    print_table(title, ["metric", *scores.system_names], rows)
