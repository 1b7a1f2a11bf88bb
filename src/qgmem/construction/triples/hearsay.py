"""Reported speech: who is quoted, and what they are quoted with."""

from __future__ import annotations

import re

from .subject import ADJECTIVE, CONTEXT, KIN, NAME, Speech

WHO = rf"(?P<who>[Mm]y {ADJECTIVE}(?P<kin>{KIN})(?: (?P<kinname>{NAME}))?|(?P<name>{NAME}){CONTEXT})"
SAYS = r"(?:told me|told us|mentioned|says|said|swears|claims|claimed|reports|reported|let me know|wrote|texted me)"
FORMS = (
    re.compile(rf"^{WHO} (?:just |also )?{SAYS}(?: (?:to me|yesterday|today))?,? (?:that )?(?P<rest>.+)$", re.S),
    re.compile(rf"^[Aa]ccording to {WHO}, (?P<rest>.+)$", re.S),
    re.compile(rf"^[Ff]rom what {WHO} (?:says|tells me|told me|said), (?P<rest>.+)$", re.S),
    re.compile(
        rf"^I (?:ran into|spoke to|spoke with|talked to|talked with|met|saw|heard from) {WHO},? and (?:apparently|it "
        r"seems that|it seems|it turns out that|it turns out),? (?P<rest>.+)$",
        re.S,
    ),
)  # fmt: skip
NOBODY = re.compile(
    r"^(?:they say|people say|some say|rumou?r has it|apparently|allegedly|i (?:have )?(?:heard|read)|it is said|"
    r"an article|somebody|someone|word is)\b",
    re.I,
)


def quoted(text: str, speech: Speech) -> tuple[str | None, str]:
    """(who is quoted, what they say): (None, the text) for a plain statement, ("", …) if nobody is named.

    >>> quoted("my sister Lena told me that Rhys moved to Oslo", Speech("Ana"))
    ('Lena', 'Rhys moved to Oslo')
    """
    for form in FORMS:
        match = form.match(text)
        if match is not None:
            who = match.group("kinname") or match.group("name")
            if who is None:
                who = f"{speech.speaker}'s {match.group('kin').lower()}"
            return who, match.group("rest").strip()
    return ("" if NOBODY.match(text) else None), text
