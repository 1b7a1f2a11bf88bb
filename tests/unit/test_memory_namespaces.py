"""Any Unicode user id has a memory of its own, inside the folder; nothing leaks from one to another."""

from __future__ import annotations

import os
import random
import threading
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from qgmem import Memory
from qgmem import spaces as spaces_module
from qgmem.errors import InvalidInput, NotFound, QgmemError
from qgmem.models.scripted import HashEmbedder
from qgmem.stores.folder import checked, namespace_folder

EMBEDDER = HashEmbedder(16)
IDS = (
    "default", "Default", "DEFAULT", "a", "A", "a ", " a", "a.", "a/", "a\\", "😀", "😀😀",
    "../x", "..", ".", "/etc/passwd",
    "C:\\x", "CON", "con", "nul.txt", "x" * 300, "x" * 301, "é",
    unicodedata.normalize("NFD", "é"), "ß", "ss", "İ", "i",
    "ﬁ", "fi", "K", "\u212a", "東京", "東京 ", "a\nb", "a\tb", "*?",
    "user:1", "user_1", "user-1", "\u200b", "\u202e", "-", "u",
    "%2e%2e", "~root", "$HOME", "'; DROP TABLE units; --",
    "memory.sqlite", "\x7f", "\u03a9", "\u2126", "null", "None", "0",
)  # fmt: skip


def memory_at(path: Path) -> Memory:
    return Memory.open(path, embedder=EMBEDDER)


def test_no_two_ids_share_a_file_and_none_leaves_the_folder(tmp_path: Path) -> None:
    assert len(set(IDS)) == len(IDS)
    folders = [namespace_folder(tmp_path, user_id) for user_id in IDS]
    assert len({str(folder).casefold() for folder in folders}) == len(IDS)
    for folder in folders:
        assert folder.parent == tmp_path
        assert folder.name.isascii()
        assert len(folder.name) < 64
        assert set(folder.name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")


def test_every_id_finds_its_own_words_and_no_others(tmp_path: Path) -> None:
    root = tmp_path / "memories"
    with memory_at(root) as memory:
        for place, user_id in enumerate(IDS):
            memory.add(f"the code word is number{place}x", user_id=user_id)
        assert memory.namespaces() == sorted(IDS)
    with memory_at(root) as memory:
        for place, user_id in enumerate(IDS):
            hits = memory.search("what is the code word?", user_id=user_id, limit=99)
            assert [hit.text for hit in hits] == [f"the code word is number{place}x"]
    assert os.listdir(tmp_path) == ["memories"]
    assert len(os.listdir(root)) == len(IDS)


@pytest.mark.parametrize(
    ("user_id", "problem"),
    [
        ("", "empty"),
        ("\ud83d", "surrogate at character 0"),
        ("a\udc00b", "surrogate at character 1"),
        (None, "NoneType"),
    ],
)
def test_ids_that_name_nobody_are_refused_everywhere(tmp_path: Path, user_id: str, problem: str) -> None:
    memory = memory_at(tmp_path / "m")
    for call in (
        lambda: memory.add("x", user_id=user_id),
        lambda: memory.search("x", user_id=user_id),
        lambda: memory.search("x", filters={"user_id": user_id}),
        lambda: memory.get("x", user_id=user_id),
        lambda: memory.get_all(user_id=user_id),
        lambda: memory.get_all(filters={"user_id": user_id}),
        lambda: memory.update("x", "y", user_id=user_id),
        lambda: memory.delete("x", user_id=user_id),
        lambda: memory.delete_all(user_id=user_id),
        lambda: memory.history("x", user_id=user_id),
        lambda: memory.stats(user_id=user_id),
        lambda: memory.reembed(user_id=user_id),
        lambda: memory.embed_pending(user_id=user_id),
        lambda: memory.export(tmp_path / "x", user_id=user_id),
    ):
        with pytest.raises(InvalidInput, match=f"user_id.*{problem}"):
            call()
    assert not (tmp_path / "m").exists()


def test_a_checked_id_is_the_id_itself() -> None:
    assert all(checked(user_id) is user_id for user_id in IDS)


def test_reading_makes_no_memory(tmp_path: Path) -> None:
    memory = memory_at(tmp_path / "m")
    assert memory.search("x", user_id="nobody") == []
    assert memory.get_all(user_id="nobody") == []
    assert memory.context("x", user_id="nobody") == ""
    assert memory.namespaces() == []
    assert memory.embed_pending(user_id="nobody") == 0
    for call in (memory.get, memory.history, memory.turn):
        with pytest.raises(NotFound):
            call("x", user_id="nobody")
    for missing in (memory.stats, memory.reembed):
        with pytest.raises(NotFound):
            missing(user_id="nobody")
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    "filters",
    [
        {"user_id": "bob"},
        {"user_id": {"eq": "bob"}},
        {"AND": [{"user_id": "bob"}]},
        {"AND": {"AND": [{"user_id": "bob"}]}},
    ],
)
def test_a_filter_names_a_user_only_where_the_call_names_no_other(tmp_path: Path, filters: Any) -> None:
    """Every call that takes a filter: bob's words for bob and for nobody named, an error for ana."""
    with memory_at(tmp_path) as memory:
        memory.add("I live in Rome.", user_id="bob")
        memory.add("I live in Oslo.", user_id="ana")
        calls: list[Callable[..., str]] = [
            lambda **user: memory.search("live", filters=filters, **user)[0].text,
            lambda **user: memory.context("live", filters=filters, **user),
            lambda **user: memory.ask("Who lives?", filters=filters, **user).working_memory[0].text,
            lambda **user: memory.get_all(filters=filters, **user)[0].text,
        ]
        for call in calls:
            assert "Rome" in call()
            assert "Rome" in call(user_id="bob")
            with pytest.raises(InvalidInput, match=r"filters\.user_id: is 'bob', and the call is about 'ana'"):
                call(user_id="ana")


