"""Sessions out of mentions and talk: greetings, news, fillers, goodbyes, and the claims with their turn ids."""

from __future__ import annotations

from collections import defaultdict
from datetime import date, datetime, timedelta, timezone

from . import words_advice as advice
from . import words_detail as detail
from . import words_talk as talk
from .cast import Cast, Member
from .chat import ChatSlots, maybe
from .grammar import render, tidy
from .records import Claim, Message, Session
from .relations import RELATIONS
from .scenes import Line, Said, Scene
from .seeds import Draw
from .story import Meeting, Mention
from .voice import Slots, Voice
from .when import NOTHING, When, choose, lasting, since
from .words_people import CITIES

Lane = tuple[str, str, str]


AND = ("Also,", "And", "Oh, and", "Besides,", "By the way,", "Other news:")


def _plain(line: Line) -> bool:
    """A statement that can share its turn: no picture, no first mention of somebody's kinship, not a retraction."""
    return (
        len(line.said) == 1
        and not (line.caption or line.introduces or line.said[0].needs)
        and line.said[0].mention.kind != "retraction"
        and not line.text.endswith("?")
        and ":" not in line.text
        and "," not in line.text[:14]  # "Well, …" and the like open a turn of their own
    )


class Composer:
    """Writes one dialogue, session by session, and keeps the claims made in it."""

    def __init__(self, case: str, people: Cast, draw: Draw, zone: str | None) -> None:
        """`zone` is the city whose clock the times show, None for naive times."""
        self.case, self.cast, self.draw = case, people, draw
        self.voice = Voice(people, draw)
        self.claims: list[Claim] = []
        self.introductions: dict[str, str] = {}  # person id -> turn that says whose sister they are
        self._sequence = 0
        self._spoken: dict[Lane, list[tuple[float, date]]] = defaultdict(list)
        self._zone = timezone(timedelta(hours=CITIES[zone])) if zone else None

    def session(self, meeting: Meeting, mentions: list[Mention], turns: int) -> Session:
        """One session of about `turns` turns that says all of `mentions`."""
        scenes = self._joined([self._scene(m, meeting) for m in self._in_order(mentions)])
        length = sum(len(s) for s in scenes) + 4
        fillers = 0
        while length < turns or fillers < 2:
            filler = self._filler()
            scenes.insert(self.draw.between(0, len(scenes)), filler)
            length += len(filler)
            fillers += 1
        lines = [*self._greeting(), *(line for scene in scenes for line in scene), *self._goodbye()]
        return self._write(meeting, lines)

    def _joined(self, scenes: list[list[Line]]) -> list[list[Line]]:
        """Now and then two plain statements of one speaker become one turn with two claims."""
        out: list[list[Line]] = []
        for scene in scenes:
            first, last = scene[0], out[-1][0] if out else None
            if last and _plain(first) and _plain(last) and first.speaker == last.speaker and self.draw.chance(0.3):
                text = f"{last.text} {self.draw.pick(AND)} {first.text[0].lower() if first.text[0] != 'I' else 'I'}"
                both = Line(first.speaker, text + first.text[1:], last.said + first.said)
                out[-1] = [both, *scene[1:]]
            else:
                out.append(scene)
        return out

    def _in_order(self, mentions: list[Mention]) -> list[Mention]:
        """Random order, except that people stay together half of the time, as talk does."""
        mixed = self.draw.sample(mentions, len(mentions))
        if self.draw.chance(0.5):
            mixed.sort(key=lambda m: m.member.person.id)
        return mixed

    def _scene(self, mention: Mention, meeting: Meeting) -> list[Line]:
        when, start = self._times(mention, meeting)
        sources = tuple(
            m for m in self.cast.members
            if m.teller == mention.member.teller and m.person.relation and m is not mention.member
        )  # fmt: skip
        return Scene(self.voice, mention, when, start, sources).lines()

    def _times(self, mention: Mention, meeting: Meeting) -> tuple[When, When]:
        """The time of the event as said, and a time after "since" where that is how it is put."""
        if mention.kind in ("repeat", "retraction"):
            if mention.kind == "repeat":
                self._spoken[mention.lane].append((mention.rank, meeting.day))
            return NOTHING, NOTHING
        earlier = [d for rank, d in self._spoken[mention.lane] if rank < mention.rank]
        floor = max([d for d in (mention.floor, *earlier) if d is not None], default=None)
        said = meeting.day if meeting.timed else None
        when, start = NOTHING, NOTHING
        fresh = (meeting.day - mention.happened).days < 75
        if mention.kind == "late" or not meeting.timed:
            when = choose(self.draw, mention.happened, said, floor, must=True, loose=mention.kind == "late")
        elif mention.kind in ("update", "end") or fresh:
            when = choose(self.draw, mention.happened, said, floor)
        elif self.draw.chance(0.5):
            start = since(self.draw, mention.happened, floor)
        meant = when.interval or start.interval
        if meeting.timed or meant:
            self._spoken[mention.lane].append((mention.rank, meant.start if meant else meeting.day))
        return when, start

    def _say(self, speaker: int, template: str, slots: Slots, more: float = 0.0) -> Line:
        """A turn that claims nothing, with the chance of a further sentence."""
        advises = self.cast.kind == "assistant" and speaker == 1
        tail = maybe(self.draw, more, detail.TAILS if advises else detail.DETAILS)
        return Line(speaker, tidy(render(template, True, self.draw, slots) + tail))

    def _filler(self) -> list[Line]:
        draw = self.draw
        slots = ChatSlots(draw)
        if self.cast.kind == "assistant":
            if draw.chance(0.25):
                near = draw.pick(talk.NEAR)
                return [self._say(0, near, slots, 0.5), self._say(1, draw.pick(advice.NOTED), slots)]
            ask, answer = draw.pick(talk.ASKS)
            lines = [self._say(0, ask, slots), self._say(1, answer, slots, 0.5)]
            if draw.chance(0.5):
                lines += [
                    self._say(0, draw.pick(talk.ASK_MORE), slots, 0.5),
                    self._say(1, draw.pick(talk.ADVICE_MORE), slots, 0.5),
                ]
            return lines
        speaker = draw.between(0, 1)
        if draw.chance(0.5):
            return [
                self._say(speaker, draw.pick(talk.NEAR), slots, 0.5),
                self._say(1 - speaker, draw.pick(talk.NEAR_BACK), slots, 0.5),
            ]
        first, second = draw.pick(talk.SMALL)
        return [self._say(speaker, first, slots, 0.5), self._say(1 - speaker, second, slots, 0.5)]

    def _greeting(self) -> list[Line]:
        one, two = self.cast.speakers
        hello: tuple[tuple[str, ...], tuple[str, ...]]
        if self.cast.kind == "assistant":
            hello = (talk.OPEN_ASSISTANT, talk.ASSISTANT_HELLO)
        else:
            hello = (talk.GREET, talk.GREET_BACK)
        return [
            self._say(0, self.draw.pick(hello[0]), {"other": two}),
            self._say(1, self.draw.pick(hello[1]), {"other": one}),
        ]

    def _goodbye(self) -> list[Line]:
        one, two = self.cast.speakers
        back = talk.ASSISTANT_BYE if self.cast.kind == "assistant" else talk.BYE_BACK
        bye = talk.BYE[2:] if self.cast.kind == "assistant" else talk.BYE
        return [
            self._say(0, self.draw.pick(bye), {"other": two}),
            self._say(1, self.draw.pick(back), {"other": one}),
        ]

    def _write(self, meeting: Meeting, lines: list[Line]) -> Session:
        """Number the turns, give them times, and turn what was said into claims."""
        session_id = f"{self.case}/s{meeting.number + 1}"
        clock = datetime(meeting.day.year, meeting.day.month, meeting.day.day, self.draw.between(7, 21),
                         self.draw.between(0, 59), tzinfo=self._zone)  # fmt: skip
        started = clock if meeting.timed else None
        messages: list[Message] = []
        for number, line in enumerate(lines, start=1):
            self._sequence += 1
            clock += timedelta(seconds=self.draw.between(8, 45))
            untimed = not meeting.timed or (not line.said and self.draw.chance(0.01))
            role = "assistant" if self.cast.kind == "assistant" and line.speaker == 1 else "user"
            message = Message(
                f"{session_id}:{number}", session_id, self._sequence, "assistant" if role == "assistant" else "user",
                self.cast.speakers[line.speaker], line.text, None if untimed else clock, line.caption, line.query,
            )  # fmt: skip
            messages.append(message)
            if line.introduces:
                self.introductions.setdefault(line.introduces, message.id)
            for place, said in enumerate(line.said):
                support = tuple(messages[-1 - back].id for back in said.needs)
                self.claims.append(self._claim(said, message, place, support))
        return Session(session_id, started, tuple(messages))

    def _claim(self, said: Said, message: Message, place: int, support: tuple[str, ...]) -> Claim:
        mention, fact_time = said.mention, said.when.interval
        if fact_time and said.lasts and message.timestamp:
            fact_time = lasting(fact_time, message.timestamp.date())
        kind = mention.kind
        if said.source and kind in ("state", "update", "coexist"):
            kind = "hearsay"
        stamp = message.timestamp
        if fact_time is None and stamp is None:
            raise AssertionError(f"{message.id}: a claim needs a time as said or a time of saying")
        person: Member = mention.member
        return Claim(
            id=f"{self.case}/c{len(self.claims) + 1}", case_id=self.case, subject_id=person.person.id,
            subject_name=person.person.name, predicate=mention.relation.name, object=mention.object,
            functional=RELATIONS[mention.relation.name].functional, kind=kind, turn_id=message.id,
            position=(message.sequence, place), utterance_time=stamp, fact_time=fact_time,
            valid_from=fact_time.start if fact_time else stamp.date(),  # type: ignore[union-attr]  # checked above
            support=support, source=said.source,
        )  # fmt: skip
