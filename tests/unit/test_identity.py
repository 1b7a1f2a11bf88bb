"""Which turn is which."""

from __future__ import annotations

from typing import Any

from qgmem.construction.identity import turn_ids
from qgmem.construction.messages import read_message


def ids(*messages: Any, namespace: str = "ana", session: str = "s1") -> list[str]:
    read = [read_message(message) for message in messages]
    return turn_ids(read, namespace, [session] * len(read))


def said(content: str, **fields: Any) -> dict[str, Any]:
    return {"role": "user", "content": content} | fields


def test_the_given_id_is_the_id() -> None:
    assert ids(said("a", id="x"), said("b", id=3)) == ["x", "3"]


def test_the_same_call_again_gives_the_same_ids() -> None:
    messages = [said("a"), said("b", timestamp="2024-05-02"), said("a")]
    assert ids(*messages) == ids(*messages)
    assert len(set(ids(*messages))) == 3


def test_ids_do_not_change_between_versions() -> None:
    """A digest that changed would import every export a second time."""
    assert ids(said("I moved to Lisbon", name="Ana", timestamp="2024-05-02T09:00:00+02:00")) == [
        "t-b52b97cd11dd234f663d4636"
    ]


def test_everything_that_makes_a_turn_another_one_counts() -> None:
    one = said("a", name="Ana", timestamp="2024-05-02", caption="c")
    variants = [
        one,
        one | {"content": "b"},
        one | {"name": "Bob"},
        one | {"timestamp": "2024-05-03"},
        one | {"timestamp": "2024-05-02T00:00:00+00:00"},
        one | {"timestamp": "some day"},
        one | {"timestamp": "some other day"},
        one | {"timestamp": None},
        one | {"caption": "d"},
    ]
    found = [ids(variant)[0] for variant in variants]
    found += [ids(one, namespace="bob")[0], ids(one, session="s2")[0]]
    assert len(set(found)) == len(found)


def test_what_does_not_make_it_another_one() -> None:
    one = said("a")
    assert ids(one) == ids(one | {"metadata": {"k": 1}}) == ids(one | {"role": "user"})


def test_equal_messages_of_one_call_are_told_apart_by_their_place_among_equals() -> None:
    first, second, third = ids(said("a"), said("a"), said("a"))
    assert len({first, second, third}) == 3
    assert ids(said("b"), said("a"), said("a"))[1:] == [first, second]


def test_fields_do_not_run_into_each_other() -> None:
    """Lengths are digested too: ("ab", "c") is not ("a", "bc")."""
    assert ids(said("c", name="ab"))[0] != ids(said("bc", name="a"))[0]
    assert ids(said("a"), namespace="x", session="yz")[0] != ids(said("a"), namespace="xy", session="z")[0]
