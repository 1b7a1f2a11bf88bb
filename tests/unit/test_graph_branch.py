"""The study of the graph branch: what is compared with what, rows that survive a kill, tables. Needs no torch."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from test_graph_examples import example

from qgmem.errors import InvalidInput
from qgmem.evals.datasets.dialogue import Conversation, Dataset, Question, Session
from qgmem.generation.graph_arrays import GraphArrays
from qgmem.training.graph_branch.ablations import ABLATIONS, windowed
from qgmem.training.graph_branch.answers import AnswerFile, AnswerRow, emptied, other_cases
from qgmem.training.graph_branch.conditions import conditions
from qgmem.training.graph_branch.plot import plot
from qgmem.training.graph_branch.report import by, comparisons, summary, write_sheet
from qgmem.training.graph_branch.run import StudySettings, asked_questions, lives_of, study_graph_branch


def row(condition: str, seed: int, id: str, correct: bool, type: str = "single") -> AnswerRow:
    """An answer, "gold" if it is right; the case is what stands before the slash."""
    answer = "gold" if correct else "lead"
    return AnswerRow(
        run="main", condition=condition, seed=seed, id=id, case_id=id.partition("/")[0], type=type, question="q",
        gold="gold", answer=answer, text=f'{{"answer": "{answer}"}}', readable=True, correct=correct, supported=True,
        tokens_in=100, tokens_out=9, gold_nats=2.0 - correct, path_nats=1.0, seconds=0.5,
    )  # fmt: skip


def graph(size: int) -> GraphArrays:
    return GraphArrays(np.ones((size, 2), np.float32), np.zeros((2, 0), np.int64), np.zeros((0, 2), np.float32))


def test_controls_have_the_smallest_and_the_largest_number_of_tokens() -> None:
    names = [one.name for one in conditions([4, 1, 2])]
    assert names == [
        "none", "text", "token-1", "shuffled-1", "untrained-1", "blind-1", "token-2", "token-4", "shuffled-4",
        "untrained-4", "blind-4",
    ]  # fmt: skip
    assert [one.name for one in conditions([2], blind=False)] == [
        "none",
        "text",
        "token-2",
        "shuffled-2",
        "untrained-2",
    ]
    with pytest.raises(InvalidInput, match="give different whole numbers"):
        conditions([1, 1])


def test_shuffling_gives_every_question_a_graph_of_another_case() -> None:
    examples = [example(f"{case}/q{n}") for case in "abc" for n in range((case == "a" and 5) or 2)]
    graphs = [graph(at + 1) for at in range(len(examples))]
    for mine, other in zip(examples, other_cases(examples, graphs), strict=True):
        assert examples[len(other.nodes) - 1].case_id != mine.case_id
    assert emptied(graph(3)).nodes.shape == (0, 2)


def test_rows_survive_a_kill_and_a_line_that_was_cut_is_asked_again(tmp_path: Path) -> None:
    file = AnswerFile(tmp_path / "a.jsonl")
    said = replace(row("none", 0, "a/q1", True), question="one\u2028two\x85three")  # line ends to str.splitlines
    file.add([said, row("none", 0, "a/q2", False)])
    text = (tmp_path / "a.jsonl").read_text()
    (tmp_path / "a.jsonl").write_text(text[:-20])
    again = AnswerFile(tmp_path / "a.jsonl")
    assert list(again.rows) == [("main", "none", 0, "a/q1")]
    assert again.rows["main", "none", 0, "a/q1"].question == said.question
    again.add([row("none", 0, "a/q2", False)])
    assert (tmp_path / "a.jsonl").read_text() == text


def test_kept_rows_are_counted_as_their_text_is_read_now(tmp_path: Path) -> None:
    text = '{"reasoning_path": [MU1], "answer": "gold"}'
    AnswerFile(tmp_path / "a.jsonl").add([replace(row("none", 0, "a/q1", False), text=text, readable=False)])
    (found,) = AnswerFile(tmp_path / "a.jsonl").rows.values()
    assert (found.answer, found.readable, found.correct) == ("gold", True, True)


def test_no_graph_of_another_case_is_an_error_not_its_own() -> None:
    with pytest.raises(InvalidInput, match="all questions are of one case"):
        other_cases([example("a/q1"), example("a/q2")], [graph(1), graph(2)])


def test_lives_of_other_settings_are_refused(tmp_path: Path) -> None:
    lives_of(tmp_path, StudySettings(lives=2, years=0.1))
    assert lives_of(tmp_path, StudySettings(lives=2, years=0.1)) == tmp_path / "lives"
    with pytest.raises(InvalidInput, match="holds lives of other settings"):
        lives_of(tmp_path, StudySettings(lives=3, years=0.1))


def test_questions_are_drawn_evenly_by_type() -> None:
    examples = [example(f"a/q{n}", type="update" if n % 3 else "single") for n in range(12)]
    drawn = asked_questions(examples, 3)
    assert sorted(one.type for one in drawn) == ["single"] * 3 + ["update"] * 3
    assert [one for one in examples if one in drawn] == drawn
    assert asked_questions(examples, None) == examples


def test_a_condition_is_summed_over_its_seeds_and_types() -> None:
    rows = [row("t", 0, "a/1", True), row("t", 0, "a/2", False, "update"), row("t", 1, "a/1", True)]
    rows.append(row("t", 1, "a/2", True, "update"))
    found = summary(rows)
    assert found["accuracy"] == 0.75
    assert found["accuracy_by_seed"] == {"0": 0.5, "1": 1.0}
    assert found["by_type"] == {"single": 1.0, "update": 0.5}
    assert found["count_by_type"] == {"single": 1, "update": 1}


def test_differences_are_by_question_over_the_mean_of_seeds() -> None:
    """Four questions of two cases: no graph right on 1 of 4; the token on 1, ½, 1, 0 over two seeds, a mean of .625.

    The differences are 0, ½, 1, 0: a spread of .479, below that of one question of four, .5: 2.8 · .5 / √4 = .7 could
    be detected.
    """
    ids = ["a/1", "a/2", "b/1", "b/2"]
    rows = [row("none", 0, id, id == "a/1") for id in ids]
    rows += [row("token-1", 0, id, right) for id, right in zip(ids, (True, True, True, False), strict=True)]
    rows += [row("token-1", 1, id, right) for id, right in zip(ids, (True, False, True, False), strict=True)]
    rows += [row("shuffled-1", 0, id, False) for id in ids]
    found = {str(one["name"]): one for one in comparisons(rows, 500)}
    assert list(found) == ["token-1 − none", "shuffled-1 − none", "token-1 − shuffled-1"]
    assert found["token-1 − none"]["mean_b"] == 0.625
    assert found["token-1 − none"]["by_question"]["difference"] == 0.375  # type: ignore[index]
    assert found["token-1 − none"]["detectable"] == pytest.approx(0.7)
    assert comparisons(rows[4:], 500) == []
    same = comparisons([*rows[:4], *(row("text", 0, id, id == "a/1") for id in ids)], 500)
    assert same[0]["detectable"] == pytest.approx(
        2.8 * 0.5 / 2
    )  # no difference seen, but one of four might have been


def test_a_token_is_compared_with_the_text_and_the_controls_of_its_own_size() -> None:
    names = ["none", "text", "token-1", "blind-1", "token-2", "token-14", "shuffled-14", "blind-14"]
    rows = [row(name, 0, id, False) for name in names for id in ("a/1", "b/1")]
    found = [str(one["name"]) for one in comparisons(rows, 50)]
    assert found[:7] == [f"{name} − none" for name in names[1:]]
    assert found[7:] == [
        "token-1 − text", "token-1 − blind-1", "token-2 − text", "token-14 − text", "token-14 − shuffled-14",
        "token-14 − blind-14",
    ]  # fmt: skip


def test_differences_over_fewer_than_five_cases_are_never_supported() -> None:
    """Every question of every case turns from wrong to right: sure enough by any bootstrap."""
    for cases in (4, 5):
        ids = [f"{case}/{n}" for case in "abcde"[:cases] for n in range(20)]
        rows = [row("none", 0, id, False) for id in ids] + [row("text", 0, id, True) for id in ids]
        [found] = comparisons(rows, 500)
        assert found["supported"] is (cases == 5)


def test_the_sheet_holds_a_hundred_answers_of_all_conditions(tmp_path: Path) -> None:
    rows = [
        row(name, seed, f"a/{n}", n % 2 == 0) for name in ("none", "token-1") for seed in (0, 1) for n in range(40)
    ]
    write_sheet(rows, tmp_path / "sheet.csv")
    with (tmp_path / "sheet.csv").open(encoding="utf-8") as file:
        sheet = list(csv.DictReader(file))
    assert len(sheet) == 100
    assert {line["right by hand"] for line in sheet} == {""}
    assert {line["condition"] for line in sheet} == {"none", "token-1"}


def test_without_units_six_turns_are_one_message_and_evidence_moves_along() -> None:
    messages = tuple({"role": "user", "name": "Ana", "id": f"t{n}", "content": f"word{n}"} for n in range(8))
    question = Question("q", "c", "?", "a", ("t2", "t7"), "single")
    cases = Dataset("x", (Conversation("c", (Session("s", None, messages),)),), (question,), ())
    found = windowed(cases)
    assert found.conversations[0].turn_ids == ("t0", "t6")
    assert found.conversations[0].texts()["t6"] == "Ana: word6 Ana: word7"
    assert found.questions[0].evidence == ("t0", "t6")


def test_every_ablation_changes_one_thing() -> None:
    changed = [
        sum((bool(one.settings), one.windows, not one.traces, not one.graph))
        for one in ABLATIONS
        if one.name != "full"
    ]
    assert changed == [1] * 5


def test_a_part_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="there is none called 'nonsense'; use answers, ablations, costs"):
        study_graph_branch(None, tmp_path, StudySettings(parts=("nonsense",)))  # type: ignore[arg-type]


def test_the_gold_answers_nats_are_compared_in_pairs() -> None:
    """A right answer has 1 nat and a wrong one 2 in these rows: the token is right on both, no graph on one.

    The differences are 0 and -1: -.5 on average, with a spread of .707: 2.8 · .707 / √2 = 1.4 could be detected.
    """
    rows = [row("none", 0, "a/1", True), row("none", 0, "b/1", False)]
    rows += [row("token-1", seed, id, True) for seed in (0, 1) for id in ("a/1", "b/1")]
    (found,) = comparisons(rows, 500, "gold_nats")
    assert found["by_question"]["difference"] == -0.5  # type: ignore[index]
    assert found["detectable"] == pytest.approx(1.4)
    assert summary(rows[:2])["gold_nats"] == 1.5
    assert summary(rows[2:])["gold_nats_by_seed"] == {"0": 1.0, "1": 1.0}


def test_a_study_is_drawn_with_a_dot_a_seed(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="needs matplotlib: pip install 'qgmem[eval]'")
    rows = [replace(row(name, seed, "a/1", False), gold_nats=2.0 + seed) for name in ("none", "token-1")
            for seed in (0, 1)]  # fmt: skip
    curves = {f"token-1-seed-{seed}": {"validation": [2.0, 1.5, 1.6]} for seed in (0, 1)}
    study = {"conditions": {name: summary(part) for name, part in by(rows, "condition").items()}, "training": curves}
    for _ in range(2):
        plot(study, tmp_path / "study.svg")
    drawn = (tmp_path / "study.svg").read_text(encoding="utf-8")
    assert drawn.startswith("<?xml")
    assert drawn.count('id="line2d') > 6
    plot(study, tmp_path / "again.svg")
    assert (tmp_path / "again.svg").read_text(encoding="utf-8") == drawn
