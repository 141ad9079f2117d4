"""Single items for the page: texts, words' tags, scores, and the terms of POSSCORE."""

from __future__ import annotations

import json
import string
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from convoscope.collection import Item
from convoscope.errors import ConvoscopeError
from convoscope.metrics import Batch, as_metric
from convoscope.metrics.posscore import POSScore
from convoscope.report.data import ReportData
from convoscope.text.analysis import Texts
from convoscope.text.pos import UPOS
from convoscope.text.tokens import tokenizer

__all__ = ["MAX_RANK", "explorer", "safe_json", "word_tags"]

MAX_RANK = 5
"""Responses of lower rank are left out of the page."""

NO_TAG = "."
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_LESS = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}
_DIGITS = 6


def safe_json(value: Any) -> str:
    """Return JSON that can stand in a ``<script>`` element: no ``<``, ``>``, ``&`` in it."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # These characters occur in strings only. Half a surrogate pair gets JSON's own escape.
    return text.translate(_LESS).encode("utf-8", "backslashreplace").decode("utf-8")


def explorer(data: ReportData, limit: int) -> dict[str, Any]:
    """Return the page's data: the first `limit` items that have a response.

    Words' tags are one character per white-space word, ``A`` + the tag's place in `upos`, or
    ``.`` for a word without a tag.
    """
    rows: dict[str, list[int]] = defaultdict(list)
    ranks = data.scores.ranks.tolist()
    for row, item_id in enumerate(data.scores.items):
        if ranks[row] <= MAX_RANK:
            rows[item_id].append(row)
    shown = [i for i in data.collection.items if i.id in rows][:limit]
    metric, problem = posscore_of(data)
    metrics = list(data.scores.metrics)
    out: dict[str, Any] = {
        "metrics": [data.short[m] for m in metrics],
        "higher": [data.higher[m] for m in metrics],
        "systems": [[r.system, r.kind] for r in data.collection.runs],
        "dimension": data.dimension,
        "upos": UPOS,
        "selected": [],
        "posscore": None,
        "problem": problem,
        "items": [],
    }
    texts = {
        (run.system, r.item, r.rank): r.text for run in data.collection.runs for r in run.responses
    }
    places = [row for item in shown for row in rows[item.id]]
    keys = [(data.scores.systems[r], data.scores.items[r], ranks[r]) for r in places]
    words = _Words(data, metric, shown, places, [texts[k] for k in keys])
    if metric is not None:
        out["selected"] = metric.tags.names
        out["posscore"] = metrics.index(str(metric))
    raters = _ratings(data)
    system_number = {run.system: n for n, run in enumerate(data.collection.runs)}
    at = changed = 0
    for item in shown:
        responses = []
        for row in rows[item.id]:
            system, _, rank = keys[at]
            terms = words.terms(at)
            if terms is not None and not _agrees(terms["total"], data, metric, row):
                terms = None
                changed += 1
            responses.append(
                {
                    "s": system_number[system],
                    "rank": rank,
                    "text": texts[keys[at]],
                    "tags": words.tags_of_response(at),
                    "values": [_round(data.scores[m][row]) for m in metrics],
                    "why": {
                        n: data.scores.reasons[m][row]
                        for n, m in enumerate(metrics)
                        if row in data.scores.reasons.get(m, {})
                    },
                    "human": _round(data.human.get((item.id, system, rank))),
                    "raters": raters.get((item.id, system, rank), []),
                    "terms": terms,
                }
            )
            at += 1
        out["items"].append(_item(item, words, responses))
    if changed:
        out["problem"] = (
            f"The terms of {changed:,} responses are not shown: the models that are installed "
            "now give them another score than this run has. Score again to see them."
        )
    return out


def _agrees(total: float, data: ReportData, metric: POSScore | None, row: int) -> bool:
    """Return whether the terms add up to the run's score (the greatest over references)."""
    if metric is None or metric.multi != "max":
        return True
    return bool(abs(total - data.scores[str(metric)][row]) < 1e-5)


def posscore_of(data: ReportData) -> tuple[POSScore | None, str | None]:
    """Return the run's first POSScore metric, or why its terms cannot be shown."""
    problem = None
    for name in data.scores.metrics:
        try:
            metric = as_metric(name)
            if not isinstance(metric, POSScore):
                continue
            if metric.signature() == data.scores.signatures[name]:
                return metric, None
            problem = (
                f"{name} was scored with other resources than are installed now; "
                "score again to see its terms."
            )
        except ConvoscopeError as error:
            if name.startswith("POSScore"):
                problem = f"The terms of {name} cannot be shown: {error}"
    return None, problem


