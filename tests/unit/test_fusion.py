"""Fusion of channel lists: reciprocal ranks and the default's support, each against values derived by hand."""

from __future__ import annotations

import numpy as np
import pytest
from segments import row

from qgmem.activation.channel import ChannelList
from qgmem.activation.fusion import Evidence, Fused, rrf, support
from qgmem.settings import SupportWeights
from qgmem.stores.dense import VectorBlock
from qgmem.stores.index import Index
from qgmem.stores.part import Part
from qgmem.stores.segment import CHAIN_SHIFT, build

EAST = np.array([1, 0, 0, 0], np.float32)
NOTHING = np.zeros(0, np.float32)


def index_of_sessions(sessions: list[int], speakers: list[int] | None = None, ids: list[str] | None = None) -> Index:
    """One unit a place, in the session of that number, in order; every vector points east but for the odd rows'."""
    rows = [
        row(
            at + 1,
            chain=(session << CHAIN_SHIFT) + at,
            speaker=speakers[at] if speakers else 1,
            vectors=[np.roll(EAST, at % 2).astype(np.float16).tobytes()],
            **({"id": ids[at]} if ids else {}),
        )
        for at, session in enumerate(sessions)
    ]
    segment = build(rows, 4)
    return Index([Part.of(segment, VectorBlock.of(segment.vector))], [], 1, 1.2, 0.75)


def listed(name: str, rows: list[int], scores: list[float] | None = None) -> ChannelList:
    values = scores if scores is not None else [1.0 - 0.1 * place for place in range(len(rows))]
    return ChannelList(name, np.array(rows, np.intp), np.array(values, np.float32))


def by_row(fused: Fused) -> dict[int, float]:
    return {int(at): round(float(score), 6) for at, score in zip(fused.rows, fused.scores, strict=True)}


def test_rrf_adds_reciprocal_ranks() -> None:
    """κ = 60: row 2 is first and second, 1/61 + 1/62; row 0 second, 1/62; row 1 first, 1/61; row 3 third, 1/63."""
    index = index_of_sessions([0] * 4)
    fused = rrf(index, [listed("a", [2, 0, 3]), listed("b", [1, 2])], 60, 10)
    assert fused.rows.tolist() == [2, 1, 0, 3]
    assert by_row(fused) == {
        2: round(1 / 61 + 1 / 62, 6),
        1: round(1 / 61, 6),
        0: round(1 / 62, 6),
        3: round(1 / 63, 6),
    }
    np.testing.assert_allclose(fused.parts["a"], [1 / 61, 0, 1 / 62, 1 / 63], rtol=1e-6)
    np.testing.assert_allclose(fused.parts["b"], [1 / 62, 1 / 61, 0, 0], rtol=1e-6)


def test_rrf_ties_break_by_id_not_by_place() -> None:
    index = index_of_sessions([0, 1, 2], ids=["m", "z", "a"])
    fused = rrf(index, [listed("a", [0]), listed("b", [1]), listed("c", [2])], 60, 10)
    assert index.ids(fused.rows) == ["a", "m", "z"]
    assert len(set(fused.scores.tolist())) == 1


def test_rrf_of_no_list_and_of_empty_lists_is_empty() -> None:
    index = index_of_sessions([0])
    assert len(rrf(index, [], 60, 10).rows) == 0
    assert len(rrf(index, [ChannelList.empty("a"), ChannelList.empty("b")], 60, 10).rows) == 0


def test_the_pool_is_a_prefix() -> None:
    index = index_of_sessions([0] * 6)
    lists = [listed("a", [5, 4, 3, 2, 1, 0])]
    assert rrf(index, lists, 60, 2).rows.tolist() == rrf(index, lists, 60, 6).rows.tolist()[:2] == [5, 4]


WEIGHTS = SupportWeights(
    semantic=0.5, lexical=0.5, attributes=0.1, neighbour=0.7, second_neighbour=0.1, session=0.1, speaker=0.2
)


