"""The analyser: one set of terms for documents and questions, in any script."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qgmem.errors import InvalidInput
from qgmem.stores.analyser import terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\t!?—", []),
        ("Melanie's dogs ran, ZX-4471!", ["melani", "dog", "ran", "zx", "4471"]),
        ("don't Don’t DONT", ["dont", "dont", "dont"]),
        ("Café CAFE cafe\u0301", ["cafe", "cafe", "cafe"]),
        ("Straße STRASSE", ["strass", "strass"]),
        ("snake_case __init__", ["snake_cas", "init"]),
        ("5d3+5", ["5d3", "5"]),
        ("東京に", ["東", "東京", "京", "京に"]),
        ("東", ["東"]),
        ("カタカナ", ["カタ", "タカ", "カナ"]),
        ("한국어", ["한국", "국어"]),
        ("Tokyo東京2020", ["tokyo", "東", "東京", "京", "2020"]),
        ("ﬁne Ｆｕｌｌ", ["fine", "full"]),
        ("😀", []),
    ],
)
def test_terms(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("document", "question"),
    [
        ("東京に住んでいる", "東京"),
        ("我在北京工作", "北京"),
        ("서울에 살아요", "서울"),
        ("ฉันอาศัยอยู่ในกรุงเทพ", "กรุงเทพ"),
        ("أعيش في القاهرة", "القاهرة"),
        ("Я живу в Москве", "Москва"),
        ("मैं दिल्ली में रहता हूँ", "दिल्ली"),
        ("I was running", "run"),
        ("the CAFÉ was closed", "cafe"),
    ],
)
def test_a_word_of_the_question_meets_the_document(document: str, question: str) -> None:
    assert set(terms(question)) & set(terms(document))


def test_languages() -> None:
    assert terms("running dogs", "none") == ["running", "dogs"]
    assert terms("Häuser Haus", "german") == ["haus", "haus"]
    with pytest.raises(InvalidInput, match=r"settings.language.*klingon.*english"):
        terms("x", "klingon")


@given(st.text())
def test_any_text_gives_terms_and_always_the_same(text: str) -> None:
    found = terms(text)
    assert found == terms(text)
    assert all(term and not term.isspace() for term in found)


@given(st.text(alphabet=st.characters(categories=("Lu", "Ll")), max_size=20))
def test_case_does_not_matter(text: str) -> None:
    assert terms(text.upper()) == terms(text.upper().casefold())


def test_long_text_takes_linear_time() -> None:
    assert len(terms("word " * 200_000)) == 200_000
    assert len(terms("字" * 100_000)) == 199_999


def test_threads_share_stemmers() -> None:
    expected = [terms(f"running dogs {n} houses") for n in range(300)]
    failures: list[int] = []

    def work() -> None:
        for n in range(300):
            if terms(f"running dogs {n} houses") != expected[n]:
                failures.append(n)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
