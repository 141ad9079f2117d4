"""The report: what the page says, how it says it, and that the same run gives the same page."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from click.testing import CliRunner

from convoscope.collection import CollectionBuilder, Item, Judgement, Response, Utterance
from convoscope.errors import InputError
from convoscope.metrics import Batch, parse
from convoscope.report.charts import power_chart
from convoscope.report.data import collect
from convoscope.report.explorer import explorer, word_tags
from convoscope.report.headline import finding
from convoscope.report.html import render, write_report
from convoscope.report.names import arguments, number, percent, rest, short_names
from convoscope.report.provenance import commands, used_assets
from convoscope.rundir import RunDirectory

METRICS = ("BLEU(n=1)", "POSScore")


def make_collection(judged=True, items=4, name="tiny"):
    into = CollectionBuilder(name)
    for i in range(items):
        into.add_item(
            Item(
                f"i{i}",
                (Utterance("do you like green tea ?", "A"),),
                ("yes , i really love green tea .", "no , never"),
            ),
            "here",
        )
        for s, text in (
            ("good", "yes , i love green tea !"),
            ("bad", f"the {i} of" + " tea" * i),
            ("empty", ""),
        ):
            into.add_response(s, Response(f"i{i}", text), "here")
            if judged and s != "empty":
                for rater, score in (("r1", 5.0), ("r2", 4.0)):
                    mark = score if s == "good" else score - 3.0
                    into.add_judgement(Judgement(rater, f"i{i}", s, "Overall", mark), "here")
                    into.add_judgement(Judgement(rater, f"i{i}", s, "Fluent", 6 - mark), "here")
    into.add_run("good", "human", "here")
    return into.build()


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    run = RunDirectory(tmp_path_factory.mktemp("run"))
    run.score(make_collection(), METRICS, arguments={"command": "score", "collection": "c.jsonl"})
    return run


@pytest.fixture(scope="module")
def unjudged(tmp_path_factory):
    run = RunDirectory(tmp_path_factory.mktemp("unjudged"))
    run.score(make_collection(judged=False), ["BLEU(n=1)"])
    return run


class Page(HTMLParser):
    """Gathers elements, ids and the embedded data of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.ids, self.scripts, self.rows = [], [], [], []
        self.open = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tags.append((tag, attrs))
        self.open.append(tag)
        if "id" in attrs:
            self.ids.append(attrs["id"])
        if tag == "script":
            self.scripts.append([attrs, ""])
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th") and self.rows:
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts[-1][1] += data
        elif self.rows and self.rows[-1] and not {"svg", "small"} & set(self.open):
            self.rows[-1][-1] += data.strip()

    @property
    def data(self):
        return json.loads(next(t for a, t in self.scripts if a.get("id") == "data"))


def row(metric, value, low=None, high=None, p=None, ties=0, pairs=100):
    return {
        "metric": metric, "value": value, "low": low, "high": high, "p": p, "ties": ties,
        "pairs": pairs, "correct": 0, "unscored": 0, "difference": None, "reason": None,
    }  # fmt: skip


def study(*rows, baseline="best", ties="wrong"):
    chosen = rows[0]["metric"] if baseline == "best" and rows else baseline
    signature = {"dimension": "Overall", "ties": ties, "items": 50, "level": 0.95}
    return {
        "study": "fidelity",
        "signature": signature,
        "baseline": chosen,
        "results": [*rows, row("Random", 0.5, 0.4, 0.6)],
    }


@pytest.fixture(scope="module")
def said(run):
    data = collect(run)

    def say(*rows, **options):
        result = study(*rows, **options)
        names = short_names([r["metric"] for r in rows])
        return finding(replace(data, fidelity=result, short=names)).replace("\u202f", " ")

    return say


def test_headline_one_clear_winner(said):
    text = said(row("METEOR", 0.71, 0.66, 0.75), row("EA", 0.6, 0.55, 0.65, p=0.001))
    assert text == "On this data METEOR agrees with people most often: 71 % of 100 pairs [66–75 %]."


def test_headline_names_rivals_within_the_interval(said):
    text = said(row("METEOR", 0.71, 0.66, 0.75), row("EA", 0.68, 0.6, 0.75, p=0.01))
    assert text.endswith("[66–75 %], but EA lies within its margin of error.")


