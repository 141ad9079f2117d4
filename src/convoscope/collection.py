"""The nouns of a meta-evaluation: items, runs, judgements, sessions, and the collection of them."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Literal, get_args

from convoscope.errors import CollectionError, InputError, nearest, quoted

__all__ = [
    "Collection",
    "CollectionBuilder",
    "Item",
    "Judgement",
    "Response",
    "Run",
    "Session",
    "SystemKind",
    "Utterance",
]

SystemKind = Literal["retrieval", "generative", "human", "unknown"]
KINDS: tuple[str, ...] = get_args(SystemKind)


@dataclass(frozen=True, slots=True)
class Utterance:
    """One turn of a dialogue."""

    text: str
    """What was said."""
    speaker: str | None = None
    """Who said it, where known."""


@dataclass(frozen=True, slots=True)
class Item:
    """One point of a dialogue where a response is due."""

    id: str
    """Unique in the collection."""
    context: tuple[Utterance, ...] = ()
    """The utterances so far, oldest first."""
    references: tuple[str, ...] = ()
    """Responses known to be right; any number."""
    dialogue: str | None = None
    """The dialogue it belongs to."""
    turn: int | None = None
    """Its place in the dialogue, from 1."""
    knowledge: str | None = None
    """A text the response should build on."""


@dataclass(frozen=True, slots=True)
class Response:
    """One response of a system to an item."""

    item: str
    """The item's id."""
    text: str
    """The response; the empty string is a legal response."""
    rank: int = 1
    """Its place in the system's list for this item, from 1."""


@dataclass(frozen=True, slots=True)
class Run:
    """All responses of one system."""

    system: str
    """The system's name, unique in the collection."""
    kind: SystemKind = "unknown"
    """How it makes responses."""
    responses: tuple[Response, ...] = ()
    """Its responses, by item (in the collection's order) and rank."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one rater said of one response in one dimension."""

    rater: str
    """Who judged."""
    item: str
    """The item's id."""
    system: str
    """The system whose response was judged; it need not have a run."""
    dimension: str
    """What was judged, for example ``Overall``."""
    score: float
    """The rating, finite; higher is better."""
    rank: int = 1
    """Which response of the system's list."""


@dataclass(frozen=True, slots=True)
class Session:
    """A dialogue's items in order, with the user's satisfaction where known."""

    id: str
    """Unique in the collection, together with the system."""
    items: tuple[str, ...]
    """Ids of its items, in order."""
    satisfaction: float | None = None
    """The satisfaction with the whole session."""
    system: str | None = None
    """The system that the satisfaction is about."""


@dataclass(frozen=True, repr=False)
class Collection:
    """Items, the runs of systems on them, judgements and sessions.

    Made by readers and by :class:`CollectionBuilder`, which check that the parts agree.
    """

    name: str
    """What tables and reports call it."""
    items: tuple[Item, ...] = ()
    """The items, in the source's order."""
    runs: tuple[Run, ...] = ()
    """One per system, in the source's order."""
    judgements: tuple[Judgement, ...] = ()
    """Every single rating."""
    sessions: tuple[Session, ...] = ()
    """Dialogues as ordered items."""
    reference_system: str | None = None
    """The system whose responses became the references, where there is one."""
    _by_id: dict[str, Item] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._by_id.update({i.id: i for i in self.items})

    def __repr__(self) -> str:
        return (
            f"<Collection {self.name!r}: {len(self.items)} items, {len(self.runs)} systems, "
            f"{self.n_responses} responses, {len(self.judgements)} judgements>"
        )

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems that have a run."""
        return tuple(r.system for r in self.runs)

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The judged dimensions, in order of first appearance."""
        return tuple(dict.fromkeys(j.dimension for j in self.judgements))

    @property
    def n_responses(self) -> int:
        """How many responses the runs hold together."""
        return sum(len(r.responses) for r in self.runs)

    def item(self, item_id: str) -> Item:
        """Return the item with this id.

        Raises
        ------
        InputError
            There is none.
        """
        try:
            return self._by_id[item_id]
        except KeyError:
            hint = nearest(item_id, self._by_id, what="items")
            raise InputError(f"no item {quoted(item_id)} in {self.name}{hint}") from None

    def mean_judgements(self, dimension: str) -> dict[tuple[str, str, int], float]:
        """Return the mean over raters by (item, system, rank).

        Raises
        ------
        InputError
            The collection has no judgement in this dimension.
        """
        scores: dict[tuple[str, str, int], list[float]] = defaultdict(list)
        for j in self.judgements:
            if j.dimension == dimension:
                scores[j.item, j.system, j.rank].append(j.score)
        if not scores:
            if not self.dimensions:
                raise InputError(
                    f"the collection {self.name!r} has no judgements; JSON Lines have them as "
                    "records of type 'judgement', a table in columns named by "
                    "--option judgements=DIMENSION=COLUMN"
                )
            hint = nearest(dimension, self.dimensions, what="dimensions")
            raise InputError(f"no judgements in dimension {dimension!r}{hint}")
        # fsum: the mean of equal ratings must not depend on the order of the raters.
        return {k: math.fsum(v) / len(v) for k, v in scores.items()}


