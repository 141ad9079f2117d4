"""The student: spaCy's HashEmbedCNN written in torch, trained on the teacher's soft labels.

spaCy trains this architecture at some 9,500 words a second and on hard labels only. Here the
same features, hashes and layers are trained in large batches; :mod:`tagger.export` then puts
the weights into a spaCy pipeline and checks that spaCy predicts the same tags.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
import torch
from spacy.symbols import IDS
from torch import nn
from torch.nn import functional as F  # noqa: N812

from convoscope.text._tagger_kernels import attribute_ids, hash_rows
from tagger.corpus import UPOS

ATTRIBUTES = ("ORTH", "LOWER", "PREFIX", "SUFFIX", "SHAPE")
ROWS = (4000, 12000, 1000, 5000, 1500)
WIDTH, DEPTH, PIECES = 96, 4, 3
SEED = 1
FIRST_HASH_SEED = 8  # spaCy's MultiHashEmbed counts up from here


class Maxout(nn.Module):
    """A maxout layer with layer norm, as thinc has it."""

    def __init__(self, n_in: int) -> None:
        super().__init__()
        self.linear = nn.Linear(n_in, WIDTH * PIECES)
        nn.init.xavier_uniform_(self.linear.weight, gain=2.0)
        nn.init.zeros_(self.linear.bias)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Apply the layer."""
        y = self.linear(x).float()
        return self.norm(y.view(len(x), PIECES, WIDTH).amax(1))


class Student(nn.Module):
    """Hash embeddings of lexical attributes, mixed, and a stack of residual windows."""

    def __init__(self, dropout: float = 0.1, word_dropout: float = 0.05) -> None:
        super().__init__()
        self.tables = nn.ParameterList(
            nn.Parameter(torch.empty(rows, WIDTH).uniform_(-0.1, 0.1)) for rows in ROWS
        )
        self.mix = Maxout(WIDTH * len(ROWS))
        self.layers = nn.ModuleList(Maxout(3 * WIDTH) for _ in range(DEPTH))
        self.output = nn.Linear(WIDTH, len(UPOS))
        self.dropout, self.word_dropout = dropout, word_dropout

    def forward(self, rows: torch.Tensor, cells: torch.Tensor) -> torch.Tensor:
        """Return the logits of every cell; cell 0 is empty, cell k is line k - 1 of `rows`."""
        parts = []
        for i, table in enumerate(self.tables):
            part = F.embedding_bag(rows[:, i], table, mode="sum")
            if self.training and ATTRIBUTES[i] in ("ORTH", "LOWER"):
                # Without the word itself, its form has to do: what unknown words will need.
                part = part * (torch.rand(len(part), 1) > self.word_dropout)
            parts.append(part)
        types = F.dropout(self.mix(torch.cat(parts, 1)), self.dropout, self.training)
        x = F.embedding(cells, torch.cat([torch.zeros(1, WIDTH), types]))
        for layer in self.layers:
            window = torch.cat([F.pad(x[:-1], (0, 0, 1, 0)), x, F.pad(x[1:], (0, 0, 0, 1))], 1)
            x = x + F.dropout(layer(window), self.dropout, self.training)
        return self.output(x)


@dataclass
class Data:
    """Sentences as columns, and for each token a distribution over the tags."""

    ids: np.ndarray
    """The type of each token."""
    offsets: np.ndarray
    """Where each sentence begins."""
    targets: np.ndarray
    """Tokens × tags, float16."""
    group: np.ndarray
    """Sentences with the same number are forms of one text."""
    always: np.ndarray
    """Whether the sentence is in every epoch; of the others one form of each text is."""


class Vocabulary:
    """Every word type, and its rows in the tables."""

    def __init__(self) -> None:
        self.number: dict[str, int] = {}

    def ids(self, words: list[str]) -> list[int]:
        """Return the words' types, new ones being added."""
        return [self.number.setdefault(w, len(self.number)) for w in words]

    def rows(self) -> torch.Tensor:
        """Return types × attributes × 4 table rows."""
        numbers = attribute_ids(list(self.number), ATTRIBUTES, IDS)
        columns = [
            hash_rows(np.ascontiguousarray(numbers[:, i]), FIRST_HASH_SEED + i, n)
            for i, n in enumerate(ROWS)
        ]
        return torch.from_numpy(np.stack(columns, 1)).long()


