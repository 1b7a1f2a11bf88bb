"""A fixed sample of a benchmark's questions: equally many a conversation, categories in proportion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256

from qgmem.errors import InvalidInput

from ..datasets.dialogue import Dataset, Question

SEED = 20260727


def sampled(dataset: Dataset, size: int | None, seed: int = SEED) -> tuple[Question, ...]:
    """`size` questions in the order of the dataset, or all of them where that is None or no fewer.

    Conversations get `size / conversations` each, the first ones one more where that leaves a rest. Within a
    conversation seats go to the category that is furthest behind its share of the questions so far, so that a rare
    one gets its due over the whole; which of its questions is decided by a hash of the seed and the question's id.
    Depends on nothing else, so it is the same sample on every machine.
    """
    if size is None or size >= len(dataset.questions):
        return dataset.questions
    if size < 1:
        raise InvalidInput("sample", f"{size} is below 1", "leave it out for all questions")
    each, rest = divmod(size, len(dataset.conversations))
    due: Counter[str] = Counter()  # seats that categories should have had, in units of 1 / a conversation's questions
    chosen: set[str] = set()
    for place, conversation in enumerate(dataset.conversations):
        questions = dataset.questions_of(conversation.id)
        seats = min(each + (place < rest), len(questions))
        queues = _queues(questions, seed)
        shares = {name: seats * len(queue) / len(questions) for name, queue in queues.items()}
        owed = {name: due[name] / 1e9 + share for name, share in shares.items()}
        for _ in range(seats):
            name = max((name for name in queues if queues[name]), key=lambda name: (owed[name], name))
            owed[name] -= 1
            chosen.add(queues[name].pop(0).id)
        for name, left in owed.items():
            due[name] = round(left * 1e9)
    return tuple(question for question in dataset.questions if question.id in chosen)


def _queues(questions: Sequence[Question], seed: int) -> dict[str, list[Question]]:
    """Questions by category in the order in which they are drawn."""
    found: dict[str, list[Question]] = {}
    for question in sorted(questions, key=lambda each: sha256(f"{seed}|{each.id}".encode()).digest()):
        found.setdefault(question.category, []).append(question)
    return found
