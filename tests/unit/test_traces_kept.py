"""Traces in the store: deletion to the last byte, older files, exports, units of a language model, and searches."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from trace_rows import forget, stored

from qgmem import Memory
from qgmem.models.scripted import HashEmbedder
from qgmem.stores.folder import DATABASE, namespace_folder
from qgmem.stores.records import ClaimMarks, UnitRecord, WindowOutcome, WindowRecord
from qgmem.stores.trace_texts import TrajectoryText
from qgmem.tracing.asked import wanted
from qgmem.types import MemoryUnit, SourceSpan, Triple


class Meaning(HashEmbedder):
    """Words without meaning, but with the threshold of claims about one thing."""

    trace_threshold = 0.45


EMBEDDER = Meaning(64)
HOMES = (
    ("h1", "I live in Turin.", "2023-01-10"),
    ("h2", "I moved to Porto.", "2024-03-05"),
    ("h3", "In 2021 I lived in Oslo.", "2024-08-01"),
)


def memory_of(path: Path, *said: tuple[str, str, str | None]) -> Memory:
    """A memory of what Ana said, as (id, text, time)."""
    memory = Memory.open(path, embedder=EMBEDDER)
    for turn, text, time in said:
        memory.add({"id": turn, "role": "user", "name": "Ana", "content": text, "timestamp": time}, session_id="s")
    return memory


def ids(memory: Memory, query: str, **search: object) -> list[str]:
    """Ids of a search's hits."""
    return [hit.id for hit in memory.search(query, **search)]  # type: ignore[arg-type]


def put(memory: Memory, turn: str, *units: tuple[str, Triple], claim: ClaimMarks | None = None) -> None:
    """Units that a language model read from one turn."""
    said = memory.turn(turn)
    made = tuple(
        UnitRecord(
            MemoryUnit(
                id=unit_id, kind="extracted", text=f"{t.subject} {t.predicate} {t.object}",
                span=SourceSpan(turn, turn, said.text), session_id=said.session_id, sequence=said.sequence,
                speaker=said.speaker, role="user", utterance_time=said.utterance_time, triple=t,
            ),
            claim=claim or ClaimMarks(),
        )
        for unit_id, t in units
    )  # fmt: skip
    log = memory._existing("default").store.log
    log.open([WindowRecord(f"w-{units[0][0]}", said.session_id, (turn,), 0)])
    log.finish(WindowOutcome(f"w-{units[0][0]}", "done", None, made))
    memory.embed_pending()


# ---- searches as of a day


def test_a_unit_whose_state_was_over_is_not_returned(tmp_path: Path) -> None:
    """Oslo 2021 to January 2023, Turin until March 2024, then Porto; each day shows the one that held."""
    with memory_of(tmp_path, *HOMES) as memory:
        assert set(ids(memory, "lived moved live")) == {"h1", "h2", "h3"}
        assert ids(memory, "lived moved live", as_of="2022-06-01") == ["h3"]
        assert ids(memory, "lived moved live", as_of="2023-06-01") == ["h1"]
        assert ids(memory, "lived moved live", as_of="2024-03-04") == ["h1"]
        assert ids(memory, "lived moved live", as_of="2024-03-05") == ["h2"]


def test_what_was_not_yet_known_ends_nothing(tmp_path: Path) -> None:
    """By February 2024 nobody had spoken of Porto, nor of Oslo: Turin held to the end of time."""
    with memory_of(tmp_path, *HOMES) as memory:
        assert ids(memory, "lived moved live", as_of="2024-06-01", known_at="2024-02-01") == ["h1"]
        assert ids(memory, "lived moved live", as_of="2024-06-01", known_at="2024-04-01") == ["h2"]
        assert ids(memory, "lived moved live", as_of="2022-06-01", known_at="2024-04-01") == []
        assert ids(memory, "lived moved live", as_of="2024-06-01", known_at="serial-1") == ["h1"]


def test_a_turn_that_says_several_states_is_over_when_all_are(tmp_path: Path) -> None:
    """Home ends in March, employer in May: the turn that said both is shown until May."""
    said = (
        ("a", "I live in Turin. I work at Acme.", "2024-01-10"),
        ("b", "I moved to Porto.", "2024-03-05"),
        ("c", "I joined Bolt.", "2024-05-05"),
    )
    with memory_of(tmp_path, *said) as memory:
        assert set(ids(memory, "live work moved joined", as_of="2024-04-01")) == {"a", "b"}
        assert set(ids(memory, "live work moved joined", as_of="2024-06-01")) == {"b", "c"}