def lay_out(data: Data, sentences: list[int]) -> tuple[np.ndarray, ...]:
    """Put sentences in one line with empty cells between; return cells, types, places, tokens."""
    tokens, places, at = [], [], DEPTH
    for s in sentences:
        a, b = data.offsets[s], data.offsets[s + 1]
        tokens.append(np.arange(a, b))
        places.append(np.arange(at, at + b - a))
        at += b - a + DEPTH
    token, place = np.concatenate(tokens), np.concatenate(places)
    types, local = np.unique(data.ids[token], return_inverse=True)
    cells = np.zeros(at, np.int64)
    cells[place] = local + 1
    return cells, types, place, token


@torch.inference_mode()
def accuracy(model: Student, rows: torch.Tensor, data: Data, batch: int = 500) -> float:
    """Return the share of tokens whose best tag is the target's."""
    model.eval()
    right = 0
    for start in range(0, len(data.offsets) - 1, batch):
        group = list(range(start, min(start + batch, len(data.offsets) - 1)))
        cells, types, place, token = lay_out(data, group)
        scores = model(rows[torch.from_numpy(types)], torch.from_numpy(cells))
        best = scores.argmax(1).numpy()[place]
        right += int((best == data.targets[token].argmax(1)).sum())
    return right / len(data.ids)


def train(
    train_data: Data,
    dev: dict[str, Data],
    vocabulary: Vocabulary,
    *,
    rate: float = 3e-3,
    words_a_batch: int = 4000,
    epochs: int,
    out: str,
) -> Student:
    """Train for `epochs`, each over what is always in it and one form of every other text.

    The state after each epoch's end is weighed on dev (the mean over its forms); an average of
    the weights over time is what is weighed and kept.
    """
    torch.manual_seed(SEED)
    rng = np.random.default_rng(SEED)
    model, average = Student(), Student()
    average.load_state_dict(model.state_dict())
    rows = vocabulary.rows()
    optimiser = torch.optim.Adam(model.parameters(), lr=rate, betas=(0.9, 0.99), eps=1e-8)
    sizes = np.diff(train_data.offsets)
    drawn = np.flatnonzero(~train_data.always)
    always = np.flatnonzero(train_data.always)
    best, began, step = 0.0, time.time(), 0
    texts = len(np.unique(train_data.group[drawn]))
    per_epoch = sizes[always].sum() + sizes[drawn].sum() * (texts / max(len(drawn), 1))
    total = max(1, int(epochs * per_epoch / words_a_batch))
    for epoch in range(epochs):
        # One form of each text per epoch, maybe another the next time.
        mixed = rng.permutation(drawn)
        _, first = np.unique(train_data.group[mixed], return_index=True)
        order = rng.permutation(np.concatenate([always, mixed[first]]))
        ends = np.searchsorted(
            np.cumsum(sizes[order]), np.arange(0, sizes[order].sum(), words_a_batch)
        )
        model.train()
        losses = []
        for a, b in zip(ends, [*ends[1:], len(order)], strict=True):
            if a == b:
                continue
            for group in optimiser.param_groups:
                group["lr"] = rate * min((step + 1) / 200, max(0.01, 1 - step / total))
            cells, types, place, token = lay_out(train_data, order[a:b].tolist())
            with torch.autocast("cpu", torch.bfloat16):
                scores = model(rows[torch.from_numpy(types)], torch.from_numpy(cells))
            target = torch.from_numpy(train_data.targets[token].astype(np.float32))
            loss = F.cross_entropy(scores.float()[torch.from_numpy(place)], target)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            step += 1
            with torch.no_grad():
                keep = min(0.998, (step + 1) / (step + 10))
                for p, q in zip(average.parameters(), model.parameters(), strict=True):
                    p.lerp_(q, 1 - keep)
            losses.append(loss.item())
        scores_ = {name: accuracy(average, rows, data) for name, data in dev.items()}
        print(
            f"student epoch {epoch + 1}/{epochs} step {step}/{total} loss {np.mean(losses):.4f} "
            + " ".join(f"{name} {value:.4f}" for name, value in scores_.items())
            + f" {time.time() - began:.0f}s",
            flush=True,
        )
        mean = float(np.mean(list(scores_.values())))
        if mean > best:
            best = mean
            torch.save(average.state_dict(), out)
    model.load_state_dict(torch.load(out, weights_only=True))
    return model.eval()
