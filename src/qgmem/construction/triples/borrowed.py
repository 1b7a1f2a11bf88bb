"""Words in a turn that are not the speaker's own statements: quoted, pasted for work on them, made up, dreamt.

Nothing of these is read. What was quoted keeps its length, so that places in the turn stay what they are.
"""

from __future__ import annotations

import re

QUOTED = re.compile(
    r'"[^"]{2,1000}"|“[^”]{2,1000}”|«[^»]{2,1000}»|„[^“”]{2,1000}[“”]|"(?=[A-Z])[^"]*\Z|“[^”]*\Z|'
    r"(?<!\w)['‘](?=[A-Z])[^\n]{2,300}?['’](?!\w)|```.*?(?:```|\Z)|^[ \t]*>[^\n]*",
    re.S | re.M,
)
MARKS = re.compile(r"[\"“«„‘`>]|(?<!\w)'")
SENTENCE_IN = re.compile(
    r"[.!?,]['\"”»’]?$|\n|\b(?:I|I'm|my|we|he|she|you|they|it|is|are|am|was|were|has|have|lives?|works?|moved)\b",
    re.I,
)
SMALL = frozenset("a an the of and or in on at to for from by with de la le el du van von der is my".split())
HIDDEN = "¤"

HEAD = re.compile(r"^(?P<head>[^:\n]{1,120}):(?:\s+(?P<rest>\S.*))?$", re.S)
OWN_HEAD = re.compile(
    r"\b(?:news|updates?|facts?|things?|announcement|confession|truth|secret|correction|status|recap|me|myself|"
    r"introduction|intro|context|background|fyi|ps|p\.s|edit|reminder|note|summary|answer|official|you|now|today|"
    r"that|this|happened|clear|short|guess what|life|record|day|time|know|side|forget|forgot|here|news,? "
    r"(?:everyone|everybody|all|folks|guys|friends))$",
    re.I,
)
NOT_MINE = re.compile(
    r"\b(?:news|notes?|updates?|message|word|line) (?:from|by|for|to) (?!me\b|my side|you\b)|\b(?:says|"
    r"said|goes|reads|writes|wrote|asks|asked)$"
)
WORK = (
    r"(?:translate|proof-?read|paraphrase|rephrase|reword|rewrite|correct|check|edit|fix|improve|"
    r"summari[sz]e|polish|"
    r"shorten|continue|complete|finish|analy[sz]e|transcribe|spell-?check|review|convert|classify|parse|repeat|"
    r"grade|explain|conjugate|diagram)"
)
TEXT = (
    r"(?:this|these|the following|following|below|sentences?|text|passage|paragraph|e-?mail|letter|essay|"
    r"story|poem|"
    r"lyrics|song|message|phrase|quote|translation|line|dialogue|transcript|script|after me|into [A-Z]\w+|"
    r"to [A-Z]\w+)"
)
PASTED = re.compile(
    rf"^(?:please |pls |hey |can you |could you |would you |will you |i need you to |i want you to |help "
    rf"me (?:to )?)*"
    rf"{WORK}\b.{{0,60}}?\b{TEXT}\b",
    re.I,
)
MADE_UP_FROM_HERE = re.compile(
    r"\b(?:had|having) (?:a|an|the|this|that|such a) (?:\w+ ){0,3}(?:dream|nightmare)\b|"
    r"\bi (?:dreamed|dreamt|imagined|pretended|role-?played)\b|\brole-?play|"
    r"^(?:please )?(?:pretend|imagine|suppose|let's play|act as|write a|write me a|lyrics|poem|once upon a time)\b|"
    r"\bmy (?:\w+ )?(?:character|protagonist|avatar|persona)(?: sheet)?\b|"
    r"\b(?:here is|here's|this is|read) (?:my|a|the) (?:\w+ )?(?:story|poem|novel|song|lyrics|screenplay|"
    r"essay|script|"
    r"monologue|dialogue)\b",
    re.I,
)
MADE_UP = re.compile(
    r"\bin (?:my|a|an|the|his|her|this|that|our|some) (?:[\w&-]+ ){0,2}(?:dreams?|nightmares?|games?|novel|"
    r"story|film|movie|"
    r"book|play|simulat\w+|imagination|fantasy|campaign|role-?play|tv show|show|series|song|comic|fanfic|musical|"
    r"sketch|scenario|sims|metaverse|daydream)\b(?! (?:department|shop|store|trade|industry|business|section|"
    r"company|studio|festival|club))|"
    r"\bin (?:virtual reality|vr|another life|character|minecraft|(?:a|my) (?:past|next|last|previous|former) life|"
    r"a parallel (?:universe|world)|monopoly|second life)\b|"
    r"\bas my character\b|\b(?:for example|for instance|e\.g\.|hypothetically|for the sake of argument|"
    r"let's say|let us say|in theory|in my head|in my mind)(?!\w)|"
    r"\b(?:dreamed|dreamt|dreaming) (?:that|of|about|I|i)\b",
    re.I,
)


def hidden(text: str) -> str:
    """The text with quotations, code and quoted lines blotted out, of the same length; titles and nicknames stay.

    >>> hidden('She said "I live in Rome." and read "Dune"')
    'She said "¤¤¤¤¤¤¤¤¤¤¤¤¤¤" and read "Dune"'
    """
    return QUOTED.sub(_blot, text) if MARKS.search(text) else text


def _blot(match: re.Match[str]) -> str:
    whole = match.group()
    inner = whole[1:-1]
    if not whole.startswith(("```", ">", " ", "\t")) and (_title(inner) or not SENTENCE_IN.search(inner)):
        return whole
    return whole[0] + HIDDEN * (len(whole) - 2) + (whole[-1] if not whole[-1].isalnum() else HIDDEN)


def _title(inner: str) -> bool:
    words = inner.split()
    return (
        0 < len(words) <= 9
        and not inner.endswith((".", "!", "?", ","))
        and all(word[0].isupper() or word[0].isdigit() or word in SMALL for word in words)
        and words[0] != "I"
    )


def own(text: str, speaker: str) -> tuple[str, bool]:
    """(what of a plain sentence is said by the speaker, whether the rest of the turn is not).

    What follows a colon belongs to whoever or whatever stands before it, unless that only announces it.
    """
    if MADE_UP_FROM_HERE.search(text) or PASTED.match(text):
        return "", True
    if ":" not in text or (match := HEAD.match(text)) is None:
        return text, False
    head, rest = match.group("head").strip(), match.group("rest") or ""
    if head.casefold() in (speaker.casefold(), "me"):
        return rest, False
    if re.match(r"(?:about|as for|regarding|speaking of|concerning)\s", head, re.I):
        return text, False
    if OWN_HEAD.search(head) and not NOT_MINE.search(head):
        return text, False
    follows = re.match(r"(?:I|i|[Mm]y|[Ww]e|[Hh]e|[Ss]he)\b|['\"“¤]", rest)
    return "", not rest or follows is not None
