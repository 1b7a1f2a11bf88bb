"""What a huge message costs is bounded: so many pieces of it are embedded, and its head is read."""

from __future__ import annotations

import time

from qgmem.construction.verbatim import CHUNK_COST, MOST_CHUNKS, chunks, embedding_texts


def test_a_text_is_cut_into_pieces_that_hold_all_its_words() -> None:
    """1,000 words of 5 letters cost one each, so a piece holds 220; four full ones and 120 words are five."""
    text = " ".join(["words"] * 1000)
    found = chunks(text)
    assert [len(piece.split()) for piece in found] == [CHUNK_COST] * 4 + [120]
    assert " ".join(found) == text


def test_a_long_word_is_cut_and_a_short_text_is_one_piece() -> None:
    assert chunks("  two  words ") == ["  two  words "]
    assert "".join(chunks("字" * 500)) == "字" * 500


def test_no_more_pieces_than_the_bound_however_long_the_text() -> None:
    """The head is what is embedded, in the same pieces as if the text ended there; ten megabytes take no time."""
    head = "words and words, " * 40_000
    start = time.process_time()
    found = chunks(head * 15)
    assert time.process_time() - start < 1.0
    assert len(found) == MOST_CHUNKS
    assert found == chunks(head)[:MOST_CHUNKS]
    assert len(embedding_texts("Ana", head, "a photo")) == MOST_CHUNKS + 1
