"""`train_graph_token`: dialogues and a language model in; examples, weights, manifest and curve out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from ...errors import InvalidInput
from ...evals.manifest import data_digest, package_versions
from ...evals.progress import progress
from ...generation.answer_form import SHORT
from ...generation.graph_arrays import Float32, GraphArrays, graph_arrays
from ...generation.graph_checkpoint import MANIFEST, put_manifest, read_manifest, write_manifest
from ...generation.graph_token import GraphToken, GraphTokenShape
from ...memory import Memory
from ...models.chat import ChatModel
from ...models.hf_chat import HfChat
from ...protocols import Embedder
from ...registry import make_answerer
from ...settings import Settings
from ...types import JsonValue
from .answered import ROWS, answered_right
from .asking import asked, target
from .cases import read_cases
from .examples import BUDGET, Example, Layout, build_examples, read_examples, write_examples
from .split import Split, split_cases, spread
from .trainer import Item, OnStep, Progress, Trainer, TrainSettings

EXAMPLES = "examples.jsonl"


@dataclass(frozen=True, slots=True)
class Trained:
    """What a training left: its folder, its manifest, and the losses on the way."""

    folder: Path
    manifest: dict[str, JsonValue]
    progress: Progress


def train_graph_token(
    data: Path, llm: HfChat, out: Path, settings: TrainSettings, *, embedder: str | Embedder = "minilm", k: int = 10,
    budget: int = BUDGET, limit: int | None = None, reader: ChatModel | None = None,
    on_step: OnStep = lambda _: None, show_progress: bool = True,
) -> Trained:  # fmt: skip
    """Train a graph token on the cases of a folder, from where a run before was stopped.

    The pipeline runs once; its examples stay in `out/examples.jsonl`, its memories in `out/memories`. Examples whose
    evidence or answer is not in the context are left out; where a capable `reader` is given, those that it does not
    answer correctly instead (`answered.py`). Cases are split, and `limit` bounds the examples that are trained on
    (half of it those of validation). Raises InvalidInput, MissingExtra, ModelUnavailable.
    """
    out.mkdir(parents=True, exist_ok=True)
    with unanswered(out / "memories", embedder) as memory:
        layout = Layout(llm.count_tokens, k, budget)
        examples = examples_of(
            memory, data, out, layout, llm.computed, seed=settings.seed, show_progress=show_progress
        )
        kept = [one for one in examples if one.supported]
        counts: dict[str, JsonValue] = {"examples": len(examples), "supported": len(kept)}
        if reader is not None:
            answerer = make_answerer(reader, Settings())
            assert answerer is not None, "a reader is given"
            with progress(f"answers of {reader.id}", len(examples), show_progress) as bar:
                kept, verdicts = answered_right(examples, answerer, out, bar)
            counts |= {"reader": reader.id, **verdicts}
            if len(_cases(kept)) < 2:
                told = ", ".join(f"{verdicts[name]} {name}" for name in ("right", "wrong", "failed"))
                raise InvalidInput(
                    "reader", f"answered {verdicts['asked']} questions: {told}; two cases with right ones are needed",
                    f"see {ROWS}, name a more capable one, or give more data",
                )  # fmt: skip
        split = split_cases(kept, seed=settings.seed, test=0)
        vectors = Vectors(memory.embedder.embed, memory.embedder.id, memory.embedder.dimension)
        return train_on(split, vectors, llm, out, settings, limit=limit, counts=counts, on_step=on_step)


def unanswered(folder: Path, embedder: str | Embedder) -> Memory:
    """A memory in which no chat model answers, whatever the environment names."""
    return Memory.open(folder, embedder=embedder, settings=Settings.load(chat_model=None, graph_token=None))


def examples_of(
    memory: Memory, data: Path, out: Path, layout: Layout, llm_id: str, *, seed: int, show_progress: bool = True
) -> list[Example]:
    """The examples of a folder of cases; those of a run before, if it read the same by the same tokenizer."""
    cases = read_cases(data, seed=seed)
    kept, recipe = out / EXAMPLES, out / "examples.json"
    wanted = json.dumps(
        {
            "data": data_digest(cases.files)["sha256"], "k": layout.k, "budget": layout.budget,
            "facts": layout.fact_tokens, "seed": seed, "embedder": memory.embedder.id, "llm": llm_id,
            "prompt": SHORT.prompt,
        }
    )  # fmt: skip
    if kept.is_file() and recipe.is_file():
        if recipe.read_text(encoding="utf-8") != wanted:
            raise InvalidInput("out", f"{out.name!r} holds examples of other data or settings", "name another folder")
        return read_examples(kept)
    recipe.write_text(wanted, encoding="utf-8")
    with progress("examples", len(cases.questions), show_progress) as bar:
        return write_examples(build_examples(memory, cases, bar, layout), kept)


@dataclass(slots=True)
class Vectors:
    """Sentence vectors of node and predicate texts, each embedded once."""

    embed: Callable[[Sequence[str]], Float32]
    embedder_id: str
    width: int

    def graphs(self, examples: Sequence[Example]) -> list[GraphArrays]:
        """The arrays of each example's local graph."""
        texts = sorted({t for one in examples for t in (*one.nodes, *(predicate for _, predicate, _ in one.edges))})
        matrix = np.asarray(self.embed(texts), np.float32) if texts else np.zeros((0, self.width), np.float32)
        row = {text: at for at, text in enumerate(texts)}

        def cached(wanted: Sequence[str]) -> Float32:
            return matrix[[row[text] for text in wanted]]

        return [graph_arrays(one.nodes, one.edges, cached, self.width) for one in examples]


