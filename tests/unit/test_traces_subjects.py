"""Who is meant, by context (CASES 19)."""

from __future__ import annotations

from itertools import permutations

from qgmem.construction.traces.subjects import Mention, subjects


def who(*mentions: Mention) -> list[str]:
    """Ids in the order of the mentions."""
    found = subjects(mentions, ("Ana",))
    return [found[m.unit_id, m.place].id for m in mentions]


def at(number: int, name: str, session: str = "s1", context: str = "", kin: str = "") -> Mention:
    """A mention by Ana in turn `number`."""
    return Mention(f"u{number}", name, "Ana", session, number, context, kin)


def test_one_name_at_two_firms_is_two_people() -> None:
    """Contexts part them; without context it is the one last spoken of in the session, else nobody knows."""
    ids = who(
        at(1, "John Smith", context="from Acme"),
        at(2, "John Smith", "s2", "from Zenith"),
        at(3, "John Smith", "s2"),
        at(4, "John Smith", "s1"),
        at(5, "John Smith", "s3"),
    )
    acme, zenith, again, first, nobody = ids
    assert acme != zenith
    assert again == zenith
    assert first == acme
    assert nobody not in (acme, zenith)
    found = subjects(
        [
            at(1, "John Smith", context="from Acme"),
            at(2, "John Smith", "s2", "from Zenith"),
            at(5, "John Smith", "s3"),
        ]
    )
    assert found["u5", 0].unclear
    assert not found["u1", 0].unclear


def test_a_context_said_once_names_everybody_of_that_name() -> None:
    """Only one John Smith is known: with and without his firm it is he, before and after it was said."""
    assert (
        len(set(who(at(1, "John Smith"), at(2, "john  smith", context="from Acme"), at(3, "John Smith", "s9")))) == 1
    )


def test_first_names_mean_the_only_full_name() -> None:
    """Lena is Lena Weiss while there is one; with a second Lena she is a name of her own."""
    assert len(set(who(at(1, "Lena"), at(2, "Lena Weiss")))) == 1
    assert len(set(who(at(1, "Lena"), at(2, "Lena Weiss"), at(3, "Lena Kovac")))) == 3


def test_kinship_means_who_was_introduced_by_the_same_speaker() -> None:
    """Ana's sister is Lena once she said so; Bo's sister is somebody else."""
    mentions = [at(1, "", kin="sister"), at(2, "Lena", kin="sister"), Mention("u3", "", "Bo", "s1", 3, kin="sister")]
    mine, lena, theirs = who(*mentions)
    assert mine == lena
    assert theirs != mine
    two = who(at(1, "", kin="friend"), at(2, "Lena", kin="friend"), at(3, "Mia", kin="friend"))
    assert len(set(two)) == 3, "with two friends, a friend is neither"


def test_order_of_delivery_is_irrelevant() -> None:
    """A function of the set."""
    mentions = [
        at(1, "", kin="sister"),
        at(2, "Lena", kin="sister"),
        at(3, "John Smith"),
        at(4, "John Smith", context="from Acme"),
        at(5, "John Smith", "s2", context="from Zenith"),
        at(6, "Lena Weiss"),
    ]
    expected = subjects(mentions)
    assert all(subjects(order) == expected for order in permutations(mentions))
