"""POSSCORE against the paper's procedure: one spaCy call per sentence, word vectors in a loop.

    python benchmarks/posscore.py [--pairs 20000] [--repeats 3]

The peer runs the very same spaCy pipeline and the same vectors, so the outputs must be equal.
"""

from __future__ import annotations

import argparse
import math
import re
import string
import sys

import numpy as np
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from common import Row, pairs, report, timed
from convoscope.assets import asset
from convoscope.metrics import Batch
from convoscope.metrics.posscore import POSScore
from convoscope.text.vectors import load_vectors

NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
TAGS = {"ADJ", "ADV", "VERB", "PROPN", "NOUN"}


def paper_procedure(nlp: Language, texts: list[tuple[str, str]]) -> np.ndarray:
    """Score pair by pair, as the released code does (vectors looked up once per word)."""
    cleaned = [[t.translate(NO_PUNCTUATION).split() for t in pair] for pair in texts]
    words = sorted({w.lower() for pair in cleaned for t in pair for w in t})
    table = dict(zip(words, load_vectors().lookup(words), strict=True))

    def analyse(tokens: list[str]) -> tuple[np.ndarray | None, np.ndarray | None, float]:
        doc = nlp(Doc(nlp.vocab, words=tokens))
        groups: tuple[list[str], list[str]] = ([], [])
        for token in doc:
            groups[token.pos_ not in TAGS].append(token.text)
        share = len(groups[0]) / len(tokens) if tokens else 0.0
        return mean(groups[0]), mean(groups[1]), share

    def mean(group: list[str]) -> np.ndarray | None:
        runs = re.findall(r"(?:(?!\d)\w)+", " ".join(group).lower())
        vectors = [
            table[w] if w in table else load_vectors().lookup([w])[0]
            for w in runs
            if 2 <= len(w) <= 15
        ]
        return np.mean(vectors, axis=0, dtype=np.float64) if vectors else None

    def cosine(a: np.ndarray | None, b: np.ndarray | None) -> float:
        if a is None or b is None:
            return 0.0
        return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))

    out = []
    for candidate, reference in cleaned:
        c_pos, c_rest, n_c = analyse(candidate)
        r_pos, r_rest, n_r = analyse(reference)
        w = math.exp(1 - n_r / n_c) if n_r and n_c else 1.0
        out.append(w * cosine(c_pos, r_pos) + cosine(c_rest, r_rest))
    return np.array(out)


def ours(texts: list[tuple[str, str]]) -> np.ndarray:
    """Score all pairs at once."""
    batch = Batch.from_strings([c for c, _ in texts], [[r] for _, r in texts])
    return POSScore().compute(batch)


def main() -> None:
    """Compare outputs, then time both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=20_000)
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    every = pairs(args.pairs + 500, seed=1)
    texts, other = every[: args.pairs], every[args.pairs :]
    ours(other)
    nlp = spacy.load(asset("pos_en").path)
    paper_procedure(nlp, other)
    mine, scores = timed(lambda: ours(texts), args.repeats)
    peer, expected = timed(lambda: paper_procedure(nlp, texts), 1)
    np.testing.assert_allclose(scores, expected, rtol=0, atol=1e-6)
    row = Row("POSSCORE, one spaCy call per sentence", mine, peer, len(texts), least=5.0)
    sys.exit(0 if report("POSSCORE, same pipeline, same vectors, equal scores", [row]) else 1)


if __name__ == "__main__":
    main()
