"""Construction by a language model through the facade: CASES 2, 3, 4, 11, 20, 21 and 23, and what deletion takes."""

from __future__ import annotations

import json
import os
import random
import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from forked import Child, Say

from qgmem import InvalidInput, Memory, NotFound, Settings
from qgmem.construction.redaction import Pattern, Redactor
from qgmem.models.chat import ChatAnswer, ChatRequest
from qgmem.models.scripted import HashEmbedder
from qgmem.models.scripted_chat import ScriptedChat, no_attributes, one_unit_a_turn
from qgmem.registry import make_chat

PLACES = tuple("Porto Oslo Lima Rome Cork Graz Bern Lyon Bonn Kyiv Baku Bari Nice Faro".split())


def memory_at(path: Path, **options: Any) -> Memory:
    return Memory.open(path, embedder=HashEmbedder(32), **options)


def travels(memory: Memory, count: int = 14) -> None:
    """Fourteen turns of one session: four windows of new turns 0–5, 6–9, 10–13."""
    messages = [{"content": f"I saw {place} yesterday.", "name": "Ana" if n % 2 else "Ben", "id": f"t{n}"}
                for n, place in enumerate(PLACES[:count])]  # fmt: skip
    memory.add(messages, user_id="ana", session_id="s", timestamp="2023-05-08T12:00")


def claims(request: ChatRequest) -> str:
    """Every turn as a claim of its own words."""
    return one_unit_a_turn(request).replace(": I saw", " has been to")


def bytes_under(path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file())


def extracted(memory: Memory) -> list[str]:
    return sorted(unit.text for unit in memory.get_all(user_id="ana", filters={"kind": "extracted"}))


def test_units_are_stored_embedded_found_and_lead_to_their_turns(tmp_path: Path) -> None:
    with memory_at(tmp_path) as memory:
        travels(memory)
        report = memory.build(user_id="ana", chat=ScriptedChat({"units": claims}))
        assert (report.windows, report.units, report.calls, report.pending) == ({"done": 3}, 14, 6, None)
        stats = memory.stats(user_id="ana")
        assert (stats.turns, stats.units, stats.pending_units, stats.pending_phrases) == (14, 28, 0, 0)
        [hit, *_] = memory.search("Who has been to Kyiv yesterday?", user_id="ana", limit=3)
        assert (hit.unit.kind, hit.turn_ids, hit.quote) == ("extracted", ("t9",), "I saw Kyiv yesterday")
        assert [str(time.start) for time in hit.fact_times] == ["2023-05-07"]
        assert {row.stage: row.calls for row in memory.ledger(user_id="ana")} == {
            "attributes": 3,
            "trajectory": 2,
            "units": 3,  # what Ana said, and what Ben said
        }
        assert {window.status for window in memory.windows(user_id="ana")} == {"done"}


def test_no_evidence_is_shown_twice_and_a_search_still_fills_its_limit(tmp_path: Path) -> None:
    with memory_at(tmp_path) as memory:
        travels(memory)
        memory.build(user_id="ana", chat=ScriptedChat({"units": claims}))
        for limit in (1, 5, 14):
            hits = memory.search("Who saw Kyiv and Oslo yesterday?", user_id="ana", limit=limit)
            turns = [hit.turn_ids for hit in hits]
            assert len(turns) == len(set(turns)) == limit
            assert [hit.rank for hit in hits] == list(range(1, limit + 1))


def test_two_claims_of_one_turn_are_two_and_take_the_place_of_the_turn(tmp_path: Path) -> None:
    def both(request: ChatRequest) -> str:
        text = "Rex is a beagle and Tom is a tabby."
        parts = ("Rex is a beagle", "Tom is a tabby")
        units = [{"start_turn": "T1", "end_turn": "T1", "quote": part, "fact_text": part} for part in parts]
        assert text in request.user
        return json.dumps({"memory_units": units})

    with memory_at(tmp_path) as memory:
        memory.add("Rex is a beagle and Tom is a tabby.", user_id="ana")
        assert memory.build(user_id="ana", chat=ScriptedChat({"units": both})).units == 2
        hits = memory.search("Is Rex a beagle? Is Tom a tabby?", user_id="ana")
        kinds = sorted(hit.unit.kind for hit in hits)
        assert kinds in (["verbatim"], ["extracted", "extracted"])


