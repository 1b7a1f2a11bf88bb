"""A checkpoint of `train graph-token` answers `ask`: by settings, and what it refuses. Needs torch."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from qgmem.errors import InvalidInput, MissingExtra
from qgmem.generation.answer_form import SHORT
from qgmem.memory import Memory
from qgmem.models.chat import ChatAnswer, ChatRequest
from qgmem.models.hf_chat import Ended, HfChat, Prompt
from qgmem.models.scripted import HashEmbedder
from qgmem.models.scripted_chat import ScriptedChat
from qgmem.registry import make_answerer
from qgmem.settings import Settings
from qgmem.surfaces.cli import main
from qgmem.synthetic import simulate, write
from qgmem.training.graph_token.run import train_graph_token
from qgmem.training.graph_token.trainer import TrainSettings

for needed in ("torch", "torch_geometric", "transformers", "safetensors"):
    pytest.importorskip(needed, reason=f"needs {needed}: pip install 'qgmem[graph]'")

from tiny_models import tiny  # noqa: E402 - needs what may be missing

EMBEDDER = HashEmbedder(16)


def test_a_reader_chooses_what_is_learned_and_the_manifest_says_how_many(tmp_path: Path) -> None:
    """A reader that says the first memory is judged by itself, and calls all of it correct."""
    llm = HfChat(tiny("smollm", tmp_path), threads=1)
    write(simulate(2, 0.2, 5, questions=1), tmp_path / "lives")
    reader = ScriptedChat({"judge": lambda _: '{"reason": "so it is", "judgment": "correct"}'})
    done = train_graph_token(
        tmp_path / "lives", llm, tmp_path / "token", TrainSettings(epochs=1, batch=2, accumulate=1),
        embedder=EMBEDDER, k=3, reader=reader, show_progress=False,
    )  # fmt: skip
    kept, examples = cast(dict[str, int], done.manifest["kept"]), cast(dict[str, int], done.manifest["examples"])
    assert (kept["reader"], kept["wrong"], kept["failed"]) == ("scripted", 0, 0)
    assert kept["right"] == kept["asked"] < kept["examples"]
    assert kept["tokens"] > 0
    assert kept["supported"] <= examples["train"] + examples["validation"] == kept["right"]


def test_a_reader_that_gets_nothing_right_is_said_to_be_the_reason(tmp_path: Path) -> None:
    llm = HfChat(tiny("smollm", tmp_path), threads=1)
    write(simulate(2, 0.2, 5, questions=1), tmp_path / "lives")
    wrong = ScriptedChat({"judge": lambda _: '{"reason": "no", "judgment": "incorrect"}',
                          "answer": lambda _: '{"reasoning_path": "[MU1]", "answer": "zebra"}'})  # fmt: skip
    with pytest.raises(InvalidInput, match=r"reader: answered \d+ questions: 0 right, \d+ wrong, 0 failed"):
        train_graph_token(
            tmp_path / "lives", llm, tmp_path / "token", TrainSettings(), embedder=EMBEDDER, k=3, reader=wrong,
            show_progress=False,
        )  # fmt: skip


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A tiny model and a checkpoint of two tokens for it, trained on what the memory finds in two lives."""
    folder = tmp_path_factory.mktemp("trained")
    llm = tiny("smollm", folder)
    write(simulate(2, 0.2, 5, questions=1), folder / "lives")
    settings = TrainSettings(epochs=1, batch=2, accumulate=1, tokens=2)
    train_graph_token(
        folder / "lives", HfChat(llm, threads=1), folder / "token", settings, embedder=EMBEDDER, k=3,
        limit=2, show_progress=False,
    )  # fmt: skip
    return llm, folder / "token"


def opened(path: Path, **settings: object) -> Memory:
    """A memory with one statement in it."""
    memory = Memory.open(path, embedder=EMBEDDER, settings=Settings(threads=1, **settings))  # type: ignore[arg-type]
    if not memory.namespaces():
        memory.add([{"role": "user", "name": "Ana", "content": "I live in Oslo."}], user_id="ana")
    return memory


