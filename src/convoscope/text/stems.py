"""The Porter stemmer, word for word that of NLTK (``PorterStemmer()``, its default mode).

NLTK's default is Porter's algorithm with changes of its own: irregular forms, ``ies`` and ``ied``
in words of four letters, ``y`` after a consonant, ``alli`` before ``bli``, ``fulli`` and ``logi``,
and words of one or two letters left alone. METEOR's and ROUGE's reference programs stem with it,
so their numbers depend on every one of these.

Stemming runs once per word type, in compiled code on code points.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from convoscope.text.columns import Tokens, from_token_lists

__all__ = ["SIGNATURE", "porter", "stem_column"]

SIGNATURE = "stem:porter-nltk"
"""What this stemmer adds to the signature of a metric."""

_FNV_OFFSET = np.uint64(0xCBF29CE484222325)
_FNV_PRIME = np.uint64(0x100000001B3)

_IRREGULAR = (
    "sky=sky skies=sky dying=die lying=lie tying=tie news=news innings=inning inning=inning "
    "outings=outing outing=outing cannings=canning canning=canning howe=howe proceed=proceed "
    "exceed=exceed succeed=succeed"
)
# Of a rule "suffix=replacement" the first whose suffix fits decides, whether or not its
# condition holds. Conditions: 0, 1 = measure of the stem above it; 2, 3 = as `_condition` says.
_STEP2 = (
    "ational=ate tional=tion enci=ence anci=ance izer=ize bli=ble alli=al entli=ent eli=e "
    "ousli=ous ization=ize ation=ate ator=ate alism=al iveness=ive fulness=ful ousness=ous "
    "aliti=al iviti=ive biliti=ble fulli=ful logi=log"
)
_STEP3 = "icate=ic ative= alize=al iciti=ic ical=ic ful= ness="
_STEP4 = (
    "al= ance= ence= er= ic= able= ible= ant= ement= ment= ent= ion= ou= ism= ate= iti= ous= "
    "ive= ize="
)


def _pack(rules: str, condition: int, **others: int) -> NDArray[np.uint8]:
    """Return rules as rows: lengths of suffix and replacement, condition, their letters."""
    rows = []
    for rule in rules.split():
        suffix, replacement = rule.split("=")
        head = bytes([len(suffix), len(replacement), others.get(suffix, condition)])
        rows.append(head + suffix.encode().ljust(8) + replacement.encode().ljust(8))
    return np.frombuffer(b"".join(rows), np.uint8).reshape(len(rows), 19).copy()


_RULES_0 = _pack(_IRREGULAR, 0)
_RULES_2 = _pack(_STEP2, 0, logi=3)
_RULES_3 = _pack(_STEP3, 0)
_RULES_4 = _pack(_STEP4, 1, ion=2)

_A, _B, _D, _E, _G, _I, _L, _N, _O = (np.int32(ord(c)) for c in "abdegilno")
_S, _T, _U, _W, _X, _Y, _Z, _STAR = (np.int32(ord(c)) for c in "stuwxyz*")


def porter(words: Sequence[str]) -> list[str]:
    """Return the stem of each word, as ``nltk.stem.PorterStemmer().stem`` does."""
    column = from_token_lists([[w.lower()] for w in words])
    stems = stem_column(column)
    types = stems.types
    out = [types[k] for k in stems.ids]
    for i, word in enumerate(words):  # NLTK looks at the length before it lower-cases
        if len(word) <= 2 and len(low := word.lower()) > 2 and not low.isascii():
            out[i] = low
    return out


def stem_column(column: Tokens) -> Tokens:
    """Return the column of stems of a lower-cased column; types with one stem merge."""
    lengths = column.spans[:, 1] - column.spans[:, 0]
    out = np.empty(int(lengths.sum()), np.uint8)
    spans = np.empty((column.n_types, 2), np.int64)
    longest = int(lengths.max(initial=0))
    _stem_types(column.buffer, column.spans, np.empty(longest + 1, np.int32), out, spans)
    stem_of, first = number_spans(out, spans)
    return Tokens(stem_of[column.ids], column.offsets, out, spans[first])


def number_spans(
    buffer: NDArray[np.uint8], spans: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Give equal byte spans one number, in order of first appearance.

    Returns
    -------
    tuple
        The number of each span, and the first span of each number.
    """
    size = 1 << max(4, (2 * len(spans)).bit_length())
    table = np.full(size, -1, np.int32)
    numbers = np.empty(len(spans), np.int32)
    first = np.empty(len(spans), np.int32)
    count = _number(buffer, spans, table, numbers, first)
    return numbers, first[:count].copy()


