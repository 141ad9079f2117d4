"""The USR reader: on a small file of the same shape, and on the real one."""

import json
from pathlib import Path
from typing import Any

import pytest

from convoscope import io

DIMENSIONS = [
    "Understandable",
    "Natural",
    "Maintains Context",
    "Engaging",
    "Uses Knowledge",
    "Overall",
]


def answer(model: str, text: str, score: int, count: int = 3) -> dict[str, Any]:
    return {"response": text, "model": model} | {
        d: [score + k % 2 for k in range(count)] for d in DIMENSIONS
    }


def entries() -> list[dict[str, Any]]:
    return [
        {
            "context": "hi , how are you ? \n fine . and you ?\nwell \n\n",
            "fact": "cats purr . \n",
            "annotators": ["ab", "cd", "ef"],
            "responses": [
                answer("Original Ground Truth", "good to hear . \n", 4),
                answer("Argmax Decoding", "i do n't know .\n", 1),
                answer("New Human Generated", "lovely ", 3),
            ],
        },
        {
            "context": "one\n\n",
            "fact": "_nofact\n",
            "annotators": ["ab", "cd"],
            "responses": [
                answer("Original Ground Truth", "two\n", 4),
                answer("Argmax Decoding", "\n", 1),
                answer("New Human Generated", "three\n", 3),
            ],
        },
    ]


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "usr.json"
    path.write_text(json.dumps(entries()))
    return path


def test_small_file(small: Path) -> None:
    assert io.detect(small) == "usr"
    made = io.load("usr", small)
    first, second = made.items
    assert [(u.speaker, u.text) for u in first.context] == [
        ("A", "hi , how are you ?"),
        ("B", "fine . and you ?"),
        ("A", "well"),
    ]
    assert first.references == ("good to hear .",)
    assert first.knowledge == "cats purr ."
    assert second.knowledge is None
    assert made.reference_system == "Original Ground Truth"
    assert [(r.system, r.kind) for r in made.runs] == [
        ("Argmax Decoding", "generative"),
        ("New Human Generated", "human"),
    ]
    assert made.runs[0].responses[1].text == ""
    assert made.dimensions == tuple(DIMENSIONS)
    assert len(made.judgements) == 2 * 3 * 6 * 3
    raters = {i: {j.rater for j in made.judgements if j.item == i} for i in ("1", "2")}
    # Two names for three ratings: the names cannot be trusted.
    assert raters == {"1": {"ab", "cd", "ef"}, "2": {"rater1", "rater2", "rater3"}}
    assert made.mean_judgements("Overall")["1", "Original Ground Truth", 1] == 13 / 3


def test_options(small: Path) -> None:
    made = io.load("usr", small, reference_as_run="yes", speakers=False)
    assert (made.runs[0].system, made.runs[0].kind) == ("Original Ground Truth", "human")
    assert made.items[0].references == ("good to hear .",)
    assert made.items[0].context[0].speaker is None
    other = io.load("usr", small, reference="New Human Generated")
    assert other.items[1].references == ("three",)
    assert other.systems == ("Original Ground Truth", "Argmax Decoding")
    none = io.load("usr", small, reference="")
    assert none.reference_system is None
    assert len(none.runs) == 3
    assert none.items[0].references == ()


def test_round_trip_through_jsonl(small: Path, tmp_path: Path) -> None:
    made = io.load("usr", small)
    io.save(made, tmp_path / "u.jsonl")
    assert io.load("jsonl", tmp_path / "u.jsonl") == made


def test_topical_chat(data: Path) -> None:
    path = data / "usr" / "tc_usr_data.json"
    if not path.is_file():
        pytest.skip(f"no {path.name} in {data}")
    found = io.validate(path)
    assert found.ok
    assert found.format == "usr"
    assert found.items == 60
    assert [(s.responses, s.kind) for s in found.systems] == [(60, "generative")] * 4 + [
        (60, "human")
    ]
    assert found.judgements == 360 * 6 * 3
    assert found.references == (1, 1.0, 1)
    assert found.raters == ("sm", "me", "er", "fl", "yf")
    assert [(d.minimum, d.maximum) for d in found.dimensions] == [
        (0, 1), (1, 3), (1, 3), (1, 3), (0, 1), (1, 5)
    ]  # fmt: skip
    made = found.collection
    assert made is not None
    assert all(i.context[-1].speaker == "A" for i in made.items)
    texts = [r.text for run in made.runs for r in run.responses]
    assert all(t and t == t.strip() for t in texts)
    assert sum(i.knowledge is None for i in made.items) < 60


def test_evaluation_sets_of_the_posscore_paper(data: Path) -> None:
    path = data / "usr" / "tc_usr_data.json"
    if not path.is_file():
        pytest.skip(f"no {path.name} in {data}")
    made = io.load("usr", path)
    means = made.mean_judgements("Overall")
    pairs = 0
    for item in made.items:
        levels = [means[item.id, s, 1] for s in made.systems]
        pairs += sum(a != b for k, a in enumerate(levels) for b in levels[k + 1 :])
    # The paper counts 550 sets of an item and two systems whose mean Overall differs.
    assert pairs == 550
