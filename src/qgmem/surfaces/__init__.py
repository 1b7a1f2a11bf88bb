"""Thin ways in: the command line."""
