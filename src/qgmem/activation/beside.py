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
UNKNOWN = -1
# (codes of sessions,) 1 for a list, 0 for none, of an index, which never changes
_verdicts: WeakKeyDictionary[Index, NDArray[np.int8]] = WeakKeyDictionary()


def beside(index: Index, rows: Rows, distance: int = 2) -> NDArray[np.intp]:
    """As `Index.around`, with -1 for each neighbour in a session that is a list."""
    around = index.around(rows, distance)
    lists = _lists(index, np.asarray(index.gather("chain", rows)) >> CHAIN_SHIFT)
    if lists.any():
        around[lists] = -1
    return around


def _lists(index: Index, session: NDArray[np.int64]) -> NDArray[np.bool_]:
    """For each of these sessions, by code, whether it is a list; looked at once."""
    verdicts = _verdicts.get(index, np.empty(0, np.int8))
    most = int(session.max(initial=-1))
    if most >= len(verdicts):
        verdicts = np.concatenate([verdicts, np.full(most + 1 - len(verdicts), UNKNOWN, np.int8)])
        _verdicts[index] = verdicts
    found = verdicts[session]
    if (found == UNKNOWN).any():
        for name in set(session[found == UNKNOWN].tolist()):
            verdicts[name] = is_list(index, name)
        found = verdicts[session]
    return np.asarray(found == 1)


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
