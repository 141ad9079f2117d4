"""What EA and POSSCORE make of the vectors on DailyDialog++ dev: for the record, not the choice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.stats import spearmanr

from vectors.corpus import SEED, dailydialog_dev, straight, words
from vectors.rows import cosine


@dataclass(frozen=True)
class Trial:
    """The development set, tokenised: what the candidates are compared on."""

    types: list[str]
    every: Any
    """Texts × types, each text's share of each type."""
    selected: Any
    """The same for words of the POS tags that POSSCORE selects."""
    rest: Any
    share: np.ndarray
    """Share of selected words in each text."""
    positive: np.ndarray
    """Contexts × 5 texts."""
    random: np.ndarray
    encoded: np.ndarray
    """The encoder's sentence embeddings of the texts."""


def usual_tag(root: Path) -> dict[str, str]:
    """Return the most frequent universal POS tag of each word of EWT's training part."""
    tags: dict[str, Counter[str]] = {}
    file = root / "ud-english-ewt" / "en_ewt-ud-train.conllu"
    for line in file.read_text(encoding="utf-8").splitlines():
        if line[:1].isdigit():
            fields = line.split("\t")
            tags.setdefault(straight(fields[1]).lower(), Counter())[fields[3]] += 1
    return {w: c.most_common(1)[0][0] for w, c in tags.items()}


def read_trial(root: Path, encode: Callable[[list[str]], np.ndarray]) -> Trial:
    """Prepare the development part of DailyDialog++."""
    texts: dict[str, int] = {}
    index: dict[str, list[list[int]]] = {}
    for row in dailydialog_dev(root):
        for kind in ("positive", "random_negative"):
            found = [texts.setdefault(t, len(texts)) for t in row[f"{kind}_responses"][:5]]
            index.setdefault(kind, []).append(found)
    tag = usual_tag(root)
    types: dict[str, int] = {}
    chosen: list[bool] = []
    cells: list[tuple[int, int]] = []
    for i, text in enumerate(texts):
        for word in words(text):
            if len(word) > 1:
                if word not in types:
                    types[word] = len(types)
                    # Unknown words are mostly nouns and names; contractions begin with a pronoun
                    # or an auxiliary.
                    usual = tag.get(word, tag.get(word.split("'")[0], "NOUN"))
                    chosen.append(usual in ("ADJ", "ADV", "VERB", "PROPN", "NOUN"))
                cells.append((i, types[word]))
    i, j = np.array(cells).T
    mask = np.array(chosen)[j]
    shape = (len(texts), len(types))
    n_all = np.bincount(i, minlength=shape[0])

    def part(keep: np.ndarray) -> Any:
        return sp.csr_array((np.ones(keep.sum(), np.float32), (i[keep], j[keep])), shape=shape)

    return Trial(
        types=list(types),
        every=part(np.ones_like(mask)),
        selected=part(mask),
        rest=part(~mask),
        share=np.bincount(i[mask], minlength=shape[0]) / np.maximum(n_all, 1),
        positive=np.array(index["positive"]),
        random=np.array(index["random_negative"]),
        encoded=encode(list(texts)),
    )


def scores(trial: Trial, table: np.ndarray) -> dict[str, Callable[[Any, Any], np.ndarray]]:
    """Return EA and POSSCORE of (candidate, reference) text indices."""
    every, chosen, rest = (m @ table for m in (trial.every, trial.selected, trial.rest))

    def posscore(c: np.ndarray, r: np.ndarray) -> np.ndarray:
        n_c, n_r = trial.share[c], trial.share[r]
        w = np.where(n_c > 0, np.exp(1 - n_r / np.where(n_c > 0, n_c, 1)), 0)
        return w * cosine(chosen[c], chosen[r]) + cosine(rest[c], rest[r])

    return {"EA": lambda c, r: cosine(every[c], every[r]), "POSSCORE": posscore}


def judge(trial: Trial, lookup: Callable[[Sequence[str]], np.ndarray]) -> dict[str, float]:
    """Return what EA and POSSCORE make of the vectors.

    ``agree``: Spearman between EA and the encoder's cosine, over pairs of responses, half of them
    to the same context. ``EA``, ``POSSCORE``: how often a positive response scores above a random
    negative one on the mean over the four other positives; ``…/1``: with one positive as the only
    reference.
    """
    out: dict[str, float] = {}
    metric = scores(trial, lookup(trial.types))
    rng = np.random.default_rng(SEED)
    n = len(trial.positive)
    same = trial.positive[:, [0, 1]]
    other = np.stack([trial.positive[:, 2], trial.positive[rng.permutation(n), 3]], 1)
    pairs = np.vstack([same, other])
    gold = cosine(trial.encoded[pairs[:, 0]], trial.encoded[pairs[:, 1]])
    out["agree"] = float(spearmanr(metric["EA"](*pairs.T), gold).statistic)
    for name, score in metric.items():
        wins, alone = [], []
        for k in range(5):
            refs = np.delete(trial.positive, k, axis=1)
            good = score(trial.positive[:, k, None], refs)
            bad = score(trial.random[:, :, None], refs[:, None, :])
            gap = good.mean(1)[:, None] - bad.mean(2)
            wins.append((gap > 0) + 0.5 * (gap == 0))
            gap = good[:, None, :] - bad
            alone.append((gap > 0) + 0.5 * (gap == 0))
        out[name], out[name + "/1"] = float(np.mean(wins)), float(np.mean(alone))
    return out
