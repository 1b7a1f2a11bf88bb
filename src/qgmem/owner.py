"""Whose memory a call is about: the user it names, and the one that a Mem0-style filter names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .errors import InvalidInput
from .stores.folder import checked

DEFAULT_USER = "default"
DEEPEST = 20  # levels looked through; the filter itself refuses more


def named_user(filters: Mapping[str, Any] | None, user_id: str) -> tuple[str, dict[str, Any]]:
    """The user that a filter names, at its top or inside AND, else `user_id`; and the filter without that name.

    Raises InvalidInput for what is no mapping, for two users, where `user_id` was given and the filter names
    another, and for a user under OR or NOT, where the name could not decide.
    """
    if filters is None:
        return user_id, {}
    if not isinstance(filters, Mapping):
        raise InvalidInput("filters", f"expected a mapping, got {type(filters).__name__}", 'as {"speaker": "Ana"}')
    named: list[Any] = []
    rest = _without(filters, named, 0)
    owners = {
        checked(owner["eq"] if isinstance(owner, Mapping) and set(owner) == {"eq"} else owner) for owner in named
    }
    if len(owners) > 1:
        raise InvalidInput("filters.user_id", f"names {len(owners)} users", "search one at a time")
    owner = owners.pop() if owners else user_id
    if user_id not in (DEFAULT_USER, owner):
        raise InvalidInput("filters.user_id", f"is {owner!r}, and the call is about {user_id!r}", "name one of them")
    return owner, rest


def _without(filters: Mapping[str, Any], named: list[Any], depth: int) -> dict[str, Any]:
    """The filter without the users that it names, which are added to `named`."""
    rest = dict(filters)
    if "user_id" in rest:
        named.append(rest.pop("user_id"))
    for name in ("OR", "NOT"):
        if depth < DEEPEST and _mentions(rest.get(name), depth):
            hint = "put it at the top; metadata.user_id is the key of a message's metadata"
            raise InvalidInput(f"filters.{name}", "holds user_id, which names whose memory is searched", hint)
    inner = rest.get("AND")
    if depth < DEEPEST and isinstance(inner, Mapping | Sequence) and not isinstance(inner, str):
        parts = [inner] if isinstance(inner, Mapping) else inner
        kept = [_without(part, named, depth + 1) if isinstance(part, Mapping) else part for part in parts]
        rest["AND"] = [part for part in kept if part != {}]
    return rest


def _mentions(value: object, depth: int) -> bool:
    """True if a user is named somewhere in there."""
    if depth > DEEPEST:
        return False
    if isinstance(value, Mapping):
        inside = (value.get(name) for name in ("AND", "OR", "NOT"))
        return "user_id" in value or any(_mentions(part, depth + 1) for part in inside)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return any(_mentions(part, depth + 1) for part in value)
    return False
