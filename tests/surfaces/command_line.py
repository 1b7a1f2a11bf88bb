"""What a command left behind, and how tests call one."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Done:
    """Exit code and both outputs."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """stdout as the one JSON document it has to be."""
        return json.loads(self.out)


Cli = Callable[..., Done]
