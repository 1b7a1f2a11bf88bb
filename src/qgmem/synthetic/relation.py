"""One relation of a life: what its values are, how often it changes, and every way to speak of it.

Templates follow `grammar.py`. Slots: {N} {P} {O} the subject as nominative, possessive, object ("Ana", "Ana's",
"her"); {obj} the value, {aobj} with its article; {kind} and {nick} the two halves of a value like
"cat named Miso"; {when} a time of an event, possibly empty; {point} a time after "since"; {then} a past time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .seeds import Draw

Templates = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Relation:
    """How one relation behaves and sounds.

    `functional`: one value at a time. `yearly`: changes (or additions) a year. `initial`: values held at the start
    of a multi-valued relation, at most. `held`: chance that a speaker has the relation; `others`: that anybody else
    has it. Templates: `say` a state, `since` a state with its start, `change` a new state, `past` a state reported
    late, `never` and `doing` for retractions, `end` a state that ends with no successor (empty: it cannot),
    `ask` the conversation partner's question, `short` a two-word answer to it, `q_now` `q_then` `q_when` questions
    to the memory (`q_now` asks for
    all values where the relation is multi-valued; `q_new` asks for the latest change), `noun` names the matter.
    """

    name: str
    functional: bool
    value: Callable[[Draw], str]
    yearly: float
    held: float
    others: float
    noun: str
    say: Templates
    since: Templates
    change: Templates
    past: Templates
    never: Templates
    doing: Templates
    ask: Templates
    short: Templates
    q_now: Templates
    q_then: Templates
    q_when: Templates
    q_new: Templates = ()
    end: Templates = ()
    react: Templates = ()
    initial: int = 2
    picture: Templates = ()
