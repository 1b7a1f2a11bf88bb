"""Whole lives: same seed same bytes, claims that stand in their turns, questions whose evidence answers them."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from qgmem.errors import InvalidInput
from qgmem.synthetic import NO_ANSWER, Life, load_turns, simulate, synth, write
from qgmem.synthetic.relations import RELATIONS


@pytest.fixture(scope="module")
def lives() -> list[Life]:
    """Eight lives of two years: four with an assistant, four between friends."""
    return list(simulate(8, 2, seed=11))


def test_same_seed_same_bytes_whatever_the_hash_seed(tmp_path: Path) -> None:
    """Files written by processes with different PYTHONHASHSEED are identical; another seed gives others."""
    code = "import sys; from qgmem.synthetic import synth; synth(2, 1, int(sys.argv[1]), sys.argv[2])"
    digests = []
    for run, (seed, hashing) in enumerate((("7", "0"), ("7", "4711"), ("8", "0"))):
        out = tmp_path / str(run)
        subprocess.run([sys.executable, "-c", code, seed, str(out)], check=True, timeout=120,
                       env={**os.environ, "PYTHONHASHSEED": hashing})  # fmt: skip
        digests.append([hashlib.sha256(f.read_bytes()).hexdigest() for f in sorted(out.iterdir())])
    assert len(digests[0]) == 4
    assert digests[0] == digests[1]
    assert all(a != b for a, b in zip(digests[0], digests[2], strict=True))


def test_a_longer_run_begins_with_the_shorter_one(lives: list[Life]) -> None:
    """A life depends on its number, not on how many are asked for."""
    assert next(iter(simulate(1, 2, seed=11))).dialogue == lives[0].dialogue


def test_turns_are_numbered_timed_and_well_formed(lives: list[Life]) -> None:
    """Ids are unique, sequences count from 1, times never run backwards, some turns have none, text is clean."""
    untimed = 0
    for life in lives:
        messages = list(life.dialogue.messages())
        assert len({m.id for m in messages}) == len(messages)
        assert [m.sequence for m in messages] == list(range(1, len(messages) + 1))
        times = [m.timestamp for m in messages if m.timestamp]
        assert times == sorted(times)
        untimed += len(messages) - len(times)
        for m in messages:
            assert m.name in life.dialogue.speakers
            assert m.role == ("assistant" if m.name == "Assistant" else "user")
            assert not re.search(r"[{}<>\[\]|@]|  | [.,?!;]|\.\.", m.content), m.content
            assert m.content[0].isupper() or not m.content[0].isalpha(), m.content
            assert m.content[-1] in '.?!"', m.content
    assert untimed > 0
    zones = [{m.timestamp.tzinfo is not None for m in life.dialogue.messages() if m.timestamp} for life in lives]
    assert {True} in zones, "some dialogues carry offsets"
    assert {False} in zones, "some do not, and none mixes"
    assert all(len(zone) == 1 for zone in zones)


def test_both_kinds_of_dialogue_and_pictures_occur(lives: list[Life]) -> None:
    """User with assistant, and two named friends; some turns show a picture with caption and query."""
    assert Counter(life.dialogue.kind for life in lives) == {"assistant": 4, "friends": 4}
    pictures = [m for life in lives for m in life.dialogue.messages() if m.caption]
    assert pictures
    assert all(m.caption_query for m in pictures)


def test_the_value_of_each_claim_stands_in_its_turn(lives: list[Life]) -> None:
    """Both halves of "gecko named Fig", letters compared without case; an elliptical answer names its question."""
    elliptical = 0
    for life in lives:
        text = {m.id: m.content.lower() for m in life.dialogue.messages()}
        for claim in life.claims:
            said = text[claim.turn_id]
            halves = claim.object.lower().split(" named ")
            assert any(half in said for half in halves), (claim, said)
            assert all(turn in text for turn in claim.support)
            elliptical += bool(claim.support)
    assert elliptical > 50


def test_the_year_as_said_agrees_with_the_fact_time(lives: list[Life]) -> None:
    """Where the turn or its support names a year 20xx, the fact time of a lone claim lies in a year so named."""
    checked = 0
    for life in lives:
        text = {m.id: m.content for m in life.dialogue.messages()}
        alone = Counter(c.turn_id for c in life.claims)
        for claim in life.claims:
            words = " ".join(text[t] for t in (claim.turn_id, *claim.support))
            years = {int(y) for y in re.findall(r"\b(20\d\d)\b", words)}
            if claim.fact_time and years and alone[claim.turn_id] == 1:
                checked += 1
                assert claim.fact_time.start.year in years, (claim, words)
            if years and alone[claim.turn_id] == 1 and claim.kind != "retraction":
                assert claim.fact_time is not None, (claim, words)
    assert checked > 100


def test_every_kind_of_claim_and_question_occurs(lives: list[Life]) -> None:
    """Eight kinds of claim, ten types of question, at least eighteen of the relations."""
    claims = Counter(c.kind for life in lives for c in life.claims)
    assert set(claims) == {"state", "update", "repeat", "retraction", "end", "late", "hearsay", "coexist"}
    questions = Counter(q.type for life in lives for q in life.questions)
    assert set(questions) == {
        "single", "update", "multi_hop", "as_of", "retraction", "late_report", "namesake", "unanswerable",
        "aggregation", "when",
    }  # fmt: skip
    assert len({c.predicate for life in lives for c in life.claims}) >= 18
    assert {c.predicate for life in lives for c in life.claims} <= set(RELATIONS)


def test_answers_follow_from_the_claims_of_the_evidence(lives: list[Life]) -> None:
    """For every type that asks for a value, each part of the answer is the object of a claim in an evidence turn."""
    checked = 0
    for life in lives:
        objects: dict[str, set[str]] = {}
        for c in life.claims:
            objects.setdefault(c.turn_id, set()).add(c.object)
        for q in life.questions:
            if q.type == "unanswerable":
                assert q.answer == NO_ANSWER
                assert q.evidence == ()
                assert not any(c.subject_id == q.subject_id and c.predicate == q.predicate for c in life.claims)
                continue
            assert q.evidence
            stated = set().union(*(objects.get(turn, set()) for turn in q.evidence))
            named = q.answer in {c.subject_name for c in life.claims} | {c.source for c in life.claims}
            if q.type != "when" and not q.answer.isdigit() and not named:
                checked += 1
                assert set(q.answer.split("; ")) <= stated, q
            assert set(q.evidence).isdisjoint(q.support)
    assert checked > 100


def test_answers_agree_with_the_truth_at_their_day(lives: list[Life]) -> None:
    """Questions about a past day give the state of that day, all others that of the last day."""
    for life in lives:
        for q in life.questions:
            if q.type in ("single", "update", "retraction", "namesake", "as_of", "late_report"):
                day = q.as_of or q.question_time.date()
                if q.text.startswith("Who ") and q.type == "single":
                    continue  # asks for a person, not for a value
                assert life.truth.state(q.subject_id, q.predicate, day) == {q.answer}, q


def test_namesakes_share_a_name_and_are_told_apart_in_every_question() -> None:
    """Two people, one name, two firms; the question names the firm."""
    seen = 0
    for life in simulate(6, 2, seed=3):
        names = Counter(p.name for p in life.people)
        qualifiers = {p.id: p.qualifier.removeprefix("from ") for p in life.people if p.qualifier}
        assert set(names.values()) <= {1, 2}
        for q in life.questions:
            if q.type == "namesake":
                seen += 1
                assert qualifiers[q.subject_id] in q.text
    assert seen > 0


def test_assistant_turns_claim_nothing(lives: list[Life]) -> None:
    """What the assistant proposes is nobody's fact."""
    for life in lives:
        role = {m.id: m.role for m in life.dialogue.messages()}
        assert all(role[c.turn_id] == "user" for c in life.claims)


