"""Query parsing placeholder, replaced by the rule parser."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from ..types import Query


def parse_query(text: str, question_time: datetime | None, extractor: Any, find_times: Any) -> Query:
    """No constraints."""
    return Query(text, question_time)