def test_headline_names_rivals_that_the_test_does_not_separate(said):
    text = said(row("METEOR", 0.71, 0.66, 0.75), row("EA", 0.6, 0.52, 0.69, p=0.2))
    assert "but EA lies within its margin of error" in text


def test_headline_ignores_p_values_against_another_baseline(said):
    rows = row("METEOR", 0.71, 0.66, 0.75, p=0.2), row("EA", 0.6, 0.52, 0.65, p=0.2)
    assert "margin" not in said(*rows, baseline="EA")


def test_headline_no_better_than_chance(said):
    text = said(
        row("METEOR", 0.71, 0.66, 0.75),
        row("BLEU(n=4)", 0.52, 0.45, 0.58, p=0.001),
        row("BLEU(n=1)", 0.53, 0.46, 0.58, p=0.001),
    )
    assert text.endswith(" BLEU(n=1) and BLEU(n=4) are not shown to be better than chance.")


def test_headline_below_half_because_of_ties(said):
    rows = row("METEOR", 0.71, 0.66, 0.75), row("EA", 0.3, 0.2, 0.4, p=0.0, ties=60)
    assert said(*rows).endswith(" EA agrees on fewer than half, where a tie counts as wrong.")
    assert said(*rows, ties="half").endswith(" EA agrees on fewer than half.")


def test_headline_nothing_beats_chance(said):
    text = said(row("METEOR", 0.53, 0.44, 0.62), row("EA", 0.5, 0.4, 0.6, p=0.5))
    assert text == (
        "On this data no metric is shown to agree with people more often than chance: "
        "METEOR, the best, agrees on 53 % of 100 pairs [44–62 %]."
    )


def test_headline_single_metric(said):
    text = said(row("METEOR", 0.71, 0.66, 0.75, pairs=1))
    assert text == (
        "On this data METEOR agrees with people on 71 % of 1 pair [66–75 %]; "
        "chance would be half of them."
    )
    assert "METEOR is not shown to agree" in said(row("METEOR", 0.5, 0.4, 0.6))


def test_headline_no_pairs(said):
    assert said(row("METEOR", None, pairs=0)).startswith("Nothing can be said of the metrics")


def test_headline_no_judgements(unjudged):
    assert "no human judgements" in finding(collect(unjudged))


def test_page_structure(run):
    page = Page(render(collect(run)))
    assert len(page.ids) == len(set(page.ids))
    assert [t for t, _ in page.tags].count("h1") == 1
    assert {"power", "systems", "items", "provenance"} <= set(page.ids)
    assert page.data["posscore"] == 1
    for tag, attrs in page.tags:
        assert not {"src", "href", "style"} & set(attrs), tag


def test_page_loads_nothing(run):
    text = render(collect(run))
    code = re.sub(r"<(dl|ul|script type).*?</\w+>", "", text, flags=re.DOTALL)
    assert "http://" not in code
    assert "https://" not in code
    assert "@import" not in code
    assert "url(" not in code
    assert "innerHTML" not in code


def test_chart_sorts_best_first_and_random_last(run):
    data = collect(run)
    page = Page(power_chart(data.fidelity, data.short))
    names = [r[0] for r in page.rows[1:]]
    assert names == ["BLEU(n=1)", "POSScore", "Random scores"]
    assert "title" in [t for t, _ in page.tags]


def test_chart_without_values():
    page = Page(power_chart(study(row("METEOR", None, pairs=0)), {"METEOR": "METEOR"}))
    assert page.rows[1][2:4] == ["–", "–"]


def test_systems_table(run):
    page = Page(render(collect(run)))
    head = next(r for r in page.rows if r and r[0] == "System")
    assert head == ["System", "Responses", "Human", "BLEU(n=1)", "POSScore"]
    rows = {r[0]: r for r in page.rows if r and r[0] in ("good", "bad", "empty")}
    assert rows["good"][1:3] == ["4", "▲4.500"]
    assert rows["good"][3].startswith("▲")
    assert rows["empty"][2] == "–"


