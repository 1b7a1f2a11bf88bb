"""Turns by number, for growth measurements: as many as asked for, never more than one life in memory."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from ..errors import InvalidInput
from .life import life
from .records import Message


def load_turns(n: int, seed: int) -> Iterator[Message]:
    """Yield exactly `n` turns of simulated lives of three years, one life after the other.

    Ids are unique throughout, so that all may go into one namespace; `Message.record()` is what `Memory.add` takes.
    A longer load begins with the shorter one. Raises InvalidInput if `n` is negative.
    """
    if n < 0:
        raise InvalidInput("n", f"must not be negative, got {n}")
    left = n
    for number in count():
        if left == 0:
            return
        for message in life(number, 3.0, seed, questions=0).dialogue.messages():
            yield message
            left -= 1
            if left == 0:
                return
