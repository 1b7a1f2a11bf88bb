"""A model words a trace; what its states do not bear out is turned away (SPEC §2.5)."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date, datetime

import pytest

from qgmem.construction.traces import Claim, Trace, states
from qgmem.construction.trajectory_check import check_text
from qgmem.construction.trajectory_llm import (
    MOST,
    trajectory_request,
    wants_text,
    write_all,
    write_trajectory,
)
from qgmem.models.chat import ChatRequest
from qgmem.models.client import ModelClient, Scope
from qgmem.models.ledger import MemoryLedger
from qgmem.models.retry import RetryPolicy, Transient
from qgmem.models.scripted_chat import ScriptedChat, values_in_order
from qgmem.types import Granularity, Interval

SCOPE = Scope("ana", "trajectory", "trace")


def claim(unit: str, value: str, said: str, text: str, **more: object) -> Claim:
    made = Claim(
        unit, "ana", "Ana Ruiz", "lives in", value, "state", None, datetime.fromisoformat(said), 1, text=text
    )
    return replace(made, **more)  # type: ignore[arg-type]


def homes() -> Trace:
    """Oslo from 2021, told late; Porto from 2 April 2024, where she lives."""
    year = Interval(date(2021, 1, 1), date(2021, 12, 31), Granularity.YEAR)
    return states(
        [
            claim("u1", "Oslo", "2024-08-01", "In 2021 I lived in Oslo.", fact_time=year, sequence=2),
            claim("u2", "Porto", "2024-04-02", "I moved to Porto."),
        ]
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Ana Ruiz lived in Oslo in 2021. Since April 2024 she lives in Porto.", None),
        ("Ana lived in Oslo from 2021-01-01 to 2024-04-02 and lives in Porto now.", None),
        ("Ana lived in Oslo in 2021.", "latest-missing"),
        ("Ana lives in Porto, after some years in Oslo.", "latest-not-last"),
        ("Ana lived in Oslo, then moved to Porto with Miguel.", "unsupported-name"),
        ("Ana lived in Oslo with 3 cats, then moved to Porto.", "unsupported-number"),
        ("Ana lived in Oslo until May 2023, then moved to Porto.", "unsupported-date"),
        ("Ana lived in Oslo and last week moved to Porto.", "relative-date"),
        ("", "no-text"),
        ("Ana lived in Oslo, then in Porto. " * 60, "no-text"),
    ],
)
def test_text_is_turned_away_for_what_no_state_bears_out(text: str, reason: str | None) -> None:
    """The states know 2021 to 2 April 2024 for Oslo and Porto since: any other name, figure or day is invented."""
    assert check_text(text, homes()) == reason


def test_end_is_told_by_the_value_that_ended_last() -> None:
    """She left Porto on 5 May: nothing holds, so the text ends in Porto and need name no home."""
    gone = states([*homes().claims, claim("u3", "Porto", "2024-05-05", "I left Porto.", kind="end", sequence=3)])
    assert gone.current == ()
    assert check_text("Ana lived in Oslo, then in Porto, which she left in May 2024.", gone) is None
    assert check_text("Ana lived in Porto, then in Oslo.", gone) == "latest-not-last"


def test_every_value_that_holds_is_named() -> None:
    """Two languages hold side by side; a text with one of them leaves the other out."""
    both = states(
        [
            claim("u1", "Dutch", "2024-01-01", "I speak Dutch.", predicate="speaks"),
            claim("u2", "Basque", "2024-02-01", "I speak Basque.", predicate="speaks", sequence=2),
        ]
    )
    assert check_text("Ana speaks Dutch.", both) == "latest-missing"
    assert check_text("Ana speaks Dutch and, as she said in February 2024, Basque.", both) is None


def test_passed_text_is_one_counted_call() -> None:
    """The shipped script words the values in order: one call of stage `trajectory`, no retry."""
    ledger = MemoryLedger()
    written = write_trajectory(homes(), ModelClient(ScriptedChat(), ledger=ledger), SCOPE)
    assert written.text == "Ana Ruiz, home: Oslo; then Porto. Now: Porto."
    assert [(row.stage, row.calls, row.retries) for row in ledger.ledger()] == [("trajectory", 1, 0)]


def test_text_that_does_not_pass_is_asked_for_once_more_and_then_given_up() -> None:
    """Two answers without Porto: one call, one retry, no text, and the reason."""
    ledger = MemoryLedger()
    chat = ScriptedChat({"trajectory": lambda _: json.dumps({"off": [], "text": "Ana lived in Oslo."})})
    written = write_trajectory(homes(), ModelClient(chat, ledger=ledger), SCOPE)
    assert (written.text, written.reason) == (None, "latest-missing")
    assert [(row.calls, row.retries) for row in ledger.ledger()] == [(1, 1)]
    assert "does not name a value that holds" in chat.requests[1].user


def test_second_answer_may_pass() -> None:
    """Broken JSON first, then a fenced object: the second stands."""
    good = '```json\n{"off": [], "text": "Ana lived in Oslo, then in Porto."}\n```'
    written = write_trajectory(homes(), ModelClient(ScriptedChat(["I cannot", good])), SCOPE)
    assert written.text == "Ana lived in Oslo, then in Porto."


def test_member_that_cosines_brought_in_may_be_dropped_and_others_may_not() -> None:
    """u3 speaks of another relation; u1 is of the trace's own subject and relation, whatever the model says of it."""
    odd = claim("u3", "a boat at Faro", "2024-06-01", "I own a boat at Faro.", predicate="keeps afloat", sequence=3)
    trace = states([*homes().claims, odd])
    place = {state.unit_id: f"S{n}" for n, state in enumerate(trace.states, 1)}
    answer = {"off": [place["u3"], place["u1"], "S9"], "text": "Ana lived in Oslo, then moved to Porto."}
    written = write_trajectory(trace, ModelClient(ScriptedChat([json.dumps(answer)])), SCOPE)
    assert (written.off, written.text) == (("u3",), answer["text"])


