"""What the graph token learns from: cases, examples, targets, splits. Needs no torch."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from qgmem.errors import InvalidInput
from qgmem.evals.progress import progress
from qgmem.generation.answer_form import SHORT, AnswerForm, token_form
from qgmem.generation.local_graph import LocalGraph
from qgmem.generation.tokens import estimate_tokens
from qgmem.memory import Memory
from qgmem.models.chat import ChatAnswer, ChatRequest
from qgmem.models.scripted import HashEmbedder
from qgmem.synthetic import NO_ANSWER, simulate, write
from qgmem.training.graph_token.asking import correct, read, read_text, request_of, target
from qgmem.training.graph_token.cases import load_lives, read_cases
from qgmem.training.graph_token.convomem import load_convomem
from qgmem.training.graph_token.examples import Example, Layout, build_examples, fill, read_examples, write_examples
from qgmem.training.graph_token.split import split_cases, spread

LAYOUT = Layout(estimate_tokens, k=6)


def example(id: str = "a/q1", **changed: Any) -> Example:
    """One hand-made example."""
    made = Example(
        id=id, case_id=id.partition("/")[0], type="single", question="Where does Ana live?",
        asked_at="2024-05-02T10:00:00", context="Memories:\n[MU1] 2024-01-01 10:00 Ana: I live in Oslo.",
        context_facts="Memories:\n[MU1] Ana: I live in Oslo.\nFacts:\n[F1] Ana – lives in – Oslo [MU1]",
        nodes=("Ana", "Oslo"),
        edges=((0, "lives in", 1),), answer="Oslo", labels=("MU1",), supported=True,
    )  # fmt: skip
    return replace(made, **changed)


@pytest.fixture(scope="module")
def lives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lives")
    write(simulate(2, 0.4, 11, questions=2), folder)
    return folder


def test_lives_are_read_as_they_were_written(lives: Path) -> None:
    cases = read_cases(lives)
    written = list(simulate(2, 0.4, 11, questions=2))
    assert [one.id for one in cases.conversations] == [life.case_id for life in written]
    assert cases.conversations[1].turn_ids == tuple(m.id for m in written[1].dialogue.messages())
    assert [(q.id, q.category, q.answer) for q in cases.questions] == [
        (q.id, q.type, q.answer) for life in written for q in life.questions
    ]


def test_examples_hold_what_the_memory_found_and_say_whether_it_suffices(lives: Path, tmp_path: Path) -> None:
    """Gold decides about labels and support only: with every answer changed the rest is the same."""
    cases = load_lives(lives)
    with Memory.open(tmp_path / "m", embedder=HashEmbedder()) as memory, progress("", 1, False) as bar:
        found = list(build_examples(memory, cases, bar, LAYOUT))
        other = replace(cases, questions=tuple(replace(q, answer="xyzzy") for q in cases.questions))
        changed = list(build_examples(memory, other, bar, LAYOUT))
    assert [one.id for one in found] == [q.id for q in cases.questions]
    for one, question in zip(found, cases.questions, strict=True):
        assert one.context.count("\n[MU") <= 6
        assert len(one.edges) <= 6
        assert len(one.nodes) <= 12
        if question.answer == NO_ANSWER:
            assert one.supported
            assert one.labels == ()
        elif one.supported:
            assert one.labels
            assert all(part.casefold() in one.context.casefold() for part in question.answer.split("; "))
    assert {one.supported for one in found if one.answer != NO_ANSWER} == {True, False}
    assert not any(one.supported for one in changed)
    assert [replace(one, answer="", supported=True) for one in changed] == [
        replace(one, answer="", supported=True) for one in found
    ]


def test_examples_come_back_from_their_file(tmp_path: Path) -> None:
    said = "[MU1] Ana: one\u2028two\x85three"  # line ends to str.splitlines, not to JSON Lines
    kept = [example(), example("b/q1", edges=(), nodes=(), labels=(), context=said)]
    assert write_examples(kept, tmp_path / "e.jsonl") == kept
    assert read_examples(tmp_path / "e.jsonl") == kept
    for other in (b'{"id": 1}\n', b"{\n", b"\xff\n"):
        (tmp_path / "e.jsonl").write_bytes(other)
        with pytest.raises(InvalidInput, match=r"e\.jsonl was not written by this"):
            read_examples(tmp_path / "e.jsonl")


def test_a_memory_that_a_stopped_run_left_half_full_is_filled(lives: Path, tmp_path: Path) -> None:
    cases = load_lives(lives)
    with Memory.open(tmp_path / "whole", embedder=HashEmbedder()) as memory, progress("", 1, False) as bar:
        wanted = list(build_examples(memory, cases, bar, LAYOUT))
    first = cases.conversations[0]
    with Memory.open(tmp_path / "half", embedder=HashEmbedder()) as memory, progress("", 1, False) as bar:
        fill(memory, replace(first, sessions=first.sessions[:2]))
        assert list(build_examples(memory, cases, bar, LAYOUT)) == wanted


class Seen:
    """An answerer that keeps what it was asked, in the form of a graph token or of a local model without one."""

    def __init__(self, form: AnswerForm) -> None:
        self.id = repr(form)  # an answer to the one is none to the other
        self.form, self.requests = form, list[ChatRequest]()

    def count_tokens(self, text: str) -> int:
        return estimate_tokens(text)

    def complete(self, request: ChatRequest, _: LocalGraph) -> ChatAnswer:
        self.requests.append(request)
        return ChatAnswer('{"reasoning_path": [], "answer": "not mentioned"}', 1, 1)

    def stream(self, request: ChatRequest, graph: LocalGraph) -> Any:
        yield self.complete(request, graph)


def test_a_token_is_trained_on_the_very_requests_that_ask_makes(lives: Path, tmp_path: Path) -> None:
    """System, user and bound are equal, with facts and without, for every question of a life."""
    cases = load_lives(lives)
    with Memory.open(tmp_path / "m", embedder=HashEmbedder()) as memory, progress("", 1, False) as bar:
        found = list(build_examples(memory, cases, bar, LAYOUT))
        for facts, form in ((True, SHORT), (False, token_form(2))):
            seen = Seen(form)
            for one in found:
                memory.ask(one.question, user_id=one.case_id, question_time=one.asked_at, limit=6, chat=seen)
            assert seen.requests == [request_of(one, facts=facts) for one in found]
    assert any("trajectory:" in one.context for one in found)
    assert any("\n[F1] " in one.context_facts for one in found)
    assert not any("[F1]" in one.context for one in found)


def test_trajectories_may_be_left_out(lives: Path, tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m", embedder=HashEmbedder()) as memory, progress("", 1, False) as bar:
        found = list(build_examples(memory, load_lives(lives), bar, replace(LAYOUT, traces=False)))
    assert not any("trajectory:" in one.context for one in found)


def test_the_question_is_written_with_its_memory_and_its_time() -> None:
    assert request_of(example()).user == (
        "MEMORY\nMemories:\n[MU1] 2024-01-01 10:00 Ana: I live in Oslo.\n\nQUESTION_TIME: 2024-05-02 10:00\n"
        "QUESTION: Where does Ana live?"
    )
    assert "[F1] Ana – lives in – Oslo [MU1]" in request_of(example(asked_at=""), facts=True).user


@pytest.mark.parametrize("labels", [(), ("MU1",), ("MU1", "MU3")])
def test_the_target_ends_the_opening_as_json_and_is_read_back(labels: tuple[str, ...]) -> None:
    one = example(labels=labels, answer='a "big" fjord')
    whole = SHORT.opening + "".join(target(one))
    assert json.loads(whole) == {"reasoning_path": list(labels), "answer": 'a "big" fjord'}
    assert target(one)[1] == '"a \\"big\\" fjord"}'[1:]
    assert read(ChatAnswer("".join(target(one)), 1, 1)).answer == 'a "big" fjord'


def test_labels_without_quotes_are_read_and_what_follows_the_json_is_left() -> None:
    found = read(ChatAnswer('MU1, MU2], "answer": "Causeway MU3"}\n\nThe answer is MU1.', 1, 1))
    assert (found.answer, found.readable) == ("Causeway", True)


@pytest.mark.parametrize("text", ['"MU1"] and so on', '"MU1"], "answer": "MU2"}'])
def test_what_holds_no_answer_is_empty_and_said_to_be_unreadable(text: str) -> None:
    """No JSON, or a label where the answer should be: the latter is no abstention."""
    found = read(ChatAnswer(text, 1, 1))
    assert (found.answer, found.readable) == ("", False)


@pytest.mark.parametrize(
    ("said", "gold", "right"),
    [
        ("She lives in Oslo.", "Oslo", True),
        ("Osloer Strasse", "Oslo", False),  # whole words only
        ("", "Oslo", False),
        ("Porto and Oslo", "Oslo; Porto", True),
        ("Oslo", "Oslo; Porto", False),
        ("Not mentioned.", NO_ANSWER, True),
        ("Oslo", NO_ANSWER, False),
        ("not mentioned", "Oslo", False),
        ("No information", NO_ANSWER, True),  # what abstains in `ask` abstains here
        ("none", NO_ANSWER, False),
    ],
)
def test_what_counts_as_right(said: str, gold: str, right: bool) -> None:
    assert correct(read_text(json.dumps({"reasoning_path": [], "answer": said})), gold) is right


def test_parts_share_no_case_and_depend_on_no_order() -> None:
    """20 cases: 3 to validate, 5 to test, 12 to train on."""
    examples = [example(f"case-{case}/q{number}") for case in range(20) for number in range(3)]
    split = split_cases(examples)
    cases = [{one.case_id for one in part} for part in (split.train, split.validation, split.test)]
    assert [len(one) for one in cases] == [12, 3, 5]
    assert set.union(*cases) == {one.case_id for one in examples}
    assert split_cases(examples[::-1]).validation == split.validation[::-1]
    assert split_cases(examples, seed=1) != split
    assert split_cases(examples, test=0).test == ()
    with pytest.raises(InvalidInput, match="holds 2 cases; give at least 3"):
        split_cases(examples[:6])


def test_a_limit_takes_every_type_in_turn() -> None:
    """Six of one type and two of another: four are two of each."""
    examples = [example(f"a/q{n}") for n in range(6)] + [example(f"a/r{n}", type="update") for n in range(2)]
    assert [one.type for one in spread(examples, 4)] == ["single", "single", "update", "update"]
    assert len(spread(examples, 100)) == 8
    assert spread(examples, None) == tuple(examples)


def convomem(folder: Path, category: str, items: int, within: str = "1_evidence") -> None:
    """A file as ConvoMem's, with one item a number; the evidence of item 0 is quoted wrongly."""
    place = folder / category / within
    place.mkdir(parents=True)
    made = [
        {
            "question": f"q{n}", "answer": f"a{n}", "category": "x",
            "message_evidences": [{"speaker": "User", "text": f"fact {n}" if n else "something else"}],
            "conversations": [
                {"id": "c1", "messages": [{"speaker": "Assistant", "text": "hi"}, {"speaker": "User", "text": "yo"}]},
                {"id": "c2", "messages": [{"speaker": "User", "text": f"fact {n}"}]},
            ],
        }
        for n in range(items)
    ]  # fmt: skip
    (place / "batch.json").write_text(json.dumps({"evidence_items": made}))