class CollectionBuilder:
    """Collects the parts of a collection and checks that they agree.

    Readers add parts with the place they came from; :meth:`build` puts runs in order. Every
    problem goes to :meth:`problem`, which raises at the first one, or gathers all of them.

    Parameters
    ----------
    name
        The collection's name.
    gather
        Gather problems in :attr:`problems` instead of raising at the first.
    """

    def __init__(self, name: str, *, gather: bool = False) -> None:
        self.name = name
        self.gather = gather
        self.problems: list[CollectionError] = []
        self.reference_system: str | None = None
        self._items: dict[str, Item] = {}
        self._kinds: dict[str, SystemKind] = {}
        self._responses: dict[str, dict[tuple[str, int], Response]] = {}
        self._judgements: dict[tuple[str, str, int, str, str], Judgement] = {}
        self._sessions: dict[tuple[str, str | None], Session] = {}
        self._places: list[tuple[str, str]] = []

    def problem(self, message: str, where: str) -> None:
        """Report what is wrong at a place: raise it, or gather it."""
        error = CollectionError(message, where=where)
        if not self.gather:
            raise error
        self.problems.append(error)

    def add_item(self, item: Item, where: str) -> None:
        """Add an item; its id must be new."""
        if not item.id:
            self.problem("the item's id is empty; ids must have at least one character", where)
        elif item.id in self._items:
            self.problem(f"item {quoted(item.id)} exists already; ids must be unique", where)
        elif item.turn is not None and item.turn < 1:
            self.problem(f"turn {item.turn} of item {quoted(item.id)}; turns count from 1", where)
        else:
            self._items[item.id] = item

    def add_run(self, system: str, kind: SystemKind, where: str) -> None:
        """Declare a system and its kind."""
        if not system:
            self.problem("the system's name is empty; give it one", where)
        elif kind not in KINDS:
            self.problem(
                f"unknown system kind {quoted(kind)}{nearest(kind, KINDS, what='kinds')}", where
            )
        elif self._kinds.get(system, "unknown") not in ("unknown", kind):
            self.problem(
                f"system {quoted(system)} was declared {self._kinds[system]!r} before", where
            )
        else:
            self._kinds[system] = kind
            self._responses.setdefault(system, {})

    def add_response(self, system: str, response: Response, where: str) -> None:
        """Add a response; (item, system, rank) must be new."""
        if not system:
            self.problem("the system's name is empty; give it one", where)
            return
        if response.rank < 1:
            self.problem(f"rank {response.rank}; ranks count from 1", where)
            return
        self._kinds.setdefault(system, "unknown")
        responses = self._responses.setdefault(system, {})
        key = (response.item, response.rank)
        if key in responses:
            self.problem(
                f"system {quoted(system)} has a response of rank {response.rank} to item "
                f"{quoted(response.item)} already; give each response a rank of its own",
                where,
            )
            return
        responses[key] = response
        self._refer(response.item, where)

    def add_judgement(self, judgement: Judgement, where: str) -> None:
        """Add a judgement; (rater, item, system, rank, dimension) must be new."""
        if not math.isfinite(judgement.score):
            self.problem(f"judgement score {judgement.score}; it must be a finite number", where)
            return
        if judgement.rank < 1:
            self.problem(f"rank {judgement.rank}; ranks count from 1", where)
            return
        j = judgement
        if not (j.rater and j.system and j.dimension):
            self.problem("a judgement needs a rater, a system and a dimension; one is empty", where)
            return
        key = (j.item, j.system, j.rank, j.dimension, j.rater)
        if key in self._judgements:
            self.problem(
                f"rater {quoted(j.rater)} judged {quoted(j.dimension)} of system "
                f"{quoted(j.system)} on item {quoted(j.item)} already",
                where,
            )
            return
        self._judgements[key] = judgement
        self._refer(j.item, where)

    def add_session(self, session: Session, where: str) -> None:
        """Add a session; (id, system) must be new."""
        key = (session.id, session.system)
        if not session.id:
            self.problem("the session's id is empty; ids must have at least one character", where)
            return
        if len(set(session.items)) != len(session.items):
            self.problem(f"session {quoted(session.id)} lists an item twice", where)
            return
        if key in self._sessions:
            self.problem(f"session {quoted(session.id)} exists already", where)
            return
        if session.satisfaction is not None and not math.isfinite(session.satisfaction):
            self.problem(f"satisfaction {session.satisfaction}; it must be a finite number", where)
            return
        self._sessions[key] = session
        for item in session.items:
            self._refer(item, where)

    def build(self) -> Collection:
        """Return the collection, after the checks that need all of it."""
        order = {item_id: i for i, item_id in enumerate(self._items)}
        hints: dict[str, str] = {}
        for item_id, where in self._places:
            if item_id in order:
                continue
            # A search over all ids costs milliseconds, and a broken file has many dangling ones.
            if item_id not in hints:
                known = order if len(hints) < 20 and len(order) <= 10_000 else ()
                hints[item_id] = nearest(item_id, known)
            self.problem(f"item {quoted(item_id)} does not exist{hints[item_id]}", where)
        runs = tuple(
            Run(
                system,
                self._kinds[system],
                tuple(
                    sorted(
                        (r for r in responses.values() if r.item in order),
                        key=lambda r: (order[r.item], r.rank),
                    )
                ),
            )
            for system, responses in self._responses.items()
        )
        return Collection(
            name=self.name,
            items=tuple(self._items.values()),
            runs=runs,
            judgements=tuple(self._judgements.values()),
            sessions=tuple(self._sessions.values()),
            reference_system=self.reference_system,
        )

    def _refer(self, item_id: str, where: str) -> None:
        # Kept for build(): the item may come later in the file. Known ids need no memory.
        if item_id not in self._items:
            self._places.append((item_id, where))
