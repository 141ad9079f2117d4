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

__all__ = ["Tokens", "encode", "from_token_lists", "split_bytes", "split_whitespace"]

_MIX = np.uint64(0x9E3779B97F4A7C15)
_LOW_BYTES = np.array([*((1 << 8 * k) - 1 for k in range(8)), 2**64 - 1], np.uint64)


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
        # Two flat lists: a list per span would set off the garbage collector.
        starts, ends = self.spans[:, 0].tolist(), self.spans[:, 1].tolist()
        return [raw[a:b].decode("utf-8") for a, b in zip(starts, ends, strict=True)]

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
    ids, token_offsets, spans = split_bytes(buffer, offsets)
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
def _chunk(words: Any, buf: Any, at: int, size: int) -> Any:
    """Return `size` <= 8 bytes at a position as one integer, first byte lowest."""
    if at < len(words):
        return words[at] & _LOW_BYTES[size]
    value = np.uint64(0)
    for k in range(size):
        value |= np.uint64(buf[at + k]) << np.uint64(8 * k)
    return value


@njit(cache=True, nogil=True)
def _split_some(
    buf: Any,
    words: Any,
    offsets: Any,
    separators: Any,
    place: Any,
    table: Any,
    spans: Any,
    ids: Any,
    token_offsets: Any,
) -> None:
    """Split texts as far as the type table is sure to hold their words.

    A slot of the table is (key, 16 k + size) of type k. A word of up to 8 bytes is its own key,
    so that equal slots mean equal words; a longer one (size 9) has a hash for key, and its bytes
    are compared. `place` holds the next text, the next separator and the number of types.
    Growing the arrays inside this loop would make it four times slower (they could no longer
    stay in registers), so it stops and lets the caller grow them.
    """
    mask = np.uint64(len(table) - 1)
    first, q, n_types = place[0], place[1], place[2]
    n_tokens = token_offsets[first]
    for t in range(first, len(offsets) - 1):
        i, end = offsets[t], offsets[t + 1]
        if n_types + (end - i) // 2 + 1 > len(spans):
            place[0], place[1], place[2] = t, q, n_types
            return
        while i < end:
            stop, width = end, 0
            while q < len(separators) and separators[q] < end:
                q += 1
                width = _space_width(buf, separators[q - 1], end)
                if width:
                    stop = separators[q - 1]
                    break
            size = stop - i
            if size > 0:
                key = _chunk(words, buf, i, min(size, 8))
                if size > 8:
                    for j in range(i + 8, stop, 8):
                        key = (key ^ _chunk(words, buf, j, min(stop - j, 8))) * _MIX
                        key ^= key >> np.uint64(32)
                    size = 9
                h = (key ^ np.uint64(size)) * _MIX
                slot = np.int64((h ^ (h >> np.uint64(32))) & mask)
                while True:
                    found = np.int64(table[slot, 1])
                    if found < 0:
                        break
                    if table[slot, 0] == key and (found & 15) == size:
                        if size <= 8:
                            break
                        at, j = spans[found >> 4, 0], i
                        same = spans[found >> 4, 1] - at == stop - i
                        while same and j < stop:
                            step = min(stop - j, 8)
                            same = _chunk(words, buf, at, step) == _chunk(words, buf, j, step)
                            at += 8
                            j += 8
                        if same:
                            break
                    slot = np.int64(np.uint64(slot + 1) & mask)
                if found < 0:
                    spans[n_types, 0], spans[n_types, 1] = i, stop
                    found = 16 * n_types + size
                    table[slot, 0], table[slot, 1] = key, np.uint64(found)
                    n_types += 1
                ids[n_tokens] = found >> 4
                n_tokens += 1
            i = stop + width
        token_offsets[t + 1] = n_tokens
    place[0], place[1], place[2] = len(offsets) - 1, q, n_types


@njit(cache=True, nogil=True)
def _refill(old: Any, table: Any) -> None:
    mask = np.uint64(len(table) - 1)
    for s in range(len(old)):
        if np.int64(old[s, 1]) >= 0:
            h = (old[s, 0] ^ (old[s, 1] & np.uint64(15))) * _MIX
            slot = np.int64((h ^ (h >> np.uint64(32))) & mask)
            while np.int64(table[slot, 1]) >= 0:
                slot = np.int64(np.uint64(slot + 1) & mask)
            table[slot, 0], table[slot, 1] = old[s, 0], old[s, 1]


def split_bytes(
    buffer: NDArray[np.uint8], offsets: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """Split UTF-8 texts at white space; return type ids, token offsets and the types' spans."""
    n = len(offsets) - 1
    # NumPy finds the bytes that white space can begin with far faster than a loop could.
    begins = (buffer <= 32) | (buffer == 0xC2) | ((buffer >= 0xE1) & (buffer <= 0xE3))
    separators = np.flatnonzero(begins)
    token_offsets = np.zeros(n + 1, np.int64)
    ids = np.empty(len(separators) + n, np.int32)
    longest = int(np.diff(offsets).max(initial=0)) // 2 + 1
    capacity = 1 << max(12, (2 * longest - 1).bit_length())
    spans = np.empty((capacity, 2), np.int64)
    table = _empty_table(capacity)
    words = _overlapping_words(buffer)
    place = np.zeros(3, np.int64)
    while place[0] < n:
        if place[2]:
            spans = np.concatenate([spans, np.empty_like(spans)])
            grown = _empty_table(len(spans))
            _refill(table, grown)
            table = grown
        _split_some(buffer, words, offsets, separators, place, table, spans, ids, token_offsets)
    return ids[: token_offsets[-1]], token_offsets, spans[: place[2]].copy()


def _empty_table(capacity: int) -> NDArray[np.uint64]:
    return np.full((2 * capacity, 2), 2**64 - 1, np.uint64)


def _overlapping_words(buffer: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return the 8 bytes from every position on as integers: a view, one byte apart."""
    if len(buffer) < 16:
        # With one element NumPy would call the view aligned, and numba compile once more.
        return np.ndarray((2,), "<u8", np.zeros(16, np.uint8).data, strides=(1,))[:0]
    return np.ndarray((len(buffer) - 7,), "<u8", buffer.data, strides=(1,))
