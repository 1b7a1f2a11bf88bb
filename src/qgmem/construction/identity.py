"""Which turn is which: the id that was given, or a digest of what makes two turns the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256

from .messages import Message

Seen = Counter[bytes]  # by digest, how often a message without id has come
_KEY = 12  # bytes of that digest


def turn_ids(
    messages: Sequence[Message], namespace: str, session_ids: Sequence[str], seen: Seen | None = None
) -> list[str]:
    """Ids in order: the given one, else a digest of namespace, session, time, speaker, text and caption.

    Equal messages of one call are told apart by their ordinal, so importing an export twice adds nothing, the same
    words at two times are two turns, and one message posted twice without id or time is one. `seen` is handed from
    batch to batch of one call.
    """
    seen = Counter() if seen is None else seen
    found = []
    for message, session_id in zip(messages, session_ids, strict=True):
        if message.id is not None:
            found.append(message.id)
            continue
        time = message.time.isoformat() if message.time else message.unread_time or ""
        digest = sha256()
        for part in (namespace, session_id, time, message.speaker, message.content, message.caption or ""):
            digest.update(_counted(part))
        equal = digest.digest()[:_KEY]
        digest.update(_counted(str(seen[equal])))
        seen[equal] += 1
        found.append(f"t-{digest.hexdigest()[:24]}")
    return found


def _counted(part: str) -> bytes:
    """Its length, then itself: no two lists of parts give the same bytes."""
    data = part.encode()
    return len(data).to_bytes(8, "big") + data
