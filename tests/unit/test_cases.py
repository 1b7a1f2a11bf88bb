"""Where other memory systems let people down: one test for each kind of fault that this layer must not have.

The number is the case's own in the project's list; the docstring states input and right outcome.
"""

from __future__ import annotations

import logging
import os
import random
import time
from collections import Counter
from datetime import date, datetime, timedelta, timezone
from pathlib import Path

import pytest
from forked import Child, Say

from qgmem import Memory, Settings
from qgmem.errors import EmbedderMismatch, ModelUnavailable
from qgmem.models.scripted import HashEmbedder
from qgmem.protocols import Vectors

EMBEDDER = HashEmbedder(32)


def memory_at(path: Path, **options: object) -> Memory:
    return Memory.open(path, embedder=EMBEDDER, **options)  # type: ignore[arg-type]


def bytes_under(path: Path) -> bytes:
    return b"\n".join(file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file())


def test_case_01_deleting_a_user_leaves_no_byte(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """ "my SSN is 078-05-1120", then everything of that user is deleted: no byte left anywhere, and a receipt."""
    caplog.set_level(logging.DEBUG)
    with memory_at(tmp_path) as memory:
        memory.add("my SSN is 078-05-1120", user_id="ana", session_id="private")
        memory.add("nothing secret", user_id="bob")
        memory.search("what is my SSN?", user_id="ana")
        assert b"078-05-1120" in bytes_under(tmp_path)
        receipt = memory.delete_all(user_id="ana")
        assert b"078-05-1120" not in bytes_under(tmp_path)
        assert memory.search("SSN", user_id="ana") == []
        assert memory.namespaces() == ["bob"]
    assert (receipt.user_id, receipt.turns, receipt.units, receipt.vectors) == ("ana", 1, 1, 1)
    assert "078-05-1120" not in f"{receipt}{caplog.text}"
    assert not list(tmp_path.glob("ana-*"))


def test_case_05_the_same_message_twice_is_stored_once(tmp_path: Path) -> None:
    """The same message posted twice without ids: one stored, the second answered `deduplicated`."""
    with memory_at(tmp_path) as memory:
        first = memory.add("I like tea", session_id="s").items[0]
        second = memory.add("I like tea", session_id="s").items[0]
        assert (first.status, second.status) == ("stored", "deduplicated")
        assert first.turn_id == second.turn_id
        assert len(memory.get_all()) == 1
        # the same words at two times are two turns
        assert memory.add("I like tea", session_id="s", timestamp="2024-05-02").items[0].status == "stored"
        # an export that holds them twice adds two, and nothing when it comes again
        export = ["yes", "no", "yes"]
        assert [item.status for item in memory.add(export).items] == ["stored"] * 3
        assert [item.status for item in memory.add(export).items] == ["deduplicated"] * 3
        # one id for two different messages is the caller's mistake, and is told
        memory.add({"role": "user", "content": "one", "id": "m1"})
        taken = memory.add({"role": "user", "content": "two", "id": "m1"}).items[0]
        assert taken.status == "failed"
        assert "'m1' is taken" in str(taken.reason)


def test_case_07_a_later_fact_is_not_visible_earlier(tmp_path: Path) -> None:
    """A fact dated 2024-03-01, asked `as_of` 2020: not visible."""
    with memory_at(tmp_path) as memory:
        memory.add("Ana moved to Lisbon on 1 March 2024", timestamp="2024-05-02")
        memory.add("Ana lived in Oslo", timestamp="2019-06-01")
        assert {hit.text[:9] for hit in memory.search("Where does Ana live?", as_of="2024-03-01")} == {
            "Ana moved",
            "Ana lived",
        }
        for moment in ("2020", "2020-12", "2024-02-29", date(2020, 1, 1)):
            assert [hit.text for hit in memory.search("Where does Ana live?", as_of=moment)] == ["Ana lived in Oslo"]
        assert memory.search("Where does Ana live?", as_of="2019-05-31") == []


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the system's zone cannot be changed here")
@pytest.mark.parametrize("server", ["UTC", "America/Los_Angeles", "Pacific/Kiritimati"])
def test_case_12_the_speakers_own_date_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: str) -> None:
    """ "See Bob at Starbucks tomorrow at 3pm", said at 23:50 in Tokyo on 2 May: 3 May, offset kept, anywhere."""
    monkeypatch.setenv("TZ", server)
    time.tzset()
    try:
        with memory_at(tmp_path) as memory:
            for session, stamp, zone in (
                ("offset", "2024-05-02T23:50:00+09:00", None),
                ("zone", "2024-05-02T23:50:00", "Asia/Tokyo"),
                ("naive", "2024-05-02T23:50:00", None),
            ):
                memory.add(
                    "See Bob at Starbucks tomorrow at 3pm", timestamp=stamp, time_zone=zone, session_id=session
                )
        with memory_at(tmp_path) as memory:
            for unit in memory.get_all():
                (when,) = unit.fact_times
                assert (when.start, when.end) == (date(2024, 5, 3), date(2024, 5, 3))
                expected = None if unit.session_id == "naive" else timedelta(hours=9)
                assert unit.utterance_time is not None
                assert unit.utterance_time.utcoffset() == expected
                assert unit.utterance_time.replace(tzinfo=None) == datetime(2024, 5, 2, 23, 50)
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("東京に住んでいる", "東京"),
        ("我在北京工作", "北京"),
        ("서울에서 살아요", "서울"),
        ("ฉันอาศัยอยู่ในกรุงเทพมหานคร", "กรุงเทพ"),
        ("أعيش في القاهرة منذ سنتين", "القاهرة"),
        ("Я живу в Москве", "Москва"),
        ("मैं दिल्ली में रहता हूँ", "दिल्ली"),
    ],
    ids=["Japanese", "Chinese", "Korean", "Thai", "Arabic", "Cyrillic", "Devanagari"],
)
def test_case_13_any_script_is_found_by_its_words(tmp_path: Path, said: str, asked: str) -> None:
    """東京に住んでいる, asked 東京, and likewise in other scripts: a lexical hit."""
    with memory_at(tmp_path) as memory:
        memory.add(["I live somewhere", said, "大阪が好き", "모르겠어요", "ничего", "कुछ नहीं", "لا شيء"])
        hits = memory.search(asked)
        assert (hits[0].text, hits[0].channels["lexical"].rank) == (said, 1)


