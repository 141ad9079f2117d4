"""Agreement between raters: κ, α, and how well a rater predicts the others.

Cohen: A coefficient of agreement for nominal scales. 1960 (weights: 1968). Fleiss: Measuring
nominal scale agreement among many raters. 1971. Krippendorff: Computing Krippendorff's
alpha-reliability. 2011.

Ratings are matrices of shape (raters, units), NaN where a rater did not rate a unit.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from convoscope._version import __version__
from convoscope.collection import Collection
from convoscope.errors import InputError, nearest
from convoscope.meta.study import StudyResult, choose
from convoscope.meta.ties import dense_ranks

__all__ = [
    "AgreementResult",
    "AgreementRow",
    "cohen_kappa",
    "fleiss_kappa",
    "krippendorff_alpha",
    "leave_one_out",
    "mean_cohen_kappa",
    "rater_agreement",
    "rating_matrix",
]

Level = Literal["nominal", "ordinal", "interval"]
Weights = Literal["none", "linear", "quadratic"]
Ratings = NDArray[np.float64]


def cohen_kappa(
    a: Ratings,
    b: Ratings,
    *,
    weights: Weights = "none",
    categories: Ratings | None = None,
) -> float:
    """Return Cohen's κ of two raters over the units that both rated.

    Parameters
    ----------
    a, b
        Ratings, shape (units,); NaN = missing.
    weights
        What a disagreement costs: 1, the distance of the categories' places, or its square.
    categories
        All categories in order; by default those that occur among the shared units. They change
        weighted κ only, where one between two others is never used.

    Returns
    -------
    float
        NaN without a shared unit, or where both raters use one and the same category throughout:
        chance then explains everything, 0 / 0.
    """
    _one_of("weights", weights, Weights)
    both = ~(np.isnan(a) | np.isnan(b))
    if not both.any():
        return float("nan")
    x, y = a[both], b[both]
    known = np.unique(np.concatenate([x, y]) if categories is None else categories)
    k = len(known)
    table = np.zeros((k, k))
    np.add.at(table, (np.searchsorted(known, x), np.searchsorted(known, y)), 1.0)
    distance = np.abs(np.subtract.outer(np.arange(k), np.arange(k))).astype(np.float64)
    cost = {"none": (distance > 0).astype(np.float64), "linear": distance}.get(weights, distance**2)
    expected = float((cost * np.outer(table.sum(axis=1), table.sum(axis=0))).sum()) / len(x)
    if expected == 0.0:
        return float("nan")
    return 1.0 - float((cost * table).sum()) / expected


def mean_cohen_kappa(ratings: Ratings, *, weights: Weights = "none") -> tuple[float, int]:
    """Return the mean of Cohen's κ over pairs of raters, and over how many pairs it is.

    Pairs whose κ is undefined do not count; NaN where none is left.
    """
    known = np.unique(ratings[~np.isnan(ratings)])
    kappas = [
        cohen_kappa(a, b, weights=weights, categories=known) for a, b in combinations(ratings, 2)
    ]
    defined = [k for k in kappas if not np.isnan(k)]
    return (float(np.mean(defined)) if defined else float("nan")), len(defined)


def fleiss_kappa(ratings: Ratings) -> float:
    """Return Fleiss' κ over the units with at least two ratings.

    Parameters
    ----------
    ratings
        Shape (raters, units); NaN = missing. Who rated does not matter, only how often each
        category was chosen.

    Returns
    -------
    float
        NaN without such a unit, or where only one category occurs.

    Notes
    -----
    Fleiss (1971) has the same number of ratings n for every unit. Where it differs, the agreement
    of unit i is over its own n_i (n_i - 1) pairs, and the share of a category is the mean over
    units of its share in the unit, as Gwet generalises it; equal n give Fleiss' own.
    """
    _, counts = _category_counts(ratings)
    if not len(counts):
        return float("nan")
    n = counts.sum(axis=1)
    observed = float(np.mean(((counts**2).sum(axis=1) - n) / (n * (n - 1))))
    shares = (counts / n[:, None]).mean(axis=0)
    if len(shares) < 2:
        return float("nan")
    expected = float((shares**2).sum())
    return (observed - expected) / (1.0 - expected)


def krippendorff_alpha(ratings: Ratings, level: Level = "interval") -> float:
    """Return Krippendorff's α over the units with at least two ratings.

    Parameters
    ----------
    ratings
        Shape (raters, units); NaN = missing.
    level
        What a difference of ratings is: ``"nominal"`` any is 1, ``"ordinal"`` the squared number
        of ratings between, ``"interval"`` the squared difference.

    Returns
    -------
    float
        NaN without such a unit, or where all ratings are equal: α needs variation.
    """
    _one_of("level", level, Level)
    known, counts = _category_counts(ratings)
    if len(known) < 2:
        return float("nan")
    n = counts.sum(axis=1)
    # The coincidence matrix: ordered pairs of ratings of one unit, a unit of n weighs n.
    scaled = counts / (n - 1.0)[:, None]
    coincidences = scaled.T @ counts - np.diag(scaled.sum(axis=0))
    totals = counts.sum(axis=0)
    if level == "nominal":
        cost = 1.0 - np.eye(len(known))
    elif level == "interval":
        cost = np.subtract.outer(known, known) ** 2
    else:
        # Ratings from one category to the other, half of the two themselves.
        middle = np.cumsum(totals) - totals / 2.0
        cost = np.subtract.outer(middle, middle) ** 2
    observed = float((coincidences * cost).sum())
    expected = float((np.outer(totals, totals) * cost).sum()) / (float(totals.sum()) - 1.0)
    return 1.0 - observed / expected


def leave_one_out(ratings: Ratings) -> tuple[float, float, int]:
    """Return how well one rater predicts the mean of the others: the ceiling of a metric.

    Parameters
    ----------
    ratings
        Shape (raters, units); NaN = missing.

    Returns
    -------
    pearson, spearman, raters
        Means over the raters whose ratings and the others' means both vary over at least two
        shared units, and how many those are; NaN where there is none. Means that differ by
        rounding only are ties (:mod:`convoscope.meta.ties`).
    """
    found = []
    for k, own in enumerate(ratings):
        rest = np.delete(ratings, k, axis=0)
        n = (~np.isnan(rest)).sum(axis=0)
        use = ~np.isnan(own) & (n > 0)
        if use.sum() < 2:
            continue
        others = np.nansum(rest[:, use], axis=0) / n[use]
        x, y = dense_ranks(own[use]), dense_ranks(others)
        if x.any() and y.any():
            found.append((_pearson(own[use], others), _pearson(_mid_ranks(x), _mid_ranks(y))))
    if not found:
        return float("nan"), float("nan"), 0
    pearson, spearman = np.mean(found, axis=0).tolist()
    return pearson, spearman, len(found)


@dataclass(frozen=True)
class AgreementRow:
    """How far the raters agree in one dimension."""

    dimension: str
    """What was judged."""
    units: int
    """Responses judged."""
    shared: int
    """Responses judged by at least two raters."""
    raters: int
    """Raters."""
    ratings: int
    """Single ratings."""
    categories: int
    """Distinct ratings."""
    cohen: float | None
    """Mean of Cohen's κ over pairs of raters."""
    cohen_quadratic: float | None
    """The same with quadratic weights."""
    rater_pairs: int
    """Pairs of raters with a κ."""
    fleiss: float | None
    """Fleiss' κ."""
    alpha_nominal: float | None
    """Krippendorff's α."""
    alpha_ordinal: float | None
    """Krippendorff's α, ordinal."""
    alpha_interval: float | None
    """Krippendorff's α, interval."""
    ceiling_pearson: float | None
    """Mean correlation of a rater with the mean of the others."""
    ceiling_spearman: float | None
    """The same of ranks."""
    reason: str | None
    """Why values are None."""


