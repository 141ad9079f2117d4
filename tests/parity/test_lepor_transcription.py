"""LEPOR against a plain transcription of the paper, which looks at every word of the reference."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from convoscope.metrics import Batch
from convoscope.metrics.overlap.lepor import LEPOR


def align(response, reference, n):
    """The n-gram word alignment of Han et al. 2012: for each response word a place, or None."""
    places = []
    for i, word in enumerate(response):
        equal = [j for j, other in enumerate(reference) if other == word]

        def neighbour(j, i=i):
            for k in [*range(-n, 0), *range(1, n + 1)]:
                inside = 0 <= i + k < len(response) and 0 <= j + k < len(reference)
                if inside and response[i + k] == reference[j + k]:
                    return True
            return False

        chosen = [j for j in equal if neighbour(j)] or equal
        places.append(min(chosen, key=lambda j, i=i: (abs(j - i), j)) if chosen else None)
    return places


def lepor(response, reference, *, alpha, beta, n, positions, common):
    c, r = len(response), len(reference)
    if common == "clipped":
        shared = sum(min(response.count(w), reference.count(w)) for w in set(response))
        precise, recalled = shared, shared
    else:
        precise = sum(w in reference for w in response)
        recalled = sum(w in response for w in reference)
    if precise == 0:
        return 0.0
    lp = 1.0 if c == r else math.exp(1 - r / c) if c < r else math.exp(1 - c / r)
    npd = 0.0
    for i, j in enumerate(align(response, reference, n)):
        if j is not None:
            npd += abs((i + 1) / c - (j + 1) / r) if positions == "relative" else abs(i - j)
    p, rec = precise / c, recalled / r
    return lp * math.exp(-npd / c) * (alpha + beta) / (alpha / rec + beta / p)


COMBINATIONS = [
    {"alpha": a, "beta": b, "n": n, "positions": p, "common": m}
    for (a, b), n, p, m in itertools.product(
        ((9.0, 1.0), (1.0, 1.0), (0.0, 2.0), (0.5, 0.0)),
        range(5),
        ("relative", "absolute"),
        ("clipped", "any"),
    )
]


def check(rows, combinations=COMBINATIONS):
    batch = Batch.from_strings([c for c, _ in rows], [r for _, r in rows])
    for parameters in combinations:
        each = [
            [lepor(c.lower().split(), r.lower().split(), **parameters) for r in refs]
            for c, refs in rows
        ]
        for multi, combine in (("max", max), ("mean", np.mean)):
            ours = LEPOR(**parameters, multi=multi).compute(batch)
            expected = [combine(v) for v in each]
            np.testing.assert_allclose(ours, expected, rtol=1e-9, atol=0, err_msg=str(parameters))


def test_ugly(ugly):
    texts = [t for t in ugly if len(t) < 5_000]
    some = COMBINATIONS[::9]
    check([(a, [b]) for a in texts for b in texts], some)
    check([(a, [texts[(i + r) % len(texts)] for r in range(4)]) for i, a in enumerate(texts)], some)


@given(
    st.lists(st.sampled_from("abcde"), max_size=25),
    st.lists(st.lists(st.sampled_from("abcdz"), max_size=25), min_size=1, max_size=3),
    st.sampled_from(COMBINATIONS),
)
def test_generated(response, references, parameters):
    check([(" ".join(response), [" ".join(r) for r in references])], [parameters])


def test_many_pairs():
    rng = np.random.default_rng(0)

    def text():
        return " ".join(f"w{i}" for i in rng.integers(12, size=rng.integers(0, 40)))

    check([(text(), [text()]) for _ in range(400)])


def test_ten_thousand_words(ugly):
    long = max(ugly, key=len).split()
    check([(" ".join(long[:900]), [" ".join(long[300:1900])])], COMBINATIONS[:2])
    assert LEPOR().compute(Batch.from_strings([" ".join(long)], [[" ".join(long)]]))[0] == 1.0


def test_real(data):
    path = data / "dailydialog-plusplus" / "dev.jsonl"
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    rows = []
    with path.open(encoding="utf-8") as file:
        for line in itertools.islice(file, 400):
            item = json.loads(line)
            positive = item["positive_responses"]
            rows.append((positive[0], positive[1:5]))
            rows.append((item["adversarial_negative_responses"][0], positive[:1]))
    check(rows, COMBINATIONS[::7])
