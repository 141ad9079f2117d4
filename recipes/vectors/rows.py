"""The vectors of words and word pieces: from the encoder's states to the rows of the asset."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve

from convoscope.text.vectors import EmbeddedVectors, Pieces
from vectors.corpus import SEED, Corpus

RIDGE = 0.1
"""Strength of the ridge of :func:`fit_continuations`, settled on words held out from the fit."""
BYTES = 24_900_000
"""What the rows and the words may take up: 25 MB less the small files."""


@dataclass(frozen=True)
class Recipe:
    """How the vectors are made from the encoder's states.

    Plain vectors (`centre`, `whiten` and `sif` left alone) are the encoder's own numbers or, at
    fewer dimensions, their truncated singular value decomposition. The rest is kept to show what
    was given up: it changes what averages of the vectors are averages of.
    """

    source: str
    """``text``: the word as a text of its own, mean-pooled over all positions as the encoder is
    meant to be used; ``pieces``: the mean of its pieces' states alone, without [CLS] and [SEP];
    ``cls``: the state of [CLS]; ``context``: the mean of its states over its occurrences."""
    layer: int = 6
    """Layer, 0 for the input embeddings (``pieces`` and ``context``)."""
    dim: int = 384
    """Dimensions kept."""
    centre: bool = False
    """Take off the mean vector, and turn to principal components, weighted by frequency."""
    whiten: float = 0.0
    """Divide each principal component by its standard deviation to this power."""
    sif: float = 0.0
    """Weight words by a / (a + p(word)); 0 for no weights."""

    def __str__(self) -> str:
        layered = self.source in ("pieces", "context")
        parts = [f"{self.source}-{self.layer}" if layered else self.source, f"d{self.dim}"]
        parts += ["centred"] if self.centre else []
        parts += [f"whiten{self.whiten:g}"] if self.whiten else []
        parts += [f"sif{self.sif:g}"] if self.sif else []
        return " ".join(parts)


@dataclass(frozen=True, eq=False)
class Material:
    """What the recipes are computed from: the states of every row (words, then continuations)."""

    rows: list[str]
    """Words, then continuation pieces with their ``##``."""
    n_initial: int
    n_words: int
    counts: np.ndarray
    """Occurrences of each row in a million words (0 for continuations)."""
    arrays: dict[str, dict[str, np.ndarray]]


def word_splits(corpus: Corpus) -> dict[str, np.ndarray]:
    """Return which pieces each word falls into, as triples of word, piece and share."""
    pieces = Pieces(corpus.vocabulary, corpus.n_initial, [p[2:] for p in corpus.continuations])
    word, piece, share = [], [], []
    for i, text in enumerate(corpus.vocabulary):
        if text.isalnum() and text.isascii():
            rows = list(pieces.greedy(text))
            word += [i] * len(rows)
            piece += rows
            share += [1 / len(rows)] * len(rows)
    return {"word": np.array(word), "piece": np.array(piece), "share": np.array(share, np.float32)}


def row_matrix(material: Material, recipe: Recipe) -> np.ndarray:
    """Return the encoder's vectors of all rows, all dimensions, before any reduction."""
    single = material.arrays["words"]
    if recipe.source in ("text", "cls"):
        return np.asarray(single[recipe.source], np.float32)
    alone = np.asarray(single["pieces"][recipe.layer], np.float32)
    if recipe.source == "pieces":
        return alone
    n_later = len(material.rows) - material.n_words
    context = np.asarray(material.arrays["sentences"]["context"][recipe.layer], np.float32)
    context = np.pad(context, ((0, n_later), (0, 0)))
    seen = np.pad(material.arrays["sentences"]["seen"], (0, n_later)).astype(np.float32)
    # A word that was never or seldom seen gets what a linear map makes of its vector alone.
    often = seen >= 5
    x = np.hstack([alone, np.ones((len(alone), 1), np.float32)])
    gram = x[often].T @ x[often] + 10 * np.eye(x.shape[1], dtype=np.float32)
    guess = x @ np.linalg.solve(gram, x[often].T @ context[often])
    share = (seen / (seen + 3))[:, None]
    return share * context + (1 - share) * guess


def reduce(matrix: np.ndarray, material: Material, recipe: Recipe) -> np.ndarray:
    """Return the numbers to be stored: as they are, or turned and cut."""
    if not recipe.centre:
        if recipe.dim == matrix.shape[1]:
            return matrix
        known = matrix[: material.n_words]
        axes = np.linalg.eigh(known.T @ known)[1][:, ::-1]
        return matrix @ axes[:, : recipe.dim]
    counts = material.counts
    # Between types and tokens: the few most frequent words would otherwise be all there is.
    weight = np.sqrt(counts + 0.25)
    weight[material.n_words :] = 0
    weight = (weight / weight.sum()).astype(np.float32)
    centred = matrix - weight @ matrix
    values, axes = np.linalg.eigh((centred * weight[:, None]).T @ centred)
    out = centred @ axes[:, ::-1][:, : recipe.dim]
    if recipe.whiten:
        out /= np.maximum(values[::-1][: recipe.dim], 1e-8) ** (recipe.whiten / 2)
    if recipe.sif:
        out *= (recipe.sif / (recipe.sif + counts / counts.sum()))[:, None]
    return np.asarray(out, np.float32)


