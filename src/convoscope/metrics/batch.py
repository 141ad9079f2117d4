"""What a response metric is given: responses as columns over unique texts."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from convoscope.text.analysis import Texts

__all__ = ["Batch"]

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Batch:
    """Responses to score: index columns into shared texts.

    Row p is one response. Its references are
    ``references[reference_offsets[p]:reference_offsets[p + 1]]``, its context's utterances
    ``contexts[context_offsets[p]:context_offsets[p + 1]]``, oldest first.
    """

    texts: Texts
    """The unique texts that every column points into."""
    candidates: NDArray[np.int32]
    """The response of each row, shape (n,)."""
    references: NDArray[np.int32]
    """All references, concatenated."""
    reference_offsets: NDArray[np.int64]
    """Where each row's references begin, shape (n + 1,)."""
    contexts: NDArray[np.int32]
    """All context utterances, concatenated."""
    context_offsets: NDArray[np.int64]
    """Where each row's context begins, shape (n + 1,)."""
    _memo: dict[Hashable, object] = field(default_factory=dict, init=False, repr=False)

    def __len__(self) -> int:
        return len(self.candidates)

    @classmethod
    def from_strings(
        cls,
        candidates: Sequence[str],
        references: Sequence[Sequence[str]] | None = None,
        contexts: Sequence[Sequence[str]] | None = None,
    ) -> Batch:
        """Intern strings and build the columns."""
        n = len(candidates)
        refs: Sequence[Sequence[str]] = references if references is not None else [()] * n
        ctxs: Sequence[Sequence[str]] = contexts if contexts is not None else [()] * n
        flat = [*candidates, *(t for r in refs for t in r), *(t for c in ctxs for t in c)]
        reference_offsets = _offsets([len(r) for r in refs])
        context_offsets = _offsets([len(c) for c in ctxs])
        texts = Texts()
        ids = texts.intern(flat)
        last = n + int(reference_offsets[-1])
        return cls(texts, ids[:n], ids[n:last], reference_offsets, ids[last:], context_offsets)

    def memo(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return ``make()``, computed at the first call with this key.

        For what depends on which texts meet in a row; what depends on a text alone belongs in
        :meth:`Texts.memo <convoscope.text.analysis.Texts.memo>`.
        """
        if key not in self._memo:
            self._memo[key] = make()
        return cast(T, self._memo[key])

    def pairs(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return every (candidate, reference) pair as two text-index columns.

        Pairs stand in the order of :attr:`references`; :meth:`reduce` goes back to rows.
        """
        counts = np.diff(self.reference_offsets)
        return np.repeat(self.candidates, counts), self.references

    def reduce(self, pair_values: NDArray[np.float64], rule: str) -> NDArray[np.float64]:
        """Combine the values of each row's references by ``"max"`` or ``"mean"``.

        Rows without a reference get NaN.
        """
        counts = np.diff(self.reference_offsets)
        out = np.full(len(self), np.nan)
        has = counts > 0
        if not has.any():
            return out
        starts = self.reference_offsets[:-1][has]
        if rule == "max":
            out[has] = np.maximum.reduceat(pair_values, starts)
        else:
            out[has] = np.add.reduceat(pair_values, starts) / counts[has]
        return out

    def select(self, rows: NDArray[np.intp]) -> Batch:
        """Return the batch of some rows, over the same texts."""
        references, reference_offsets = _take(self.references, self.reference_offsets, rows)
        contexts, context_offsets = _take(self.contexts, self.context_offsets, rows)
        return Batch(
            self.texts,
            self.candidates[rows],
            references,
            reference_offsets,
            contexts,
            context_offsets,
        )

    def rewritten(self, rewrite: Callable[[], Sequence[str]], key: Hashable) -> Batch:
        """Return the same rows with text i replaced by ``rewrite()[i]``.

        The new texts are made and interned once per `key`, so that metrics which share a
        rewriting (the words of one tag set) share its columns too.
        """

        def make() -> tuple[Texts, NDArray[np.int32]]:
            texts = Texts()
            return texts, texts.intern(rewrite())

        def rows() -> Batch:
            texts, new = self.texts.memo(("rewritten", key), make)
            return Batch(
                texts,
                new[self.candidates],
                new[self.references],
                self.reference_offsets,
                new[self.contexts],
                self.context_offsets,
            )

        return self.memo(("rewritten", key), rows)


def _offsets(counts: Sequence[int]) -> NDArray[np.int64]:
    offsets = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets


def _take(
    values: NDArray[np.int32], offsets: NDArray[np.int64], rows: NDArray[np.intp]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    counts = np.diff(offsets)[rows]
    new = _offsets(counts.tolist())
    shift = np.repeat(offsets[:-1][rows] - new[:-1], counts)
    return values[np.arange(int(new[-1])) + shift], new
