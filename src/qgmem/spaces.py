"""The open namespaces of one folder: opened when they are asked for, the longest unused closed beyond a number."""

from __future__ import annotations

import threading
from collections import OrderedDict
from pathlib import Path
from typing import Literal, overload

from .errors import NotFound
from .models.checked import CheckedEmbedder
from .namespace import Namespace
from .settings import Settings
from .stores.folder import check_root, checked, namespace_folder, present
from .stores.records import Receipt

OPEN_NAMESPACES = 64  # files kept open; the one longest unused is closed beyond that


class Spaces:
    """Namespaces by user id, all opened for one embedder. Safe to share between threads."""

    def __init__(self, path: Path, settings: Settings, embedder: CheckedEmbedder) -> None:
        self.path, self._settings, self._embedder = path, settings, embedder
        self._open: OrderedDict[str, Namespace] = OrderedDict()
        self._lock = threading.RLock()

    def __len__(self) -> int:
        return len(self._open)

    @overload
    def space(self, user_id: str, *, create: Literal[True] = True, bind: bool = True) -> Namespace: ...
    @overload
    def space(self, user_id: str, *, create: Literal[False], bind: bool = True) -> Namespace | None: ...
    def space(self, user_id: str, *, create: bool = True, bind: bool = True) -> Namespace | None:
        """The open namespace; None if it is not there and not to be made.

        `bind` holds it to the embedder: off for what needs no vectors.

        Raises EmbedderMismatch.
        """
        with self._lock:
            space = self._open.get(checked(user_id))
            if space is not None and space.store.moved:  # somebody removed the folder, or put another in its place
                del self._open[user_id]
                space.close(fold=False)
                space = None
            if space is None:
                if not create and not present(self.path, user_id):
                    return None
                space = self._open[user_id] = self._new(user_id)
            self._open.move_to_end(user_id)
            surplus = len(self._open) - OPEN_NAMESPACES
            closing = [self._open.popitem(last=False)[1] for _ in range(surplus)]
        for idle in closing:  # a call that still uses it ends as it should; see SqliteFile
            idle.close()
        if bind:
            space.store.use_embedder(self._embedder.id, self._embedder.dimension)
        return space

    def existing(self, user_id: str, *, bind: bool = False) -> Namespace:
        """The namespace for a call about what is in it, whoever embedded it. Raises NotFound."""
        space = self.space(user_id, create=False, bind=bind)
        if space is None:
            raise self._absent(user_id)
        return space

    def apart(self, user_id: str) -> Namespace:
        """An opening of its own of what is there, for its caller to close. Raises NotFound."""
        if not present(self.path, user_id):
            raise self._absent(user_id)
        return self._new(user_id)

    def remove(self, user_id: str) -> Receipt:
        """Delete everything of a user, files included."""
        if not present(self.path, user_id):
            return Receipt(user_id, (), 0, 0, 0, 0, 0)
        with self._lock:
            space = self._open.pop(user_id, None) or self._new(user_id)
            space.index.forget()
            receipt = space.store.delete_all()
            space.store.close()
            return receipt

    def close(self) -> None:
        """Fold indexes that have grown, close the files."""
        with self._lock:
            while self._open:
                self._open.popitem()[1].close()

    def _new(self, user_id: str) -> Namespace:
        check_root(self.path)
        folder = namespace_folder(self.path, checked(user_id))
        return Namespace(folder, user_id, self._settings, self._embedder.id, self._embedder.dimension)

    def _absent(self, user_id: str) -> NotFound:
        return NotFound(f"user_id: no memory of {user_id!r} in {self.path.name}")
