"""import: counts, reasons, and a Ctrl-C that loses nothing and doubles nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_line import Cli


def _messages(count: int) -> str:
    return json.dumps(
        [
            {
                "role": "user",
                "name": "Ana",
                "content": f"Thought {n} about tides and lighthouses.",
                "id": f"m{n}",
            }
            for n in range(count)
        ]
    )


def test_import_counts_and_a_second_time_adds_nothing(cli: Cli) -> None:
    Path("chat.json").write_text(_messages(3))
    first = cli("import", "chat.json", "--user", "ana")
    assert (first.code, first.out) == (0, "stored 3, deduplicated 0, failed 0\n")
    assert cli("import", "chat.json", "--user", "ana").out == "stored 0, deduplicated 3, failed 0\n"


def test_import_names_what_failed_and_keeps_the_rest(cli: Cli) -> None:
    Path("chat.json").write_text('[{"role": "user", "content": "fine"}, {"role": "user", "content": 7}]')
    some = cli("import", "chat.json", "--user", "ana")
    assert some.code == 1
    assert some.out == "stored 1, deduplicated 0, failed 1\n"
    assert "failed: chat.json record [1]: content:" in some.err
    told = cli("import", "chat.json", "--user", "ana", "--json")
    assert told.code == 1
    assert (told.json["deduplicated"], told.json["failed"], len(told.json["failures"])) == (1, 1, 1)


def test_import_takes_several_files_and_names_the_memories(cli: Cli) -> None:
    Path("a.txt").write_text("Ana: Good morning.\nBen: Hello, Ana.\n")
    Path("b.jsonl").write_text('{"role": "user", "content": "hi", "user_id": "cleo"}\n')
    done = cli("import", "a.txt", "b.jsonl")
    assert done.out == "stored 3, deduplicated 0, failed 0\nmemories here: cleo, default\n"
    missing = cli("import", "a.txt", "c.json", "--path", "other")
    assert missing.code == 2
    assert not Path("other").exists(), "nothing is added when a file is missing"


def test_an_unknown_format_lists_the_known_ones(cli: Cli) -> None:
    Path("a.txt").write_text("Ana: Good morning.\n")
    refused = cli("import", "a.txt", "--format", "telepathy")
    assert refused.code == 2
    assert "transcript" in refused.err


def test_a_stopped_import_still_answers_in_json(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C after the first file's batch: its two messages are counted on stdout, stderr is JSON as well."""
    from qgmem import Memory

    Path("a.json").write_text(_messages(2))
    whole = Memory.import_

    def stopped(self: Memory, path: Path, **options: object) -> object:
        yield from whole(self, path, **options)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    monkeypatch.setattr(Memory, "import_", stopped)
    done = cli("import", "a.json", "--user", "ana", "--json")
    assert done.code == 130
    assert (done.json["stored"], done.json["interrupted"]) == (2, True)
    error = json.loads(done.err)["error"]
    assert (error["type"], error["message"]) == ("Interrupted", "interrupted")
    assert error["hint"].startswith("stored 2, deduplicated 0, failed 0 so far")
    monkeypatch.setattr(Memory, "import_", whole)
    again = cli("import", "a.json", "--user", "ana", "--json").json
    assert (again["deduplicated"], "interrupted" in again) == (2, False)


def test_text_that_cannot_be_kept_word_for_word_is_noted(cli: Cli) -> None:
    Path("a.json").write_text('[{"role": "user", "content": "odd \\ud800 tea"}, {"role": "user", "content": "fine"}]')
    told = cli("import", "a.json", "--user", "ana", "--json")
    assert (told.code, told.json["stored"], len(told.json["notes"])) == (0, 2, 1)
    assert told.json["notes"][0].startswith("content: lone surrogates (or bytes that were no UTF-8) became U+FFFD")


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_bytes_on_stdin_that_are_no_utf8_are_noted(cli: Cli, tmp_path: Path, locale: str) -> None:
    """One such byte is one U+FFFD, whatever the locale says of stdin."""
    done = subprocess.run(
        [sys.executable, "-m", "qgmem", "add", "-", "--user", "ana", "--id", "t", "--json"],
        cwd=tmp_path,
        env={**os.environ, "LC_ALL": locale},
        input=b"caf\xe9 tea \xc3\xa9",
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "U+FFFD" in json.loads(done.stdout)["items"][0]["note"]
    assert cli("show", "t", "--user", "ana", "--json").json["unit"]["text"] == "caf\ufffd tea \u00e9"
    changed = cli("update", "t", "a\udcffb", "--user", "ana")
    assert (changed.code, changed.err.startswith("note: text: lone surrogates")) == (0, True)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_ctrl_c_keeps_whole_batches_and_the_same_command_completes(cli: Cli, tmp_path: Path) -> None:
    """The signal goes out once the first batch is durable: 130, a word about going on, then everything once."""
    count = 1300
    Path("chat.json").write_text(_messages(count))
    command = [sys.executable, "-m", "qgmem", "import", "chat.json", "--user", "ana"]
    child = subprocess.Popen(
        command,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a background job may have it ignored
    )
    deadline = time.monotonic() + 60
    while _turns(tmp_path) == 0 and child.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=60)
    assert child.returncode == 130, said
    assert said.startswith("interrupted\n")
    assert "run the same command again" in said
    assert "Traceback" not in said
    kept = cli("stats", "--user", "ana", "--json").json["namespaces"][0]["turns"]
    assert 0 < kept < count
    rest = cli("import", "chat.json", "--user", "ana", "--json").json
    assert (rest["stored"], rest["deduplicated"], rest["failed"]) == (count - kept, kept, 0)


def _turns(folder: Path) -> int:
    """Turns that are durable, asked as another process would."""
    import sqlite3
    from contextlib import closing

    for path in folder.glob("memories/*/memory.sqlite"):
        try:
            with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
                return int(connection.execute("SELECT count(*) FROM turns").fetchone()[0])
        except sqlite3.OperationalError:
            continue  # not made yet
    return 0
