"""Ragged columns of tokens, made from strings by compiled code.

A :class:`Tokens` column holds the tokens of many texts as one int32 array of *type* ids plus
offsets; every distinct token string (a type) is stored once. Work that depends on a word alone
(lower-casing, stemming, vectors, tags' features) is done per type, never per token.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numba import njit
from numpy.typing import NDArray

from convoscope.errors import InputError

__all__ = ["Tokens", "from_token_lists", "split_whitespace"]

_FNV_OFFSET = np.uint64(0xCBF29CE484222325)
_FNV_PRIME = np.uint64(0x100000001B3)


@dataclass(frozen=True, eq=False)
class Tokens:
    """The tokens of n texts, as type ids.

    ``ids[offsets[i]:offsets[i + 1]]`` are the tokens of text i; ``types[k]`` is the string of
    type k, numbered in order of first appearance.
    """

    ids: NDArray[np.int32]
    """Type ids of all tokens, concatenated, shape (n_tokens,)."""
    offsets: NDArray[np.int64]
    """Where each text begins, shape (n_texts + 1,)."""
    buffer: NDArray[np.uint8]
    """UTF-8 bytes that the spans point into."""
    spans: NDArray[np.int64]
    """Start and end of each type in the buffer, shape (n_types, 2)."""

    @property
    def n_types(self) -> int:
        """How many distinct tokens there are."""
        return len(self.spans)

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """Number of tokens of each text, shape (n_texts,)."""
        return np.diff(self.offsets)

    @cached_property
    def types(self) -> list[str]:
        """The string of each type."""
        raw = self.buffer.tobytes()
        return [raw[a:b].decode("utf-8") for a, b in self.spans.tolist()]

    def words(self, text: int) -> list[str]:
        """Return the tokens of one text as strings."""
        types = self.types
        return [types[k] for k in self.ids[self.offsets[text] : self.offsets[text + 1]]]

    def map_types(self, strings: Sequence[str]) -> Tokens:
        """Return the same tokens with type k spelled ``strings[k]``; equal spellings merge."""
        merged = split_whitespace(strings) if all(_plain(s) for s in strings) else None
        if merged is not None and len(merged.ids) == len(strings):
            new_ids, column = merged.ids, merged
        else:  # a spelling that is empty or holds white space cannot go through the splitter
            column = from_token_lists([[s] for s in strings])
            new_ids = column.ids
        return Tokens(new_ids[self.ids], self.offsets, column.buffer, column.spans)

    def lower(self) -> Tokens:
        """Return the lower-cased column (``str.lower`` on each token)."""
        return self.map_types([t.lower() for t in self.types])


def _plain(s: str) -> bool:
    return bool(s) and len(s.split(None, 1)) == 1 and not s[0].isspace() and not s[-1].isspace()


def split_whitespace(texts: Sequence[str]) -> Tokens:
    """Split every text at Unicode white space, exactly as ``str.split()`` does.

    Raises
    ------
    InputError
        A text holds a lone surrogate, which no file encoding can carry.
    """
    buffer, offsets = encode(texts)
    ids, token_offsets, spans = _split(buffer, offsets)
    return Tokens(ids, token_offsets, buffer, spans)


def from_token_lists(lists: Sequence[Sequence[str]]) -> Tokens:
    """Build a column from tokens that another tokeniser made."""
    offsets = np.zeros(len(lists) + 1, np.int64)
    np.cumsum([len(t) for t in lists], out=offsets[1:])
    index: dict[str, int] = {}
    ids = np.fromiter(
        (index.setdefault(t, len(index)) for tokens in lists for t in tokens),
        np.int32,
        count=int(offsets[-1]),
    )
    buffer, ends = encode(list(index))
    return Tokens(ids, offsets, buffer, np.stack([ends[:-1], ends[1:]], axis=1))


def encode(texts: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the UTF-8 bytes of all texts and where each begins."""
    try:
        array = pa.array(texts, pa.large_string())
    except UnicodeEncodeError as error:
        bad = next(i for i, t in enumerate(texts) if _has_surrogate(t))
        raise InputError(
            f"text {bad} holds a lone surrogate ({texts[bad][:40]!r}), which is not valid Unicode; "
            "read the file with the right encoding"
        ) from error
    _, offset_buffer, data = array.buffers()
    offsets = np.frombuffer(offset_buffer, np.int64)[: len(texts) + 1]
    size = int(offsets[-1]) if len(texts) else 0
    if not len(texts):
        offsets = np.zeros(1, np.int64)
    raw = np.frombuffer(data, np.uint8)[:size] if data is not None else np.empty(0, np.uint8)
    return raw, offsets


def _has_surrogate(text: str) -> bool:
    return any("\ud800" <= c <= "\udfff" for c in text)


