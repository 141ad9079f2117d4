"""Make, or measure, the embedded part-of-speech tagger (``convoscope/assets/pos_en``).

    python recipes/pos_tagger.py make [--work FOLDER]
    python recipes/pos_tagger.py evaluate

``make`` fine-tunes the teacher (MiniLM) on UD English EWT, asks it about dialogue text, trains
the student on its answers and on the treebank, and writes the asset; each stage leaves a file
in the work folder and is not repeated when that file is there. ``evaluate`` prints the
accuracy and the speed of the asset that is there. The corpora are looked for in
``CONVOSCOPE_DATA``. Nothing is chosen on test data; test is read only by ``evaluate`` and for the
manifest.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]

from common import ASSETS, data_root  # noqa: E402

FOLDER = ASSETS / "pos_en"
EPOCHS, RATE, WORDS_A_BATCH = 8, 3e-3, 4000


def make(work: Path) -> None:
    """Run every stage that has not left its file yet."""
    import numpy as np
    import torch

    from tagger import dataset, export, student, teacher

    root = data_root()
    work.mkdir(parents=True, exist_ok=True)
    if not (work / "teacher.pt").is_file():
        teacher.train(root, work / "teacher.pt")
    if not (work / "silver.npz").is_file():
        judge = teacher.load(work / "teacher.pt")
        texts = dataset.silver_texts(root, judge)
        forms = dataset.gold_forms(root, "train")
        parts = {"silver": texts, "original": [s[0] for s in forms["original"]]}
        arrays = {}
        for name, part in parts.items():
            arrays[name] = np.concatenate(teacher.logits(judge, part))
            print(f"teacher's opinion of {len(part):,} {name} texts", flush=True)
        arrays["words"] = np.array("\n".join("\x1f".join(t) for t in texts))
        np.savez(work / "silver.npz", **arrays)
    if not (work / "student.pt").is_file():
        with np.load(work / "silver.npz", allow_pickle=False) as saved:
            arrays = dict(saved)
        texts = [line.split("\x1f") for line in str(arrays.pop("words")).split("\n")]
        forms = dataset.gold_forms(root, "train")

        def split(name: str, sentences: list[list[str]]) -> list[np.ndarray]:
            return np.split(arrays[name], np.cumsum([len(s) for s in sentences])[:-1])

        vocabulary = student.Vocabulary()
        data = dataset.training_data(
            root,
            vocabulary,
            texts,
            split("silver", texts),
            {"original": split("original", [s[0] for s in forms["original"]])},
        )
        dev = dataset.measured(dataset.gold_forms(root, "dev"), vocabulary)
        print(f"student: {len(data.ids):,} words, {len(vocabulary.number):,} types", flush=True)
        student.train(
            data, dev, vocabulary,
            epochs=EPOCHS, rate=RATE, words_a_batch=WORDS_A_BATCH, out=str(work / "student.pt"),
        )  # fmt: skip
    model = student.Student()
    model.load_state_dict(torch.load(work / "student.pt", weights_only=True))
    export.to_spacy(model.eval(), FOLDER)
    report = json.loads((work / "teacher.json").read_text(encoding="utf-8"))
    export.finish(FOLDER, root, settings(report))


def settings(teacher_report: dict[str, float]) -> dict[str, object]:
    """Return the hyper-parameters that the manifest records."""
    from tagger import dataset, student, teacher

    return {
        "teacher": {
            "epochs": teacher.EPOCHS, "batch": teacher.BATCH, "rate": teacher.RATE,
            "seed": teacher.SEED, **teacher_report,
        },
        "student": {
            "attributes": student.ATTRIBUTES, "rows": student.ROWS, "width": student.WIDTH,
            "depth": student.DEPTH, "pieces": student.PIECES, "epochs": EPOCHS, "rate": RATE,
            "words_a_batch": WORDS_A_BATCH, "seed": student.SEED,
        },
        "data": {
            "dialogue_texts": dataset.DIALOGUE_TEXTS, "copies": dataset.COPIES,
            "gold_weight": dataset.GOLD_WEIGHT, "seed": dataset.SEED,
        },
    }  # fmt: skip


def evaluate() -> None:
    """Print accuracy and speed."""
    from tagger import measure

    root = data_root()
    for name, value in measure.accuracies(root).items():
        print(f"{value:.4f}  {name}")
    size = sum(f.stat().st_size for f in FOLDER.rglob("*") if f.is_file())
    print(f"{size / 1e6:.1f} MB on disk")
    for threads in (1, 2):
        loaded, words = measure.speed(root, threads)
        clock = "processor" if threads == 1 else "wall-clock"
        print(
            f"{threads} thread(s): {words:,.0f} words/s; import and load {loaded:.2f} s ({clock})"
        )
    words = measure.spacy_speed(FOLDER, root)
    print(f"one spaCy call a sentence: {words:,.0f} words/s (processor)")


def main() -> None:
    """Parse the arguments."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    makes = commands.add_parser("make")
    makes.add_argument("--work", type=Path, default=HERE.parent / "work-pos")
    commands.add_parser("evaluate")
    arguments = parser.parse_args()
    if arguments.command == "make":
        make(arguments.work)
    else:
        evaluate()


if __name__ == "__main__":
    main()
