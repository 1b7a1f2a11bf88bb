"""Simulated lives: dialogues about people whose states change, with the truth known at every moment."""

from __future__ import annotations

from .life import simulate
from .load import load_turns
from .records import NO_ANSWER, Claim, Dialogue, Life, Message, Person, Question, Session
from .truth import State, Truth
from .write import SynthReport, synth, write

__all__ = [
    "NO_ANSWER", "Claim", "Dialogue", "Life", "Message", "Person", "Question", "Session", "State", "SynthReport",
    "Truth", "load_turns", "simulate", "synth", "write",
]  # fmt: skip