def _item(item: Item, words: _Words, responses: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": item.id,
        "dialogue": item.dialogue,
        "turn": item.turn,
        "knowledge": item.knowledge,
        "context": [[u.speaker, u.text] for u in item.context],
        "references": [[t, words.tags_of(t)] for t in item.references],
        "responses": responses,
    }


class _Words:
    """Tags and terms of the responses that are shown."""

    def __init__(
        self,
        data: ReportData,
        metric: POSScore | None,
        items: Sequence[Item],
        places: Sequence[int],
        responses: Sequence[str],
    ) -> None:
        self._responses = responses
        self._batch: Batch | None = None
        self._tags: dict[str, str | None] = {}
        if metric is None or not responses:
            return
        references = {i.id: i.references for i in items}
        batch = Batch.from_strings(responses, [references[data.scores.items[r]] for r in places])
        self._batch = batch
        self._tags = dict(zip(batch.texts.strings, word_tags(batch.texts, metric), strict=True))
        self._terms = metric.terms(batch)
        column = batch.texts.tokens(metric.tokenizer, punctuation=metric.cleanup == "none")
        inside = np.concatenate([[0], np.cumsum(metric.selected(batch.texts))])
        self._selected = inside[column.offsets[1:]] - inside[column.offsets[:-1]]
        self._lengths = column.lengths

    def tags_of(self, text: str) -> str | None:
        return self._tags.get(text)

    def tags_of_response(self, place: int) -> str | None:
        return self._tags.get(self._responses[place])

    def terms(self, place: int) -> dict[str, Any] | None:
        """Return the terms of the reference that gave the response its highest score."""
        if self._batch is None:
            return None
        start, end = self._batch.reference_offsets[place : place + 2].tolist()
        if start == end:
            return None
        scores = self._terms.score[start:end]
        if np.isnan(scores).all():
            return None
        best = int(np.nanargmax(scores))
        candidate = int(self._batch.candidates[place])
        reference = int(self._batch.references[start + best])
        return {
            "ref": best,
            "w": _round(self._terms.weight[start + best]),
            "pos": _round(self._terms.pos[start + best]),
            "rest": _round(self._terms.rest[start + best]),
            "total": _round(scores[best]),
            "n_ref": [int(self._selected[reference]), int(self._lengths[reference])],
            "n_cand": [int(self._selected[candidate]), int(self._lengths[candidate])],
        }


def word_tags(texts: Texts, metric: POSScore) -> list[str | None]:
    """Return the tags of each text's white-space words as one string, None where they misalign.

    A word of which the metric's cleaning leaves nothing has no tag. Where the metric's tokeniser
    cuts a word into several tokens, the word shows the first selected tag among theirs.
    """
    punctuation = metric.cleanup == "none"
    column = texts.tokens(metric.tokenizer, punctuation=punctuation)
    tags = texts.tags(metric.tokenizer, punctuation=punctuation, tagger=metric.tagger).tolist()
    chosen = {n for n, t in enumerate(UPOS) if t in metric.tags.names}
    split = [t.split() for t in texts.strings]
    flat = [w if punctuation else w.translate(_NO_PUNCTUATION) for ws in split for w in ws]
    pieces = tokenizer(metric.tokenizer).split(flat).lengths.tolist()
    out: list[str | None] = []
    word = 0
    for t, ws in enumerate(split):
        counts = pieces[word : word + len(ws)]
        word += len(ws)
        at, end = column.offsets[t : t + 2].tolist()
        if sum(counts) != end - at:
            out.append(None)
            continue
        marks = []
        for count in counts:
            here = tags[at : at + count]
            at += count
            shown = next((g for g in here if g in chosen), here[0] if here else None)
            marks.append(NO_TAG if shown is None else chr(ord("A") + shown))
        out.append("".join(marks))
    return out


def _ratings(data: ReportData) -> dict[tuple[str, str, int], list[float]]:
    out: dict[tuple[str, str, int], list[float]] = defaultdict(list)
    for j in data.collection.judgements:
        if j.dimension == data.dimension:
            out[j.item, j.system, j.rank].append(float(f"{j.score:.{_DIGITS}g}"))
    return out


def _round(value: float | None) -> float | None:
    """Return a number short enough to print; None for none."""
    if value is None or not np.isfinite(value):
        return None
    return float(f"{value:.{_DIGITS}g}")
