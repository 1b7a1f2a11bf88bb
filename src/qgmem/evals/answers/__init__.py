"""Answers of one reader over the evidence of several systems: the same prompt, budget and questions for all."""
