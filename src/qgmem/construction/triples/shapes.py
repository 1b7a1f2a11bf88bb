"""What an object may look like, and where it ends. What does not fit gives no triple."""

from __future__ import annotations

import re

from ..entities.lexicon import english
from .borrowed import HIDDEN

ANIMALS = (
    "dog|puppy|cat|kitten|rabbit|bunny|hamster|guinea pig|parrot|budgie|canary|bird|fish|goldfish|turtle|tortoise|"
    "lizard|gecko|snake|horse|pony|hen|chicken|duck|goat|sheep|pig|ferret|hedgehog|rat|mouse|gerbil|chinchilla|"
    "axolotl|greyhound|poodle|labrador|beagle|terrier|retriever|spaniel|collie|iguana|cockatiel|parakeet|donkey"
)
CUT = re.compile(
    r"\s*(?:[,;:!?()]|\.\s|\s[-–—]\s|\s(?:"
    r"but|so|because|since|which|who|whom|where|when|while|although|though|after|before|until|till|unless|if|"
    r"these days|nowadays|now|currently|right now|at the moment|at present|some time ago|a while ago|a while back|"
    r"not long ago|long ago|the other day|recently|lately|every|by now|so far|already|once a|twice a|"
    r"a lot|any ?more|again|too|as well|instead|to work|from the|to be honest|"
    r"for (?:\d+|two|three|four|five|six|seven|eight|nine|ten|several|\w+ (?:days|weeks|months|years)|the|"
    r"my|our|his|her|a|an|now|good|check|years|months|some)|"
    r"as (?:of|from|always|usual|a|an|the|my|his|her)|"
    r"with (?:no|my|his|her|a|an|the|some|friends|nothing|regret|relief|me|us|you|him|them|it|[A-Z]\w+)|"
    r"by the way|long ago|a long time ago|together with|alone|permanently|for good|on \d+|"
    r"on (?:my|the|a|weekends|weekdays)|in (?:my|his|her|order|the meantime|case|fact)|"
    r"by (?:trade|profession|training)|at (?:an?|home|last|least|first|once)|"
    r"and (?:I|we|he|she|they|it|you|that|this|then|now|the|my|his|her|our|there|am|is|are|was|has|have|had|do|did|"
    r"can|will|would|could|never|really|so|just|everything|nothing|not|also|love|like|hate|enjoy|\w+ed)"
    r")\b).*$",
    re.S,
)
VERB_CUT = re.compile(
    r"\s*(?:[,;:!?()]|\.\s|\s[-–—]\s|\s(?:but|so|because|if|although|though|one day|instead|and)\b).*$", re.S
)
TAIL = re.compile(
    r"[\s,;:]+(?:in|on|at|since|from|for|around|about|back|back in|as of|until|by|the|this|last|early|late|"
    r"mid|just|"
    r"only|it)?$"
)
POOR = re.compile(
    r"^(?:it|that|this|these|those|them|him|her|me|you|us|there|here|something|anything|everything|nothing|someone|"
    r"somebody|everyone|people|one|ones|what|how|why|when|who|where|to|being|having|not|no|all|so|too|very|"
    r"more|less|"
    r"the (?:idea|way|fact|sound|look|thought|same|one|thing)|your|their|our|its|such|each other|a lot|much)\b",
    re.I,
)
AILMENTS = re.compile(
    r"^(?:an? |the |some |bad |severe |chronic |mild |type \d )*(?:[\w-]+ )?(?:asthma|diabetes|migraines?|"
    r"hay fever|insomnia|an(?:a|)emia|cancer|flu|covid|pneumonia|hypertension|high blood pressure|"
    r"depression|anxiety|"
    r"adhd|autism|epilepsy|eczema|psoriasis|acne|sciatica|vertigo|tinnitus|gout|scoliosis|shingles|celiac disease|"
    r"coeliac disease|\w+itis|\w+osis|\w+algia|\w+(?:a|)emia|\w+ (?:syndrome|disorder|disease|deficiency))$",
    re.I,
)
JOBS = re.compile(
    r"\b(?:\w+(?:er|or|ist|ian|eur|smith|wright|man|woman|person|ician)|nurse|chef|cook|clerk|pilot|judge|vet|"
    r"architect|accountant|consultant|assistant|attendant|analyst|student|intern|apprentice|surgeon|dentist|"
    r"paramedic|mechanic|monk|priest|coach|guard|scientist|dispatcher|curator|optician|tutor|model|host|agent|"
    r"steward|secretary|sergeant|captain|lieutenant|president|CEO|CTO|CFO|PhD student|postdoc|designer)$",
    re.I,
)
NO_JOBS = frozenset(
    "member beginner lover owner brother sister mother father daughter number matter order user player believer "
    "sucker loser winner newcomer outsider mother-in-law partner better other another winter summer letter power "
    "supporter fighter survivor follower listener person human woman man customer neighbour neighbor stranger "
    "traveler traveller reader dreamer night-owl minor senior junior error mirror favor favour either river ever "
    "never over under water dinner paper super computer christian vegetarian monster adventurer disaster".split()
)
LANGUAGES = frozenset(
    "english french german spanish portuguese italian dutch swedish norwegian danish finnish icelandic "
    "polish czech "
    "slovak slovene slovenian croatian serbian bosnian macedonian bulgarian romanian hungarian greek "
    "turkish arabic "
    "hebrew persian farsi kurdish urdu hindi bengali punjabi tamil telugu kannada malayalam marathi "
    "gujarati nepali "
    "sinhala thai lao khmer vietnamese burmese malay indonesian tagalog filipino chinese mandarin "
    "cantonese japanese "
    "korean mongolian tibetan russian ukrainian belarusian lithuanian latvian estonian georgian armenian azeri "
    "kazakh uzbek swahili zulu xhosa afrikaans amharic somali hausa yoruba igbo irish welsh gaelic scottish basque "
    "catalan galician breton latin esperanto albanian maltese luxembourgish frisian yiddish quechua maori hawaiian "
    "samoan asl".split()
)
QUOTES = re.compile(r'["“”]')
LONGEST = 9  # words
EDGES = " \"'“”‘’.,;:"


