"""What a sentence says with less than certainty, or of a past that it does not date."""

from __future__ import annotations

import re

UNSURE = re.compile(
    r"^(?:if|unless|whether|suppose|supposing|assuming|imagine|maybe|perhaps|possibly|probably|what if|"
    r"let's|let us|"
    r"i wish|i hope|hopefully|ideally|in theory|in my dream|i dreamed|i dreamt|pretend|once i)\b|"
    r"\b(?:just kidding|not really|or something|i made that up|only joking|i was joking|haha no|yeah right)\b",
    re.I,
)
SURMISE = r"(?:guess|think|believe|suppose|reckon|assume|imagine|hear|heard|gather|suspect|am told|was told|read)"
HEDGED = re.compile(
    r"\b(?:apparently|supposedly|allegedly|reportedly|presumably|probably|possibly|maybe|perhaps|rumou?r has it|"
    r"rumou?red|or so)\b|"
    rf"[,(\s–—-]+(?:(?:or so |so |at least )?(?:they|people|some|folks) (?:say|said|claim|tell me|told me)|"
    rf"(?:so |or so )?I {SURMISE}|"
    r"if (?:I|my memory|memory) (?:remember|recall|am|heard|got|serves).*|as far as I (?:know|can tell|"
    r"remember|recall)|"
    r"(?:from )?what I (?:hear|heard|gather|know|read)|(?:at least )?that is what .*|(?:I am )?not (?:so |"
    r"quite |100% )?sure(?: though| about that| if that is right)?|"
    r"who knows|no idea|if (?:he|she|they|that|it) (?:is|are) to be believed|if that is true|"
    r"(?:but )?(?:that|it|this) (?:is|was) (?:not true|false|wrong|nonsense|a lie|a joke|a rumou?r|only a rumou?r)|"
    r"(?:but )?(?:he|she|I|they|[A-Z]\w+) (?:did|does|do|is|was|has|have|am) not(?: really)?|ha(?:ha)+|lol|"
    r"just kidding|jk)\)?$",
    re.I,
)

STUDY = (
    r"(?:college|university|uni|school|high school|graduation|graduating|my degree|my studies|the war|the "
    r"army|military service)"
)
ONE_TO_TEN = r"(?:a few|a couple of|several|many|some|\d+|two|three|four|five|six|seven|eight|nine|ten|a)"
LONG_PAST = re.compile(
    r"\bwhen (?!asked)(?:I|he|she|we|they|it|my|his|her|our|the|you|still|very)\b|\bwhen (?:young|little|small|\d)|"
    r"\bas an? (?:\w+ )?(?:kid|child|teen|teenager|student|boy|girl|baby|toddler|undergrad\w*|young \w+|youngster|"
    r"graduate|bachelor|twenty-something)\b|"
    r"\b(?:years|decades|ages|centuries|a lifetime|a long time|(?<!not )long) ago\b|\b(?:way )?back "
    r"(?:then|when|in the (?:day|days)|in " rf"{STUDY}|in my)\b|\bway back\b|"
    r"\b(?:in|during|throughout) (?:my|his|her) (?!free|spare|new|own)(?:\w+ )?(?:twenties|thirties|"
    r"forties|fifties|teens|youth|childhood|\w+ days|"
    r"\d0s|\w+ years|gap year|career)\b|"
    r"\bat (?:the age of )?(?:\d{1,2}|sixteen|seventeen|eighteen|nineteen|twenty(?:-\w+)?|thirty)(?![\w:]|"
    r"\s?(?:am|pm)\b| [A-Z])|"
    r"\b(?:aged|age) \d|\b(?:I|[Hh]e|[Ss]he) was (?:only |just |about |barely |still )?(?:\d{1,2}|a kid|a "
    r"child|young|a student|a teenager|little)\b|"
    rf"\b(?:after|before|during|straight out of|right out of|fresh out of|for) {STUDY}\b|"
    r"\bbefore (?:I|my|the|we|he|she|they|\w+ing)\b|\b(?:until|till)\b|"
    r"\bfor (?:a (?:while|time|bit|year|couple|few|short)|(?:\w+[ -]){0,2}(?:years|decades))\b|"
    r"\b(?:briefly|temporarily|originally|formerly|previously|at one point|at one time|at the time|at that "
    r"time|in those days|"
    r"in the old days|in the past|once upon a time|early on|in another life|a lifetime)\b|\bonce$|"
    r"\bthe (?:year|summer|winter|day|month|spring|autumn|fall|week) (?:I|my|we|after|before|that|when|he|"
    r"she|they|our)\b"
)  # fmt: skip
GONE = re.compile(
    r"(?:\b(?:and|but|then|before|until)\b|[,;])(?: then| later| soon| eventually| finally| again| I| he| "
    r"she| have| has|"
    r" since| had| just)*"
    r" (?:(?:\w+ )?(?:moved|came|went|got|been) (?:back|home|away|on|out)\b(?! to)|back\b(?! to)|returned\b(?! to)|"
    r"left(?= |$|[,;])(?! [A-Z]| my| the)|quit\b(?! [A-Z]| my)|returning|coming back|resigned|was (?:fired|"
    r"laid off))"
)
ONWARD = re.compile(r"\b(?:and|then|before|and then)(?: later| on)? to [A-Z]")
