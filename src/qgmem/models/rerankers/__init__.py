"""Rerankers behind `protocols.Reranker`: late interaction, cross-encoders (extra `hf`), servers over HTTP."""
