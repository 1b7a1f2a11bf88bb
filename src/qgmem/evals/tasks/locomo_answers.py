"""LoCoMo end to end: official F1 of one reader's answers, beside evidence recall, tokens and seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from qgmem.errors import AnswerFailed, InvalidInput, gone
from qgmem.evals.answers import report
from qgmem.evals.answers.plot import drawing, plot
from qgmem.evals.answers.readers import NAMES, Reader, Readers, built
from qgmem.evals.answers.rows import AnswerRow, Journal
from qgmem.evals.answers.sample import SEED, sampled
from qgmem.evals.datasets.dialogue import Question
from qgmem.evals.datasets.locomo import load_locomo
from qgmem.evals.manifest import build_manifest
from qgmem.evals.metrics.locomo_f1 import locomo_f1
from qgmem.evals.metrics.recall_acc import recall_acc
from qgmem.evals.metrics.turn_ids import turn_ids_at
from qgmem.evals.progress import progress
from qgmem.generation.answer_form import form_of
from qgmem.memory import Memory
from qgmem.protocols import Answerer, Embedder
from qgmem.settings import Settings
from qgmem.types import JsonValue

TOKENS_A_UNIT = 70  # of budget: 700 at k = 10


@dataclass(frozen=True, slots=True)
class AnswerRun:
    """The rows there are, of as many as are `wanted`."""

    rows: tuple[AnswerRow, ...]
    wanted: int
    report: dict[str, JsonValue]

    def to_markdown(self) -> str:
        """The run as tables."""
        return report.to_markdown(self.rows, self.wanted)


def run_locomo_answers(
    data: Path,
    out: Path,
    answerer: Answerer,
    *,
    systems: Sequence[str] = ("bm25", "default"),
    ks: Sequence[int] = (5, 10, 25),
    sample: int | None = 60,
    embedder: str | Embedder = "minilm",
    limit_conversations: int | None = None,
    show_progress: bool = True,
) -> AnswerRun:
    """Asks the sample of every system at every k, and scores the answers; goes on where a former run stopped.

    Every system has the same reader, prompt, lines and budget (70 tokens a unit). An answer that cannot be used
    scores 0, as does one that the reader's server refuses; a server that is gone ends the run, so that the same call
    asks those questions later. Writes `questions.jsonl`, `manifest.json`, `report.json`, `report.md`,
    `f1-by-tokens.svg` and the memories into `out`. Raises InvalidInput, ModelUnavailable, ModelRefused, MissingExtra.
    """
    for name, values in (("systems", systems), ("k", ks)):
        if not values or len(set(values)) < len(values):
            raise InvalidInput(name, f"is {list(values)}", "give each once")
    if unknown := sorted(set(systems) - set(NAMES)):
        raise InvalidInput("systems", f"there is none called {unknown[0]!r}", f"use some of {', '.join(NAMES)}")
    locomo_f1("", "", "single-hop")  # what needs an extra says so before anybody is asked
    drawing()
    dataset = load_locomo(data).limited(limit_conversations)
    questions = sampled(dataset, sample)
    settings = Settings()
    described: dict[str, JsonValue] = {
        "reader": answerer.id, "prompt": form_of(answerer).prompt, "tokens_a_unit": TOKENS_A_UNIT, "sample": sample,
        "limit_conversations": limit_conversations,
    }  # fmt: skip
    manifest = build_manifest(
        files=dataset.files, settings=described, system={"settings": settings.model_dump(mode="json")}, seed=SEED
    )
    journal = Journal(out, {name: manifest[name] for name in ("data", "settings", "system", "seed")})
    # A question at every k in a row: the contexts begin alike, and a server reads what it has just read only once.
    wanted = [(k, question, name) for question in questions for name in systems for k in ks]
    with (
        Memory.open(out / "memories", embedder=embedder, settings=settings) as memory,
        Readers(memory, answerer) as opened,
    ):
        asked = {question.conversation_id for question in questions}
        conversations = {each.id: each for each in dataset.conversations if each.id in asked}
        built(memory, list(conversations.values()), data)
        readers: dict[tuple[str, str], Reader] = {}
        with progress("answers", len(wanted), show_progress) as bar:
            for k, question, name in wanted:
                if (name, k, question.id) not in journal.rows:
                    place = question.conversation_id, name
                    if place not in readers:
                        readers[place] = opened.open(name, conversations[place[0]])
                    journal.add(_asked(readers[place], question, name, k))
                bar.advance()
    rows = tuple(journal.rows[name, k, question.id] for k, question, name in wanted)
    report.write(rows, len(wanted), manifest, out)
    plot(report.cells(rows), out / "f1-by-tokens.svg")
    return AnswerRun(rows, len(wanted), report.to_json(rows, len(wanted), manifest))


def _asked(reader: Reader, question: Question, system: str, k: int) -> AnswerRow:
    failure: str | None = None
    try:
        answer = reader.ask(question.text, k, TOKENS_A_UNIT * k)
    except AnswerFailed as error:
        if (fault := gone(error)) is not None:
            raise fault from error
        answer, failure = error.evidence, str(error)
    found = turn_ids_at(answer.working_memory, k)
    return AnswerRow(
        system=system,
        k=k,
        question_id=question.id,
        category=question.category,
        prediction=answer.answer or "",
        f1=0.0 if failure else locomo_f1(answer.answer or "", question.answer, question.category),
        recall=recall_acc(question.evidence, found, k),
        abstained=answer.abstained,
        notes=answer.notes,
        found=tuple(found),
        failure=failure,
        context_tokens=answer.tokens.get("context", 0),
        prompt_tokens=answer.tokens.get("prompt", 0),
        completion_tokens=answer.tokens.get("completion", 0),
        seconds=round(answer.seconds.get("total", 0.0), 4),
        answer_seconds=round(answer.seconds.get("answer", 0.0), 4),
    )
