"""Reported speech: who is quoted, and what they are quoted with."""

from __future__ import annotations

import re

from .readings import Person
from .subject import ADJECTIVE, CONTEXT, KIN, NAME, NO_NAMES, Speech

WHO = rf"(?P<who>[Mm]y {ADJECTIVE}(?P<kin>{KIN})(?: (?P<kinname>{NAME}))?|(?P<name>{NAME}){CONTEXT})"
SAYS = r"(?:told me|told us|mentioned|says|said|swears|claims|claimed|reports|reported|let me know|wrote|texted me)"
FORMS = (
    re.compile(rf"^{WHO} (?:just |also )?{SAYS}(?: (?:to me|yesterday|today))?,? (?:that )?(?P<rest>.+)$", re.S),
    re.compile(rf"^[Aa]ccording to {WHO}, (?P<rest>.+)$", re.S),
    re.compile(rf"^[Ff]rom what {WHO} (?:says|tells me|told me|said), (?P<rest>.+)$", re.S),
    re.compile(
        rf"^I (?:ran into|spoke to|spoke with|talked to|talked with|met|saw|heard from) {WHO},? and "
        rf"(?:apparently|it "
        r"seems that|it seems|it turns out that|it turns out),? (?P<rest>.+)$",
        re.S,
    ),
)  # fmt: skip
AFTER = (  # the same, behind what they say
    re.compile(rf"^(?P<rest>.+?)[,;]? (?:according to|as per) {WHO}$", re.S),
    re.compile(rf"^(?P<rest>.+?),? (?:or )?(?:so |as |at least )?(?:says|said) {WHO}$", re.S),
    re.compile(
        rf"^(?P<rest>.+?), (?:or )?(?:so |as |at least )?{WHO} {SAYS}(?: (?:to me|yesterday|"
        rf"today))?$",
        re.S,
    ),
)
SURMISED = re.compile(
    rf"[,;(] ?(?:or )?(?:so |as |at least )?(?:{WHO}|he|she|they) (?:thinks?|believes?|reckons?|"
    rf"guess(?:es)?|suspects?|"
    r"heard|hears|assumes?|suspected|thought|figures?)\)?$"
)
SPOKEN = re.compile(
    r"\b(?:[Aa]ccording|per|said|says|[Tt]old|mention|swears|claim|report|know|wrote|text|tells|heard|met|"
    r"saw|spoke|talked|ran)"
)
NOBODY = re.compile(
    r"^(?:they say|people say|some say|rumou?r has it|apparently|allegedly|i (?:have )?(?:heard|read)|it is said|"
    r"i (?:was|am|have been) told|i gather|i understand|supposedly|reportedly|rumou?red|legend has it|"
    r"an article|somebody|someone|word is)\b",
    re.I,
)


def quoted(text: str, speech: Speech) -> tuple[str | None, str]:
    """(who is quoted, what they say): (None, the text) for a plain statement, ("", …) if nobody is named.

    >>> quoted("my sister Lena told me that Rhys moved to Oslo", Speech("Ana"))
    ('Lena', 'Rhys moved to Oslo')
    """
    if NOBODY.match(text) or SURMISED.search(text):
        return "", text
    if SPOKEN.search(text) is None:
        return None, text
    for form in (*FORMS, *AFTER):
        match = form.match(text)
        if match is None:
            continue
        who, kin = match.group("kinname") or match.group("name"), (match.group("kin") or "").lower()
        if who is None or kin:
            speech.note(Person(match.group("kinname") or "", kin=kin, of=speech.speaker))
        elif who.split()[0] in NO_NAMES:
            return "", text
        else:
            speech.note(Person(who))
        return who or f"{speech.speaker}'s {kin}", match.group("rest").strip(" ,")
    return None, text