def test_load_is_exact_and_prefix_stable() -> None:
    """Exactly n turns with distinct ids; a longer load begins with the shorter one."""
    short = [m.record() for m in load_turns(777, 5)]
    long = [m.record() for m in load_turns(2500, 5)]
    assert len(short) == 777
    assert len({m["id"] for m in long}) == 2500
    assert long[:777] == short
    assert list(load_turns(0, 5)) == []


def test_text_does_not_repeat_itself_to_death() -> None:
    """Of 20,000 turns, more than three in five of those longer than 40 characters are unlike every other."""
    turns = [m.content for m in load_turns(20_000, 1) if len(m.content) > 40]
    assert len(set(turns)) / len(turns) > 0.6


def test_files_hold_what_the_report_says(tmp_path: Path) -> None:
    """Counts and digests of the report and the manifest match the files; messages have the keys `add` takes."""
    report = synth(2, 1, 7, tmp_path)
    rows = {
        name: [json.loads(line) for line in (tmp_path / name).read_text(encoding="utf-8").splitlines()]
        for name in report.sha256
    }
    assert len(rows["dialogues.jsonl"]) == report.sessions
    assert sum(len(r["messages"]) for r in rows["dialogues.jsonl"]) == report.turns
    assert Counter(r["kind"] for r in rows["claims.jsonl"]) == report.claims
    assert Counter(r["type"] for r in rows["questions.jsonl"]) == report.questions
    for name, digest in report.sha256.items():
        assert hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() == digest
    manifest = json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["settings"] == {"people": 2, "years": 1, "seed": 7}
    assert manifest["turns"] == report.turns
    allowed = {"id", "session_id", "role", "name", "content", "timestamp", "caption", "caption_query"}
    for row in rows["dialogues.jsonl"]:
        for message in row["messages"]:
            assert {"id", "session_id", "role", "name", "content"} <= set(message) <= allowed
            if "timestamp" in message:
                datetime.fromisoformat(message["timestamp"])


@pytest.mark.parametrize(("people", "years"), [(0, 1.0), (1, 0.0), (1, 500.0), (1, float("nan"))])
def test_impossible_sizes_are_refused(people: int, years: float) -> None:
    """The error names the argument, and comes before a life is asked for: nothing was opened for it yet."""
    with pytest.raises(InvalidInput, match=r"people|years"):
        simulate(people, years, 1)


def test_lives_that_end_half_way_leave_what_was_written_before(tmp_path: Path) -> None:
    """A run that is stopped or refused empties no file of an earlier one, and leaves no half file."""

    def half() -> Iterator[Life]:
        yield from simulate(1, 0.3, 8)
        raise KeyboardInterrupt

    synth(1, 0.3, 7, tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(InvalidInput):
        synth(1, float("nan"), 7, tmp_path)
    with pytest.raises(KeyboardInterrupt):
        write(half(), tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert len(before) == 4


def test_importing_is_light() -> None:
    """No model, no numpy and no plotting come along with the simulator."""
    code = "import sys, qgmem.synthetic; print([m for m in ('numpy', 'onnxruntime', 'scipy') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=60)
    assert out.stdout.strip() == "[]"
