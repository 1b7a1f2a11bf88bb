"""Readers of benchmark files, all into the one shape of `dialogue`."""
