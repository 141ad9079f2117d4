"""Canonical names: ``parse(str(m)) == m``, and errors that name the right thing."""

from __future__ import annotations

import pytest

import convoscope
from convoscope.errors import MetricError
from convoscope.metrics import TagSet, metric_classes, parse, parse_many

EXPRESSIONS = [
    "BLEU(n=4)",
    "BLEU(n=2, smoothing='method3')",
    "METEOR",
    "METEOR(alpha=0.8, beta=2.0, gamma=0.4)",
    "ROUGE_L",
    "EA",
    "POSScore(tags=ADJ+ADV+VERB+PROPN+NOUN)",
    "POSScore(tags=NOUN, cleanup='none')",
    "PWE(BLEU(n=1), tags=PROPN+NOUN)",
    "PTLC(METEOR, tags=ADJ+VERB+PROPN+NOUN)",
    "PWE(PWE(EA, tags=NOUN), tags=NOUN+VERB)",
    "EA(vectors='a folder/it\\'s.vec')",
]


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_parse_inverts_str(text):
    metric = parse(text)
    assert parse(str(metric)) == metric
    assert hash(parse(str(metric))) == hash(metric)


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_canonical_name_is_a_python_expression(text):
    names = {n: getattr(convoscope, n) for n in ("BLEU", "METEOR", "ROUGE_L", "EA", "POSScore")}
    names |= {n: getattr(convoscope, n) for n in ("PWE", "PTLC", "ADJ", "ADV", "VERB", "NOUN")}
    names["PROPN"] = convoscope.PROPN
    value = eval(str(parse(text)), names)
    assert (value() if isinstance(value, type) else value) == parse(text)


def test_bare_words_and_quotes_mean_the_same():
    assert parse("BLEU(n=2, smoothing=method3)") == parse("BLEU(n=2, smoothing='method3')")


def test_tag_order_does_not_matter():
    assert parse("POSScore(tags=NOUN+ADJ)") == parse("POSScore(tags=ADJ+NOUN)")
    assert str(TagSet.of("PRON+ADJ")) == "ADJ+PRON"


def test_several_by_commas():
    found = parse_many(["BLEU(n=1), METEOR", "EA"])
    assert [str(m) for m in found] == ["BLEU(n=1)", "METEOR", "EA"]


def test_every_registered_metric_round_trips_at_its_defaults():
    for cls in metric_classes():
        name = cls.__name__
        metric = parse(f"{name}(EA, tags=NOUN)" if name in ("PWE", "PTLC") else name)
        assert parse(str(metric)) == metric


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("BLUE(n=2)", "did you mean 'BLEU'"),
        ("BLEU(m=2)", "has no parameter 'm'"),
        ("BLEU(smooting=method1)", "did you mean 'smoothing'"),
        ("BLEU(n=0)", "out of range"),
        ("BLEU(n='2')", "expected an integer"),
        ("BLEU(n=True)", "expected an integer"),
        ("BLEU(smoothing=method9)", "not a choice"),
        ("METEOR(alpha=2)", "out of range"),
        ("POSScore(tags=NOUNS)", "unknown part-of-speech tag 'NOUNS'"),
        ("PWE(tags=NOUN)", "PWE needs 'metric'"),
        ("PWE(BLEU(n=1))", "PWE needs 'tags'"),
        ("PWE(7, tags=NOUN)", "not a metric"),
        ("BLEU(2, n=2)", "given twice"),
        ("BLEU(n=1, n=2)", "given twice"),
        ("METEOR(beta=1e999)", "out of range"),
        ("BLEU(", "not a metric expression"),
        ("EA(vectors=/a/b.vec)", "not a metric expression"),
        ("1 + 2", "is not a metric"),
        ("__import__('os')", "unknown metric"),
        ("", "not a metric expression"),
    ],
)
def test_errors_name_what_is_right(text, message):
    with pytest.raises(MetricError, match=message):
        parse(text)


def test_wrong_keyword_in_python_teaches_too():
    with pytest.raises(MetricError, match="did you mean 'smoothing'"):
        convoscope.BLEU(smooting="method1")
