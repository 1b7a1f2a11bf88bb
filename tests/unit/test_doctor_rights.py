"""doctor where it may not look: that is said, and is not taken for damage."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from forked import Child, Say, open_way

from qgmem import Memory
from qgmem.doctor import diagnose
from qgmem.models.scripted import HashEmbedder
from qgmem.stores.folder import DATABASE
from qgmem.surfaces.commands.caring import _line

UNPRIVILEGED = 65534  # "nobody"


def _examined_by_nobody(root: Path) -> list[str]:
    def look(say: Say) -> None:
        os.setgroups([])
        os.setgid(UNPRIVILEGED)
        os.setuid(UNPRIVILEGED)
        [health] = diagnose(root)
        say(f"{len(health.problems)} problems")
        for line in _line(health).splitlines():
            say(line)

    return Child(look).join()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can give up its rights for a test")
@pytest.mark.parametrize(
    ("folders", "files", "said"),
    [
        (0o555, 0o444, "cannot be written"),
        (0o555, 0o000, "cannot be read"),
        (0o000, 0o444, "cannot be listed"),
    ],
)
def test_what_may_not_be_touched_is_not_called_damaged(tmp_path: Path, folders: int, files: int, said: str) -> None:
    root = tmp_path / "m"
    with Memory.open(root, embedder=HashEmbedder(16)) as memory:
        memory.add("one", user_id="ana")
    open_way(root)
    [folder] = root.iterdir()
    for path in folder.iterdir():
        path.chmod(files)
    folder.chmod(folders)
    problems, first, *rest = _examined_by_nobody(root)
    folder.chmod(0o755)
    assert problems == "0 problems"
    assert first.startswith("NOT CHECKED ")
    assert [line for line in rest if line.startswith("  blocked: ") and said in line], rest


def test_a_check_that_was_not_possible_ends_with_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from typer.testing import CliRunner

    from qgmem.surfaces.cli import app

    with Memory.open(tmp_path, embedder=HashEmbedder(16)) as memory:
        memory.add("one", user_id="ana")

    def refused(self: Path, *_: object) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    real = Path.open
    monkeypatch.setattr(Path, "open", lambda self, *a: refused(self) if self.name == DATABASE else real(self, *a))
    done = CliRunner().invoke(app, ["doctor", "--path", str(tmp_path)])
    assert done.exit_code == 1
    assert "0 memories checked, 0 damaged, 1 could not be looked at" in done.output
    assert "DAMAGED" not in done.output
