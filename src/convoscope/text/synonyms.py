"""Synonyms of English words, as NLTK finds them in WordNet 3.0, for columns of word types.

The synonyms of a word are the single-word names of the lemmas of ``wordnet.synsets(word)``:
NLTK looks the word up as it is and in its base forms, for each part of speech; base forms come
from the exception list if the word is in it, else from every suffix rule that fits. The embedded
table (``recipes/wordnet.py``) holds what lemmas and exceptions lead to; the rules are here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from convoscope.assets import asset
from convoscope.text.columns import Tokens, from_token_lists

__all__ = ["Synonyms", "load_synonyms"]

_FNV_OFFSET = np.uint64(0xCBF29CE484222325)
_FNV_PRIME = np.uint64(0x100000001B3)

# nltk.corpus.reader.wordnet: MORPHOLOGICAL_SUBSTITUTIONS, by the table's kinds of row.
_RULES: tuple[tuple[int, str], ...] = (
    (0, "s= ses=s ves=f xes=x zes=z ches=ch shes=sh men=man ies=y"),
    (1, "s= ies=y es=e es= ed=e ed= ing=e ing="),
    (2, "er= est= er=e est=e"),
)
_EXCEPTION = 4  # added to the part of speech in the rows of exception forms
_ROWS_AT_MOST = 16  # the word in 4 parts of speech, and the rules that can fit one word


def _pack() -> NDArray[np.uint8]:
    rows = []
    for pos, rules in _RULES:
        for rule in rules.split():
            old, new = rule.split("=")
            rows.append(
                bytes([pos, len(old), len(new)]) + old.encode().ljust(4) + new.encode().ljust(4)
            )
    return np.frombuffer(b"".join(rows), np.uint8).reshape(len(rows), 11).copy()


_PACKED = _pack()


@dataclass(frozen=True, eq=False)
class Synonyms:
    """The embedded synonym table."""

    signature: str
    """Which table this is, with its version."""
    buffer: NDArray[np.uint8]
    """UTF-8 bytes of all strings, in order."""
    starts: NDArray[np.int32]
    """Where each string begins, and the end of the last."""
    rows: NDArray[np.int32]
    """Where each string's rows begin, and the end of the last."""
    kinds: NDArray[np.uint8]
    """Of each row: 0-3 noun, verb, adjective, adverb; 4-7 the same for an exception form."""
    sets: NDArray[np.int32]
    """The set of each row."""
    set_starts: NDArray[np.int32]
    """Where each set begins, and the end of the last."""
    names: NDArray[np.int32]
    """The members of all sets, as string numbers."""
    table: NDArray[np.int32]
    """Hash table from a string's bytes to its number."""
    longest: int
    """Bytes of the longest string."""

    def of(self, words: Sequence[str]) -> list[set[str]]:
        """Return the synonyms of each word, as WordNet spells them.

        A word that WordNet knows is among its own synonyms; the set is empty for any other.
        """
        column = from_token_lists([[w.lower()] for w in words])
        offsets, found = self._found(column)
        out: list[set[str]] = []
        for k in column.ids:
            numbers = {
                int(n)
                for s in found[offsets[k] : offsets[k + 1]]
                for n in self.names[self.set_starts[s] : self.set_starts[s + 1]]
            }
            out.append({self._string(n) for n in numbers})
        return out

    def among(self, column: Tokens) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return which types of a lower-cased column are synonyms of which.

        Returns
        -------
        tuple
            Offsets, shape (n_types + 1,), and types: those at ``offsets[k]:offsets[k + 1]`` are
            the other types of the column that :meth:`of` type k holds, in no special order.
        """
        type_of = np.full(len(self.starts) - 1, -1, np.int32)
        _match(column.buffer, column.spans, self.buffer, self.starts, self.table, type_of)
        found_at, found = self._found(column)
        sizes = np.diff(self.set_starts)
        out = np.empty(int(sizes[found].sum()), np.int32)
        offsets = np.zeros(column.n_types + 1, np.int64)
        seen = np.full(column.n_types, -1, np.int32)
        _gather(found_at, found, self.set_starts, self.names, type_of, seen, offsets, out)
        return offsets, out[: offsets[-1]].copy()

    def _found(self, column: Tokens) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        offsets = np.zeros(column.n_types + 1, np.int64)
        found = np.empty(column.n_types * _ROWS_AT_MOST, np.int32)
        scratch = np.empty(self.longest + 4, np.uint8)
        _find_sets(
            column.buffer, column.spans, self.buffer, self.starts, self.table,
            self.rows, self.kinds, self.sets, scratch, offsets, found,
        )  # fmt: skip
        return offsets, found[: offsets[-1]]

    def _string(self, number: int) -> str:
        start, end = self.starts[number], self.starts[number + 1]
        return self.buffer[start:end].tobytes().decode("utf-8")


@lru_cache(maxsize=1)
def load_synonyms() -> Synonyms:
    """Return the embedded table, read once."""
    found = asset("wordnet_en")

    def read(name: str) -> Any:
        return np.load(found.path / f"{name}.npy", allow_pickle=False)

    def starts(name: str) -> NDArray[np.int32]:
        ends = read(name)
        return np.concatenate([np.zeros(1, np.int32), ends])

    buffer, at = read("bytes"), starts("ends")
    table = np.full(1 << int(2 * len(at)).bit_length(), -1, np.int32)
    _fill(buffer, at, table)
    return Synonyms(
        signature=f"wordnet:3.0-{found.identity}",
        buffer=buffer,
        starts=at,
        rows=starts("row_ends"),
        kinds=read("row_kind"),
        sets=read("row_set"),
        set_starts=starts("set_ends"),
        names=read("set_names"),
        table=table,
        longest=int(np.diff(at).max()),
    )


@njit(cache=True, nogil=True)
def _slot(buf: Any, start: Any, end: Any, size: int) -> Any:
    h = _FNV_OFFSET
    for i in range(start, end):
        h = (h ^ np.uint64(buf[i])) * _FNV_PRIME
    return np.int64((h ^ (h >> np.uint64(29))) & np.uint64(size - 1))


@njit(cache=True, nogil=True)
def _fill(buf: Any, starts: Any, table: Any) -> None:
    for k in range(len(starts) - 1):
        slot = _slot(buf, starts[k], starts[k + 1], len(table))
        while table[slot] >= 0:
            slot = (slot + 1) & (len(table) - 1)
        table[slot] = k


@njit(cache=True, nogil=True)
def _find(word: Any, start: Any, end: Any, buf: Any, starts: Any, table: Any) -> Any:
    """Return the number of a string, -1 if the table does not have it."""
    slot = _slot(word, start, end, len(table))
    while True:
        k = table[slot]
        if k < 0:
            return -1
        at = starts[k]
        if starts[k + 1] - at == end - start:
            i = start
            while i < end and word[i] == buf[at]:
                i += 1
                at += 1
            if i == end:
                return np.int64(k)
        slot = (slot + 1) & (len(table) - 1)


@njit(cache=True, nogil=True)
def _match(words: Any, spans: Any, buf: Any, starts: Any, table: Any, type_of: Any) -> None:
    """Find for each string of the table the type that is spelled so."""
    for t in range(len(spans)):
        k = _find(words, spans[t, 0], spans[t, 1], buf, starts, table)
        if k >= 0:
            type_of[k] = t


@njit(cache=True, nogil=True)
def _row(rows: Any, kinds: Any, string: int, kind: int) -> int:
    if string >= 0:
        for r in range(rows[string], rows[string + 1]):
            if kinds[r] == kind:
                return r
    return -1


@njit(cache=True, nogil=True)
def _find_sets(
    words: Any,
    spans: Any,
    buf: Any,
    starts: Any,
    table: Any,
    rows: Any,
    kinds: Any,
    sets: Any,
    scratch: Any,
    offsets: Any,
    found: Any,
) -> None:
    """Write the sets that each type leads to."""
    n = 0
    for t in range(len(spans)):
        start, end = spans[t, 0], spans[t, 1]
        size = end - start
        if size == 0 or size >= len(scratch):  # no rule takes away more than three letters
            offsets[t + 1] = n
            continue
        own = _find(words, start, end, buf, starts, table)
        for pos in range(4):
            r = _row(rows, kinds, own, pos + _EXCEPTION)
            exception = r >= 0
            if not exception:
                r = _row(rows, kinds, own, pos)
            if r >= 0:
                found[n] = sets[r]
                n += 1
            if exception:
                continue
            for rule in range(len(_PACKED)):
                old = np.int64(_PACKED[rule, 1])
                if _PACKED[rule, 0] != pos or old > size:
                    continue
                k = 0
                while k < old and words[end - old + k] == _PACKED[rule, 3 + k]:
                    k += 1
                if k < old:
                    continue
                new = np.int64(_PACKED[rule, 2])
                for j in range(size - old):
                    scratch[j] = words[start + j]
                for j in range(new):
                    scratch[size - old + j] = _PACKED[rule, 7 + j]
                base = _find(scratch, 0, size - old + new, buf, starts, table)
                r = _row(rows, kinds, base, pos)
                if r >= 0:
                    found[n] = sets[r]
                    n += 1
        offsets[t + 1] = n


@njit(cache=True, nogil=True)
def _gather(
    found_at: Any,
    found: Any,
    set_starts: Any,
    names: Any,
    type_of: Any,
    seen: Any,
    offsets: Any,
    out: Any,
) -> None:
    """Unite the sets of each type, keeping the names that are types, but for its own."""
    n = 0
    for t in range(len(seen)):
        seen[t] = t
        for f in range(found_at[t], found_at[t + 1]):
            for i in range(set_starts[found[f]], set_starts[found[f] + 1]):
                other = type_of[names[i]]
                if other >= 0 and seen[other] != t:
                    seen[other] = t
                    out[n] = other
                    n += 1
        offsets[t + 1] = n
