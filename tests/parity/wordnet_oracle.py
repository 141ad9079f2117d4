"""NLTK's WordNet reader over the files of Debian's package ``wordnet-base``."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import Any

import nltk.data
import pytest
from nltk.corpus.reader.wordnet import WordNetCorpusReader

FOLDER = Path("/usr/share/wordnet")

# The package lacks the file lexnames; its 45 lines are in `man 5 lexnames`. The names take no
# part in synonyms, but the reader wants one for each number.
_LEXNAMES = "".join(f"{i:02d}\tlexicographer-file-{i}\t1\n" for i in range(45))


class _Reader(WordNetCorpusReader):
    def open(self, file: str) -> Any:
        return io.StringIO(_LEXNAMES) if file == "lexnames" else super().open(file)

    def map_wn(self, version: str = "wordnet") -> None:
        """Skip the mapping between WordNet versions: it wants a file that is not there."""


def wordnet() -> WordNetCorpusReader:
    """Return NLTK's reader of WordNet 3.0, or skip the tests that need it."""
    if not (FOLDER / "data.noun").is_file():
        pytest.skip(f"needs WordNet 3.0 in {FOLDER}: apt-get install wordnet-base")
    if str(FOLDER) not in nltk.data.path:
        nltk.data.path.append(str(FOLDER))  # the reader refuses other folders
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _Reader(str(FOLDER), None)


def synonyms(reader: WordNetCorpusReader, word: str) -> set[str]:
    """Return what nltk.translate.meteor_score takes for a word's synonyms, itself apart."""
    return {
        lemma.name()
        for synset in reader.synsets(word)
        for lemma in synset.lemmas()
        if lemma.name().find("_") < 0
    }
