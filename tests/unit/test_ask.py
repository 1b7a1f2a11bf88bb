"""Memory.ask: an answer leads back to what was said, a failure holds the evidence, and so does having no model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest

from qgmem import AnswerFailed, InvalidInput, Memory, ModelRefused, Settings
from qgmem.asking import ELSEWHERE
from qgmem.errors import ModelUnavailable
from qgmem.generation.answer import NO_ANSWERER
from qgmem.generation.local_graph import LocalGraph
from qgmem.models.chat import ChatAnswer, ChatRequest
from qgmem.models.scripted import HashEmbedder
from qgmem.models.scripted_chat import ScriptedChat

HOMES = (("2023-01-10", "I live in Turin."), ("2024-04-05", "I moved to Porto in March."),
         ("2024-08-01", "In 2021 I lived in Oslo."))  # fmt: skip
QUESTION = "Where does Kim live?"


def said(path: str = "[MU1] says it", answer: str = "Porto") -> str:
    return json.dumps({"reasoning_path": path, "answer": answer})


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path, embedder=HashEmbedder(32), settings=Settings()) as memory:
        for place, (time, text) in enumerate(HOMES):
            message = {"id": f"h{place}", "role": "user", "name": "Kim", "content": text}
            memory.add(message, user_id="kim", timestamp=time)
        yield memory


def test_without_a_model_the_evidence_comes_back_and_says_so(memory: Memory) -> None:
    """Three turns were stored, so three hits; their triples make a graph of Kim and three towns."""
    answer = memory.ask(QUESTION, user_id="kim")
    assert (answer.answer, answer.abstained, answer.citations, answer.answerer) == (None, False, (), None)
    assert answer.notes == (NO_ANSWERER,)
    assert {hit.id for hit in answer.working_memory} == {"h0", "h1", "h2"}
    assert {node.text for node in answer.local_graph.nodes} == {"Kim", "Turin", "Porto", "Oslo"}
    assert "Oslo 2021-01-01 to 2023-01-10" in answer.context.text
    assert answer.tokens == {"context": answer.context.tokens}
    assert set(answer.seconds) == {"search", "graph", "serialise", "total"}


def test_a_citation_leads_from_label_to_unit_to_turn_with_its_words(memory: Memory) -> None:
    """The label is whatever the context gave the turn about Porto; the fact cites the same unit."""
    found = memory.ask(QUESTION, user_id="kim")
    mine = {unit_id: label for label, unit_id in found.context.labels.items() if label.startswith("MU")}["h1"]
    fact = next(label for label, unit_id in found.context.labels.items() if label.startswith("F") and unit_id == "h1")
    answer = memory.ask(QUESTION, user_id="kim", chat=ScriptedChat([said(f"[{mine}] and [{fact}] say so")]))
    assert (answer.answer, answer.answerer) == ("Porto", "scripted")
    assert [(c.label, c.unit_id) for c in answer.citations] == [(mine, "h1"), (fact, "h1")]
    [turn] = answer.citations[0].turns
    assert (turn.turn_id, turn.speaker, turn.quote) == ("h1", "Kim", "I moved to Porto in March.")
    assert turn.utterance_time is not None
    assert turn.utterance_time.date().isoformat() == "2024-04-05"
    assert [str(when.start) for when in answer.citations[0].fact_times] == ["2024-03-01"]
    assert {"context", "prompt", "completion"} == set(answer.tokens)


def test_a_model_that_never_answers_fails_with_the_evidence(memory: Memory) -> None:
    chat = ScriptedChat(["I would say Porto."])
    with pytest.raises(AnswerFailed, match="scripted: answer: after 2 attempts it holds no JSON object") as caught:
        memory.ask(QUESTION, user_id="kim", chat=chat)
    assert len(chat.requests) == 2
    assert {hit.id for hit in caught.value.evidence.working_memory} == {"h0", "h1", "h2"}
    assert caught.value.evidence.answer is None
    [row] = memory.ledger(user_id="kim")
    assert (row.stage, row.calls, row.retries) == ("answer", 1, 1)


def test_an_endpoint_that_says_no_fails_with_the_evidence_and_the_cause(memory: Memory) -> None:
    with pytest.raises(AnswerFailed, match="a wrong key") as caught:
        memory.ask(QUESTION, user_id="kim", chat=ScriptedChat([ModelRefused("a wrong key", status=401)]))
    assert isinstance(caught.value.__cause__, ModelRefused)
    assert caught.value.evidence.context.labels


def test_abstaining_is_told_from_answering(memory: Memory) -> None:
    answer = memory.ask("What is Kim's shoe size?", user_id="kim", chat=ScriptedChat([said("no", "Not mentioned")]))
    assert (answer.answer, answer.abstained, answer.citations) == ("Not mentioned", True, ())


def test_where_nothing_is_found_no_model_is_asked(memory: Memory) -> None:
    """Nobody called nora has a memory, and nothing of kim's was known in 2020."""
    for given in ({"user_id": "nora"}, {"user_id": "kim", "known_at": "2020"}):
        chat = ScriptedChat([said()])
        answer = memory.ask(QUESTION, chat=chat, **given)
        assert (answer.answer, answer.abstained, chat.requests) == ("Not mentioned", True, [])
        assert "no model was asked" in answer.notes[-1]


