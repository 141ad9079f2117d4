"""Intuitiveness: of two metrics that disagree, which one agrees with a gold-standard metric.

The concordance test. Sakai: Evaluation with informational and navigational intents. WWW 2012.
Zhou, Lalmas, Sakai, Cummins, Jose: On the reliability and intuitiveness of aggregated search
metrics. CIKM 2013. Meta-evaluation of conversational search evaluation metrics, section 4.3,
algorithm 4 and tables 9 and 10.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, ClassVar, get_args

import numpy as np
from numpy.typing import NDArray

from convoscope.errors import InputError, nearest
from convoscope.meta._order import order_metrics
from convoscope.meta.concordance import Reading, Test, concordance_counts, concordance_p
from convoscope.meta.study import (
    StudyResult,
    choose,
    choose_metrics,
    direction,
    null,
    stars,
    study_signature,
)
from convoscope.meta.ties import TIE_TOLERANCE
from convoscope.metrics import MetricLike
from convoscope.scores import ScoreTable

__all__ = [
    "Concordance",
    "IntuitivenessResult",
    "intuitiveness",
]


@dataclass(frozen=True)
class Concordance:
    """Two metrics under one gold standard: a cell of table 9 or 10."""

    gold: tuple[str, ...]
    """The gold standard; several metrics: agree with all of them."""
    metric: str
    """M1."""
    other: str
    """M2."""
    disagreements: int
    """Pairs of responses that M1 and M2 order oppositely."""
    unscored: int
    """Those of them where a gold standard has no score: they count for neither."""
    agree: int
    """Disagreements on which M1 agrees with the gold standard."""
    other_agrees: int
    """Disagreements on which M2 agrees with it."""
    both: int
    """Disagreements on which both do: the gold standard ties."""
    value: float | None
    """Conc(M1 | M2, M*): agree / (disagreements - unscored)."""
    other_value: float | None
    """Conc(M2 | M1, M*)."""
    p: float | None
    """Two-sided, of no difference between the two."""
    better: int | None
    """1 M1 is significantly better, -1 M2 is, 0 neither; None without a disagreement."""
    reason: str | None
    """Why `value` or `p` is None."""


@dataclass(frozen=True, eq=False)
class IntuitivenessResult(StudyResult):
    """Concordance of every two metrics with each gold standard."""

    study: ClassVar[str] = "intuitiveness"

    metrics: tuple[str, ...]
    """The metrics compared."""
    golds: tuple[tuple[str, ...], ...]
    """The gold standards; one of several metrics is their combination."""
    rows: tuple[Concordance, ...]
    """By gold standard, then by pair."""

    @cached_property
    def orders(self) -> dict[tuple[str, ...], str]:
        """Gold standard → ``M1 > M2 = M3``, as the paper prints it.

        A metric without a comparison (it is constant, or the gold standard) is not in the line.
        """
        return {g: _line(order) for g, (order, _) in self._ordered.items()}

    @cached_property
    def exceptions(self) -> dict[tuple[str, ...], list[tuple[str, str]]]:
        """Gold standard → pairs of which the printed line says something else than their test."""
        return {g: e for g, (_, e) in self._ordered.items()}

    @cached_property
    def _ordered(self) -> dict[tuple[str, ...], Any]:
        out = {}
        for gold in self.golds:
            here = [r for r in self.rows if r.gold == gold]
            compared = {m for r in here if r.better is not None for m in (r.metric, r.other)}
            # Metrics that never disagree order responses alike: neither is better.
            verdicts = {
                (r.metric, r.other): r.better or 0
                for r in here
                if (r.better is not None or not r.disagreements) and {r.metric, r.other} <= compared
            }
            names = [m for m in self.metrics if m in compared]
            out[gold] = order_metrics(names, verdicts)
        return out

    def to_table(self) -> list[dict[str, Any]]:
        """Return one row per gold standard and pair of metrics."""
        return [
            {
                "gold": " & ".join(r.gold),
                "metric": r.metric,
                "other": r.other,
                "value": null(r.value),
                "other_value": null(r.other_value),
                "disagreements": r.disagreements,
                "unscored": r.unscored,
                "agree": r.agree,
                "other_agrees": r.other_agrees,
                "both": r.both,
                "p": null(r.p),
                "better": r.better,
                "reason": r.reason,
            }
            for r in self.rows
        ]

    def lines(self) -> list[list[str]]:
        """Return the cells, then each gold standard's order of the metrics."""
        header = ["gold standard", "M1", "M2", "M1 agrees", "M2 agrees", "disagreements", "p", ""]
        out = [header]
        for r in self.rows:
            p = r.reason if r.p is None else "< .0001" if r.p < 0.0001 else f"{r.p:.4f}"
            values = ["–" if v is None else f"{v:.3f}" for v in (r.value, r.other_value)]
            cells = [" & ".join(r.gold), r.metric, r.other, *values, str(r.disagreements)]
            out.append([*cells, p or "–", stars(r.p)])
        return out

    def caption(self) -> str:
        """Return what the printed table is about."""
        s = self.signature
        return (
            f"{s['collection']}: concordance with gold standards, {s['items']} items x "
            f"{s['system_pairs']} pairs of systems [{self.digest}]"
        )

    def print(self) -> None:
        """Print the cells, then the orders."""
        super().print()
        for gold, line in self.orders.items():
            print(f"{' & '.join(gold)}: {line or '–'}")
            for a, b in self.exceptions[gold]:
                (row,) = (r for r in self.rows if r.gold == gold and {r.metric, r.other} == {a, b})
                verdict = (row.better or 0) * (1 if row.metric == a else -1)
                print(f"  except {a} {'<=>'[verdict + 1]} {b}")

    def details(self) -> dict[str, Any]:
        """Return the orders and the pairs that they do not tell truly."""
        return {
            "orders": [
                {
                    "gold": list(g),
                    "order": self.orders[g] or None,
                    "exceptions": [list(e) for e in self.exceptions[g]],
                }
                for g in self.golds
            ]
        }


