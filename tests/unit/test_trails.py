"""What an answer is told around its hits: first-hand claims, trajectories as of a day, no secret, a model's words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from qgmem import Memory, Settings
from qgmem.models.scripted import HashEmbedder
from qgmem.models.scripted_chat import ScriptedChat
from qgmem.types import Triple

SAID = (
    ("t1", "2023-01-10", "I live in Turin."),
    ("t2", "2024-04-05", "I moved to Porto in March."),
    ("t3", "2024-05-01", "Ben says that I work at Acme."),
    ("t4", "2024-06-01", "I no longer live in Porto."),
)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path, embedder=HashEmbedder(32), settings=Settings()) as memory:
        for turn, time, text in SAID:
            memory.add({"id": turn, "role": "user", "name": "Kim", "content": text}, user_id="kim", timestamp=time)
        yield memory


def test_only_what_is_said_first_hand_to_hold_is_a_fact(memory: Memory) -> None:
    """The end of a state (t4) must not read "Kim lives in Porto", and hearsay (t3) is nobody's own claim."""
    answer = memory.ask("Kim Turin Porto Acme", user_id="kim")
    facts = {
        edge.unit_id: (edge.predicate, answer.local_graph.nodes[edge.target].text)
        for edge in answer.local_graph.facts
    }
    assert set(facts) == {"t1", "t2"}
    assert (facts["t1"][1], facts["t2"][1]) == ("Turin", "Porto")


def test_a_trajectory_ends_at_the_day_asked_about_with_what_was_open_then(memory: Memory) -> None:
    """On the last day of March 2023 Turin was still home, whatever came later."""
    now = memory.ask("Where did Kim live in Turin or Porto?", user_id="kim").context.text
    assert "Turin 2023-01-10 to 2024-03-01" in now
    assert "Porto 2024-03-01 to 2024-06-01" in now
    then = memory.ask("Where did Kim live in Turin or Porto?", user_id="kim", as_of="2024-04").context.text
    assert "Turin 2023-01-10 to 2024-03-01" in then
    assert "Porto since 2024-03-01 (latest)" in then


def test_a_text_that_a_model_wrote_of_these_states_stands_for_the_composed_one(tmp_path: Path) -> None:
    """It was written for all that is known now; as of an earlier day the states are shown instead."""
    text = "Kim lived in Turin from 2023-01-10 and lives in Porto since 2024-03-01."
    question = "Where did Kim live in Turin or Porto?"
    with Memory.open(tmp_path, embedder=HashEmbedder(32), settings=Settings()) as memory:
        for turn, time, said in SAID[:2]:
            memory.add({"id": turn, "role": "user", "name": "Kim", "content": said}, user_id="kim", timestamp=time)
        teller = ScriptedChat({"trajectory": lambda _: json.dumps({"off": [], "text": text})})
        memory.build(user_id="kim", chat=teller)
        assert f"Kim · home – trajectory: {text}\n" in memory.ask(question, user_id="kim").context.text
        then = memory.ask(question, user_id="kim", as_of="2024-04").context.text
    assert text not in then
    assert "Porto since 2024-03-01 (latest)" in then


def test_no_secret_is_in_a_fact_or_a_trajectory(tmp_path: Path) -> None:
    """With redaction at recall, a key that is the value of a state is black in graph and context."""
    key = "sk-abc123def456ghi789"
    with Memory.open(tmp_path, embedder=HashEmbedder(32), settings=Settings(redaction="recall")) as memory:
        for turn, text in (("a", f"I live in {key}."), ("b", "I moved to Porto.")):
            message = {"id": turn, "role": "user", "name": "Kim", "content": text}
            memory.add(message, user_id="kim", timestamp="2024-05-0" + str(1 + (turn == "b")))
        answer = memory.ask("Where does Kim live?", user_id="kim")
    assert {hit.id for hit in answer.working_memory} == {"a", "b"}
    assert key not in str(answer)


def test_a_unit_with_several_claims_gives_the_one_that_the_question_is_about(tmp_path: Path) -> None:
    """One turn, two claims; its edge is the one that shares words with the question, the first if none does."""
    with Memory.open(tmp_path, embedder=HashEmbedder(32), settings=Settings()) as memory:
        text = "I live in Turin. I work at Fiat."
        memory.add({"id": "t", "role": "user", "name": "Kim", "content": text}, user_id="kim", timestamp="2024-01-01")
        found = {
            question: memory.ask(question, user_id="kim").local_graph.nodes[-1].text
            for question in ("Where does Kim work?", "Where does Kim live?")
        }
    assert found == {"Where does Kim work?": "Fiat", "Where does Kim live?": "Turin"}


def test_a_models_triple_is_the_edge_of_its_unit(tmp_path: Path) -> None:
    """A unit that a model read carries its triple; the edge has that unit's id."""
    with Memory.open(tmp_path, embedder=HashEmbedder(32), settings=Settings()) as memory:
        memory.add({"id": "t", "role": "user", "name": "Kim", "content": "Snow is my thing."}, user_id="kim")
        memory.build(user_id="kim", chat=ScriptedChat())
        made = [unit for unit in memory.get_all(user_id="kim") if unit.kind == "extracted"]
        assert [unit.triple for unit in made] == [Triple("Kim", "said", "Snow is my thing.")]
        answer = memory.ask("What is Kim's thing?", user_id="kim")
        assert [hit.id for hit in answer.working_memory] == [made[0].id]
        assert {edge.unit_id: (edge.predicate, edge.kind) for edge in answer.local_graph.edges} == {
            made[0].id: ("said", "fact")
        }
