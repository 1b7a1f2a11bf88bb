"""Long-term memory for conversational agents: verbatim turns, two times, traceable evidence.

Importing this package loads nothing heavy; `Memory` and its helpers come in when they are first named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .errors import (
    AnswerFailed,
    EmbedderMismatch,
    InvalidInput,
    MissingExtra,
    ModelError,
    ModelMisbehaved,
    ModelRefused,
    ModelUnavailable,
    NotFound,
    QgmemError,
    StoreDamaged,
    StoreError,
    StoreUnavailable,
)
from .types import AddItem, AddReport, Entity, Hit, Interval, MemoryUnit, Triple, Turn

if TYPE_CHECKING:
    from .generation.answer import Answer, AnswerEvent
    from .memory import Memory
    from .memory_async import AsyncMemory
    from .settings import Settings

__version__ = "0.1.0"
__all__ = [
    "AddItem",
    "AddReport",
    "Answer",
    "AnswerEvent",
    "AnswerFailed",
    "AsyncMemory",
    "EmbedderMismatch",
    "Entity",
    "Hit",
    "Interval",
    "InvalidInput",
    "Memory",
    "MemoryUnit",
    "MissingExtra",
    "ModelError",
    "ModelMisbehaved",
    "ModelRefused",
    "ModelUnavailable",
    "NotFound",
    "QgmemError",
    "Settings",
    "StoreDamaged",
    "StoreError",
    "StoreUnavailable",
    "Triple",
    "Turn",
]
_LAZY = {
    "Answer": "generation.answer",
    "AnswerEvent": "generation.answer",
    "AsyncMemory": "memory_async",
    "Memory": "memory",
    "Settings": "settings",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'qgmem' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_LAZY[name]}", __name__), name)