def test_a_turn_that_says_no_state_is_never_over(tmp_path: Path) -> None:
    """An event, a question, and an end stay what they were."""
    said = (
        ("a", "I work at Acme.", "2024-01-10"),
        ("b", "Yesterday the bakery was closed.", "2024-02-10"),
        ("c", "I left Acme.", "2024-03-05"),
    )
    with memory_of(tmp_path, *said) as memory:
        assert set(ids(memory, "work bakery left Acme", as_of="2024-06-01")) == {"b", "c"}


def test_what_was_taken_back_is_hidden_once_that_was_known(tmp_path: Path) -> None:
    """It never held; before the retraction nobody knew."""
    said = (("a", "I live in Turin.", "2024-01-10"), ("b", "I never lived in Turin.", "2024-02-10"))
    with memory_of(tmp_path, *said) as memory:
        assert ids(memory, "live Turin", as_of="2024-01-20") == []
        assert ids(memory, "live Turin", as_of="2024-01-20", known_at="2024-01-31") == ["a"]


def test_states_of_unknown_time_are_shown_and_flagged(tmp_path: Path) -> None:
    """Porto was said at no known time: it may hold on any day, and Turin's end is as unknown."""
    said = (("a", "I live in Turin.", "2024-01-10"), ("b", "I moved to Porto.", None))
    with memory_of(tmp_path, *said) as memory:
        hits = {hit.id: hit.flags for hit in memory.search("live moved", as_of="2024-06-01")}
        assert set(hits) == {"a", "b"}
        assert "state-time-unknown" in hits["a"]
        assert "state-time-unknown" in hits["b"]
        assert "time-unknown" in hits["b"]


# ---- questions about now


def test_what_holds_comes_before_what_held(tmp_path: Path) -> None:
    """The question's words fit the older statement better; still Porto comes first, and Turin stays in the list."""
    said = (
        ("a", "I live in Turin, where I live in a flat that I live in.", "2023-01-10"),
        ("b", "I moved to Porto.", "2024-03-05"),
        ("c", "Ana is a nice name. Where does one live?", "2024-03-06"),
    )
    with memory_of(tmp_path, *said) as memory:
        now = ids(memory, "Where does Ana live?")
        assert now.index("b") < now.index("a")
        assert set(now) == {"a", "b", "c"}
        mine = ids(memory, "Where do I live now?")
        assert mine.index("b") < mine.index("a")
        then = ids(memory, "Where does Ana live?", known_at="2023-12-31")
        assert then == [unit for unit in then if unit != "b"]
        assert "a" in then


def test_questions_about_then_are_left_alone() -> None:
    """Past tense, a past time, and what no rule reads ask for no state of now."""
    assert wanted("Where did Ana live before?") is None
    assert wanted("Where was Ana living in 2021?") is None
    assert wanted("What does Ana think of the film?") is None
    found = wanted("Where does Ana work now?")
    assert found is not None
    assert (found.subject, found.relation) == ("Ana", "employer")
    mine = wanted("What is my job?")
    assert mine is not None
    assert (mine.subject, mine.relation) == ("", "role")


# ---- units of a language model


def test_units_of_a_model_share_traces_with_turns(tmp_path: Path) -> None:
    """The turn and the unit read from it say one state; a unit in other words closes it."""
    with memory_of(
        tmp_path, ("a", "I live in Turin.", "2023-01-10"), ("b", "Off to Porto it is!", "2024-03-05")
    ) as m:
        put(m, "a", ("u1", Triple("Ana", "lives in", "Turin")))
        put(m, "b", ("u2", Triple("Ana", "relocated to", "Porto")))
        [home] = m.trajectory("Ana", "home")
        assert [(s.value, s.status, {s.unit_id, *s.repeats}) for s in home.states] == [
            ("Turin", "superseded", {"a", "u1"}),
            ("Porto", "current", {"u2"}),
        ]
        assert set(ids(m, "Turin Porto", as_of="2024-06-01")) & {"a", "u1"} == set()