def test_systems_means_and_intervals(run):
    from scipy import stats

    data = collect(run)
    values = data.scores["BLEU(n=1)"][np.array(data.scores.systems) == "bad"]
    assert values.std() > 0
    cell = next(r for r in data.systems if r.name == "bad").cells["BLEU(n=1)"]
    low, high = stats.t.interval(0.95, len(values) - 1, values.mean(), stats.sem(values))
    assert cell.mean == pytest.approx(values.mean())
    assert cell.half == pytest.approx((high - low) / 2)


def test_judged_reference_without_a_run_has_a_row(run):
    data = collect(run)
    judgement = Judgement("r1", "i0", "gold", "Overall", 5.0)
    collection = replace(
        data.collection,
        judgements=(*data.collection.judgements, judgement),
        reference_system="gold",
    )
    from convoscope.report.data import _systems

    rows = _systems(collection, data.scores, collection.mean_judgements("Overall"))
    assert rows[-1].name == "gold"
    assert rows[-1].kind == "reference"
    assert rows[-1].human.half is None
    assert "references only" in render(replace(data, systems=rows))


def test_without_judgements(unjudged):
    text = write_report(unjudged).read_text("utf-8")
    page = Page(text)
    assert 'id="power"' not in text
    assert page.data["dimension"] is None
    assert next(r for r in page.rows if r and r[0] == "System") == [
        "System",
        "Responses",
        "BLEU(n=1)",
    ]


def test_without_posscore_there_is_advice(unjudged):
    page = Page(write_report(unjudged).read_text("utf-8"))
    assert page.data["posscore"] is None
    assert all(r["terms"] is None for i in page.data["items"] for r in i["responses"])


def test_unscored_cells_have_reasons(run):
    data = collect(run)
    values = dict(data.scores.values)
    values["BLEU(n=1)"] = np.full(len(data.scores), np.nan)
    reasons = {"BLEU(n=1)": dict.fromkeys(range(11), "the item has no reference")}
    text = render(replace(data, scores=replace(data.scores, values=values, reasons=reasons)))
    assert "12 of 12 responses not scored" in text
    assert "no reason was recorded (1); the item has no reference (11)" in text
    first = Page(text).data["items"][0]["responses"][0]
    assert first["values"][0] is None
    assert first["why"] == {"0": "the item has no reference"}


def test_dimension(run):
    assert collect(run).dimension == "Overall"
    assert collect(run, "Fluent").dimension == "Fluent"
    with pytest.raises(InputError, match="did you mean 'Overall'"):
        collect(run, "Overal")


def test_dimension_without_judgements(unjudged):
    with pytest.raises(InputError, match="no judgements"):
        collect(unjudged, "Overall")


def test_saved_fidelity_is_used_and_others_are_shown(run, tmp_path):
    shutil.copytree(run.path, tmp_path / "r")
    copy = RunDirectory(tmp_path / "r")
    saved = study(row("BLEU(n=1)", 0.123, 0.1, 0.2))
    saved["signature"]["dimension"] = "Fluent"
    copy.save_result("fidelity-Fluent", saved)
    copy.save_result("other", {"study": "correlation", "signature": {}, "results": [{"tau": 0.5}]})
    data = collect(copy)
    assert data.dimension == "Fluent"
    assert data.fidelity["results"][0]["value"] == 0.123
    assert "<summary" in render(data)
    assert "Correlation" in render(data)
    assert collect(copy, "Overall").fidelity["results"][0]["value"] == 1.0


def test_terms_add_up_to_the_score(run):
    data = collect(run)
    items = explorer(data, 10)["items"]
    seen = 0
    for item in items:
        for response in item["responses"]:
            t = response["terms"]
            assert t["w"] * t["pos"] + t["rest"] == pytest.approx(t["total"], abs=1e-4)
            assert t["total"] == pytest.approx(response["values"][1], abs=1e-5)
            (a, b), (c, d) = t["n_ref"], t["n_cand"]
            if a and c:
                assert t["w"] == pytest.approx(np.exp(1 - (a / b) / (c / d)), rel=1e-4)
                seen += 1
    assert seen
    assert items[0]["responses"][0]["terms"]["ref"] == 0


def test_terms_of_another_score_are_not_shown(run):
    data = collect(run)
    name = parse("POSScore")
    values = {**data.scores.values, str(name): data.scores[name] + 0.1}
    out = explorer(replace(data, scores=replace(data.scores, values=values)), 10)
    assert all(r["terms"] is None for i in out["items"] for r in i["responses"])
    assert out["problem"].startswith("The terms of 12 responses are not shown")


