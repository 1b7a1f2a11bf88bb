"""Where other memory systems mix up what is true with what was true: cases 6, 8, 9, 10 and 19 through the facade.

The number is the case's own in the project's list. No model takes part: the statements are read by rules.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from datetime import date
from pathlib import Path

import pytest
from forked import Child, Say

from qgmem import AsyncMemory, InvalidInput, Memory, NotFound
from qgmem.construction.redaction import Pattern, Redactor
from qgmem.models.scripted import HashEmbedder
from qgmem.settings import Settings
from qgmem.trajectory import Trajectory

EMBEDDER = HashEmbedder(32)
Said = tuple[str, str, str, str | None]  # id, speaker, words, time


def memory_of(path: Path, *said: Said) -> Memory:
    memory = Memory.open(path, embedder=EMBEDDER)
    tell(memory, said)
    return memory


def tell(memory: Memory, said: Iterable[Said]) -> None:
    for id, speaker, words, time in said:
        memory.add({"role": "user", "id": id, "name": speaker, "content": words}, timestamp=time)


def values(found: tuple[Trajectory, ...]) -> list[list[str]]:
    return [[state.value for state in each.states] for each in found]


def test_case_06_what_she_loved_and_hates_now_are_both_cited(tmp_path: Path) -> None:
    """ "I love Chinese food" (January), "I hate Chinese food" (May): hates now, loved in February."""
    said = (
        ("a", "Ana", "I love Chinese food.", "2024-01-10"),
        ("b", "Ana", "I hate Chinese food.", "2024-05-10"),
    )
    with memory_of(tmp_path, *said) as memory:
        (food,) = memory.trajectory("Ana", "feeling")
        assert [(s.value, s.unit_id, s.quote, s.status) for s in food.states] == [
            ("loves Chinese food", "a", "I love Chinese food.", "superseded"),
            ("hates Chinese food", "b", "I hate Chinese food.", "current"),
        ]
        assert [(s.valid_from, s.valid_to) for s in food.states] == [
            (date(2024, 1, 10), date(2024, 5, 10)),
            (date(2024, 5, 10), None),
        ]
        assert [s.value for s in food.current] == ["hates Chinese food"]
        assert values(memory.trajectory("Ana", as_of="2024-02")) == [["loves Chinese food"]]
        # in February nobody could know better: it was the current state then
        (then,) = memory.trajectory("Ana", known_at="2024-02")
        assert [(s.value, s.status, s.valid_to) for s in then.states] == [("loves Chinese food", "current", None)]
        assert food.text.splitlines()[-1] == "now: hates Chinese food [b]"
        # the day before the change, and the day of it
        assert values(memory.trajectory("Ana", as_of="2024-05-09")) == [["loves Chinese food"]]
        assert values(memory.trajectory("Ana", as_of="2024-05-10")) == [["hates Chinese food"]]
        assert memory.trajectory("Ana", as_of="2023") == ()


def test_case_08_a_move_is_one_trajectory_of_two_states(tmp_path: Path) -> None:
    """ "Kiran lives in Whitefield"; later "Kiran moved from Whitefield to Electronic City"."""
    said = (
        ("a", "Ben", "Kiran lives in Whitefield.", "2024-01-10"),
        ("b", "Ben", "Kiran moved from Whitefield to Electronic City.", "2024-06-01"),
    )
    with memory_of(tmp_path, *said) as memory:
        assert values(memory.trajectory("Kiran")) == [["Whitefield", "Electronic City"]]
        for relation in ("home", "lives in", "moved to", "Home"):
            assert values(memory.trajectory("kiran", relation)) == [["Whitefield", "Electronic City"]]
        assert memory.trajectory("Kiran", "employer") == ()


def test_case_09_compatible_facts_both_stay_true(tmp_path: Path) -> None:
    """ "X is CTO at Acme"; "X administers Acme's GitHub organisation": both stay true."""
    said = (
        ("a", "Ben", "Kiran is CTO at Acme.", "2024-01-10"),
        ("b", "Ben", "Kiran administers Acme's GitHub organisation.", "2024-06-01"),
    )
    with memory_of(tmp_path, *said) as memory:
        current = [[state.value for state in each.current] for each in memory.trajectory("Kiran")]
        assert current == [["Acme"], ["CTO at Acme"], ["Acme's GitHub organisation"]]
        assert values(memory.trajectory("Kiran", as_of="2025")) == current


def test_case_10_a_late_report_takes_its_place_in_the_past(tmp_path: Path) -> None:
    """The 2024 move is ingested first, then "in 2021 I lived in Oslo": current stays, as_of 2021 is Oslo."""
    said = (
        ("a", "Ana", "I moved to Porto in March 2024.", "2024-05-10"),
        ("b", "Ana", "In 2021 I lived in Oslo.", "2024-06-10"),
    )
    with memory_of(tmp_path, *said) as memory:
        (home,) = memory.trajectory("Ana", "home")
        assert [(s.value, s.status) for s in home.states] == [("Oslo", "superseded"), ("Porto", "current")]
        assert values(memory.trajectory("Ana", "home", as_of=date(2021, 7, 1))) == [["Oslo"]]
        # by the end of May Oslo had not been spoken of; by turn number just so
        for known_at in ("2024-05-31", f"serial-{home.states[1].sequence}"):
            assert memory.trajectory("Ana", "home", as_of="2021", known_at=known_at) == ()
            assert values(memory.trajectory("Ana", "home", known_at=known_at)) == [["Porto"]]


def test_case_19_people_who_share_a_name_come_apart(tmp_path: Path) -> None:
    """ "John Smith" at two firms: two people."""
    said = (
        ("a", "Ana", "John Smith from Acme lives in Leeds.", "2024-05-10"),
        ("b", "Ana", "John Smith from Globex lives in York.", "2024-06-10"),
    )
    with memory_of(tmp_path, *said) as memory:
        both = memory.trajectory("John Smith", "home")
        assert [each.subject for each in both] == ["John Smith from Acme", "John Smith from Globex"]
        assert [[s.status for s in each.states] for each in both] == [["current"], ["current"]]
        assert values(memory.trajectory("john smith from globex")) == [["York"]]


def test_a_retraction_and_a_deletion_take_their_effect_at_once(tmp_path: Path) -> None:
    """Deleting a turn takes its state, and what that had closed is open again; so does new wording."""
    said = (
        ("a", "Ana", "I live in Turin.", "2023-01-10"),
        ("b", "Ana", "I moved to Porto.", "2024-03-05"),
        ("c", "Ana", "I moved to Faro.", "2024-04-05"),
    )
    with memory_of(tmp_path, *said) as memory:
        assert values(memory.trajectory("Ana")) == [["Turin", "Porto", "Faro"]]
        memory.delete("c")
        (home,) = memory.trajectory("Ana")
        assert [(s.value, s.valid_to) for s in home.states] == [("Turin", date(2024, 3, 5)), ("Porto", None)]
        memory.update("b", "I moved to Braga.")
        assert values(memory.trajectory("Ana")) == [["Turin", "Braga"]]
        tell(memory, [("d", "Ana", "I never lived in Turin.", "2024-05-01")])
        (home,) = memory.trajectory("Ana")
        assert [(s.value, s.status) for s in home.states] == [("Turin", "retracted"), ("Braga", "current")]
        memory.delete_all()
        with pytest.raises(NotFound):
            memory.trajectory("Ana")


def test_another_processs_write_is_seen(tmp_path: Path) -> None:
    """What a second process adds between two calls belongs to the second answer."""
    with memory_of(tmp_path, ("a", "Ana", "I live in Turin.", "2023-01-10")) as memory:
        assert values(memory.trajectory("Ana")) == [["Turin"]]

        def work(say: Say) -> None:
            with Memory.open(tmp_path, embedder=EMBEDDER) as other:
                tell(other, [("b", "Ana", "I moved to Porto.", "2024-03-05")])
            say("done")

        child = Child(work)
        assert child.line() == "done"
        assert values(memory.trajectory("Ana")) == [["Turin", "Porto"]]


def test_how_the_history_was_cut_does_not_matter(tmp_path: Path) -> None:
    """Asked after every turn, or once at the end; a session that goes on remembers of whom it spoke ("she")."""
    said: tuple[Said, ...] = (
        ("a", "Ana", "My sister Lena moved to Porto.", "2024-01-10"),
        ("b", "Ben", "Nice.", "2024-01-11"),
        ("c", "Ana", "She works at Acme.", "2024-01-12"),
        ("d", "Ana", "Lena moved to Faro.", None),
    )
    with memory_of(tmp_path / "once", *said) as once, Memory.open(tmp_path / "often", embedder=EMBEDDER) as often:
        for each in said:
            tell(often, [each])
            often.trajectory("Lena")
        assert often.trajectory("Lena") == once.trajectory("Lena")
        assert values(once.trajectory("Lena")) == [["Acme"], ["Porto", "Faro"]]
        assert once.trajectory("Lena", "home")[0].states[1].flags == ("time-unknown",)


def test_an_unknown_subject_is_told_with_the_nearest_names(tmp_path: Path) -> None:
    """A failure is not an empty answer; whoever spoke, but said nothing that could be read, has an empty one."""
    with memory_of(tmp_path, ("a", "Ana", "Kiran lives in Leeds.", None), ("b", "Ben", "Oh?", None)) as memory:
        with pytest.raises(NotFound, match=r"subject: nothing was said of 'Kieran'; nearest are Kiran"):
            memory.trajectory("Kieran")
        with pytest.raises(NotFound, match="among those known are Ana, Ben, Kiran"):
            memory.trajectory("Zoltan")
        assert memory.trajectory("Ben") == ()
        for wrong in ({"subject": " "}, {"subject": "Ana", "relation": ""}, {"subject": "Ana", "as_of": "soon"}):
            with pytest.raises(InvalidInput):
                memory.trajectory(**wrong)
        with pytest.raises(NotFound, match="no memory of 'bob'"):
            memory.trajectory("Ana", user_id="bob")


def test_a_subject_is_named_by_first_name_or_kinship(tmp_path: Path) -> None:
    """ "Lena" is Lena Weiss where there is one; a sister without a name is "Ana's sister"."""
    said = (
        ("a", "Ana", "Lena Weiss lives in Leeds.", "2024-01-10"),
        ("b", "Ana", "My brother works at Acme.", "2024-01-10"),
    )
    with memory_of(tmp_path, *said) as memory:
        assert values(memory.trajectory("lena")) == [["Leeds"]]
        assert values(memory.trajectory("Ana's brother")) == [["Acme"]]


def test_what_is_blacked_out_is_not_shown(tmp_path: Path) -> None:
    """With redaction on recall, values, quotes, texts and drawings hold no secret; what is stored does."""
    redactor = Redactor([Pattern("town", re.compile("Leeds"))])
    with memory_of(tmp_path, ("a", "Ana", "I live in Leeds.", None)) as memory:
        assert values(memory.trajectory("Ana")) == [["Leeds"]]
    with Memory.open(tmp_path, embedder=EMBEDDER, settings=Settings(redaction="recall"), redactor=redactor) as memory:
        (home,) = memory.trajectory("Ana")
        assert "Leeds" not in repr(home) + repr(home.trace) + home.timeline() + home.svg()
        assert home.states[0].quote == "I live in [redacted:town]."


def test_a_trajectory_can_be_drawn(tmp_path: Path) -> None:
    """One row a state, in characters and as a picture; with `as_of` only what held then."""
    said = (("a", "Ana", "I live in Turin.", "2023-01-10"), ("b", "Ana", "I moved to Porto.", "2024-03-05"))
    with memory_of(tmp_path, *said) as memory:
        (home,) = memory.trajectory("Ana")
        (then,) = memory.trajectory("Ana", as_of="2023-02-01")
    assert [line.split(" ")[0] for line in home.timeline(80).splitlines()[:3]] == ["Ana", "Turin", "Porto"]
    assert home.svg().count("<g>") == 2
    assert (then.svg().count("<g>"), then.text.splitlines()[-1]) == (1, "on 2023-02-01: Turin [a]")


def test_asyncio_has_it_too(tmp_path: Path) -> None:
    """The same call, awaited."""

    async def main() -> list[list[str]]:
        async with AsyncMemory(memory_of(tmp_path, ("a", "Ana", "I live in Turin.", None))) as memory:
            return values(await memory.trajectory("Ana"))

    assert asyncio.run(main()) == [["Turin"]]
