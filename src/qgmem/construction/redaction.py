"""Secrets blacked out, before they are stored or before they are shown (CASES 21). Off unless asked for.

Patterns find what has a shape of its own (numbers with a check digit, keys with a prefix) and what words announce
as a secret ("the password is …"). A secret without either is not found; this is a net, not a wall. Time is linear.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from ..errors import InvalidInput
from ..types import JsonValue, MemoryUnit, Triple, Turn

Mode = Literal["off", "write", "recall"]
MODES: tuple[Mode, ...] = ("off", "write", "recall")
_MASK = re.compile(r"\[redacted:[\w-]+\]")
_AROUND = "\"'“”‘’`.,;:!?()"  # signs around a secret that are not of it
_SHORTEST = 3  # characters; a shorter word is not looked for again


@dataclass(frozen=True, slots=True)
class Pattern:
    """One kind of secret. The group `secret` of the expression is blacked out, or the whole match if it has none.

    `accept` has the last word on a match.
    """

    name: str
    expression: re.Pattern[str]
    accept: Callable[[str], bool] = field(default=lambda _: True)


def luhn(digits: str) -> bool:
    """The check digit of payment cards (ISO/IEC 7812).

    >>> luhn("4111 1111 1111 1111"), luhn("4111 1111 1111 1112")
    (True, False)
    """
    figures = [int(character) for character in digits if character.isdecimal()]
    if not 13 <= len(figures) <= 19 or len(set(figures)) == 1:
        return False
    doubled = [2 * figure - 9 * (figure > 4) for figure in figures[-2::-2]]
    return (sum(figures[-1::-2]) + sum(doubled)) % 10 == 0


_STATEMENTS = frozenset(
    "a an the not no too very so also still now been already always never just really only that this what where when "
    "why how which who in on at by for from of with to as my your our his her their it its wrong right same optional "
    "mandatory incorrect invalid correct valid weak strong short long safe secure forgotten lost unknown missing "
    "empty set case there here and or but if then because something anything nothing different easy hard important "
    "fine ok okay gone broken".split()
)


def _announced(value: str) -> bool:
    """Is the word after "password is" the secret itself, and not the rest of a statement?"""
    bare = value.strip(_AROUND)
    if not bare or bare.casefold() in _STATEMENTS or _MASK.search(value):
        return False
    return value[0] in "\"'“`" or not (bare.isalpha() and bare.islower() and bare.endswith(("ed", "ing")))


def _looks_secret(value: str) -> bool:
    """Letters mixed with figures or signs, as in hunter2: before "is my password" any word may stand."""
    return any(not character.isalpha() for character in value.strip("\"'.,;:!?")) and _announced(value)


_SEPARATOR = r"[ \u00a0.\-\u2010-\u2015]"
_SECRET_WORD = (
    r"(?:pass\s?word|passwd|pwd|pass\s?code|pass\s?phrase|pin(?: code| number)?|secret(?: key)?|"
    r"(?:api|access|auth|private|secret|license|encryption)[ _-]?(?:key|token)|token|credentials?|"
    r"passwort|kennwort|mot de passe|contraseña|senha|wachtwoord|пароль)"
)
_IS = r"(?:\s*(?:=>?|:=?|->|→)\s*|\s+(?:is|was|are|to|as|ist|lautet|est|es|é)\s*:?\s+)"
_VALUE = (
    r"(?P<secret>\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|`[^`\n]{1,200}`|“[^”\n]{1,200}”"
    r"|[^\s,;]{1,200}?(?=[.,;]?(?:\s|$)|[,;]))"
)

SSN = Pattern(
    "ssn",
    re.compile(
        rf"(?<![\d\-])(?!000|666|9\d\d)\d{{3}}{_SEPARATOR}(?!00)\d\d{_SEPARATOR}(?!0000)\d{{4}}(?![\d\-]\d|\d)"
        r"|(?:\bssn|social security(?: number| no\.?)?)\W{0,3}(?:is|was|:)?\W{0,3}(?P<secret>\d{9})(?!\d)",
        re.IGNORECASE,
    ),
)
CARD = Pattern(
    "card",
    re.compile(
        rf"(?<![\d.])(?:[2-6]\d{{12,18}}|[2-6]\d{{3}}(?:{_SEPARATOR}\d{{4}}){{3}}(?:{_SEPARATOR}\d{{3}})?"
        rf"|3\d{{3}}{_SEPARATOR}\d{{6}}{_SEPARATOR}\d{{5}})(?!\d)"
    ),
    luhn,
)
KEY = Pattern(
    "key",
    re.compile(
        r"\b(?:sk|pk|rk|tok|key)[-_](?=[\w-]*\d)[A-Za-z0-9_-]{6,200}"
        r"|\b(?:gh[pousr]_|github_pat_|glpat-|hf_|npm_|pypi-|xox[abeprs]-|xapp-|dop_v1_|shpat_|SG\.|ya29\.)[\w.-]{8,250}"
        r"|\b(?:AKIA|ASIA|AGPA|AIDA)[A-Z0-9]{12,20}\b|\bAIza[\w-]{30,45}"
        r"|\beyJ[\w-]{8,2000}\.[\w-]{8,4000}(?:\.[\w-]{0,2000})?"
        r"|\bBearer\s+(?P<secret>[\w.~+/-]{12,4000}=*)"
        r"|-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]{0,20000}(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?"
    ),
)
PASSWORD = Pattern("password", re.compile(rf"\b{_SECRET_WORD}\b{_IS}{_VALUE}", re.IGNORECASE), _announced)
PASSWORD_CJK = Pattern(
    "password",
    re.compile(
        r"(?:密码|密碼|パスワード|비밀번호|暗証番号)\s*(?:是|为|為|は|:|：|=|는|은)\s*(?P<secret>[!-~]{3,200})"
    ),
    _announced,
)
PASSWORD_AFTER = Pattern(
    "password",
    re.compile(
        rf"(?<!\S)(?P<secret>[^\s,;]{{3,200}})\s+is\s+(?:my|the|our|his|her|their|your)\s+(?:\w{{1,30}}\s+){{0,3}}?"
        rf"{_SECRET_WORD}\b",
        re.IGNORECASE,
    ),
    _looks_secret,
)
URL_PASSWORD = Pattern(
    "password",
    re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{0,100}:(?P<secret>[^\s/@]{1,200})@", re.IGNORECASE),
    _announced,
)
EMAIL = Pattern("email", re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[A-Za-z]{2,24}\b"))

DEFAULT: tuple[Pattern, ...] = (KEY, SSN, CARD, PASSWORD, PASSWORD_CJK, PASSWORD_AFTER, URL_PASSWORD)
BY_NAME: Mapping[str, tuple[Pattern, ...]] = {
    "ssn": (SSN,),
    "card": (CARD,),
    "key": (KEY,),
    "password": (PASSWORD, PASSWORD_CJK, PASSWORD_AFTER, URL_PASSWORD),
    "email": (EMAIL,),
}


class Redactor:
    """Blacks out what its patterns find, and counts it by name. Redacting twice changes nothing more.

    A secret that a text announces once is blacked out wherever that text names it again.

    >>> redactor = Redactor()
    >>> redactor.text("db password is hunter2, key sk-abc123")
    'db password is [redacted:password], key [redacted:key]'
    >>> dict(redactor.counts)
    {'password': 1, 'key': 1}
    >>> redactor.beside("My password is Pelican").part("Pelican")
    '[redacted:password]'
    """

    def __init__(self, patterns: Sequence[Pattern] = DEFAULT) -> None:
        self._patterns = tuple(patterns)
        self._known: Mapping[str, str] = {}  # secrets of the texts that this one stands beside → name
        self.counts: Counter[str] = Counter()

    @classmethod
    def of(cls, *names: str) -> Redactor:
        """A redactor for patterns by name: ssn, card, key, password, email. Raises InvalidInput."""
        for name in names:
            if name not in BY_NAME:
                raise InvalidInput("redaction", f"knows no pattern {name!r}", f"use {', '.join(BY_NAME)}")
        return cls([pattern for name in names for pattern in BY_NAME[name]])

    def fresh(self) -> Redactor:
        """One with the same patterns that has counted nothing yet."""
        return Redactor(self._patterns)

    def beside(self, *texts: str | None) -> Redactor:
        """One that also knows the secrets of these texts, for what was said or read off beside them. Counts here."""
        found = Redactor(self._patterns)
        found._known = {**self._known}
        for text in texts:
            found._known = {**found._known, **(found._read(text)[1] if text else {})}
        found.counts = self.counts
        return found

    def text(self, text: str) -> str:
        """The text with `[redacted:<name>]` in place of every secret."""
        shown, _, counted = self._read(text)
        self.counts.update(counted)
        return shown

    def part(self, text: str) -> str:
        """As `text`, for what an extractor cut out: no word of a known secret stays, and no half of one."""
        pieces = {piece: name for secret, name in self._known.items() for piece in pieces_of(secret)}
        shown, counted = _without(self.text(text), pieces)
        self.counts.update(counted)
        return re.sub(rf"({_MASK.pattern})(?:\W{{0,3}}\1)+", r"\1", shown)

    def _read(self, text: str) -> tuple[str, Mapping[str, str], list[str]]:
        """What is shown, the secrets that stand in the text, and the name of each that was blacked out."""
        secrets, counted = dict(self._known), list[str]()
        while True:  # what stood beside a secret may show itself to be one
            shown, found = self._once(text)
            secrets |= {core: name for secret, name in found if len(core := secret.strip(_AROUND)) >= _SHORTEST}
            shown, again = _without(shown, {secret.casefold(): name for secret, name in secrets.items()})
            counted += [name for _, name in found] + again
            if shown == text:
                return shown, secrets, counted
            text = shown

    def _once(self, text: str) -> tuple[str, list[tuple[str, str]]]:
        found: list[tuple[int, int, str]] = []
        for pattern in self._patterns:
            for match in pattern.expression.finditer(text):
                whole = match.groupdict().get("secret") is None
                secret = match[0] if whole else match["secret"]
                if pattern.accept(secret):
                    start, end = match.span(0 if whole else "secret")
                    found.append((start, end, pattern.name))
        parts: list[str] = []
        at = 0
        merged = _merged(found)
        for start, end, name in merged:
            parts += text[at:start], f"[redacted:{name}]"
            at = end
        return "".join((*parts, text[at:])), [(text[start:end], name) for start, end, name in merged]

    def json(self, value: JsonValue) -> JsonValue:
        """The same value with every text in it redacted, keys included."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.json(item) for item in value]
        if isinstance(value, dict):
            return {self.text(key): self.json(item) for key, item in value.items()}
        return value

    def turn(self, turn: Turn) -> Turn:
        """A turn for storing. Its id must not be made from the words before redaction: a digest can be guessed."""
        known = self.beside(turn.text, turn.caption, turn.caption_query)
        return replace(
            turn,
            text=known.text(turn.text),
            speaker=self.text(turn.speaker),
            caption=known.maybe(turn.caption),
            caption_query=known.maybe(turn.caption_query),
            metadata={known.text(key): known.json(value) for key, value in turn.metadata.items()},
        )

    def unit(self, unit: MemoryUnit, *sources: str | None) -> MemoryUnit:
        """A unit for showing. What was read off it (entities, places, triple) shows no part of a secret.

        `sources`: other texts that it was read off, as its turns and their captions. Entities that held a secret, or
        stand in a text that did, lose their offsets.
        """
        known = self.beside(unit.text, unit.span.quote, *sources)
        text = known.text(unit.text)
        entities = []
        for entity in unit.entities:
            shown = known.part(entity.text)
            moved = text != unit.text or shown != entity.text
            entities.append(replace(entity, text=shown, start=None, end=None) if moved else entity)
        triple = unit.triple
        if triple is not None:
            triple = known.triple(triple)
        return replace(
            unit,
            text=text,
            speaker=self.text(unit.speaker),
            span=replace(unit.span, quote=known.text(unit.span.quote)),
            entities=tuple(dict.fromkeys(entities)),
            locations=tuple(dict.fromkeys(known.part(place) for place in unit.locations)),
            triple=triple,
            metadata={known.text(key): known.json(value) for key, value in unit.metadata.items()},
        )

    def triple(self, triple: Triple) -> Triple:
        """A claim's parts, for showing."""
        return Triple(self.part(triple.subject), self.part(triple.predicate), self.part(triple.object))

    def maybe(self, text: str | None) -> str | None:
        """`text`, where there is one."""
        return None if text is None else self.text(text)