def test_other_resources_are_named(run):
    data = collect(run)
    signatures = {**data.scores.signatures, str(parse("POSScore")): "metric:POSScore|old"}
    out = explorer(replace(data, scores=replace(data.scores, signatures=signatures)), 10)
    assert out["posscore"] is None
    assert "score again" in out["problem"]


@pytest.mark.parametrize("tokenizer", ["whitespace", "word", "'13a'"])
@pytest.mark.parametrize("cleanup", ["released", "none"])
def test_word_tags_have_one_mark_per_word(tokenizer, cleanup, ugly):
    metric = parse(f"POSScore(tokenizer={tokenizer}, cleanup={cleanup})")
    texts = Batch.from_strings(ugly).texts
    for text, tags in zip(texts.strings, word_tags(texts, metric), strict=True):
        assert tags is None or len(tags) == len(text.split())


def test_word_tags_align_around_punctuation():
    metric = parse("POSScore")
    texts = Batch.from_strings(['" wow ! " , dogs ... bark .']).texts
    (tags,) = word_tags(texts, metric)
    marks = dict(zip(texts.strings[0].split(), tags, strict=True))
    assert marks["!"] == marks["..."] == "."
    assert marks["dogs"] == "H"  # NOUN
    assert len(tags) == 9


def test_items_limit(run):
    text = render(collect(run), items=2)
    assert "2 of 4 items shown" in text
    assert len(Page(text).data["items"]) == 2
    assert "items shown" not in render(collect(run))
    assert Page(render(collect(run), items=0)).data is None
    with pytest.raises(InputError, match="items=-1"):
        write_report(run, items=-1)


def test_same_run_same_bytes(run):
    first = write_report(run).read_bytes()
    assert write_report(run).read_bytes() == first


def test_same_bytes_in_another_place(run, tmp_path):
    shutil.copytree(run.path, tmp_path / "elsewhere")
    first = write_report(run).read_bytes()
    assert write_report(RunDirectory(tmp_path / "elsewhere")).read_bytes() == first


def test_provenance(run):
    data = collect(run)
    assert commands(data) == [
        "convoscope score c.jsonl -m 'BLEU(n=1)' -m 'POSScore(tags=ADJ+ADV+VERB+PROPN+NOUN)' "
        "-o RUN_DIR",
        "convoscope report RUN_DIR --dimension Overall",
    ]
    assert [a.name for a in used_assets(data)] == ["pos_en", "vectors_en"]
    text = render(data)
    assert "10.1145/3459637.3482463" in text
    for signature in data.scores.signatures.values():
        assert signature.replace("|", "|<wbr>") in text


def test_no_scores(tmp_path):
    with pytest.raises(InputError, match="scores"):
        write_report(RunDirectory(tmp_path))


def test_command(run):
    from convoscope.cli.report import command

    done = CliRunner().invoke(command, [str(run.path), "--items", "1"])
    assert done.exit_code == 0, done.output
    assert done.output.strip() == str(run.report)
    assert "1 of 4 items shown" in run.report.read_text("utf-8")


def test_numbers():
    assert number(0.12345) == "0.123"
    assert number(0.0) == "0.000"
    assert number(-0.5) == "−0.500"
    assert number(1e-78) == "1e−78"
    assert number(123.456) == "123.5"
    assert number(None) == number(float("nan")) == "–"
    assert percent(0.7149, 0) == "71\u202f%"
    assert percent(None) == "–"


def test_names():
    assert arguments("A(b='x, (', c=[1, 2])") == ("A", ["b='x, ('", "c=[1, 2]"])
    assert arguments("METEOR") == ("METEOR", [])
    names = ["POSScore(tags=ADJ, multi='mean')", "POSScore(tags=ADV, multi='mean')"]
    assert list(short_names(names).values()) == ["POSScore(tags=ADJ)", "POSScore(tags=ADV)"]
    assert rest(names[0], "POSScore(tags=ADJ)") == "multi='mean'"
    both = ["METEOR", "METEOR(tokenizer='word')"]
    assert list(short_names(both).values()) == both
