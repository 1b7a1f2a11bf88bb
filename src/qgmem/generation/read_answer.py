"""An answerer's JSON, checked: every label exists, both fields are there, and what was repaired is said ([Q] F)."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace

from ..errors import ModelMisbehaved
from ..models.json_answer import Repaired, parse_json
from ..types import JsonValue

NOT_MENTIONED = "Not mentioned"
PATHS = ("reasoning_path", "reasoning", "path", "explanation")
ANSWERS = ("answer", "final_answer", "response")
_LABEL = re.compile(r"\b(MU|F)[ -]?#?(\d+)\b")
_BRACKETED = re.compile(r"\s*[\[(]\s*(?:(?:MU|F)[ -]?#?\d+[\s,;&and]*)+[\])]|\s*\bMU#?\d+\b")
_BARE = re.compile(r'(?<!["\w])(?:MU|F)\d+(?!["\w])')  # a label without quotes, as small models write in a list
_EMPTY = re.compile(r"\s*[\[(][\s,;]*[\])]")
_ABSTAINS = re.compile(
    r"(?:the |this |that |it )?(?:answer |information )?(?:is |was )?(?:"
    r"not (?:mentioned|specified|stated|known|given|provided|available|found|enough information)"
    r"(?:\s*[.,;:(–—-].*|"
    r"\s+(?:in|within|by|anywhere|here|at all|explicitly|directly|to (?:say|tell|answer)|from)\b.*)?|"
    r"(?:there (?:is|was) )?no (?:information|mention|answer)"
    r"(?: (?:is |was )?(?:available|given|found|provided|known))?"
    r"(?:\s*[.,;:(–—-].*|\s+(?:in|within|about|on|of|regarding|that|to)\b.*)?|"
    r"insufficient information\b.*|can(?:no|')t be (?:determined|answered)\b.*|"
    r"(?:the )?(?:memor(?:y|ies)|context|conversations?) (?:do|does) not "
    r"(?:mention|say|state|specify|tell|contain)\b.*|"
    r"[\w' ]{1,60} (?:is|are|was|were) not (?:mentioned|specified|stated)(?: (?:in|anywhere|here)\b.*)?|"
    r"i (?:do not|don't) have (?:enough |sufficient |any )?information\b.*|"
    r"cannot (?:determine|answer|say)\b.*|i (?:do not|don't) know\b.*|unknown|unclear|n/?a)[.!]?",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Draft:
    """What an answerer said. `cited`: labels that exist, by first mention; `notes`: what was repaired."""

    answer: str
    abstained: bool
    reasoning_path: str
    cited: tuple[str, ...]
    notes: tuple[str, ...] = ()


def read_answer(text: str, known: Collection[str], *, truncated: bool = False) -> Draft:
    """The answer in a model's text; `known` are the labels of its context.

    Prose and fences around the JSON, a missing end, other names of the fields, a list or number as the answer are
    repaired and noted; labels that do not exist are taken out. Raises ModelMisbehaved, whose text completes "it …",
    where there is no answer to read.
    """
    try:
        found = _parsed(text)
    except ModelMisbehaved as error:
        raise ModelMisbehaved("was cut off before it answered" if truncated else str(error)) from error
    value = found.value[0] if isinstance(found.value, list) and len(found.value) == 1 else found.value
    if not isinstance(value, dict):
        raise ModelMisbehaved(f"is {_kind(value)}, not an object with reasoning_path and answer")
    fields = {name.strip().casefold().replace(" ", "_"): inner for name, inner in value.items()}
    notes = [] if found.clean else ["the JSON was repaired"]
    said = next((fields[name] for name in ANSWERS if name in fields), _MISSING)
    if said is _MISSING:
        cut = " and was cut off" if truncated or found.cut is not None else ""
        raise ModelMisbehaved(f"has no field `answer`{cut}")
    if isinstance(said, list) and found.cut and str(found.cut[0]).strip().casefold().replace(" ", "_") in ANSWERS:
        raise ModelMisbehaved("has a list as its answer that was cut off")
    answer = _BRACKETED.sub("", _text(said)).strip()
    if not answer and _text(said).strip():
        raise ModelMisbehaved("answers with labels alone")
    path = next((_text(fields[name]) for name in PATHS if name in fields), "").strip()
    if not path:
        notes.append("reasoning_path was missing")
    marks = " ".join(match[0] for match in _BRACKETED.finditer(_text(said)))  # "F1" alone may be a sport
    mentioned = list(dict.fromkeys(_name(match) for match in _LABEL.finditer(f"{path} {marks}")))
    unknown = [name for name in mentioned if name not in known and (name.startswith("MU") or name in path)]
    if unknown:
        path = _without(path, frozenset(unknown))
        notes.append(f"labels that do not exist were taken out: {', '.join(unknown)}")
    abstained = not answer or _ABSTAINS.fullmatch(answer) is not None
    cited = tuple(name for name in mentioned if name in known)
    return Draft(answer or NOT_MENTIONED, abstained, path, cited, tuple(notes))


def ended(text: str) -> bool:
    """Is the first object of a text closed? Then nothing that follows belongs to the answer.

    >>> ended('{"answer": "a } b'), ended('{"answer": "a } b"}')
    (False, True)
    """
    depth, quoted, escaped = 0, False, False
    for char in text:
        if quoted:
            quoted = escaped or char != '"'
            escaped = char == "\\" and not escaped
        elif char == '"':
            quoted = True
        elif char == "{":
            depth += 1
        elif char == "}" and depth:
            depth -= 1
            if not depth:
                return True
    return False


_MISSING = object()


def _parsed(text: str) -> Repaired:
    """The JSON in a text; where there is none, that with the bare labels of its first list quoted."""
    try:
        return parse_json(text)
    except ModelMisbehaved as error:
        path, end, rest = text.partition("]")
        quoted = _BARE.sub(r'"\g<0>"', path) + end + rest
        try:
            return replace(parse_json(quoted), clean=False)
        except ModelMisbehaved:
            raise ModelMisbehaved("holds no JSON object") from error


def _text(value: object) -> str:
    """A field as text; a list with commas. Raises ModelMisbehaved for an object."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str | int | float):
        return str(value)
    if isinstance(value, list):
        return ", ".join(part for part in map(_text, value) if part)
    raise ModelMisbehaved("has an object where a text should be")


def _kind(value: JsonValue) -> str:
    return "a list" if isinstance(value, list) else "a single value"


def _name(match: re.Match[str]) -> str:
    return f"{match[1]}{int(match[2])}"


def _without(path: str, unknown: Collection[str]) -> str:
    """The path without those labels, and without the brackets that stood around them alone."""
    path = _LABEL.sub(lambda match: "" if _name(match) in unknown else match[0], path)
    return " ".join(_EMPTY.sub("", path).split())