@njit(cache=True, nogil=True)
def _number(buf: Any, spans: Any, table: Any, numbers: Any, first: Any) -> int:
    mask = np.uint64(len(table) - 1)
    count = 0
    for i in range(len(spans)):
        start, end = spans[i, 0], spans[i, 1]
        h = _FNV_OFFSET
        for j in range(start, end):
            h = (h ^ np.uint64(buf[j])) * _FNV_PRIME
        slot = np.int64((h ^ (h >> np.uint64(29))) & mask)
        while True:
            k = table[slot]
            if k < 0:
                table[slot] = count
                first[count] = i
                k = count
                count += 1
                break
            at, stop = spans[first[k], 0], spans[first[k], 1]
            if stop - at == end - start:
                j = start
                while j < end and buf[at] == buf[j]:
                    at += 1
                    j += 1
                if j == end:
                    break
            slot = np.int64(np.uint64(slot + 1) & mask)
        numbers[i] = k
    return count


@njit(cache=True, nogil=True)
def _stem_types(buf: Any, spans: Any, w: Any, out: Any, out_spans: Any) -> None:
    at = 0
    for t in range(len(spans)):
        n = _decode(buf, spans[t, 0], spans[t, 1], w)
        n = _stem(w, n)
        out_spans[t, 0] = at
        at = _encode(w, n, out, at)
        out_spans[t, 1] = at


@njit(cache=True, nogil=True)
def _decode(buf: Any, i: int, end: int, w: Any) -> int:
    n = 0
    while i < end:
        b = np.int32(buf[i])
        i += 1
        if b >= 0x80:
            more = 1 if b < 0xE0 else 2 if b < 0xF0 else 3
            b &= np.int32(0x3F >> more)
            for _ in range(more):
                b = (b << np.int32(6)) | np.int32(buf[i] & 0x3F)
                i += 1
        w[n] = b
        n += 1
    return n


@njit(cache=True, nogil=True)
def _encode(w: Any, n: int, out: Any, at: int) -> int:
    for i in range(n):
        c = w[i]
        if c < 0x80:
            out[at] = c
            at += 1
            continue
        more = 1 if c < 0x800 else 2 if c < 0x10000 else 3
        out[at] = ((0xFF00 >> (more + 1)) & 0xFF) | (c >> (6 * more))
        for k in range(1, more + 1):
            out[at + k] = 0x80 | ((c >> (6 * (more - k))) & 0x3F)
        at += more + 1
    return at


@njit(cache=True, nogil=True)
def _plain_vowel(c: int) -> bool:
    return c in (_A, _E, _I, _O, _U)


@njit(cache=True, nogil=True)
def _consonant(w: Any, i: int) -> bool:
    flip = False
    while i > 0 and w[i] == _Y:
        flip = not flip
        i -= 1
    return _plain_vowel(w[i]) == flip


@njit(cache=True, nogil=True)
def _measure(w: Any, n: int) -> int:
    m = 0
    vowel = False
    for i in range(n):
        c = w[i]
        now = (i > 0 and not vowel) if c == _Y else _plain_vowel(c)
        if vowel and not now:
            m += 1
        vowel = now
    return m


@njit(cache=True, nogil=True)
def _has_vowel(w: Any, n: int) -> bool:
    for i in range(n):
        if _plain_vowel(w[i]) or (w[i] == _Y and i > 0 and not _plain_vowel(w[i - 1])):
            return True
    return False


@njit(cache=True, nogil=True)
def _short(w: Any, n: int) -> bool:
    """Whether the stem ends consonant, vowel, consonant (Porter's ``*o``, NLTK's version)."""
    if n == 2:
        return not _consonant(w, 0) and _consonant(w, 1)
    if n < 3:
        return False
    last = w[n - 1]
    if last in (_W, _X, _Y):
        return False
    return _consonant(w, n - 3) and not _consonant(w, n - 2) and _consonant(w, n - 1)


