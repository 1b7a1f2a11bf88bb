"""`trace`: a timeline with quotes, in JSON, as a picture; and what it says when there is nothing to tell."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from command_line import Cli

from qgmem.surfaces.reference import json_names

ANA = ("--user", "ana")
SAID = (
    ("t1", "2023-01-10", "I live in Turin."),
    ("t2", "2024-03-05", "I moved to Porto."),
    ("t3", "2024-03-06", "I joined Kettle <Sons>."),
)


@pytest.fixture
def moved(cli: Cli) -> Cli:
    for id, time, words in SAID:
        assert cli("add", words, *ANA, "--speaker", "Ana", "--time", time, "--id", id).code == 0
    return cli


def test_a_timeline_with_the_words_it_rests_on(moved: Cli) -> None:
    shown = moved("trace", "Ana", *ANA, "--relation", "home")
    assert (shown.code, shown.err) == (0, "")
    lines = shown.out.splitlines()
    assert lines[0] == "Ana · home"
    assert [line.split(" ")[0] for line in lines[1:3]] == ["Turin", "Porto"]
    assert "  from 2023-01-10 to 2024-03-05: Turin, said 2023-01-10 [t1]" in lines
    assert '    "I live in Turin."' in lines
    assert lines[-1] == "  now: Porto [t2]"
    assert all(len(line) <= 80 for line in lines)


def test_both_times_reach_the_answer(moved: Cli) -> None:
    def values(*options: str) -> list[str]:
        found = moved("trace", "Ana", *ANA, "--relation", "home", "--json", *options).json["trajectories"]
        return [state["value"] for each in found for state in each["states"]]

    assert values() == ["Turin", "Porto"]
    assert values("--as-of", "2023-05") == ["Turin"]
    assert values("--known-at", "2024-03-04") == ["Turin"]
    assert values("--as-of", "2020") == []


def test_json_holds_what_the_facade_says(moved: Cli) -> None:
    answer = moved("trace", "Ana", *ANA, "--json").json
    assert list(answer) == json_names("trace")
    employer, home = answer["trajectories"]
    assert (employer["relation"], home["relation"], home["one"]) == ("employer", "home", True)
    turin = home["states"][0]
    assert (turin["valid_from"], turin["valid_to"], turin["status"]) == ("2023-01-10", "2024-03-05", "superseded")
    assert (turin["unit_id"], turin["quote"], turin["reason"]) == ("t1", "I live in Turin.", "superseded by t2")


def test_the_picture_is_well_formed_and_says_what_was_asked(moved: Cli) -> None:
    assert moved("trace", "Ana", *ANA, "--svg", "ana.svg").err == "drawn to ana.svg\n"
    text = Path("ana.svg").read_text("utf-8")
    words = " ".join(ElementTree.fromstring(text).itertext())
    assert all(word in words for word in ("Ana · home", "Ana · employer", "Turin", "Porto", "Kettle <Sons>"))
    moved("trace", "Ana", *ANA, "--relation", "home", "--svg", "home.svg")
    assert "Kettle" not in Path("home.svg").read_text("utf-8")


def test_nothing_to_tell_is_told(moved: Cli) -> None:
    none = moved("trace", "Ana", *ANA, "--relation", "pet", "--svg", "none.svg")
    assert (none.code, none.out) == (0, "")
    assert none.err == "nothing known; of other relations or times: employer, home\n"
    assert not Path("none.svg").exists()
    bogus = moved("trace", "Ana", *ANA, "--relation", "bogus", "--json")
    assert (bogus.code, bogus.out) == (1, "")
    assert "--relation: none is called 'bogus'; of Ana there are: employer, home" in bogus.err
    before = moved("trace", "Ana", *ANA, "--relation", "lives in", "--as-of", "1999")
    assert (before.code, before.err) == (0, "nothing known; of other relations or times: employer, home\n")
    unknown = moved("trace", "Anna", *ANA)
    assert (unknown.code, unknown.out) == (1, "")
    assert unknown.err == "error: SUBJECT: nothing was said of 'Anna'; nearest are Ana\n"
    wrong = moved("trace", "Ana", *ANA, "--as-of", "2023-13")
    assert (wrong.code, wrong.err.startswith("error: --as-of:")) == (2, True)
