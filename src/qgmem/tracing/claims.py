"""Stored triples as the claims that states are worked out from."""

from __future__ import annotations

from typing import cast

from ..construction.traces import Claim, ClaimKind
from ..stores.trace_records import TripleRow


def claim_of(row: TripleRow) -> Claim:
    """The claim of a stored triple."""
    return Claim(
        unit_id=row.unit_id,
        subject_id=row.subject,
        subject_name=row.name,
        predicate=row.predicate,
        object=row.object,
        kind=cast(ClaimKind, row.kind),
        fact_time=row.fact_time,
        utterance_time=row.utterance_time,
        sequence=row.sequence,
        place=row.place,
        text=row.quote,
        source=row.source,
        functional=row.functional,
        subject_known=row.sure,
    )
