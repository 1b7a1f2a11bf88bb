"""A chat model that says what a test tells it to: no weights, no network, same request, same answer."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from threading import Lock

from .chat import ChatAnswer, ChatRequest, estimate_tokens

Reply = str | ChatAnswer | Exception
Rule = Callable[[ChatRequest], Reply]

_NEW_LINE = re.compile(r"^NEW_IN_THIS_WINDOW \[(\w+)\] time: .*? speaker: (.*?) \((\w+)\): (.*)$", re.MULTILINE)
_MEMORY = re.compile(r"^\[MU1\] \S+(?: \d\d:\d\d)? .*?: (.*?)(?: \(happened [^)]*\))?$", re.MULTILINE)
_UNIT_ID = re.compile(r'"memory_unit_id": "(\w+)"')


class ScriptedChat:
    """Answers from a list in order, from rules by prompt name, or by itself.

    A list (the last entry repeats) suits one call after another; with concurrency the order of calls is not fixed,
    so use rules there: `{"units": function, "attributes": function}`. An entry that is an exception is raised. Left
    out, a prompt is answered by a model that makes one unit of every new turn, with nothing resolved, and
    tells a trace's values in order. `requests` keeps what was asked, in order of arrival.

        >>> chat = ScriptedChat(["[]"])
        >>> chat.complete(ChatRequest("units/1", "", "")).text
        '[]'
    """

    def __init__(
        self, script: Sequence[Reply] | Mapping[str, Rule] | None = None, *, model: str = "scripted"
    ) -> None:
        self.id = model
        self.requests: list[ChatRequest] = []
        self._rules: dict[str, Rule] = {
            "units": one_unit_a_turn,
            "attributes": no_attributes,
            "trajectory": values_in_order,
            "query": no_constraints,
            "answer": first_memory,
        }
        self._list: list[Reply] | None = None
        if isinstance(script, Mapping):
            self._rules.update(script)
        elif script is not None:
            self._list = list(script)
        self._lock = Lock()

    def __repr__(self) -> str:
        return f"ScriptedChat({self.id!r})"

    def asked(self, name: str) -> int:
        """How many requests there were for a prompt."""
        return sum(request.name == name for request in self.requests)

    def complete(self, request: ChatRequest) -> ChatAnswer:
        """The scripted answer; raises it if it is an exception."""
        with self._lock:
            place = len(self.requests)
            self.requests.append(request)
        if self._list is not None:
            reply: Reply = self._list[min(place, len(self._list) - 1)] if self._list else ""
        else:
            reply = self._rules[request.name](request) if request.name in self._rules else ""
        if isinstance(reply, Exception):
            raise reply
        if isinstance(reply, ChatAnswer):
            return reply
        tokens_in = estimate_tokens(request.system + request.user)
        return ChatAnswer(reply, tokens_in, estimate_tokens(reply), counted=False)


def one_unit_a_turn(request: ChatRequest) -> str:
    """Every new turn as a unit: the speaker, a colon, the words."""
    units = [
        {
            "start_turn": label,
            "end_turn": label,
            "quote": text,
            "fact_text": f"{speaker}: {text}",
            "triple": {"subject": speaker, "predicate": "said", "object": text},
        }
        for label, speaker, _, text in _NEW_LINE.findall(request.user)
    ]
    return json.dumps({"memory_units": units}, ensure_ascii=False)


def values_in_order(request: ChatRequest) -> str:
    """The values of a trace's states, and what holds now."""
    trace = json.loads(request.user.partition("\n")[2].partition("\n\n")[0])
    told = "; then ".join(state["value"] for state in trace["states"])
    now = ", ".join(trace["now"]) or f"no more {trace['states'][-1]['value']}"
    text = f"{trace['subject']}, {trace['relation']}: {told}. Now: {now}."
    return json.dumps({"off": [], "text": text}, ensure_ascii=False)


def no_constraints(_: ChatRequest) -> str:
    """A question that constrains nothing."""
    return json.dumps({"entities": [], "locations": [], "times": []})


def no_attributes(request: ChatRequest) -> str:
    """Every unit, without entities, locations and times."""
    units = [
        {"memory_unit_id": unit_id, "entities": [], "locations": [], "time": []}
        for unit_id in dict.fromkeys(_UNIT_ID.findall(request.user))
    ]
    return json.dumps({"memory_units": units})


def first_memory(request: ChatRequest) -> str:
    """The words of the best memory, cited; abstains where there is none."""
    found = _MEMORY.search(request.user)
    path, answer = ("[MU1] says it", found[1]) if found else ("nothing says it", "Not mentioned")
    return json.dumps({"reasoning_path": path, "answer": answer}, ensure_ascii=False)
