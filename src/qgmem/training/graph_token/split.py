"""Train, validation and test by case, never by question ([A]): two questions about one life share its words."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...errors import InvalidInput
from .examples import Example

VALIDATION, TEST = 0.15, 0.25  # shares of cases


@dataclass(frozen=True, slots=True)
class Split:
    """Examples in three parts that share no case, in the order given."""

    train: tuple[Example, ...]
    validation: tuple[Example, ...]
    test: tuple[Example, ...]


def split_cases(examples: Sequence[Example], *, seed: int = 0, test: float = TEST) -> Split:
    """Cases in an order drawn by hash; at least one in every part.

    The order of cases does not depend on which others there are; where the parts end depends on how many there are.
    `test` is a share of cases, 0 for none. Raises InvalidInput for fewer cases than parts.
    """
    cases = sorted({example.case_id for example in examples}, key=lambda case: (_draw(seed, case), case))
    held, tested = max(1, round(VALIDATION * len(cases))), max(1, round(test * len(cases))) if test else 0
    if len(cases) <= held + tested:
        raise InvalidInput("data", f"holds {len(cases)} cases", f"give at least {3 if test else 2}: parts share none")
    return Split(
        _of(examples, cases[held + tested :]), _of(examples, cases[:held]), _of(examples, cases[held : held + tested])
    )


def _draw(seed: int, case: str) -> str:
    return hashlib.sha256(f"{seed}|{case}".encode()).hexdigest()


def _of(examples: Sequence[Example], cases: Iterable[str]) -> tuple[Example, ...]:
    wanted = set(cases)
    return tuple(example for example in examples if example.case_id in wanted)


def spread(examples: Sequence[Example], limit: int | None) -> tuple[Example, ...]:
    """At most `limit` examples, one of each type in turn, drawn by hash within a type; in the order given."""
    if limit is None:
        return tuple(examples)
    by_type: dict[str, list[Example]] = {}
    for one in sorted(examples, key=lambda one: (_draw(0, one.id), one.id)):
        by_type.setdefault(one.type, []).append(one)
    turns = [(place, kind, one.id) for kind, held in by_type.items() for place, one in enumerate(held)]
    chosen = {name for _, _, name in sorted(turns)[:limit]}
    return tuple(one for one in examples if one.id in chosen)
