"""METEOR against NLTK: from strings to scores, in one process.

    python benchmarks/meteor.py [--pairs 20000] [--repeats 3]

Needs NLTK and WordNet 3.0 in /usr/share/wordnet (Debian's wordnet-base). Compilation and loading
are not counted: ours has scored other texts before, NLTK the very same ones, so that its synset
cache is full. Nothing of ours that depends on a text outlives its batch, and every repeat makes a
new batch. The scores are compared before any time is believed. Exits with 1 when the promised
ratio does not hold.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from common import Row, pairs, peak_memory, report, timed
from convoscope.metrics import Batch
from convoscope.metrics.overlap.meteor import METEOR

LEAST = 30.0


def convoscope(texts: list[tuple[str, str]]) -> NDArray[np.float64]:
    return METEOR().compute(Batch.from_strings([c for c, _ in texts], [[r] for _, r in texts]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--pairs", type=int, default=20_000)
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    texts = pairs(args.pairs)
    convoscope(pairs(1_000, seed=1))
    before = peak_memory()
    scores = convoscope(texts)
    after = peak_memory()

    from nltk.translate.meteor_score import meteor_score

    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "parity"))
    from wordnet_oracle import wordnet

    reader = wordnet()

    def nltk() -> list[float]:
        return [meteor_score([r.split()], c.split(), wordnet=reader) for c, r in texts]

    difference = np.abs(scores - nltk()).max()
    words = np.mean([len(text.split()) for pair in texts for text in pair])
    print(f"{len(texts):,} pairs, {words:.1f} words a text, mean score {scores.mean():.4f}")
    print(f"greatest difference from NLTK {difference:.1e}")
    print(f"peak memory {before:.0f} MB before, {after:.0f} MB after scoring (NLTK not yet loaded)")
    ours, peer = (timed(f, args.repeats)[0] for f in (lambda: convoscope(texts), nltk))
    held = report("METEOR", [Row("NLTK meteor_score, warm", ours, peer, len(texts), LEAST)])
    return 0 if held and difference < 1e-9 else 1


if __name__ == "__main__":
    sys.exit(main())
