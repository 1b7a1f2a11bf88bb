"""`study_graph_branch`: a language model in; trainings, answers, tables and a sheet to check by hand out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ...errors import InvalidInput
from ...evals.datasets.dialogue import Dataset, Question
from ...evals.manifest import build_manifest
from ...evals.progress import progress
from ...generation.graph_checkpoint import load_checkpoint
from ...generation.graph_token import GraphToken, GraphTokenShape
from ...models.hf_chat import HfChat
from ...synthetic import simulate, write
from ...synthetic.write import MANIFEST
from ..graph_token.cases import read_cases
from ..graph_token.examples import BUDGET, Example, Layout
from ..graph_token.run import Vectors, examples_of, train_on, unanswered
from ..graph_token.split import Split, split_cases, spread
from ..graph_token.trainer import TrainSettings
from .ablations import ABLATIONS, Ablation, ablated_examples
from .answers import AnswerFile, Key, answer_all
from .conditions import Condition, conditions
from .costs import Cost, cost_at
from .report import write_report

FACT = 40  # tokens that any fact may take, so that a context is never too full for the graph as text
PARTS = ("answers", "ablations", "costs")


@dataclass(frozen=True, slots=True)
class StudySettings:
    """Sizes of the study. Full: 60 lives of two years, every question with support, ten epochs.

    `k`, `budget`: units and tokens of a context. `per_type`: test questions a type, None for all; `limit`: examples
    to train on, None for all. `ablation_questions`: in all. `histories`: lengths in years for the costs, with
    `cost_questions` each.
    """

    lives: int = 60
    years: float = 2.0
    life_seed: int = 2024
    seeds: tuple[int, ...] = (0, 1, 2)
    tokens: tuple[int, ...] = (1, 2, 4)
    k: int = 10
    budget: int = BUDGET
    per_type: int | None = None
    limit: int | None = None
    epochs: int = 10
    batch: int = 4
    accumulate: int = 4
    rate: float = 1e-4
    blind: bool = True
    answer_batch: int = 8
    ablation_questions: int = 200
    histories: tuple[float, ...] = (0.5, 2.0, 8.0)
    cost_questions: int = 10
    parts: tuple[str, ...] = PARTS
    resamples: int = 10_000


def study_graph_branch(
    llm: HfChat, out: Path, settings: StudySettings, *, data: Path | None = None, embedder: str = "minilm",
    show_progress: bool = True,
) -> dict[str, object]:  # fmt: skip
    """Run what is not there yet and write the report; a run that was stopped goes on where it was.

    `data`: a folder of cases, else lives are simulated into `out/lives`. Returns what study.json holds.
    Raises InvalidInput, MissingExtra, ModelUnavailable.
    """
    if unknown := set(settings.parts) - set(PARTS):
        raise InvalidInput("parts", f"there is none called {sorted(unknown)[0]!r}", f"use {', '.join(PARTS)}")
    out.mkdir(parents=True, exist_ok=True)
    folder = data or lives_of(out, settings)
    layout = Layout(llm.count_tokens, settings.k, settings.budget, fact_tokens=FACT * settings.k)
    with unanswered(out / "memories", embedder) as memory:
        examples = examples_of(memory, folder, out, layout, llm.computed, seed=0, show_progress=show_progress)
        vectors = Vectors(memory.embedder.embed, memory.embedder.id, memory.embedder.dimension)
        split = split_cases(examples)
        asked = asked_questions([one for one in split.test if one.supported], settings.per_type)
        if len({one.case_id for one in asked}) < 2:
            raise InvalidInput(
                "data", "has test questions of fewer than two cases", "give more cases, or longer ones"
            )
        kept = AnswerFile(out / "answers.jsonl")
        study = _Study(llm, out, settings, layout, vectors, split, kept, show_progress)
        if "answers" in settings.parts:
            study.answers(asked)
    removed = asked_anew(read_cases(folder), {one.case_id for one in split.test}, settings.ablation_questions)
    if "ablations" in settings.parts:
        study.ablations(removed, embedder)
    costs = study.costs(embedder) if "costs" in settings.parts else []
    manifest = build_manifest(
        files=list(read_cases(folder).files), settings=json.loads(json.dumps(asdict(settings))),
        system={"llm": llm.computed, "embedder": vectors.embedder_id}, seed=None,
    )  # fmt: skip
    wanted = study.keys(asked, removed.questions)  # a folder may hold more, of other settings
    rows = [row for row in kept.rows.values() if row.key in wanted]
    return write_report(out, rows, examples, split, study.curves(), costs, manifest, settings.resamples)


def asked_questions(examples: Sequence[Example], per_type: int | None) -> list[Example]:
    """At most so many of each type, drawn by hash, in the order given."""
    if per_type is None:
        return list(examples)
    drawn = sorted(examples, key=lambda one: hashlib.sha256(one.id.encode()).hexdigest())
    counts: dict[str, int] = {}
    chosen = set()
    for one in drawn:
        counts[one.type] = counts.get(one.type, 0) + 1
        if counts[one.type] <= per_type:
            chosen.add(one.id)
    return [one for one in examples if one.id in chosen]


def asked_anew(cases: Dataset, tested: set[str], count: int) -> Dataset:
    """So many questions of the tested cases, with support or without, drawn by hash: for parts taken away."""
    questions = [one for one in cases.questions if one.conversation_id in tested]
    drawn = sorted(questions, key=lambda one: hashlib.sha256(one.id.encode()).hexdigest())[:count]
    held = tuple(one for one in cases.conversations if one.id in tested)
    return Dataset(cases.name, held, tuple(sorted(drawn, key=lambda one: one.id)), cases.files)


@dataclass(slots=True)
class _Study:
    """The parts of the study, over shared models and files."""

    llm: HfChat
    out: Path
    settings: StudySettings
    layout: Layout
    vectors: Vectors
    split: Split
    kept: AnswerFile
    show_progress: bool

    def answers(self, asked: Sequence[Example]) -> None:
        """All conditions over all seeds."""
        graphs = self.vectors.graphs(asked)
        _ = self.llm.width  # loads the model, so that no answer's seconds hold that
        wanted = conditions(self.settings.tokens, blind=self.settings.blind)
        for condition in wanted:
            for seed in self.settings.seeds if condition.seeded else (0,):
                model = self.model(condition, seed) if condition.seeded else None
                with progress(f"{condition.name}, seed {seed}", len(asked), self.show_progress) as bar:
                    answer_all(
                        self.llm, asked, graphs, condition, model, self.kept, bar, seed=seed,
                        batch=self.settings.answer_batch,
                    )  # fmt: skip

    def model(self, condition: Condition, seed: int) -> GraphToken:
        """The token of a condition: fresh, or trained now if it is not there."""
        if not condition.trained:
            shape = GraphTokenShape(self.vectors.width, self.llm.width, condition.tokens)
            return GraphToken(shape, seed=seed, output_rms=self.llm.embedding_rms)
        chosen = self.settings
        train = TrainSettings(
            chosen.epochs, chosen.batch, chosen.accumulate, chosen.rate, condition.tokens, seed,
            blind=condition.graph == "blind",
        )  # fmt: skip
        folder = self._folder(condition, seed)
        supported = Split(
            tuple(one for one in self.split.train if one.supported),
            tuple(one for one in self.split.validation if one.supported),
            (),
        )
        steps = -(-len(spread(supported.train, chosen.limit)) // (chosen.batch * chosen.accumulate)) * chosen.epochs
        with progress(f"train {folder.name}", steps, self.show_progress) as bar:
            train_on(
                supported, self.vectors, self.llm, folder, train, limit=chosen.limit,
                on_step=lambda now: bar.advance(min(1, len(now.losses))),
            )  # fmt: skip
        return load_checkpoint(folder, llm_id=self.llm.id, embedder_id=self.vectors.embedder_id)

    def _folder(self, condition: Condition, seed: int) -> Path:
        kind = "blind" if condition.graph == "blind" else "token"
        return self.out / "train" / f"{kind}-{condition.tokens}-seed-{seed}"

    def keys(self, asked: Sequence[Example], removed: Sequence[Question]) -> set[Key]:
        """Of all rows of this study, there or not."""
        seeds, ways = self.settings.seeds, conditions(self.settings.tokens, blind=self.settings.blind)
        main = {
            ("main", way.name, seed, one.id)
            for way in ways
            for seed in (seeds if way.seeded else (0,))
            for one in asked
        }
        return main | {(each.name, self.shown(each).name, seeds[0], one.id) for each in ABLATIONS for one in removed}

    def shown(self, ablation: Ablation) -> Condition:
        """The smallest token where there is a graph."""
        return Condition("token", min(self.settings.tokens)) if ablation.graph else Condition("none")

    def ablations(self, part: Dataset, embedder: str) -> None:
        """Each part taken away, with the first seed's token where there is a graph."""
        model = self.model(Condition("token", min(self.settings.tokens)), self.settings.seeds[0])
        for ablation in ABLATIONS:
            shown = self.shown(ablation)
            with progress(ablation.name, 2 * len(part.questions), self.show_progress) as bar:
                examples = ablated_examples(ablation, part, self.out, embedder, bar, self.layout)
                answer_all(
                    self.llm, examples, self.vectors.graphs(examples), shown,
                    model if ablation.graph else None, self.kept, bar, seed=self.settings.seeds[0], run=ablation.name,
                    batch=self.settings.answer_batch,
                )  # fmt: skip

    def costs(self, embedder: str) -> list[Cost]:
        """Build and query at each length of history; measured anew every time."""
        model = self.model(Condition("token", min(self.settings.tokens)), self.settings.seeds[0])
        with progress("costs", len(self.settings.histories), self.show_progress) as bar:
            found = []
            for years in self.settings.histories:
                found.append(
                    cost_at(
                        years, self.llm, model, self.out, self.layout, questions=self.settings.cost_questions,
                        seed=self.settings.life_seed + 1, embedder=embedder,
                    )
                )  # fmt: skip
                bar.advance()
        return found

    def curves(self) -> dict[str, object]:
        """Validation loss an epoch of every training that is finished, the untrained value first."""
        found: dict[str, object] = {}
        for path in sorted((self.out / "train").glob("*/manifest.json")):
            manifest = json.loads(path.read_text(encoding="utf-8"))
            found[path.parent.name] = {
                name: manifest[name] for name in ("validation", "best_epoch", "steps", "examples", "seconds")
            }
        return found


def lives_of(out: Path, settings: StudySettings) -> Path:
    """The study's own lives, simulated if they are not there. Raises InvalidInput for those of other settings."""
    folder = out / "lives"
    made = {"people": settings.lives, "years": settings.years, "seed": settings.life_seed}
    if not (folder / MANIFEST).is_file():
        write(simulate(settings.lives, settings.years, settings.life_seed), folder, made)
    elif json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["settings"] != made:
        raise InvalidInput("out", f"{out.name!r} holds lives of other settings", "name another folder")
    return folder
