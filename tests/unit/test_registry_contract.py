"""One contract for every registered metric."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

from convoscope.cli.metrics import command, describe
from convoscope.metrics import Batch, Metric, metric_classes, parameters, register
from convoscope.metrics.registry import metric_class
from convoscope.scoring import compute

GOOD = "the old museum opens at nine and closes at six"


def instances():
    for cls in metric_classes():
        if cls.__name__ in ("PWE", "PTLC"):
            for inner in ("BLEU(n=1)", "METEOR", "EA"):
                yield cls(inner, tags="NOUN+VERB+ADJ+PROPN")
        else:
            yield cls()


def batch_for(candidates, others):
    """References, and contexts of one utterance, from the same texts: every need is met."""
    return Batch.from_strings(candidates, others, others)


def needs_reference(metric):
    if "reference" not in metric.requirements:
        pytest.skip("needs no reference")


@pytest.mark.parametrize("metric", list(instances()), ids=str)
class TestEveryMetric:
    def test_declares_what_the_docs_print(self, metric):
        for name in ("title", "summary", "source", "empty"):
            assert getattr(type(metric), name).strip()
        assert all(p.summary for p in parameters(type(metric)))
        json.dumps(describe(type(metric)))

    def test_value_is_finite_and_in_range_on_ugly_text(self, metric, ugly):
        texts = [*ugly[:-1], GOOD]
        pairs = [(c, r) for c in texts for r in texts]
        batch = batch_for([c for c, _ in pairs], [[r] for _, r in pairs])
        values, reasons = compute(metric, batch)
        assert values.shape == (len(pairs),)
        assert values.dtype == np.float64
        scored = values[~np.isnan(values)]
        assert set(np.flatnonzero(np.isnan(values))) == set(reasons)
        low, high = metric.bounds
        assert (scored >= low - 1e-9).all()
        assert (scored <= high + 1e-9).all()

    def test_itself_beats_something_else(self, metric):
        if not metric.requirements:
            pytest.skip("compares the response with nothing")
        batch = batch_for([GOOD, "i like green apples"], [[GOOD], [GOOD]])
        same, other = metric.compute(batch)
        assert same > other

    def test_missing_reference_is_a_reason_not_a_number(self, metric):
        needs_reference(metric)
        batch = Batch.from_strings([GOOD, GOOD], [[], [GOOD]])
        values, reasons = compute(metric, batch)
        assert np.isnan(values[0])
        assert reasons == {0: "the item has no reference"}
        assert not np.isnan(values[1])

    def test_rows_do_not_influence_each_other(self, metric):
        texts = [GOOD, "the museum", "dogs bark", "", "nine six old opens"]
        whole = metric.compute(batch_for(texts, [[GOOD]] * len(texts)))
        alone = [metric.compute(batch_for([t], [[GOOD]]))[0] for t in texts]
        np.testing.assert_array_equal(whole, alone)

    def test_more_references_never_hurt_the_maximum(self, metric):
        needs_reference(metric)
        one = metric.compute(Batch.from_strings(["the old museum"], [["dogs bark loud"]]))
        two = metric.compute(Batch.from_strings(["the old museum"], [["dogs bark loud", GOOD]]))
        assert two[0] >= one[0] - 1e-12

    def test_signature_names_every_parameter_and_the_version(self, metric):
        text = metric.signature()
        assert text.startswith(f"metric:{type(metric).__name__}|")
        assert "|version:" in text
        for p in parameters(type(metric)):
            assert f"|{p.name}:" in text
        assert metric.signature(short=True).startswith(str(metric))


def test_a_strangers_metric_can_be_registered():
    from dataclasses import dataclass

    @register
    @dataclass(frozen=True, repr=False)
    class WordCount(Metric):
        title = "Word count"
        summary = "number of words"
        source = "this test"
        empty = "0"
        needs = frozenset()

        def compute(self, batch):
            return batch.texts.tokens("whitespace").lengths[batch.candidates].astype(float)

    import convoscope

    assert metric_class("WordCount") is WordCount
    assert convoscope.evaluate("WordCount", candidates=["a b c"])["WordCount"].tolist() == [3.0]


def test_a_metric_must_say_what_it_is():
    from convoscope.errors import MetricError

    with pytest.raises(MetricError, match="has no compute"):
        register(type("Empty", (Metric,), {}))
    with pytest.raises(MetricError, match="does not declare title, summary, source, empty"):
        register(type("Silent", (Metric,), {"compute": lambda self, batch: None}))


def test_command_lists_and_details():
    run = CliRunner().invoke(command, [])
    assert run.exit_code == 0
    assert all(c.__name__ in run.output for c in metric_classes())
    detail = CliRunner().invoke(command, ["POSScore"])
    assert "equations 1-3" in detail.output
    listed = json.loads(CliRunner().invoke(command, ["--json"]).output)
    assert {m["name"] for m in listed} == {c.__name__ for c in metric_classes()}
