"""The arithmetic of spaCy's hash-embedding tagger without spaCy.

Three things are done here exactly as spaCy and thinc do them, because the weights were made for
them: a token's lexical attributes are strings, a string is a 64-bit number (MurmurHash64A, or its
place in spaCy's symbol table), and that number picks four rows of an embedding table
(MurmurHash3). The rest is a convolution.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = [
    "attribute_ids",
    "best_column",
    "gather_sum",
    "hash_rows",
    "lay_out",
    "localise",
    "maxout_norm",
    "near",
    "sum_rows",
    "window_rows",
]

_SHAPE_OF_ASCII = {
    **dict.fromkeys(range(ord("A"), ord("Z") + 1), "X"),
    **dict.fromkeys(range(ord("a"), ord("z") + 1), "x"),
    **dict.fromkeys(range(ord("0"), ord("9") + 1), "d"),
}
_LONG_RUN = re.compile(r"(.)\1{4,}", re.DOTALL)


def _shape(word: str) -> str:
    """Return the word's shape: ``Xxxx`` for ``Hello``, runs cut at four."""
    if len(word) >= 100:
        return "LONG"
    if word.isascii():
        shape = word.translate(_SHAPE_OF_ASCII)
    else:
        shape = "".join(
            ("X" if c.isupper() else "x") if c.isalpha() else "d" if c.isdigit() else c
            for c in word
        )
    return _LONG_RUN.sub(lambda run: run[1] * 4, shape)


_ATTRIBUTES: dict[str, Callable[[str], str]] = {
    "ORTH": lambda word: word,
    "LOWER": str.lower,
    "PREFIX": lambda word: word[:1],
    "SUFFIX": lambda word: word[-3:],
    "SHAPE": _shape,
}


def attribute_ids(
    types: Sequence[str], attributes: Sequence[str], symbols: Mapping[str, int]
) -> NDArray[np.uint64]:
    """Return the number of every attribute of every word type, types × attributes.

    Parameters
    ----------
    types
        The words.
    attributes
        Names out of ORTH, LOWER, PREFIX, SUFFIX, SHAPE.
    symbols
        The strings spaCy keeps a small number for instead of a hash.
    """
    ids = np.zeros((len(types), len(attributes)), dtype=np.uint64)
    for column, attribute in enumerate(attributes):
        of = _ATTRIBUTES[attribute]
        number: dict[str, int] = {}
        place = np.fromiter(
            (number.setdefault(of(word), len(number)) for word in types),
            dtype=np.int64,
            count=len(types),
        )
        # A lone surrogate has no UTF-8 form; any stable stand-in will do.
        chunks = [s.encode("utf-8", "surrogatepass") for s in number]
        ends = np.cumsum([0, *map(len, chunks)], dtype=np.int64)
        values = _hash_strings(np.frombuffer(b"".join(chunks) + b"\0", dtype=np.uint8), ends)
        for string, at in number.items():
            if string in symbols:
                values[at] = symbols[string]
        ids[:, column] = values[place]
    return ids


