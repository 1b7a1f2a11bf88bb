"""What rankers and weights are made from, read into a memory: BEAM-100K 1–14, written dialogues, synthetic lives.

None of it is reported on. A memory that already holds a conversation is not filled again, so a second run is quick.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from ..errors import InvalidInput
from ..evals.datasets.beam import load_beam
from ..memory import Memory
from ..synthetic import simulate
from .dialogues import load_dialogues

T = TypeVar("T")

BEAM_CHATS = range(1, 15)
LIVES, YEARS, SEED, QUESTIONS = 24, 1.5, 101, 8


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its gold: evidence ids, and ids that are neither right nor wrong (repeats, neighbours)."""

    user_id: str
    text: str
    evidence: frozenset[str]
    ignored: frozenset[str] = frozenset()
    time: str | None = None
    kind: str = ""


def beam(memory: Memory, folder: Path) -> Iterator[Asked]:
    """The questions with evidence of chats 1–14. Raises InvalidInput for a folder without them."""
    wanted = frozenset(f"100K/{number}" for number in BEAM_CHATS)
    data = load_beam(folder, chats=wanted)
    if {conversation.id for conversation in data.conversations} != wanted:
        raise InvalidInput("beam", "expected a folder with 100K/1 to 100K/14", "name the folder that holds 100K")
    present = set(memory.namespaces())
    for conversation in said("chats", data.conversations):
        if conversation.id not in present:
            for session in conversation.sessions:
                memory.add(
                    [dict(message) for message in session.messages],
                    user_id=conversation.id,
                    session_id=session.id,
                    timestamp=session.timestamp,
                )
    for question in data.questions:
        if question.evidence:
            yield Asked(question.conversation_id, question.text, frozenset(question.evidence), kind="beam")


def written(memory: Memory, folder: Path, writers: str = "abcdef") -> Iterator[Asked]:
    """The questions of the dialogues by these writers, the first letters of their files. Raises InvalidInput."""
    present = set(memory.namespaces())
    for dialogue in said("dialogues", [one for one in load_dialogues(folder) if one.id[0] in writers]):
        user_id = f"written/{dialogue.id}"
        if user_id not in present:
            for session_id, time, messages in dialogue.sessions:
                memory.add(list(messages), user_id=user_id, session_id=session_id, timestamp=time)
        for question in dialogue.questions:
            yield Asked(user_id, question.text, question.evidence, kind="written")


def lives(memory: Memory) -> Iterator[Asked]:
    """Questions about synthetic lives; friends' questions once more about the other speaker, as `misattributed`."""
    present = set(memory.namespaces())
    for life in said("lives", list(simulate(LIVES, YEARS, SEED, questions=QUESTIONS))):
        if life.case_id not in present:
            for session in life.dialogue.sessions:
                memory.add([message.record() for message in session.messages], user_id=life.case_id)
        speakers = sorted({message.name for session in life.dialogue.sessions for message in session.messages})
        friends = [name.split()[0] for name in speakers] if life.dialogue.kind == "friends" else []
        for question in life.questions:
            if not question.evidence:
                continue
            one = Asked(
                life.case_id,
                question.text,
                frozenset(question.evidence),
                frozenset(question.support),
                question.question_time.isoformat() if question.question_time else None,
                "friends" if friends else "assistant",
            )
            yield one
            named = [name for name in friends if name in question.text]
            if len(friends) == 2 and len(named) == 1:
                other = friends[1 - friends.index(named[0])]
                yield replace(one, text=question.text.replace(named[0], other), kind="misattributed")


def said(what: str, items: Sequence[T]) -> Iterator[T]:
    """The items, counted on standard error."""
    for place, item in enumerate(items, 1):
        print(f"\r{what} {place}/{len(items)}", end="" if place < len(items) else "\n", file=sys.stderr)
        yield item
