"""Sentences of a turn, contractions written out, and the words before the subject that claim nothing."""

from __future__ import annotations

import re

SENTENCE = re.compile(r"[^.!?\n]+(?:\.(?=\w)[^.!?\n]*)*[.!?]*")
TITLES = re.compile(r"\b(Dr|Mr|Mrs|Ms|Prof|St)\.")
TITLE = re.compile(r"\b(?:Dr|Mr|Mrs|Ms|Prof|St)\.$")
CONTRACTIONS = (
    (re.compile(r"[’`]"), "'"),
    (re.compile(r"(?<![\w'])i(?=[' ])"), "I"),
    (re.compile(r"\bI'm\b", re.I), "I am"),
    (re.compile(r"\b(can)(?:'t|not)\b", re.I), r"\1 not"),
    (re.compile(r"\bwon't\b", re.I), "will not"),
    (re.compile(r"\b(\w+)n't\b", re.I), r"\1 not"),
    (re.compile(r"\b(I|we|they|you)'ve\b", re.I), r"\1 have"),
    (re.compile(r"\b(we|they|you)'re\b", re.I), r"\1 are"),
    (re.compile(r"\b(\w+)'(?:ll)\b", re.I), r"\1 will"),
    (re.compile(r"\b(\w+)'d\b", re.I), r"\1 would"),
    (
        re.compile(
            r"\b(he|she|it|that|there|who)'s ((?:(?:just|now|recently|finally|already|also) )?(?:been|got|"
            r"had|moved|started|joined|become|left|quit|relocated))\b",
            re.I,
        ),
        r"\1 has \2",
    ),
    (re.compile(r"\b(he|she|it|that|there|who|what|where)'s\b", re.I), r"\1 is"),
)
DISCOURSE = (
    r"(?:well|so|oh|ah|hey|hi|hello|yes|yeah|no|ok|okay|right|sure|anyway|also|and|but|besides|plus|"
    r"actually|honestly|"
    r"finally|now|currently|these days|at the moment|right now|nowadays|recently|lately|incidentally|by the way|"
    r"in fact|in the end|for the record|just so you know|you know|you know what|guess what|listen|look|"
    r"look at this|"
    r"big news|good news|bad news|other news|great news|news|update|remember|as you know|as i said|like i said|"
    r"like i told you|as i told you|as i mentioned|same as before|no change here|still|sadly|unfortunately|luckily|"
    r"fun fact|btw|thanks|thank you|sorry|my mistake|i was wrong|i mixed that up|i got it wrong|that was a mistake|"
    r"i made (?:that|it) up|that was a lie|i lied|scratch that|forget that|forget it|i take (?:that|it) "
    r"back|not true|"
    r"just kidding|only kidding|just joking|only joking|it was a joke|i need to correct myself|sorry, i "
    r"told you nonsense last time|correction|to be clear|since you ask)"
)
OPENER = re.compile(rf"^\s*(?:{DISCOURSE}\s*(?:[,:;!-]+|\b)\s*)", re.I)
BARE = re.compile(rf"^{DISCOURSE}$", re.I)


def sentences(text: str) -> list[tuple[int, int]]:
    """Where the sentences of a text stand, with their final marks, in order; a title's point ends none."""
    found: list[tuple[int, int]] = []
    for match in SENTENCE.finditer(text):
        part = match.group()
        start = match.start() + len(part) - len(part.lstrip())
        end = match.end() - len(part) + len(part.rstrip())
        if start >= end:
            continue
        if found and TITLE.search(text[found[-1][0] : found[-1][1]]):
            found[-1] = found[-1][0], end
        else:
            found.append((start, end))
    return found


def plain(sentence: str) -> str:
    """Contractions written out, words that only lead in cut off, final marks gone.

    >>> plain("Well, by the way, I'm based in Oslo!")
    'I am based in Oslo'
    """
    text = TITLES.sub(r"\1", sentence.strip()).rstrip(".!?… ")
    for pattern, written in CONTRACTIONS:
        text = pattern.sub(written, text)
    while (match := OPENER.match(text)) and len(text) > match.end():
        text = text[match.end() :]
    return text.strip()