@njit(cache=True, nogil=True)
def _hash_strings(data: NDArray[np.uint8], ends: NDArray[np.int64]) -> NDArray[np.uint64]:
    """MurmurHash64A with seed 1 of ``data[ends[i]:ends[i + 1]]``; the empty string is 0."""
    m = np.uint64(0xC6A4A7935BD1E995)
    out = np.zeros(len(ends) - 1, dtype=np.uint64)
    for i in range(len(ends) - 1):
        start, end = ends[i], ends[i + 1]
        n = end - start
        if n == 0:
            continue
        h = np.uint64(1) ^ (np.uint64(n) * m)
        whole = start + (n // 8) * 8
        for at in range(start, whole, 8):
            k = np.uint64(0)
            for b in range(8):
                k |= np.uint64(data[at + b]) << np.uint64(8 * b)
            k *= m
            k ^= k >> np.uint64(47)
            k *= m
            h ^= k
            h *= m
        if end > whole:
            for b in range(end - whole):
                h ^= np.uint64(data[whole + b]) << np.uint64(8 * b)
            h *= m
        h ^= h >> np.uint64(47)
        h *= m
        h ^= h >> np.uint64(47)
        out[i] = h
    return out


@njit(cache=True, nogil=True)
def _mix(h: np.uint64) -> np.uint64:
    h ^= h >> np.uint64(33)
    h *= np.uint64(0xFF51AFD7ED558CCD)
    h ^= h >> np.uint64(33)
    h *= np.uint64(0xC4CEB9FE1A85EC53)
    h ^= h >> np.uint64(33)
    return h


@njit(cache=True, nogil=True)
def hash_rows(ids: NDArray[np.uint64], seed: int, n_rows: int) -> NDArray[np.int32]:
    """Return the four table rows of every number (thinc's ``ops.hash(ids, seed) % n_rows``)."""
    out = np.empty((len(ids), 4), dtype=np.int32)
    s = np.uint64(seed)
    low = np.uint64(0xFFFFFFFF)
    n = np.uint64(n_rows)
    for i in range(len(ids)):
        h1 = np.uint64(ids[i]) * np.uint64(0x87C37B91114253D5)
        h1 = (h1 << np.uint64(31)) | (h1 >> np.uint64(33))
        h1 *= np.uint64(0x4CF5AD432745937F)
        h1 ^= s
        h1 ^= np.uint64(8)
        h2 = s ^ np.uint64(8)
        h1 += h2
        h2 += h1
        h1 = _mix(h1)
        h2 = _mix(h2)
        h1 += h2
        h2 += h1
        out[i, 0] = (h1 & low) % n
        out[i, 1] = (h1 >> np.uint64(32)) % n
        out[i, 2] = (h2 & low) % n
        out[i, 3] = (h2 >> np.uint64(32)) % n
    return out


@njit(cache=True, nogil=True)
def sum_rows(
    table: NDArray[np.float32], rows: NDArray[np.int32], out: NDArray[np.float32], at: int
) -> None:
    """Write the sum of each line's four table rows into ``out[:, at:at + width]``."""
    width = table.shape[1]
    for i in range(len(rows)):
        a, b, c, d = rows[i, 0], rows[i, 1], rows[i, 2], rows[i, 3]
        for j in range(width):
            # thinc adds row after row to a zeroed line: the same order, the same rounding.
            out[i, at + j] = ((table[a, j] + table[b, j]) + table[c, j]) + table[d, j]


@njit(cache=True, nogil=True)
def lay_out(
    ids: NDArray[np.int32], offsets: NDArray[np.int64], depth: int
) -> tuple[NDArray[np.int32], NDArray[np.uint8], NDArray[np.int64]]:
    """Lay texts out in one line with `depth` empty cells around each.

    A convolution of `depth` layers then sees of another text exactly nothing.

    Returns
    -------
    cells
        The type of each cell, -1 where it is empty.
    distance
        How far the nearest token is (0 for a token itself).
    places
        The cell of each token.
    """
    n_texts = len(offsets) - 1
    size = len(ids) + depth * (n_texts + 1)
    cells = np.full(size, -1, dtype=np.int32)
    distance = np.full(size, 255, dtype=np.uint8)
    places = np.empty(len(ids), dtype=np.int64)
    at = depth
    for text in range(n_texts):
        for token in range(offsets[text], offsets[text + 1]):
            cells[at] = ids[token]
            distance[at] = 0
            places[token] = at
            at += 1
        at += depth
    for i in range(1, size):
        if distance[i] > distance[i - 1]:
            distance[i] = min(distance[i], min(distance[i - 1], 254) + 1)
    for i in range(size - 2, -1, -1):
        if distance[i] > distance[i + 1]:
            distance[i] = min(distance[i], min(distance[i + 1], 254) + 1)
    return cells, distance, places


@njit(cache=True, nogil=True)
def near(distance: NDArray[np.uint8], start: int, stop: int, within: int) -> NDArray[np.int64]:
    """Return the cells of ``start:stop`` that have a token `within` that many steps."""
    out = np.empty(max(stop - start, 0), dtype=np.int64)
    n = 0
    for i in range(max(start, 0), min(stop, len(distance))):
        if distance[i] <= within:
            out[n] = i
            n += 1
    return out[:n]


@njit(cache=True, nogil=True)
def localise(
    cells: NDArray[np.int32], place: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Give the types of some cells numbers by first appearance.

    `place` is scratch: all -1 before and after.

    Returns
    -------
    local
        The new number of each cell's type, -1 for an empty cell.
    types
        The types by their new number.
    """
    local = np.empty(len(cells), dtype=np.int32)
    types = np.empty(len(cells), dtype=np.int32)
    n = 0
    for i in range(len(cells)):
        cell = cells[i]
        if cell < 0:
            local[i] = -1
            continue
        if place[cell] < 0:
            place[cell] = n
            types[n] = cell
            n += 1
        local[i] = place[cell]
    for i in range(n):
        place[types[i]] = -1
    return local, types[:n]


@njit(cache=True, nogil=True)
def window_rows(
    x: NDArray[np.float32], rows: NDArray[np.int64], shift: int, out: NDArray[np.float32]
) -> None:
    """Write the three lines of `x` around each row, side by side, into `out`."""
    width = x.shape[1]
    for i in range(len(rows)):
        r = rows[i] - shift
        for j in range(width):
            out[i, j] = x[r - 1, j]
            out[i, width + j] = x[r, j]
            out[i, 2 * width + j] = x[r + 1, j]


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"})
def maxout_norm(
    y: NDArray[np.float32],
    bias: NDArray[np.float32],
    gain: NDArray[np.float32],
    offset: NDArray[np.float32],
    add: NDArray[np.float32],
    rows: NDArray[np.int64],
    shift: int,
    out: NDArray[np.float32],
) -> None:
    """Take the best piece of each unit, normalise the line, add the residual.

    `y` is lines × (pieces · width), piece after piece, so that the loops run along memory. Line i
    goes to ``out[rows[i] - shift]``, plus the same line of `add`.
    """
    width = len(gain)
    pieces = y.shape[1] // width
    best = np.empty(width, dtype=np.float32)
    for i in range(len(rows)):
        r = rows[i] - shift
        for j in range(width):
            best[j] = y[i, j] + bias[j]
        for p in range(1, pieces):
            base = p * width
            for j in range(width):
                v = y[i, base + j] + bias[base + j]
                best[j] = v if v > best[j] else best[j]
        total = np.float32(0)
        for j in range(width):
            total += best[j]
        mean = total / np.float32(width)
        total = np.float32(0)
        for j in range(width):
            best[j] -= mean
            total += best[j] * best[j]
        scale = np.float32(1) / np.sqrt(total / np.float32(width) + np.float32(1e-8))
        for j in range(width):
            out[r, j] = add[r, j] + (best[j] * scale * gain[j] + offset[j])


@njit(cache=True, nogil=True)
def gather_sum(
    before: NDArray[np.float32],
    here: NDArray[np.float32],
    after: NDArray[np.float32],
    local: NDArray[np.int32],
    rows: NDArray[np.int64],
    shift: int,
    out: NDArray[np.float32],
) -> None:
    """Add up the first layer's three products per type; an empty cell contributes nothing."""
    for i in range(len(rows)):
        r = rows[i] - shift
        a, b, c = local[r - 1], local[r], local[r + 1]
        width = out.shape[1]
        if b >= 0:
            for j in range(width):
                out[i, j] = here[b, j]
        else:
            for j in range(width):
                out[i, j] = np.float32(0)
        if a >= 0:
            for j in range(width):
                out[i, j] += before[a, j]
        if c >= 0:
            for j in range(width):
                out[i, j] += after[c, j]


@njit(cache=True, nogil=True)
def best_column(
    scores: NDArray[np.float32],
    tags: NDArray[np.uint8],
    bias: NDArray[np.float32],
    out: NDArray[np.uint8],
) -> None:
    """Write the tag of each line's highest score (the first of equals)."""
    for i in range(len(out)):
        best = 0
        top = scores[i, 0] + bias[0]
        for j in range(1, len(bias)):
            v = scores[i, j] + bias[j]
            if v > top:
                top = v
                best = j
        out[i] = tags[best]
