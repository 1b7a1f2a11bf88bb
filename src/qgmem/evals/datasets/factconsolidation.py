"""FactConsolidation of MemoryAgentBench (Hu et al., 2025): numbered facts, the larger number is newer.

A subset's context is a heading line and then `0. fact` lines; single-hop (`sh`) and multi-hop (`mh`)
subsets of one size share one context, which becomes one conversation. Each line is one turn; its
serial number is its id and its only time.
"""

from __future__ import annotations

import re
from pathlib import Path

from qgmem.errors import InvalidInput

from .dialogue import (
    Conversation,
    Dataset,
    Message,
    Question,
    Session,
    expect_list,
    expect_mapping,
    expect_text,
    read_json,
)

SIZES = ("6k", "32k", "64k", "262k")
_FACT = re.compile(r"^(\d+)\. (.*)$", re.MULTILINE)
_SOURCE = re.compile(r"factconsolidation_(sh|mh)_(\w+)$")


def load_factconsolidation(path: Path, *, sizes: tuple[str, ...] = SIZES) -> Dataset:
    """Reads the `Conflict_Resolution` file as JSON; keeps the subsets of `sizes`, smallest first.

    Question categories are `sh_6k`, `mh_6k`, …; gold answers are `answers[i][0]`; there are no
    evidence ids. Raises InvalidInput naming record and field.
    """
    if unknown := sorted(set(sizes) - set(SIZES)):
        raise InvalidInput("sizes", f"{', '.join(unknown)} is none of {', '.join(SIZES)}")
    conversations: dict[str, Conversation] = {}
    questions: list[Question] = []
    for number, entry in enumerate(expect_list(read_json(path), path.name)):
        where = f"{path.name}[{number}]"
        record = expect_mapping(entry, where)
        metadata = expect_mapping(record.get("metadata"), f"{where}.metadata")
        source = expect_text(metadata, "source", f"{where}.metadata")
        named = _SOURCE.search(source)
        if named is None:
            raise InvalidInput(f"{where}.metadata.source", f"{source!r} names no FactConsolidation subset")
        hops, size = named.groups()
        if size not in sizes:
            continue
        context = expect_text(record, "context", where)
        facts = _facts(context, where)
        if size in conversations and conversations[size].sessions[0].messages != facts:
            raise InvalidInput(f"{where}.context", f"differs from the other context of size {size}")
        conversations.setdefault(size, Conversation(size, (Session("facts", None, facts),)))
        texts = expect_list(record.get("questions"), f"{where}.questions")
        answers = expect_list(record.get("answers"), f"{where}.answers")
        if len(texts) != len(answers):
            raise InvalidInput(f"{where}.answers", f"{len(answers)} for {len(texts)} questions")
        for index, (text, golds) in enumerate(zip(texts, answers, strict=True)):
            gold = expect_list(golds, f"{where}.answers[{index}]")
            if not gold:
                raise InvalidInput(f"{where}.answers[{index}]", "is empty")
            category = f"{hops}_{size}"
            questions.append(Question(f"{category}:{index}", size, str(text), str(gold[0]), (), category))
    order = {size: i for i, size in enumerate(SIZES)}
    return Dataset(
        "factconsolidation",
        tuple(sorted(conversations.values(), key=lambda c: order[c.id])),
        tuple(sorted(questions, key=lambda q: order[q.conversation_id])),
        (path,),
    )


def _facts(context: str, where: str) -> tuple[Message, ...]:
    found = [(m[1], m[2].strip()) for m in _FACT.finditer(context)]
    if not found:
        raise InvalidInput(f"{where}.context", "holds no `0. fact` line")
    if [int(serial) for serial, _ in found] != list(range(len(found))):
        raise InvalidInput(f"{where}.context", "serial numbers are not 0, 1, 2, …")
    return tuple({"role": "user", "content": fact, "id": serial} for serial, fact in found)