def test_a_claim_over_several_turns_names_all_of_them_in_order(tmp_path: Path) -> None:
    def across(_: ChatRequest) -> str:
        said = "Ana saw Porto, Oslo and Lima yesterday"
        unit = {"start_turn": "T1", "end_turn": "T3", "quote": "I saw Lima yesterday.", "fact_text": said}
        return json.dumps({"memory_units": [unit]})

    with memory_at(tmp_path) as memory:
        for n, place in enumerate(PLACES[:3]):
            memory.add({"content": f"I saw {place} yesterday.", "name": "Ana", "id": f"a{n}"}, user_id="ana",
                       session_id="s")  # fmt: skip
            memory.add({"content": "Elsewhere.", "id": f"b{n}"}, user_id="ana", session_id="other")
        memory.build(user_id="ana", chat=ScriptedChat({"units": across}))
        [unit] = memory.get_all(user_id="ana", filters={"kind": "extracted", "session_id": "s"})
        assert unit.span.turn_ids == ("a0", "a1", "a2")
        hits = memory.search("Porto, Oslo and Lima", user_id="ana", limit=9)
        assert [hit.turn_ids for hit in hits if hit.id == unit.id] == [("a0", "a1", "a2")]
        memory.delete("b1", user_id="ana")
        assert memory.get(unit.id, user_id="ana") == unit  # a turn of another session was no part of it
        memory.delete("a1", user_id="ana")
        with pytest.raises(NotFound):
            memory.get(unit.id, user_id="ana")


@pytest.mark.parametrize("garbage", ["", "I cannot help with that.", '{"memory_units": "none"}', "\\u00 {{{"])
def test_case_02_a_failed_window_is_reported_and_its_turns_are_found(tmp_path: Path, garbage: str) -> None:
    with memory_at(tmp_path) as memory:
        travels(memory, 6)
        report = memory.build(user_id="ana", chat=ScriptedChat([garbage]))
        [window] = memory.windows(user_id="ana")
        assert report.failed == ((window.id, "unreadable-answer"),)
        assert window.status == "failed"
        assert "t3" in [hit.id for hit in memory.search("Who saw Rome?", user_id="ana", limit=3)]
        assert memory.build(user_id="ana", chat=ScriptedChat()).left == 0  # not read again unless asked to
        assert memory.windows(user_id="ana")[0].status == "failed"
        assert memory.build(user_id="ana", chat=ScriptedChat(), resume=True).windows == {"done": 1}
        assert len(extracted(memory)) == 6


@pytest.mark.parametrize(
    "shape",
    [
        lambda units: json.dumps({"facts": units}),
        lambda units: json.dumps(units),
        lambda units: f"Here you are:\n```json\n{json.dumps(units)}\n```",
        lambda units: json.dumps([unit["fact_text"] for unit in units]),
    ],
)
def test_case_02_answers_of_another_shape_are_read(tmp_path: Path, shape: Callable[[list[Any]], str]) -> None:
    def answer(request: ChatRequest) -> str:
        return shape(json.loads(claims(request))["memory_units"])

    with memory_at(tmp_path) as memory:
        travels(memory, 6)
        assert memory.build(user_id="ana", chat=ScriptedChat({"units": answer})).units == 6


def test_case_03_units_whose_attributes_were_cut_are_partial_until_resumed(tmp_path: Path) -> None:
    def cut(request: ChatRequest) -> str:
        whole = no_attributes(request)
        return whole[: whole.index("entities")]

    with memory_at(tmp_path) as memory:
        travels(memory, 6)
        report = memory.build(user_id="ana", chat=ScriptedChat({"units": claims, "attributes": cut}))
        assert (report.windows, report.units, report.partial_units > 0) == ({"partial": 1}, 6, True)
        assert memory.search("Who has been to Oslo?", user_id="ana")[0].turn_ids == ("t1",)
        chat = ScriptedChat({"units": claims})
        assert memory.build(user_id="ana", chat=chat, resume=True).partial_units == 0
        assert (chat.asked("units"), chat.asked("attributes")) == (0, 1)  # the first stage was kept
        assert memory.stats(user_id="ana").units == 12


