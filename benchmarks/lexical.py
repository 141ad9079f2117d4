"""BLEU, ROUGE-L and EA against NLTK, sacrebleu, rouge-score and a NumPy loop.

    python benchmarks/lexical.py [--pairs 20000] [--repeats 5]

Whole calls, from strings to scores, on distinct texts, in one process; compiled code is loaded
and caches are filled with other texts first. The outputs are compared before any time is
believed. Exits with 1 when a promised ratio does not hold.
"""

from __future__ import annotations

import argparse
import logging
import warnings
from collections.abc import Callable, Sequence

import numpy as np
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
from numpy.typing import NDArray
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import bleu as sacrebleu

from common import Row, merged, pairs, report, timed
from convoscope.metrics import Batch, Metric
from convoscope.metrics.embedding.average import EA
from convoscope.metrics.overlap.bleu import BLEU
from convoscope.metrics.overlap.rouge import ROUGE_L
from convoscope.text.vectors import load_vectors

Pairs = Sequence[tuple[str, str]]
Scores = NDArray[np.float64]
WEIGHTS = [tuple([1 / n] * n) for n in (1, 2, 3, 4)]


def convoscope(metrics: Sequence[Metric], texts: Pairs) -> Scores:
    """Return the scores of each pair, shape (pairs, metrics)."""
    batch = Batch.from_strings([c for c, _ in texts], [[r] for _, r in texts])
    return np.stack([m.compute(batch) for m in metrics], axis=1)


def nltk_bleus(method: str, texts: Pairs) -> Scores:
    smooth = getattr(SmoothingFunction(), method)
    return np.array([sentence_bleu([r.split()], c.split(), WEIGHTS, smooth) for c, r in texts])


def sacrebleu_scores(texts: Pairs, tokenize: str) -> Scores:
    scorer = sacrebleu.BLEU(tokenize=tokenize, effective_order=True)
    return np.array([[scorer.sentence_score(c, [r]).score / 100] for c, r in texts])


def rouge_scores(texts: Pairs, *, stem: bool) -> Scores:
    scorer = RougeScorer(["rougeL"], use_stemmer=stem)
    return np.array([[scorer.score(r, c)["rougeL"].fmeasure] for c, r in texts])


def cosine(a: Scores, b: Scores) -> float:
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))


def numpy_ea(texts: Pairs) -> Scores:
    """EA as one writes it by hand: for each text its words' vectors, their mean, the cosine."""
    vectors = load_vectors()

    def mean(text: str) -> Scores:
        return vectors.lookup(text.split()).mean(axis=0, dtype=np.float64)

    return np.array([[cosine(mean(c), mean(r))] for c, r in texts])


def numpy_ea_dict(texts: Pairs) -> Scores:
    """Do the same with each distinct word looked up once, and the vectors in a dict."""
    words = sorted({w for pair in texts for t in pair for w in t.split()})
    table = dict(zip(words, load_vectors().lookup(words), strict=True))

    def mean(text: str) -> Scores:
        return np.mean([table[w] for w in text.split()], axis=0, dtype=np.float64)

    return np.array([[cosine(mean(c), mean(r))] for c, r in texts])


def compare(
    what: str,
    metrics: Sequence[Metric],
    peer: Callable[[Pairs], Scores],
    texts: Pairs,
    other: Pairs,
    repeats: int,
    *,
    least: float | None = None,
    tolerance: float = 1e-9,
) -> Row:
    """Time both on `texts` after a warm-up on `other`; refuse to report different outputs."""
    convoscope(metrics, other)
    peer(other[:200])
    ours, theirs = [], []
    for _ in range(3):  # in turns, so that both meet the same load of the machine
        timing, mine = timed(lambda: convoscope(metrics, texts), repeats)
        ours.append(timing)
        timing, expected = timed(lambda: peer(texts), 1)
        theirs.append(timing)
    np.testing.assert_allclose(mine, expected, rtol=tolerance, atol=tolerance, err_msg=what)
    return Row(what, merged(*ours), merged(*theirs), len(texts), least)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pairs", type=int, default=20_000)
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)

    made = pairs(arguments.pairs + 3_000, words=20, seed=1)
    texts, other = made[3_000:], made[:3_000]
    mean = sum(len(t.split()) for p in texts for t in p) / (2 * len(texts))
    print(f"{len(texts):,} pairs of {mean:.1f} words")
    tokens = [BLEU(n=n) for n in (1, 2, 3, 4)]
    seven = [BLEU(n=n, smoothing="method7", orders=4) for n in (1, 2, 3, 4)]
    sacre = [BLEU(n=4, smoothing="sacrebleu-exp", effective_order=True)]
    rows = [
        compare(
            "BLEU-1 to 4, method 7, against NLTK",
            seven,
            lambda t: nltk_bleus("method7", t),
            texts,
            other,
            arguments.repeats,
            least=20,
        ),
        compare(
            "BLEU-1 to 4, method 1, against NLTK",
            tokens,
            lambda t: nltk_bleus("method1", t),
            texts,
            other,
            arguments.repeats,
            least=20,
        ),
        compare(
            "BLEU-4, exp, against sacrebleu (none)",
            sacre,
            lambda t: sacrebleu_scores(t, "none"),
            texts,
            other,
            arguments.repeats,
        ),
        compare(
            "ROUGE-L against rouge-score",
            [ROUGE_L()],
            lambda t: rouge_scores(t, stem=False),
            texts,
            other,
            arguments.repeats,
            least=10,
        ),
        compare(
            "ROUGE-L, stems, against rouge-score",
            [ROUGE_L(stem=True)],
            lambda t: rouge_scores(t, stem=True),
            texts,
            other,
            arguments.repeats,
        ),
        compare(
            "EA against a NumPy loop",
            [EA()],
            numpy_ea,
            texts,
            other,
            arguments.repeats,
            least=10,
            tolerance=1e-5,  # EA keeps its means in float32
        ),
        compare(
            "EA against a NumPy loop, vectors in a dict",
            [EA()],
            numpy_ea_dict,
            texts,
            other,
            arguments.repeats,
            tolerance=1e-5,
        ),
    ]
    return 0 if report("Lexical metrics", rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())
