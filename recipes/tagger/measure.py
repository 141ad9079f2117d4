"""Accuracy and speed of the finished asset, through Convoscope's own runtime."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from convoscope.text.pos import load_tagger
from tagger.corpus import Sentence, bare, ewt, lower


def columns(sentences: list[list[str]]) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Return types, ids and offsets of sentences."""
    number: dict[str, int] = {}
    ids = [number.setdefault(w, len(number)) for s in sentences for w in s]
    offsets = np.cumsum([0, *map(len, sentences)], dtype=np.int64)
    return list(number), np.array(ids, dtype=np.int32), offsets


def accuracy(name: str, sentences: list[Sentence]) -> float:
    """Return the share of tokens that the tagger called `name` tags as the treebank does."""
    guessed = load_tagger(name).tag(*columns([s[0] for s in sentences]))
    return float((guessed == np.concatenate([s[1] for s in sentences])).mean())


def forms(root: Path, split: str) -> dict[str, list[Sentence]]:
    """Return the split as it is, lower-cased, and lower-cased without punctuation."""
    plain = ewt(root, split)
    return {
        "": plain,
        " lower-cased": [lower(s) for s in plain],
        " lower-cased, unpunctuated": [lower(bare(s)) for s in plain],
    }


def accuracies(root: Path, splits: tuple[str, ...] = ("dev", "test")) -> dict[str, float]:
    """Return UPOS accuracy with gold tokens, by data set."""
    return {
        f"UPOS accuracy, UD English EWT {split}{form}": round(accuracy("embedded", part), 4)
        for split in splits
        for form, part in forms(root, split).items()
    }


_SPEED = """
import sys, time
sys.path[:0] = sys.argv[4:]
clock = getattr(time, sys.argv[3])
began = clock()
from convoscope.text.pos import load_tagger
tagger = load_tagger()
loaded = clock() - began
from pathlib import Path
from tagger.measure import columns
from tagger.corpus import ewt
sentences = [s[0] for s in ewt(Path(sys.argv[1]), "train")]
data = columns(sentences)
tagger.tag(*data)
times = []
for _ in range(int(sys.argv[2])):
    began = clock()
    tagger.tag(*data)
    times.append(clock() - began)
print(loaded, len(data[1]) / min(times))
"""


def speed(root: Path, threads: int, repeats: int = 5) -> tuple[float, float]:
    """Return seconds to import and load, and words a second, in a process of its own.

    Measured on EWT train as one call, best of `repeats`, vocabulary work included. With one
    thread the clock is the processor's: it does not count what else the machine is doing.
    """
    clock = "process_time" if threads == 1 else "perf_counter"
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    environment = {**os.environ, **dict.fromkeys(names, str(threads))}
    paths = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2] / "src")]
    command = [sys.executable, "-c", _SPEED, str(root), str(repeats), clock, *paths]
    out = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    loaded, words = map(float, out.stdout.split())
    return loaded, words


def spacy_speed(folder: Path, root: Path, sentences: int = 1000) -> float:
    """Return words a processor second of one spaCy call per sentence, same pipeline."""
    import spacy
    from spacy.tokens import Doc

    nlp = spacy.load(folder)
    texts = [s[0] for s in ewt(root, "train")[:sentences]]
    for text in texts[:50]:
        nlp(Doc(nlp.vocab, words=text))
    began = time.process_time()
    for text in texts:
        nlp(Doc(nlp.vocab, words=text))
    return sum(map(len, texts)) / (time.process_time() - began)
