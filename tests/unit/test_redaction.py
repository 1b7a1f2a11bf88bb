"""Redaction (CASES 21): secrets blacked out and counted; ordinary talk left alone."""

from __future__ import annotations

import re
import time
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qgmem.construction.redaction import BY_NAME, DEFAULT, Pattern, Redactor, luhn
from qgmem.errors import InvalidInput
from qgmem.types import Entity, Granularity, Interval, JsonValue, MemoryUnit, SourceSpan, Triple, Turn


def test_case_21_password_and_key_go_and_are_counted() -> None:
    redactor = Redactor()
    assert redactor.text("db password is hunter2, key sk-abc123") == (
        "db password is [redacted:password], key [redacted:key]"
    )
    assert redactor.counts == {"password": 1, "key": 1}


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("my SSN is 078-05-1120", "078-05-1120"),
        ("SSN: 078051120", "078051120"),
        ("it's 078 05 1120.", "078 05 1120"),
        ("pay with 4111 1111 1111 1111 please", "4111 1111 1111 1111"),
        ("card 5500-0000-0000-0004", "5500-0000-0000-0004"),
        ("378282246310005 is my amex", "378282246310005"),
        ("pwd: hunter2!", "hunter2!"),
        ("PASSWORD = 'correct horse battery'", "correct horse battery"),
        ("set the password to Tr0ub4dor&3.", "Tr0ub4dor&3"),
        ("hunter2 is my wifi password", "hunter2"),
        ("my PIN is 4821", "4821"),
        ("api_key=abcd1234efgh", "abcd1234efgh"),
        ("Mein Passwort lautet geheim99", "geheim99"),
        ("mi contraseña es gato123", "gato123"),
        ("密码是abc123。", "abc123"),
        ('passphrase is "the quick brown fox"', "the quick brown fox"),
        ("postgres://bob:s3cr3t@db.local/x", "s3cr3t"),
        ("use ghp_abcdefghijklmnopqrstuvwxyz0123456789", "ghp_abcdefghijklmnopqrstuvwxyz0123456789"),
        ("AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE"),
        ("Authorization: Bearer abcdef.ghijkl-mnop", "abcdef.ghijkl-mnop"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.sig_nature", "eyJhbGciOiJIUzI1NiJ9"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----", "MIIabc"),
    ],
)
def test_a_secret_leaves_no_trace(text: str, secret: str) -> None:
    shown = Redactor().text(text)
    assert secret not in shown
    assert "[redacted:" in shown


@pytest.mark.parametrize(
    "text",
    [
        "the password is required",
        "my password is not working",
        "What is my password?",
        "the token was issued by Bob",
        "a secret is safe with me",
        "sk-learn is fun",
        "order 4111111111111112 has arrived",
        "call me on 2023-05-10 at 12:30 or 555-1234",
        "I ran 3000 metres in 2019, 2020 and 2021",
        "his birthday is 12-05-1990",
        "write to bob@example.org",
    ],
)
def test_ordinary_talk_is_left_alone(text: str) -> None:
    redactor = Redactor()
    assert redactor.text(text) == text
    assert not redactor.counts


def test_patterns_are_chosen_by_name_and_can_be_ones_own() -> None:
    assert Redactor.of("email").text("bob@example.org, SSN 078-05-1120") == "[redacted:email], SSN 078-05-1120"
    badge = Pattern("badge", re.compile(r"\bB-\d{5}\b"))
    assert Redactor([*DEFAULT, badge]).text("badge B-12345") == "badge [redacted:badge]"
    with pytest.raises(InvalidInput, match="redaction"):
        Redactor.of("nonsense")
    assert set(BY_NAME) == {"ssn", "card", "key", "password", "email"}


@pytest.mark.parametrize("digits", ["4111111111111112", "0000000000000000", "411111111111", "4" * 30])
def test_luhn_refuses(digits: str) -> None:
    assert not luhn(digits)


_PIECES = st.sampled_from(
    ["password is ", "hunter2", "078-05-1120", " ", ", ", "key ", "sk-abc123", "4111 1111 1111 1111", "is my pin"]
)


@given(st.lists(_PIECES, max_size=12).map("".join))
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once = Redactor().text(text)
    again = Redactor()
    assert again.text(once) == once


def test_every_field_of_a_turn_is_covered() -> None:
    secret = "password is hunter2"
    nested: dict[str, JsonValue] = {"a": [{"b": secret}]}
    turn = Turn("t", "s", 1, "Ana", "user", secret, caption=secret, caption_query=secret, metadata=nested)
    assert "hunter2" not in repr(Redactor().turn(turn))


def test_every_field_of_a_unit_is_covered_and_offsets_that_moved_are_dropped() -> None:
    secret = "the password is hunter2"
    unit = MemoryUnit(
        "u", "extracted", secret, SourceSpan("t", "t", secret), "s", 1, "Ana", "user",
        entities=(Entity("hunter2 is the password", "What", 16, 23), Entity("Ana", "Who", 0, 3)),
        locations=(secret,),
        fact_times=(Interval(date(2023, 1, 1), date(2023, 1, 1), Granularity.DAY),),
        triple=Triple("password", "is", "password: hunter2"),
        metadata={"note": secret},
    )  # fmt: skip
    shown = Redactor().unit(unit)
    assert "hunter2" not in repr(shown)
    assert [(entity.start, entity.end) for entity in shown.entities] == [(None, None), (None, None)]
    assert shown.fact_times == unit.fact_times


@pytest.mark.parametrize(
    "piece",
    ["a ", "1", "1 ", "password is ", "x", "a.b@", "-----BEGIN PRIVATE KEY-----", "eyJaaaaaaaaa.", "'", "a://b:"],
)
def test_time_is_linear(piece: str) -> None:
    """Four times the text takes at most some eight times as long; a quadratic rule would take sixteen."""

    def seconds(size: int) -> float:
        text = piece * (size // len(piece))
        start = time.process_time()
        Redactor().text(text)
        return time.process_time() - start

    small = min(seconds(20_000) for _ in range(3))
    assert min(seconds(80_000) for _ in range(2)) < 9 * small + 0.05
