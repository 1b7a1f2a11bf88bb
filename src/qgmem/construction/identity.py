"""Which turn is which: the id that was given, or a digest of what makes two turns the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256

from .messages import Message


def turn_ids(messages: Sequence[Message], namespace: str, session_ids: Sequence[str]) -> list[str]:
    """Ids in order: the given one, else a digest of namespace, session, time, speaker, text and caption.

    Equal messages of one call are told apart by their ordinal, so importing an export twice adds nothing, the same
    words at two times are two turns, and one message posted twice without id or time is one.
    """
    seen: Counter[tuple[str, ...]] = Counter()
    found = []
    for message, session_id in zip(messages, session_ids, strict=True):
        if message.id is not None:
            found.append(message.id)
            continue
        time = message.time.isoformat() if message.time else message.unread_time or ""
        parts = (namespace, session_id, time, message.speaker, message.content, message.caption or "")
        digest = sha256()
        for part in (*parts, str(seen[parts])):
            data = part.encode()
            digest.update(len(data).to_bytes(8, "big") + data)
        seen[parts] += 1
        found.append(f"t-{digest.hexdigest()[:24]}")
    return found
