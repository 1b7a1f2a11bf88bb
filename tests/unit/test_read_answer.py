"""An answerer's JSON: what is repaired, what is refused with a reason, and when it counts as no answer."""

from __future__ import annotations

import json

import pytest

from qgmem.errors import ModelMisbehaved
from qgmem.generation.read_answer import NOT_MENTIONED, ended, read_answer

KNOWN = {"MU1", "MU2", "F1"}


def said(path: object = "[MU1] says it", answer: object = "Porto") -> str:
    return json.dumps({"reasoning_path": path, "answer": answer})


def test_an_answer_by_the_book_has_no_notes() -> None:
    """Labels are listed by first mention, each once."""
    draft = read_answer(said("[MU2] and F1, again [MU2]"), KNOWN)
    assert (draft.answer, draft.abstained, draft.cited, draft.notes) == ("Porto", False, ("MU2", "F1"), ())
    assert draft.reasoning_path == "[MU2] and F1, again [MU2]"


@pytest.mark.parametrize(
    "text",
    [
        f"Sure, here it is:\n```json\n{said()}\n```",
        f"{said()}\nI hope that helps.",
        "{'reasoning_path': '[MU1] says it', 'answer': 'Porto'}",
        '{"reasoning_path": "[MU1] says it", "answer": "Porto"',
        f"<think>is it Oslo?</think>{said()}",
    ],
    ids=["fence", "prose", "single quotes", "no end", "thinking"],
)
def test_json_that_is_nearly_there_is_repaired_and_noted(text: str) -> None:
    draft = read_answer(text, KNOWN)
    assert (draft.answer, draft.cited, draft.notes) == ("Porto", ("MU1",), ("the JSON was repaired",))


def test_other_names_of_the_fields_and_other_shapes_of_the_values_are_read() -> None:
    """A list becomes one text with commas; 4 is "4"; true is "yes"; one object in a list is that object."""
    text = json.dumps([{"Reasoning Path": ["[MU1] has one", "[MU2] the other"], "Final Answer": ["Porto", 4, True]}])
    draft = read_answer(text, KNOWN)
    assert (draft.answer, draft.cited) == ("Porto, 4, yes", ("MU1", "MU2"))


def test_labels_that_do_not_exist_are_taken_out_with_their_brackets_and_named() -> None:
    draft = read_answer(said("[MU1] and [MU9] say so (F7), see MU 2"), KNOWN)
    assert draft.reasoning_path == "[MU1] and say so, see MU 2"
    assert draft.cited == ("MU1", "MU2")
    assert draft.notes == ("labels that do not exist were taken out: MU9, F7",)


def test_labels_in_the_answer_count_as_cited_and_are_no_part_of_it() -> None:
    """F1 the race stays: only brackets and MU make a label there."""
    draft = read_answer(said("seen", "F1 racing in Porto [MU1, MU2] (F1)"), KNOWN)
    assert draft.answer == "F1 racing in Porto"
    assert draft.cited == ("MU1", "MU2", "F1")
    assert read_answer(said("[MU1]", "F3 racing"), KNOWN).notes == ()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("I think it is Porto.", "holds no JSON object"),
        ("", "holds no JSON object"),
        ('{"reasoning_path": "[MU1] says that she mov', "has no field `answer` and was cut off"),
        ('{"reasoning_path": "[MU1]"}', "has no field `answer`"),
        ('{"reasoning_path": "[MU1]", "answer": ["Porto", "Lis', "has a list as its answer that was cut off"),
        ('["Porto", "Oslo"]', "is a list, not an object with reasoning_path and answer"),
        ('{"reasoning_path": "", "answer": {"city": "Porto"}}', "has an object where a text should be"),
    ],
)
def test_what_holds_no_answer_is_refused_with_a_reason(text: str, reason: str) -> None:
    with pytest.raises(ModelMisbehaved) as caught:
        read_answer(text, KNOWN)
    assert str(caught.value) == reason


@pytest.mark.parametrize(
    "answer",
    ["Not mentioned", "not mentioned in the memories.", "No information available", "unknown", "N/A", "", None,
     "Unclear.", "I don't know.", "It is not specified", "The answer cannot be determined from MEMORY",
     "Not mentioned. Ana only speaks of Oslo.", "not known, but probably Oslo", "Not stated explicitly",
     "There is no information about this", "The memories do not mention where Ana lives.",
     "Ana's home is not mentioned.",
     "I do not have enough information to answer.", "No information on that"],
)  # fmt: skip
def test_words_that_say_there_is_no_answer_abstain(answer: str | None) -> None:
    draft = read_answer(said("nothing fits", answer), KNOWN)
    assert draft.abstained
    assert draft.answer == (answer or NOT_MENTIONED)


@pytest.mark.parametrize(
    "answer",
    [
        "Unknown Mortal Orchestra",
        "Nothing Else Matters",
        "No",
        "none of the dogs",
        "Notts",
        "Not available on Fridays",
        "not known for it",
        "Not found guilty",
        "Not available until June",
        "No answer from the doctor yet",
        "Not given a raise",
        "No information desk",
    ],
)
def test_answers_that_only_look_like_it_do_not_abstain(answer: str) -> None:
    assert not read_answer(said(answer=answer), KNOWN).abstained


def test_a_fact_label_in_an_answer_is_a_word_unless_it_stands_in_brackets() -> None:
    """Whoever watches F1 does not cite the fact F1; [F1] and MU1 are labels wherever they stand."""
    assert read_answer(said("[MU2] says it", "F1 and tennis"), KNOWN).cited == ("MU2",)
    assert read_answer(said("[MU2] says it", "F1 and tennis"), KNOWN).answer == "F1 and tennis"
    assert read_answer(said("it is said", "Porto [F1]"), KNOWN).cited == ("F1",)
    assert read_answer(said("it is said", "Porto MU1"), KNOWN).cited == ("MU1",)


def test_a_missing_path_is_noted() -> None:
    draft = read_answer('{"answer": "Porto [MU1]"}', KNOWN)
    assert (draft.cited, draft.notes) == (("MU1",), ("reasoning_path was missing",))


def test_labels_without_quotes_in_the_list_are_labels() -> None:
    """As models of a hundred million weights write them; a label inside a text is left alone."""
    draft = read_answer('{"reasoning_path": [MU1, "F1"], "answer": "see MU9, Porto"}', KNOWN)
    assert (draft.answer, draft.cited) == ("see, Porto", ("MU1", "F1"))
    assert draft.notes[0] == "the JSON was repaired"


def test_a_label_for_an_answer_is_no_abstention() -> None:
    with pytest.raises(ModelMisbehaved, match="answers with labels alone"):
        read_answer(said("seen", "MU2"), KNOWN)


@pytest.mark.parametrize(
    ("text", "over"),
    [
        ('{"reasoning_path": ["MU1"], "answer": "Porto"}', True),
        ('{"reasoning_path": ["MU1"], "answer": "Porto"}\n\nThe answer', True),
        ('{"answer": "a } in a text', False),
        ('{"answer": "a \\" and }', False),
        ('{"answer": {"is": "Porto"}', False),
        ("no object }", False),
    ],
)
def test_an_answer_is_over_when_its_object_is_closed(text: str, over: bool) -> None:
    assert ended(text) is over
