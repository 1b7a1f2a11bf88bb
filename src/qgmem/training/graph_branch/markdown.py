"""The study for people to read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def to_markdown(study: Mapping[str, Any]) -> str:
    """Tables of study.json; nothing is worked out here."""
    cases, examples = study["cases"], study["examples"]
    lines = [
        "# The graph branch", "",
        f"{cases['train']} cases to train on, {cases['validation']} to validate, {cases['test']} to test; "
        f"{examples['supported']} of {examples['all']} questions have evidence and answer in their context.",
    ]  # fmt: skip
    if study["conditions"]:
        lines += ["", "## Answers", "", *_conditions(study["conditions"]), "", *_types(study["conditions"])]
        lines += ["", "## Differences", "", *_differences(study["comparisons"])]
        lines += ["", "## Gold answer, nats a token (lower is better)", "", *_nats(study["conditions"])]
        lines += ["", *_differences(study["comparisons_nats"])]
    if study["training"]:
        lines += ["", "## Validation loss, nats a target token", "", *_curves(study["training"])]
    if study["ablations"]:
        lines += ["", "## Parts taken away (all questions, supported or not)", "", *_ablations(study["ablations"])]
    if study["costs"]:
        lines += ["", "## Costs by length of history", "", *_costs(study["costs"])]
    return "\n".join(lines) + "\n"


def _conditions(found: Mapping[str, Any]) -> list[str]:
    lines = ["| condition | seeds | answers | right | by seed | JSON | tokens in | out | s |", "|---|" + "---:|" * 8]
    for name, one in found.items():
        seeds = " ".join(f"{value:.3f}" for value in one["accuracy_by_seed"].values())
        counts = f"{one['seeds']} | {one['answers']} | {one['accuracy']:.3f}"
        lines.append(
            f"| {name} | {counts} | {seeds} | {one['readable']:.2f} | {one['tokens_in']:.0f} | "
            f"{one['tokens_out']:.0f} | {one['seconds']:.2f} |"
        )
    return lines


def _types(found: Mapping[str, Any]) -> list[str]:
    return _by_type(found, "by_type")


def _nats(found: Mapping[str, Any]) -> list[str]:
    """After the labels of the evidence; beside it what these labels cost."""
    lines = ["| condition | answer | by seed | its labels |", "|---|---:|---:|---:|"]
    for name, one in found.items():
        seeds = " ".join(f"{value:.3f}" for value in one["gold_nats_by_seed"].values())
        lines.append(f"| {name} | {one['gold_nats']:.3f} | {seeds} | {one['path_nats']:.3f} |")
    return [*lines, "", *_by_type(found, "gold_nats_by_type")]


def _by_type(found: Mapping[str, Any], field: str) -> list[str]:
    types = sorted({name for one in found.values() for name in one["by_type"]})
    counts = {name: max(one["count_by_type"].get(name, 0) for one in found.values()) for name in types}
    lines = [
        "| condition | " + " | ".join(f"{name} ({counts[name]})" for name in types) + " |",
        "|---|" + "---:|" * len(types),
    ]
    for name, one in found.items():
        values = (f"{one[field][kind]:.2f}" if kind in one[field] else "" for kind in types)
        lines.append(f"| {name} | " + " | ".join(values) + " |")
    return lines


def _differences(found: list[dict[str, Any]]) -> list[str]:
    lines = [
        "| difference | questions | mean | by question | by case | Holm p: question, case | supported | detectable |",
        "|---|" + "---:|" * 7,
    ]
    for one in found:
        question, case = one["by_question"], one["by_conversation"]
        lines.append(
            f"| {one['name']} | {one['n']} | {question['difference']:+.3f} | [{question['low']:+.3f}, "
            f"{question['high']:+.3f}] | [{case['low']:+.3f}, {case['high']:+.3f}] | {one['holm_by_question']:.3f}, "
            f"{one['holm_by_conversation']:.3f} | {'yes' if one['supported'] else 'no'} | {one['detectable']:.3f} |"
        )
    return lines


def _curves(found: Mapping[str, Any]) -> list[str]:
    longest = max(len(one["validation"]) for one in found.values())
    heads = ["untrained", *map(str, range(1, longest))]
    lines = [
        "| training | " + " | ".join(heads) + " | best | graph s / model s |",
        "|---|" + "---:|" * (longest + 2),
    ]
    for name, one in found.items():
        values = [f"{value:.4f}" for value in one["validation"]]
        values += [""] * (longest - len(values))
        share = one["seconds"]["graph"] / max(one["seconds"]["llm"], 1e-9)
        lines.append(f"| {name} | " + " | ".join(values) + f" | {one['best_epoch']} | {share:.3f} |")
    return lines


def _ablations(found: Mapping[str, Any]) -> list[str]:
    lines = [
        "| pipeline | questions | right | evidence and answer in context | tokens in |",
        "|---|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {name} | {one['answers']} | {one['accuracy']:.3f} | {one['supported']:.3f} | {one['tokens_in']:.0f} |"
        for name, one in found.items()
    ]
    return lines


def _costs(found: list[dict[str, Any]]) -> list[str]:
    heads = (
        "years", "turns", "build s", "search ms", "embed graph ms", "build and encode graph ms",
        "answer s: none, text, token", "tokens in: none, text, token", "total s of 100 questions, token",
    )  # fmt: skip
    lines = ["| " + " | ".join(heads) + " |", "|" + "---:|" * len(heads)]
    for one in found:
        answers = ", ".join(f"{value:.2f}" for value in one["answer"].values())
        tokens = ", ".join(f"{value:.0f}" for value in one["tokens"].values())
        spent = one["search"] + one["embed"] + one["encode"] + one["answer"]["token"]
        cells = (
            f"{one['years']:g}", one["turns"], f"{one['build']:.1f}",
            f"{1e3 * one['search']:.1f}", f"{1e3 * one['embed']:.1f}", f"{1e3 * one['encode']:.1f}", answers, tokens,
            f"{one['build'] + 100 * spent:.0f}",
        )  # fmt: skip
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return lines
