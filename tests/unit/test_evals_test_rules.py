"""The rules of this test suite, tried on a suite of their own: no network, and named benchmark skips."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

SUITE = """
import contextlib
import socket

def test_swallowed():
    with contextlib.suppress(BaseException):
        socket.create_connection(("192.0.2.1", 80), timeout=0.1)

def test_name():
    with contextlib.suppress(BaseException):
        socket.getaddrinfo("example.org", 80)

def test_datagram():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s, contextlib.suppress(BaseException):
        s.sendto(b"x", ("192.0.2.1", 9))

def test_loopback():
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname(), timeout=1).close()

def test_bench(bench_data):
    assert bench_data
"""


def run_suite(folder: Path, **environment: str) -> str:
    shutil.copy(Path(__file__).parents[1] / "conftest.py", folder / "conftest.py")
    (folder / "test_suite.py").write_text(SUITE)
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = bench\n")
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("QGMEM_", "PYTEST_"))}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rfE", "-q", "test_suite.py"],
        cwd=folder,
        env=clean | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return done.stdout


def test_every_network_attempt_fails_its_test_and_loopback_does_not(tmp_path: Path) -> None:
    shown = run_suite(tmp_path)
    for name in ("test_swallowed", "test_name", "test_datagram"):
        assert f"ERROR test_suite.py::{name}" in shown
    assert "::test_loopback" not in shown


def test_a_benchmark_test_without_data_is_skipped_counted_and_named(tmp_path: Path) -> None:
    shown = run_suite(tmp_path)
    assert "1 benchmark tests skipped: QGMEM_BENCH_DATA is unset" in shown
    assert "  test_suite.py::test_bench" in shown
    assert "1 skipped" in shown


def test_required_benchmark_data_that_is_missing_fails(tmp_path: Path) -> None:
    shown = run_suite(tmp_path, QGMEM_REQUIRE_BENCH="1")
    assert "test_suite.py::test_bench" in shown
    assert "skipped" not in shown
    shown = run_suite(tmp_path, QGMEM_BENCH_DATA=str(tmp_path / "nowhere"))
    assert "QGMEM_BENCH_DATA names no folder" in shown
