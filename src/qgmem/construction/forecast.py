"""What a build will take, said before the first call (CASES 23)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..models.chat import estimate_tokens
from ..models.ledger import Price
from ..types import Turn
from .attributes_llm import VERSION as ATTRIBUTES
from .build import BuildOptions, plan_build
from .log import ConstructionLog
from .prompts import load
from .traces import Trace
from .trajectory_llm import VERSION as TRAJECTORIES
from .trajectory_llm import trajectory_request
from .units import said, unit_request

# What a new turn makes a model write: about one unit, with its labels, quote, sentence and triple; then its index.
UNIT_TOKENS = 110
ATTRIBUTE_TOKENS = 80
# A trace of three states as a model is shown it, and a text of three sentences.
TRACE_TOKENS = 200
TRAJECTORY_TOKENS = 80


@dataclass(frozen=True, slots=True)
class Forecast:
    """A dry run. `calls` is an upper bound, retries apart; tokens are estimates; `cost` is None without a price.

    `windows` would be read, of `total`; `stale` would be dropped and read anew with the turns that have followed.
    `trajectories` is an upper bound of the further calls that word traces: one for each that no text tells as it
    stands, and one for each new turn that is read. A run keeps to it and leaves the rest to the next. Their tokens
    stand apart, since few of these calls may come about; `cost` holds all.
    """

    windows: int
    total: int
    stale: int
    calls: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    trajectories: int = 0
    trajectory_tokens_in: int = 0
    trajectory_tokens_out: int = 0


def dry_run(
    turns: Iterable[Turn],
    log: ConstructionLog,
    options: BuildOptions | None = None,
    *,
    price: Price | None = None,
    resume: bool = False,
    traces: Sequence[Trace] = (),
) -> Forecast:
    """What `build` with the same arguments would do. Calls nothing, changes nothing.

    `traces` are those that wait for a text.
    """
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
    new = sum(len(window.new) for window in planned.windows)
    known = [estimate_tokens(one.system) + estimate_tokens(one.user) for one in map(trajectory_request, traces)]
    extra_in = sum(known) + new * (estimate_tokens(load("trajectory", TRAJECTORIES).system) + TRACE_TOKENS)
    extra_out = (len(traces) + new) * TRAJECTORY_TOKENS
    return Forecast(
        windows=len(planned.windows),
        total=planned.total,
        stale=len(planned.stale),
        calls=2 * len(planned.windows),
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        cost=price.cost(tokens_in + extra_in, tokens_out + extra_out) if price else None,
        trajectories=len(traces) + new,
        trajectory_tokens_in=extra_in,
        trajectory_tokens_out=extra_out,
    )
