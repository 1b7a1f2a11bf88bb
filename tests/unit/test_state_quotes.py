"""What a state shows as a quote is what somebody said, whatever a model made of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qgmem import Memory
from qgmem.models.scripted_chat import ScriptedChat
from qgmem.settings import Settings


@pytest.mark.parametrize("given", ["we settled in porto", ""], ids=["quoted by the model", "found by us"])
def test_a_states_quote_is_words_of_the_turn(tmp_path: Path, given: str) -> None:
    """The model words the claim as "Ana lives in Porto."; Ana's words are kept as she wrote them."""
    triple = {"subject": "Ana", "predicate": "lives in", "object": "Porto"}
    unit = {
        "start_turn": "T1",
        "end_turn": "T1",
        "quote": given,
        "fact_text": "Ana lives in Porto.",
        "triple": triple,
    }
    chat = ScriptedChat(
        {
            "units": lambda _: json.dumps({"memory_units": [unit]}),
            "attributes": lambda _: json.dumps({"units": []}),
            "trajectory": lambda _: "{}",
        }
    )
    said = "We settled in Porto."
    with Memory.open(tmp_path, settings=Settings.load({})) as memory:
        memory.add({"content": said, "name": "Ana"}, user_id="ana", timestamp="2024-05-05")
        assert memory.build(user_id="ana", chat=chat).units == 1
        states = [state for found in memory.trajectory("Ana", user_id="ana") for state in found.states]
        assert [state.value for state in states] == ["Porto"]
        assert all(state.quote in said and state.quote for state in states)
