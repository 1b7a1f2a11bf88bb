"""Triples by rules, for construction without a model: plain English statements, precision before recall."""

from __future__ import annotations

from .claims import ReadTurn, claims_of
from .reader import SessionReader, read_session
from .readings import Person, Reading
from .subject import introduced

__all__ = ["Person", "ReadTurn", "Reading", "SessionReader", "claims_of", "introduced", "read_session"]
