"""The demo: five questions to the bundled conversation, each hit with all that a newcomer should see."""

from __future__ import annotations

import re
from pathlib import Path

from command_line import Cli

from qgmem.sample import DEMO_QUESTIONS, load_sample


def test_demo_shows_five_searches_with_source_times_and_reasons(cli: Cli) -> None:
    shown = cli("demo").out
    blocks = re.split(r"^Q: ", shown, flags=re.MULTILINE)
    assert f"{len(load_sample())} turns stored" in blocks[0]
    assert len(blocks) == 1 + len(DEMO_QUESTIONS) == 6
    for question, block in zip(DEMO_QUESTIONS, blocks[1:], strict=True):
        assert block.startswith(question.text)
        hits = re.split(r"^\d\. ", block, flags=re.MULTILINE)[1:]
        assert len(hits) == 3
        for hit in hits:
            assert re.match(r"(Wren|Idris)  said \d{4}-\d\d-\d\d \d\d:\d\d [+-]\d\d:\d\d", hit)
            assert re.search(r"^   turn s\d-\d\d, session s\d  score \d", hit, re.MULTILINE)
            assert re.search(r"^   found by ", hit, re.MULTILINE)
    assert "happened 2016-12-01 to 2017-02-28" in shown
    assert all(len(line) <= 80 for line in shown.splitlines())
    assert "\x1b" not in shown


def test_demo_as_json_and_its_evidence_is_found(cli: Cli) -> None:
    """Four of the five questions have all their evidence among ten hits."""
    told = cli("demo", "--json", "--limit", "10").json
    assert told["ingest"]["stored"] == len(load_sample())
    found = [{turn for hit in each["hits"] for turn in hit["turn_ids"]} for each in told["searches"]]
    complete = [set(q.evidence) <= turns for q, turns in zip(DEMO_QUESTIONS, found, strict=True)]
    assert sum(complete) >= 4


def test_demo_in_a_folder_can_be_repeated_and_asked_on(cli: Cli) -> None:
    assert "89 turns stored, 0 known already" in cli("demo", "--path", "kept").out
    assert "0 turns stored, 89 known already" in cli("demo", "--path", "kept").out
    assert "KL-20817-B" in cli("search", "wood stove order", "--user", "demo", "--path", "kept").out


def test_demo_leaves_nothing_behind_without_a_folder(cli: Cli) -> None:
    cli("demo", "--json")
    assert list(Path().iterdir()) == []