def fuse(index: Index, lexical: list[float], lists: list[ChannelList], **given: object) -> Fused:
    evidence = Evidence(
        np.array(lexical, np.float32),
        given.get("attributes", NOTHING),  # type: ignore[arg-type]
        given.get("query"),  # type: ignore[arg-type]
        given.get("named", frozenset()),  # type: ignore[arg-type]
    )
    return support(index, lists, evidence, WEIGHTS, given.get("pool", 10), given.get("allowed"))  # type: ignore[arg-type]


def test_support_by_hand() -> None:
    """Session 0 holds rows 0 1 2, session 1 row 3. BM25 0 0 4 2, best 4, so own match by words is 0 0 .5 .25.

    Row 2: .5 own + .1 · best of session (.5). Row 1, beside 2: .7 · .5 + .1 · .5. Row 0, second beside 2:
    .1 · .5 + .1 · .5. Row 3, alone: .25 + .1 · .25.
    """
    fused = fuse(index_of_sessions([0, 0, 0, 1]), [0, 0, 4, 2], [listed("lexical", [2, 3])])
    assert by_row(fused) == pytest.approx({2: 0.55, 1: 0.4, 3: 0.275, 0: 0.1})
    assert fused.rows.tolist() == [2, 1, 3, 0]
    at = fused.rows.tolist().index(1)
    parts = {name: round(float(values[at]), 6) for name, values in fused.parts.items()}
    assert parts == {"lexical": 0, "neighbour": 0.35, "second_neighbour": 0, "session": 0.05}


def test_support_never_crosses_a_session_border() -> None:
    """Rows 1 and 2 are neighbours in time, in two sessions: a match of 2 lends 1 nothing, and 1 is no candidate."""
    fused = fuse(index_of_sessions([0, 0, 1, 1]), [0, 0, 4, 0], [listed("lexical", [2])])
    assert by_row(fused) == pytest.approx({2: 0.55, 3: 0.4})


def test_cosine_attributes_and_the_named_speaker_count() -> None:
    """Even rows point east as the question does.

    Row 0: own match .5 · 1 + .1 · .5 = .55, session .1 · .55, speaker .2. Row 1, beside it: .7 · .55 + .1 · .55.
    """
    index = index_of_sessions([0, 0], speakers=[7, 8])
    attributes = np.array([0.5, 0], np.float32)
    fused = fuse(index, [0, 0], [listed("semantic", [0])], query=EAST, attributes=attributes, named=frozenset({7}))
    assert by_row(fused) == pytest.approx({0: 0.55 + 0.055 + 0.2, 1: 0.385 + 0.055}, abs=1e-3)


def test_what_the_filter_forbids_is_no_candidate() -> None:
    index = index_of_sessions([0, 0, 0])
    allowed = np.array([True, True, False])
    fused = fuse(index, [0, 0, 4], [listed("lexical", [1])], allowed=allowed)
    assert sorted(fused.rows.tolist()) == [0, 1]
    assert all(len(part) == 2 for part in fused.parts.values())


def test_parts_add_up_to_the_score() -> None:
    fused = fuse(index_of_sessions([0, 0, 0, 1, 1]), [1, 0, 4, 2, 0], [listed("lexical", [2, 3, 0])], query=EAST)
    np.testing.assert_allclose(sum(fused.parts.values()), fused.scores, rtol=1e-5)
    assert len(fused.rows) == 5


def test_support_of_empty_lists_is_empty() -> None:
    assert len(fuse(index_of_sessions([0]), [0], []).rows) == 0
    assert len(fuse(index_of_sessions([0]), [0], [ChannelList.empty("lexical")]).rows) == 0


def test_support_ties_break_by_id() -> None:
    index = index_of_sessions([0, 1, 2], ids=["m", "z", "a"])
    fused = fuse(index, [3, 3, 3], [listed("lexical", [0, 1, 2])])
    assert index.ids(fused.rows) == ["a", "m", "z"]