@njit(cache=True, nogil=True)
def _condition(w: Any, n: Any, kind: int) -> bool:
    if kind == 2:  # ion: after s or t
        return _measure(w, n) > 1 and (w[n - 1] == _S or w[n - 1] == _T)
    if kind == 3:  # logi: the l belongs to the stem
        return _measure(w, n + 1) > 0
    return _measure(w, n) > kind


@njit(cache=True, nogil=True)
def _apply(w: Any, n: Any, rules: Any) -> Any:
    for r in range(len(rules)):
        size = np.int64(rules[r, 0])
        if size > n or w[n - 1] != rules[r, 2 + size]:
            continue
        k = 0
        while k < size and w[n - size + k] == rules[r, 3 + k]:
            k += 1
        if k < size:
            continue
        if not _condition(w, n - size, rules[r, 2]):
            return n
        put = np.int64(rules[r, 1])
        for j in range(put):
            w[n - size + j] = rules[r, 11 + j]
        return n - size + put
    return n


@njit(cache=True, nogil=True)
def _irregular(w: Any, n: int) -> Any:
    for r in range(len(_RULES_0)):
        if _RULES_0[r, 0] == n:
            k = 0
            while k < n and w[k] == _RULES_0[r, 3 + k]:
                k += 1
            if k == n:
                put = np.int64(_RULES_0[r, 1])
                for j in range(put):
                    w[j] = _RULES_0[r, 11 + j]
                return put
    return -1


@njit(cache=True, nogil=True)
def _step1a(w: Any, n: int) -> int:
    if w[n - 1] != _S:
        return n
    if n >= 3 and w[n - 3] == _I and w[n - 2] == _E:
        return n - 1 if n == 4 else n - 2
    if w[n - 2] == _S:
        return n
    sses = n >= 4 and w[n - 4] == _S and w[n - 3] == _S and w[n - 2] == _E
    return n - 2 if sses else n - 1


@njit(cache=True, nogil=True)
def _step1b(w: Any, n: int) -> int:
    if n >= 2 and w[n - 2] == _E and w[n - 1] == _D:
        if n >= 3 and w[n - 3] == _I:
            return n - 1 if n == 4 else n - 2
        if n >= 3 and w[n - 3] == _E:
            return n - 1 if _measure(w, n - 3) > 0 else n
        cut = 2
    elif n >= 3 and w[n - 3] == _I and w[n - 2] == _N and w[n - 1] == _G:
        cut = 3
    else:
        return n
    if not _has_vowel(w, n - cut):
        return n
    n -= cut
    last = w[n - 1]
    if n >= 2:
        before = w[n - 2]
        if (
            (before == _A and last == _T)
            or (before == _B and last == _L)
            or (before == _I and last == _Z)
        ):
            w[n] = _E
            return n + 1
        if before == last and _consonant(w, n - 1):
            return n if last in (_L, _S, _Z) else n - 1
        if before == _STAR and last == _D:  # NLTK takes the rule's name for a suffix, too
            w[n - 2] = _D
            return n - 1
    if _measure(w, n) == 1 and _short(w, n):
        w[n] = _E
        return n + 1
    return n


@njit(cache=True, nogil=True)
def _stem(w: Any, n: Any) -> Any:
    """Stem the n code points in `w` in place and return how many are left."""
    put = _irregular(w, n)
    if put >= 0:
        return put
    if n <= 2:
        return n
    n = _step1b(w, _step1a(w, n))
    if n > 2 and w[n - 1] == _Y and _consonant(w, n - 2):
        w[n - 1] = _I
    while (
        n >= 4
        and w[n - 4] == _A
        and w[n - 3] == _L
        and w[n - 2] == _L
        and w[n - 1] == _I
        and _measure(w, n - 4) > 0
    ):
        n -= 2
    n = _apply(w, _apply(w, _apply(w, n, _RULES_2), _RULES_3), _RULES_4)
    if n > 0 and w[n - 1] == _E:
        m = _measure(w, n - 1)
        if m > 1 or (m == 1 and not _short(w, n - 1)):
            n -= 1
    if n >= 2 and w[n - 1] == _L and w[n - 2] == _L and _measure(w, n - 1) > 1:
        n -= 1
    return n
