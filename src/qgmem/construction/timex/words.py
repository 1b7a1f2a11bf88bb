"""The English words the time rules know. Data only."""

from __future__ import annotations

from .dates import Season


def word_set(words: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(words.split())


def _numbered(names: str, start: int) -> dict[str, int]:
    """Each name with its place, counted from `start`; names of one place are joined by `/`."""
    return {name: n for n, group in enumerate(names.split(), start) for name in group.split("/")}


MONTHS = _numbered(
    "january/jan february/feb march/mar april/apr may june/jun july/jul august/aug september/sep/sept october/oct "
    "november/nov december/dec",
    1,
)
SHORT_MONTHS = word_set("jan feb mar apr jun jul aug sep sept oct nov dec")
# Neither a given name nor a verb nor an adjective: a month even when it stands alone, if capitalised.
CLEAR_MONTHS = word_set("january february july september october november december")
WORDY_MONTHS = frozenset(("may", "march", "august"))  # ordinary words when in lower case
WEEKDAYS = _numbered(
    "monday/mon tuesday/tue/tues wednesday/wed thursday/thu/thur/thurs friday/fri saturday/sat sunday/sun", 0
)
SHORT_WEEKDAYS = word_set("mon tue tues wed thu thur thurs fri sat sun")
PLURAL_WEEKDAYS: dict[str, int] = {name + "s": n for name, n in WEEKDAYS.items() if name not in SHORT_WEEKDAYS}
SEASONS: dict[str, Season] = {
    "spring": "spring", "summer": "summer", "fall": "autumn", "autumn": "autumn", "winter": "winter",
}  # fmt: skip
NEAR_DAYS = {"yesterday": -1, "today": 0, "tonight": 0, "tomorrow": 1, "tmrw": 1}
DAYPARTS = word_set("morning afternoon evening night noon lunchtime midday")
# unit → (base unit, how many)
UNITS: dict[str, tuple[str, int]] = {
    "day": ("day", 1), "days": ("day", 1), "night": ("day", 1), "nights": ("day", 1),
    "week": ("week", 1), "weeks": ("week", 1), "wk": ("week", 1), "wks": ("week", 1),
    "fortnight": ("week", 2), "fortnights": ("week", 2),
    "month": ("month", 1), "months": ("month", 1),
    "year": ("year", 1), "years": ("year", 1), "yr": ("year", 1), "yrs": ("year", 1),
    "decade": ("year", 10), "decades": ("year", 10), "century": ("year", 100), "centuries": ("year", 100),
    "hour": ("minute", 60), "hours": ("minute", 60), "hr": ("minute", 60), "hrs": ("minute", 60),
    "minute": ("minute", 1), "minutes": ("minute", 1), "min": ("minute", 1), "mins": ("minute", 1),
}  # fmt: skip
NUMBERS = _numbered(
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen",
    1,
)
TENS = {word: 10 * n for word, n in _numbered("twenty thirty forty fifty sixty seventy eighty ninety", 2).items()}
ORDINALS = _numbered(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth",
    1,
) | {"thirtieth": 30}
DECADES = {
    word: 10 * n
    for word, n in _numbered("twenties thirties forties fifties sixties seventies eighties nineties", 2).items()
}

# Words that may follow a time without turning it into the modifier of a noun ("in March we", not "May queen").
FUNCTION_WORDS = word_set(
    "a about after again ago all alone also already although am an and are around as at back be because been before "
    "but by can could did do does during each either ever except for from had has have he her here his how i if in "
    "into is it its just last like maybe me my near neither never next no nor not now of off on once only onto or "
    "our out over please she should since so some soon still than that the their them then there these they this "
    "those though through till to together too until up was we were what when where which while who why will with "
    "without would yes yet you your i'm i've i'll i'd it's we're we've we'll they're you're you'll that's let's "
    "didn't don't won't can't wasn't isn't haven't hasn't"
)
# A number before one of these counts things; it is no day of a month and no year.
COUNTED = word_set(
    "people persons percent km kms kilometers kilometres miles mile meters metres m kg kilos pounds lbs dollars "
    "bucks euros hours hour minutes minute mins seconds days weeks months years times units words steps reps laps "
    "am pm o'clock inches feet ft degrees points calories grams liters litres cups pages items"
)
# "a Monday", "every Monday", "Black Friday": no single day that we could name.
NOT_ONE_WEEKDAY = word_set(
    "a an the each every any some most many my our your his her their usual typical average black good cyber ash "
    "palm easter super boxing holy that following previous preceding same"
)
# Before a month, season or feast: repeated, indefinite, or told from another time.
INDEFINITE = word_set("a an each every any some most many that following previous preceding same")

GREETINGS = word_set("happy merry jolly")
BEFORE_MONTH = word_set(
    "in during since until till by before after around throughout through early mid late between from last this next"
)
BEFORE_FEAST = word_set(
    "on at for in during since until till by before after around over last this next between from past"
)
BEFORE_YEAR = word_set("in since until till by before after during around circa mid early late between year")
BEFORE_SHORT_WEEKDAY = word_set("on last this next by until till since coming from between")

# A text without any of these words, and without figures that may be a date, holds no time.
TRIGGERS = (
    frozenset(MONTHS) | frozenset(WEEKDAYS) | frozenset(SEASONS) | frozenset(NEAR_DAYS) | frozenset(UNITS)
    | frozenset(DECADES) | frozenset(PLURAL_WEEKDAYS)
    | word_set(
    "weekend weekends quarter morning afternoon evening christmas xmas halloween valentine valentines easter "
    "patrick juneteenth fools boxing summers winters springs falls autumns midsummer"
)
)  # fmt: skip
