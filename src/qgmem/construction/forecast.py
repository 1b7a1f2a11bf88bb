"""What a build will take, said before the first call (CASES 23)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..models.chat import estimate_tokens
from ..models.ledger import Price
from ..types import Turn
from .attributes_llm import VERSION as ATTRIBUTES
from .build import BuildOptions, plan_build
from .log import ConstructionLog
from .prompts import load
from .units import said, unit_request

# What a new turn makes a model write: about one unit, with its labels, quote, sentence and triple; then its index.
UNIT_TOKENS = 110
ATTRIBUTE_TOKENS = 80


@dataclass(frozen=True, slots=True)
class Forecast:
    """A dry run. `calls` is an upper bound, retries apart; tokens are estimates; `cost` is None without a price.

    `windows` would be read, of `total`; `stale` would be dropped and read anew with the turns that have followed.
    """

    windows: int
    total: int
    stale: int
    calls: int
    tokens_in: int
    tokens_out: int
    cost: float | None


def dry_run(
    turns: Iterable[Turn],
    log: ConstructionLog,
    options: BuildOptions | None = None,
    *,
    price: Price | None = None,
    resume: bool = False,
) -> Forecast:
    """What `build` with the same arguments would do. Calls nothing, changes nothing."""
    how = options or BuildOptions()
    planned = plan_build(turns, log, how, resume=resume)
    index = load("attributes", ATTRIBUTES)
    tokens_in = tokens_out = 0
    for window in planned.windows:
        request = unit_request(window, how.reading.unit_tokens)
        tokens_in += estimate_tokens(request.system) + estimate_tokens(request.user)
        # every unit comes back with its text and its evidence, which is mostly the turn's own words
        evidence = sum(estimate_tokens(said(turn)) for turn in window.new)
        tokens_in += estimate_tokens(index.system) + evidence + len(window.new) * UNIT_TOKENS
        tokens_out += len(window.new) * (UNIT_TOKENS + ATTRIBUTE_TOKENS)
    return Forecast(
        windows=len(planned.windows),
        total=planned.total,
        stale=len(planned.stale),
        calls=2 * len(planned.windows),
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        cost=price.cost(tokens_in, tokens_out) if price else None,
    )
