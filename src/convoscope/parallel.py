"""Threads over ranges of rows, for kernels that release the interpreter lock.

A kernel writes to rows of arrays that its caller allocated, so that what comes out is the same
for any number of threads and any split.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

from convoscope.errors import InputError

__all__ = ["map_ranges", "thread_count"]

T = TypeVar("T")
VARIABLE = "CONVOSCOPE_THREADS"


def thread_count() -> int:
    """Return how many threads to use: ``CONVOSCOPE_THREADS``, else the number of cores.

    Raises
    ------
    InputError
        The variable is set to something else than a positive integer.
    """
    text = os.environ.get(VARIABLE, "").strip()
    if not text:
        return os.cpu_count() or 1
    if not (text.isascii() and text.isdigit()) or int(text) < 1:
        raise InputError(f"expected a positive integer, got {text!r}", where=VARIABLE)
    return int(text)


def map_ranges(fn: Callable[[int, int], T], n: int, *, smallest: int = 2048) -> list[T]:
    """Return ``fn(start, stop)`` of consecutive ranges that cover ``range(n)``, in order.

    Parameters
    ----------
    fn
        What to do with the rows from start up to stop; it must release the interpreter lock to
        gain anything.
    n
        How many rows there are; 0 gives an empty list.
    smallest
        No range is shorter than this unless it is the only one: below it, starting a thread
        costs more than it saves.
    """
    threads = thread_count()
    # Two ranges a thread: rows differ in length, and a range each would leave threads waiting.
    pieces = min(2 * threads, n // max(1, smallest)) if threads > 1 else 1
    pieces = max(1, pieces)
    bounds = [n * k // pieces for k in range(pieces + 1)]
    ranges = [(a, b) for a, b in pairwise(bounds) if b > a]
    if len(ranges) <= 1:
        return [fn(a, b) for a, b in ranges]
    with ThreadPoolExecutor(min(threads, len(ranges))) as pool:
        return list(pool.map(lambda r: fn(*r), ranges))
