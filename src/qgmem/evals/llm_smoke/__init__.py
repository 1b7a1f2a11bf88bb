"""A real language model, once from end to end: `make llm-smoke MODEL=path`.

`server.py` runs a local server that can be killed and started again, `run.py` builds a memory with it and measures
what came of it, `report.py` writes it down. Outside CI: it takes a model file and half an hour.
"""
