"""The USR annotations (Mehri and Eskenazi 2020): Topical-Chat and PersonaChat.

A JSON list of contexts; each has the responses of several systems and, for each response and
dimension, one rating per annotator. Rating `k` is the `k`-th name of the entry's ``annotators``;
where the names do not match the ratings in number, or repeat, raters are ``rater1``, ``rater2``, ….
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from convoscope.collection import (
    CollectionBuilder,
    Item,
    Judgement,
    Response,
    SystemKind,
    Utterance,
)
from convoscope.errors import nearest, quoted
from convoscope.io.fields import Fields
from convoscope.io.formats import Format
from convoscope.io.options import Option
from convoscope.io.text import JsonProblem, describe, lone_surrogate, parse_json, whole_text

__all__ = ["FORMAT"]

REFERENCE = "Original Ground Truth"
HUMANS = (REFERENCE, "New Human Generated")
DIMENSIONS = (
    "Understandable",
    "Natural",
    "Maintains Context",
    "Engaging",
    "Uses Knowledge",
    "Overall",
)
_NO_FACT = "_nofact"


def read(
    path: Path,
    into: CollectionBuilder,
    *,
    reference: str = REFERENCE,
    reference_as_run: bool = False,
    speakers: bool = True,
) -> None:
    """Add the entries of a file to a builder."""
    entries = _entries(path, into)
    if entries is None:
        return
    systems = _systems(entries)
    if reference and systems and reference not in systems:
        into.problem(
            f"no system is called {quoted(reference)}{nearest(reference, systems, what='systems')}",
            f"{path}: option 'reference'",
        )
        return
    into.reference_system = reference or None
    for system in systems:
        if system != reference or reference_as_run:
            kind: SystemKind = "human" if system in (*HUMANS, reference) else "generative"
            into.add_run(system, kind, str(path))
    for number, data in enumerate(entries, 1):
        where = f"{path}: entry {number}"
        if not isinstance(data, dict):
            into.problem(f"must be an object, not {describe(data)}", where)
        elif (field := lone_surrogate(data)) is not None:
            into.problem(f"field {quoted(field)} holds half of a surrogate pair", where)
        else:
            entry = _Entry(Fields(data, where, into), str(number), reference)
            entry.add(reference_as_run, speakers)


def _entries(path: Path, into: CollectionBuilder) -> list[Any] | None:
    text = whole_text(path, into)
    if text is None:
        return None
    try:
        entries = parse_json(text)
    except JsonProblem as problem:
        into.problem(str(problem), f"{path}:{problem.line}" if problem.line else str(path))
        return None
    if not isinstance(entries, list):
        into.problem(f"must hold a list of entries, not {describe(entries)}", str(path))
        return None
    if not entries:
        into.problem("the list is empty; it must hold at least one entry", str(path))
    return entries


def _systems(entries: list[Any]) -> list[str]:
    found: dict[str, None] = {}
    for entry in entries:
        responses = entry.get("responses") if isinstance(entry, dict) else None
        for response in responses if isinstance(responses, list) else ():
            name = response.get("model") if isinstance(response, dict) else None
            # The empty name is reported where it stands; half a surrogate pair, too.
            if isinstance(name, str) and name and lone_surrogate(name) is None:
                found.setdefault(name)
    return list(found)


class _Entry:
    """One context and everything said and judged of it."""

    def __init__(self, fields: Fields, item: str, reference: str) -> None:
        self.fields = fields
        self.into = fields.into
        self.item = item
        self.reference = reference
        self.references: list[str] = []

    def add(self, reference_as_run: bool, speakers: bool) -> None:
        fields = self.fields
        fields.only(("context", "fact", "annotators", "responses"), "an entry")
        turns = [t.strip() for t in fields.text("context").split("\n") if t.strip()]
        fact = (fields.optional_text("fact") or "").strip()
        raters = fields.texts("annotators") if "annotators" in fields.data else ()
        for path, data in fields.objects("responses"):
            self._add_response(path, data, raters, reference_as_run)
        if self.reference and not self.references and fields.ok:
            fields.wrong("responses", f"has no response of the reference {quoted(self.reference)}")
        self.into.add_item(
            Item(
                id=self.item,
                context=tuple(
                    Utterance(t, _speaker(len(turns) - k) if speakers else None)
                    for k, t in enumerate(turns)
                ),
                references=tuple(self.references),
                knowledge=fact if fact and fact != _NO_FACT else None,
            ),
            fields.where,
        )

    def _add_response(
        self, path: str, data: dict[str, Any], raters: tuple[str, ...], reference_as_run: bool
    ) -> None:
        inner = Fields(data, self.fields.where, self.into, f"{path}.")
        inner.only(("response", "model", *DIMENSIONS), "a response")
        system = inner.text("model", filled=True)
        text = inner.text("response").strip()
        judgements: list[Judgement] = []
        for dimension in DIMENSIONS:
            if dimension in data:
                scores = _scores(inner, dimension)
                names = _names(raters, len(scores))
                judgements.extend(
                    Judgement(rater, self.item, system, dimension, score)
                    for rater, score in zip(names, scores, strict=True)
                )
        self.fields.ok = self.fields.ok and inner.ok
        if not inner.ok:
            return
        where = f"{self.fields.where}, {path}"
        if system == self.reference:
            if self.references and not reference_as_run:
                inner.wrong("model", f"is {quoted(system)} for the second time in this entry")
                return
            self.references.append(text)
        if system != self.reference or reference_as_run:
            self.into.add_response(system, Response(self.item, text), where)
        for judgement in judgements:
            self.into.add_judgement(judgement, where)


def _scores(fields: Fields, dimension: str) -> list[float]:
    value = fields.data[dimension]
    if not isinstance(value, list):
        fields.wrong(dimension, f"must be a list of ratings, not {describe(value)}")
        return []
    prefix = f"{fields.prefix}{dimension}"
    places = {f"[{k}]": v for k, v in enumerate(value)}
    inner = Fields(places, fields.where, fields.into, prefix)
    scores = [inner.number(place) for place in places]
    fields.ok = fields.ok and inner.ok
    return scores


def _names(raters: tuple[str, ...], count: int) -> tuple[str, ...]:
    if len(raters) == count == len(set(raters)) and all(raters):
        return raters
    return tuple(f"rater{k}" for k in range(1, count + 1))


def _speaker(turns_to_response: int) -> str:
    # The file names no speakers. Both corpora are of two people taking turns, so the response is
    # the turn of "B", the turn before it that of "A", and so on backwards.
    return "A" if turns_to_response % 2 else "B"


def _sniff(head: bytes) -> bool:
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return start.startswith(b"[") and b'"context"' in start and b'"responses"' in start


FORMAT = Format(
    name="usr",
    summary="USR annotations of Topical-Chat and PersonaChat",
    suffixes=(".json",),
    read=read,
    sniff=_sniff,
    options=(
        Option("reference", "the system whose responses are the references", REFERENCE),
        Option("reference_as_run", "keep the reference system as a run too", False, "flag"),
        Option("speakers", "label the turns A and B, assuming they alternate", True, "flag"),
    ),
)