def test_predicates_in_other_words_share_a_trace_by_cosine(tmp_path: Path) -> None:
    """ "takes lessons in" and "takes evening lessons in" are near in all three; a third claim is not."""
    with memory_of(tmp_path, ("a", "Hm.", "2023-01-10"), ("b", "Hm!", "2024-03-05"), ("c", "Hm?", "2024-04-05")) as m:
        put(m, "a", ("u1", Triple("Ana", "takes lessons in", "fencing club hall")))
        assert len(m.trajectory("Ana")) == 1
        put(m, "b", ("u2", Triple("Ana", "takes evening lessons in", "fencing club hall north")))
        put(m, "c", ("u3", Triple("Ana", "complained about", "noisy upstairs neighbours")))
        found = m.trajectory("Ana")
        assert sorted(sorted(c.unit_id for c in each.trace.claims) for each in found) == [["u1", "u2"], ["u3"]]
        before = stored(tmp_path)
        m.delete("u2")
        assert [len(each.trace.claims) for each in m.trajectory("Ana")] == [1, 1]
        put(m, "b", ("u2", Triple("Ana", "takes evening lessons in", "fencing club hall north")))
        assert stored(tmp_path) == before
        [shared] = [each for each in m.trajectory("Ana") if len(each.trace.claims) == 2]
        m._existing("default").store.trace_texts.set_apart(["u2"])
        assert [len(each.trace.claims) for each in m.trajectory("Ana")] == [1, 1, 1], shared.text
    forget(tmp_path)
    with Memory.open(tmp_path, embedder=EMBEDDER) as again:
        again.trajectory("Ana")
        assert stored(tmp_path) == before


def test_a_model_may_say_that_something_ended(tmp_path: Path) -> None:
    """By the unit's words, as the rules read them, or by the extractor's own mark."""
    with memory_of(tmp_path, ("a", "Hm.", "2023-01-10"), ("b", "Hm!", "2024-03-05"), ("c", "So!", "2024-04-05")) as m:
        put(m, "a", ("u1", Triple("Ana", "works at", "Acme")), ("u2", Triple("Ana", "plays", "chess")))
        put(m, "b", ("u3", Triple("Ana", "left", "Acme")))
        put(m, "c", ("u4", Triple("Ana", "plays", "chess")), claim=ClaimMarks("end"))
        assert {each.relation: [s.reason for s in each.states] for each in m.trajectory("Ana")} == {
            "employer": ["ended by u3"],
            "hobby": ["ended by u4"],
        }


def test_new_words_of_a_units_take_its_triple_along(tmp_path: Path) -> None:
    """What a model claimed in other words is claimed no more."""
    with memory_of(tmp_path, ("a", "Hm.", "2023-01-10")) as memory:
        put(memory, "a", ("u1", Triple("Ana", "works at", "Acme")))
        assert memory.trajectory("Ana", "employer")
        assert memory.update("u1", "Ana may work somewhere.").triple is None
        assert memory.trajectory("Ana") == ()


# ---- what is stored


def test_deletion_leaves_no_byte_in_traces(tmp_path: Path) -> None:
    """The full name, a value, a kinship and a pronoun's meaning rest on turns that go: no file holds them."""
    said = (
        ("a", "My sister Quellmalz Vorpal moved to Bandersnatch.", "2024-01-10"),
        ("b", "She adopted a cat named Miso.", "2024-01-10"),
        ("c", "My sister works at Acme.", "2024-01-11"),
        ("d", "Quellmalz speaks French.", "2024-01-12"),
    )
    with memory_of(tmp_path, *said) as memory:
        put(memory, "a", ("u1", Triple("Quellmalz Vorpal", "is fond of", "Jabberwocks")))
        [home] = memory.trajectory("Quellmalz Vorpal", "home")
        texts = memory._existing("default").store.trace_texts
        texts.put_trajectory_text(TrajectoryText(home.trace.id, "Vorpal went to Bandersnatch", "m", "digest"))
        assert texts.trajectory_text(home.trace.id) is not None
        assert {each.relation for each in memory.trajectory("Quellmalz Vorpal")} >= {"home", "pet", "employer"}
        memory.delete("a")
        left = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
        for word in ("Vorpal", "vorpal", "Bandersnatch", "bandersnatch", "Jabberwock"):
            assert word.encode() not in left, word
        assert [each.relation for each in memory.trajectory("Quellmalz")] == ["language"]
        assert [each.relation for each in memory.trajectory("Ana's sister")] == ["employer"]


