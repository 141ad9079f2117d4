"""The report of hostile data: no text of a collection ever becomes markup or a script."""

from __future__ import annotations

import json
import shutil
import subprocess
from html.parser import HTMLParser

import pytest

from convoscope.collection import (
    Collection,
    Item,
    Judgement,
    Response,
    Run,
    Utterance,
)
from convoscope.report.data import collect
from convoscope.report.explorer import safe_json
from convoscope.report.html import render, write_report
from convoscope.rundir import RunDirectory

HOSTILE = (
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    "<!--<script>",
    "--><img src=x onerror=alert(3)>",
    "<img src=x onerror=alert(4)>",
    "' onmouseover='alert(5)' x='",
    '" onmouseover="alert(6)" x="',
    "</title></style></textarea><svg onload=alert(7)>",
    "$title ${body} $$ %s {0} {{x}}",
    "]]> &amp; &lt; &#60; &quot;",
    "nul \x00 bell \x07 escape \x1b del \x7f",
    "line\u2028paragraph\u2029end",
    "שלום \u202e evil \u202c مرحبا",
    "🙂 👩‍👩‍👧‍👦 \U000e0041",
    "x" * 5_000,
    "back\\slash \\u003cscript\\u003e `${alert(8)}`",
    "javascript:alert(9)",
)
ELEMENTS = {
    "html", "head", "meta", "title", "style", "body", "main", "header", "footer", "section", "h1",
    "h2", "h3", "p", "b", "span", "small", "div", "table", "caption", "thead", "tbody", "tr", "th",
    "td", "svg", "line", "circle", "text", "wbr", "button", "dl", "dt", "dd", "ul", "li", "code",
    "pre", "noscript", "script", "details", "summary",
}  # fmt: skip
ATTRIBUTES = {
    "lang", "charset", "http-equiv", "content", "name", "aria-labelledby", "aria-label", "class",
    "dir", "id", "scope", "width", "height", "aria-hidden", "role", "x", "y", "text-anchor", "x1",
    "x2", "y1", "y2", "cx", "cy", "r", "title", "tabindex", "type", "data-kind", "data-v",
}  # fmt: skip


class Parsed(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.elements, self.attributes, self.scripts, self.comments = [], set(), [], 0
        self._script = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append(tag)
        self.attributes |= {k for k, _ in attrs}
        self._script = tag == "script"
        if self._script:
            self.scripts.append([dict(attrs), ""])

    def handle_endtag(self, tag):
        self._script = False

    def handle_data(self, data):
        if self._script:
            self.scripts[-1][1] += data

    def handle_comment(self, data):
        self.comments += 1


def hostile_collection(text, other):
    items = tuple(
        Item(
            id=f"{text} {i}",
            context=(Utterance(text, other), Utterance(other, text), Utterance("", None)),
            references=(text, other),
            dialogue=text,
            turn=1,
            knowledge=text,
        )
        for i in range(2)
    )
    runs = tuple(
        Run(f"{text} {s}", "unknown", tuple(Response(i.id, t) for i in items))
        for s, t in (("a", text), ("b", other))
    )
    judgements = tuple(
        Judgement(text, i.id, r.system, text, float(n))
        for i in items
        for n, r in enumerate((*runs, Run(f"{text} gold")))
    )
    return Collection(text, items, runs, judgements, reference_system=f"{text} gold")


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_no_text_becomes_markup(number, tmp_path):
    text, other = HOSTILE[number], HOSTILE[(number + 1) % len(HOSTILE)]
    run = RunDirectory(tmp_path)
    arguments = {"command": "score", "collection": text, "format": text, "options": [text]}
    collection = hostile_collection(text, other)
    run.score(collection, ["BLEU(n=1)", "POSScore"], arguments=arguments)
    run.save_result(
        "hostile", {"study": text, "signature": {"dimension": text}, "results": [{text: text}]}
    )
    page = write_report(run).read_text("utf-8")
    parsed = Parsed(page)
    assert set(parsed.elements) <= ELEMENTS
    assert parsed.attributes <= ATTRIBUTES
    assert parsed.comments == 0
    assert [a for a, _ in parsed.scripts] == [{"type": "application/json", "id": "data"}, {}]
    assert "\0" not in page
    embedded = parsed.scripts[0][1]
    assert not set(embedded) & set("<>&\u2028\u2029")
    first = json.loads(embedded)["items"][0]
    assert first["id"] == collection.items[0].id
    assert first["context"][0] == [other, text]
    assert first["references"][0][0] == text
    assert first["knowledge"] == text
    assert first["responses"][0]["text"] == text
    assert json.loads(embedded)["systems"][0][0] == collection.runs[0].system
    assert json.loads(embedded)["dimension"] == text


def test_the_template_does_not_read_values(tmp_path):
    run = RunDirectory(tmp_path)
    run.score(hostile_collection("$body $script", "$data"), ["BLEU(n=1)"])
    page = render(collect(run))
    assert page.count("<main>") == 1
    assert '<h1 dir="auto">$body $script</h1>' in page


def test_json_round_trip():
    for text in HOSTILE:
        out = safe_json({text: [text, None, 1.5]})
        assert json.loads(out) == {text: [text, None, 1.5]}
        assert "</" not in out
        assert "<!--" not in out


def test_json_of_half_a_surrogate_pair():
    out = safe_json(["a\ud800b"])
    out.encode("utf-8")
    assert json.loads(out) == ["a\ud800b"]


def test_hostile_page_in_a_browser(tmp_path):
    browser = shutil.which("chromium")
    if browser is None:
        pytest.skip("no chromium")
    run = RunDirectory(tmp_path)
    run.score(hostile_collection(HOSTILE[1], HOSTILE[4]), ["BLEU(n=1)", "POSScore"])
    dom = dump_dom(browser, write_report(run))
    parsed = Parsed(dom)
    assert 'class="response"' in dom
    assert "1 of 2" in dom
    assert "img" not in parsed.elements
    assert parsed.elements.count("script") == 2


def dump_dom(browser, page):
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"]
    flags += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
    profile = page.parent / "profile"
    command = [browser, *flags, f"--user-data-dir={profile}", "--dump-dom", page.as_uri()]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    finally:
        shutil.rmtree(profile, ignore_errors=True)
    return done.stdout
