"""The one analyser of the lexical channel: Unicode words, folded and stemmed; bigrams where no spaces are.

>>> terms("Melanie's dogs ran, ZX-4471!")
['melani', 'dog', 'ran', 'zx', '4471']
>>> terms("東京に")
['東', '東京', '京', '京に']

Letters of Latin script lose their accents, so that "cafe" finds "Café". A Han character stands alone too,
since one character can be a whole word.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

import Stemmer

from ..errors import InvalidInput

_ASCII_WORD = re.compile(r"[a-z0-9_]+")
_POSSESSIVE = re.compile(r"['’]s\b")
_APOSTROPHE = re.compile(r"(?<=\w)['’](?=\w)")
_HAN = re.compile("[\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
# Snowball stemmer by script; words in Latin script take the language of the settings.
_SCRIPT_STEMMERS = (
    ("russian", "\u0400", "\u04ff"),
    ("greek", "\u0370", "\u03ff"),
    ("arabic", "\u0600", "\u06ff"),
    ("hindi", "\u0900", "\u097f"),
    ("tamil", "\u0b80", "\u0bff"),
    ("armenian", "\u0530", "\u058f"),
)
# Scripts written without spaces between words; a run of them becomes overlapping pairs of characters.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+"
)


def terms(text: str, language: str = "english") -> list[str]:
    """Index terms of `text` in order, repeats kept.

    `language` names the Snowball stemmer for words in Latin script, "none" for no stemming.
    Raises InvalidInput for a language without a stemmer.
    """
    folded = text.casefold() if text.isascii() else _folded(text)
    if "'" in folded or "’" in folded:
        folded = _APOSTROPHE.sub("", _POSSESSIVE.sub("", folded))
    if folded.isascii():
        return _stemmer(language).all(_words_ascii(folded))
    return list(_terms_unicode(folded, language))


def _folded(text: str) -> str:
    """Compatibility caseless form (Unicode, D146): two texts that differ in case or normal form become one."""
    once = unicodedata.normalize("NFKC", unicodedata.normalize("NFD", text).casefold())
    return unicodedata.normalize("NFKC", once.casefold())


def _words_ascii(folded: str) -> list[str]:
    found = _ASCII_WORD.findall(folded)
    if "_" not in folded:
        return found
    return [word for one in found if (word := one.strip("_"))]


def _terms_unicode(folded: str, language: str) -> Iterator[str]:
    for match in _word_pattern().finditer(folded):
        word = match.group()
        if word.isascii():
            yield _stemmer(language)(word)
            continue
        position = 0
        for run in _UNSPACED.finditer(word):
            if run.start() > position:
                yield _stem_by_script(word[position : run.start()], language)
            yield from _bigrams(run.group())
            position = run.end()
        if position < len(word):
            yield _stem_by_script(word[position:], language)


def _bigrams(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
        return
    for left, right in pairwise(run):
        if _HAN.match(left):
            yield left
        yield left + right
    if _HAN.match(run[-1]):
        yield run[-1]


def _stem_by_script(word: str, language: str) -> str:
    for name, low, high in _SCRIPT_STEMMERS:
        if low <= word[0] <= high:
            return _stemmer(name)(word)
    if word[0] <= "\u024f":
        plain = unicodedata.normalize("NFD", word)
        word = "".join(char for char in plain if unicodedata.category(char) != "Mn")
    return _stemmer(language)(word)


class _CachedStemmer:
    """A Snowball stemmer remembers nothing useful across threads; this keeps each stem once."""

    def __init__(self, language: str) -> None:
        self._stemmer = Stemmer.Stemmer(language, 0)
        self._stems: dict[str, str] = {}

    def __call__(self, word: str) -> str:
        stem = self._stems.get(word)
        if stem is None:
            if len(self._stems) > 200_000:
                self._stems.clear()
            stem = sys.intern(str(Stemmer.Stemmer.stemWord(self._stemmer, word)))
            self._stems[word] = stem
        return stem

    def all(self, words: Sequence[str]) -> list[str]:
        """The stems of these words."""
        known = self._stems
        return [known.get(word) or self(word) for word in words]


class _NoStemmer:
    def __call__(self, word: str) -> str:
        return word

    def all(self, words: Sequence[str]) -> list[str]:
        """The words."""
        return list(words)


@lru_cache(maxsize=32)
def _stemmer(language: str) -> _CachedStemmer | _NoStemmer:
    if language == "none":
        return _NoStemmer()
    if language not in Stemmer.algorithms():
        known = ", ".join(Stemmer.algorithms())
        raise InvalidInput("settings.language", f"no stemmer for {language!r}", f"use none or one of {known}")
    return _CachedStemmer(language)


@lru_cache(maxsize=1)
def _word_pattern() -> re.Pattern[str]:
    """Letters, digits and the marks that belong to them (Python's \\w leaves vowel signs out)."""
    ranges: list[str] = []
    start = previous = -2
    for code in range(0x300, 0x11FFF):
        if unicodedata.category(chr(code))[0] == "M":
            if code != previous + 1:
                if start >= 0:
                    ranges.append(f"{chr(start)}-{chr(previous)}")
                start = code
            previous = code
    ranges.append(f"{chr(start)}-{chr(previous)}")
    return re.compile(rf"[^\W_][\w{''.join(ranges)}]*")