@dataclass(frozen=True, eq=False)
class AgreementResult(StudyResult):
    """Agreement of raters in the dimensions of a collection."""

    study: ClassVar[str] = "agreement"

    rows: tuple[AgreementRow, ...]
    """One per dimension."""

    def to_table(self) -> list[dict[str, Any]]:
        """Return one row per dimension."""
        return [asdict(r) for r in self.rows]

    def lines(self) -> list[list[str]]:
        """Return the printed table."""
        header = ["dimension", "units", "raters", "Cohen κ", "weighted κ", "Fleiss κ", "α nominal"]
        header += ["α ordinal", "α interval", "ceiling r", "ceiling ρ", ""]
        out = [header]
        for r in self.rows:
            values = [r.cohen, r.cohen_quadratic, r.fleiss, r.alpha_nominal, r.alpha_ordinal]
            values += [r.alpha_interval, r.ceiling_pearson, r.ceiling_spearman]
            cells = ["–" if v is None else f"{v:.3f}" for v in values]
            out.append([r.dimension, str(r.shared), str(r.raters), *cells, r.reason or ""])
        return out

    def caption(self) -> str:
        """Return what the printed table is about."""
        return f"{self.signature['collection']}: agreement between raters [{self.digest}]"


def rating_matrix(
    collection: Collection, dimension: str
) -> tuple[Ratings, tuple[str, ...], list[tuple[str, str, int]]]:
    """Return the ratings of a dimension, shape (raters, units), the raters and the units.

    A unit is (item, system, rank). Systems without a run count too: raters judged them.

    Raises
    ------
    InputError
        The collection has no judgement in this dimension.
    """
    units = list(collection.mean_judgements(dimension))
    mine = [j for j in collection.judgements if j.dimension == dimension]
    raters = tuple(dict.fromkeys(j.rater for j in mine))
    row = {r: i for i, r in enumerate(raters)}
    column = {u: i for i, u in enumerate(units)}
    out = np.full((len(raters), len(units)), np.nan)
    for j in mine:
        out[row[j.rater], column[j.item, j.system, j.rank]] = j.score
    return out, raters, units