def test_a_text_of_a_trace_stays_with_it(tmp_path: Path) -> None:
    """It is kept under the trace's id, one at a time, and goes with its states."""
    with memory_of(tmp_path, *HOMES) as memory:
        [home] = memory.trajectory("Ana", "home")
        texts = memory._existing("default").store.trace_texts
        texts.put_trajectory_text(TrajectoryText(home.trace.id, "one", "model-1", "x"))
        texts.put_trajectory_text(TrajectoryText(home.trace.id, "two", "model-2", "y"))
        texts.put_trajectory_text(TrajectoryText("trace-unknown", "three", "model-2", "y"))
        assert texts.trajectory_text(home.trace.id) == TrajectoryText(home.trace.id, "two", "model-2", "y")
        assert texts.trajectory_text("trace-unknown") is None
        memory.delete("h1")
        assert texts.trajectory_text(home.trace.id) is None


def test_an_older_file_is_traced_when_it_is_asked(tmp_path: Path) -> None:
    """A file of format 2 has no tables of traces; it opens, nothing is lost, and answers as one that always had."""
    with memory_of(tmp_path, *HOMES):
        expected = stored(tmp_path)
    with closing(sqlite3.connect(namespace_folder(tmp_path, "default") / DATABASE)) as connection:
        for (
            table
        ) in "trajectory_texts states nearest claim_words introductions triples atoms traces people readers".split():
            connection.execute(f"DROP TABLE {table}")
        connection.execute("DROP INDEX turns_of_users")
        connection.execute("ALTER TABLE units DROP COLUMN claim")
        connection.execute("ALTER TABLE unit_vectors DROP COLUMN pieces")
        connection.execute("DELETE FROM meta WHERE name LIKE 'traced%'")
        connection.execute("PRAGMA user_version = 2")
        connection.commit()
    with Memory.open(tmp_path, embedder=EMBEDDER) as memory:
        assert ids(memory, "lived moved live", as_of="2023-06-01") == ["h1"]
        assert len(memory.get_all()) == 3
    assert stored(tmp_path) == expected


def test_exports_give_back_the_same_traces(tmp_path: Path) -> None:
    """Triples, the extractor's marks and edits go with the units; traces are made again from them."""
    with memory_of(tmp_path / "one", *HOMES, ("x", "Hm.", "2024-09-01")) as memory:
        put(memory, "x", ("u1", Triple("Ana", "lives in", "Porto")), claim=ClaimMarks("end", "ana", "Ben", True))
        memory.update("h3", "In 2020 I lived in Bergen.")
        memory.export(tmp_path / "first.jsonl")
    with Memory.open(tmp_path / "two", embedder=EMBEDDER) as other:
        assert all(
            item.status == "stored" for report in other.import_(tmp_path / "first.jsonl") for item in report.items
        )
        other.export(tmp_path / "second.jsonl")
    assert (tmp_path / "first.jsonl").read_bytes() == (tmp_path / "second.jsonl").read_bytes()
    assert stored(tmp_path / "one") == stored(tmp_path / "two")
    assert "Bergen" in repr(stored(tmp_path / "one"))


def test_history_shows_states_with_quotes(tmp_path: Path) -> None:
    """What the unit says, from when to when, why it holds no more, and the words; repeats show it too."""
    with memory_of(tmp_path, *HOMES, ("h4", "I live in Porto.", "2024-09-01")) as memory:
        [event] = memory.history("h1")
        assert (event.event, event.recorded_at) == ("state", "2023-01-10T00:00:00")
        for part in ("Ana · home", "from 2023-01-10 to 2024-03-05: Turin", "superseded by h2", "“I live in Turin.”"):
            assert part in event.text
        assert "again h4" in memory.history("h4")[0].text
        memory.update("h1", "I live in Milan.")
        assert [each.event for each in memory.history("h1")] == ["update", "state"]


@pytest.mark.parametrize("known_at", [None, "2024-04-01", "serial-2"])
def test_another_process_sees_the_same(tmp_path: Path, known_at: str | None) -> None:
    """What one wrote the other reads, and goes on with."""
    with memory_of(tmp_path, *HOMES[:2]) as one, Memory.open(tmp_path, embedder=EMBEDDER) as other:
        assert other.trajectory("Ana", known_at=known_at) == one.trajectory("Ana", known_at=known_at)
        other.add({"id": "h3", "role": "user", "name": "Ana", "content": HOMES[2][1], "timestamp": HOMES[2][2]})
        assert other.trajectory("Ana", known_at=known_at) == one.trajectory("Ana", known_at=known_at)
        assert ids(one, "lived moved live", as_of="2022-06-01", known_at=known_at) == (["h3"] if not known_at else [])