@pytest.mark.parametrize(
    "filters",
    [{"OR": [{"user_id": "bob"}]}, {"NOT": {"user_id": "bob"}}, {"AND": [{"NOT": [{"OR": {"user_id": "b"}}]}]}],
)
def test_a_user_under_or_and_not_is_refused(tmp_path: Path, filters: Any) -> None:
    """It was read as a metadata key there, and found nothing, or everything."""
    with memory_at(tmp_path) as memory:
        for call in (memory.get_all, lambda **given: memory.search("x", **given)):
            with pytest.raises(InvalidInput, match="holds user_id, which names whose memory"):
                call(filters=filters)
            assert call(filters={"NOT": {"metadata.user_id": "bob"}}) == []


def test_a_scope_in_the_call_does_not_replace_the_filters(tmp_path: Path) -> None:
    """Said by agent a; asked for a in the filter and for b in the call, nothing is of both."""
    with memory_at(tmp_path) as memory:
        memory.add("tea", agent_id="a")
        assert [hit.text for hit in memory.search("tea", filters={"agent_id": "a"}, agent_id="a")] == ["tea"]
        for one, other in (("a", "b"), ("b", "a")):
            assert memory.search("tea", filters={"agent_id": one}, agent_id=other) == []


@pytest.mark.parametrize("scope", ["session_id", "agent_id", "run_id"])
def test_an_id_with_a_scope_deletes_nothing(tmp_path: Path, scope: str) -> None:
    """Both in one call took the whole scope; `b` was never named."""
    with memory_at(tmp_path) as memory:
        memory.add([{"content": "one", "id": "a"}, {"content": "two", "id": "b"}], **{scope: "s"})
        with pytest.raises(InvalidInput, match=f"id: does not go together with {scope}; delete by one, then"):
            memory.delete("a", **{scope: "s"})
        with pytest.raises(InvalidInput):
            memory.delete([], **{scope: "s"})
        assert [unit.id for unit in memory.get_all()] == ["a", "b"]
        assert memory.delete("a").unit_ids == ("a",)


def test_another_users_words_do_not_change_a_score(tmp_path: Path) -> None:
    """In one shared index the statistics of the second user would move the first one's ranking."""
    with memory_at(tmp_path) as memory:
        memory.add(["tea in the garden", "red kite", "the tax form is late"], user_id="ana")
        alone = [(hit.id, hit.score, hit.channels) for hit in memory.search("red tea form", user_id="ana")]
        memory.add([f"tea tea form red {n}" for n in range(200)], user_id="bob")
        assert [(hit.id, hit.score, hit.channels) for hit in memory.search("red tea form", user_id="ana")] == alone


