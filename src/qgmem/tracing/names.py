"""Who bears a name: subjects of a memory by name in full, by first name, or as somebody's kin."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

ELDER = re.compile(r"^(?:older|younger|little|big|elder|new|old|late) ")
WORDS = {"mom": "mother", "mum": "mother", "dad": "father", "grandma": "grandmother", "grandpa": "grandfather"}
NEAREST = 5  # names that are offered for an unknown one


@dataclass(frozen=True, slots=True)
class Bearers:
    """`names`: subject id → how it is shown. `users` have said something, if nothing that could be read.

    `kin`: (who said "my …", the kinship, the subject's id), also of those who were named since.
    """

    names: Mapping[str, str]
    users: Sequence[str]
    kin: Sequence[tuple[str, str, str]] = ()

    def find(self, subject: str) -> list[str]:
        """Ids of those who bear the name: all namesakes, unless what tells them apart is said; else by first name."""
        name = key(subject)
        whose, _, kin = name.rpartition("'s ")
        wanted = {name, f"{kin} of {whose}"}
        exact = [each for each, shown in self.names.items() if key(shown) in wanted or each in wanted]
        if whose:
            exact = sorted({*exact, *self._kin_of(whose, _kinship(kin))})
        bearers = exact or [each for each in self.names if each.partition("|")[0] in wanted]
        found = bearers or [each for each in self.names if each.startswith(f"{name} ") and " of " not in each]
        if not found and whose and " " not in whose:  # "Ana's sister", known as "sister of ana weiss"
            found = [each for each in self.names if each.startswith(f"{kin} of {whose} ")]
        return sorted(found)

    def _kin_of(self, whose: str, kin: str) -> list[str]:
        """Ids of somebody's kin: of whom bears the name, else of whom it is the first name."""
        fitting = [(key(speaker), who) for speaker, word, who in self.kin if _kinship(key(word)) == kin]
        exact = [who for speaker, who in fitting if speaker == whose]
        return exact or [who for speaker, who in fitting if speaker.startswith(f"{whose} ")]

    def known(self, subject: str) -> bool:
        """True for somebody of whom something is known, or who speaks."""
        return key(subject) in map(key, self.users) or bool(self.find(subject))

    def nearest(self, subject: str) -> str:
        """Names that are spelled alike, as a whole or in one word, for a message."""
        name = key(subject)
        shown = {key(each): each for each in sorted({*self.users, *self.names.values()})}
        spelled = {word: whole for whole in shown for word in (*whole.split(), whole)}
        close = get_close_matches(name, spelled, NEAREST, 0.6)
        near = list(dict.fromkeys([*(whole for whole in shown if name in whole), *(spelled[word] for word in close)]))
        if near:
            return f"nearest are {', '.join(shown[whole] for whole in near[:NEAREST])}"
        some = ", ".join(list(shown.values())[:NEAREST])
        return f"among those known are {some}" if some else "nobody is known here"


def _kinship(word: str) -> str:
    """One word for each kinship: "older brother" and "brother", "mum" and "mother"."""
    bare = ELDER.sub("", word)
    return WORDS.get(bare, bare)


def key(text: str) -> str:
    """Names with one key are the same name."""
    return " ".join(text.replace("’", "'").split()).casefold()
