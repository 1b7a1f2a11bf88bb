"""Predicates with the same meaning, and whether a subject has one value of them at a time.

`relation_of` turns a predicate as worded ("moved to") into a relation ("home"). What the table does not hold keeps
its own words, without auxiliaries and articles, and its kind is left to `functional.py`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

# One value at a time: a new one supersedes the old.
ONE: dict[str, str] = {
    "home": "lives in|live in|resides in|is based in|moved to|relocated to|settled in|lives at|moved from",
    "employer": "works at|works for|is employed by|joined|started at|started working at|works with|was hired by",
    "role": "works as|is by profession|became|has the job of|has job|is a|is an|job title is",
    "commute": "commutes by|gets to work by|takes to work|goes to work by",
    "project": "works on|is working on|was put on project|is busy with project",
    "favourite_food": "has as favourite food|favourite food is|favorite food is|likes best to eat|favourite dish is",
    "diet": "is on diet|follows the diet|eats only|follows diet",
    "health": "suffers from|was diagnosed with|has the condition|is ill with|came down with",
    "gym": "trains at|is a member of gym|works out at",
    "doctor": "is a patient of|sees doctor|has as doctor|doctor is",
    "phone": "uses phone|owns phone|upgraded to phone|phone is",
    "car": "drives|owns car|bought car|car is",
    "reading": "is reading|started reading book|reads|started reading",
    "partner": "is in a relationship with|has as partner|is dating|is married to|married|is engaged to|"
    "is together with|got together with|partner is",
    "school": "studies at|goes to school at|attends|is a student at",
    "studies": "studies|majors in|is studying",
    "name": "is called|is named|name is",
    "age": "is aged|turned|age is",
    "birthday": "was born on|birthday is",
    "birthplace": "was born in|comes from|is from",
}
# Several values side by side: a new one takes nothing away.
SEVERAL: dict[str, str] = {
    "hobby": "does as hobby|took up|is into|plays|practises|practices",
    "pet": "has pet|adopted|keeps animal|has a pet|got a pet",
    "language": "speaks|is learning language|knows language|is learning|learned",
    "allergy": "is allergic to|cannot tolerate|reacts to|has allergy",
    "friend": "is friends with|made friends with|hangs out with|has friend",
    "plan": "plans to|decided to|wants to|is planning to|intends to|hopes to",
    "possession": "owns|bought|has|got|owns a|has a|uses",
    "subscription": "subscribes to|gets the magazine|took a subscription to|subscribed to",
    "child": "has child|has a son|has a daughter|is parent of",
    "sibling": "has sibling|has a brother|has a sister",
    "visit": "visited|went to|travelled to|traveled to|has been to",
    "skill": "can|knows how to|administers|manages",
}
# What one feels about one thing: the verb is the value, the thing belongs to the relation (CASES 6).
FEELINGS: dict[str, str] = {
    "loves": "loves|love|adores|is mad about|is crazy about|really likes",
    "likes": "likes|like|enjoys|is fond of|prefers",
    "dislikes": "dislikes|dislike|doesn't like|does not like|isn't fond of|no longer likes",
    "hates": "hates|hate|detests|can't stand|cannot stand|loathes",
}
ARTICLE = re.compile(r"^(?:the|a|an|some|my|his|her|their|our)\s+", re.I)
LEADING = re.compile(r"^(?:has|have|had|is|are|was|were|am|be|been|will|now|currently|still|also)\s+")
SPACES = re.compile(r"\s+")
EDGES = " \t\n.,;:!?\"'“”‘’()[]"


@dataclass(frozen=True, slots=True)
class Relation:
    """What a claim is about. `one`: one value at a time, or several; None if the table is silent."""

    name: str
    one: bool | None
    value: str


@cache
def _table() -> tuple[dict[str, tuple[str, bool]], dict[str, str]]:
    """Predicate as worded → (relation, one); verb of feeling → value."""
    known = {name: (name, one) for names, one in ((ONE, True), (SEVERAL, False)) for name in names}
    for names, one in ((ONE, True), (SEVERAL, False)):
        for name, wordings in names.items():
            known |= dict.fromkeys(wordings.split("|"), (name, one))
    return known, {wording: value for value, wordings in FEELINGS.items() for wording in wordings.split("|")}


def relation_of(predicate: str, value: str) -> Relation:
    """The relation, and the value that the claim gives to it.

    >>> relation_of("Moved to", "Electronic City")
    Relation(name='home', one=True, value='Electronic City')
    >>> relation_of("hates", "Chinese food")
    Relation(name='feeling about chinese food', one=True, value='hates Chinese food')
    """
    words = SPACES.sub(" ", predicate.strip(EDGES)).casefold()
    known, feelings = _table()
    if words in feelings:
        return Relation(f"feeling about {value_key(value)}", True, f"{feelings[words]} {value}".strip())
    if words in known:
        name, one = known[words]
        return Relation(name, one, value)
    bare = words
    while (shorter := LEADING.sub("", bare)) != bare and shorter:
        bare = shorter
        if bare in known:
            name, one = known[bare]
            return Relation(name, one, value)
    return Relation(bare, None, value)


def named(asked: str) -> bool:
    """True for the name or a wording of a relation of the table, or for "feeling".

    >>> named("lives in"), named("favourite food"), named("bogus")
    (True, True, False)
    """
    words = SPACES.sub(" ", asked.strip(EDGES)).casefold()
    forms = (words, words.replace("_", " "), words.replace(" ", "_"))
    return words.split(" ")[0] == "feeling" or any(relation_of(form, "").one is not None for form in forms)


def value_key(value: str) -> str:
    """Values with one key are the same value: case, article, outer punctuation and spacing do not count.

    >>> value_key("  The Blue   Bike. ")
    'blue bike'
    """
    words = SPACES.sub(" ", value.strip(EDGES)).casefold()
    return ARTICLE.sub("", words) or words