@njit(cache=True, nogil=True, inline="always")
def _space_width(buf: Any, i: int, end: int) -> int:
    """Return the byte width of the white-space character at i, 0 if it is none.

    The set is that of ``str.isspace``: U+0009-000D, 001C-0020, 0085, 00A0, 1680, 2000-200A,
    2028, 2029, 202F, 205F, 3000.
    """
    b = buf[i]
    width = 0
    if b < 0x80:
        if (9 <= b <= 13) or (28 <= b <= 32):
            width = 1
    elif b == 0xC2 and i + 1 < end:
        if buf[i + 1] == 0x85 or buf[i + 1] == 0xA0:
            width = 2
    elif 0xE1 <= b <= 0xE3 and i + 2 < end:
        c, d = buf[i + 1], buf[i + 2]
        if b == 0xE1:
            if c == 0x9A and d == 0x80:
                width = 3
        elif b == 0xE2:
            if (c == 0x80 and (d <= 0x8A or d == 0xA8 or d == 0xA9 or d == 0xAF)) or (
                c == 0x81 and d == 0x9F
            ):
                width = 3
        elif c == 0x80 and d == 0x80:
            width = 3
    return width


@njit(cache=True, nogil=True)
def _split_some(
    buf: Any,
    offsets: Any,
    first: int,
    table: Any,
    spans: Any,
    hashes: Any,
    n_types: int,
    ids: Any,
    token_offsets: Any,
) -> Any:
    """Split texts from `first` on, as far as the type table is sure to hold their words.

    Growing the arrays inside this loop would make it four times slower (they could no longer
    stay in registers), so it stops and lets the caller grow them.
    """
    mask = np.uint64(len(table) - 1)
    capacity = len(spans)
    n_tokens = token_offsets[first]
    for t in range(first, len(offsets) - 1):
        i, end = offsets[t], offsets[t + 1]
        if n_types + (end - i) // 2 + 1 > capacity:
            return t, n_types
        while i < end:
            width = _space_width(buf, i, end)
            if width:
                i += width
                continue
            start = i
            h = _FNV_OFFSET
            while i < end:
                b = buf[i]
                if (b <= 32 or b >= 0xC2) and _space_width(buf, i, end):
                    break
                h = (h ^ np.uint64(b)) * _FNV_PRIME
                i += 1
            slot = np.int64((h ^ (h >> np.uint64(29))) & mask)
            while True:
                k = table[slot]
                if k < 0:
                    break
                if hashes[k] == h and spans[k, 1] - spans[k, 0] == i - start:
                    at = spans[k, 0]
                    j = start
                    while j < i and buf[at] == buf[j]:
                        at += 1
                        j += 1
                    if j == i:
                        break
                slot = np.int64(np.uint64(slot + 1) & mask)
            if k < 0:
                k = n_types
                spans[k, 0], spans[k, 1], hashes[k] = start, i, h
                table[slot] = k
                n_types += 1
            ids[n_tokens] = k
            n_tokens += 1
        token_offsets[t + 1] = n_tokens
    return len(offsets) - 1, n_types


@njit(cache=True, nogil=True)
def _fill_table(table: Any, hashes: Any, n_types: int) -> None:
    mask = np.uint64(len(table) - 1)
    table[:] = -1
    for k in range(n_types):
        h = hashes[k]
        slot = np.int64((h ^ (h >> np.uint64(29))) & mask)
        while table[slot] >= 0:
            slot = np.int64(np.uint64(slot + 1) & mask)
        table[slot] = k


def _split(
    buf: NDArray[np.uint8], offsets: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    n = len(offsets) - 1
    token_offsets = np.zeros(n + 1, np.int64)
    ids = np.empty(len(buf) // 2 + n + 1, np.int32)
    longest = int(np.diff(offsets).max(initial=0)) // 2 + 1
    capacity = 1 << max(12, (2 * longest - 1).bit_length())
    spans = np.empty((capacity, 2), np.int64)
    hashes = np.empty(capacity, np.uint64)
    table = np.full(2 * capacity, -1, np.int32)
    done, n_types = 0, 0
    while done < n:
        done, n_types = _split_some(
            buf, offsets, done, table, spans, hashes, n_types, ids, token_offsets
        )
        if done < n:
            capacity *= 4
            spans = np.concatenate([spans[:n_types], np.empty((capacity - n_types, 2), np.int64)])
            hashes = np.concatenate([hashes[:n_types], np.empty(capacity - n_types, np.uint64)])
            table = np.empty(2 * capacity, np.int32)
            _fill_table(table, hashes, n_types)
    return ids[: token_offsets[-1]].copy(), token_offsets, spans[:n_types].copy()
