"""Pairs of responses to one item of which raters prefer one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from convoscope.collection import Collection
from convoscope.errors import InputError
from convoscope.meta.study import choose, direction
from convoscope.meta.ties import difference_signs
from convoscope.scores import ScoreTable

__all__ = [
    "PreferencePairs",
    "Ties",
    "agreement",
    "pair_outcomes",
    "paired_t_test",
    "predictive_power",
    "preference_pairs",
]

Ties = Literal["wrong", "half"]


@dataclass(frozen=True, eq=False)
class PreferencePairs:
    """Every pair of first-ranked responses to one item whose mean judgements differ.

    Pair i is about ``items[item[i]]``; raters prefer the response of ``systems[better[i]]`` to
    that of ``systems[worse[i]]``.
    """

    items: tuple[str, ...]
    """The items with at least two judged responses."""
    systems: tuple[str, ...]
    """The systems compared."""
    item: NDArray[np.intp]
    """Item of each pair."""
    better: NDArray[np.intp]
    """Preferred system of each pair."""
    worse: NDArray[np.intp]
    """Other system of each pair."""
    difference: NDArray[np.float64]
    """Difference of the mean judgements of each pair, positive."""
    equal: int
    """Pairs with equal mean judgements: no preference, so not among the pairs."""
    unjudged: int
    """Responses of these systems without a judgement: in no pair."""

    def __len__(self) -> int:
        return len(self.item)

    @property
    def digest(self) -> str:
        """Eight characters that differ where pairs or their judgements differ."""
        content = json.dumps([self.names(), self.difference.tolist()], ensure_ascii=False)
        return hashlib.sha256(content.encode()).hexdigest()[:8]

    def names(self) -> list[tuple[str, str, str]]:
        """Return (item, preferred system, other system) of each pair."""
        return [
            (self.items[i], self.systems[b], self.systems[w])
            for i, b, w in zip(
                self.item.tolist(), self.better.tolist(), self.worse.tolist(), strict=True
            )
        ]


def preference_pairs(
    collection: Collection, dimension: str, *, exclude: Sequence[str] = ()
) -> PreferencePairs:
    """Return the pairs of a collection in one judged dimension.

    Parameters
    ----------
    collection
        Runs and judgements. Judgements of a system without a run (a reference) make no pair.
    dimension
        Which judgements.
    exclude
        Systems to leave out.

    Raises
    ------
    InputError
        The dimension or an excluded system is unknown.
    """
    means = collection.mean_judgements(dimension)
    judged = {j.system for j in collection.judgements}
    known = (*collection.systems, *sorted(judged - set(collection.systems)))
    left_out = set(choose(list(exclude), known, "system"))
    systems = tuple(s for s in collection.systems if s not in left_out)
    by_item: dict[str, list[tuple[int, float]]] = {}
    unjudged = 0
    index = {s: i for i, s in enumerate(systems)}
    for run in collection.runs:
        if run.system in left_out:
            continue
        for response in run.responses:
            if response.rank != 1:
                continue
            mean = means.get((response.item, run.system, 1))
            if mean is None:
                unjudged += 1
            else:
                by_item.setdefault(response.item, []).append((index[run.system], mean))
    items = tuple(i.id for i in collection.items if len(by_item.get(i.id, ())) > 1)
    candidates = [
        (n, a, b, x, y)
        for n, item in enumerate(items)
        for (a, x), (b, y) in combinations(by_item[item], 2)
    ]
    item, a, b = (np.array([c[k] for c in candidates], np.intp) for k in range(3))
    x, y = (np.array([c[k] for c in candidates], np.float64) for k in (3, 4))
    # The same rule for judgements as for scores: means of equal ratings are equal means.
    sign = difference_signs(x, y)
    keep = sign != 0.0
    first = sign > 0.0
    return PreferencePairs(
        items=items,
        systems=systems,
        item=item[keep],
        better=np.where(first, a, b)[keep],
        worse=np.where(first, b, a)[keep],
        difference=np.abs(x - y)[keep],
        equal=int(len(keep) - keep.sum()),
        unjudged=unjudged,
    )


def pair_outcomes(
    scores: ScoreTable,
    metrics: Sequence[str],
    better: Sequence[tuple[str, str]],
    worse: Sequence[tuple[str, str]],
) -> dict[str, NDArray[np.float64]]:
    """Return whether each metric prefers one response to another.

    Parameters
    ----------
    scores
        Scores of first-ranked responses.
    metrics
        Names of metrics of the table.
    better, worse
        (item, system) of the two responses of each pair.

    Returns
    -------
    dict
        Metric → 1 prefers `better`, -1 prefers `worse`, 0 ties, NaN where one has no score.

    Raises
    ------
    InputError
        The table holds none of the responses.
    """
    place = {
        (item, system): row
        for row, (item, system, rank) in enumerate(
            zip(scores.items, scores.systems, scores.ranks.tolist(), strict=True)
        )
        if rank == 1
    }
    # Row -1, of a response that the table lacks, reads the NaN put behind the last row.
    left, right = (np.array([place.get(c, -1) for c in cs], np.intp) for cs in (better, worse))
    if len(left) and (left < 0).all() and (right < 0).all():
        raise InputError(
            f"the scores are of {scores.collection or 'another collection'} and hold none of the "
            "judged responses; score this collection first"
        )
    out = {}
    for name in metrics:
        values = np.append(direction(name) * scores[name], np.nan)
        out[name] = difference_signs(values[left], values[right])
    return out


def agreement(outcomes: NDArray[np.float64], ties: Ties) -> NDArray[np.float64]:
    """Return what each pair counts: 1, 0, a tie 0 or .5, NaN where it was not scored."""
    counted = np.where(outcomes > 0, 1.0, 0.0)
    if ties == "half":
        counted[outcomes == 0] = 0.5
    counted[np.isnan(outcomes)] = np.nan
    return counted


def predictive_power(outcomes: NDArray[np.float64], ties: Ties = "wrong") -> float | None:
    """Return the share of pairs that agree (POSSCORE, algorithm 1); None without a scored pair.

    Parameters
    ----------
    outcomes
        The sign of ΔX · ΔX* of each pair: 1, -1, 0 for a tie of the metric, NaN not scored.
    ties
        What a tie counts: ``"wrong"`` as the algorithm's strict ``> 0``, or ``"half"``.
    """
    counted = agreement(outcomes, ties)
    counted = counted[~np.isnan(counted)]
    return float(counted.sum() / len(counted)) if len(counted) else None


def paired_t_test(
    a: NDArray[np.float64], b: NDArray[np.float64], against: str = "the baseline"
) -> tuple[float, None] | tuple[None, str]:
    """Return the two-sided p of a paired t-test, or None and the reason why there is none.

    The test of Smucker, Allan and Carterette (2007), here over pairs of responses; pairs where
    either value is NaN are left out.
    """
    from scipy.special import stdtr

    d = (a - b)[~(np.isnan(a) | np.isnan(b))]
    n = len(d)
    if n < 2:
        return None, f"fewer than two pairs that {against} scores too"
    if not d.any():
        return None, f"no disagreement with {against}"
    deviation = float(d.std(ddof=1))
    if deviation == 0.0:
        return None, f"differs from {against} in the same way on every pair: no variance"
    t = float(d.mean()) / (deviation / np.sqrt(n))
    return float(2.0 * stdtr(n - 1, -abs(t))), None
