"""The words of a question that say what it is about: its terms without function words."""

from __future__ import annotations

from functools import lru_cache

from ..stores.analyser import terms

# English words that carry grammar, not subject: articles, pronouns, auxiliaries, prepositions, conjunctions,
# question words, and the politeness and recall phrases that questions to a memory begin with.
FUNCTION_WORDS = """
a an the this that these those some any each every either neither both such same other another
i me my mine myself we us our ours ourselves you your yours yourself he him his himself she her hers herself
it its itself they them their theirs themselves one ones someone anyone everyone something anything everything
am is are was were be been being do does did done doing have has had having can could will would shall should
may might must ought cannot dont doesnt didnt isnt arent wasnt werent havent hasnt hadnt wont wouldnt couldnt
shouldnt cant im ive id ill youre youve hes shes theyre weve were thats whats
of in on at by for with about against between into through during before after above below to from up down out
off over under again further than as until while since upon within without across along among around per via
and or but nor so yet if then else because although though whether
who whom whose which what when where why how
not no only own too very just also more most much many few less least here there now ever never
please tell know remember recall mention mentioned say said let get got go
"""


def question_terms(question: str, language: str) -> list[str]:
    """Index terms of a question, function words left out unless nothing else is there."""
    found = terms(question, language)
    if language != "english":
        return found
    return [term for term in found if term not in _function_terms()] or found


@lru_cache(maxsize=1)
def _function_terms() -> frozenset[str]:
    return frozenset(term for word in FUNCTION_WORDS.split() for term in terms(word, "english"))