def test_case_14_a_rare_name_is_first_by_its_words(tmp_path: Path) -> None:
    """ "ZX-4471" among 5,000 semantically closer units: first by the lexical channel alone."""
    question = "what is the status of the pump device report for ZX-4471"
    with memory_at(tmp_path) as memory:
        for start in range(0, 5000, 1000):
            memory.add(
                [f"the status of the pump device report for n{n}" for n in range(start, start + 1000)],
                session_id="close",
            )
        memory.add("somebody mentioned that ZX-4471 leaks oil on cold mornings", session_id="far")
        hit = next(hit for hit in memory.search(question, limit=5001) if "ZX-4471" in hit.text)
        assert (hit.channels["lexical"].rank, hit.channels["semantic"].rank) == (1, 5001)
    with memory_at(tmp_path, settings=Settings(channels=("lexical",), rerank="none")) as memory:
        assert "ZX-4471" in memory.search(question)[0].text


def test_case_15_a_very_long_message_is_one_turn_found_by_its_end(tmp_path: Path) -> None:
    """One message of 200 KB: chunked for embedding, found by its last sentence, still one turn."""
    drawn = random.Random(1)
    words = "the garden was quiet and we talked about boats trains letters winter bread".split()
    text = " ".join(drawn.choices(words, k=36_000)) + ". Finally Quellmalz bought a marmalade trombone."
    assert len(text.encode()) > 200_000
    with memory_at(tmp_path) as memory:
        assert memory.add(text).count("stored") == 1
        memory.add([f"short turn {n} about boats and winter" for n in range(30)])
        stats = memory.stats()
        assert (stats.turns, stats.units) == (31, 31)
        assert stats.vectors > 200
        assert memory.get_all()[0].text == text
        hits = memory.search("Who bought a marmalade trombone?", limit=5)
        assert hits[0].text == text
        assert hits[0].channels["lexical"].rank == 1
        whole, asked = EMBEDDER.embed([f"user: {text}", "Who bought a marmalade trombone?"])
        assert hits[0].channels["semantic"].score > float(whole @ asked) + 0.05  # its end is compared on its own
        assert len([hit for hit in hits if hit.text == text]) == 1