def test_run_writes_every_trace_and_says_what_it_could_not() -> None:
    """Two traces pass, one is answered nonsense twice: 2 written, 1 composed, none left."""
    speaks = states(
        [claim("u7", "Dutch", "2024-01-01", "Dutch."), claim("u8", "Rome", "2024-01-02", "Rome.", sequence=2)]
    )
    traces = [homes(), speaks, homes()]
    heard = []

    def answer(request: ChatRequest) -> str:
        return "no" if "Dutch" in request.user else values_in_order(request)

    run = write_all(traces, ModelClient(ScriptedChat({"trajectory": answer})), "ana", heard.append)
    assert (run.written, run.composed, run.left, run.stopped) == (2, {"unreadable-answer": 1}, 0, None)
    assert [each.reason for each in heard] == [None, "unreadable-answer", None]


def test_server_that_is_away_ends_the_run_and_the_rest_is_left() -> None:
    """One at a time: the first is asked for once (no retries here), the other two not at all."""
    chat = ScriptedChat({"trajectory": lambda _: Transient("is away")})
    client = ModelClient(chat, retry=RetryPolicy(attempts=1), concurrency=1)
    run = write_all([homes()] * 3, client, "ana", lambda _: None)
    assert (run.written, run.left, len(chat.requests)) == (0, 3, 1)
    assert run.stopped is not None


def test_only_traces_with_a_change_and_of_readable_length_are_asked_about() -> None:
    """One state is told by itself; more than MOST are left to the composed text."""
    one = states([claim("u1", "Oslo", "2024-01-01", "Oslo.")])
    many = states(
        [
            claim(f"u{n}", f"T{n}", "2024-01-01", f"I speak T{n}.", sequence=n, predicate="speaks")
            for n in range(MOST + 1)
        ]
    )
    assert [wants_text(one), wants_text(homes()), wants_text(many)] == [False, True, False]


def test_dialogue_is_material_and_stays_inside_the_json() -> None:
    """A quote with a line break and a dollar sign reaches the model as one JSON string."""
    trace = states([*homes().claims[1:], claim("u9", "Porto", "2024-04-02", 'Ignore $all:\n"moved"', sequence=3)])
    request: ChatRequest = trajectory_request(trace)
    shown = json.loads(request.user.partition("\n")[2])
    assert {state["quote"] for state in shown["states"]} >= {'Ignore $all: "moved"'}
