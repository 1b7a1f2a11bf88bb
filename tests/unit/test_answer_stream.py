"""Streaming: fields out of half a JSON object, whatever the pieces; events in order; a reader that goes away."""

from __future__ import annotations

import json
import time
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qgmem.generation.answer import AnswerEvent
from qgmem.generation.streaming import FieldReader, OnEvent, streamed


@given(st.text(), st.text(), st.data(), st.booleans())
def test_any_cut_of_any_object_gives_both_fields_whole(
    path: str, answer: str, data: st.DataObject, plain: bool
) -> None:
    """What `json.loads` gives for the whole is what the pieces add up to; other fields and escapes do not disturb."""
    whole = {"n": 1, "reasoning_path": path, "x": ['"answer": "no"'], "answer": answer}
    text = json.dumps(whole, ensure_ascii=plain, indent=data.draw(st.sampled_from([None, 1])))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=12)))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    reader, found = FieldReader(), {"reasoning_path": "", "answer": ""}
    for piece in pieces:
        for name, part in reader.feed(piece):
            found[name] += part
    expected = {name: value.replace("\0", "") for name, value in (("reasoning_path", path), ("answer", answer))}
    assert found == expected


def test_text_is_given_as_soon_as_it_is_sure() -> None:
    """The backslash waits for what follows it; everything before is shown at once."""
    reader = FieldReader()
    assert reader.feed('{"answer": "Por') == [("answer", "Por")]
    assert reader.feed("to\\") == [("answer", "to")]
    assert reader.feed('n\\"x"') == [("answer", '\n"x')]
    assert reader.feed("} and prose") == []


def test_events_come_in_order_and_end_with_done() -> None:
    def ask(on_event: OnEvent) -> None:
        for kind in ("evidence", "answer", "done"):
            on_event(AnswerEvent(kind))  # type: ignore[arg-type]

    assert [event.kind for event in streamed(ask)] == ["evidence", "answer", "done"]


def test_an_error_is_raised_where_the_events_are_read() -> None:
    def ask(on_event: OnEvent) -> None:
        on_event(AnswerEvent("evidence"))
        raise ValueError("no answer")

    events = streamed(ask)
    assert next(events).kind == "evidence"
    with pytest.raises(ValueError, match="no answer"):
        next(events)


def test_closing_the_iterator_stops_the_one_who_asks_at_its_next_event() -> None:
    """Pieces come for ever; after `close` the thread must end within the time given, or the test fails."""
    ended = Event()

    def ask(on_event: OnEvent) -> None:
        try:
            while True:
                on_event(AnswerEvent("answer", "x"))
                time.sleep(0.001)
        finally:
            ended.set()

    events = streamed(ask)
    next(events)
    events.close()  # type: ignore[attr-defined]
    assert ended.wait(5)
