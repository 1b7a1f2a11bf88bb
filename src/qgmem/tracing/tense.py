"""A question about then or about what is to come, in the words of one about now, and where it names a neighbour.

The forms that the rules read ask in the present tense. What is asked for is the same; only the time differs.
"""

from __future__ import annotations

import re

_NOW = re.compile(r"\b(?:now|currently|nowadays|these days|at the moment|at present|right now)\b ?", re.I)
_WORDS = (
    (r"\b(?:did|will)\b", "does"),
    (r"\b(?:was|were)\b", "is"),
    (r"\b(?:does|do) I\b", "do you"),
    (r"\b(?:is|am) I\b", "are you"),
    (r"\bmy\b", "your"),
    (
        r"\b(?:is|are) ([^?,]{1,40}?) (work|driv|us|commut)ing\b"
        r"(?! on\b(?! (?:the )?\d| (?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day))",
        r"does \1 \2e",
    ),
    (r"\b(do|does) ([^?,]{1,40}?) worke\b", r"does \2 work"),
    (r"^in (which|what) (city|town) (do|does) (.+?) live\b", r"which \2 does \4 live in"),
    (
        r"^(?:for )?(?:which|what) (?:company|firm|employer) (?:do|does) (.+?) work\b(?: for| at)?",
        r"who does \1 work for",
    ),
    (r"^who is (.{1,40}?)(?:'s|(?<=your)) employer\b", r"who does \1 work for"),
)
_PLACES = [(re.compile(pattern, re.I), meant) for pattern, meant in _WORDS]
_BESIDE = re.compile(
    r"[ ,]+(?:(?:right|just|directly|immediately) )?(?P<side>before|after) "
    r"(?:(?:(?:I|you|he|she|they|[A-Z]\w+) )?[a-z]+(?: (?:to|at|for|in|with|into))? )?"
    r"(?P<value>(?:[Tt]he )?[A-Z0-9][^?,]*)$"
)


def present(question: str) -> str:
    """The question in the present tense, about "you" where it is about "me".

    >>> present("Who was Lea working for in spring 2022")
    'Who does Lea work for in spring 2022'
    """
    text = _NOW.sub("", question).strip()
    for pattern, meant in _PLACES:
        text = pattern.sub(meant, text)
    return text


def beside(question: str) -> tuple[str, str, str] | None:
    """(the rest, "before" or "after", the value) where a question ends in a value that came before or after.

    >>> beside("Where did Lea work before joining Robin")
    ('Where did Lea work', 'before', 'Robin')
    """
    found = _BESIDE.search(question)
    return None if found is None else (question[: found.start()], found["side"], found["value"])
