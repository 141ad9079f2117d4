"""Papers whose tables Convoscope computes again, beside the paper's own values.

One module per paper, each with a function ``reproduce(data, *, seed, progress, **options)`` and
the names of its options in ``OPTIONS``; its printed values are in ``papers/NAME.json``, with where
each comes from. A paper is added by writing the module and naming it in :data:`PAPERS`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from importlib import import_module, resources
from pathlib import Path
from typing import Any

from convoscope.errors import InputError, nearest
from convoscope.reproduce.tables import Cell, PaperTable, Reproduction

__all__ = ["PAPERS", "Cell", "PaperTable", "Reproduction", "printed_values", "reproduce"]

PAPERS: dict[str, str] = {
    "posscore": "POSSCORE (Liu et al., CIKM 2021): tables 1, 5, 7-12, figures 1 and 3.",
}


def printed_values(name: str) -> dict[str, Any]:
    """Return the values that a paper prints, with their provenance."""
    file = resources.files("convoscope.reproduce").joinpath("papers", f"{name}.json")
    values: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return values


def reproduce(
    name: str,
    data: str | Path,
    *,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
    options: Mapping[str, str] | None = None,
) -> Reproduction:
    """Compute a paper's tables from its data.

    Parameters
    ----------
    name
        One of :data:`PAPERS`.
    data
        The folder with the paper's data files.
    seed
        For everything that is drawn.
    progress
        Called with (steps done, steps in all).
    options
        Options of the paper's own, by name; see its module's ``OPTIONS``.

    Raises
    ------
    InputError
        The paper or an option is unknown, or the folder has none of the paper's files.
    """
    if name not in PAPERS:
        raise InputError(f"no paper {name!r}{nearest(name, PAPERS, what='papers')}")
    module = import_module(f"convoscope.reproduce.{name.replace('-', '_')}")
    for option in options or {}:
        if option not in module.OPTIONS:
            hint = nearest(option, module.OPTIONS, what="options")
            raise InputError(f"{name} has no option {option!r}{hint}")
    result: Reproduction = module.reproduce(
        Path(data), seed=seed, progress=progress, **(options or {})
    )
    return result
