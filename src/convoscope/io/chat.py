"""Chat transcripts as JSON Lines: ``{"messages": [{"role", "content"}, …]}``, one dialogue a line.

Fields other than those named in :data:`_KNOWN` are ignored: such files carry tools, metadata and
token counts that mean nothing here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from convoscope.collection import CollectionBuilder, Item, Response, Session, Utterance
from convoscope.errors import nearest, quoted
from convoscope.io.fields import Fields
from convoscope.io.formats import Format
from convoscope.io.options import Option
from convoscope.io.text import describe, json_lines

__all__ = ["FORMAT"]

ROLES = ("system", "developer", "user", "assistant")
_KNOWN = ("messages", "id", "system", "model", "response", "references", "knowledge")


def read(path: Path, into: CollectionBuilder, *, turns: str = "last") -> None:
    """Add the dialogues of a file to a builder."""
    parts = _Parts(into, str(path))
    for number, data in json_lines(path, into):
        _Line(Fields(data, f"{path}:{number}", into), number, parts).add(turns)
    parts.flush()


class _Parts:
    """The items met so far: lines of several systems share an item."""

    def __init__(self, into: CollectionBuilder, path: str) -> None:
        self.into = into
        self.path = path
        self.items: dict[str, tuple[Item, str]] = {}
        # Ids of lines that name no system: two such lines are two dialogues with one id.
        self.bare: set[str] = set()
        self.sessions: dict[str, tuple[Session, str]] = {}

    def item(self, new: Item, where: str, shared: bool) -> None:
        known = self.items.get(new.id)
        twice = not shared and new.id in self.bare
        if not shared:
            self.bare.add(new.id)
        if known is None:
            self.items[new.id] = (new, where)
            return
        old, place = known
        if twice:
            self.into.problem(f"id {quoted(new.id)} exists already, at {place}", where)
            return
        if old.context != new.context:
            self.into.problem(
                f"item {quoted(new.id)} has another context than at {place}; systems that answer "
                "different contexts need different ids",
                where,
            )
            return
        more = tuple(r for r in new.references if r not in old.references)
        merged = Item(
            old.id, old.context, old.references + more, old.dialogue, old.turn,
            old.knowledge if old.knowledge is not None else new.knowledge,
        )  # fmt: skip
        self.items[new.id] = (merged, place)

    def flush(self) -> None:
        for item, where in self.items.values():
            self.into.add_item(item, where)
        for session, where in self.sessions.values():
            self.into.add_session(session, where)


class _Line:
    """One dialogue: an item, or one for each of its assistant messages."""

    def __init__(self, fields: Fields, number: int, parts: _Parts) -> None:
        self.fields = fields
        self.parts = parts
        self.into = fields.into
        self.id = fields.text("id", filled=True) if "id" in fields.data else str(number)
        self.system = self._system()
        self.references = fields.texts("references") if "references" in fields.data else ()
        self.knowledge = fields.optional_text("knowledge")

    def _system(self) -> str | None:
        fields = self.fields
        if "system" in fields.data and "model" in fields.data:
            fields.wrong("model", "is given beside 'system'; both name the system, keep one")
        for name in ("system", "model"):
            if name in fields.data:
                return fields.text(name, filled=True)
        return None

    def add(self, turns: str) -> None:
        fields = self.fields
        messages = self._messages()
        response = fields.optional_text("response")
        if response is not None and self.system is None and fields.ok:
            fields.wrong("response", "needs a field 'system' or 'model' that says whose it is")
        if fields.ok and not messages:
            fields.wrong("messages", "is empty; it must hold at least one message")
        if not fields.ok:
            return
        if turns == "all":
            if response is not None:
                fields.wrong("response", "cannot be used with turns='all'; use turns='last'")
                return
            self._all(messages)
            return
        said: str | None = None
        if messages[-1][0] == "assistant":
            said = messages.pop()[1].text
        elif response is None and self.system is not None:
            fields.wrong(
                "messages", "must end with the assistant's message, or a field 'response' be given"
            )
            return
        references = self.references
        if said is not None and (self.system is None or response is not None):
            references = (said, *references)
        elif response is None:
            response = said
        self._item(self.id, messages, references, response)

    def _all(self, messages: list[tuple[str, Utterance]]) -> None:
        places = [k for k, (role, _) in enumerate(messages) if role == "assistant"]
        if not places:
            self.fields.wrong("messages", "has no message of the assistant; turns='all' needs one")
            return
        ids = []
        for turn, place in enumerate(places, 1):
            text = messages[place][1].text
            ids.append(f"{self.id}-{turn}")
            mine = self.system is not None
            self._item(
                ids[-1],
                messages[:place],
                () if mine else (text,),
                text if mine else None,
                turn,
            )
        session = Session(self.id, tuple(ids))
        self.parts.sessions.setdefault(self.id, (session, self.fields.where))

    def _item(
        self,
        item_id: str,
        context: list[tuple[str, Utterance]],
        references: tuple[str, ...],
        response: str | None,
        turn: int | None = None,
    ) -> None:
        item = Item(
            id=item_id,
            context=tuple(u for _, u in context),
            references=references,
            dialogue=self.id,
            turn=turn,
            knowledge=self.knowledge,
        )
        self.parts.item(item, self.fields.where, self.system is not None)
        if response is not None and self.system is not None:
            self.into.add_response(self.system, Response(item_id, response), self.fields.where)

    def _messages(self) -> list[tuple[str, Utterance]]:
        found = []
        for path, data in self.fields.objects("messages"):
            inner = Fields(data, self.fields.where, self.into, f"{path}.")
            role = inner.text("role")
            if inner.ok and role not in ROLES:
                hint = nearest(role, ROLES, what="roles")
                inner.wrong("role", f"has the unsupported value {quoted(role)}{hint}")
            text = _content(inner)
            name = inner.text("name", filled=True) if "name" in data else role
            found.append((role, Utterance(text, name)))
            self.fields.ok = self.fields.ok and inner.ok
        return found


def _content(fields: Fields) -> str:
    value: Any = fields.data.get("content")
    if not isinstance(value, list):
        return fields.text("content")
    texts = []
    for index, part in enumerate(value):
        name = f"content[{index}]"
        if not isinstance(part, dict):
            fields.wrong(name, f"must be an object, not {describe(part)}")
        elif part.get("type") != "text":
            fields.wrong(
                name, f"must be of type 'text', not {describe(part.get('type'))}; "
                "only text can be scored",
            )  # fmt: skip
        elif not isinstance(part.get("text"), str):
            fields.wrong(f"{name}.text", f"must be a string, not {describe(part.get('text'))}")
        else:
            texts.append(part["text"])
    return "".join(texts)


def _sniff(head: bytes) -> bool:
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return start.startswith(b"{") and b'"messages"' in start.split(b"\n", 1)[0]


FORMAT = Format(
    name="chat",
    summary="chat transcripts, OpenAI style: messages with role and content",
    suffixes=(".jsonl", ".chat"),
    read=read,
    sniff=_sniff,
    options=(
        Option(
            "turns",
            "make an item of the last assistant message, or of all of them",
            "last",
            choices=("last", "all"),
        ),
    ),
)
