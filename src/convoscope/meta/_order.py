"""The order notation ``M1 > M2 = M3`` from pairwise verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from convoscope.errors import InputError

__all__ = ["order_metrics", "reads_as"]


def order_metrics(
    names: Sequence[str], verdicts: Mapping[tuple[str, str], int]
) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], list[tuple[str, str]]]:
    """Return metrics from best to worst, the signs between neighbours, and the exceptions.

    Parameters
    ----------
    names
        The metrics.
    verdicts
        (metric, other) → 1 better, -1 worse, 0 no difference; each pair at most once.

    Returns
    -------
    order
        The metrics and, between neighbours, ``">"``, ``"="`` or ``"?"`` (not compared).
    exceptions
        Compared pairs that a line cannot tell: with ``A = B = C`` one reads A = C, and with any
        ``>`` between two metrics that the left one is better. Where the verdicts say otherwise,
        the pair is an exception.

    Notes
    -----
    Metrics are ordered by significant wins minus losses; equals keep their order. The papers (Zhou
    et al. 2013; the meta-evaluation, section 4.3.3) print such lines and do not say how: any
    order that leaves no exception is the same up to metrics joined by ``=``.
    """
    both = dict(verdicts)
    both.update({(b, a): -v for (a, b), v in verdicts.items()})
    for a, b in both:
        if a not in names or b not in names:
            raise InputError(f"a verdict names {a!r} and {b!r}, not both among the metrics")
    points = {m: sum(v for (a, _), v in both.items() if a == m) for m in names}
    order = sorted(names, key=lambda m: -points[m])
    signs = []
    for a, b in pairwise(order):
        verdict = both.get((a, b))
        signs.append("?" if verdict is None else ">" if verdict > 0 else "=")
    exceptions = [
        (a, b)
        for i, a in enumerate(order)
        for j, b in enumerate(order)
        if i < j and (v := both.get((a, b))) is not None and v != reads_as(signs[i:j])
    ]
    return (tuple(order), tuple(signs)), exceptions


def reads_as(signs: Sequence[str]) -> int | None:
    """Return what one reads between two metrics: 1 better, 0 equal, None where nothing is said."""
    if "?" in signs:
        return None
    return 1 if ">" in signs else 0
