"""The experiment of [A]: does the graph branch help when units and retrieval are frozen?

It trains, so it lives above `evals`. Reading order: `conditions` (what the model is given), `answers` (asking it, one
row each), `ablations` (parts of the pipeline taken away), `costs` (at several lengths of history), `report`, `run`.
"""