def intuitiveness(
    scores: ScoreTable,
    gold: Sequence[MetricLike],
    *,
    metrics: Sequence[MetricLike] | None = None,
    exclude: Sequence[str] = (),
    combined: bool = True,
    ties: Reading = "product",
    test: Test = "t",
    alpha: float = 0.01,
) -> IntuitivenessResult:
    """Return the concordance of every two metrics with gold standards (algorithm 4).

    Over all items and all pairs of systems: where two metrics order two responses oppositely, the
    one that agrees with the gold standard scores.

    Parameters
    ----------
    scores
        The score table; first-ranked responses are compared.
    gold
        Metrics of the table that stand for a property, each a gold standard by itself.
    metrics
        Metrics to compare; all of the table by default.
    exclude
        Systems to leave out.
    combined
        With several gold standards, also the share of disagreements on which a metric agrees with
        all of them (table 10).
    ties
        ``"product"`` is the paper's: M1 and M2 disagree where δM1 · δM2 < 0, and a metric agrees
        where δM · δM* >= 0, so that a tie of M1 or M2 is no disagreement and a tie of the gold
        standard is an agreement with both. ``"sign"`` compares signs, a tie being a sign of its
        own. Scores tie within a relative difference of 1e-12; signs are compared, since a product
        of small differences may underflow to 0.
    test
        As for :func:`convoscope.meta.concordance.concordance_p`. The paper says "two-tailed
        t-test" and no more: ``"t"`` takes the disagreements for the sample. They are no
        independent observations, the less so the more systems there are: ``"items"`` does not
        assume it.
    alpha
        Below it, a difference is significant in the order (the paper's .01).

    Raises
    ------
    InputError
        A metric or a system is unknown, or a parameter is out of range.

    Notes
    -----
    Without a disagreement the paper's footnote 5 sets both values to 0; here they are None. Where
    p is None because every disagreement goes the same way, the order takes the exact sign test.
    Of a metric for which lower is better, the scores are negated.
    """
    for name, value, known in (("ties", ties, Reading), ("test", test, Test)):
        if value not in get_args(known):
            raise InputError(f"{name}={value!r}{nearest(str(value), get_args(known))}")
    if not 0.0 < alpha < 1.0:
        raise InputError(f"alpha={alpha}; it must lie between 0 and 1, as 0.01")
    standards = choose_metrics(scores, gold)
    if not standards:
        raise InputError("no gold standard; name a metric of the run", where="gold")
    names = choose_metrics(scores, metrics)
    golds: list[tuple[str, ...]] = [(g,) for g in standards]
    if combined and len(standards) > 1:
        golds.append(tuple(standards))
    columns = list(dict.fromkeys([*names, *standards]))
    left_out = set(choose(list(exclude), scores.system_names, "system"))
    kept = [i for i, s in enumerate(scores.system_names) if s not in left_out]
    values = np.empty((len(columns), len(scores.item_ids), len(kept)))
    for k, name in enumerate(columns):
        values[k] = direction(name) * scores.matrix(name)[:, kept]
    pairs = list(combinations(range(len(names)), 2))
    places = [[columns.index(m) for m in g] for g in golds]
    disagreements, counts = concordance_counts(values, pairs, places, ties=ties)
    rows = [
        _cell(g, names[a], names[b], int(disagreements[q]), counts[k, q], test, alpha)
        for k, g in enumerate(golds)
        for q, (a, b) in enumerate(pairs)
        if g not in ((names[a],), (names[b],))
    ]
    signature = study_signature(
        "intuitiveness",
        scores,
        gold=[list(g) for g in golds],
        exclude=sorted(set(exclude)),
        ties=ties,
        tie_tolerance=TIE_TOLERANCE,
        test=test,
        alpha=alpha,
        items=values.shape[1],
        systems=[scores.system_names[i] for i in kept],
        system_pairs=len(kept) * (len(kept) - 1) // 2,
        metrics={m: scores.signatures.get(m, m) for m in columns},
    )
    return IntuitivenessResult(signature, tuple(names), tuple(golds), tuple(rows))


def _cell(
    gold: tuple[str, ...],
    metric: str,
    other: str,
    disagreements: int,
    counts: NDArray[np.int64],
    test: Test,
    alpha: float,
) -> Concordance:
    n, first, second, both = counts[:4].tolist()
    p, reason = concordance_p(counts, test)
    if disagreements == 0:
        reason = "the two metrics never disagree"
    better: int | None = None
    if n:
        decisive = concordance_p(counts, "sign")[0] if p is None else p
        significant = decisive is not None and decisive < alpha
        better = (first > second) - (first < second) if significant else 0
    return Concordance(
        gold=gold,
        metric=metric,
        other=other,
        disagreements=disagreements,
        unscored=disagreements - n,
        agree=first,
        other_agrees=second,
        both=both,
        value=first / n if n else None,
        other_value=second / n if n else None,
        p=p,
        better=better,
        reason=reason,
    )


def _line(order: tuple[tuple[str, ...], tuple[str, ...]]) -> str:
    names, signs = order
    return " ".join(x for m, s in zip(names, ("", *signs), strict=False) for x in (s, m) if x)