def test_case_16_broken_messages_stop_nothing_else(tmp_path: Path) -> None:
    """Lone surrogate, NUL, null, empty, 1 MB of spaces: cleaned or refused by field; the rest is kept."""
    batch = [
        "before",
        "half an emoji \ud83d here",
        "a NUL\0 inside",
        {"role": "user", "content": None},
        "",
        " " * 1_000_000,
        {"role": "user", "content": "bad name", "name": 7},
        {"role": "user", "content": "bad time", "timestamp": ["2024"]},
        {
            "role": "user",
            "content": "surrogates",
            "name": "A\udc00",
            "id": "i\ud83d",
            "metadata": {"k\ud83d": "v\ud83d"},
        },
        7,
        "after",
    ]
    with memory_at(tmp_path) as memory:
        report = memory.add(batch)  # type: ignore[arg-type]
        assert [item.status[0] for item in report.items] == list("sssfffffsfs")
        assert [unit.text for unit in memory.get_all()] == [
            "before",
            "half an emoji \ufffd here",
            "a NUL inside",
            "surrogates",
            "after",
        ]
        reasons = [str(item.reason) for item in report.items if item.status == "failed"]
        fields = ("content", "content", "content", "name", "timestamp", "message:")
        assert all(field in reason for field, reason in zip(fields, reasons, strict=True))
        assert all(len(reason) < 300 for reason in reasons)
        assert memory.search("half an emoji")[0].text.startswith("half")
        assert memory.search("\ud83d emoji \0")[0].text.startswith("half")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_case_17_many_processes_share_a_store(tmp_path: Path) -> None:
    """A second process opens the same store; eight processes write 20 turns each: 160 turns, on a new folder."""

    def write(name: int, say: Say) -> None:
        with memory_at(tmp_path / "m") as memory:
            for n in range(20):
                item = memory.add(f"process {name} says {n}", session_id=f"s{name}").items[0]
                say(f"{item.status} {item.turn_id}")

    children = [Child(lambda say, name=name: write(name, say)) for name in range(8)]
    said = [line.split() for child in children for line in child.join()]
    assert Counter(status for status, _ in said) == {"stored": 160}
    with memory_at(tmp_path / "m") as memory:
        units = memory.get_all()
        assert {unit.id for unit in units} == {turn_id for _, turn_id in said}
        for name in range(8):  # each process's own order is kept
            mine = [unit.text for unit in units if unit.session_id == f"s{name}"]
            assert mine == [f"process {name} says {n}" for n in range(20)]
        assert len({hit.id for hit in memory.search("process says", limit=200)}) == 160
        second = memory_at(tmp_path / "m")
        second.add("from a second opening")
        assert memory.search("second opening")[0].text == "from a second opening"
        second.close()


class Interrupted(HashEmbedder):
    """Fails after a number of calls."""

    def __init__(self, dimension: int, calls: int) -> None:
        super().__init__(dimension)
        self._left = calls

    def embed(self, texts: list[str]) -> Vectors:  # type: ignore[override]
        self._left -= 1
        if self._left < 0:
            raise ModelUnavailable("the model went away")
        return super().embed(texts)