def test_case_04_a_model_without_facts_hides_nothing(tmp_path: Path) -> None:
    with memory_at(tmp_path) as memory:
        memory.add("The dice method is 5d3+5", user_id="ana")
        report = memory.build(user_id="ana", chat=ScriptedChat({"units": lambda _: '{"memory_units": []}'}))
        assert (report.windows, report.empty, report.units) == ({"done": 1}, 1, 0)
        assert memory.search("what is the dice method?", user_id="ana")[0].text == "The dice method is 5d3+5"


def test_case_11_what_the_assistant_explains_is_not_what_the_user_did(tmp_path: Path) -> None:
    claim = "The user implemented LeetCode 25 recursively"

    def believes(_: ChatRequest) -> str:
        said = "How do I implement LeetCode 25 recursively?"
        return json.dumps(
            {"memory_units": [{"start_turn": "T1", "end_turn": "T2", "quote": said, "fact_text": claim}]}
        )

    with memory_at(tmp_path) as memory:
        memory.add(
            [
                {"role": "user", "content": "How do I implement LeetCode 25 recursively?"},
                {"role": "assistant", "content": "Implemented recursively, LeetCode 25 reverses k nodes, then calls "
                 "itself on the rest of the list."},
            ],
            user_id="ana",
        )  # fmt: skip
        report = memory.build(user_id="ana", chat=ScriptedChat({"units": believes}))
        assert report.units == 0
        assert set(report.rejected) & {"question-is-no-deed", "assistant-is-not-user"}
        assert extracted(memory) == []
        assert all(hit.text != claim for hit in memory.search("Who implemented LeetCode 25?", user_id="ana"))


class Interrupting(ScriptedChat):
    """Ends the process at one call, as a kill would."""

    def __init__(self, at: int) -> None:
        super().__init__({"units": claims})
        self.at = at

    def complete(self, request: ChatRequest) -> ChatAnswer:
        """As scripted, but for one call."""
        if len(self.requests) == self.at:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().complete(request)


@pytest.mark.parametrize("seed", range(3))
def test_case_20_a_killed_build_resumes_and_pays_for_nothing_twice(tmp_path: Path, seed: int) -> None:
    at = random.Random(seed).randrange(6)
    with memory_at(tmp_path) as memory:
        travels(memory)

    def build(_: Say) -> None:
        with memory_at(tmp_path, settings=Settings(chat_concurrency=1)) as memory:
            memory.build(user_id="ana", chat=Interrupting(at))

    child = Child(build)
    assert child.line() == ""  # it said nothing, and has ended
    child.kill()
    chat = ScriptedChat({"units": claims})
    with memory_at(tmp_path) as memory:
        report = memory.build(user_id="ana", chat=chat)
        assert at + chat.asked("units") + chat.asked("attributes") == 6
        assert report.pending is None
        assert len(extracted(memory)) == len(set(extracted(memory))) == 14
        stats = memory.stats(user_id="ana")
        assert (stats.units, stats.pending_units) == (28, 0)


SECRET = "The db password is hunter2, key sk-abc123"


def test_case_21_redaction_on_writing_leaves_no_byte_and_is_counted(tmp_path: Path) -> None:
    with memory_at(tmp_path, settings=Settings(redaction="write")) as memory:
        message = {"content": SECRET, "metadata": {"note": "sk-abc123"}}
        report = memory.add(message, user_id="ana", metadata={"more": "pin: 9917x"})
        assert report.redacted == {"password": 2, "key": 2}
        again = memory.add({**message}, user_id="ana", metadata={"more": "pin: 9917x"})
        assert again.count("deduplicated") == 1
        [hit] = memory.search("What is the db password?", user_id="ana")
        assert hit.text == "The db password is [redacted:password], key [redacted:key]"
        memory.update(hit.id, "The key is sk-xyz789", user_id="ana")
        memory.build(user_id="ana", chat=ScriptedChat())
    content = bytes_under(tmp_path)
    assert [word for word in (b"hunter2", b"sk-abc123", b"9917x", b"sk-xyz789") if word in content] == []


