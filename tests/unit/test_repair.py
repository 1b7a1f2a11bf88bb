"""JSON as models write it (CASES 2, 3): repaired or refused, never silently empty."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qgmem.construction.repair import read_records
from qgmem.errors import ModelMisbehaved
from qgmem.models.json_answer import parse_json

GOOD = (
    '{"memory_units": [{"start_turn": "T1", "fact_text": "Ana moved to Porto."}, {"fact_text": "Ben \\"stayed\\"."}]}'
)
WANTED = ["Ana moved to Porto.", 'Ben "stayed".']


def _texts(answer: str) -> list[Any]:
    found = read_records(answer, "memory_units", ("facts", "units"), "fact_text")
    return [record.fields.get("fact_text") for record in found.records]


@pytest.mark.parametrize(
    "answer",
    [
        GOOD,
        GOOD.replace("memory_units", "facts"),
        json.dumps(json.loads(GOOD)["memory_units"]),
        json.dumps(WANTED),
        json.dumps({"facts": WANTED}),
        json.dumps(GOOD),  # JSON inside a JSON string
        json.dumps({"result": json.loads(GOOD)["memory_units"]}),
        f"```json\n{GOOD}\n```",
        f"Sure! Here you go:\n\n```\n{GOOD}\n```\nAnything else?",
        f"Here are [the] units {{as asked}}: {GOOD} I hope that helps.",
        f'<think>Maybe {{"memory_units": []}}? No.</think>\n{GOOD}',
        GOOD.replace("}]}", "},]}"),
        GOOD.replace('"memory_units"', "memory_units"),
        GOOD.replace("}, {", "} {"),
        GOOD.replace('{"memory_units"', '// units\n{"memory_units"'),
        '{"fact_text": "Ana moved to Porto."}\n{"fact_text": "Ben \\"stayed\\"."}',
        "\ufeff" + GOOD,
    ],
    ids=lambda answer: answer[:40],
)
def test_case_2_any_shape_of_the_same_answer_gives_the_same_facts(answer: str) -> None:
    assert _texts(answer) == WANTED


@pytest.mark.parametrize(
    ("escaped", "read"),
    [
        (r"caf\u00e9", "café"),
        (r"caf\u00", "caf\ufffd"),
        (r"caf\u00 and more", "caf\ufffd and more"),
        (r"\ud83d", "\ufffd"),
        (r"\ud83d\ude00", "😀"),
        (r"5\% off", r"5\% off"),
        (r"it\'s", "it's"),
        ("two\nlines", "two\nlines"),
        (r"a\u0000b", "ab"),
    ],
)
def test_case_2_bad_escapes_cost_a_character_not_the_answer(escaped: str, read: str) -> None:
    assert _texts(f'{{"memory_units": [{{"fact_text": "{escaped}"}}]}}') == [read]


def test_single_quotes_and_python_words() -> None:
    answer = "{'memory_units': [{'fact_text': 'Ana's cat isn't lost', 'sure': True, 'by': None}]}"
    found = read_records(answer, "memory_units", (), "fact_text")
    assert found.records[0].fields == {"fact_text": "Ana's cat isn't lost", "sure": True, "by": None}
    assert not found.clean


@pytest.mark.parametrize(
    "answer",
    [
        *("", "I found no facts.", "{}", "null", "42", '"no"', '{"memory_units": null}', '{"memory_units": "none"}'),
        *("[[[[", "[" * 100_000, '{"a":' * 100_000, '{"memory_units": [1, 2]}', "<html>502</html>", "<think>hm"),
    ],
    ids=lambda answer: answer[:24],
)
def test_case_2_what_is_no_list_of_facts_is_an_error_and_not_an_empty_list(answer: str) -> None:
    with pytest.raises(ModelMisbehaved):
        _texts(answer)


@pytest.mark.parametrize("answer", ['{"memory_units": []}', "[]", "No facts.\n```json\n[]\n```", "None: []"])
def test_an_empty_list_is_an_answer(answer: str) -> None:
    assert _texts(answer) == []


def test_case_3_a_record_cut_after_its_text_is_kept_and_marked() -> None:
    answer = '{"memory_units": [{"fact_text": "one", "time": []}, {"fact_text": "two", "time": [{"start": "2023'
    found = read_records(answer, "memory_units", (), "fact_text")
    assert [(record.fields["fact_text"], record.cut) for record in found.records] == [("one", False), ("two", True)]
    assert found.truncated


def test_case_3_half_a_text_is_no_text() -> None:
    found = read_records('[{"fact_text": "Ana never lied"}, {"fact_text": "Ana ne', "memory_units", (), "fact_text")
    assert [record.fields for record in found.records] == [{"fact_text": "Ana never lied"}, {}]
    assert [record.cut for record in found.records] == [False, True]


@given(st.integers(0, 400))
def test_every_prefix_of_an_answer_gives_a_prefix_of_its_facts(length: int) -> None:
    facts = [f'fact {n} of Ana\'s, \\ "quoted" é 😀' for n in range(5)]
    whole = json.dumps({"memory_units": [{"fact_text": fact, "time": [{"start": "2023"}]} for fact in facts]})
    try:
        found = read_records(whole[:length], "memory_units", (), "fact_text")
    except ModelMisbehaved:
        assert length < len('{"memory_units": [{')
        return
    texts = [record.fields["fact_text"] for record in found.records if "fact_text" in record.fields]
    assert texts == facts[: len(texts)]
    assert found.truncated == (length < len(whole))
    assert not any(record.cut for record in found.records[:-1])


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(_JSON)
def test_true_json_reads_as_it_is(value: Any) -> None:
    if isinstance(value, str):
        return
    text = json.dumps(value)
    if "\\u0000" in text or "\\ud" in text:
        return
    assert parse_json(text).value == value
    assert parse_json(text).clean


@given(st.text(alphabet="{}[]\":,\\u0 an'`\n/#<>-1", max_size=80))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        parse_json(text)
    except ModelMisbehaved:
        return
