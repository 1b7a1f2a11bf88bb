"""`study.md`: what a person reads first, from the numbers alone."""

from __future__ import annotations

from collections.abc import Sequence

from .conditions import COMPLETE, CUTOFFS, DENSE, MAIN_CUTOFF
from .families import FEWEST_CLUSTERS, Cell, Finding
from .plots import GRAPH_TITLES
from .published import BYTES, CATEGORIES_B, COLD_REQUESTS, COLD_SECONDS, LEVELS
from .report import Study
from .texts import MAIN_FORM

FORM_NOTES = {
    "raw": "`speaker: words [caption]`",
    "resolved": "the same, with the calendar date behind every expression that only the session's day dates: "
    "`yesterday [7 May 2023]`. The main form: it is what the authors' public code does",
    "stamped": "the session's date and time in front of the raw text: `(1:56 pm on 8 May, 2023) speaker: …`",
}


def to_markdown(study: Study, plots: Sequence[str]) -> str:
    """The whole page."""
    sections = [
        _opening(study), _recall(study), *(f"![{name.removesuffix('.svg')}]({name})" for name in plots[:1]),
        _findings(study), *(f"![{name.removesuffix('.svg')}]({name})" for name in plots[1:2]),
        _categories(study), *(f"![{name.removesuffix('.svg')}]({name})" for name in plots[2:]),
        _costs(study), _beside_published(study), _definitions(study),
    ]  # fmt: skip
    return "\n\n".join(section.strip() for section in sections) + "\n"


def _opening(study: Study) -> str:
    lines = [
        "# Does the entity–memory graph find more evidence?",
        "",
        f"{len(study.data.questions)} questions on {len(study.data.conversations)} conversations; recall_acc in per "
        f"cent. A is dense retrieval; B is the complete graph retrieval over the same vectors. B_embed, dense "
        f"retrieval over the graph's own store, gave A's ordered turns for every question in all "
        f"{len(study.scores)} cells.",
        "",
    ]
    for graph in study.graphs:
        for embedder in study.embedders:
            found = study.finding("cutoffs", f"B - A at {MAIN_CUTOFF}", embedder, graph.name)
            if found is not None:
                compared = found.comparison
                verdict = "supported" if compared.supported else "not supported"
                lines.append(
                    f"- {GRAPH_TITLES[graph.name]}, {embedder}: {compared.mean_a:.2f} → **{compared.mean_b:.2f}** at "
                    f"{MAIN_CUTOFF} turns, {_points(found)}: {verdict}."
                )
    return "\n".join(lines)


def _recall(study: Study) -> str:
    lines = ["## Recall", "", "Main text form. Published: gpt-3.5 entities, text-embedding-3-small.", ""]
    lines += _header("graph", "embedder", "condition", *(f"R@{k}" for k in CUTOFFS), left=3)
    for condition in (DENSE, COMPLETE):
        lines.append(_row("stored", "published", condition, *(f"{LEVELS[condition][k]:.2f}" for k in CUTOFFS)))
    for graph in study.graphs:
        for embedder in study.embedders:
            cell = Cell(embedder, graph.name, MAIN_FORM)
            for condition in study.scores[cell]:
                if condition == "B_embed":
                    continue
                values = (f"{study.mean(cell, condition, k):.2f}" for k in CUTOFFS)
                lines.append(_row(graph.name, embedder, condition, *values))
    others = [cell for cell in study.scores if cell.form != MAIN_FORM]
    if others:
        lines += ["", "Other text forms:", ""]
        lines += _header("graph", "embedder", "text", "condition", *(f"R@{k}" for k in CUTOFFS), left=4)
        for cell in others:
            for condition in (DENSE, COMPLETE):
                values = (f"{study.mean(cell, condition, k):.2f}" for k in CUTOFFS)
                lines.append(_row(cell.graph, cell.embedder, cell.form, condition, *values))
    return "\n".join(lines)


def _findings(study: Study) -> str:
    lines = [
        "## Differences",
        "",
        f"Points of recall at {MAIN_CUTOFF} turns unless named otherwise, with 95 % intervals. *Supported* means "
        "that both bootstraps stay below .05 after Holm's correction within the family.",
    ]
    scopes = dict.fromkeys((f.family.graph, f.family.embedder) for f in study.findings)
    for graph, embedder in scopes:
        title = " and ".join(filter(None, (GRAPH_TITLES.get(graph, ""), embedder)))
        within = f"### {title}" if graph and embedder else f"### Across {'embedders' if graph else 'graphs'}: {title}"
        lines += ["", within, ""]
        lines += _header("family", "difference", "other", "first", "Δ", "by question", "by conversation", "Holm p",
                         "supported", "published Δ", left=2)  # fmt: skip
        for f in study.findings:
            if (f.family.graph, f.family.embedder) == (graph, embedder):
                c = f.comparison
                shown = f.contrast.published if graph == "stored" else None
                lines.append(_row(
                    f.family.name, f.contrast.name, f"{c.mean_a:.2f}", f"{c.mean_b:.2f}",
                    f"{c.by_question.difference:+.2f}",
                    f"[{c.by_question.low:.2f}, {c.by_question.high:.2f}]",
                    f"[{c.by_conversation.low:.2f}, {c.by_conversation.high:.2f}]",
                    f"{c.holm_by_question:.4f} / {c.holm_by_conversation:.4f}",
                    "**yes**" if c.supported else "no",
                    "" if shown is None else f"{shown:+.2f}",
                ))  # fmt: skip
    return "\n".join(lines)


