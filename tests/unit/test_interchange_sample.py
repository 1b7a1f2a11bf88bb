"""The bundled sample holds what the demo promises to show."""

from __future__ import annotations

from datetime import datetime

from qgmem.sample import DEMO_QUESTIONS, load_sample

TURNS = {str(record.message["id"]): record for record in load_sample()}


def _text(turn_id: str) -> str:
    return str(TURNS[turn_id].message["content"])


def test_size_speakers_and_span() -> None:
    records = load_sample()
    assert len(records) == len(TURNS) >= 70
    assert {record.message["name"] for record in records} == {"Wren", "Idris"}
    assert len({record.session_id for record in records}) == 6
    times = [datetime.fromisoformat(str(record.message["timestamp"])) for record in records]
    assert times == sorted(times)
    assert all(time.utcoffset() is not None for time in times)
    assert 260 < (times[-1] - times[0]).days < 290


def test_it_holds_the_hard_things() -> None:
    said = " ".join(str(record.message["content"]) for record in load_sample())
    for phrase in ("yesterday", "last Tuesday", "two weeks ago", "next month", "in three weeks", "last weekend"):
        assert phrase in said
    photos = [record for record in load_sample() if "caption" in record.message]
    assert [record.message["id"] for record in photos] == ["s2-08"]
    assert photos[0].message["caption_query"] == "green narrowboat ginger cat roof canal"
    # A home that changes twice: flat, boat, cottage.
    assert "Bristol" in _text("s1-01")
    assert "moved aboard" in _text("s2-04")
    assert "cottage" in _text("s6-01")
    assert "KL-20817-B" in _text("s2-12")
    assert "2016" in _text("s4-06")  # a late report
    assert "That was wrong" in _text("s3-08")  # a correction


def test_the_weekdays_said_are_true() -> None:
    """16 September 2023 is a Saturday, so the flat was taken on a Friday; 31 October is a Tuesday."""
    first = datetime.fromisoformat(str(TURNS["s1-01"].message["timestamp"]))
    assert (first.strftime("%A"), first.date().isoformat()) == ("Saturday", "2023-09-16")
    second = datetime.fromisoformat(str(TURNS["s2-01"].message["timestamp"]))
    assert second.strftime("%A %d %B") == "Tuesday 31 October"


def test_five_questions_point_at_turns() -> None:
    assert len(DEMO_QUESTIONS) == 5
    for question in DEMO_QUESTIONS:
        assert question.text.endswith("?")
        assert question.evidence
        assert set(question.evidence) <= TURNS.keys()