def test_as_of_hides_what_came_later_from_units_trajectory_and_request(memory: Memory) -> None:
    """On the last day of 2023 Kim lived in Turin; Porto was not yet true."""
    chat = ScriptedChat([said("[MU1]", "Turin")])
    answer = memory.ask(QUESTION, user_id="kim", chat=chat, as_of="2023", question_time="2024-09-01")
    assert "Porto" not in chat.requests[0].user
    assert "AS_OF: 2023-12-31" in chat.requests[0].user
    assert "QUESTION_TIME: 2024-09-01 00:00" in chat.requests[0].user
    assert "h1" not in {hit.id for hit in answer.working_memory}


def test_the_budget_bounds_the_context_as_the_answerer_counts(memory: Memory) -> None:
    """Characters are the tokens of this answerer; 200 hold fewer units than 2,000."""

    class Counting(_Plain):
        def count_tokens(self, text: str) -> int:
            return len(text)

    small = memory.ask(QUESTION, user_id="kim", chat=Counting(), budget_tokens=200)
    assert small.context.tokens == len(small.context.text) <= 200
    assert small.context.left_out
    assert not memory.ask(QUESTION, user_id="kim", chat=Counting(), budget_tokens=2000).context.left_out


class _Plain:
    """An answerer of one's own: it gets the graph as a value."""

    id = "plain"

    def __init__(self) -> None:
        self.graphs: list[LocalGraph] = []

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def complete(self, request: ChatRequest, graph: LocalGraph) -> ChatAnswer:  # noqa: ARG002
        self.graphs.append(graph)
        return ChatAnswer(said(), 1, 1)

    def stream(self, request: ChatRequest, graph: LocalGraph) -> Iterator[str | ChatAnswer]:
        text = self.complete(request, graph).text
        yield from text
        yield ChatAnswer(text, 1, 1)


def test_an_answerer_gets_the_local_graph(memory: Memory) -> None:
    answerer = _Plain()
    answer = memory.ask(QUESTION, user_id="kim", chat=answerer)
    assert answerer.graphs == [answer.local_graph]
    assert len(answer.local_graph.edges) == 3


def test_the_same_question_is_answered_from_memory_until_something_is_deleted(memory: Memory) -> None:
    """Two calls of the same request make one request; after a deletion nothing of the answer is kept."""
    chat = ScriptedChat([said()])
    for _ in range(2):
        memory.ask(QUESTION, user_id="kim", chat=chat)
    assert len(chat.requests) == 1
    [row] = memory.ledger(user_id="kim")
    assert (row.calls, row.cached) == (1, 1)
    memory.add("Nothing to do with it.", user_id="ana")
    memory.delete_all(user_id="ana")
    memory.ask(QUESTION, user_id="kim", chat=chat)
    assert len(chat.requests) == 2


def test_an_answer_that_comes_after_a_deletion_is_not_kept(memory: Memory) -> None:
    """Everything of kim is deleted while her question is being answered."""

    class Deleting(_Plain):
        def complete(self, request: ChatRequest, graph: LocalGraph) -> ChatAnswer:
            memory.delete_all(user_id="kim")
            return super().complete(request, graph)

    memory.ask(QUESTION, user_id="kim", chat=Deleting())
    assert not memory._asking._cache._kept


def test_a_filter_hides_the_states_that_others_tell_of_too(tmp_path: Path) -> None:
    """What Kim told her therapist is no part of her trajectory at work, neither as a state nor as the end of one."""
    with Memory.open(tmp_path / "scopes", embedder=HashEmbedder(16)) as memory:
        for text, agent, day in (("I live in Turin.", "work", "2023-01-10"),
                                 ("I moved to Rehabville.", "therapist", "2024-04-05")):  # fmt: skip
            said = {"role": "user", "name": "Kim", "content": text}
            memory.add([said], user_id="kim", agent_id=agent, timestamp=day)
        whole = memory.ask("Where does Kim live?", user_id="kim")
        assert "Rehabville since 2024-04-05 (latest)" in whole.context.text
        for scope in ({"agent_id": "work"}, {"filters": {"agent_id": "work"}}):
            found = memory.ask("Where does Kim live?", user_id="kim", **scope)  # type: ignore[arg-type]
            steps = [(step.value, step.valid_to) for trail in found.trails for step in trail.steps]
            assert steps == [("Turin", None)]
            assert "Rehab" not in repr(found)


