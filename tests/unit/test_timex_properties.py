"""What `find_times` promises of every text: no error, valid offsets, one result whatever the server, linear time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from datetime import date, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qgmem.construction.timex import find_times, finder
from qgmem.construction.timex.words import TRIGGERS

_GLUE = (
    "in on at of the a last this next past from to between and since for until by before after early late end "
    "first second third 3rd 1 2 5 12 31 1999 2023 90s '98 Q3 - – , . ? : / st ago now or so will went is half couple "
    "Monday May march summer Christmas week year century weekend yesterday every each 2023-05-10 3/4/2023 may'd 's"
)
WORDS = st.sampled_from(sorted(TRIGGERS) + _GLUE.split() * 4)
PHRASES = st.lists(WORDS, max_size=24).map(" ".join)
REFERENCES = st.none() | st.dates() | st.datetimes(timezones=st.none() | st.builds(
    lambda minutes: timezone(timedelta(minutes=minutes)), st.integers(-1439, 1439)))  # fmt: skip


def _check(text: str, reference: datetime | date | None, day_first: bool) -> None:
    end = 0
    for mention in find_times(text, reference, day_first=day_first):
        assert end <= mention.start < mention.end <= len(text)
        assert text[mention.start : mention.end] == mention.text
        assert mention.interval.start <= mention.interval.end
        end = mention.end


@settings(max_examples=600, deadline=None)
@given(text=PHRASES, reference=REFERENCES, day_first=st.booleans())
def test_any_order_of_time_words_gives_valid_mentions(
    text: str, reference: datetime | date | None, day_first: bool
) -> None:
    _check(text, reference, day_first)


@settings(max_examples=300, deadline=None)
@given(text=st.text(max_size=200), reference=REFERENCES)
def test_any_text_gives_valid_mentions(text: str, reference: datetime | date | None) -> None:
    _check(text, reference, False)
    _check(f"in {text} 2019 last {text} week", reference, True)


@settings(max_examples=200, deadline=None)
@given(text=PHRASES, day=st.dates(), hour=st.integers(0, 23), minutes=st.integers(-840, 840))
def test_only_the_local_date_counts_where_no_hours_are_named(text: str, day: date, hour: int, minutes: int) -> None:
    if "hour" in text or "min" in text or "hr" in text:
        return
    moment = datetime(day.year, day.month, day.day, hour, tzinfo=timezone(timedelta(minutes=minutes)))
    assert find_times(text, moment) == find_times(text, day)


@settings(max_examples=400, deadline=None)
@given(text=PHRASES | st.text(max_size=60), reference=REFERENCES)
def test_the_cheap_test_hides_nothing(text: str, reference: datetime | date | None) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(finder, "might_hold_time", lambda text: True)  # noqa: ARG005
        expected = find_times(text, reference)
    assert find_times(text, reference) == expected


_CHILD = """
import json, sys
from datetime import date, datetime
from qgmem.construction.timestamps import parse_timestamp, sort_key
from qgmem.construction.timex import find_times
text = ("See Bob tomorrow at 3pm, last weekend, two weeks ago, since 2019, in March, on Friday, next month, "
        "20 minutes ago, in 2 hours, for three years. The day before yesterday. Tonight.")
out = []
for when in ("2023-05-10T23:50:00+09:00", "2023-03-26T02:30:00+01:00", "2023-12-31T23:59:59-11:00",
             "2023-11-05T01:30:00"):
    reference = parse_timestamp(when)
    out.append([repr(m) for m in find_times(text, reference)])
    out.append(sort_key(reference))
out.append(str(parse_timestamp(1683554160)))
out.append(str(parse_timestamp("1:56 pm on 8 May, 2023")))
print(json.dumps(out))
"""


def test_the_result_is_the_same_under_any_server_time_zone_and_hash_seed() -> None:
    answers = []
    for seed, zone in enumerate(("UTC", "Asia/Tokyo", "America/Los_Angeles", "Pacific/Kiritimati", "Europe/Berlin")):
        environment = os.environ | {"TZ": zone, "PYTHONHASHSEED": str(seed)}
        done = subprocess.run([sys.executable, "-c", _CHILD], env=environment, capture_output=True, check=True)
        answers.append(json.loads(done.stdout))
    assert all(answer == answers[0] for answer in answers)
    assert "datetime.date(2023, 5, 11)" in answers[0][0][0], "tomorrow of 10 May, 23:50 in Tokyo"


@pytest.mark.parametrize(
    "piece",
    [
        "may ", "in 1 ", "2021-", "the ", "3rd of ", "early ", "end of the ", "day before ", "from 1 to ", "1 or ",
        "every Monday and ", "first week of ", "Mondays and ", "between ", "since ", "1990s", "'", "9", " ",
        "January ", "for a year ", "2023-05-10T10:10:10:", "Friday, ", "two weeks before ", "week of ", "last ",
        "until the end of the week after ", "a", "1/2/", "İ", "a week and a half or so ", "twenty-",
        "no stop in this long sentence ",
    ],
)  # fmt: skip
def test_time_is_linear_on_anything(piece: str) -> None:
    """Four times the text may take four times as long, not sixteen; the factor 8 leaves room for noise."""
    text = piece * (80_000 // len(piece))
    quarter, whole = _seconds(text[:20_000]), _seconds(text)
    assert whole < 8 * quarter + 0.25


def test_a_megabyte_of_time_words_takes_seconds() -> None:
    text = "Friday, since the end of the week before last, 3rd of 1/2/2023 for a year and 1990s, a day ago " * 10_600
    assert len(text) > 990_000
    assert _seconds(text) < 30


def _seconds(text: str) -> float:
    start = time.process_time()
    find_times(text, datetime(2023, 5, 10, 12))
    return time.process_time() - start