# A name in capitals: "Newcastle upon Tyne", "Bank of America", "de Wit & Tanaka", "21 Baker Street".
NAMED = re.compile(
    r"^(?:(?:the|an?|some) )?(?:(?:de|van|von|der|den|la|le|el|al|d'|l') )*[A-ZÀ-ÖØ-ÞĀ-Ž0-9][^\s]*"
    r"(?:(?: (?:of|the|de|la|le|van|von|der|den|del|da|do|du|am|upon|and|&|y|et|al|el|bin|aan|an der))* "
    r"(?!(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b)[<«(]?[A-ZÀ-ÖØ-ÞĀ-Ž0-9&][^\s]*"
    r"|(?<=Center|Centre|titute|dation) for [A-Z][^\s]*)*"
)
PLACES_AND_FIRMS = frozenset(
    ("lives in", "moved to", "works at", "trains at", "studies at", "is together with", "is married to",
     "is friends with", "was born in", "comes from")
)  # fmt: skip
NO_PLACE = re.compile(
    r"^(?:the )?(?:(?:accounting|accounts|finance|marketing|sales|hr|human resources|legal|engineering|"
    r"operations|it|"
    r"r&d|logistics|(?:customer |tech |technical )?(?:support|service|success)|procurement|purchasing|"
    r"research|product|"
    r"design|management|compliance|payroll|quality(?: assurance)?|qa|devops|data science|analytics|"
    r"security|admin\w*|"
    r"production|development|editorial|communications|pr|public relations|audit|tax|risk|treasury|facilities|"
    r"maintenance|radiology|surgery|pediatrics|paediatrics|cardiology|oncology|nights|days|"
    r"linux|minecraft|roblox|fortnite|windows|mac|macos|ubuntu|debian|fedora|android|ios|iphone|chrome|"
    r"firefox|safari|edge|gmail|outlook|"
    r"slack|teams|zoom|discord|notion|obsidian|evernote|trello|jira|spotify|netflix|excel|word|sheets|vim|emacs|"
    r"neovim|vs ?code|python|rust|java|javascript|typescript|kotlin|swift|go|golang|scala|ruby|c\+\+|c#|react|vue|"
    r"svelte|angular|django|kubernetes|docker|aws|azure|gcp|postgres\w*|mysql|sqlite|mongodb|git|github|gitlab|"
    r"telegram|whatsapp|signal|mastodon|bluesky|twitter|facebook|instagram|tiktok|reddit|linkedin|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october|"
    r"november|december|(?:first|business|economy) class|heaven|hell)(?: \d+)?"
    r"|(?:plan|phase|level|room|chapter|step|stage|team|group|grade|platform|gate|table|seat|option|part|version|"
    r"line|floor|ward|desk|page|row|section) .+|.+ (?:team|department|dept|division|desk|group|shift|"
    r"committee|squad|"
    r"plan|programme|program|class)|.+'s|\d+%?|\d+[ -].+-?(?:time|percent|day|days|hours|week|weeks))$",
    re.I,
)
NO_FIRM = re.compile(
    r"^(?:facebook|instagram|twitter|tiktok|discord|reddit|mastodon|bluesky|linkedin|whatsapp|telegram|tinder|zoom|"
    r"slack|netflix|(?:mon|tues|wednes|thurs|fri|satur|sun)day)$",
    re.I,
)
STREET = re.compile(r"^\d+\w? [A-Z]")
NOWHERE = frozenset(
    "fear peace hope bed hell heaven town love sin tears denial harmony the a an my your our his her here there it "
    "this that another home work school college uni university night nights day days house flat apartment city "
    "country village place places new somewhere elsewhere nowhere abroad overseas downtown uptown north south east "
    "west tomorrow yesterday today second third first one two three limbo chaos poverty luxury comfort style sync "
    "theory pain shock silence darkness isolation space mars dreams reality memory ignorance secret bliss exile "
    "solitude squalor misery debt tents tent caves cave hotel hotels dorms dorm hiding bank shop pub bar "
    "cafe hospital "
    "office church factory library supermarket restaurant gym store minimum least most full part money fun "
    "free myself "
    "freelance food cash peanuts tips him them us me what which who plan phase level room step stage team "
    "group".split()
)


