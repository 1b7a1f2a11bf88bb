"""The English word lists of `english.txt`, read once and on first use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_VOWELS = frozenset("aeiou")


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Word sets by section name, and the verb forms made from the base verbs.

    `tags`: word → its part of speech where that needs no context (see `tagging`).
    """

    sections: Mapping[str, frozenset[str]]
    past: frozenset[str]
    gerunds: frozenset[str]
    tags: Mapping[str, str]

    def __getitem__(self, section: str) -> frozenset[str]:
        return self.sections[section]


@cache
def english() -> Lexicon:
    """The lexicon; about 10 ms the first time."""
    sections = _read(files(__package__).joinpath("english.txt").read_text("utf-8"))
    base = sections["verb"]
    third = {_add_s(verb) for verb in base}
    past = {_add_ed(verb) for verb in base} | sections["irregular"]
    gerunds = {_add_ing(verb) for verb in base}

    either = sections["noun_or_verb"]
    either = either | {_add_s(word) for word in either}
    tags: dict[str, str] = {}
    # The later section wins: closed classes over open ones, ambiguity over certainty.
    for words, tag in (
        (base | third, "verb"),
        (past, "past"),
        (gerunds, "ing"),
        (either, "either"),
        (sections["adjective"], "adj"),
        (sections["weak_adjective"], "weak"),
        (sections["nationality"], "adj"),
        (sections["interjection"] - sections["weak_adjective"], "stop"),
        (sections["adverb"] - sections["weak_adjective"], "adv"),
        (sections["auxiliary"], "aux"),
        (sections["conjunction"], "conj"),
        (sections["preposition"], "prep"),
        (sections["pronoun"], "pron"),
        (sections["determiner"] | sections["possessive"], "det"),
    ):
        tags.update(dict.fromkeys(words, tag))
    for word in sections["time_word"]:
        tags.setdefault(word, "time")
    return Lexicon(sections, frozenset(past), frozenset(gerunds), tags)


def _read(text: str) -> dict[str, frozenset[str]]:
    sections: dict[str, frozenset[str]] = {}
    name = ""
    for line in text.splitlines():
        if line.startswith("["):
            name = line.strip("[]")
        elif name and line and not line.startswith("#"):
            words = {word.replace("_", " ") for word in line.split()}
            sections[name] = sections.get(name, frozenset()) | words
    return sections


def _doubles(verb: str) -> bool:
    """stop → stopped, but not visit → visitted: short words of consonant, vowel, consonant."""
    vowels = sum(letter in _VOWELS for letter in verb)
    return (
        len(verb) >= 3 and vowels == 1 and verb[-2] in _VOWELS and verb[-1] not in _VOWELS and verb[-1] not in "wxy"
    ) or verb in {"regret", "commit", "submit", "admit", "prefer", "refer", "occur", "begin", "forget", "permit"}


def _add_s(word: str) -> str:
    if word.endswith(("s", "x", "z", "ch", "sh", "o")):
        return word + "es"
    if word.endswith("y") and word[-2:-1] not in _VOWELS:
        return word[:-1] + "ies"
    return word + "s"


def _add_ed(verb: str) -> str:
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and verb[-2:-1] not in _VOWELS:
        return verb[:-1] + "ied"
    return verb + verb[-1] + "ed" if _doubles(verb) else verb + "ed"


def _add_ing(verb: str) -> str:
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    if verb.endswith("e") and not verb.endswith(("ee", "ye", "oe")) and verb != "be":
        return verb[:-1] + "ing"
    return verb + verb[-1] + "ing" if _doubles(verb) else verb + "ing"
