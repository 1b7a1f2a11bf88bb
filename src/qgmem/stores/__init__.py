"""The truth on disk, and the arrays derived from it that make search fast."""
