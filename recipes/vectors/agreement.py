"""The criterion of the choice: are words as similar as the encoder says they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import pearsonr, spearmanr

from vectors.corpus import SEED
from vectors.rows import Material, cosine

PAIRS = 50_000
NEIGHBOURS = 50


@dataclass(frozen=True)
class Pairs:
    """Pairs of words and the encoder's cosines of the two as texts."""

    left: list[str]
    right: list[str]
    gold: np.ndarray


def word_pairs(material: Material, new: Sequence[str], encoded: np.ndarray) -> dict[str, Pairs]:
    """Return the pairs that candidates are judged by.

    ``random``: two words of the corpora. ``near``: a word of the corpora and one of the 50 words
    of the corpora that the encoder finds nearest to it. ``new``: the same for words outside the
    vocabulary, all of them put together from pieces. ``rare``: the same for words of WordNet that
    no corpus has, of which a candidate stores as many as its dimensions leave room for.

    Parameters
    ----------
    material
        The rows with the encoder's embeddings of the words (``text``).
    new
        Words outside the vocabulary.
    encoded
        The encoder's embeddings of these.
    """
    rng = np.random.default_rng(SEED)
    text = np.asarray(material.arrays["words"]["text"], np.float32)[: material.n_words]
    seen = np.flatnonzero(material.counts[: material.n_words] > 0)
    unseen = np.flatnonzero(material.counts[material.n_initial : material.n_words] == 0)
    unseen += material.n_initial
    words = [material.rows[i] for i in seen]
    table = text[seen]

    def near(left: list[str], embedded: np.ndarray) -> Pairs:
        pick = rng.choice(len(left), min(PAIRS // 5, len(left)), replace=False)
        each = PAIRS // len(pick)
        own = {w: i for i, w in enumerate(words)}
        unit = table / np.linalg.norm(table, axis=1, keepdims=True)
        right = []
        for k in pick:
            similar = unit @ embedded[k]
            if left[k] in own:
                similar[own[left[k]]] = -np.inf
            nearest = np.argpartition(-similar, NEIGHBOURS)[:NEIGHBOURS]
            right.append(rng.choice(nearest, each, replace=False))
        i, j = np.repeat(pick, each), np.concatenate(right)
        gold = cosine(embedded[i], table[j])
        return Pairs([left[k] for k in i], [words[k] for k in j], gold)

    i, j = rng.integers(len(seen), size=(2, PAIRS))
    return {
        "random": Pairs([words[k] for k in i], [words[k] for k in j], cosine(table[i], table[j])),
        "near": near(words, table),
        "new": near(list(new), encoded),
        "rare": near([material.rows[i] for i in unseen], text[unseen]),
    }


def agreement(
    pairs: dict[str, Pairs], lookup: Callable[[Sequence[str]], np.ndarray]
) -> dict[str, float]:
    """Return Spearman's and Pearson's correlation of the cosines with the encoder's.

    ``mean`` is what the recipe is chosen by: the mean of Spearman's over ``random``, ``near`` and
    ``new``. ``rare`` stands beside it: such words are .2 to .6 % of the words of the corpora's
    development parts.
    """
    out: dict[str, float] = {"mean": 0.0}
    for kind, pair in pairs.items():
        found = cosine(lookup(pair.left), lookup(pair.right))
        out[f"{kind} ρ"] = float(spearmanr(found, pair.gold).statistic)
        out[f"{kind} r"] = float(pearsonr(found, pair.gold).statistic)
        out["mean"] += out[f"{kind} ρ"] / 3 * (kind != "rare")
    return out
