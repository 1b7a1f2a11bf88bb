"""The embedded store keeps every promise of the contract."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from store_contract import StoreContract

from qgmem.stores.folder import namespace_folder
from qgmem.stores.protocol import Store
from qgmem.stores.sqlite import SqliteStore


class TestSqliteStore(StoreContract):
    @pytest.fixture
    def store_at(self, tmp_path: Path) -> Iterator[Callable[[str], Store]]:
        opened: list[SqliteStore] = []

        def open_store(user_id: str) -> Store:
            opened.append(SqliteStore(namespace_folder(tmp_path, user_id), user_id))
            return opened[-1]

        yield open_store
        for store in opened:
            store.close()
