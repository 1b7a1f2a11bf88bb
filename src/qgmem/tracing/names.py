"""Who bears a name: subjects of a memory by name in full, by first name, or as somebody's kin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

NEAREST = 5  # names that are offered for an unknown one


@dataclass(frozen=True, slots=True)
class Bearers:
    """`names`: subject id → how it is shown. `users` have said something, if nothing that could be read."""

    names: Mapping[str, str]
    users: Sequence[str]

    def find(self, subject: str) -> list[str]:
        """Ids of those who bear the name: all namesakes, unless what tells them apart is said; else by first name."""
        name = key(subject)
        whose, _, kin = name.rpartition("'s ")
        wanted = {name, f"{kin} of {whose}"}
        exact = [each for each, shown in self.names.items() if key(shown) in wanted or each in wanted]
        bearers = exact or [each for each in self.names if each.partition("|")[0] in wanted]
        found = bearers or [each for each in self.names if each.startswith(f"{name} ") and " of " not in each]
        if not found and whose and " " not in whose:  # "Ana's sister", known as "sister of ana weiss"
            found = [each for each in self.names if each.startswith(f"{kin} of {whose} ")]
        return sorted(found)

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


def key(text: str) -> str:
    """Names with one key are the same name."""
    return " ".join(text.split()).casefold()
