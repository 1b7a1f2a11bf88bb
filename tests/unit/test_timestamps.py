"""Timestamps: every shape the importers meet, what is refused, and order and text forms."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qgmem.construction.timestamps import from_text, parse_timestamp, sort_key, to_text
from qgmem.errors import InvalidInput

TOKYO = timezone(timedelta(hours=9))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2023-05-08", datetime(2023, 5, 8)),
        ("2023-05-08T13:56", datetime(2023, 5, 8, 13, 56)),
        ("2023-05-08 13:56:07.25", datetime(2023, 5, 8, 13, 56, 7, 250_000)),
        ("20230508T135600", datetime(2023, 5, 8, 13, 56)),
        ("2023-W19-1", datetime(2023, 5, 8)),
        ("  2023-05-08T13:56\n", datetime(2023, 5, 8, 13, 56)),
        ("1:56 pm on 8 May, 2023", datetime(2023, 5, 8, 13, 56)),
        ("12:09 am on 13 September, 2023", datetime(2023, 9, 13, 0, 9)),
        ("12:30 PM on 1 Feb, 2024", datetime(2024, 2, 1, 12, 30)),
        ("March-15-2024", datetime(2024, 3, 15)),
        ("Sept-5-2024", datetime(2024, 9, 5)),
        ("March 15, 2024", datetime(2024, 3, 15)),
        ("15 March 2024 09:05", datetime(2024, 3, 15, 9, 5)),
        ("March 15, 2024 at 1:56 p.m.", datetime(2024, 3, 15, 13, 56)),
        ("2023/05/20 (Sat) 02:21", datetime(2023, 5, 20, 2, 21)),
        ("2023/05/20", datetime(2023, 5, 20)),
        (date(2024, 2, 29), datetime(2024, 2, 29)),
        (datetime(2023, 5, 8, 13, 56, 7, 9), datetime(2023, 5, 8, 13, 56, 7, 9)),
    ],
)
def test_without_an_offset_the_time_is_naive_and_takes_the_given_zone(
    value: str | date | datetime, expected: datetime
) -> None:
    naive = parse_timestamp(value)
    assert naive == expected
    assert naive is not None
    assert naive.tzinfo is None
    zoned = parse_timestamp(value, time_zone="Asia/Tokyo")
    assert zoned == expected.replace(tzinfo=TOKYO)
    assert zoned is not None
    assert zoned.utcoffset() == timedelta(hours=9)
    assert parse_timestamp(value, time_zone=TOKYO) == zoned


@pytest.mark.parametrize(
    ("value", "offset_hours"),
    [
        ("2023-05-08T23:50:00+09:00", 9),
        ("2023-05-08T23:50:00-0330", -3.5),
        ("2023-05-08T23:50:00Z", 0),
        ("2023-05-08 23:50:00 UTC", 0),
        (datetime(2023, 5, 8, 23, 50, tzinfo=ZoneInfo("Asia/Tokyo")), 9),
        (datetime(2023, 5, 8, 23, 50, tzinfo=ZoneInfo("America/New_York")), -4),
    ],
)
def test_a_given_offset_is_kept_whatever_zone_is_named(value: str | datetime, offset_hours: float) -> None:
    for zone in (None, "Pacific/Kiritimati", UTC):
        found = parse_timestamp(value, time_zone=zone)
        assert found is not None
        assert found.utcoffset() == timedelta(hours=offset_hours)
        assert (found.date(), found.hour, found.minute) == (date(2023, 5, 8), 23, 50)


def test_numbers_are_unix_seconds() -> None:
    """1,683,554,160 = 19,485 days and 50,160 s after 1970-01-01: 2023-05-08 13:56 UTC, 22:56 in Tokyo."""
    assert parse_timestamp(1_683_554_160) == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    tokyo = parse_timestamp(1_683_554_160, time_zone="Asia/Tokyo")
    assert tokyo is not None
    assert tokyo.isoformat() == "2023-05-08T22:56:00+09:00"
    assert parse_timestamp(0.5) == datetime(1970, 1, 1, microsecond=500_000, tzinfo=UTC)
    assert parse_timestamp(-1) == datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC)


def test_no_time_stays_unknown() -> None:
    assert parse_timestamp(None) is None
    assert parse_timestamp(None, time_zone="Asia/Tokyo") is None


@pytest.mark.parametrize(
    "value",
    [
        "", " ", "yesterday", "now", "16835541600000", "2023-13-01", "2023-02-30", "2023-05-08T25:00", "13:56",
        "8 Mai, 2023 um 13 Uhr", "March-32-2024", "13:00 pm on 8 May, 2023", "0:30 am on 8 May, 2023",
        "1:56 pm on 8 Foo, 2023", "2023/02/30 (Thu) 02:21", "3/4/2023", "\ud83d", "2023-05-08\x00", "9" * 10_000,
        "1:56 pm on 8 May, 2023 or so", "٢٠٢٣-٠٥-٠٨",
        float("nan"), float("inf"), 1e300, 10**400, 1_683_554_160_000, True, ["2023-05-08"], b"2023-05-08",
    ],
    ids=lambda value: ascii(value)[:30],
)  # fmt: skip
def test_what_is_not_understood_is_refused_by_name(value: object) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_timestamp(value)  # type: ignore[arg-type]
    assert caught.value.field == "timestamp"
    assert str(caught.value).isascii()
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("zone", ["Mars/Base", "", "../etc/passwd", "America", "\ud83d", "Asia/Tokyo\x00"])
def test_an_unknown_zone_is_refused_by_name(zone: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_timestamp("2023-05-08", time_zone=zone)
    assert caught.value.field == "time_zone"


def test_a_zone_gives_the_offset_of_that_day() -> None:
    """Berlin is at +1 in winter and +2 in summer; 02:30 on 26 March 2023 does not exist and reads as +1."""
    offsets = [
        parse_timestamp(day, time_zone="Europe/Berlin") for day in ("2023-01-08", "2023-07-08", "2023-03-26T02:30")
    ]
    assert [to_text(when)[-6:] for when in offsets if when] == ["+01:00", "+02:00", "+01:00"]


def test_sort_key_orders_across_offsets_and_reads_naive_times_as_utc() -> None:
    """23:50 in Tokyo is 14:50 UTC, before 15:00 without a zone."""
    tokyo, naive = datetime(2023, 5, 8, 23, 50, tzinfo=TOKYO), datetime(2023, 5, 8, 15, 0)
    assert sort_key(tokyo) < sort_key(naive)
    assert sort_key(datetime(1970, 1, 1, 0, 0, 1)) == 1_000_000
    assert sort_key(datetime.min) < sort_key(datetime.max)


@given(
    st.datetimes(timezones=st.none() | st.builds(lambda m: timezone(timedelta(minutes=m)), st.integers(-1439, 1439)))
)
def test_text_form_round_trips_with_its_offset(when: datetime) -> None:
    back = from_text(to_text(when))
    assert (back, back.utcoffset()) == (when, when.utcoffset())
    assert parse_timestamp(to_text(when)) == when


@given(st.text(max_size=90))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        found = parse_timestamp(text, time_zone="Asia/Tokyo")
    except InvalidInput:
        return
    assert found is not None
    assert found.tzinfo is not None


def test_from_text_refuses_what_to_text_never_writes() -> None:
    with pytest.raises(InvalidInput):
        from_text("8 May 2023")


def test_the_servers_own_zone_has_no_part_in_it() -> None:
    code = (
        "from qgmem.construction.timestamps import *; from datetime import datetime;"
        "print([str(parse_timestamp(v)) for v in (1683554160, '2023-05-08', '1:56 pm on 8 May, 2023')],"
        "sort_key(datetime(2023, 5, 8)))"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", code], env=os.environ | {"TZ": zone}, capture_output=True, check=True, text=True
        ).stdout
        for zone in ("UTC", "Asia/Tokyo", "America/Los_Angeles")
    }
    assert len(answers) == 1
    assert "13:56:00+00:00" in answers.pop()
