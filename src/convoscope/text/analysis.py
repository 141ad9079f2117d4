"""Unique texts and their shared columns: each analysis is made once, whoever asks.

A :class:`Texts` interns strings; metrics ask it for columns (tokens, tags, …) by what they need,
and a column that two metrics need is computed once.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from convoscope.text.columns import Tokens
from convoscope.text.tokens import tokenizer

__all__ = ["Texts"]

T = TypeVar("T")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


class Texts:
    """Interned texts with memoised analyses.

    Attributes
    ----------
    strings : list of str
        The distinct texts, in order of first appearance.
    """

    def __init__(self) -> None:
        self.strings: list[str] = []
        self._index: dict[str, int] = {}
        self._memo: dict[Hashable, object] = {}

    def __len__(self) -> int:
        return len(self.strings)

    def intern(self, texts: Sequence[str]) -> NDArray[np.int32]:
        """Add texts and return the index of each, shape (len(texts),).

        Raises
        ------
        RuntimeError
            An analysis was already made: its columns would not cover the new texts.
        """
        if self._memo:
            raise RuntimeError("texts cannot be added once a column has been computed")
        index = self._index
        ids = [index.setdefault(t, len(index)) for t in texts]
        self.strings = list(index)
        return np.array(ids, np.int32)

    def memo(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return ``make()``, computed at the first call with this key."""
        if key not in self._memo:
            self._memo[key] = make()
        return cast(T, self._memo[key])

    def tokens(
        self, name: str = "whitespace", *, lowercase: bool = False, punctuation: bool = True
    ) -> Tokens:
        """Return the token column of every text.

        Parameters
        ----------
        name
            A tokeniser of :data:`convoscope.text.tokens.TOKENIZERS`.
        lowercase
            Lower-case each token.
        punctuation
            False deletes the ASCII punctuation characters from the text first.
        """

        def make() -> Tokens:
            if lowercase:
                return self.tokens(name, punctuation=punctuation).lower()
            texts = self.strings
            if not punctuation:
                texts = [t.translate(_NO_PUNCTUATION) for t in texts]
            return tokenizer(name).split(texts)

        return self.memo(("tokens", name, lowercase, punctuation), make)

    def tags(
        self, name: str = "whitespace", *, punctuation: bool = True, tagger: str = "embedded"
    ) -> NDArray[np.uint8]:
        """Return the universal part-of-speech tag of each token of :meth:`tokens`.

        Values index :data:`convoscope.text.pos.UPOS`; shape (n_tokens,).
        """
        from convoscope.text.pos import load_tagger

        def make() -> NDArray[np.uint8]:
            column = self.tokens(name, punctuation=punctuation)
            return load_tagger(tagger).tag(column.types, column.ids, column.offsets)

        return self.memo(("tags", name, punctuation, tagger), make)
