"""Sentences that lengthen a turn without adding a fact about anybody in the cast: circumstance, "
"colour, anecdote.

They name dishes, cities and things as real talk does, so that a word alone does not give evidence away.
"""

from __future__ import annotations

TOPIC = (
    "[the price of|a shortage of|the history of|a song about|a quarrel over|the smell of|a book "
    "on|the return of] "
    "[onions|old trams|mushrooms|tax forms|bees|escalators|northern lights|pickled "
    "herring|roundabouts|crosswords|"
    "thunderstorms|umbrellas|comets|paper clips|salted butter|street "
    "pianos|pigeons|radiators|moss|door handles]"
)
DETAILS = (
    "[We celebrated with|I had|Somebody made] {dish} [afterwards|that evening|the day after], "
    "[which helped|and nobody "
    "complained|of all things].",
    "[The whole thing|It|Getting there] took {n} [weeks|months|evenings|phone calls] and [more "
    "patience|more money|more "
    "coffee|more paperwork] than [I'd planned|expected|anyone admits].",
    "[A neighbour|Someone at work|The woman at the counter|A man in the queue] [kept talking "
    "about|told me all about] {topic} "
    "[the whole time|while I waited|meanwhile].",
    "[I slept badly|I was nervous|I couldn't eat] [the night before|on the way there|all "
    "{weekday}], but [it went fine|nobody "
    "noticed|it passed|you learn to breathe].",
    "I [kept|lost|threw away] [the receipt|the leaflet|all my notes|the envelope], [just in "
    "case|don't ask me why|of course].",
    "[It reminds me of|It was nothing like|It felt like] [a trip to {city}|a film set in {city}|a "
    "postcard from {city}|"
    "a story I read about {city}].",
    "[{weekday} evening|{weekday} morning|Half of {weekday}] went by [on the phone|waiting in "
    "line|looking for a pen|"
    "explaining it to everybody].",
    "[People keep asking|Everyone asks] whether [I'm sure|it was worth it|I've thought it "
    "through], and [I just nod|I change "
    "the subject to {topic}|I say ask me on {weekday}].",
    "[I nearly bought|I almost ended up with|Somebody offered me] {a_thing} [on the way home|by "
    "mistake|as a joke], [but "
    "no|luckily not|which would have been something].",
    "[The coffee was terrible|It smelled of paint|There was music next door|The heating was off], "
    "[but who cares|as "
    "always|which I took for a good sign].",
    "[My list had {n} points on it|I made {n} lists], and [none of them|not one] mentioned {topic}.",
    "[They played|I kept humming] [an old song|something from a film|a jingle] [all day|until "
    "{weekday}], [I can't get it out "
    "of my head|it drove me mad].",
    "[In hindsight|Looking back|To be fair], [I should have asked sooner|it was overdue|the "
    "timing could be better|nobody "
    "forced me].",
    "[I read|Somebody posted] {n} [reviews|articles|long threads] about [it|that sort of thing] "
    "and [came out none the "
    "wiser|they all disagree|forgot half].",
)  # fmt: skip
ECHOES = (
    "[I once knew someone who|A colleague of a colleague|The baker on our street] did [something "
    "like that|the same] in {city}, "
    "and [it ended well|never looked back|gave up after {n} weeks].",
    "[It's like|That reminds me of] {topic}: [everyone has an opinion|nobody saw it coming|you "
    "either get it or you don't].",
    "[Let's talk about it properly|You owe me the long version|I want to hear the rest] over "
    "{dish} [on {weekday}|one of these "
    "days|soon].",
    "[I'd have needed|It would take me] {n} [weeks|months|attempts] [just to decide|to get over it|for that].",
    "[I was only half awake on {weekday}|My {weekday} was all about {topic}], so [this is the "
    "better news|tell me more].",
    "[Somebody on the radio|An article] [was saying something about that|had a piece on this] [on "
    "{weekday}|the other day], [I "
    "turned it off|I only caught the end|it made no sense].",
)
TAILS = (
    "[As a rule|In practice|For most people], [{n} small steps|a note on {weekday}|one fixed hour "
    "a week] [will do more than|will beat] "
    "[a big plan|good intentions|a sudden push].",
    "[For example|Say], [you could|one could] [set aside {weekday} evening|write down {n} "
    "points|ask {n} people], [then "
    "compare|and look at it again after {n} days|and drop what does not help].",
    "[A common mistake|What many get wrong] is [to start with the details|to wait for "
    "{weekday}|to do everything at once]; "
    "[begin with what is cheap to change|leave room for surprises|keep the receipts].",
    "[There is some research on this|Opinions differ here|I have no personal experience], [but "
    "the gist is|so the safe advice "
    "is] to [change one thing at a time|sleep on it|keep it simple|measure before and after].",
    "[Another angle|On a side note]: [people in {city}|some clubs in {city}|a few shops in "
    "{city}] [do it the other way "
    "round|offer courses|publish checklists], [which may be worth a look|if you like reading].",
)