def test_more_namespaces_than_stay_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one longest unused is closed; its words are found all the same, and no file stays open behind it."""
    monkeypatch.setattr(spaces_module, "OPEN_NAMESPACES", 8)
    with memory_at(tmp_path) as memory:
        for user in range(30):
            memory.add(f"I am user{user}x", user_id=f"u{user}")
        order = list(range(30))
        random.Random(1).shuffle(order)
        for user in order:
            assert memory.search("who am I", user_id=f"u{user}")[0].text == f"I am user{user}x"
            assert len(memory._spaces) <= 8
        opened = [os.readlink(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd") if _is_link(fd)]
        assert sum(str(tmp_path) in name and name.endswith("memory.sqlite") for name in opened) <= 8
        assert sum(str(tmp_path) in name and name.endswith("open.lock") for name in opened) <= 8
    left = [os.readlink(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd") if _is_link(fd)]
    assert not [name for name in left if str(tmp_path) in name]


def _is_link(fd: str) -> bool:
    try:
        os.readlink(f"/proc/self/fd/{fd}")
    except OSError:
        return False
    return True


def test_eight_threads_share_a_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They add, search, update and delete in 12 namespaces of which 3 stay open: no error, nothing lost."""
    monkeypatch.setattr(spaces_module, "OPEN_NAMESPACES", 3)
    failures: list[BaseException] = []
    kept: dict[str, dict[str, str]] = {f"u{n}": {} for n in range(12)}
    guard = threading.Lock()

    with memory_at(tmp_path) as memory:

        def work(name: int) -> None:
            drawn = random.Random(name)
            try:
                for n in range(25):
                    user = f"u{drawn.randrange(12)}"
                    texts = [f"thread{name} step{n} part{part}" for part in range(3)]
                    ids = [str(item.turn_id) for item in memory.add(texts, user_id=user).items]
                    found = {hit.id for hit in memory.search(f"thread{name} step{n}", user_id=user, limit=500)}
                    assert set(ids) <= found
                    final = dict(zip(ids, texts, strict=True))
                    if n % 5 == 0:
                        memory.update(ids[0], f"changed{name} step{n}", user_id=user)
                        final[ids[0]] = f"changed{name} step{n}"
                    if n % 4 == 0:
                        assert memory.delete(ids[1], user_id=user).unit_ids == (ids[1],)
                        del final[ids[1]]
                        assert ids[1] not in {hit.id for hit in memory.search("step part", user_id=user, limit=500)}
                    with guard:
                        kept[user] |= final
            except BaseException as error:
                failures.append(error)
                raise

        threads = [threading.Thread(target=work, args=(name,)) for name in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
        for user, expected in kept.items():
            assert {unit.id: unit.text for unit in memory.get_all(user_id=user)} == expected
            found = {
                hit.id for n in range(8) for hit in memory.search(f"thread{n} changed{n}", user_id=user, limit=999)
            }
            assert found == set(expected)
            assert memory._space(user).store.check() == []


def test_values_that_no_file_can_hold_are_typed_errors(tmp_path: Path) -> None:
    """A lone surrogate, a NUL or a number without end in any argument: an answer or an error of ours."""
    odd = ("\ud83d", "a\0b", "", " ", "x" * 100_000)
    with memory_at(tmp_path) as memory:
        memory.add("something to find")
        for value in odd:
            for call in (
                lambda v: memory.search(v),
                lambda v: memory.get(v),
                lambda v: memory.turn(v),
                lambda v: memory.history(v),
                lambda v: memory.delete(v),
                lambda v: memory.delete(session_id=v),
                lambda v: memory.get_all(filters={"speaker": v}),
                lambda v: memory.get_all(filters={v: 1}),
                lambda v: memory.search("x", filters={"city": {"contains": v}}),
                lambda v: memory.add("x", session_id=v),
                lambda v: memory.add("x", agent_id=v),
                lambda v: memory.add("x", metadata={v: v}),
                lambda v: memory.add("x", timestamp=v),
                lambda v: memory.add("x", time_zone=v),
            ):
                with suppress(QgmemError):
                    call(value)
        assert memory.get_all()[0].text == "something to find"
        for number in (1 << 80, -1, 0, True, 1.5, "3"):
            with pytest.raises(InvalidInput, match="limit"):
                memory.search("x", limit=number if number != 1 << 80 else 0)
        for wrong in (3, None, ["x"], {"role": "user", "content": "x"}):
            with pytest.raises(InvalidInput, match="text"):
                memory.update(memory.get_all()[0].id, wrong)  # type: ignore[arg-type]
        assert memory._space("default").store.check() == []
