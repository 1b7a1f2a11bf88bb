"""One mention as a few turns of talk: told outright, asked for, split over turns, shown, or passed on."""

from __future__ import annotations

from dataclasses import dataclass

from . import words_advice as advice
from . import words_detail as detail
from . import words_talk as talk
from .cast import Member
from .chat import maybe
from .grammar import render, tidy
from .story import Mention
from .voice import PRONOUNS, Slots, Voice, person_slots, value_slots
from .when import NOTHING, When

OPENERS = ("", "", "", "", "@know, ", "[guess what|big news|listen]: ", "[so|well|oh], ")
AGAIN = (
    "[as I said|as you know|like I told you|same as before]: ",
    "remember, ",
    "[no change here]: ",
    "[well|yes], ",
    "",
)
TAKE_BACK = (
    "[forget|ignore|scratch|please disregard] what I said about {doing}. [I was wrong|I mixed that "
    "up|That was a "
    "mistake|I got it wrong]: {never}.",
    "[I need to correct myself|Sorry, I told you nonsense last time]: {never}. [Everything is as it "
    "was.|My mistake.|I don't know why I said that.]",
)
HEARSAY = (
    "{source} [told me|mentioned|says|swears] that {core}.",
    "[I ran into|I spoke to] {source}, and apparently {core}.",
    "[according to {source}|from what {source} says], {core}.",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Said:
    """A mention as it was worded. `needs` counts back to lines that must be read with it.

    `lasts`: the time was said as a beginning ("since March"), so it reaches to the day of speaking.
    """

    mention: Mention
    when: When
    source: str | None = None
    needs: tuple[int, ...] = ()
    lasts: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """One turn to be: speaker 0 or 1, text, and what it claims. `introduces` names a person's kinship."""

    speaker: int
    text: str
    said: tuple[Said, ...] = ()
    introduces: str | None = None
    caption: str | None = None
    query: str | None = None


def _dated(templates: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(t for t in templates if "{when}" in t)


def _since(when: str) -> str:
    """A time as the start of something that lasts: "in March" -> "since March"."""
    return f"as of {when}" if when.endswith("ago") else f"since {when.removeprefix('in ').removeprefix('on ')}"


class Scene:
    """Words for one mention, by one teller to one listener."""

    def __init__(self, voice: Voice, mention: Mention, when: When, start: When, sources: tuple[Member, ...]) -> None:
        self.voice, self.draw, self.mention, self.when, self.start = voice, voice.draw, mention, when, start
        self.sources = sources
        self.teller, self.listener = mention.member.teller, 1 - mention.member.teller
        self.first = voice.first_person(mention.member)
        self.slots: Slots = value_slots(mention.object) | {"when": when.text, "point": start.text}
        self.introduced: str | None = None
        self.prefix = ""
        self.with_assistant = voice.cast.kind == "assistant"

    def lines(self) -> list[Line]:
        """The turns, in order; exactly one of them carries the claim (two claims never share words)."""
        mention = self.mention
        if mention.kind == "retraction":
            return self._retraction()
        if mention.kind in ("state", "repeat", "coexist", "update") and not mention.member.namesake:
            if self.draw.chance(0.25) and (self.first or self.voice.familiar(mention.member)):
                return self._asked()
            if self.when.text and self.when.interval and mention.kind != "repeat" and self.draw.chance(0.12):
                return self._split()
        if not self.first and self.draw.chance(0.2):
            return self._pronoun()
        if (
            not self.first
            and mention.kind in ("state", "update", "coexist")
            and self.sources
            and self.draw.chance(0.3)
        ):
            return self._hearsay()
        return self._told()

    def _name_subject(self, pronoun_after: bool = False) -> str:
        """Fill the subject slots; returns the reference (empty for the teller)."""
        person = self.mention.member.person
        if self.first:
            self.slots |= {"N": "", "P": "", "O": "", "p": ""}
            return ""
        reference, new = self.voice.reference(self.mention.member)
        self.introduced = person.id if new else None
        if pronoun_after or self.mention.member.namesake:
            self.slots |= PRONOUNS[person.pronoun]
        else:
            self.slots |= person_slots(reference, person.pronoun)
        if self.mention.member.namesake and not pronoun_after:
            self.prefix = self.draw.pick(("about ", "as for ", "regarding ")) + reference + ": "
        return reference

    def _core(self) -> str:
        """The claim itself, by kind."""
        relation, kind = self.mention.relation, self.mention.kind
        if kind == "late":
            span = self.when.interval
            templates = relation.past if span is None or span.days > 7 else _dated(relation.change)
        elif kind == "end":
            templates = relation.end
        elif kind == "repeat" or not (self.when.text or self.start.text or kind == "update"):
            templates = relation.say
        elif self.start.text and not (kind == "update" and self.when.text):
            templates = relation.since
        else:
            templates = _dated(relation.change)
        return render(self.draw.pick(templates), self.first, self.draw, self.slots)

    def _raw(self, template: str, **more: str) -> str:
        """One template (a constant one: each is compiled once and kept), not tidied."""
        return render(template, self.first, self.draw, self.slots | more if more else self.slots)

    def _text(self, template: str, **more: str) -> str:
        return tidy(self._raw(template, **more))

    def _meaning(self) -> When:
        """The time that the chosen wording carries."""
        return self.when if self.when.text else self.start

    def _claim(self, needs: tuple[int, ...] = (), source: str | None = None, asked: bool = False) -> tuple[Said, ...]:
        """The claim of a turn; short answers put every time as a beginning."""
        meaning = self._meaning()
        lasts = bool(meaning.interval) and not meaning.text.endswith("ago") and (asked or not self.when.text)
        return (Said(self.mention, self._meaning(), source, needs, lasts),)

    def _told(self) -> list[Line]:
        self._name_subject()
        opener = self.prefix or self.draw.pick(AGAIN if self.mention.kind == "repeat" else OPENERS)
        text = tidy(f"{self._raw(opener)}{self._core()}. {self._trailer()}")
        caption = query = None
        pictures = self.mention.relation.picture
        if pictures and self.mention.kind in ("update", "coexist") and self.draw.chance(0.3):
            text = self._text("[look at this|here's a picture|see the photo]! {text}", text=text)
            caption = render(self.draw.pick(pictures), self.first, self.draw, self.slots)
            query = " ".join(w for w in caption.lower().replace(",", "").split() if w not in ("a", "an", "of", "the"))
        relation = self.mention.relation.name
        if self.with_assistant and self.first and caption is None and self.draw.chance(0.35):
            wish = self.draw.pick(advice.ASKED_BY_USER) + self.draw.pick(advice.REQUESTS[relation])
            text = f"{text} {self._text(wish)}"
            reply = self._raw(self.draw.pick(advice.REPLIES[relation])) + maybe(self.draw, 0.6, detail.TAILS)
            answer = Line(self.listener, tidy(reply))
            return [Line(self.teller, text, self._claim(), self.introduced), answer]
        return [Line(self.teller, text, self._claim(), self.introduced, caption, query), *self._aftertalk()]

    def _trailer(self) -> str:
        """A sentence that adds no fact, most often none."""
        if self.draw.chance(0.45):
            return maybe(self.draw, 1.0, detail.DETAILS)
        return f"{self.draw.pick(advice.ENDINGS)}." if self.draw.chance(0.3) else ""

    def _asked(self) -> list[Line]:
        """The listener asks, the teller answers in a few words."""
        reference = self._name_subject()
        if reference.startswith("my "):  # the listener says "your sister"
            self.slots |= person_slots("your " + reference[3:], self.mention.member.person.pronoun)
        asked = render(self.draw.pick(self.mention.relation.ask), self.first, self.draw, self.slots)
        lead = self.draw.pick(("", "", "and ", "tell me, ", "so, "))
        question = tidy(lead + (asked[0].lower() + asked[1:] if lead else asked))
        time = ""
        if self._meaning().interval:
            time = f", {_since(self._meaning().text)}"
        answer = tidy(f"{self._raw(self.draw.pick(self.mention.relation.short))}{time}. {self._trailer()}")
        return [
            Line(self.listener, question, (), self.introduced),
            Line(self.teller, answer, self._claim(needs=(1,), asked=True)),
            *self._aftertalk(),
        ]

    def _split(self) -> list[Line]:
        """The time stands in one turn, the fact in the next but one."""
        reference = self._name_subject(pronoun_after=True)
        about = "to {who}" if reference else "[to me|in my life]"
        lead = self._text("[you won't guess what happened|something happened] " + about + " {when}.", who=reference)
        asked = self._text("[What?|Tell me!|What was it?|Go on.]")
        claim = self._claim(needs=(2,))
        self.slots["when"] = ""
        core = self._text("{core}. [||It was quite a day.|That's it.]", core=self._core_after_split())
        return [
            Line(self.teller, lead, (), self.introduced), Line(self.listener, asked),
            Line(self.teller, core, claim), *self._aftertalk(),
        ]  # fmt: skip

    def _core_after_split(self) -> str:
        return render(self.draw.pick(_dated(self.mention.relation.change)), self.first, self.draw, self.slots)

    def _pronoun(self) -> list[Line]:
        """Somebody is named first, and the news has only a pronoun."""
        reference = self._name_subject(pronoun_after=True)
        if self.draw.chance(0.4):
            lead = self._text(
                "I [spoke to|heard from|ran into|had a call from] {who} [today|this week|again].", who=reference
            )
            back = self._text("[Oh nice|Ah|Oh], [what's new with {O}|how is {N}|any news]?")
        else:
            lead = self._text("[you remember|did I tell you about|do you recall] {who}?", who=reference)
            back = self._text("[Sure|Of course|I think so|Yes], [what about {O}|how is {N}|any news]?")
        text = self._text("[well, |so, |]{core}. ", core=self._core())
        return [
            Line(self.teller, lead, (), self.introduced), Line(self.listener, back),
            Line(self.teller, text, self._claim(needs=(2,))), *self._aftertalk(),
        ]  # fmt: skip

    def _hearsay(self) -> list[Line]:
        source = self.draw.pick(self.sources)
        told, new = self.voice.reference(source)
        self._name_subject()
        if new:  # the source's kinship is said here; remember it unless the subject's is said too
            self.introduced = self.introduced or source.person.id
        core = self._core()
        if self.mention.member.namesake:
            core = f"{self.mention.member.person.name} {self.mention.member.person.qualifier} has news: {core}"
        text = self._text(self.draw.pick(HEARSAY), source=told, core=core)
        return [
            Line(self.teller, text, self._claim(source=source.person.name), self.introduced),
            *self._aftertalk(),
        ]

    def _retraction(self) -> list[Line]:
        self._name_subject()
        relation = self.mention.relation
        doing, never = (
            render(self.draw.pick(options), self.first, self.draw, self.slots)
            for options in (relation.doing, relation.never)
        )
        text = tidy(self._raw(self.prefix) + self._raw(self.draw.pick(TAKE_BACK), doing=doing, never=never))
        noted = "[Okay, forgotten.|Ah, all right.|No problem, happens to me too.|Good that you say so.]"
        return [
            Line(self.teller, text, (Said(self.mention, NOTHING),), self.introduced),
            Line(self.listener, self._text(noted)),
        ]

    def _aftertalk(self) -> list[Line]:
        """A reaction, and sometimes a remark upon it."""
        if not self.with_assistant and self.draw.chance(0.15):
            return []
        own, relation = self.mention.relation.react, self.mention.relation.name
        if self.with_assistant and self.listener == 1:
            templates = advice.REPLIES[relation] if self.draw.chance(0.3) else advice.NOTED
        else:
            templates = own if own and self.mention.kind != "end" and self.draw.chance(0.55) else talk.REACT
        slots = self.slots | {"N": "", "P": "", "O": ""}
        reaction = render(self.draw.pick(templates), True, self.draw, slots)
        aside = detail.TAILS if self.with_assistant else detail.ECHOES
        reaction = tidy(reaction + ("" if reaction.rstrip().endswith("?") else maybe(self.draw, 0.5, aside)))
        out = [Line(self.listener, reaction)]
        if reaction.endswith("?") and self.draw.chance(0.7):
            out.append(Line(self.teller, self._follow(slots)))
        return out

    def _follow(self, slots: Slots) -> str:
        return tidy(
            render(self.draw.pick(talk.FOLLOW), True, self.draw, slots) + maybe(self.draw, 0.6, detail.DETAILS)
        )
