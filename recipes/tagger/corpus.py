"""The texts of the tagger: the EWT treebank with its tags, and dialogue without tags.

A sentence is a list of words and a list of indices into :data:`UPOS`. Text of dialogue corpora
comes in every state of wear, so every sentence exists in several *forms*:

``original``
    as the treebank has it;
``lower``
    lower-cased;
``bare``
    without the tokens that hold no letter or digit;
``lower-bare``
    both;
``merged``
    contractions left whole ("don't" as one token, tagged as its first part is).
"""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

UPOS = [
    "ADJ",
    "ADP",
    "ADV",
    "AUX",
    "CCONJ",
    "DET",
    "INTJ",
    "NOUN",
    "NUM",
    "PART",
    "PRON",
    "PROPN",
    "PUNCT",
    "SCONJ",
    "SYM",
    "VERB",
    "X",
]
TAG_ID = {tag: i for i, tag in enumerate(UPOS)}

Sentence = tuple[list[str], list[int]]


def read_conllu(path: Path, *, merged: bool = False) -> list[Sentence]:
    """Read words and UPOS tags; empty nodes are skipped, and so are multiword ranges.

    With `merged`, a multiword range is one token instead, tagged as its first word.
    """
    sentences: list[Sentence] = []
    words: list[str] = []
    tags: list[int] = []
    whole: tuple[int, int, str] | None = None
    for line in [*path.read_text(encoding="utf-8").split("\n"), ""]:
        if not line:
            if words:
                sentences.append((words, tags))
            words, tags, whole = [], [], None
        elif line[0] != "#":
            number, form, _, tag = line.split("\t")[:4]
            if "-" in number:
                first, last = map(int, number.split("-"))
                whole = (first, last, form)
            elif "." not in number:
                if merged and whole and whole[0] <= int(number) <= whole[1]:
                    if int(number) > whole[0]:
                        continue
                    form = whole[2]
                words.append(form)
                tags.append(TAG_ID[tag])
    return sentences


def ewt(root: Path, split: str, *, merged: bool = False) -> list[Sentence]:
    """Return one split of UD English EWT."""
    return read_conllu(root / "ud-english-ewt" / f"en_ewt-ud-{split}.conllu", merged=merged)


def lower(sentence: Sentence) -> Sentence:
    """Lower-case a sentence."""
    return [w.lower() for w in sentence[0]], sentence[1]


def bare(sentence: Sentence) -> Sentence:
    """Drop the tokens without a letter or digit (all stay when none would be left)."""
    kept = [(w, t) for w, t in zip(*sentence, strict=True) if any(map(str.isalnum, w))]
    return ([w for w, _ in kept], [t for _, t in kept]) if kept else sentence


_SPLIT = re.compile(
    r"""https?://\S+ | www\.\S+                    # addresses
      | [:;=8]['^-]?[()DPpO/\\|]+(?!\w)             # smileys
      | \d+(?:[.,:]\d+)*(?:st|nd|rd|th|am|pm|s)?\b  # numbers
      | (?:[A-Za-z]\.){2,}                          # U.S.
      | (?:Mr|Mrs|Ms|Dr|St|Prof|etc|vs)\.           # abbreviations
      | [^\W_]+?(?=n['’]t\b) | n['’]t\b             # do n't
      | ['’](?:s|m|d|ll|re|ve)\b                    # it 's
      | \w+ | \.{2,} | -{2,} | !+ | \?+ | \S        # words and the rest
    """,
    re.X | re.I,
)


def split_words(text: str) -> list[str]:
    """Split text roughly as the treebank does (``do n't``, ``it 's``, hyphens apart)."""
    return _SPLIT.findall(text)


def merge_contractions(words: list[str]) -> list[str]:
    """Put the parts of contractions together again."""
    out: list[str] = []
    for word in words:
        tail = word.lower().replace("’", "'")
        if out and (tail == "n't" or (tail[0] == "'" and tail[1:] in _TAILS)):
            out[-1] += word
        else:
            out.append(word)
    return out


_TAILS = frozenset(["s", "m", "d", "ll", "re", "ve"])


def dialogue(root: Path) -> tuple[list[list[str]], list[list[str]]]:
    """Return the utterances of DailyDialog++ (train) and of Ubuntu IRC (train), each once."""
    daily: dict[str, None] = {}
    lines = (root / "dailydialog-plusplus" / "train_positives.jsonl").read_text(encoding="utf-8")
    for line in lines.splitlines():
        row = json.loads(line)
        daily.update(dict.fromkeys([*row["context"], *row["positive_responses"]]))
    irc: dict[str, None] = {}
    message = re.compile(r"^\[\d\d:\d\d\] <[^>]*> (.*)$")
    for file in sorted((root / "irc-disentanglement" / "train").glob("*.ascii.txt")):
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
            if found := message.match(line):
                irc[found[1]] = None
    split = [[split_words(text)[:120] for text in texts] for texts in (daily, irc)]
    return [s for s in split[0] if len(s) > 1], [s for s in split[1] if len(s) > 1]


def shuffled(items: list, seed: int) -> list:
    """Return the items in a seeded random order."""
    items = list(items)
    random.Random(seed).shuffle(items)
    return items