def train_on(
    split: Split, vectors: Vectors, llm: HfChat, out: Path, settings: TrainSettings, *, limit: int | None = None,
    counts: Mapping[str, JsonValue] | None = None, on_step: OnStep = lambda _: None,
) -> Trained:  # fmt: skip
    """Train on examples that are there already. A folder with a finished training is read, not trained again.

    `counts`: how many examples there were and why these were kept, for the manifest.
    """
    out.mkdir(parents=True, exist_ok=True)
    train, validation = (
        spread(split.train, limit),
        spread(split.validation, None if limit is None else -(-limit // 2)),
    )
    shape = GraphTokenShape(vectors.width, llm.width, settings.tokens)
    fingerprint = _fingerprint(train, validation, shape, llm.computed, vectors.embedder_id, settings)
    model = GraphToken(shape, seed=settings.seed, output_rms=llm.embedding_rms)
    trainer = Trainer(llm, model, settings, out, fingerprint)
    if (out / MANIFEST).is_file() and (there := read_manifest(out))["fingerprint"] == fingerprint:
        if counts is not None and there.get("kept") != dict(counts):  # another reader, which kept the same examples
            there = put_manifest(out, there | {"kept": dict(counts)})
        return Trained(out, there, trainer.progress)
    found = trainer.run(items(train, vectors, llm), items(validation, vectors, llm), on_step)
    manifest = write_manifest(
        out, shape, llm.id, vectors.embedder_id,
        {
            "fingerprint": fingerprint, "settings": asdict(settings),
            "examples": {"train": len(train), "validation": len(validation)},
            "kept": dict(counts or {}),
            "cases": {"train": _cases(train), "validation": _cases(validation)},
            "validation": list(found.validation), "best_epoch": found.best, "steps": len(found.losses),
            "seconds": {"llm": round(found.seconds_llm, 3), "graph": round(found.seconds_graph, 3)},
            "packages": package_versions(),
        },
    )  # fmt: skip
    return Trained(out, manifest, found)


def items(examples: Sequence[Example], vectors: Vectors, llm: HfChat) -> list[Item]:
    """Examples as the trainer reads them."""
    return [
        Item(asked(llm, one), graph, llm.target(*target(one)))
        for one, graph in zip(examples, vectors.graphs(examples), strict=True)
    ]


def _cases(examples: Sequence[Example]) -> list[JsonValue]:
    return list(dict.fromkeys(one.case_id for one in examples))


def _fingerprint(
    train: Sequence[Example], validation: Sequence[Example], shape: GraphTokenShape, llm: str, embedder: str,
    settings: TrainSettings,
) -> str:  # fmt: skip
    """Digest of all that decides the result; how often states are kept is not among it."""
    chosen = {name: value for name, value in asdict(settings).items() if name != "keep_every"}
    read = [asdict(one) for one in (*train, *validation)]
    parts = [SHORT.prompt, llm, embedder, asdict(shape), chosen, read, len(train)]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
