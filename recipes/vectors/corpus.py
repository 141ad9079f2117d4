"""The corpora that give the vectors their vocabulary, and the new words they are tried on."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

SEED = 20261121

WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
CONTRACTION = re.compile(r"(?:n't|'(?:s|re|ve|ll|d|m))$")


def straight(text: str) -> str:
    """Return `text` with typographic apostrophes straightened (never changes its length)."""
    return text.replace("\u2019", "'").replace("\u2018", "'")


def words(text: str) -> list[str]:
    """Return the lower-cased words of `text`, without punctuation."""
    return WORD.findall(straight(text).lower())


def spans(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the words of `text` with their places, and the contracted part of each by itself."""
    text = straight(text)
    for match in WORD.finditer(text):
        word = match[0].lower()
        yield word, match.start(), match.end()
        if (part := CONTRACTION.search(word)) and part.start() > 0:
            yield part[0], match.end() - len(part[0]), match.end()


def dailydialog_train(root: Path) -> list[dict[str, Any]]:
    """Return the training contexts of DailyDialog++ with their positive responses."""
    file = root / "dailydialog-plusplus" / "train_positives.jsonl"
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def dailydialog_dev(root: Path) -> list[dict[str, Any]]:
    """Return the development contexts of DailyDialog++ with positive and negative responses."""
    file = root / "dailydialog-plusplus" / "dev.jsonl"
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def irc(root: Path, part: str) -> list[str]:
    """Return the distinct messages of the Ubuntu IRC files of `part` (train, dev)."""
    found: dict[str, None] = {}
    for file in sorted((root / "irc-disentanglement" / part).glob("*.ascii.txt")):
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
            if match := re.match(r"\[\d\d:\d\d\] <[^>]*> (.*)", line):
                found[match[1]] = None
    return list(found)


def ewt(root: Path, part: str) -> tuple[list[str], Counter[str]]:
    """Return the sentences of EWT's `part` (train, dev) and the counts of its own tokens."""
    sentences, tokens = [], Counter[str]()
    file = root / "ud-english-ewt" / f"en_ewt-ud-{part}.conllu"
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("# text = "):
            sentences.append(line[9:].strip())
        elif line[:1].isdigit():
            tokens[straight(line.split("\t")[1]).lower()] += 1
    return sentences, tokens


def wordnet_lemmas(folder: Path) -> list[str]:
    """Return the single-word lemmas of WordNet."""
    lemmas: dict[str, None] = {}
    for part in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"index.{part}").read_text(encoding="ascii").splitlines():
            lemma = line.split(" ", 1)[0]
            if lemma and "_" not in lemma:
                lemmas[lemma] = None
    return list(lemmas)


@dataclass(frozen=True)
class Corpus:
    """Everything the recipes read: sentences, word counts and the vocabulary."""

    sentences: list[str]
    """Distinct sentences a word is seen in (DailyDialog++, EWT and a sample of IRC)."""
    counts: Counter[str]
    """How often each word occurs in a million, on average over the corpora."""
    vocabulary: list[str]
    """Words that get a vector of their own: the encoder's initial pieces, then the rest sorted."""
    n_initial: int
    """How many of them are initial pieces."""
    continuations: list[str]
    """The encoder's continuation pieces, with their ``##``."""


def read_corpus(
    root: Path, wordnet: Path, pieces: Iterable[str], *, irc_sample: int = 30_000
) -> Corpus:
    """Read the corpora and settle the vocabulary."""
    dialogue: dict[str, None] = {}
    for row in dailydialog_train(root):
        dialogue.update(dict.fromkeys(row["context"]))
        dialogue.update(dict.fromkeys(row["positive_responses"]))
    sentences, tokens = ewt(root, "train")
    messages = irc(root, "train")
    irc_counts = Counter(w for text in messages for w in words(text))
    dialogue_counts = Counter(w for text in dialogue for w in words(text))
    ewt_counts = Counter(w for text in sentences for w in words(text))
    vocabulary = {w for w in tokens if any(c.isalnum() for c in w)}
    vocabulary |= {*dialogue_counts, *ewt_counts}
    vocabulary |= {w for w, n in irc_counts.items() if n >= 5}
    vocabulary |= {straight(w) for w in wordnet_lemmas(wordnet)}
    # A million words of an average of the three, so that the largest does not set the tone.
    counts = Counter[str]()
    for corpus in (dialogue_counts, ewt_counts, irc_counts):
        for w, n in corpus.items():
            counts[w] += n / corpus.total() * 1e6 / 3  # type: ignore[assignment]
    # Addresses and the like are long and never seen again; composition serves them as well.
    vocabulary = {w for w in vocabulary if len(w) <= 30 and "/" not in w and "@" not in w}
    rng = np.random.default_rng(SEED)
    picked = np.sort(rng.choice(len(messages), irc_sample, replace=False))
    pieces = [p for p in pieces if not re.fullmatch(r"\[.+\]", p)]
    initial = [p for p in pieces if not p.startswith("##")]
    return Corpus(
        sentences=[*dialogue, *sentences, *(messages[i] for i in picked)],
        counts=counts,
        vocabulary=initial + sorted(vocabulary.difference(initial)),
        n_initial=len(initial),
        continuations=[p for p in pieces if p.startswith("##")],
    )


def new_words(root: Path, vocabulary: Iterable[str]) -> list[str]:
    """Return the words of the corpora's development parts that are not in the vocabulary."""
    texts = [*ewt(root, "dev")[0], *irc(root, "dev")]
    for row in dailydialog_dev(root):
        for kind in ("positive", "random_negative", "adversarial_negative"):
            texts += row[f"{kind}_responses"]
    found = {w for text in texts for w in words(text) if len(w) <= 30}
    return sorted(found.difference(vocabulary))