def test_case_21_redaction_on_recall_hides_from_answers_and_from_the_model(tmp_path: Path) -> None:
    with memory_at(tmp_path) as memory:
        turn_id = memory.add(SECRET, user_id="ana").items[0].turn_id
        assert turn_id is not None
    chat = ScriptedChat()
    with memory_at(tmp_path, settings=Settings(redaction="recall")) as memory:
        assert memory.build(user_id="ana", chat=chat).redacted == {"key": 1, "password": 1}
        assert all("hunter2" not in request.user for request in chat.requests)
        hits = memory.search("What is the db password?", user_id="ana")
        shown = repr(hits) + memory.context("db password", user_id="ana")
        shown += repr(memory.get_all(user_id="ana")) + repr(memory.turn(turn_id, user_id="ana"))
        assert "hunter2" not in shown
        assert "sk-abc123" not in shown
        assert "[redacted:key]" in shown
        assert memory.get(turn_id, user_id="ana").text.endswith("[redacted:key]")
    with memory_at(tmp_path) as memory:
        assert memory.turn(turn_id, user_id="ana").text == SECRET


def test_case_21_patterns_of_ones_own(tmp_path: Path) -> None:
    own = Redactor([Pattern("badge", re.compile(r"\bB-\d{4}\b"))])
    with memory_at(tmp_path, settings=Settings(redaction="write"), redactor=own) as memory:
        assert memory.add("Badge B-1234, key sk-abc123", user_id="ana").redacted == {"badge": 1}
        assert memory.get_all(user_id="ana")[0].text == "Badge [redacted:badge], key sk-abc123"
    with pytest.raises(InvalidInput, match="redaction"):
        memory_at(tmp_path, settings=Settings(redaction_patterns=("nothing",)))


def test_case_23_a_dry_run_shows_what_a_run_takes_and_calls_nobody(tmp_path: Path) -> None:
    """10,000 characters in 80 turns of one session: 20 windows of two calls, with prices the cost as well."""
    priced = Settings(chat_price_in=1.0, chat_price_out=10.0)
    with memory_at(tmp_path, settings=priced) as memory:
        said = [{"content": f"I saw number {n} at the fair. " * 4, "name": "Ana"} for n in range(80)]
        memory.add(said, user_id="ana")
        plan = memory.plan_build(user_id="ana")
        assert (plan.windows, plan.calls) == (20, 40)
        tokens_in, tokens_out = (
            plan.tokens_in + plan.trajectory_tokens_in,
            plan.tokens_out + plan.trajectory_tokens_out,
        )
        assert plan.trajectories == 80  # one a new turn at most
        assert plan.cost == pytest.approx((tokens_in + 10 * tokens_out) / 1e6)
        assert memory.windows(user_id="ana") == []
        report = memory.build(user_id="ana", chat=ScriptedChat())
        assert (sum(report.windows.values()), report.calls) == (20, 40)
        tokens = sum(row.tokens_in for row in report.spent)
        assert plan.tokens_in / 2 < tokens < 2 * plan.tokens_in
        assert memory.plan_build(user_id="ana").calls == 0


