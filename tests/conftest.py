"""What every test gets: no network, and the benchmark data when a test asks for it.

A test that takes the fixture `bench_data` is skipped and named when QGMEM_BENCH_DATA is unset; with
QGMEM_REQUIRE_BENCH=1 it fails instead.
"""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


class NetworkAttempt(AssertionError):
    """A test tried to reach beyond this machine."""


def _stays_here(family: int, address: Any) -> bool:
    if family not in (socket.AF_INET, socket.AF_INET6):
        return True  # local sockets
    host = address[0] if isinstance(address, tuple) else address
    if isinstance(host, bytes):
        host = host.decode()
    if host in ("", "localhost"):
        return True
    try:
        return ipaddress.ip_address(str(host).split("%")[0]).is_loopback
    except ValueError:
        return False  # a name would have to be looked up


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fails a test on any attempt to reach another machine, also when the code swallowed the error."""
    attempts: list[str] = []

    def refuse(what: str) -> NetworkAttempt:
        attempts.append(what)
        return NetworkAttempt(f"no test may use the network: {what}")

    def guard(name: str, position: int) -> None:
        real = getattr(socket.socket, name)

        def guarded(self: socket.socket, *args: Any, **options: Any) -> Any:
            address = args[position]
            if not _stays_here(self.family, address):
                raise refuse(f"{name} to {address!r}")
            return real(self, *args, **options)

        monkeypatch.setattr(socket.socket, name, guarded)

    guard("connect", 0)
    guard("connect_ex", 0)
    guard("sendto", -1)
    look_up = socket.getaddrinfo

    def guarded_look_up(host: Any, *args: Any, **options: Any) -> Any:
        if host is not None and not _stays_here(socket.AF_INET, (host,)):
            raise refuse(f"looking up {host!r}")
        return look_up(host, *args, **options)

    monkeypatch.setattr(socket, "getaddrinfo", guarded_look_up)
    yield
    if attempts:
        pytest.fail(f"the test tried to use the network: {'; '.join(attempts)}", pytrace=False)


@pytest.fixture
def bench_data(request: pytest.FixtureRequest) -> Path:
    """The folder of benchmark data (see docs/design/evaluation.md for its layout)."""
    named = os.environ.get("QGMEM_BENCH_DATA")
    name = request.node.nodeid
    if named and Path(named).is_dir():
        return Path(named)
    why = f"{name} needs benchmark data: " + ("QGMEM_BENCH_DATA names no folder" if named else "set QGMEM_BENCH_DATA")
    if named or os.environ.get("QGMEM_REQUIRE_BENCH") == "1":
        pytest.fail(why, pytrace=False)
    pytest.skip(why)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks every test that takes `bench_data` as `bench`, so that `-m "not bench"` works."""
    for item in items:
        if "bench_data" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.bench)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Counts and names the benchmark tests that did not run."""
    left_out = sorted(
        report.nodeid
        for report in terminalreporter.stats.get("skipped", [])
        if isinstance(report.longrepr, tuple) and "needs benchmark data" in report.longrepr[2]
    )
    if left_out:
        terminalreporter.section(f"{len(left_out)} benchmark tests skipped: QGMEM_BENCH_DATA is unset")
        for name in left_out:
            terminalreporter.write_line(f"  {name}")
