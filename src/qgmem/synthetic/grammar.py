"""Small composable grammars: alternatives, slots, and one sentence for both grammatical persons.

    [a|b|]      one of the alternatives, possibly nothing; may be nested
    {slot}      a value given at rendering
    <I am/{N} is>   the first form when the speaker talks of themself, the second about somebody else
    @now        a named alternative shared by all grammars (MACROS)

>>> render("<I live/{N} lives> in {obj}", False, Draw(1), {"N": "Ana", "obj": "Oslo"})
'Ana lives in Oslo'
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache

from .seeds import Draw

MACROS = {
    "now": "[now|these days|at the moment|currently|right now|nowadays]",
    "nowq": "[ now| these days| at the moment| currently| right now| nowadays|]",
    "finally": "[ finally| just| actually| at last||||]",
    "still": "[still]",
    "wow": "[Oh wow|Oh nice|Really|No way|Oh|Wow|Huh|Ah]",
    "know": "[you know|by the way|also|anyway|incidentally]",
}

_PERSON = re.compile(r"<([^<>/]*)/([^<>/]*)>")
_MACRO = re.compile(r"@([a-z]+)")


class _Slot(str):
    """The name of a slot; a type of its own so that it is not taken for a literal."""

    __slots__ = ()


class _Choice(tuple["_Sequence", ...]):
    """Alternatives, one of which is rendered."""

    __slots__ = ()


_Part = str | _Slot | _Choice
_Sequence = list[_Part]


@cache
def _compiled(template: str, first_person: bool) -> _Sequence:
    """Parse a template once for each person. Raises ValueError on unbalanced brackets."""
    text = _MACRO.sub(lambda m: MACROS[m.group(1)], template)
    text = _PERSON.sub(lambda m: m.group(1 if first_person else 2), text)
    sequence, rest = _parse(text, 0)
    if rest != len(text):
        raise ValueError(f"template: unbalanced bracket at {rest} in {template!r}")
    return sequence


def _parse(text: str, at: int) -> tuple[_Sequence, int]:
    """Read up to an unmatched `|` or `]`, or to the end."""
    parts: _Sequence = []
    literal = ""
    while at < len(text) and text[at] not in "|]":
        if text[at] == "[":
            options: list[_Sequence] = []
            while text[at] != "]":
                option, at = _parse(text, at + 1)
                options.append(option)
                if at >= len(text):
                    raise ValueError(f"template: bracket never closes in {text!r}")
            if literal:
                parts.append(literal)
                literal = ""
            parts.append(_Choice(options))
            at += 1
        elif text[at] == "{":
            end = text.index("}", at)
            if literal:
                parts.append(literal)
                literal = ""
            parts.append(_Slot(text[at + 1 : end]))
            at = end + 1
        else:
            literal += text[at]
            at += 1
    if literal:
        parts.append(literal)
    return parts, at


def _expand(sequence: _Sequence, random: Callable[[], float], slots: Mapping[str, str], out: list[str]) -> None:
    for part in sequence:
        kind = type(part)
        if kind is str:
            out.append(part)  # type: ignore[arg-type]  # kind is exactly str: a literal
        elif kind is _Slot:
            out.append(slots[part])  # type: ignore[index]
        else:
            _expand(part[int(random() * len(part))], random, slots, out)  # type: ignore[arg-type]


def render(template: str, first_person: bool, draw: Draw, slots: Mapping[str, str]) -> str:
    """Expand one template; spacing is not tidied yet. Raises KeyError for a slot that is not given."""
    out: list[str] = []
    _expand(_compiled(template, first_person), draw.random, slots, out)
    return "".join(out)


_SPACES = re.compile(r" {2,}")
_BEFORE = re.compile(r" +([.,!?;:])")
_SENTENCE = re.compile(r"(^|[.!?] +)([a-zà-ž])")


def _capital(match: re.Match[str]) -> str:
    return match.group(1) + match.group(2).upper()


def tidy(text: str) -> str:
    """Single spaces, none before punctuation, a capital at the start of each sentence.

    >>> tidy("so , i moved .  really?")
    'So, i moved. Really?'
    """
    text = _SPACES.sub(" ", text).strip()
    text = _BEFORE.sub(r"\1", text).replace("..", ".").replace(".,", ",").replace("?.", "?").replace("!.", "!")
    return _SENTENCE.sub(_capital, text)


def article(noun: str) -> str:
    """The noun with "a" or "an" by its first letter; nouns that bring their own determiner stay.

    >>> article("electrician"), article("used car")
    ('an electrician', 'a used car')
    """
    if not noun or noun.startswith(("the ", "a ", "an ", "some ", "my ")):
        return noun
    lowered = noun.lower()
    vowel = lowered[0] in "aeio" or (lowered[0] == "u" and not lowered.startswith(("us", "uni", "uk", "ut", "eu")))
    return f"{'an' if vowel else 'a'} {noun}"
