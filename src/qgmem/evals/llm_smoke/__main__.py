"""Command line of the smoke run.

    make llm-smoke MODEL=qwen2.5-coder-1.5b-instruct-q4_k_m.gguf DATA=folder

The same command goes on where a stopped run was; a fresh `--out` starts anew.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from qgmem.errors import InvalidInput, QgmemError
from qgmem.settings import Settings

from .report import write_report
from .run import SmokeRun, passage
from .server import llama_server, stop_with


def main() -> int:
    """0 if the build came to its end, 1 if it did not, 2 for a value that cannot be used."""
    given = _parsed()
    try:
        text = passage(_data(given.data), given.conversation, given.sessions)
        server = llama_server(
            given.python, given.model, given.out / "server.log", context=given.context, threads=given.threads
        )
        name = given.model.stem
        settings = Settings.load(
            chat_model=name, chat_url=server.base_url, chat_seconds=given.seconds, chat_concurrency=1
        )
        run = SmokeRun(given.out, text, settings, lambda line: print(line, file=sys.stderr, flush=True))
        stop_with(server)
        with server:
            run.build(server, kill=not given.no_kill)
        outcome = run.outcome()
    except InvalidInput as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped; the same command goes on", file=sys.stderr)
        return 130
    except QgmemError as error:
        print(f"{error}; the same command goes on", file=sys.stderr)
        return 1
    shown = {"model": name, "sessions": given.sessions, "context": given.context, "threads": given.threads}
    print(write_report(outcome, text, shown, given.out))
    return 0 if set(outcome.windows) <= {"done", "partial"} else 1


def _parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m qgmem.evals.llm_smoke", description="A real model reads a conversation."
    )
    parser.add_argument("--model", type=Path, required=True, help="a GGUF file")
    parser.add_argument("--python", type=Path, default=Path(sys.executable), help="interpreter with llama-cpp-python")
    parser.add_argument("--data", type=Path, help="locomo10.json or the folder above locomo/; QGMEM_BENCH_DATA")
    parser.add_argument("--conversation", help="sample id; the first by default")
    parser.add_argument("--sessions", type=int, default=4)
    parser.add_argument("--out", type=Path, default=Path("out/llm-smoke"))
    parser.add_argument("--context", type=int, default=8192, help="tokens of question and answer together")
    parser.add_argument("--threads", type=int, default=1, help="of the server; more than are idle slow it")
    parser.add_argument("--seconds", type=float, default=900.0, help="to wait for one answer")
    parser.add_argument("--no-kill", action="store_true", help="leave the server alone")
    return parser.parse_args()


def _data(given: Path | None) -> Path:
    named = given or (Path(os.environ["QGMEM_BENCH_DATA"]) if "QGMEM_BENCH_DATA" in os.environ else None)
    if named is None:
        raise InvalidInput("data", "is not given", "name the folder that holds locomo/, or set QGMEM_BENCH_DATA")
    return named / "locomo" / "locomo10.json" if named.is_dir() else named


if __name__ == "__main__":
    sys.exit(main())