def test_deleting_a_turn_takes_all_that_shows_it_to_the_last_byte(tmp_path: Path) -> None:
    """t4 is new in the first window and background in the second; the third never shows it."""

    def gossip(request: ChatRequest) -> str:
        whole = json.loads(claims(request))
        label = whole["memory_units"][-1]["start_turn"]
        false = {"start_turn": label, "end_turn": label, "quote": "Cork burned.", "fact_text": "Zed hates Cork"}
        return json.dumps({"memory_units": [*whole["memory_units"], false]})

    with memory_at(tmp_path) as memory:
        travels(memory)
        report = memory.build(user_id="ana", chat=ScriptedChat({"units": gossip}))
        assert report.rejected == {"quote-not-in-source": 3}
        receipt = memory.delete("t4", user_id="ana")
        assert (receipt.turns, receipt.units, receipt.windows) == (1, 11, 2)
        assert (receipt.cached, receipt.quarantined) == (4, 2)
        assert "Cork" not in repr(receipt)
        assert [window.turn_ids[0] for window in memory.windows(user_id="ana")] == ["t8"]
        assert "t3" in [hit.id for hit in memory.search("Who has been to Rome?", user_id="ana", limit=6)]
        found = bytes_under(tmp_path)
        assert b"Ben has been to Cork" not in found
        assert b"I saw Cork" not in found
        assert b"Rome" in found  # the other turns of those windows are still there
        assert memory.build(user_id="ana", chat=ScriptedChat({"units": claims})).units == 9
        memory.delete_all(user_id="ana")
        assert b"Rome" not in bytes_under(tmp_path)


def test_deleting_a_claim_alone_takes_the_answer_that_holds_it(tmp_path: Path) -> None:
    with memory_at(tmp_path) as memory:
        travels(memory, 6)
        memory.build(user_id="ana", chat=ScriptedChat({"units": claims}))
        [unit] = [one for one in memory.get_all(user_id="ana") if one.text == "Ana has been to Oslo yesterday."]
        receipt = memory.delete(unit.id, user_id="ana")
        assert (receipt.unit_ids, receipt.turns, receipt.windows, receipt.cached) == ((unit.id,), 0, 0, 2)
        assert b"Ana has been to Oslo" not in bytes_under(tmp_path)
        assert memory.build(user_id="ana", chat=ScriptedChat(), resume=True).units == 0


def test_an_export_keeps_units_and_what_was_read(tmp_path: Path) -> None:
    with memory_at(tmp_path / "a") as memory:
        memory.add("Earlier.", user_id="ana", session_id="gone")
        travels(memory)
        memory.build(user_id="ana", chat=ScriptedChat({"units": claims}))
        one = memory.get_all(user_id="ana", filters={"kind": "extracted"})[3]
        memory.update(one.id, "Ana has seen Rome.", user_id="ana")
        memory.export(tmp_path / "out.jsonl", user_id="ana")
        before = {unit.id: unit for unit in memory.get_all(user_id="ana")}
        windows = memory.windows(user_id="ana")
    with memory_at(tmp_path / "b") as memory:
        for _ in range(2):
            assert all(not report.count("failed") for report in memory.import_(tmp_path / "out.jsonl"))
        assert {unit.id: unit for unit in memory.get_all(user_id="ana")} == before
        assert memory.windows(user_id="ana") == windows
        assert memory.stats(user_id="ana").pending_units == 0
        assert [event.text for event in memory.history(one.id, user_id="ana")] == [one.text]
        chat = ScriptedChat()
        memory.build(user_id="ana", chat=chat)
        assert chat.asked("units") == chat.asked("attributes") == 0
        memory.export(tmp_path / "again.jsonl", user_id="ana")
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "out.jsonl").read_bytes()


def test_a_chat_model_by_name_and_its_key_in_no_repr(tmp_path: Path) -> None:
    settings = Settings.load(
        {"QGMEM_CHAT_MODEL": "m", "QGMEM_CHAT_URL": "http://localhost:1", "QGMEM_CHAT_KEY": "s3c"}
    )
    chat = make_chat(None, settings)
    assert chat.id == "m"
    assert "s3c" not in repr(chat) + repr(settings) + settings.model_dump_json()
    assert make_chat("scripted", settings).id == "scripted"
    with pytest.raises(InvalidInput, match="no model is named"):
        make_chat(None, Settings())
    with memory_at(tmp_path) as memory, pytest.raises(NotFound):
        memory.build(user_id="nobody", chat=ScriptedChat())
