"""A build from end to end with a scripted model and every fault it can have (CASES 2, 3, 4, 20, 23, 24)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import date, datetime
from typing import Any

import pytest

from qgmem.construction.build import BuildOptions, BuildReport, build, plan_build
from qgmem.construction.entities import RuleExtractor
from qgmem.construction.forecast import dry_run
from qgmem.construction.log import MemoryLog, WindowOutcome
from qgmem.construction.read_window import Reading
from qgmem.errors import ModelRefused
from qgmem.models.chat import ChatAnswer, ChatRequest
from qgmem.models.client import ModelClient
from qgmem.models.ledger import Price
from qgmem.models.retry import RetryPolicy, Transient
from qgmem.models.scripted_chat import Reply, ScriptedChat, no_attributes, one_unit_a_turn
from qgmem.types import Turn

PLACES = tuple("Porto Oslo Lima Rome Cork Graz Bern Lyon Bonn Kyiv Baku Bari Nice Faro".split())
OPTIONS = BuildOptions(reading=Reading("ana"))


def _turns(count: int = 14, session: str = "s") -> list[Turn]:
    said = datetime(2023, 5, 8, 12)
    return [
        Turn(f"{session}{n}", session, n, "Ana" if n % 2 else "Ben", "user", f"I saw {PLACES[n]} yesterday.", said)
        for n in range(count)
    ]


class _World:
    """A log that outlives clients, as a store outlives processes."""

    def __init__(self) -> None:
        self.log = MemoryLog()

    def build(self, chat: ScriptedChat, turns: list[Turn] | None = None, **more: Any) -> BuildReport:
        client = ModelClient(
            chat, ledger=self.log, cache=self.log, retry=RetryPolicy(2, sleep=lambda _: None), concurrency=2
        )
        return build(_turns() if turns is None else turns, client, self.log, RuleExtractor(), OPTIONS, **more)

    def texts(self) -> list[str]:
        return sorted(record.unit.text for record in self.log.units())


def _when(test: Callable[[ChatRequest], bool], reply: Reply, rule: Callable[[ChatRequest], str]) -> dict[str, Any]:
    return {"units": lambda request: reply if test(request) else rule(request)}


def _second(request: ChatRequest) -> bool:
    """The window whose new turns are 6–9."""
    background = re.findall(r"OVERLAP_FROM_PREVIOUS_WINDOW .* I saw (\w+)", request.user)
    return background == list(PLACES[4:6])


def test_every_turn_becomes_a_unit_with_time_resolved_by_our_own_code() -> None:
    world, chat = _World(), ScriptedChat()
    report = world.build(chat)
    assert report.windows == {"done": 3}
    assert (report.units, report.calls, report.retries, report.left, report.stopped) == (14, 6, 0, 0, None)
    unit = world.log.units()[0].unit
    assert [interval.start for interval in unit.fact_times] == [date(2023, 5, 7)]
    assert (unit.text, unit.speaker) == ("Ben: I saw Porto yesterday.", "Ben")


def test_building_again_calls_nothing_and_adds_nothing() -> None:
    world = _World()
    world.build(ScriptedChat())
    before = world.log.units()
    chat = ScriptedChat()
    report = world.build(chat, resume=True)
    assert (chat.requests, report.units, report.calls) == ([], 0, 0)
    assert world.log.units() == before


def test_case_23_a_dry_run_says_beforehand_what_a_run_takes() -> None:
    """10,000 characters in 80 turns: 20 windows at most, two calls each; tokens within a factor of two."""
    turns = [Turn(f"t{n}", "s", n, "Ana", "user", f"I saw number {n} at the fair. " * 4, None) for n in range(80)]
    assert 9_000 < sum(len(turn.text) for turn in turns) < 11_000
    world = _World()
    forecast = dry_run(turns, world.log, OPTIONS, price=Price(1.0, 10.0))
    assert (forecast.windows, forecast.calls) == (20, 40)
    tokens_in = forecast.tokens_in + forecast.trajectory_tokens_in
    tokens_out = forecast.tokens_out + forecast.trajectory_tokens_out
    assert forecast.cost == pytest.approx((tokens_in + 10 * tokens_out) / 1e6)
    assert world.log.windows() == [], "a dry run changes nothing"
    report = world.build(ScriptedChat(), turns)
    assert report.calls == forecast.calls
    assert 0.5 < sum(row.tokens_in for row in report.spent) / forecast.tokens_in < 2
    assert dry_run(turns, world.log, OPTIONS).calls == 0
    assert dry_run(turns, world.log, OPTIONS).cost is None


def test_case_23_no_window_takes_more_than_two_calls_whatever_the_model_does() -> None:
    world = _World()
    report = world.build(ScriptedChat({"units": lambda _: "garbage", "attributes": lambda _: "garbage"}))
    assert report.calls <= 2 * 3
    assert report.retries == 3, "one further try a window"


def test_case_4_a_model_that_finds_nothing_is_done_and_said_so() -> None:
    world, chat = _World(), ScriptedChat({"units": lambda _: '{"memory_units": []}'})
    report = world.build(chat)
    assert (report.windows, report.empty, report.units) == ({"done": 3}, 3, 0)
    assert chat.asked("attributes") == 0, "no units, no second call"


@pytest.mark.parametrize("garbage", ["", "I cannot do that.", "{}", "[1, 2]", '{"memory_units": null}', '[{"x": 1}]'])
def test_case_2_a_window_that_stays_unreadable_fails_by_name_and_heals_on_resume(garbage: str) -> None:
    world = _World()
    report = world.build(ScriptedChat(_when(_second, garbage, one_unit_a_turn)))
    assert report.windows == {"done": 2, "failed": 1}
    ((window_id, reason),) = report.failed
    assert reason == "unreadable-answer"
    assert [window.id for window in world.log.windows() if window.status == "failed"] == [window_id]
    assert len(world.texts()) == 10
    assert world.build(ScriptedChat()).windows == {}, "without resume it stays as it is"
    healed = ScriptedChat()
    assert world.build(healed, resume=True).windows == {"done": 1}
    assert (len(world.texts()), len(healed.requests)) == (14, 2)


def test_case_2_an_unreadable_answer_is_asked_for_once_more() -> None:
    def units(request: ChatRequest) -> str:
        return one_unit_a_turn(request) if "earlier answer" in request.user else "Sorry?"

    report = _World().build(ScriptedChat({"units": units}))
    assert (report.windows, report.units, report.retries, report.calls) == ({"done": 3}, 14, 3, 6)


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: f"Here you are:\n```json\n{text}\n```",
        lambda text: text.replace("memory_units", "facts"),
        lambda text: json.dumps(json.loads(text)["memory_units"]),
        lambda text: json.dumps([unit["fact_text"] for unit in json.loads(text)["memory_units"]]),
        lambda text: text.replace("saw", "saw\\u00"),
    ],
    ids=["fence", "facts", "bare list", "strings", "escape"],
)
def test_case_2_answers_of_another_shape_are_read(damage: Callable[[str], str]) -> None:
    world = _World()
    report = world.build(ScriptedChat({"units": lambda request: damage(one_unit_a_turn(request))}))
    assert (report.windows, report.units) == ({"done": 3}, 14), report.rejected
    assert report.notes["contract-repaired"] == 3


def _cut(request: ChatRequest, rule: Callable[[ChatRequest], str], mark: str) -> str:
    text = rule(request)
    return text[: text.rindex(mark)]


def test_case_3_cut_before_the_attributes_units_are_partial_and_the_rest_is_asked_for() -> None:
    """The index is cut inside its last unit; the second try is asked for that unit alone."""
    chat = ScriptedChat({"attributes": lambda request: _cut(request, no_attributes, '"time"')})
    world = _World()
    report = world.build(chat)
    requests = [request.user for request in chat.requests if request.name == "attributes"]
    asked = [len(re.findall("memory_unit_id", user)) for user in requests]
    assert sorted(asked) == [1, 1, 1, 4, 4, 6]
    assert (report.windows, report.partial_units, report.units) == ({"partial": 3}, 3, 14)
    assert {reason for _, reason in report.partial} == {"attributes-missing"}
    assert all(record.unit.fact_times for record in world.log.units()), "dates need no model"
    healed = ScriptedChat()
    report = world.build(healed, resume=True)
    assert (report.windows, report.partial_units) == ({"done": 3}, 0)
    assert healed.asked("units") == 0, "stage 1 was paid for"
    assert len(world.log.units()) == 14


def test_case_3_units_cut_after_the_text_are_kept_partial_and_the_window_is_read_again_on_resume() -> None:
    world = _World()
    report = world.build(ScriptedChat({"units": lambda request: _cut(request, one_unit_a_turn, '"triple"')}))
    assert (report.windows, report.units, report.partial_units) == ({"partial": 3}, 14, 3)
    assert {reason for _, reason in report.partial} == {"units-cut"}
    assert world.build(ScriptedChat(), resume=True).windows == {"done": 3}
    assert (len(world.log.units()), sum(record.partial for record in world.log.units())) == (14, 0)


def test_a_model_that_ran_out_of_tokens_gets_twice_as_many() -> None:
    def units(request: ChatRequest) -> Reply:
        whole = one_unit_a_turn(request)
        return ChatAnswer(whole[:200], 1, 1, truncated=True) if request.max_tokens == Reading().unit_tokens else whole

    report = _World().build(ScriptedChat({"units": units}))
    assert (report.windows, report.units, report.retries) == ({"done": 3}, 14, 3)


def test_case_24_an_outage_ends_the_run_leaves_the_rest_pending_and_resumes() -> None:
    world = _World()
    turns = _turns(14, "a") + _turns(14, "b") + _turns(14, "c")
    down = ScriptedChat([Transient("HTTP 503")])
    report = world.build(down, turns)
    assert report.stopped is not None
    assert "HTTP 503" in report.stopped
    assert 3 <= report.windows["failed"] <= 4, "three silent windows end the run; one more may be under way"
    assert report.left == 9 - report.windows["failed"]
    assert {reason for _, reason in report.failed} == {"model-unavailable"}
    assert world.build(ScriptedChat(), turns, resume=True).windows == {"done": 9}
    assert len(world.texts()) == 42


def test_case_24_an_outage_in_stage_2_keeps_the_units() -> None:
    def down(_: ChatRequest) -> Reply:
        return Transient("HTTP 503")

    world = _World()
    report = world.build(ScriptedChat({"attributes": down}))
    assert (report.windows, report.units, report.partial_units) == ({"partial": 3}, 14, 14)
    healed = ScriptedChat()
    assert world.build(healed, resume=True).windows == {"done": 3}
    assert (healed.asked("units"), healed.asked("attributes")) == (0, 3)


def test_case_24_a_wrong_key_ends_the_run_and_blames_no_window() -> None:
    report = _World().build(ScriptedChat([ModelRefused("HTTP 401: bad key", status=401)]))
    assert (report.windows, report.failed) == ({}, ())
    assert report.stopped == "HTTP 401: bad key"
    assert report.left == 3


def test_a_request_that_is_refused_fails_its_window_alone() -> None:
    refusal = ModelRefused("HTTP 400: too long", status=400)
    report = _World().build(ScriptedChat(_when(_second, refusal, one_unit_a_turn)))
    assert report.windows == {"done": 2, "failed": 1}
    assert report.failed[0][1] == "refused-400"


@pytest.mark.parametrize("at", range(1, 7))
def test_case_20_killed_at_any_call_nothing_is_lost_paid_twice_or_doubled(at: int) -> None:
    """The process dies when its n-th answer arrives; the next run pays for what was not yet recorded."""

    class Killed(BaseException):
        pass

    def dying(rule: Callable[[ChatRequest], str]) -> Callable[[ChatRequest], str]:
        def reply(request: ChatRequest) -> str:
            if len(chat.requests) == at:
                raise Killed
            return rule(request)

        return reply

    world = _World()
    chat = ScriptedChat({"units": dying(one_unit_a_turn), "attributes": dying(no_attributes)})
    with pytest.raises(Killed):
        world.build(chat)
    again = ScriptedChat()
    world.build(again)
    assert len(chat.requests) - 1 + len(again.requests) == 6
    whole = _World()
    whole.build(ScriptedChat())
    assert world.texts() == whole.texts()
    assert {window.status for window in world.log.windows()} == {"done"}


def test_a_grown_session_is_built_as_if_it_had_come_at_once() -> None:
    grown, whole = _World(), _World()
    for count in (3, 7, 9, 14):
        grown.build(ScriptedChat(), _turns(count))
    whole.build(ScriptedChat())
    assert grown.texts() == whole.texts()
    assert {window.id for window in grown.log.windows()} == {window.id for window in whole.log.windows()}


def test_forgetting_a_turn_takes_every_window_that_showed_it() -> None:
    """Turn 4 is new in the first window and background in the second."""
    world = _World()
    world.build(ScriptedChat())
    gone = world.log.forget_turns(["s4"])
    assert (gone.windows, len(gone.unit_ids), gone.cached) == (2, 10, 4)
    left = [turn for turn in _turns() if turn.id != "s4"]
    report = world.build(ScriptedChat(), left)
    assert report.windows == {"done": 2}
    assert not any(PLACES[4] in text for text in world.texts())
    assert len(world.texts()) == 13


def test_what_is_not_borne_out_is_quarantined_and_counted() -> None:
    def units(request: ChatRequest) -> str:
        answer = json.loads(one_unit_a_turn(request))
        invented = {"start_turn": "T3", "end_turn": "T3", "quote": "I own a yacht", "fact_text": "y"}
        answer["memory_units"].append(invented)
        answer["memory_units"].append(answer["memory_units"][0])
        return json.dumps(answer)

    world = _World()
    report = world.build(ScriptedChat({"units": units}))
    assert report.rejected == {"quote-not-in-source": 3, "duplicate": 3}
    assert len(world.log.quarantine()) == 6
    assert len(world.texts()) == 14


def test_attributes_are_kept_if_the_words_bear_them_out_and_ids_unchanged() -> None:
    def attributes(request: ChatRequest) -> str:
        answer = json.loads(no_attributes(request))
        places = re.findall(r'fact_text": "\w+: I saw (\w+)', request.user)
        for unit, place in zip(answer["memory_units"], places, strict=True):
            unit["entities"] = [place, "Ana", "yachts"]
            unit["locations"] = [place, "Atlantis"]
            unit["time"] = [{"start": "2023-05-08", "end": "2023-05-08", "granularity": "day"}, {"start": "then"}]
        answer["memory_units"].append({"memory_unit_id": "u99", "entities": [], "locations": [], "time": []})
        return json.dumps(answer)

    world = _World()
    report = world.build(ScriptedChat({"attributes": attributes}))
    unit = world.log.units()[1].unit
    assert [(entity.text, entity.type) for entity in unit.entities] == [("Oslo", "Where"), ("Ana", "Who")]
    assert unit.text[unit.entities[0].start : unit.entities[0].end] == "Oslo"
    assert unit.locations == ("Oslo",)
    assert [interval.start for interval in unit.fact_times] == [date(2023, 5, 7)], "said yesterday, on the 8th"
    assert report.rejected["location-unsupported"] == 14
    assert report.rejected["entity-unsupported"] == 14 + 7, "yachts everywhere, Ana where Ben speaks"
    assert report.notes["dates-rejected"] == 14
    assert report.notes["dates-unreadable"] == 14
    assert report.notes["attributes-of-no-unit"] == 3


def test_outcomes_are_told_as_they_come_and_recorded_before() -> None:
    world, heard = _World(), list[WindowOutcome]()

    def listen(outcome: WindowOutcome) -> None:
        assert world.log.units(outcome.window_id) == list(outcome.units)
        heard.append(outcome)

    world.build(ScriptedChat(), on_window=listen)
    assert {outcome.status for outcome in heard} == {"done"}
    assert len(heard) == 3


def test_building_one_session_leaves_the_others_alone() -> None:
    world = _World()
    world.build(ScriptedChat(), _turns(14, "a"))
    world.build(ScriptedChat(), _turns(6, "b"))
    assert len(world.texts()) == 20
    assert plan_build(_turns(14, "a"), world.log, OPTIONS).status == {"done": 4}


def test_answer_that_runs_in_circles_counts_once_and_is_not_asked_for_again() -> None:
    """One claim, then another over and over until the room is used up: two units, no retry, and what was left out."""

    def circles(request: ChatRequest) -> ChatAnswer:
        whole = json.loads(one_unit_a_turn(request))["memory_units"]
        told = json.dumps({"memory_units": [whole[0], *[whole[1]] * 20]})
        return ChatAnswer(told[:-40], 10, 10, truncated=True)

    world = _World()
    report = world.build(ScriptedChat({"units": circles}))
    windows = report.windows["done"]
    assert (report.windows, report.retries, report.units) == ({"done": windows}, 0, 2 * windows)
    assert report.notes["answer-repeating"] > 10 * windows
