"""Answers by a local model, with its server started for the run.

    make bench-answers MODEL=qwen2.5-coder-1.5b-instruct-q4_k_m.gguf DATA=folder

The same command goes on where a stopped run was. A server that is running already: `qgmem bench locomo --answers`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from qgmem.errors import InvalidInput, QgmemError
from qgmem.registry import make_answerer
from qgmem.settings import Settings

from ..llm_smoke.server import llama_server, stop_with
from ..tasks.locomo_answers import run_locomo_answers


def main() -> int:
    """0 when all questions were asked, 1 if the run stopped, 2 for a value that cannot be used, 130 for Ctrl-C."""
    given = _parsed()
    try:
        name = given.model.stem
        server = llama_server(
            given.python, given.model, given.out / "server.log", context=given.context, threads=given.threads,
            name=name,
        )  # fmt: skip
        settings = Settings(chat_model=name, chat_url=server.base_url, chat_seconds=given.seconds)
        answerer = make_answerer(None, settings)
        assert answerer is not None, "a model is named"
        stop_with(server)
        given.out.mkdir(parents=True, exist_ok=True)
        with server:
            run = run_locomo_answers(
                _locomo(given.data), given.out, answerer,
                systems=given.systems.split(","), ks=[int(k) for k in given.k.split(",")], sample=given.sample,
            )  # fmt: skip
    except (InvalidInput, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped; the same command goes on", file=sys.stderr)
        return 130
    except QgmemError as error:
        print(f"{error}; the same command goes on", file=sys.stderr)
        return 1
    print(run.to_markdown(), end="")
    return 0


def _locomo(data: Path) -> Path:
    """The file itself, or the one in a folder of benchmark data."""
    return data / "locomo" / "locomo10.json" if data.is_dir() else data


def _parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m qgmem.evals.answers", description="LoCoMo's official F1 by a local model."
    )
    parser.add_argument("--model", type=Path, required=True, help="a GGUF file")
    parser.add_argument("--data", type=Path, required=True, help="locomo10.json, or the folder of benchmark data")
    parser.add_argument("--out", type=Path, required=True, help="folder of rows, report and memories")
    parser.add_argument("--python", type=Path, default=Path(sys.executable), help="has llama-cpp-python[server]")
    parser.add_argument("--systems", default="bm25,default", help="default, bm25, dense, rrf, entity_memory")
    parser.add_argument("--k", default="5,10,25", help="memories that an answer is made from")
    parser.add_argument("--sample", type=int, default=60, help="questions; the same ones on every machine")
    parser.add_argument("--context", type=int, default=4096, help="tokens of question and answer together")
    parser.add_argument("--threads", type=int, default=1, help="of the server; more than are idle slow it")
    parser.add_argument("--seconds", type=float, default=600.0, help="to wait for one answer")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
