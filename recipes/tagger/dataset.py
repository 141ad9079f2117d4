"""What the student learns from: the treebank in all forms, and silver text with soft labels."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np

from tagger.corpus import (
    UPOS,
    Sentence,
    bare,
    dialogue,
    ewt,
    lower,
    merge_contractions,
    shuffled,
)
from tagger.student import Data, Vocabulary

SEED = 1
DIALOGUE_TEXTS = 25_000  # of each of the two corpora
COPIES = 2
OPEN_CLASS = frozenset(["ADJ", "ADV", "NOUN", "PROPN", "VERB"])
GOLD_WEIGHT = 0.8
FAR = 1_000_000  # beyond any sentence number of the treebank


def gold_forms(root: Path, split: str) -> dict[str, list[Sentence]]:
    """Return a split of EWT in every form the student is trained and measured on."""
    plain = ewt(root, split)
    merged = [
        m
        for m, p in zip(ewt(root, split, merged=True), plain, strict=True)
        if len(m[0]) != len(p[0])
    ]
    return {
        "original": plain,
        "lower": [lower(s) for s in plain],
        "lower-bare": [lower(bare(s)) for s in plain],
        "bare": [bare(s) for s in plain],
        "merged": [lower(s) if i % 2 else s for i, s in enumerate(merged)],
    }


def columns(
    sentences: list[list[str]],
    targets: list[np.ndarray],
    groups: list[int],
    always: list[bool],
    vocabulary: Vocabulary,
) -> Data:
    """Turn sentences and their targets into columns."""
    ids = [vocabulary.ids(s) for s in sentences]
    return Data(
        ids=np.concatenate([np.array(i, np.int32) for i in ids]),
        offsets=np.cumsum([0, *map(len, ids)]),
        targets=np.concatenate(targets).astype(np.float16),
        group=np.array(groups),
        always=np.array(always),
    )


def one_hot(tags: list[int]) -> np.ndarray:
    """Return the tags as certain distributions."""
    return np.eye(len(UPOS), dtype=np.float32)[tags]


def measured(forms: dict[str, list[Sentence]], vocabulary: Vocabulary) -> dict[str, Data]:
    """Return columns of each form, to measure on."""
    return {
        name: columns(
            [s[0] for s in part],
            [one_hot(s[1]) for s in part],
            list(range(len(part))),
            [True] * len(part),
            vocabulary,
        )
        for name, part in forms.items()
    }


def softmax(logits: np.ndarray) -> np.ndarray:
    """Return the distributions of logits; a word the teacher did not see says nothing (zeros)."""
    x = np.exp(logits.astype(np.float32) - np.nan_to_num(logits, nan=0).max(1, keepdims=True))
    return np.nan_to_num(x / x.sum(1, keepdims=True), nan=0)


def substituted(sentences: list[Sentence], teacher, seed: int) -> list[list[str]]:
    """Put other words into treebank sentences: near ones in the teacher's vocabulary.

    New words in the treebank's own constructions; what they are there, the teacher says.
    """
    rng = random.Random(seed)
    vocabulary = teacher.tokenizer.get_vocab()
    whole = sorted(w for w in vocabulary if w.isalpha() and w.isascii() and len(w) > 2)
    table = teacher.encoder.embeddings.word_embeddings.weight.detach()
    vectors = table[[vocabulary[w] for w in whole]]
    vectors = vectors / vectors.norm(dim=1, keepdim=True)
    near = np.concatenate([(v @ vectors.T).topk(21).indices for v in vectors.split(2000)])
    place = {w: i for i, w in enumerate(whole)}
    out = []
    for words, tags in sentences:
        new = list(words)
        for i, (word, tag) in enumerate(zip(words, tags, strict=True)):
            if UPOS[tag] in OPEN_CLASS and word.isalpha() and rng.random() < 0.3:
                at = place.get(word.lower())
                other = whole[near[at][rng.randrange(1, 21)] if at is not None
                              else rng.randrange(len(whole))]  # fmt: skip
                new[i] = (
                    other.upper() if word.isupper() and len(word) > 1
                    else other.capitalize() if word[0].isupper()
                    else other
                )  # fmt: skip
        out.append(new)
    return out


def silver_texts(root: Path, teacher) -> list[list[str]]:
    """Return the texts the teacher is asked about, each in one form as to punctuation."""
    rng = random.Random(SEED)
    texts = []
    drawn = [w for part in dialogue(root) for w in shuffled(part, SEED)[:DIALOGUE_TEXTS]]
    for words in drawn:
        draw = rng.random()
        if draw < 0.35:
            words = bare((words, [0] * len(words)))[0]
        elif draw < 0.5:
            words = merge_contractions(words)
        texts.append(words)
    train = ewt(root, "train")
    for copy in range(COPIES):
        for i, words in enumerate(substituted(train, teacher, SEED + copy)):
            texts.append(bare((words, [0] * len(words)))[0] if (i + copy) % 4 == 0 else words)
    return texts


def training_data(
    root: Path,
    vocabulary: Vocabulary,
    silver: list[list[str]],
    silver_logits: list[np.ndarray],
    gold_logits: dict[str, list[np.ndarray]],
) -> Data:
    """Return everything the student is trained on.

    A treebank sentence's target is mostly its tags and partly the teacher's opinion (of its
    original form; the teacher does not see letter case). Its original and
    lower-cased forms are in every epoch. A silver text comes as it is and lower-cased, one of
    them an epoch.
    """
    words: list[list[str]] = []
    targets: list[np.ndarray] = []
    groups: list[int] = []
    always: list[bool] = []
    for name, part in gold_forms(root, "train").items():
        soft = gold_logits.get({"lower": "original"}.get(name, name))
        for i, sentence in enumerate(part):
            target = one_hot(sentence[1])
            if soft:
                p = softmax(soft[i])
                target = GOLD_WEIGHT * target + (1 - GOLD_WEIGHT) * np.where(
                    p.sum(1, keepdims=True) > 0.5, p, target
                )
            words.append(sentence[0])
            targets.append(target)
            # The two bare forms are one text; every other sentence stands for itself.
            groups.append(i if "bare" in name else FAR + len(groups))
            always.append(name in ("original", "lower"))
    for sentence, logits in zip(silver, silver_logits, strict=True):
        target = softmax(logits)
        group = FAR + len(groups)
        for form in (sentence, [w.lower() for w in sentence]):
            words.append(form)
            targets.append(target)
            groups.append(group)
            always.append(False)
    return columns(words, targets, groups, always, vocabulary)
