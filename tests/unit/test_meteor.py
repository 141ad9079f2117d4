from __future__ import annotations

import math
import time

import numpy as np
import pytest

from convoscope.errors import MetricError
from convoscope.metrics import Batch, parse
from convoscope.metrics.overlap.meteor import METEOR

# The example in NLTK's documentation of nltk.translate.meteor_score, with the value printed
# there: 0.6944 for hypothesis 1 and its best reference. The other values below are
# those of NLTK 3.10.4 over WordNet 3.0 (Debian's wordnet-base), to ten digits.
HYPOTHESIS_1 = (
    "It is a guide to action which ensures that the military always obeys the commands of the party"
)
HYPOTHESIS_2 = "It is to insure the troops forever hearing the activity guidebook that party direct"
REFERENCES = [
    "It is a guide to action that ensures that the military will forever heed Party commands",
    "It is the guiding principle which guarantees the military forces always being under the "
    "command of the Party",
    "It is the practical guide for the army always to heed the directions of the party",
]


def meteor(candidate: str, *references: str, metric: METEOR | None = None) -> float:
    return float((metric or METEOR()).compute(Batch.from_strings([candidate], [references]))[0])


def test_printed_in_nltks_documentation() -> None:
    assert round(meteor(HYPOTHESIS_1, *REFERENCES), 4) == 0.6944
    assert round(meteor(HYPOTHESIS_1, REFERENCES[0]), 4) == 0.6944
    assert meteor("non matching hypothesis", "this is a cat") == 0.0


KNOWN = [
    (HYPOTHESIS_1, REFERENCES[0], 0.6944444444),
    (HYPOTHESIS_1, REFERENCES[1], 0.625),
    (HYPOTHESIS_1, REFERENCES[2], 0.5114197531),
    (HYPOTHESIS_2, REFERENCES[0], 0.3035391372),
    (HYPOTHESIS_2, REFERENCES[1], 0.2113636364),
    ("the kids buy an auto", "children bought a car", 0.1219512195),
    ("i purchased the cheap sofa yesterday", "yesterday i bought a cheap couch", 0.5260416667),
    ("the the the cat the", "the cat the the", 0.487804878),
    ("she is driving big cars quickly", "he drove a large auto fast", 0.0833333333),
    ("İt ’s naïve", "it ’s naïve .", 0.4807692308),
]


@pytest.mark.parametrize(("candidate", "reference", "value"), KNOWN)
def test_known_values(candidate: str, reference: str, value: float) -> None:
    assert meteor(candidate, reference) == pytest.approx(value, abs=1e-9)


def test_by_hand() -> None:
    # 3 matches of 3, one chunk: 1 - 0.5 · (1/3)^3
    assert meteor("a b c", "a b c") == pytest.approx(1 - 0.5 / 27)
    # matched from the end: "a" of the response takes the second "a": 2 matches, 2 chunks
    # P = 2/2, R = 2/3, mean = PR / (0.9 P + 0.1 R), penalty 0.5
    assert meteor("a b", "a b a") == pytest.approx(0.5 * (2 / 3) / (0.9 + 0.1 * 2 / 3))
    # a stem and a synonym count as much as an equal word
    assert meteor("cats", "cat") == meteor("cat", "cat") == meteor("car", "auto") == 0.5
    # the synonyms of the stem "automobil" are looked up, and there are none
    assert meteor("automobile", "car") == meteor("car", "automobile") == 0.0


def test_parameters() -> None:
    by_recall = METEOR(alpha=1.0, gamma=0.0)
    assert meteor("a b x y", "a b", metric=by_recall) == 1.0
    assert meteor("a b", "a b x y", metric=by_recall) == 0.5
    by_precision = METEOR(alpha=0.0, gamma=0.0)
    assert meteor("a b x y", "a b", metric=by_precision) == 0.5
    assert meteor("a", "a", metric=METEOR(gamma=1.0)) == 0.0
    batch = Batch.from_strings([HYPOTHESIS_1], [REFERENCES])  # one batch, several parameters
    for metric in (METEOR(), by_recall, by_precision, METEOR(tokenizer="word")):
        assert metric.compute(batch)[0] == meteor(HYPOTHESIS_1, *REFERENCES, metric=metric)
    for wrong in (
        {"alpha": 1.1},
        {"alpha": -0.1},
        {"gamma": 2.0},
        {"beta": -1.0},
        {"multi": "sum"},
    ):
        with pytest.raises(MetricError):
            METEOR(**wrong)  # type: ignore[arg-type]
    with pytest.raises(MetricError):
        METEOR(beta=math.nan)


def test_references() -> None:
    batch = Batch.from_strings(["a b", "a b", "a b"], [["a b", "x"], [], ["x"]])
    np.testing.assert_allclose(METEOR().compute(batch), [1 - 0.5 / 8, np.nan, 0.0])
    mean = METEOR(multi="mean").compute(batch)
    np.testing.assert_allclose(mean, [(1 - 0.5 / 8) / 2, np.nan, 0.0])


@pytest.mark.parametrize("text", ["", " ", "\u2003\n"])
def test_empty(text: str) -> None:
    assert meteor(text, "a b") == meteor("a b", text) == meteor(text, text) == 0.0


def test_no_rows() -> None:
    assert METEOR().compute(Batch.from_strings([], [])).shape == (0,)


def test_a_pair_scores_the_same_in_any_company() -> None:
    alone = [meteor(HYPOTHESIS_1, r) for r in REFERENCES]
    batch = Batch.from_strings(
        [HYPOTHESIS_1, HYPOTHESIS_2, *[HYPOTHESIS_1] * 3],
        [[HYPOTHESIS_2], REFERENCES, *[[r] for r in REFERENCES]],
    )
    assert METEOR().compute(batch)[2:].tolist() == alone


def test_long_texts_take_linear_time() -> None:
    words = [f"wab{i % 5_000}xing" for i in range(100_000)]
    other = [f"wab{i * 7 % 5_000}xed" for i in range(100_000)]
    candidates = [" ".join(words), "a " * 100_000]
    batch = Batch.from_strings(candidates, [[" ".join(other)], ["b a " * 50_000]])
    METEOR().compute(Batch.from_strings(["a"], [["a"]]))
    start = time.perf_counter()
    values = METEOR().compute(batch)
    assert time.perf_counter() - start < 5.0
    assert np.all((values > 0) & (values <= 1))


def test_name_and_signature() -> None:
    assert parse("METEOR") == METEOR()
    metric = METEOR(alpha=0.8, multi="mean")
    assert parse(str(metric)) == metric
    assert "|stem:porter-nltk|wordnet:3.0-1-" in metric.signature()
