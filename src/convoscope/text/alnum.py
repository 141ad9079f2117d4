"""The rouge-score package's tokens, lower-cased runs of a-z and 0-9, by a byte table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from convoscope.text.columns import Tokens, encode, split_bytes

__all__ = ["split_alnum"]

# The only two characters outside ASCII whose lower case holds an ASCII letter: İ and the kelvin
# sign. Every other byte of a character outside ASCII separates words.
_SPECIAL = {"\u0130": "i ", "\u212a": "k"}


def _table() -> bytes:
    out = bytearray(b" " * 256)
    for letter in b"abcdefghijklmnopqrstuvwxyz0123456789":
        out[letter] = out[ord(chr(letter).upper())] = letter
    return bytes(out)


_FOLD = np.frombuffer(_table(), np.uint8)


def split_alnum(texts: Sequence[str]) -> Tokens:
    """Split every text as ``re.findall("[a-z0-9]+", text.lower())`` does.

    Raises
    ------
    InputError
        A text holds a lone surrogate.
    """
    buffer, offsets = encode(texts)
    raw = buffer.tobytes()
    if any(c.encode() in raw for c in _SPECIAL):
        for old, new in _SPECIAL.items():
            texts = [t.replace(old, new) for t in texts]
        buffer, offsets = encode(texts)
    folded = _FOLD[buffer]
    ids, token_offsets, spans = split_bytes(folded, offsets)
    return Tokens(ids, token_offsets, folded, spans)