def rater_agreement(
    collection: Collection, dimensions: Sequence[str] | None = None
) -> AgreementResult:
    """Return the agreement of a collection's raters, per dimension.

    Parameters
    ----------
    collection
        Where the judgements are.
    dimensions
        Which; all by default.

    Raises
    ------
    InputError
        There are no judgements, or a dimension is unknown.
    """
    if not collection.judgements:
        raise InputError(
            f"{collection.name} has no judgements; add records of type 'judgement' to it"
        )
    asked = None if dimensions is None else list(dimensions)
    names = choose(asked, collection.dimensions, "dimension")
    rows, digests = [], {}
    for name in names:
        ratings, raters, units = rating_matrix(collection, name)
        rows.append(_row(name, ratings))
        content = repr((raters, units)).encode() + ratings.tobytes()
        digests[name] = hashlib.sha256(content).hexdigest()[:8]
    signature = {
        "study": "agreement",
        "collection": collection.name,
        "dimensions": names,
        "ratings_digests": digests,
        "version": __version__,
    }
    return AgreementResult(signature, tuple(rows))


def _row(dimension: str, ratings: Ratings) -> AgreementRow:
    per_unit = (~np.isnan(ratings)).sum(axis=0)
    known = np.unique(ratings[~np.isnan(ratings)])
    cohen, pairs = mean_cohen_kappa(ratings)
    weighted, _ = mean_cohen_kappa(ratings, weights="quadratic")
    pearson, spearman, _ = leave_one_out(ratings)
    alphas = [krippendorff_alpha(ratings, level) for level in get_args(Level)]
    reason = None
    if not (per_unit > 1).any():
        reason = "no response has two ratings"
    elif np.isnan(alphas[0]):
        reason = "all ratings are equal: agreement needs variation"
    elif np.isnan([cohen, pearson]).any():
        reason = "no two raters share responses on which their ratings vary"
    values = [
        None if np.isnan(v) else float(v)
        for v in (cohen, weighted, fleiss_kappa(ratings), *alphas, pearson, spearman)
    ]
    return AgreementRow(
        dimension=dimension,
        units=len(per_unit),
        shared=int((per_unit > 1).sum()),
        raters=len(ratings),
        ratings=int(per_unit.sum()),
        categories=len(known),
        cohen=values[0],
        cohen_quadratic=values[1],
        rater_pairs=pairs,
        fleiss=values[2],
        alpha_nominal=values[3],
        alpha_ordinal=values[4],
        alpha_interval=values[5],
        ceiling_pearson=values[6],
        ceiling_spearman=values[7],
        reason=reason,
    )


def _category_counts(ratings: Ratings) -> tuple[Ratings, Ratings]:
    """Return the categories and how often each unit with two ratings or more got each."""
    use = (~np.isnan(ratings)).sum(axis=0) > 1
    kept = ratings[:, use]
    known = np.unique(kept[~np.isnan(kept)])
    counts = np.zeros((kept.shape[1], len(known)))
    rater, unit = np.nonzero(~np.isnan(kept))
    np.add.at(counts, (unit, np.searchsorted(known, kept[rater, unit])), 1.0)
    return known, counts


def _mid_ranks(ranks: NDArray[np.int64]) -> Ratings:
    sizes = np.bincount(ranks)
    last = np.cumsum(sizes)
    return np.asarray((2.0 * last - sizes + 1.0) / 2.0, np.float64)[ranks]


def _pearson(x: Ratings, y: Ratings) -> float:
    dx, dy = x - x.mean(), y - y.mean()
    return float((dx @ dy) / np.sqrt((dx @ dx) * (dy @ dy)))


def _one_of(name: str, value: str, known: Any) -> None:
    if value not in get_args(known):
        raise InputError(f"{name}={value!r}{nearest(str(value), get_args(known))}")
