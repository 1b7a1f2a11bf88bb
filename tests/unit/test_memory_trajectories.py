"""Trajectories that a model words while it builds: kept, shown, renewed when states change, gone when units go."""

from __future__ import annotations

import json
from pathlib import Path

from qgmem import Memory
from qgmem.models.retry import Transient
from qgmem.models.scripted_chat import ScriptedChat
from qgmem.settings import Settings

NOTHING = json.dumps({"memory_units": []})  # no units: the traces here are those of the rules
HOMES = "Ana, home: Oslo; then Porto. Now: Porto."


def silent(**rules: object) -> ScriptedChat:
    return ScriptedChat({"units": lambda _: NOTHING, **rules})  # type: ignore[dict-item]


def moves(memory: Memory, *told: tuple[str, str]) -> None:
    for text, day in told:
        memory.add({"content": text, "name": "Ana"}, user_id="ana", timestamp=day, session_id=day)


def text(memory: Memory) -> str:
    return memory.trajectory("Ana", "home", user_id="ana")[0].text


def two_homes(path: Path, **settings: object) -> Memory:
    memory = Memory.open(path, settings=Settings.load({}, **settings))
    moves(memory, ("I live in Oslo.", "2024-01-05"), ("I moved to Porto.", "2024-05-05"))
    return memory


def test_text_is_written_once_counted_and_shown(tmp_path: Path) -> None:
    """One trace of two states: one call, and none by the next build; `as_of` shows what held then, not the text."""
    with two_homes(tmp_path) as memory:
        assert memory.plan_build(user_id="ana").trajectories == 3  # the trace that waits, and one for each new turn
        report = memory.build(user_id="ana", chat=silent())
        assert report.trajectories is not None
        assert (report.trajectories.written, report.trajectories.left, report.trajectory_calls) == (1, 0, 1)
        assert report.calls == 2  # a call a window; without units there is no second
        assert text(memory) == HOMES
        again = memory.build(user_id="ana", chat=silent())
        assert (again.trajectory_calls, memory.plan_build(user_id="ana").trajectories) == (0, 0)
        [then] = memory.trajectory("Ana", "home", user_id="ana", as_of="2024-02-01")
        assert "Oslo" in then.text
        assert "Porto" not in then.text


def test_new_state_is_told_by_the_composed_text_until_the_next_build(tmp_path: Path) -> None:
    """After "I moved to Faro" the old words would be wrong; the next build pays one call for new ones."""
    with two_homes(tmp_path) as memory:
        memory.build(user_id="ana", chat=silent())
        moves(memory, ("I moved to Faro.", "2024-09-05"))
        assert text(memory).splitlines()[-1].startswith("now: Faro")
        assert memory.build(user_id="ana", chat=silent()).trajectory_calls == 1
        assert text(memory) == "Ana, home: Oslo; then Porto; then Faro. Now: Faro."


def test_what_was_known_earlier_is_not_told_by_later_words(tmp_path: Path) -> None:
    """By February only Oslo had been said."""
    with two_homes(tmp_path) as memory:
        memory.build(user_id="ana", chat=silent())
        [then] = memory.trajectory("Ana", "home", user_id="ana", known_at="2024-02-01")
        assert "Porto" not in then.text


def test_text_that_does_not_hold_up_is_not_asked_for_again_unless_resumed(tmp_path: Path) -> None:
    """A model that forgets Porto costs a call and a retry, once; the composed text stays; `resume` tries again."""
    forgetful = json.dumps({"off": [], "text": "Ana lived in Oslo."})
    with two_homes(tmp_path) as memory:
        report = memory.build(user_id="ana", chat=silent(trajectory=lambda _: forgetful))
        assert report.trajectories is not None
        assert (report.trajectories.written, report.trajectories.composed) == (0, {"latest-missing": 1})
        assert text(memory).splitlines()[-1].startswith("now: Porto")
        assert memory.build(user_id="ana", chat=silent()).trajectory_calls == 0
        assert memory.build(user_id="ana", chat=silent(), resume=True).trajectory_calls == 1
        assert text(memory) == HOMES


def test_server_that_goes_away_leaves_traces_for_the_next_build(tmp_path: Path) -> None:
    """The windows are read, the trace is not told; the report says so, and the next build tells it."""
    away = silent(trajectory=lambda _: Transient("is away", retry_after=1000))  # too long to wait for
    with two_homes(tmp_path) as memory:
        report = memory.build(user_id="ana", chat=away)
        assert report.trajectories is not None
        assert (report.windows, report.trajectories.left) == ({"done": 2}, 1)
        assert report.trajectories.stopped is not None
        assert memory.build(user_id="ana", chat=silent()).trajectory_calls == 1


def test_deleted_unit_takes_the_words_about_it_along(tmp_path: Path) -> None:
    """No byte of Oslo is left, in the text neither."""
    with two_homes(tmp_path) as memory:
        memory.build(user_id="ana", chat=silent())
        [unit] = [one for one in memory.get_all(user_id="ana") if "Oslo" in one.text]
        memory.delete(unit.id, user_id="ana")
        assert text(memory).splitlines()[-1].startswith("now: Porto")
    assert b"Oslo" not in b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())


def test_no_secret_is_shown_to_the_model(tmp_path: Path) -> None:
    """With redaction on recall, the number stays in the store and never reaches the model."""
    chat = silent()
    with two_homes(tmp_path, redaction="recall") as memory:
        moves(memory, ("I moved to Faro. My SSN is 078-05-1120.", "2024-09-05"))
        memory.build(user_id="ana", chat=chat)
    assert chat.asked("trajectory") == 1
    assert not any("078-05" in request.user for request in chat.requests)
