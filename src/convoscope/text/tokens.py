"""Tokenisers: each is a name, a version and a way from strings to a column of tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import metadata

from convoscope.errors import InputError, nearest
from convoscope.text.columns import Tokens, from_token_lists, split_whitespace

__all__ = ["TOKENIZERS", "Tokenizer", "tokenizer"]

# A word is letters, digits and marks with inner apostrophes, hyphens or dots between letters or
# digits ("don't", "e-mail", "3.5"); any other visible character stands alone.
_WORD = re.compile(r"\w+(?:['’.\-]\w+)*|[^\w\s]", re.UNICODE)
_ALNUM = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True)
class Tokenizer:
    """A named tokeniser."""

    name: str
    """The name users write."""
    summary: str
    """One line: what it does."""
    split: Callable[[Sequence[str]], Tokens]
    """From texts to a column of tokens."""
    signature: Callable[[], str]
    """The fragment it adds to a metric's signature."""


def _split_words(texts: Sequence[str]) -> Tokens:
    return from_token_lists([_WORD.findall(t) for t in texts])


def _split_alnum(texts: Sequence[str]) -> Tokens:
    return split_whitespace([" ".join(_ALNUM.findall(t.lower())) for t in texts])


def _split_13a(texts: Sequence[str]) -> Tokens:
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

    split = Tokenizer13a()  # type: ignore[no-untyped-call]
    return split_whitespace([split(t) for t in texts])


def _signature_13a() -> str:
    return f"13a-sacrebleu-{metadata.version('sacrebleu')}"


TOKENIZERS: dict[str, Tokenizer] = {
    t.name: t
    for t in (
        Tokenizer(
            "whitespace",
            "splits at white space, for text that is tokenised already (the papers' corpora)",
            split_whitespace,
            lambda: "whitespace",
        ),
        Tokenizer(
            "word",
            "Unicode words, punctuation marks apart, for raw text",
            _split_words,
            lambda: "word-1",
        ),
        Tokenizer("13a", "mteval's 13a, by sacrebleu", _split_13a, _signature_13a),
        Tokenizer(
            "alnum",
            "lower-cased runs of a-z and 0-9, as the rouge-score package",
            _split_alnum,
            lambda: "alnum",
        ),
    )
}


def tokenizer(name: str) -> Tokenizer:
    """Return the tokeniser called `name`.

    Raises
    ------
    InputError
        No tokeniser has this name.
    """
    try:
        return TOKENIZERS[name]
    except KeyError:
        hint = nearest(name, TOKENIZERS, what="tokenizers")
        raise InputError(f"unknown tokenizer {name!r}{hint}") from None
