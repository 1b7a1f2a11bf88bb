"""The turns beside a unit, as far as they have to do with it: in a list of unrelated facts nothing stands beside.

What a turn's neighbours say counts for it because people answer each other and keep to a subject. Where one voice
alone speaks, nobody answers, and the subject can be measured: in a text, the turn after is nearer in meaning than a
turn from elsewhere; in a list it is not. Sessions of several voices are dialogues and left alone: a question and its
answer may be far apart in meaning and still belong together.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ..stores.index import Index, Rows
from ..stores.segment import CHAIN_SHIFT

LEAST, MOST = 48, 128  # pairs of turns that are compared: with fewer a mean tells little, with more nothing new
# Cosine that the turn after has to be nearer than one from elsewhere, on average. One voice of a BEAM chat: 0.105;
# the same turns shuffled: 0 ± 0.03 at 30 pairs, and 0 ± 0.01 where there are 128.
RELATED = 0.03
_verdicts: WeakKeyDictionary[Index, dict[int, bool]] = WeakKeyDictionary()  # of an index, which never changes


def beside(index: Index, rows: Rows, distance: int = 2) -> NDArray[np.intp]:
    """As `Index.around`, with -1 for each neighbour in a session that is a list."""
    around = index.around(rows, distance)
    session = np.asarray(index.gather("chain", rows)) >> CHAIN_SHIFT
    known = _verdicts.setdefault(index, {})
    for name in set(session.tolist()):
        if name not in known:
            known[name] = is_list(index, name)
        if known[name]:
            around[session == name] = -1
    return around


def is_list(index: Index, session: int) -> bool:
    """True for a session, by its code, in which one voice says things that have nothing to do with each other."""
    turns = _turns(index, session)
    if len(turns) <= LEAST or len(np.unique(index.gather("speaker", turns))) > 1:
        return False
    spread = np.linspace(0, len(turns) - 2, min(len(turns) - 1, MOST)).astype(np.intp)
    here, after = index.vectors(turns[spread]), index.vectors(turns[spread + 1])
    if not here.any():  # no vectors yet
        return False
    elsewhere = np.roll(after, len(spread) // 2, axis=0)
    return float(np.einsum("ij,ij->", here, after - elsewhere)) / len(spread) < RELATED


def _turns(index: Index, session: int) -> Rows:
    """Rows of the session's verbatim units in the order in which they were said."""
    keys: list[NDArray[np.int64]] = [np.empty(0, np.int64)]
    rows: list[Rows] = [np.empty(0, np.intp)]
    start = 0
    for part in index.parts:
        chain, owners = part.chain
        low, high = np.searchsorted(chain, [session << CHAIN_SHIFT, (session + 1) << CHAIN_SHIFT])
        keys.append(chain[low:high])
        inside = np.arange(low, high) if owners is None else owners[low:high].astype(np.intp)
        rows.append(inside + start)
        start += len(part.segment)
    return np.concatenate(rows)[np.argsort(np.concatenate(keys), kind="stable")]