# ------------------------------------------------------------------- words made of word pieces


def held_out(material: Material) -> np.ndarray:
    """Return which words stay out when the composition from pieces is measured."""
    return np.random.default_rng(SEED).random(material.n_words) < 0.1


@lru_cache(maxsize=4)
def _composition(material: Material, hold_out: bool) -> tuple[Any, Any, Any]:
    """Return words × rows shares, the words to learn from, and the factorised normal matrix."""
    splits = material.arrays["splits"]
    shares = sp.csr_array(
        (splits["share"], (splits["word"], splits["piece"])),
        shape=(material.n_words, len(material.rows)),
    )
    several = np.bincount(splits["word"], minlength=material.n_words) > 1
    learn = np.flatnonzero(several & ~held_out(material) if hold_out else several)
    later = shares[learn][:, material.n_words :]
    gram = (later.T @ later).toarray().astype(np.float64)
    return shares, learn, cho_factor(gram + RIDGE * np.eye(len(gram)))


def fit_continuations(
    vectors: np.ndarray, material: Material, *, hold_out: bool = False
) -> np.ndarray:
    """Return `vectors` with the rows of the continuation pieces fitted.

    They are fitted by ridge least squares so that the mean of a word's pieces (its first piece is
    a word, whose vector is given) comes near the word's own vector. Nothing is centred: the
    continuations carry their share of whatever the words have in common.

    Parameters
    ----------
    vectors
        The vectors of all rows; what the continuation pieces have is drawn towards.
    material
        The rows.
    hold_out
        Leave out the words that :func:`composition` measures on.
    """
    n = material.n_words
    shares, learn, factor = _composition(material, hold_out)
    first, later = shares[learn][:, :n], shares[learn][:, n:]
    target = vectors[learn] - first @ vectors[:n]
    fitted = cho_solve(factor, later.T @ target + RIDGE * vectors[n:])
    return np.vstack([vectors[:n], fitted.astype(np.float32)])


def composition(vectors: np.ndarray, material: Material) -> float:
    """Return the mean cosine of composed and own vectors of words held out from the fit."""
    shares = _composition(material, True)[0]
    made = shares @ fit_continuations(vectors, material, hold_out=True)
    held = held_out(material) & (np.diff(shares.indptr) > 1)
    return float(cosine(made[held], vectors[: material.n_words][held]).mean())


# --------------------------------------------------------------------------- the rows to be kept


def make(material: Material, recipe: Recipe) -> np.ndarray:
    """Return the vectors of all rows."""
    return fit_continuations(reduce(row_matrix(material, recipe), material, recipe), material)


def cosine(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the cosine of each row of `a` with the same row of `b`; 0 where one is zero."""
    norm = np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1)
    return np.asarray((a * b).sum(-1) / np.where(norm > 0, norm, np.inf))


def quantise(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return int8 codes and the float32 scale of each row."""
    scales = np.maximum(np.abs(vectors).max(1), 1e-8).astype(np.float32) / 127
    return np.rint(vectors / scales[:, None]).astype(np.int8), scales


@lru_cache(maxsize=1)
def _stand_ins(material: Material) -> tuple[np.ndarray, Any]:
    """Return the words that may go, and their shares of the rows that stand in for them."""
    n = material.n_words
    later = [p[2:] for p in material.rows[n:]]
    pieces = Pieces(material.rows[:n], material.n_initial, later)
    free = np.flatnonzero(material.counts[material.n_initial : n] == 0) + material.n_initial
    i: list[int] = []
    j: list[int] = []
    v: list[float] = []
    for k, word in enumerate(free):
        parts = [p for p in pieces.split(material.rows[word], whole=False) if isinstance(p, int)]
        i += [k] * len(parts)
        j += parts
        v += [1 / len(parts)] * len(parts)
    shape = (len(free), len(material.rows))
    return free, sp.csr_array((v, (i, j)), shape=shape, dtype=np.float32)


def pruned(material: Material, vectors: np.ndarray) -> tuple[list[str], np.ndarray]:
    """Leave out the words that their pieces stand in for best, until the rest fits into the asset.

    Only words that occur in none of the corpora go (rare lemmas of WordNet); the encoder's own
    pieces stay.

    Returns
    -------
    words, vectors
        The words that are left, and the rows of these and the continuation pieces.
    """
    n = material.n_words
    free, shares = _stand_ins(material)
    near = cosine(shares @ vectors, vectors[free])
    # A row has its codes, its scale and its word.
    most = BYTES // (vectors.shape[1] + 4 + 9)
    gone = free[np.argsort(-near, kind="stable")[: max(0, len(vectors) - most)]]
    keep = np.setdiff1d(np.arange(len(vectors)), gone)
    return [material.rows[i] for i in keep if i < n], vectors[keep]


def packed(material: Material, kept: list[str], vectors: np.ndarray) -> EmbeddedVectors:
    """Return the vectors of `kept` words and all continuation pieces as the toolkit's object."""
    codes, scales = quantise(vectors)
    later = [p[2:] for p in material.rows[material.n_words :]]
    return EmbeddedVectors(
        Pieces(kept, material.n_initial, later), codes, scales, "vectors:candidate"
    )