def objects(text: str, shape: str, predicate: str, lower: bool = False) -> list[str]:
    """The objects that stand at the start of `text`, one for most shapes; none if it is not what the shape asks.

    `lower`: the speaker uses no capitals, so that a place may begin small.
    """
    found = (VERB_CUT if shape == "verb" else CUT).sub("", f"{text} ").strip(EDGES)
    while (shorter := TAIL.sub("", found).strip(EDGES)) != found:
        found = shorter
    found = QUOTES.sub("", found).strip()
    if shape in ("job", "a job"):
        found = re.sub(r" (?:in|at|for|with|on|near) .*$", "", found)
    if shape == "proper" and predicate in PLACES_AND_FIRMS and (name := NAMED.match(found)) is not None:
        found = name.group()
    words = found.split()
    if not found or len(words) > LONGEST or POOR.match(found) or HIDDEN in found:
        return []
    if shape == "verb":
        return [found] if found[0].islower() else []
    if shape == "list":
        parts = [
            re.sub(r"^(?:both|some|a bit of|a little|only|fluent) ", "", p.strip())
            for p in re.split(r",| and | or ", found)
        ]
        parts = [p for p in parts if p and not POOR.match(p) and len(p.split()) <= 4]
        if predicate == "speaks":
            return [p for p in parts if p.split()[-1].lower() in LANGUAGES]
        return parts
    if lower and shape == "proper" and predicate in ("lives in", "moved to", "works at"):
        return [found] if _small_name(words) else []
    return [found] if _fits(found, words, shape) else []