def test_convomem_is_drawn_five_to_three_to_four(tmp_path: Path) -> None:
    """11, 7 and 9 items are there: two shares of 5 : 3 : 4 fit, a third does not."""
    for category, items in (("user_evidence", 11), ("assistant_facts_evidence", 7), ("changing_evidence", 9)):
        convomem(tmp_path, category, items)
    cases = read_cases(tmp_path)
    counts = [sum(q.category == name for q in cases.questions) for name in ("user_evidence", "changing_evidence")]
    assert (len(cases.questions), counts) == (24, [10, 8])
    for question in cases.questions:
        expected = "missing:0" if question.text == "q0" else "2:1"
        assert question.evidence == (expected,)
    assert cases.conversations[0].turn_ids == ("1:1", "1:2", "2:1")
    assert load_convomem(tmp_path, cases=12).questions != cases.questions
    assert len(load_convomem(tmp_path, cases=12).questions) == 12


def test_convomem_files_of_one_name_in_two_folders_are_cases_of_their_own(tmp_path: Path) -> None:
    for within in ("1_evidence", "2_evidence"):
        for category, items in (("user_evidence", 5), ("assistant_facts_evidence", 3), ("changing_evidence", 4)):
            convomem(tmp_path / "data", category, items, within)
    cases = read_cases(tmp_path / "data")
    assert len({one.id for one in cases.conversations}) == len(cases.conversations) == 24
    assert len({one.id for one in cases.questions}) == 24
    assert "user_evidence/2_evidence/batch/0" in {one.id for one in cases.conversations}


def test_a_folder_of_neither_kind_says_what_is_missing(tmp_path: Path) -> None:
    convomem(tmp_path, "user_evidence", 5)
    with pytest.raises(InvalidInput, match="of ConvoMem no assistant_facts_evidence, changing_evidence"):
        read_cases(tmp_path)
    with pytest.raises(InvalidInput, match="is no folder"):
        read_cases(tmp_path / "nowhere")
