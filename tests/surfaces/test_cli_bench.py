"""bench and synth: reports and lives as files, in the environment that `make demo` leaves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from command_line import Cli

# What the extra `eval` installs: `make demo` has none of it.
WITHOUT_EXTRAS = (
    "import sys; sys.modules.update(dict.fromkeys(('nltk', 'scipy', 'matplotlib', 'bm25s', 'rank_bm25')));"
    "from qgmem.surfaces.cli import main; main()"
)


def _small_locomo() -> list[dict[str, Any]]:
    """One conversation of two sessions in the official shape, with one answerable and one malformed question."""
    turns = ["I planted tomatoes on the roof.", "How lovely!", "The goat ate them all."]
    session = [{"speaker": "AB"[n % 2], "dia_id": f"D1:{n + 1}", "text": text} for n, text in enumerate(turns)]
    return [
        {
            "sample_id": "conv-1",
            "conversation": {
                "speaker_a": "A",
                "speaker_b": "B",
                "session_1": session,
                "session_1_date_time": "1:56 pm on 8 May, 2023",
                "session_2": [{"speaker": "B", "dia_id": "D2:1", "text": "Is the goat well?"}],
                "session_2_date_time": "9:00 am on 9 May, 2023",
            },
            "qa": [
                {"question": "What ate the tomatoes?", "answer": "a goat", "evidence": ["D1:3"], "category": 4},
                {"question": "Who planted them?", "answer": "A", "evidence": ["D7:99"], "category": 4},
            ],
        }
    ]


def _run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", WITHOUT_EXTRAS, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_bench_locomo_needs_no_extra_and_writes_the_report(tmp_path: Path) -> None:
    """One of two questions can be found: recall_acc is 1/2 at every cutoff, as only four turns exist."""
    (tmp_path / "locomo.json").write_text(json.dumps(_small_locomo()))
    done = _run(tmp_path, "bench", "locomo", "--data", "locomo.json", "--out", "out")
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert (report["task"], report["n"]) == ("locomo", 2)
    assert report["metrics"] == {f"recall_acc@{k}": 0.5 for k in (5, 10, 25, 50)}
    assert report["latency_ms"]["p50"] > 0
    assert report["malformed_evidence"]["count"] == 1
    assert report["manifest"]["data"]["sha256"]
    assert report["manifest"]["command"][1:4] == ["bench", "locomo", "--data"]
    assert "| **all** | 2 |" in done.stdout


def test_bench_answers_in_json_and_says_which_extra_a_baseline_needs(tmp_path: Path) -> None:
    (tmp_path / "locomo.json").write_text(json.dumps(_small_locomo()))
    asked = ("bench", "locomo", "--data", "locomo.json", "--out", "out", "--json")
    assert json.loads(_run(tmp_path, *asked).stdout)["n"] == 2
    without = _run(tmp_path, *asked, "--system", "bm25")
    assert without.returncode == 1
    assert "pip install 'qgmem[eval]'" in without.stdout + without.stderr


def test_bench_of_a_broken_file_names_the_field(cli: Cli) -> None:
    broken = _small_locomo()
    del broken[0]["qa"]
    Path("locomo.json").write_text(json.dumps(broken))
    failed = cli("bench", "locomo", "--data", "locomo.json", "--out", "out")
    assert failed.code == 2
    assert "locomo.json[0].qa" in failed.err
    assert not Path("out").exists()


def test_bench_locomo_on_the_real_file(bench_data: Path, tmp_path: Path) -> None:
    """Its first conversation has 199 questions; half of their evidence within ten turns is a modest floor."""
    data = str(bench_data / "locomo" / "locomo10.json")
    done = _run(tmp_path, "bench", "locomo", "--data", data, "--out", "out", "--limit-conversations", "1")
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert report["n"] == 199
    assert report["metrics"]["recall_acc@10"] > 0.5


def test_bench_beam_needs_no_extra_and_counts_questions_without_evidence(tmp_path: Path) -> None:
    """A chat of three messages: the evidence is found, abstention has none and is left out."""
    chat = tmp_path / "beam" / "100K" / "1"
    (chat / "probing_questions").mkdir(parents=True)
    messages = [
        ("user", "I planted beans. ->-> 1,1"),
        ("assistant", "Water them."),
        ("user", "A goat ate them. ->-> 1,2"),
    ]
    turns = [{"role": role, "id": n, "content": text} for n, (role, text) in enumerate(messages)]
    batch = {"batch_number": 1, "time_anchor": "March-15-2024", "turns": [turns]}
    questions = {
        "information_extraction": [
            {"question": "What ate the beans?", "answer": "a goat", "rubric": ["a goat"], "source_chat_ids": [2]}
        ],
        "abstention": [{"question": "Who ate the moon?", "ideal_response": "unknown", "rubric": ["unknown"]}],
    }
    (chat / "chat.json").write_text(json.dumps([batch]))
    (chat / "probing_questions" / "probing_questions.json").write_text(json.dumps(questions))
    done = _run(tmp_path, "bench", "beam", "--data", "beam", "--out", "out", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["task"], report["n"], report["metrics"]["recall_acc@5"]) == ("beam", 1, 1.0)
    assert report["skipped"] == {"no evidence: abstention": 1}


@pytest.mark.parametrize("seed", ["7", "8"])
def test_synth_writes_the_same_bytes_for_the_same_seed(cli: Cli, seed: str) -> None:
    lives = ("synth", "--people", "1", "--years", "0.5", "--seed", seed)
    first, second = cli(*lives, "--out", "one", "--json").json, cli(*lives, "--out", "two", "--json").json
    assert first["sha256"] == second["sha256"]
    assert first["turns"] > 0
    assert sorted(path.name for path in Path("one").iterdir()) == [
        "claims.jsonl", "dialogues.jsonl", "manifest.json", "questions.jsonl",
    ]  # fmt: skip
    assert cli(*lives, "--out", "three").out.startswith("1 lives, ")


def test_bench_locomo_answers_scores_a_reader_and_goes_on(tmp_path: Path, cli: Cli) -> None:
    """The scripted reader says the best memory's words; "The goat ate them all." has the gold's one word in four.

    Precision 1/4 ("goat" of goat, ate, them, all) and recall 1 give 0.4; nobody knows who planted them: 0.
    """
    file, out = tmp_path / "locomo.json", tmp_path / "out"
    file.write_text(json.dumps(_small_locomo()))
    asked = ("bench", "locomo", "--data", str(file), "--out", str(out), "--answers", "--llm", "scripted", "--k", "1")
    done = cli(*asked, "--systems", "bm25", "--json")
    assert done.code == 0, done.err
    [cell] = done.json["cells"]
    assert (done.json["answers"], cell["system"], cell["k"], cell["n"]) == (2, "bm25", 1, 2)
    rows = [json.loads(line) for line in (out / "questions.jsonl").read_text().splitlines()]
    assert rows[0]["f1"] == 0.4
    again = cli(*asked, "--systems", "bm25")
    assert (again.code, "2 of 2 answers" in again.out) == (0, True)
    assert len((out / "questions.jsonl").read_text().splitlines()) == 2


def test_bench_answers_without_a_model_or_with_a_strange_k_is_misuse(tmp_path: Path, cli: Cli) -> None:
    asked = ("bench", "locomo", "--data", "x.json", "--out", str(tmp_path), "--answers")
    assert "--llm: no model is named" in cli(*asked).err
    assert "--k: is '5,x'" in cli(*asked, "--llm", "scripted", "--k", "5,x").err
