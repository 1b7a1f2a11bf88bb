"""One value at a time, or several? For relations that the table does not know (CASES 9).

Decided on all claims of a trace together, so that the order in which they came does not matter:

1. what the extractor says of the relation; 2. the table of relations; 3. the kinds it gave: one `coexist` makes it
several, else one `update` makes it one; 4. words of the facts: "also", "another", "one of my" make it several,
"moved", "no longer", "instead" one; 5. an attribute ("favourite colour", "capital is") has one value; 6. several:
a value that is kept beside another can still be corrected, one that was closed by mistake misleads.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .claims import Claim
from .relations import relation_of

SEVERAL = re.compile(
    r"\b(?:also|another|as well|too|besides|in addition|one of (?:my|his|her|their|our)|both)\b", re.I
)
ONE = re.compile(
    r"\b(?:no longer|any ?more|instead|switched|changed|replaced|moved|now that|used to|from now on|turned out)\b",
    re.I,
)
ATTRIBUTE = re.compile(r"^(?:favou?rite\b.*|.*\bis|.*'s .*|.* of)$")


def one_at_a_time(claims: Sequence[Claim]) -> bool:
    """True if a new value supersedes the old one. `claims` are all of one trace."""
    told = [claim.functional for claim in claims if claim.functional is not None]
    if told:
        return all(told)
    relations = [relation_of(claim.predicate, claim.object) for claim in claims]
    known = [relation.one for relation in relations if relation.one is not None]
    if known:
        return all(known)
    kinds = {claim.kind for claim in claims}
    if kinds & {"coexist", "update"}:
        return "coexist" not in kinds
    texts = [claim.text for claim in claims]
    if any(map(SEVERAL.search, texts)):
        return False
    return any(map(ONE.search, texts)) or any(ATTRIBUTE.match(relation.name) for relation in relations)