def test_a_checkpoint_in_the_settings_answers_and_the_answer_says_so(
    trained: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The vectors that the model reads are two, and not those of words; the record counts them and names the token.

    A random model cannot write an answer, so what it read is looked at and the words are given.
    """
    llm, checkpoint = trained
    seen: list[np.ndarray | None] = []
    read = HfChat.generate

    def generate(
        self: HfChat, prompts: list[Prompt], vectors: np.ndarray | None, *, max_tokens: int, ended: Ended
    ) -> list[ChatAnswer]:
        seen.append(vectors)
        (said,) = read(self, prompts, vectors, max_tokens=min(max_tokens, 2), ended=ended)
        return [replace(said, text='"MU1"], "answer": "Oslo"}')]

    monkeypatch.setattr(HfChat, "generate", generate)
    with opened(tmp_path / "m", chat_model=f"hf:{llm}", graph_token=str(checkpoint)) as memory:
        found = memory.ask("Where does Ana live?", user_id="ana")
    with opened(tmp_path / "m", chat_model=f"hf:{llm}") as memory:
        words = memory.ask("Where does Ana live?", user_id="ana")
    assert seen[0] is not None
    assert seen[0].shape == (1, 2, 32)
    assert seen[1] is None
    assert (found.answer, words.answer) == ("Oslo", "Oslo")
    assert found.tokens["graph"] == 2
    assert "graph" not in words.tokens
    assert found.answerer is not None
    assert words.answerer is not None
    assert found.answerer.startswith(f"{words.answerer}+graph-2-sha256:")
    facts = HfChat(llm, threads=1).count_tokens(words.context.text) - found.tokens["context"]
    assert facts > 0
    assert found.tokens["prompt"] == words.tokens["prompt"] - facts + 2


def test_a_checkpoint_of_something_else_is_refused_by_name(trained: tuple[Path, Path], tmp_path: Path) -> None:
    llm, checkpoint = trained
    other = tiny("qwen", tmp_path)
    chosen = Settings(chat_model=f"hf:{other}", graph_token=str(checkpoint), threads=1)
    with pytest.raises(InvalidInput, match=r"graph_token\.llm: .* trained with tiny-smollm-\S+ not with tiny-qwen-"):
        make_answerer(None, chosen, EMBEDDER)
    own = chosen.model_copy(update={"chat_model": f"hf:{llm}"})
    with pytest.raises(InvalidInput, match=r"graph_token\.embedder: .* trained with hash-16, not with hash-8"):
        make_answerer(None, own, HashEmbedder(8))
    older = tmp_path / "older"
    older.mkdir()
    manifest = json.loads((checkpoint / "manifest.json").read_text())
    assert manifest["prompt"] == SHORT.prompt
    (older / "manifest.json").write_text(json.dumps(manifest | {"prompt": "graph-answer/1"}))
    with pytest.raises(
        InvalidInput, match=r"graph_token\.prompt: 'older' was trained with graph-answer/1, not with graph-answer/3"
    ):
        make_answerer(None, own.model_copy(update={"graph_token": str(older)}), EMBEDDER)


def test_a_folder_without_a_checkpoint_says_how_to_make_one(trained: tuple[Path, Path], tmp_path: Path) -> None:
    chosen = Settings(chat_model=f"hf:{trained[0]}", graph_token=str(tmp_path / "nowhere"), threads=1)
    with pytest.raises(InvalidInput, match=r"'nowhere' holds no manifest\.json; train one: qgmem train graph-token"):
        make_answerer(None, chosen, EMBEDDER)


def test_only_a_local_model_reads_a_checkpoint(trained: tuple[Path, Path]) -> None:
    chosen = Settings(graph_token=str(trained[1]))
    answerer = make_answerer(ScriptedChat(), Settings())
    for given, told in (
        ("scripted", "cannot be read by scripted"), (answerer, "cannot be read by the answerer scripted"),
        (None, "is set, but no model is named"),
    ):  # fmt: skip
        with pytest.raises(InvalidInput, match=rf"settings\.graph_token: {told}.*as hf:PATH, or leave it out"):
            make_answerer(given, chosen, EMBEDDER)


def test_without_the_extra_it_is_named(trained: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    llm, checkpoint = trained
    monkeypatch.setitem(__import__("sys").modules, "torch_geometric.nn", None)
    chosen = Settings(chat_model=f"hf:{llm}", graph_token=str(checkpoint), threads=1)
    with pytest.raises(MissingExtra, match=r"pip install 'qgmem\[graph\]'"):
        make_answerer(None, chosen, EMBEDDER)


def test_another_prompt_is_answered_without_the_opening(trained: tuple[Path, Path]) -> None:
    """`bench locomo --answers` asks every reader the same way; only the own prompt has its opening in the answer."""
    answerer = make_answerer(None, Settings(chat_model=f"hf:{trained[0]}", threads=1))
    assert answerer is not None
    own, other = (
        answerer.complete(ChatRequest(name, "s", "q", max_tokens=3), None)  # type: ignore[arg-type]
        for name in (SHORT.prompt, "answer/1")
    )
    assert own.text.startswith(SHORT.opening)
    assert not other.text.startswith(SHORT.opening)
    assert own.tokens_in == other.tokens_in + len(SHORT.opening)


def test_the_command_line_takes_a_checkpoint(
    trained: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """This one was trained with another embedder than the command's, which is said by name, as misuse."""
    llm, checkpoint = trained
    monkeypatch.chdir(tmp_path)
    given = ["--model", f"hf:{llm}", "--graph-token", str(checkpoint)]
    monkeypatch.setattr("sys.argv", ["qgmem", "ask", "Where does Ana live?", *given])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "graph_token.embedder" in capsys.readouterr().err
