"""One mention as a few turns of talk: told outright, asked for, split over turns, shown, or passed on."""

from __future__ import annotations

from dataclasses import dataclass

from . import words_talk as talk
from .cast import Member
from .grammar import render, tidy
from .records import DialogueKind
from .seeds import Draw
from .story import Mention
from .voice import PRONOUNS, Slots, Voice, person_slots, value_slots
from .when import NOTHING, When

OPENERS = ("", "", "", "", "@know, ", "[guess what|big news|listen]: ", "[so|well|oh], ")
TRAILERS = (
    "", "", "", "", "[It's been quite a change.|Time flies.|It feels right.]", "[I'm not sure what to think yet.|We'll see.]",
    "[Long story.|I'll spare you the details.]", "[Nobody saw it coming.|About time, too.]",
)  # fmt: skip
AGAIN = ("[as I said|as you know|like I told you|same as before]: ", "[still true that|remember], ", "[nothing new here]: ")
TAKE_BACK = (
    "[forget|ignore|scratch|please disregard] what I said about {doing}. [I was wrong|I mixed that up|That was a "
    "mistake|I got it wrong]: {never}.",
    "[I need to correct myself|Sorry, I told you nonsense last time]: {never}. [So {back} after all.|My mistake.]",
)
HEARSAY = (
    "{source} [told me|mentioned|says|swears] that {core}.", "[I ran into|I spoke to] {source}, and apparently {core}.",
    "[according to {source}|from what {source} says], {core}.",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Said:
    """A mention as it was worded. `needs` counts back to lines that must be read with it."""

    mention: Mention
    when: When
    source: str | None = None
    needs: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """One turn to be: speaker 0 or 1, text, and what it claims. `introduces` names a person's kinship."""

    speaker: int
    text: str
    said: tuple[Said, ...] = ()
    introduces: str | None = None
    caption: str | None = None
    query: str | None = None


def reply(draw: Draw, kind: DialogueKind, speaker: int, slots: Slots, templates: tuple[str, ...]) -> Line:
    """A turn that claims nothing. The assistant (speaker 1) acknowledges in its own manner."""
    if kind == "assistant" and speaker == 1:
        templates = talk.ASSISTANT_NOTED
    return Line(speaker, tidy(render(draw.pick(templates), True, draw, slots)))


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

    def lines(self) -> list[Line]:
        """The turns, in order; exactly one of them carries the claim (two claims never share words)."""
        mention = self.mention
        if mention.kind == "retraction":
            return self._retraction()
        if mention.kind in ("state", "repeat", "coexist", "update") and not mention.member.namesake:
            if self.draw.chance(0.22):
                return self._asked()
            if self.when.text and self.when.interval and mention.kind != "repeat" and self.draw.chance(0.12):
                return self._split()
        if not self.first and self.draw.chance(0.2):
            return self._pronoun()
        if not self.first and mention.kind in ("state", "update", "coexist") and self.sources and self.draw.chance(0.3):
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
            self.prefix = f"[about|as for|regarding] {reference}: "
        return reference

    def _core(self) -> str:
        """The claim itself, by kind."""
        relation, kind = self.mention.relation, self.mention.kind
        if kind == "late":
            templates = relation.past
        elif kind == "end":
            templates = relation.end
        elif kind == "repeat" or not (self.when.text or self.start.text or kind == "update"):
            templates = relation.say
        elif self.start.text and not (kind == "update" and self.when.text):
            templates = relation.since
        else:
            templates = relation.change
        return render(self.draw.pick(templates), self.first, self.draw, self.slots)

    def _text(self, template: str, **more: str) -> str:
        return tidy(render(template, self.first, self.draw, self.slots | more))

    def _meaning(self) -> When:
        """The time that the chosen wording carries."""
        return self.when if self.when.text else self.start

    def _claim(self, needs: tuple[int, ...] = (), source: str | None = None) -> tuple[Said, ...]:
        return (Said(self.mention, self._meaning(), source, needs),)

    def _told(self) -> list[Line]:
        self._name_subject()
        opener = self.prefix or self.draw.pick(AGAIN if self.mention.kind == "repeat" else OPENERS)
        text = self._text(f"{opener}{{core}}. {self.draw.pick(TRAILERS)}", core=self._core())
        caption = query = None
        pictures = self.mention.relation.picture
        if pictures and self.mention.kind in ("update", "coexist") and self.draw.chance(0.3):
            text = self._text("[look at this|here's a picture|see the photo]! {text}", text=text)
            caption = self._text(self.draw.pick(pictures))
            query = " ".join(w for w in caption.lower().replace(",", "").split() if w not in ("a", "an", "of", "the"))
        return [Line(self.teller, text, self._claim(), self.introduced, caption, query), *self._aftertalk()]

    def _asked(self) -> list[Line]:
        """The listener asks, the teller answers in a few words."""
        reference = self._name_subject()
        if reference.startswith("my "):  # the listener says "your sister"
            self.slots |= person_slots("your " + reference[3:], self.mention.member.person.pronoun)
        question = self._text("[|and |tell me, |so, ]{core}", core=self._text(self.draw.pick(self.mention.relation.ask)))
        time = ""
        if self._meaning().interval:
            time = f", {_since(self._meaning().text)}"
        short = self._text(self.draw.pick(self.mention.relation.short))
        answer = self._text(f"{{short}}{time}. [||{self.draw.pick(TRAILERS)}]", short=short)
        return [
            Line(self.listener, question, (), self.introduced),
            Line(self.teller, answer, self._claim(needs=(1,))),
            *self._aftertalk(),
        ]

    def _split(self) -> list[Line]:
        """The time stands in one turn, the fact in the next but one."""
        reference = self._name_subject(pronoun_after=True)
        about = f"[to|with] {reference}" if reference else "[to me|in my life]"
        lead = self._text(f"[you won't guess what happened|something happened] {about} {{when}}.")
        asked = self._text("[What?|Tell me!|What was it?|Go on.]")
        claim = self._claim(needs=(2,))
        self.slots["when"] = ""
        core = self._text("{core}. [||It was quite a day.|That's it.]", core=self._core_after_split())
        return [
            Line(self.teller, lead, (), self.introduced), Line(self.listener, asked),
            Line(self.teller, core, claim), *self._aftertalk(),
        ]  # fmt: skip

    def _core_after_split(self) -> str:
        return render(self.draw.pick(self.mention.relation.change), self.first, self.draw, self.slots)

    def _pronoun(self) -> list[Line]:
        """Somebody is named first, and the news has only a pronoun."""
        reference = self._name_subject(pronoun_after=True)
        lead = self._text(f"[you remember {reference}|have I told you about {reference}|I spoke to {reference} today]?")
        if lead.startswith("I spoke"):
            lead = lead.rstrip("?") + "."
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
        return [Line(self.teller, text, self._claim(source=source.person.name), self.introduced), *self._aftertalk()]

    def _retraction(self) -> list[Line]:
        self._name_subject()
        relation = self.mention.relation
        doing, never, back = (
            render(self.draw.pick(options), self.first, self.draw, self.slots)
            for options in (relation.doing, relation.never, ("it's all as it was",))
        )
        text = self._text(self.prefix + self.draw.pick(TAKE_BACK), doing=doing, never=never, back=back)
        noted = "[Okay, forgotten.|Ah, all right.|No problem, happens to me too.|Good that you say so.]"
        return [Line(self.teller, text, (Said(self.mention, NOTHING),), self.introduced), Line(self.listener, self._text(noted))]

    def _aftertalk(self) -> list[Line]:
        """A reaction, and sometimes a remark upon it."""
        if self.draw.chance(0.15):
            return []
        own = self.mention.relation.react
        templates = own if own and self.mention.kind != "end" and self.draw.chance(0.5) else talk.REACT
        slots = self.slots | {"N": "", "P": "", "O": ""}
        out = [reply(self.draw, self.voice.cast.kind, self.listener, slots, templates)]
        if self.draw.chance(0.4):
            out.append(Line(self.teller, tidy(render(self.draw.pick(talk.FOLLOW), True, self.draw, slots))))
        return out
