"""Who counts as standing beside a turn: everybody in a dialogue or a text, nobody in a list of unrelated facts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from qgmem import Memory
from qgmem.activation.beside import LEAST, beside, is_list
from qgmem.models.scripted import HashEmbedder
from qgmem.stores.index import Index

TURNS = LEAST + 12
UNRELATED = [f"north{n} south{n} east{n} west{n}" for n in range(TURNS)]
A_TEXT = [f"north{n} north{n + 1} east{n} west{n}" for n in range(TURNS)]  # each takes up a word of the one before


def index_of(folder: Path, texts: Sequence[str], speakers: Sequence[str] = ("Ana",)) -> Index:
    with Memory.open(folder, embedder=HashEmbedder(256)) as memory:
        turns = [
            {"role": "user", "name": speakers[place % len(speakers)], "content": text}
            for place, text in enumerate(texts)
        ]
        memory.add(turns, session_id="s")
        return memory._space("default").index.current()


@pytest.mark.parametrize(
    ("texts", "speakers", "alone"),
    [
        (UNRELATED, ["Ana"], True),
        (A_TEXT, ["Ana"], False),
        (UNRELATED, ["Ana", "Ben"], False),
        (UNRELATED[:LEAST], ["Ana"], False),
    ],
    ids=["a list", "a text", "a dialogue", "too short to tell"],
)
def test_only_a_long_list_of_unrelated_turns_has_no_neighbours(
    tmp_path: Path, texts: Sequence[str], speakers: Sequence[str], alone: bool
) -> None:
    index = index_of(tmp_path, texts, speakers)
    rows = np.arange(index.rows)
    assert is_list(index, int(np.asarray(index.column("chain"))[0]) >> 40) is alone
    expected = np.full((len(rows), 4), -1) if alone else index.around(rows)
    assert (beside(index, rows) == expected).all()


def test_what_stands_beside_an_answer_in_a_list_is_not_found_for_it(tmp_path: Path) -> None:
    """In a dialogue the turns beside the answer would get most of its score; here no unit gets any."""
    texts = [*UNRELATED[:30], "the lighthouse is at Skagen", *UNRELATED[30:]]
    with Memory.open(tmp_path, embedder=HashEmbedder(256)) as memory:
        memory.add([{"role": "user", "content": text} for text in texts], session_id="s")
        hits = memory.search("Where is the lighthouse?", explain=True)
    assert hits[0].text == "the lighthouse is at Skagen"
    assert len(hits) > 1
    assert [hit.contributions["neighbour"] for hit in hits] == [0] * len(hits)