def _small_name(words: list[str]) -> bool:
    """Written small, a name is one word or two that are not common ones."""
    lexicon = english()
    return (
        len(words) <= 2
        and all(
            re.fullmatch(r"[^\W\d][\w'-]{2,}", word) is not None
            and word not in NOWHERE
            and (word in lexicon["place"] or not any(word in section for section in lexicon.sections.values()))
            for word in words
        )
        and NO_PLACE.match(" ".join(words)) is None
    )


def fits_relation(found: str, predicate: str, words: str) -> bool:
    """False for what begins like a name and is no such thing: a department to move to, a network to join."""
    if predicate in ("lives in", "moved to"):
        return NO_PLACE.match(found) is None and (not found[0].isdigit() or STREET.match(found) is not None)
    if predicate == "works at" and "joined" in words:
        return NO_PLACE.match(found) is None and NO_FIRM.match(found) is None
    return True


def is_place(name: str) -> bool:
    """A place that everybody knows."""
    return value_words(name) in english()["place"]


def value_words(name: str) -> str:
    """The name as the word lists hold it."""
    return " ".join(name.split()).casefold()


def firm_of(office: str) -> str:
    """Where a post is held: "CTO at Acme" → "Acme"; empty for one "of" something."""
    match = re.match(r"^.+? at (?:the )?([A-Z].*)$", office)
    return match.group(1) if match else ""


def _fits(found: str, words: list[str], shape: str) -> bool:
    bare = re.sub(r"^(?:the|a|an|some)\s+", "", found, flags=re.I)
    if shape == "proper":
        return bool(bare) and (
            bare[0].isupper() or bare[0].isdigit() or bare.startswith(("de ", "van ", "von ", "la "))
        )
    if shape == "thing":
        return words[0].lower() in ("a", "an") and len(words) > 1
    if shape in ("job", "a job"):
        head = bare.split()[-1] if bare else ""
        known = JOBS.search(head) is not None and head.lower() not in NO_JOBS and len(bare.split()) <= 4
        worded = words[0].lower() in ("a", "an") or (shape == "job" and words[0][0].islower())
        return known and worded and not re.search(r"\b(?:to|of|with|than|like)\b", bare)
    if shape == "office":
        office = re.match(r"^([\w-]+(?: [\w-]+){0,2}) (?:at|of) (?:the )?[A-Z]", bare)
        return office is not None and JOBS.search(office.group(1)) is not None and not _no_job(office.group(1))
    if shape == "animal":
        return re.match(rf"^(?:a|an|the|another)\s+(?:[\w-]+ ){{0,2}}?(?:{ANIMALS})\b", found) is not None
    if shape == "pet":
        return re.match(rf"^(?:{ANIMALS}) (?:is (?:called|named) )?[A-Z]", found) is not None
    if shape == "project":
        return bare.lower().endswith(("project", "migration", "rollout", "redesign", "campaign"))
    if shape == "ailment":
        return AILMENTS.match(found) is not None
    if shape == "market":
        return words[0].lower() in ("a", "an")
    return True


def _no_job(title: str) -> bool:
    return title.split()[-1].lower() in NO_JOBS


def tidy_object(text: str, shape: str, predicate: str = "") -> str:
    """The object as the triple carries it: no leading article, and pets as "cat named Miso"."""
    if predicate == "is on diet":
        text = text.removesuffix(" diet")
    bare = re.sub(r"^(?:the|an?|some|another|my|his|her)\s+", "", text, flags=re.I)
    if shape == "pet":
        match = re.match(rf"^({ANIMALS}) (?:is (?:called|named) )?([A-Z][\w-]*)", bare)
        return f"{match.group(1)} named {match.group(2)}" if match else bare
    if shape == "office":
        match = re.match(r"^(.+? (?:at|of) )(?:the )?([A-Z].*)$", bare)
        name = NAMED.match(match.group(2)) if match else None
        return f"{match.group(1)}{name.group()}" if match and name else bare
    if shape == "animal":
        return re.sub(r" (?:called|whose name is) ", " named ", bare)
    return bare
