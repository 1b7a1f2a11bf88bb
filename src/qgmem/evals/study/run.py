"""`run_study`: data, graphs and embedders in; study.json, study.md, questions.jsonl and plots out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from qgmem.construction.entities import RuleExtractor
from qgmem.errors import InvalidInput, QgmemError
from qgmem.evals.datasets.dialogue import Dataset
from qgmem.evals.datasets.locomo import load_locomo
from qgmem.evals.manifest import build_manifest, model_identity
from qgmem.evals.progress import progress
from qgmem.evals.statistics import RESAMPLES, SEED
from qgmem.models.hf import HfEmbedder
from qgmem.protocols import Embedder, Vectors
from qgmem.registry import EMBEDDERS, make_embedder
from qgmem.settings import Settings
from qgmem.types import Attributes

from .conditions import COMPLETE, CONDITIONS
from .families import Cell, compare_all, families
from .graphs import StudyGraph, rules_graph, stored_graph
from .markdown import to_markdown
from .plots import write_plots
from .ranking import Ranked, rank_cell, recalls
from .report import StageCost, Study, write_json, write_questions
from .texts import FORMS, MAIN_FORM, TextForm, memory_texts
from .vectors import TextVectors, embed_groups

Texts = Mapping[TextForm, Mapping[str, Mapping[str, str]]]  # form → conversation → turn → text


def run_study(
    data: Path,
    out: Path,
    *,
    graphs: Path | None = None,
    embedders: Sequence[str | Embedder] = ("minilm",),
    forms: Mapping[str, Sequence[TextForm]] | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    limit_conversations: int | None = None,
    show_progress: bool = True,
) -> Study:
    """The matched study over a LoCoMo file; writes into the folder `out` and returns what it wrote.

    `graphs` is the published file of entity graphs and question keys; without it only our rules' graph is
    studied. `embedders` are names that the registry knows, folders or hub names of sentence-transformers
    models, or embedders; the first is the one that others are compared to. `forms` leaves out text forms for
    an embedder, by the last part of its name; the main form is never left out.

    Vectors, entities and question keys stay in `out/cache` by content hash, so that a second run calls no
    model, and a run that was stopped goes on where it was.

    Raises ControlFailed when dense retrieval over a graph's store gives other turns than dense retrieval,
    InvalidInput for files and names that cannot be read, MissingExtra without matplotlib, and what the models
    raise.
    """
    dataset = load_locomo(data, caption_query=False).limited(limit_conversations)
    if not dataset.questions:
        raise InvalidInput("data", f"{data.name} has no question to ask")
    models = _named(embedders)
    chosen = {label: _forms(label, forms) for label in models}
    texts: Texts = {form: {c.id: memory_texts(c, form) for c in dataset.conversations} for form in FORMS}
    cache = _cache(out)
    studied = [stored_graph(dataset, graphs)] if graphs is not None else []
    studied.append(rules_graph(dataset, cache, show_progress=show_progress))

    costs: list[StageCost] = []
    ranked: dict[Cell, Ranked] = {}
    for label, model in models.items():
        groups = _groups(dataset, texts, chosen[label])
        vectors, cold = embed_groups(model, groups, cache, show_progress=show_progress)
        _, replay = embed_groups(_NoModel(model), groups, cache, show_progress=False)
        costs += [StageCost(label, f"embed {name}", cold[name][0], replay[name][1]) for name in groups]
        ranked |= _rank(dataset, texts, label, vectors, studied, chosen[label], show_progress=show_progress)
    replayed = rules_graph(dataset, cache, _NoRules(), show_progress=False)
    costs += [StageCost(replayed.name, stage, replayed.cold[stage], replayed.warm[stage]) for stage in replayed.cold]

    scores = {
        cell: {name: recalls(dataset, lists) for name, lists in found.lists.items()} for cell, found in ranked.items()
    }
    wanted = families(list(models), [graph.name for graph in studied], list(ranked))
    conversations = [question.conversation_id for question in dataset.questions]
    study = Study(
        data=dataset,
        embedders={label: {**model_identity(model), "forms": list(chosen[label])} for label, model in models.items()},
        graphs=studied,
        scores=scores,
        findings=compare_all(
            wanted, scores, conversations, resamples=resamples, seed=seed, show_progress=show_progress
        ),
        costs=costs,
        ranking_ms={
            cell: {name: 1000 * s / len(dataset.questions) for name, s in found.seconds.items()}
            for cell, found in ranked.items()
        },
        manifest=build_manifest(
            files=[data] if graphs is None else [data, graphs],
            settings={"resamples": resamples, "limit_conversations": limit_conversations},
            system={"extractor": RuleExtractor.id, "embedders": [model.id for model in models.values()]},
            seed=seed,
        ),
    )
    write_json(study, out / "study.json")
    write_questions(study, out / "questions.jsonl")
    plots = write_plots(study, out)
    (out / "study.md").write_text(to_markdown(study, plots), encoding="utf-8")
    return study


def open_embedder(name: str) -> Embedder:
    """A registered embedder, or the sentence-transformers model of that folder or hub name."""
    return make_embedder(name, Settings.load(threads=1)) if name in EMBEDDERS else HfEmbedder(name, threads=1)


class _NoModel:
    """An embedder that only has a name: proof that a replay calls no model."""

    def __init__(self, model: Embedder) -> None:
        self.id, self.dimension = model.id, model.dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        _refuse(f"{len(texts)} texts")


class _NoRules(RuleExtractor):
    """Rules that refuse to read."""

    def extract(self, text: str, speaker: str) -> Attributes:  # noqa: ARG002 - the protocol's signature
        _refuse("a text")


def _refuse(what: str) -> NoReturn:
    raise QgmemError(f"the replay asked a model about {what}; an artefact was changed or removed meanwhile")


def _rank(
    data: Dataset,
    texts: Texts,
    label: str,
    vectors: TextVectors,
    graphs: Sequence[StudyGraph],
    forms: Sequence[TextForm],
    *,
    show_progress: bool,
) -> dict[Cell, Ranked]:
    """Every condition on the main form, the complete one on the others."""
    found: dict[Cell, Ranked] = {}
    for graph in graphs:
        for form in forms:
            conditions = CONDITIONS if form == MAIN_FORM else {COMPLETE: CONDITIONS[COMPLETE]}
            with progress(f"rank {label}, {graph.name}, {form}", len(data.questions), show_progress) as bar:
                cell = Cell(label, graph.name, form)
                found[cell] = rank_cell(data, texts[form], vectors, graph, conditions, bar)
    return found


def _groups(data: Dataset, texts: Texts, forms: Sequence[TextForm]) -> dict[str, list[str]]:
    """What is embedded together, in an order that does not depend on which forms were asked for."""
    groups = {"raw": _all(texts["raw"]), "questions": [q.text for q in data.questions]}
    return groups | {form: _all(texts[form]) for form in FORMS if form != "raw" and form in forms}


def _all(by_conversation: Mapping[str, Mapping[str, str]]) -> list[str]:
    return [text for turns in by_conversation.values() for text in turns.values()]


def _named(embedders: Sequence[str | Embedder]) -> dict[str, Embedder]:
    named: dict[str, Embedder] = {}
    for one in embedders:
        label = Path(one).name if isinstance(one, str) else one.id
        if label in named:
            raise InvalidInput("embedders", f"{label!r} is there twice")
        named[label] = open_embedder(one) if isinstance(one, str) else one
    if not named:
        raise InvalidInput("embedders", "none given", "name at least one, as minilm")
    return named


def _forms(label: str, forms: Mapping[str, Sequence[TextForm]] | None) -> tuple[TextForm, ...]:
    asked = FORMS if forms is None else forms.get(label, FORMS)
    return tuple(form for form in FORMS if form == MAIN_FORM or form in asked)


def _cache(out: Path) -> Path:
    """`out/cache`, which git is told to leave alone."""
    cache = out / "cache"
    cache.mkdir(parents=True, exist_ok=True)
    (cache / ".gitignore").write_text("*\n", encoding="utf-8")
    return cache
