"""Training of the graph token ([Q] III-C4, B): only encoder and projector learn, the language model is frozen.

Reading order: `cases` and `convomem` (dialogues with questions), `examples` (what the pipeline finds for a question),
`asking` (the prompt and its target), `split` (cases, never questions), `trainer` (steps, validation, going on after a
kill), `run` (all of it). Files, and what they refuse: `generation.graph_checkpoint`.
"""
