"""Values of the relations, composed from the word lists."""

from __future__ import annotations

from . import words_people as people
from . import words_things as things
from .seeds import Draw

CITY_NAMES: tuple[str, ...] = tuple(people.CITIES)


def city(draw: Draw) -> str:
    """A city of the simulated world."""
    return draw.pick(CITY_NAMES)


def firm(draw: Draw) -> str:
    """An invented employer: "Kestrel Logistics", "Novak & Lund"."""
    if draw.chance(0.35):
        first, second = draw.sample(people.SURNAMES, 2)
        return f"{first} & {second}"
    return f"{draw.pick(people.FIRM_WORDS)} {draw.pick(people.FIRM_KINDS)}"


def job(draw: Draw) -> str:
    """A role with its seniority."""
    return draw.pick(things.LEVELS) + draw.pick(things.JOBS)


def full_name(draw: Draw) -> str:
    """Any first name with any surname."""
    return f"{draw.pick(people.WOMEN if draw.chance(0.5) else people.MEN)} {draw.pick(people.SURNAMES)}"


def dish(draw: Draw) -> str:
    """Something to eat."""
    return f"{draw.pick(things.DISH_STYLES)} {draw.pick(things.DISHES)}"


def phone(draw: Draw) -> str:
    """An invented telephone."""
    return f"{draw.pick(things.PHONE_BRANDS)} {draw.pick(things.PHONE_MODELS)}"


def car(draw: Draw) -> str:
    """An invented car with its colour."""
    return f"{draw.pick(things.COLOURS)} {draw.pick(things.CAR_BRANDS)} {draw.pick(things.CAR_MODELS)}"


def ailment(draw: Draw) -> str:
    """A complaint that comes and goes."""
    return draw.pick(things.AILMENTS)


def gym(draw: Draw) -> str:
    """A place to exercise."""
    return f"{draw.pick(things.GYM_WORDS)} {draw.pick(things.GYM_KINDS)}"


def commute(draw: Draw) -> str:
    """A way to get to work."""
    return draw.pick(things.COMMUTES)


def diet(draw: Draw) -> str:
    """A way of eating."""
    return draw.pick(things.DIETS)


def doctor(draw: Draw) -> str:
    """A doctor by surname."""
    return f"Dr {draw.pick(people.SURNAMES)}"


def book(draw: Draw) -> str:
    """An invented title."""
    return f"{draw.pick(things.TITLE_A)} {draw.pick(things.TITLE_B)}"


def project(draw: Draw) -> str:
    """A project at work."""
    return f"{draw.pick(things.PROJECT_A)} {draw.pick(things.PROJECT_B)}"


def hobby(draw: Draw) -> str:
    """A pastime."""
    return draw.pick(things.HOBBIES)


def pet(draw: Draw) -> str:
    """An animal with its name: "gecko named Fig"."""
    return f"{draw.pick(things.SPECIES)} named {draw.pick(things.PET_NAMES)}"


def language(draw: Draw) -> str:
    """A language."""
    return draw.pick(things.LANGUAGES)


def allergen(draw: Draw) -> str:
    """Something to be allergic to."""
    return draw.pick(things.ALLERGENS)


def plan(draw: Draw) -> str:
    """Something to do one day, as a verb phrase."""
    first, second = draw.sample(CITY_NAMES, 2)
    return draw.pick(things.PLAN_VERBS).replace("{city}", first).replace("{city2}", second)


def thing(draw: Draw) -> str:
    """Something to own."""
    return f"{draw.pick(things.THING_QUALITIES)} {draw.pick(things.THINGS)}"


def paper(draw: Draw) -> str:
    """Something to subscribe to."""
    return draw.pick(things.PAPERS)
