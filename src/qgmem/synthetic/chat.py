"""Random values for talk that is about nobody, and the optional sentences around what is said."""

from __future__ import annotations

from collections.abc import Callable

from . import pools
from . import words_detail as detail
from .grammar import article, render
from .seeds import Draw
from .when import DAYS, NUMBERS

_VALUES: dict[str, Callable[[Draw], str]] = {
    "hobby": pools.hobby, "hobby2": pools.hobby, "hobby3": pools.hobby,
    "dish": pools.dish, "dish2": pools.dish, "dish3": pools.dish,
    "city": pools.city, "city2": pools.city, "city3": pools.city,
    "firm": pools.firm, "phone": pools.phone, "phone2": pools.phone, "car": pools.car,
    "year": lambda draw: str(draw.between(2005, 2018)),
    "a_job": lambda draw: article(pools.job(draw)),
    "a_pet": lambda draw: article(pools.pet(draw).split(" named ")[0]),
    "a_thing": lambda draw: article(pools.thing(draw)),
    "diet": pools.diet, "ailment": pools.ailment,
    "n": lambda draw: draw.pick(NUMBERS[2:]), "weekday": lambda draw: draw.pick(DAYS),
    "topic": lambda draw: render(detail.TOPIC, True, draw, {}),
}  # fmt: skip


class ChatSlots(dict[str, str]):
    """Slots of `words_talk` and `words_detail`, each drawn when a template first asks for it."""

    def __init__(self, draw: Draw) -> None:
        super().__init__()
        self._draw = draw

    def __missing__(self, key: str) -> str:
        value = self[key] = _VALUES[key](self._draw)
        return value


def maybe(draw: Draw, chance: float, templates: tuple[str, ...]) -> str:
    """With this chance one more sentence (with a space before it), else nothing; not tidied."""
    if not draw.chance(chance):
        return ""
    return " " + render(draw.pick(templates), True, draw, ChatSlots(draw))