def test_case_18_another_embedder_is_told_and_reembed_resumes(tmp_path: Path) -> None:
    """Built with 384 dimensions, opened with 768: an error naming both; reembed resumes, the old index answers on."""
    narrow = HashEmbedder(384)
    with Memory.open(tmp_path, embedder=narrow) as memory:
        memory.add([f"turn {n} about the sea" for n in range(300)])
    wide = Interrupted(768, calls=1)
    with Memory.open(tmp_path, embedder=wide) as memory:
        with pytest.raises(EmbedderMismatch, match=r"hash-384 \(384 dimensions.*hash-768 \(768 dim.*reembed"):
            memory.search("sea")
        with pytest.raises(ModelUnavailable):
            memory.reembed()
    with Memory.open(tmp_path, embedder=narrow) as memory:
        assert memory.search("turn 7 sea")[0].text == "turn 7 about the sea"
    with Memory.open(tmp_path, embedder=HashEmbedder(768)) as memory:
        assert memory.reembed() == 300 - 256  # a batch of 256 was kept
        assert memory.search("turn 7 sea")[0].text == "turn 7 about the sea"
        assert memory.stats().dimension == 768


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_case_20_a_killed_ingestion_resumes(tmp_path: Path) -> None:
    """kill -9 in mid-ingestion, run again: it resumes; nothing acknowledged is lost, nothing is doubled.

    Killed after every acknowledged batch in turn; `test_store_processes.py` has fifty random moments.
    """
    batches = [[f"batch {n} part {part}" for part in range(4)] for n in range(6)]
    for survived in range(6):
        path = tmp_path / str(survived)

        def run(say: Say, path: Path = path) -> None:
            memory = memory_at(path)
            for batch in batches:
                report = memory.add(batch)
                say(" ".join(str(item.turn_id) for item in report.items))

        child = Child(run)
        acknowledged = [child.line().split() for _ in range(survived)]
        acknowledged += [line.split() for line in child.kill()]
        with memory_at(path) as memory:
            assert {turn_id for ids in acknowledged for turn_id in ids} <= {unit.id for unit in memory.get_all()}
            statuses = [item.status for batch in batches for item in memory.add(batch).items]
            assert statuses[: 4 * len(acknowledged)] == ["deduplicated"] * 4 * len(acknowledged)
            assert [unit.text for unit in memory.get_all()] == [text for batch in batches for text in batch]


def test_case_22_a_missing_or_odd_date_is_unknown_never_today(tmp_path: Path) -> None:
    """No date; a date that cannot be parsed; dates out of order: stored, time unknown, never "today"."""
    with memory_at(tmp_path) as memory:
        report = memory.add(
            [
                "I met Bob yesterday",
                {"role": "user", "content": "I met Eve yesterday", "timestamp": "sometime last spring"},
                {"role": "user", "content": "I met Max yesterday", "timestamp": "2024-05-02"},
                {"role": "user", "content": "I met Zoe yesterday", "timestamp": "2021-01-01"},
            ],
            session_id="s",
        )
        assert [item.status for item in report.items] == ["stored"] * 4
        assert [item.note for item in report.items] == [
            None,
            "timestamp: cannot read 'sometime last spring'; stored with its time unknown",
            None,
            None,
        ]
        later = memory.add(
            ["a whole session", "of unknown date"], timestamp="the day after the party", session_id="t"
        )
        assert [item.status for item in later.items] == ["stored", "stored"]
        assert all("the day after the party" in str(item.note) for item in later.items)
        units = memory.get_all()
        assert [unit.text[6:9] for unit in units[:4]] == ["Bob", "Eve", "Max", "Zoe"]  # the order of saying is kept
        assert [unit.utterance_time for unit in units] == [
            None,
            None,
            datetime(2024, 5, 2),
            datetime(2021, 1, 1),
            None,
            None,
        ]
        assert [[when.start for when in unit.fact_times] for unit in units[:4]] == [
            [],
            [],
            [date(2024, 5, 1)],
            [date(2020, 12, 31)],
        ]
        assert memory.search("Who did I meet?", as_of="2022-01-01", limit=9)
        flags = {
            hit.text[6:9]: hit.flags for hit in memory.search("Who did I meet yesterday?", as_of="2022", limit=9)
        }
        assert (flags["Bob"], flags["Zoe"]) == (("time-unknown",), ())
        assert "Max" not in flags
        # a time of a wrong type fails its message only; a wrong zone stops the call
        wrong = memory.add(["kept", {"role": "user", "content": "x", "timestamp": {"year": 2024}}])
        assert [item.status for item in wrong.items] == ["stored", "failed"]
        known = memory.add("with a zone", timestamp=datetime(2024, 5, 2, tzinfo=timezone(timedelta(hours=2))))
        assert known.items[0].note is None
