"""Benchmarks, one a file: a task is a dataset, a scorer and a report."""
