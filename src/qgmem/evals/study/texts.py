"""What stands for a memory in the vector space: one text a turn, in three forms ([E] §4.2, "input").

`raw` is the turn as said: speaker, words, what its image shows. `resolved` puts the calendar date behind every
expression that only the day of the session dates ("yesterday [7 May 2023]"), which is how the authors' public
code annotates time. `stamped` puts the session's date and time in front of the raw text. The words that an
image was searched by are in none of them.
"""

from __future__ import annotations

from typing import Literal, get_args

from qgmem.construction.timestamps import parse_timestamp
from qgmem.construction.timex import find_times
from qgmem.errors import InvalidInput
from qgmem.evals.datasets.dialogue import Conversation
from qgmem.types import Granularity, Interval

TextForm = Literal["raw", "resolved", "stamped"]
FORMS: tuple[TextForm, ...] = get_args(TextForm)
MAIN_FORM: TextForm = "resolved"
"""The form of the primary comparison and of every ablation, as in [E]."""


def memory_texts(conversation: Conversation, form: TextForm) -> dict[str, str]:
    """Turn id → text, in conversation order. Raises InvalidInput for a session whose date cannot be read."""
    texts: dict[str, str] = {}
    for session in conversation.sessions:
        for message in session.messages:
            words = str(message["content"])
            if form == "resolved" and session.timestamp is not None:
                words = resolve(words, session.timestamp)
            caption = f" [{message['caption']}]" if message.get("caption") else ""
            stamp = f"({session.timestamp}) " if form == "stamped" and session.timestamp else ""
            turn = str(message["id"])
            if turn in texts:
                raise InvalidInput("data", f"{conversation.id} has two turns {turn!r}", "ids must differ")
            texts[turn] = f"{stamp}{message['name']}: {words}{caption}"
    return texts


def resolve(words: str, said_at: str) -> str:
    """`words` with the date behind each expression that needs to know when it was said.

    "I ran yesterday", said on 8 May 2023 → "I ran yesterday [7 May 2023]". Dates that stand by themselves
    are left alone.
    """
    absolute = {(mention.start, mention.end) for mention in find_times(words, None)}
    parts: list[str] = []
    at = 0
    for mention in find_times(words, parse_timestamp(said_at)):
        if (mention.start, mention.end) not in absolute:
            parts += [words[at : mention.end], f" [{calendar(mention.interval)}]"]
            at = mention.end
    return "".join((*parts, words[at:]))


def calendar(interval: Interval) -> str:
    """A day as `7 May 2023`, a month as `May 2023`, a year as `2023`; anything else from day to day."""
    start, end = interval.start, interval.end
    first_day = f"{start.day} {start:%B} {start.year}"
    if start == end:
        return first_day
    if interval.granularity is Granularity.YEAR and (start.year, interval.days) == (end.year, _days(start.year)):
        return str(start.year)
    if interval.granularity is Granularity.MONTH and (start.year, start.month) == (end.year, end.month):
        return f"{start:%B} {start.year}"
    return f"{first_day} to {end.day} {end:%B} {end.year}"


def _days(year: int) -> int:
    return 366 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 365
