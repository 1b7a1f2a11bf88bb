"""Evaluation that can be trusted: datasets, metrics, tasks, statistics, reports.

Reading order: `datasets/` (what is asked), `metrics/` (what counts), `protocol` (what a system must
do), `runner` (one pass over a dataset), `report` and `manifest` (what is written down), `tasks/` (one
benchmark a file), `statistics` (which differences are real), `systems` (the memory and its baselines).

Gold answers and evidence live here and never reach a system under test.
"""
