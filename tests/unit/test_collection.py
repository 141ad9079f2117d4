"""The builder's checks, and what a collection answers."""

import pytest

from convoscope.collection import (
    Collection,
    CollectionBuilder,
    Item,
    Judgement,
    Response,
    Session,
    Utterance,
)
from convoscope.errors import CollectionError, InputError, nearest, quoted


def builder(gather: bool = False) -> CollectionBuilder:
    into = CollectionBuilder("c", gather=gather)
    into.add_item(Item("a", (Utterance("hi", "A"),), ("r",)), "f:1")
    into.add_item(Item("b"), "f:2")
    return into


def test_build_orders_responses_and_keeps_the_rest() -> None:
    into = builder()
    into.add_run("S", "human", "f:3")
    into.add_response("S", Response("b", "1"), "f:4")
    into.add_response("S", Response("a", "2", 2), "f:5")
    into.add_response("S", Response("a", "3"), "f:6")
    into.add_response("T", Response("a", "4"), "f:7")
    into.add_session(Session("s", ("b", "a"), 4.0, "S"), "f:8")
    made = into.build()
    assert [(r.item, r.rank) for r in made.runs[0].responses] == [("a", 1), ("a", 2), ("b", 1)]
    assert made.systems == ("S", "T")
    assert [run.kind for run in made.runs] == ["human", "unknown"]
    assert made.n_responses == 4
    assert made.sessions[0].items == ("b", "a")
    assert made.item("a").references == ("r",)
    with pytest.raises(InputError, match="no item 'c' in c"):
        made.item("c")


def test_items_may_come_after_what_refers_to_them() -> None:
    into = CollectionBuilder("c")
    into.add_response("S", Response("late", "x"), "f:1")
    into.add_item(Item("late"), "f:2")
    assert into.build().n_responses == 1


def test_a_kind_may_be_declared_after_the_first_response() -> None:
    into = builder()
    into.add_response("S", Response("a", "x"), "f:3")
    into.add_run("S", "retrieval", "f:4")
    assert into.build().runs[0].kind == "retrieval"
    with pytest.raises(CollectionError, match="declared 'retrieval' before"):
        into.add_run("S", "human", "f:5")


@pytest.mark.parametrize(
    ("method", "arguments", "message"),
    [
        ("add_item", (Item("a"),), "exists already"),
        ("add_item", (Item(""),), "id is empty"),
        ("add_item", (Item("c", turn=0),), "turns count from 1"),
        ("add_run", ("S", "robot"), "unknown system kind"),
        ("add_run", ("", "human"), "name is empty"),
        ("add_response", ("S", Response("a", "x", 0)), "ranks count from 1"),
        ("add_response", ("", Response("a", "x")), "name is empty"),
        ("add_judgement", (Judgement("r", "a", "S", "d", float("nan")),), "finite"),
        ("add_judgement", (Judgement("r", "a", "S", "d", 1.0, 0),), "ranks count from 1"),
        ("add_judgement", (Judgement("", "a", "S", "d", 1.0),), "one is empty"),
        ("add_session", (Session("", ("a",)),), "id is empty"),
        ("add_session", (Session("s", ("a", "a")),), "lists an item twice"),
        ("add_session", (Session("s", ("a",), float("inf")),), "finite"),
    ],
)
def test_each_check_names_the_place(method: str, arguments: tuple, message: str) -> None:
    with pytest.raises(CollectionError, match=message) as caught:
        getattr(builder(), method)(*arguments, "f:9")
    assert caught.value.where == "f:9"
    into = builder(gather=True)
    getattr(into, method)(*arguments, "f:9")
    assert len(into.problems) == 1


def test_duplicates() -> None:
    into = builder(gather=True)
    for _ in range(2):
        into.add_response("S", Response("a", "x"), "f:3")
        into.add_judgement(Judgement("r", "a", "S", "d", 1.0), "f:4")
        into.add_session(Session("s", ("a",)), "f:5")
    into.add_session(Session("s", ("a",), system="S"), "f:6")
    assert [p.where for p in into.problems] == ["f:3", "f:4", "f:5"]


def test_dangling_ids_are_dropped_and_reported() -> None:
    into = builder(gather=True)
    into.add_response("S", Response("aa", "x"), "f:3")
    into.add_judgement(Judgement("r", "zz", "S", "d", 1.0), "f:4")
    assert into.build().runs[0].responses == ()
    assert [p.where for p in into.problems] == ["f:3", "f:4"]
    assert "did you mean 'a'?" in into.problems[0].message


def test_mean_judgements() -> None:
    judgements = tuple(
        Judgement(r, "a", "S", "Overall", s) for r, s in (("x", 1.0), ("y", 2.0), ("z", 2.0))
    )
    made = Collection("c", (Item("a"),), judgements=judgements)
    assert made.mean_judgements("Overall") == {("a", "S", 1): 5 / 3}
    assert made.dimensions == ("Overall",)
    with pytest.raises(InputError, match="did you mean 'Overall'"):
        made.mean_judgements("overal")
    with pytest.raises(InputError, match="has no judgements"):
        Collection("c").mean_judgements("Overall")


def test_messages_stay_short() -> None:
    assert quoted("a\nb") == "'a\\nb'"
    assert len(quoted("x" * 10_000)) < 70
    assert len(nearest("x" * 1_000_000, ["y" * 1_000_000, "z"])) < 200
