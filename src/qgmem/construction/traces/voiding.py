"""What retractions take back ("forget that, I was wrong"): it never held (SPEC §2.6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .claims import Claim
from .matching import the_match
from .relations import relation_of, value_key

Said = tuple[int, int, str]


def voided(ordered: Sequence[Claim]) -> Mapping[Said, Claim]:
    """Claims that were taken back, by their place in the order said, and the retraction that did it.

    `ordered`: all claims of a trace in the order said. A retraction reaches every earlier claim of its value; one
    without a value takes back the value that was claimed last and still stood. Later claims of the value count anew.
    """
    void: dict[Said, Claim] = {}
    for place, claim in enumerate(ordered):
        if claim.kind != "retraction":
            continue
        earlier = [c for c in ordered[:place] if c.kind != "retraction" and c.said not in void]
        wanted = _wanted(claim, earlier)
        for other in earlier:
            if _key(other) == wanted:
                void[other.said] = claim
    return void


def _wanted(retraction: Claim, earlier: Sequence[Claim]) -> str | None:
    if not retraction.object.strip():
        opened = [claim for claim in earlier if claim.kind != "end"]
        return _key(opened[-1]) if opened else None
    return the_match(_key(retraction), {_key(claim) for claim in earlier})


def _key(claim: Claim) -> str:
    return value_key(relation_of(claim.predicate, claim.object).value)
