"""BLEU of single responses, with the smoothings of NLTK and of sacrebleu."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from convoscope.errors import MetricError
from convoscope.metrics.base import Metric, param
from convoscope.metrics.batch import Batch
from convoscope.metrics.overlap._ngrams import NgramStatistics, ngram_statistics

__all__ = ["BLEU", "NgramStatistics", "ngram_statistics"]

Array = NDArray[np.float64]

_SACREBLEU = "sacrebleu-"
SMOOTHINGS = (
    *(f"method{i}" for i in range(8)),
    *(_SACREBLEU + name for name in ("none", "floor", "add-k", "exp")),
)
# Parameters that mean something only to some smoothings; set elsewhere, they would be believed
# to have an effect.
_USED_BY = {
    "epsilon": ("method1",),
    "k": ("method4", "method7"),
    "alpha": ("method6",),
    "orders": ("method5", "method6", "method7"),
    "smooth_value": ("sacrebleu-floor", "sacrebleu-add-k"),
    "effective_order": tuple(s for s in SMOOTHINGS if s.startswith(_SACREBLEU)),
}


@dataclass(frozen=True, repr=False)
class BLEU(Metric):
    """BLEU with n-grams of orders 1 to n, each response by itself (Papineni et al. 2002).

    The geometric mean of the n clipped precisions, times the brevity penalty. With several
    references an n-gram may match as often as the reference that has it most, and the reference
    closest in length decides the penalty.

    The smoothings ``method0`` to ``method7`` are those of ``nltk.translate.bleu_score`` (Chen and
    Cherry 2014) and give its values, peculiarities included: NLTK's method 3 counts its
    exponent over the orders without a match, 5 and 7 look at 5-grams after the n-th order
    whatever n is and can exceed 1, and 6 gives up (here: NaN) when words match but no
    three-word sequence does. The smoothings ``sacrebleu-*`` are those of sacrebleu, on a scale
    of 0 to 1.
    """

    title: ClassVar[str] = "BLEU"
    summary: ClassVar[str] = "clipped n-gram precision with a penalty for brevity"
    source: ClassVar[str] = "Papineni et al. 2002; smoothing: Chen and Cherry 2014"
    empty: ClassVar[str] = "0 (nothing matches), for an empty response or an empty reference"
    hard_matching: ClassVar[bool] = True

    n: int = param(4, "the highest n-gram order", low=1, high=9, shown=True)
    smoothing: str = param(
        "method1",
        "what happens to a precision of 0: NLTK's methods 0 to 7, or one of sacrebleu's",
        choices=SMOOTHINGS,
        source="Chen and Cherry 2014, section 3",
    )
    tokenizer: str = param(
        "whitespace", "how texts become words", choices=("whitespace", "word", "13a", "alnum")
    )
    lowercase: bool = param(False, "whether words are lower-cased first")
    epsilon: float = param(0.1, "count given to an order without a match (method1)", low=0.0)
    k: float = param(5.0, "divides the smoothed counts (method4, method7)", low=0.01)
    alpha: float = param(5.0, "weight of the prior precision (method6)", low=0.0)
    orders: int = param(
        0,
        "how many orders the smoothing looks at (method5, method6, method7); 0 means n; NLTK "
        "looks at the longest when it is given a list of weights",
        low=0,
        high=9,
    )
    smooth_value: float = param(
        -1.0,
        "what is added (sacrebleu-floor, sacrebleu-add-k); -1 means sacrebleu's default, .1 and 1",
        low=-1.0,
    )
    effective_order: bool = param(
        False, "whether orders longer than the response are left out (sacrebleu-*)"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, users in _USED_BY.items():
            given, default = getattr(self, name), type(self).__dataclass_fields__[name].default
            if given != default and self.smoothing not in users:
                raise MetricError(
                    f"has no effect with smoothing={self.smoothing!r}; it belongs to "
                    + ", ".join(users),
                    where=f"BLEU({name}={given})",
                )
        if -1.0 < self.smooth_value < 0.0:
            raise MetricError(
                "expected a number from 0, or -1 for the default",
                where=f"BLEU(smooth_value={self.smooth_value})",
            )
        if 0 < self.orders < self.n:
            raise MetricError(
                f"the smoothing must look at n={self.n} orders or more, or 0 for n",
                where=f"BLEU(orders={self.orders})",
            )
        if self.smoothing == "method6" and self._orders < 3:
            raise MetricError(
                "needs n of 3 or more, or orders of 3 or more", where="BLEU(smoothing='method6')"
            )

    @property
    def _orders(self) -> int:
        return self.orders or self.n

    @property
    def bounds(self) -> tuple[float, float]:
        """0 and 1; methods 5 and 7 average in a precision of 1 and more, up to 4/3."""
        return (0.0, 4.0 / 3.0) if self.smoothing in ("method5", "method7") else (0.0, 1.0)

    def compute(self, batch: Batch) -> Array:
        """Return BLEU of each row, shape (n,); NaN without a reference."""
        order = max(self._orders, 5) if self.smoothing in ("method5", "method7") else self._orders
        return self.score(
            ngram_statistics(batch, order, tokenizer=self.tokenizer, lowercase=self.lowercase)
        )

    def score(self, statistics: NgramStatistics) -> Array:
        """Return BLEU from its sufficient statistics, one value per row of them, shape (n,).

        Rows may be single responses or sums over many (corpus BLEU).
        """
        m = self._orders
        matches = statistics.matches.astype(np.float64)
        totals = statistics.totals.astype(np.float64)
        lengths = statistics.lengths.astype(np.float64)
        if self.smoothing.startswith(_SACREBLEU):
            log_mean = self._sacrebleu(matches[:, :m], totals[:, :m])
        else:
            # NLTK divides by 1 where a response has no n-gram of an order.
            p = self._nltk(matches, np.maximum(totals, 1.0), totals, lengths)[:, : self.n]
            # It leaves precisions of 0 out of the sum rather than out of the mean.
            log_mean = np.log(np.where(p > 0.0, p, 1.0)).sum(axis=1) / self.n
            log_mean[np.isnan(p).any(axis=1)] = np.nan
        out = _brevity(statistics) * np.exp(log_mean)
        out[matches[:, 0] == 0.0] = 0.0
        out[statistics.reference_lengths < 0] = np.nan
        return out

    def _nltk(self, matches: Array, totals: Array, raw_totals: Array, lengths: Array) -> Array:
        """Return the smoothed precisions, shape (rows, orders), as NLTK's methods do."""
        m = self._orders
        p = matches[:, :m] / totals[:, :m]
        zero = matches[:, :m] == 0.0
        method = self.smoothing
        if method == "method0":
            p[zero] = sys.float_info.min
        elif method == "method1":
            p = np.where(zero, self.epsilon / totals[:, :m], p)
        elif method == "method2":
            p[:, 1:] = (matches[:, 1:m] + 1.0) / (totals[:, 1:m] + 1.0)
        elif method == "method3":
            p = np.where(zero, 0.5 ** np.cumsum(zero, axis=1) / totals[:, :m], p)
        elif method == "method6":
            p = _method6(p, matches, raw_totals, self.alpha)
        if method in ("method4", "method7"):
            # A response of one word keeps its zeros.
            logs = np.log(np.maximum(lengths, 1.0))[:, None] / self.k
            p = np.where(zero, 0.5 ** np.cumsum(zero, axis=1) * logs / totals[:, :m], p)
        if method in ("method5", "method7"):
            after = np.column_stack([p[:, 1:], matches[:, 4] / totals[:, 4]])
            before = p[:, 0] + 1.0
            for i in range(m):
                before = (before + p[:, i] + after[:, i]) / 3.0
                p[:, i] = before
        return p

    def _sacrebleu(self, matches: Array, totals: Array) -> Array:
        """Return the mean logarithm of the smoothed precisions, as sacrebleu does."""
        method = self.smoothing.removeprefix(_SACREBLEU)
        value = self.smooth_value
        if value < 0.0:
            value = 0.1 if method == "floor" else 1.0
        if method == "add-k":
            matches, totals = matches.copy(), totals.copy()
            matches[:, 1:] += value
            totals[:, 1:] += value
        zero = matches == 0.0
        present = totals > 0.0
        safe = np.where(present, totals, 1.0)
        p = matches / safe
        if method == "floor":
            p = np.where(zero, value / safe, p)
        elif method == "exp":
            p = np.where(zero, 0.5 ** np.cumsum(zero & present, axis=1) / safe, p)
        # sacrebleu floors the logarithm of 0 so far down that the score becomes 0.
        with np.errstate(divide="ignore"):
            logs = np.log(np.where(present, p, 0.0))
        if self.effective_order:
            logs = np.where(present, logs, 0.0)
            mean: Array = logs.sum(axis=1) / np.maximum(present.sum(axis=1), 1)
        else:
            mean = logs.mean(axis=1)
        return mean


def _brevity(statistics: NgramStatistics) -> Array:
    lengths = np.maximum(statistics.lengths, 1).astype(np.float64)
    penalty: Array = np.exp(np.minimum(0.0, 1.0 - statistics.reference_lengths / lengths))
    return penalty


def _method6(p: Array, matches: Array, raw_totals: Array, alpha: float) -> Array:
    """Interpolate from the third order on with the trend of the two orders before."""
    p = p.copy()
    undefined = p[:, 2] == 0.0  # where NLTK's assertion fails
    for i in range(2, p.shape[1]):
        two_before = p[:, i - 2]
        prior = np.divide(
            p[:, i - 1] ** 2, two_before, out=np.zeros(len(p)), where=two_before != 0.0
        )
        with np.errstate(invalid="ignore"):
            p[:, i] = (matches[:, i] + alpha * prior) / (raw_totals[:, i] + alpha)
    p[undefined] = np.nan
    return p
