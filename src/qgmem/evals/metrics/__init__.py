"""Metrics, one a file, each with its source. `measure.parse` turns a printed name back into its metric."""
