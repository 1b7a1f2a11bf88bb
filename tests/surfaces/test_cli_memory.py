"""add, search, show, history, export, import, forget, stats: what a person sees, and what a program reads."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import Cli

from qgmem import Memory
from qgmem.surfaces.reference import JSON, json_names

ANA = ("--user", "ana")


@pytest.fixture
def greyhound(cli: Cli) -> Cli:
    """A memory of one turn, `t1`, said on 3 June 2024 about the day before."""
    text = "We adopted a greyhound called Biscuit yesterday."
    added = cli("add", text, *ANA, "--speaker", "Ana", "--time", "2024-06-03T18:05+02:00", "--id", "t1")
    assert (added.code, added.out) == (0, "stored t1\n")
    return cli


def test_a_hit_shows_text_speaker_both_times_source_and_channels(greyhound: Cli) -> None:
    found = greyhound("search", "What is the greyhound called?", *ANA)
    assert found.code == 0
    for part in ("Ana", "greyhound called Biscuit", "said 2024-06-03 18:05 +02:00", "happened 2024-06-02", "turn t1"):
        assert part in found.out
    assert "lexical #1 (" in found.out
    assert "semantic #1 (" in found.out
    assert all(len(line) <= 80 for line in found.out.splitlines())


def test_explain_shows_parts_that_add_up_to_the_score(greyhound: Cli) -> None:
    [hit] = greyhound("search", "greyhound", *ANA, "--explain", "--json").json["hits"]
    assert hit["contributions"]
    assert sum(hit["contributions"].values()) == pytest.approx(hit["score"], abs=1e-4)
    assert "score is lexical " in greyhound("search", "greyhound", *ANA, "--explain").out


def test_json_hit_holds_everything_the_facade_says(greyhound: Cli) -> None:
    [hit] = greyhound("search", "greyhound", *ANA, "--json").json["hits"]
    assert hit["turn_ids"] == ["t1"]
    assert hit["speaker"] == "Ana"
    assert hit["utterance_time"] == "2024-06-03T18:05:00+02:00"
    assert hit["fact_times"] == [{"start": "2024-06-02", "end": "2024-06-02", "granularity": "day"}]
    assert hit["channels"]["lexical"]["rank"] == 1
    assert hit["quote"] == hit["text"]


def test_search_takes_filters_times_and_a_limit(greyhound: Cli) -> None:
    assert greyhound("search", "dog", *ANA, "--filter", '{"speaker": "Ben"}', "--json").json["hits"] == []
    assert len(greyhound("search", "dog", *ANA, "--filter", '{"speaker": "Ana"}', "--json").json["hits"]) == 1
    assert greyhound("search", "dog", *ANA, "--as-of", "2020", "--json").json["hits"] == []
    assert greyhound("search", "dog", *ANA, "--known-at", "2024-06-01", "--json").json["hits"] == []
    refused = greyhound("search", "dog", *ANA, "--limit", "0")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.startswith("error: --limit:")


def test_context_is_text_for_a_prompt(greyhound: Cli) -> None:
    text = greyhound("search", "greyhound", *ANA, "--context", "100").out
    assert text.startswith("[MU1] 2024-06-03 18:05 Ana: We adopted")
    assert greyhound("search", "greyhound", *ANA, "--context", "100", "--json").json["context"] == text.strip()


def test_a_search_in_the_wrong_place_says_so_and_makes_no_memory(greyhound: Cli) -> None:
    other = greyhound("search", "dog", "--user", "anna")
    assert (other.code, other.out) == (0, "")
    assert "no memory of 'anna' in memories; there are ana" in other.err
    assert greyhound("search", "dog", "--path", "elsewhere").err.startswith("nothing found: no memories in elsewhere")
    assert not Path("elsewhere").exists()
    assert greyhound("search", "dog", "--user", "anna", "--json").json["hits"] == []
    assert len(list(Path("memories").iterdir())) == 1


def test_show_and_history_tell_a_changed_unit_from_what_was_said(greyhound: Cli) -> None:
    with Memory.open("memories") as memory:
        memory.update("t1", "Ana has a greyhound, Biscuit.", user_id="ana")
    shown = greyhound("show", "t1", *ANA).out
    assert "Ana has a greyhound, Biscuit." in shown
    assert "first said as  We adopted" in shown
    assert "until " in greyhound("history", "t1", *ANA).out
    told = greyhound("history", "t1", *ANA, "--json").json
    assert told["text"] == "Ana has a greyhound, Biscuit."
    former = [event["text"] for event in told["events"] if event["event"] == "update"]
    assert former == ["We adopted a greyhound called Biscuit yesterday."]
    assert "says: Ana · pet, from 2024-06-03: greyhound" in greyhound("history", "t1", *ANA).out
    both = greyhound("show", "t1", *ANA, "--json").json
    assert both["unit"]["text"] != both["turns"][0]["text"]


def test_an_export_comes_back_whole_and_never_replaces_a_file_unasked(greyhound: Cli) -> None:
    assert greyhound("export", "ana.jsonl", *ANA).out == "1 records to ana.jsonl\n"
    before = Path("ana.jsonl").read_bytes()
    again = greyhound("export", "ana.jsonl", *ANA)
    assert again.code == 2
    assert "--force replaces it" in again.err
    assert greyhound("import", "ana.jsonl", "--path", "second", "--json").json["stored"] == 1
    assert greyhound("export", "second.jsonl", *ANA, "--path", "second").code == 0
    assert Path("second.jsonl").read_bytes() == before
    assert greyhound("export", "nobody.jsonl", "--user", "nobody").code == 1
    assert not Path("nobody.jsonl").exists()
    assert not list(Path().glob("*.partial"))


def test_forget_leaves_no_byte_and_a_receipt(greyhound: Cli) -> None:
    greyhound("add", "Biscuit sleeps all day.", *ANA, "--session", "june", "--id", "t2")
    receipt = greyhound("forget", "--session", "june", *ANA, "--yes", "--json").json
    assert (receipt["user_id"], receipt["unit_ids"], receipt["turns"]) == ("ana", ["t2"], 1)
    assert greyhound("forget", "t1", *ANA, "--yes").out.startswith("forgotten: 1 units, 1 turns")
    left = b"".join(path.read_bytes() for path in Path("memories").rglob("*") if path.is_file())
    assert b"Biscuit" not in left
    greyhound("add", "Something new.", *ANA)
    assert greyhound("forget", "--all", *ANA, "--yes").out.startswith("forgotten: 1 units, 1 turns")
    assert greyhound("stats").err.startswith("no memories in memories")


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("--yes",), "nothing is named"),
        (("t1", "--all", "--yes"), "does not go together"),
        (("t1", "--session", "june", "--yes"), "do not go together with --session"),
        (("t1", "--run", "r", "--yes"), "do not go together with --session, --agent or --run"),
        (("--all",), "needed to forget everything of 'ana'"),
    ],
)
def test_forget_refuses_what_is_unclear_or_not_confirmed(
    greyhound: Cli, arguments: tuple[str, ...], word: str
) -> None:
    """The tests have no terminal, so nobody can confirm."""
    refused = greyhound("forget", *ANA, *arguments)
    assert refused.code == 2
    assert word in refused.err
    assert greyhound("stats", *ANA, "--json").json["namespaces"][0]["turns"] == 1


def test_a_terminal_is_asked_and_no_means_no(greyhound: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("typer.confirm", lambda question, err: "everything of 'ana'" not in question and err)
    kept = greyhound("forget", "--all", *ANA)
    assert kept.code == 1
    assert "nothing was forgotten" in kept.err
    assert greyhound("stats", *ANA).code == 0


def test_stats_counts_each_memory(greyhound: Cli) -> None:
    greyhound("add", "Hello.", "--user", "ben")
    counted = greyhound("stats", "--json").json
    assert [(each["user_id"], each["turns"]) for each in counted["namespaces"]] == [("ana", 1), ("ben", 1)]
    assert "1 turns in 1 sessions" in greyhound("stats", *ANA).out


def test_text_that_steers_terminals_is_shown_harmless_and_kept_whole(cli: Cli) -> None:
    """An escape sequence in a message could otherwise clear the screen of whoever reads it; markup is only text."""
    text = "careful \x1b[2J with [red]this[/red] \u202edrow"
    cli("add", text, *ANA, "--id", "t1")
    shown = cli("search", "careful", *ANA).out
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "[red]this[/red]" in shown
    assert cli("search", "careful", *ANA, "--json").json["hits"][0]["text"] == text


def test_text_may_come_from_stdin(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin.read", lambda: "From a pipe.", raising=False)
    assert cli("add", "-", *ANA, "--id", "p").code == 0
    assert cli("show", "p", *ANA, "--json").json["unit"]["text"] == "From a pipe."


@pytest.mark.parametrize(
    ("command", "arguments"),
    {
        "demo": (),
        "add": ("Hello.",),
        "import": ("chat.txt",),
        "search": ("greyhound", *ANA),
        "show": ("t1", *ANA),
        "history": ("t1", *ANA),
        "list": ANA,
        "update": ("t1", "Other words.", *ANA),
        "export": ("out.jsonl", *ANA),
        "forget": ("t1", *ANA, "--yes"),
        "stats": (),
        "build": ("--model", "scripted", *ANA),
        "doctor": (),
        "reembed": (),
        "synth": ("--people", "1", "--years", "0.3", "--out", "lives"),
    }.items(),
)
def test_json_has_the_documented_names_and_nothing_else_on_stdout(
    greyhound: Cli, command: str, arguments: tuple[str, ...]
) -> None:
    Path("chat.txt").write_text("Ana: Good morning.\n")
    assert list(greyhound(command, *arguments, "--json").json) == json_names(command)
    assert command in JSON


def test_progress_goes_to_a_terminal_and_never_into_the_answer(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """`TTY_COMPATIBLE` makes rich take the captured streams for terminals."""
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setattr("qgmem.surfaces.progress.SILENT_SECONDS", 0.0)
    done = cli("synth", "--people", "2", "--years", "0.3", "--out", "lives", "--json")
    assert done.json["lives"] == 2
    assert "lives" in done.err
    cli("add", "Hello.")
    assert cli("export", "out.jsonl", "--json").json["records"] == 1


def test_a_unit_gets_new_words_and_the_list_shows_them(greyhound: Cli) -> None:
    assert greyhound("update", "t1", "We adopted a whippet.", *ANA).out == "updated t1\n"
    assert "   We adopted a whippet." in greyhound("list", *ANA).out
    assert "until " in greyhound("history", "t1", *ANA).out
    assert greyhound("update", "t9", "x", *ANA).code == 1
    assert greyhound("update", "t1", "x", "--user", "nobody").code == 1


def test_the_list_stops_at_its_limit_and_says_so(greyhound: Cli) -> None:
    greyhound("add", "Another line.", *ANA, "--id", "t2")
    greyhound("add", "A third line.", *ANA, "--id", "t3")
    told = greyhound("list", *ANA, "--limit", "2", "--json")
    assert (told.json["units"][0]["id"], len(told.json["units"])) == ("t1", 2)
    assert told.json["more"] is True
    assert greyhound("list", "--user", "nobody").out == ""