def pieces_of(secret: str) -> list[str]:
    """The words of a secret and the runs of letters in them, folded: what an extractor may cut out of it.

    >>> pieces_of("Rosebud77"), pieces_of("the quick fox")
    (['rosebud77', 'rosebud'], ['the quick fox', 'quick', 'fox'])
    """
    words = [secret, *re.findall(r"\w+", secret), *re.findall(r"[^\W\d_]+", secret)]
    pieces = dict.fromkeys(word.casefold() for word in words if len(word) >= _SHORTEST)
    return [piece for piece in pieces if piece not in _STATEMENTS]


def _without(text: str, secrets: Mapping[str, str]) -> tuple[str, list[str]]:
    """The text without these secrets (folded → name) where they stand as words, and the names of those it held."""
    folded, held = text.casefold(), list[str]()
    there = sorted((secret for secret in secrets if secret in folded), key=len, reverse=True)
    if not there:
        return text, held

    def hide(match: re.Match[str]) -> str:
        if match["secret"] is None:  # a mask of before
            return match[0]
        held.append(secrets.get(match["secret"].casefold(), secrets[there[0]]))
        return f"[redacted:{held[-1]}]"

    either = "|".join(map(re.escape, there))
    return re.sub(
        rf"{_MASK.pattern}|(?<![A-Za-z0-9_])(?P<secret>{either})(?![A-Za-z0-9_])", hide, text, flags=re.I
    ), held


def _merged(found: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Spans in order; those that overlap become one, named by the first pattern that saw it."""
    merged: list[tuple[int, int, str]] = []
    for start, end, name in sorted(found, key=lambda span: (span[0], -span[1])):
        if merged and start < merged[-1][1]:
            before = merged[-1]
            merged[-1] = before[0], max(before[1], end), before[2]
        else:
            merged.append((start, end, name))
    return merged