def test_an_answer_from_a_state_that_no_cited_memory_tells_is_noted(tmp_path: Path) -> None:
    """With one memory in the context the trajectory has the other state too; the citation does not hold it."""
    with Memory.open(tmp_path / "states", embedder=HashEmbedder(16)) as memory:
        for text, day in (("I live in Turin.", "2023-01-10"), ("I moved to Porto.", "2024-04-05")):
            memory.add([{"role": "user", "name": "Kim", "content": text}], user_id="kim", timestamp=day)
        hit = memory.search("Where does Kim live?", user_id="kim", limit=1)[0]
        mine, other = ("Porto", "Turin") if "Porto" in hit.text else ("Turin", "Porto")
        for answer, noted in ((mine, False), (other, True), ("Zanzibar", False)):
            chat = ScriptedChat([said("[MU1]", answer)])
            found = memory.ask("Where does Kim live?", user_id="kim", limit=1, chat=chat)
            assert (ELSEWHERE in found.notes) is noted
            assert any(note.startswith("unsupported") for note in found.notes) is (answer == "Zanzibar")
            memory._asking.forget()  # the same request would be answered from memory


def test_a_retry_and_pieces_are_told_as_they_come(memory: Memory) -> None:
    """The first attempt is prose, which no field can be read from; then the pieces of both fields add up."""
    chat = ScriptedChat(["Porto, I think.", said("[MU1] says it", "Porto")])
    events = list(memory.ask_stream(QUESTION, user_id="kim", chat=chat))
    kinds = [event.kind for event in events]
    assert kinds == ["evidence", "again", "reasoning_path", "answer", "done"]
    assert events[0].answer is not None
    assert events[0].answer.answer is None
    assert (events[2].text, events[3].text) == ("[MU1] says it", "Porto")
    assert events[-1].answer is not None
    assert events[-1].answer.answer == "Porto"


def test_a_failure_while_streaming_is_raised_to_the_reader(memory: Memory) -> None:
    events = memory.ask_stream(QUESTION, user_id="kim", chat=ScriptedChat([ModelUnavailable("down")]))
    assert next(events).kind == "evidence"
    with pytest.raises(AnswerFailed, match="down"):
        next(events)


def test_secrets_are_shown_to_no_model_and_in_no_citation(tmp_path: Path) -> None:
    """With redaction at recall the card number stays in the store alone."""
    settings = Settings(redaction="recall")
    with Memory.open(tmp_path, embedder=HashEmbedder(32), settings=settings) as memory:
        memory.add({"name": "Kim", "role": "user", "content": "My card is 4111 1111 1111 1111."}, user_id="kim")
        chat = ScriptedChat([said("[MU1]", "a card")])
        answer = memory.ask("Which card does Kim have?", user_id="kim", chat=chat)
        assert "4111" not in chat.requests[0].user
        assert "4111" not in str(answer)
        assert answer.citations[0].turns[0].quote.startswith("My card is")


@pytest.mark.parametrize(
    ("given", "field"),
    [({"budget_tokens": 0}, "budget_tokens"), ({"limit": 0}, "limit"), ({"question_time": "soon"}, "question_time"),
     ({"as_of": "serial-2"}, "as_of"), ({"chat": object()}, "chat")],
)  # fmt: skip
def test_what_cannot_be_used_is_named(memory: Memory, given: dict[str, object], field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        memory.ask(QUESTION, user_id="kim", **given)  # type: ignore[arg-type]
    assert caught.value.field == field


def test_a_budget_that_holds_no_memory_is_no_abstention(memory: Memory) -> None:
    """Five tokens are less than any line; to answer "not mentioned" would be wrong."""
    with pytest.raises(InvalidInput, match="budget_tokens: 5 hold no memory"):
        memory.ask(QUESTION, user_id="kim", chat=ScriptedChat([said()]), budget_tokens=5)


def test_a_model_is_named_in_the_call_or_in_the_settings(tmp_path: Path) -> None:
    """`scripted` says the best memory's words and cites it."""
    with Memory.open(tmp_path, embedder=HashEmbedder(32), settings=Settings(chat_model="scripted")) as memory:
        memory.add({"name": "Kim", "role": "user", "content": "Biscuit is a greyhound."}, user_id="kim")
        for answer in (memory.ask("Who is Biscuit?", user_id="kim"),
                       memory.ask("What is Biscuit?", user_id="kim", chat="scripted")):  # fmt: skip
            assert (answer.answer, answer.citations[0].label) == ("Biscuit is a greyhound.", "MU1")


def test_a_reader_that_goes_away_stops_the_model_at_its_next_word(memory: Memory) -> None:
    """The answerer would write for ever; within the time given its generator is closed, or the test fails."""
    stopped = Event()

    class Endless(_Plain):
        def stream(self, request: ChatRequest, graph: LocalGraph) -> Iterator[str | ChatAnswer]:  # noqa: ARG002
            try:
                yield '{"answer": "'
                while True:
                    yield "la "
            finally:
                stopped.set()

    events = memory.ask_stream(QUESTION, user_id="kim", chat=Endless())
    assert [next(events).kind for _ in range(3)] == ["evidence", "answer", "answer"]
    events.close()  # type: ignore[attr-defined]
    assert stopped.wait(5)


def test_an_empty_question_is_refused(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="is empty"):
        memory.ask("  ", user_id="kim")