def _categories(study: Study) -> str:
    names = study.categories
    said = f"At {MAIN_CUTOFF} turns, main text form. Categories are described, not tested."
    lines = ["## By category", "", said, ""]
    lines += _header("graph", "embedder", "condition", *(f"{n} ({study.count(n)})" for n in names), left=3)
    lines.append(_row("stored", "published", COMPLETE, *(f"{CATEGORIES_B[n]:.2f}" if n in CATEGORIES_B else ""
                                                         for n in names)))  # fmt: skip
    for graph in study.graphs:
        for embedder in study.embedders:
            cell = Cell(embedder, graph.name, MAIN_FORM)
            for condition in (DENSE, COMPLETE):
                values = (f"{study.mean(cell, condition, MAIN_CUTOFF, name):.2f}" for name in names)
                lines.append(_row(graph.name, embedder, condition, *values))
    return "\n".join(lines)


def _costs(study: Study) -> str:
    lines = [
        "## Cost",
        "",
        "Cold: making each artefact once, on one thread; wall time includes waiting for whatever else the machine "
        "did, CPU time does not. Replay: the same study from its artefacts, with models that refuse to be called. "
        "A new question still needs its vector and its keys.",
        "",
    ]
    lines += _header("of", "stage", "cold calls", "texts", "cold s", "cold CPU s", "bytes kept", "replay calls",
                     "replay s", left=2)  # fmt: skip
    for c in study.costs:
        lines.append(_row(
            c.owner, c.stage, str(c.cold.calls), str(c.cold.items), f"{c.cold.seconds:.1f}",
            f"{c.cold.cpu_seconds:.1f}", f"{c.cold.bytes:,}", str(c.replay.calls), f"{c.replay.seconds:.2f}",
        ))  # fmt: skip
    requests = ", ".join(f"{n:,} for {what} ({COLD_SECONDS[what]:,.0f} s)" for what, n in COLD_REQUESTS.items())
    sizes = ", ".join(f"{what} {n:,}" for what, n in BYTES.items())
    lines += [
        "",
        f"The stored graph's own cost is the published one, in provider requests: {requests}; the times overlap. "
        f"Bytes: {sizes}.",
        "",
        "Ranking a question once its vector and keys are there, milliseconds, mean:",
        "",
    ]
    lines += _header("graph", "embedder", "text", "A", "B", left=3)
    for cell, ms in study.ranking_ms.items():
        lines.append(_row(cell.graph, cell.embedder, cell.form, f"{ms[DENSE]:.2f}", f"{ms[COMPLETE]:.2f}"))
    return "\n".join(lines)


def _beside_published(study: Study) -> str:
    lines = [
        "## Beside the published numbers",
        "",
        "What is the same: the questions, recall_acc, the retrieval rule with its constants, the cutoffs, both "
        "bootstraps with their seed, Holm within family. With the stored graph, also the entities and question keys.",
        "",
        "What differs, so that levels are not comparable and only signs and orders of differences are:",
        "",
        "- **Embedder.** Published: text-embedding-3-small (1,536 dimensions, a hosted model). Here: "
        + ", ".join(f"{name} ({model.get('dimension')})" for name, model in study.embedders.items())
        + ". The weights .3/.7 were chosen for the published one; other models spread their cosines differently, and "
        "nothing was refitted here.",
        "- **Stored graph.** It is the first release's, whose stored rankings score 82.54 at 25 turns; the paper's "
        "table (84.48) comes from a later run.",
        "- **Text.** Dates are resolved by this package's rules, not by the authors' code; speaker and caption are "
        "written in this package's form.",
        "- **Without speaker links.** The stored graph does not mark the links; a mention of the speaker whom "
        "neither words nor caption name counts as one.",
        "- **Rules' graph.** No language model read anything; entities are Who, What, Where and How much only.",
        "- **Answer F1** is not measured: there is no reader here.",
    ]
    return "\n".join(lines)


def _definitions(study: Study) -> str:
    forms = [form for form in FORM_NOTES if any(cell.form == form for cell in study.scores)]
    few = len(study.data.conversations) < FEWEST_CLUSTERS
    lines = [
        "## How to read this",
        "",
        "- recall_acc: share of a question's evidence entries among the first k turns; a malformed entry is a miss, "
        "no evidence counts as found.",
        *(f"- Text `{form}`: {FORM_NOTES[form]}. With {_embedders_of(study, form)}." for form in forms),
        f"- Ablations change one thing of complete B (weights .3/.7, sequence scale .5) on `{MAIN_FORM}` text. "
        "*Without entity score* keeps the gate and ranks the gated pool by cosine; *entity-only* has no cosine and "
        "no fill-up; *sequence after gating* lets neighbours lift only what the gate let in.",
        "- Not supported is not equal: it means that these questions and conversations do not decide.",
        *([f"- Fewer than {FEWEST_CLUSTERS} conversations: nothing is called supported."] if few else []),
        "",
        "Models, hashes, versions and seed: `manifest` in `study.json`.",
    ]
    return "\n".join(lines)


def _embedders_of(study: Study, form: str) -> str:
    return ", ".join(dict.fromkeys(cell.embedder for cell in study.scores if cell.form == form))


def _points(found: Finding) -> str:
    q, c = found.comparison.by_question, found.comparison.by_conversation
    return (
        f"{q.difference:+.2f} points, by question [{q.low:.2f}, {q.high:.2f}], by conversation "
        f"[{c.low:.2f}, {c.high:.2f}]"
    )


def _header(*names: str, left: int) -> list[str]:
    return [_row(*names), "|" + "---|" * left + "---:|" * (len(names) - left)]


def _row(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"
