"""Past, future or habit: the verbs around a time that does not say it itself ("in March", "on Friday").

The nearest cue before the time in its sentence decides, else the nearest after it. This is a rule of thumb, and
kept as one: no cue means None, and the caller falls back on its own convention.
"""

from __future__ import annotations

from .scan import Scan, Tense
from .words import word_set

_WINDOW = 30  # tokens looked at on either side, which also keeps the work linear
_STOPS = frozenset(".!?;")
_FUTURE = word_set(
    "will shall won't gonna wanna plan plans planning hope hoping expect expecting intend intending upcoming "
    "scheduled should must might could due deadline remind"
)
_PAST = word_set(
    "was were wasn't weren't did didn't had hadn't been became began bought broke brought built came caught chose "
    "drank drew drove ate fell felt flew forgot fought found gave got grew heard held kept knew led left lost made "
    "met paid ran rode rose said sang sat saw sent slept sold spent spoke stood swam taught threw thought told took "
    "understood went woke won wore wrote"
)
_HABIT = word_set("always usually normally typically generally often sometimes traditionally annually")
_FREE = word_set("off away free available busy booked")  # after am, is, are
_NOT_VERBS = word_set("need indeed speed hundred exceed seed proceed succeed feed breed embed united")
_NOT_ACTIONS = word_set(
    "something anything nothing everything thing king morning evening during spring string ring wedding"
)
_BE = word_set("am is are i'm we're you're they're isn't aren't")
_BE_SHORT = word_set("he she it that there here what who when where how")  # before a cut-off 's
_BEFORE_TIME = word_set("on in at this")
_BARE = word_set(
    "stay take go leave give keep put bring try wait rest boil bake cook soak use hold watch run come read write do "
    "get make sit stand sleep walk avoid skip visit practise practice"
)
_LEADS_IN = word_set("please just then so and or but maybe can could you we , :")
_SCHEDULED = word_set(
    "start starts begin begins end ends open opens close closes expire expires arrive arrives leave leaves depart "
    "departs fly flies land lands ship ships sail sails move moves return returns finish finishes resume resumes"
)  # in the present tense with a date beside: "the lease ends in October"
_OF_OTHERS = word_set("to did didn't does doesn't do don't used could would let's helped made when before after")
_OWN = word_set("a an my our his her their your another")
_DETERMINERS = word_set("the this that at")
_TO_DO = word_set("going have has need needs want wants got about supposed like love ready able")


def tense_at(scan: Scan, start: int, end: int) -> Tense | None:
    """The cue nearest to tokens [start, end), or None."""
    lows = scan.lows
    for j in range(start - 1, max(-1, start - 1 - _WINDOW), -1):
        if lows[j] in _STOPS:
            break
        cue = _cue(scan, j)
        if cue is not None:
            return cue
        leads = j + 2 == start and lows[j + 1] in _BEFORE_TIME
        if (_is_be(scan, j) and (leads or j + 1 == start)) or (leads and scan.possessive(j)):
            return Tense.FUTURE  # "the party is on Friday", "my birthday's on the 3rd"
    for j in range(end, min(len(scan.tokens), end + _WINDOW)):
        if lows[j] in _STOPS:
            break
        cue = _cue(scan, j)
        if cue is not None:
            return cue
    return None


def perfect_before(scan: Scan, start: int) -> bool:
    """True if "have been", "I've known" stands before: what lasts for n years lasts until today."""
    for j in range(start - 1, max(-1, start - 1 - _WINDOW), -1):
        low = scan.lows[j]
        if low in _STOPS:
            return False
        if low in ("have", "has", "been", "haven't", "hasn't") or low.endswith("'ve"):
            return True
    return False


def requested_before(scan: Scan, start: int) -> bool:
    """True if the sentence opens with a bare verb: "stay for four nights", "can you watch him for two days".

    Only for how long something lasts. Where a point in time is asked about, such a verb says nothing of its side:
    "give me my trips in March".
    """
    head = start
    while head > 0 and scan.lows[head - 1] not in _STOPS:
        head -= 1
        if start - head > _WINDOW:
            return False  # too far away to govern it, and looked at for every time of a long line
    while head < start and scan.lows[head] in _LEADS_IN:
        head += 1
    return head < start and scan.lows[head] in _BARE


def _cue(scan: Scan, j: int) -> Tense | None:
    if j not in scan.cues:
        scan.cues[j] = _judge(scan, j)
    return scan.cues[j]


def _judge(scan: Scan, j: int) -> Tense | None:
    low = scan.lows[j]
    if low in _PAST:
        return Tense.PAST
    if low in _FUTURE or low.endswith("'ll") or (low in _TO_DO and scan.lows[j + 1] == "to"):
        return Tense.FUTURE
    if low in _SCHEDULED and _scheduled(scan, j):
        return Tense.FUTURE
    if low in ("have", "has") and scan.lows[j + 1] in _OWN and scan.lows[j - 1] not in _OF_OTHERS:
        return Tense.FUTURE  # "I have an appointment on the 22nd"
    if low in _HABIT and not (scan.lows[j - 1].endswith("'ve") or scan.lows[j - 1] in ("have", "has", "had")):
        return Tense.HABIT  # "on Christmas Eve we always eat fish"
    if low in _FREE and _after_be(scan, j):
        return Tense.FUTURE  # "I'm off from the 23rd"
    if low == "forward" or (low == "wait" and scan.lows[j - 1] in ("can't", "cannot")):
        return Tense.FUTURE  # looking forward to, can't wait for
    if low == "see" and scan.lows[j + 1] in ("you", "ya", "u"):
        return Tense.FUTURE
    if low == "let" and scan.possessive(j):
        return Tense.FUTURE  # let's
    if len(low) > 4 and low.endswith("ing") and low not in _NOT_ACTIONS and j > 0 and _is_be(scan, j - 1):
        return Tense.FUTURE  # "I'm meeting her on Friday"
    if len(low) > 3 and low.endswith("ed") and low not in _NOT_VERBS and not _after_be(scan, j):
        return Tense.PAST
    return None


def _scheduled(scan: Scan, j: int) -> bool:
    """True after a subject: no question or denial about the past ("when did it start"), no infinitive, no noun."""
    if j == 0:
        return False
    before = scan.lows[max(0, j - 4) : j]
    return not (_OF_OTHERS & set(before)) and before[-1] not in _OWN and before[-1] not in _DETERMINERS


def _is_be(scan: Scan, j: int) -> bool:
    return j >= 0 and (scan.lows[j] in _BE or (scan.possessive(j) and scan.lows[j] in _BE_SHORT))


def _after_be(scan: Scan, j: int) -> bool:
    """`am excited`, `is so tired`: an adjective, no past tense."""
    return _is_be(scan, j - 1) or _is_be(scan, j - 2)
