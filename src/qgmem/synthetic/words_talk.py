"""Small talk, near misses and assistant chatter: turns that state no fact about anybody in the cast.

Near misses share the words of a relation ("rents in Oslo have doubled") without stating it of anyone.
"""

from __future__ import annotations

GREET = (
    "[Hi|Hey|Hello] {other}! [How are you doing?|How's it going?|How was your week?|Good to hear from you.]",
    "[Hey|Hi] {other}, [long time no see|it's been a while|glad you're around]! [What's new?|How have you been?|]",
    "[Hi there|Hello there|Oh, hi], {other}. [How's everything?|Everything all right?|What have you been up to?]",
)
GREET_BACK = (
    "[Hey|Hi|Hello] {other}! [Not bad, thanks|Pretty good|Busy, but fine|Can't complain|A bit tired, "
    "honestly]. "
    "[And you?|What about you?|Yourself?|]",
    "{other}! [Doing well, thanks|All good here|Surviving]. [Lots to tell.|The usual chaos.|Nice to hear from you.]",
)
OPEN_ASSISTANT = (
    "[Hi|Hello|Hey][ again|, me again||]. [I have a few things today.|Can you help me think "
    "something through?|"
    "I need some help.|Quick one before work.]",
    "[Hi|Hello|Hello there]! [Back for more advice.|Got a minute?|Let's continue where we left off.]",
)
ASSISTANT_HELLO = (
    "[Hello|Hi|Welcome back], {other}! [What can I do for you?|How can I help today?|What's on your mind?]",
    "[Of course|Sure|Happy to help], {other}. [What do you need?|Where should we start?|Go ahead.]",
)
BYE = (
    "[Anyway|Right|Okay], [I have to run|I should go|I need to head out]. [Talk soon!|Take care!|Speak next week?]",
    "[Got to go, the bus is here|My break is over|Dinner's burning], [bye|catch you later|talk soon], {other}!",
    "[That's all for now|Thanks, that's it], [bye|see you|have a good one]!",
)
BYE_BACK = (
    "[Take care|See you|Bye], {other}[!| - say hi to everyone.|, and good luck!]",
    "[You too|Likewise]! [Talk soon.|Keep me posted.|Let me know how it goes.]",
)
ASSISTANT_BYE = (
    "[You're welcome|Any time|Glad I could help], {other}. [Have a good day!|Come back whenever you "
    "like.|Good luck!]",
)
REACT = (
    "@wow[!|, really?|, that's something.] [How do you feel about it?|Tell me more.|What made that happen?|]",
    "[Good to know.|I had no idea.|That makes sense.|Fair enough.|Interesting.] [And otherwise?|How's that going?|]",
    "[Ha, of course.|I'm not surprised.|I love that.|That's a lot to take in.] [Are you happy with it?|]",
    "[Hm|Right|Okay|I see], [that explains a few things|thanks for telling me|I'll remember that|got it].",
)
FOLLOW = (
    "[So far so good|It has its moments|Ask me again in a month|Honestly, it's fine]. [We'll see.|Early days.|]",
    "[It took some getting used to|I'm still figuring it out|Better than expected|No complaints], "
    "[actually|to be honest|so far].",
    "[Long story|Don't get me started|I'll tell you over coffee]. [Another time.|]",
)
SMALL = (
    ("[The rain|This heat|The wind|The fog] [hasn't stopped|is unbelievable|kept me up] [all "
     "week|since Sunday|lately].",
     "[Same here|Tell me about it], [everything is soaked|I barely slept|the forecast looks no better]."),
    ("Did you [see|catch|watch] [the match|the eclipse|that cooking show|the final|the debate] [last "
     "night|on Saturday]?",
     "[Only the end|I fell asleep halfway|No, was it any good?|Yes! I couldn't look away]."),
    ("[My train was late again|Traffic was awful|The lift broke down|The printer ate my report] "
     "[this morning|today], "
     "[of course|as always|surprise].", "[Classic|Not again|Ugh]. [Mondays.|Did you at least get a seat?|]"),
    ("I had [a dream about|the strangest dream about] [a talking heron|missing an exam|an endless "
     "staircase|a flooded kitchen].",
     "[You should write that down|Too much cheese before bed|Sounds like stress], [I think|maybe|honestly]."),
    ("[I made|Tried making] {dish} [last night|on Sunday] and [burnt it|it was a disaster|it came out fine].",
     "[Next time less heat|Practice makes perfect|At least you tried]. [I'd have ordered in.|Send me "
     "the recipe.]"),
    ("[Someone at the market|A man on the bus|The cashier] [told me all about|wouldn't stop talking "
     "about] {topic}.",
     "[People are funny|You attract them|That's the best part of your day], [right|isn't it]?"),
    ("[I can't decide|Help me decide] whether to [repaint the hallway|cut my hair|get rid of the old "
     "sofa|buy a plant].",
     "[Do it|Sleep on it|Flip a coin|Why not], [what's the worst that can happen?|you'll regret it "
     "otherwise.]"),
    ("[Things may change|Something might happen|There could be news] [soon|before long|at some point], but "
     "[nothing is settled|I can't say more|who knows].", "[Mysterious!|I'll wait.|You can't leave it there.]"),
    ("[I've been feeling a bit off lately|I don't know where the time goes|I should really get more sleep].",
     "[Same|We all should|Be kind to yourself]. [A walk helps me.|One thing at a time.|]"),
)  # fmt: skip
NEAR = (
    "[I read that|Apparently|The paper says] rents in {city} have [doubled|gone through the "
    "roof|dropped] since {year}.",
    "[I watched|There was] a documentary about {city} [last night|on Sunday]; [the harbour|the old "
    "town] looked lovely.",
    "[They say|I heard on the radio that] {firm} is [hiring|laying people off|being sold|moving its "
    "head office to {city}].",
    "[Would you ever want to be|Imagine being] {a_job}? [I couldn't do it.|All those hours.|My hat's off to them.]",
    "[The new|That] {phone} [looks overpriced|is everywhere in the ads|got terrible reviews], [doesn't it|they say].",
    "[A stranger|Some tourist|The vet on TV] [had|was talking about] {a_pet} [on the tram|in the "
    "park|last week], [so odd|so sweet].",
    "[I saw an ad|There's a poster] for [classes in|a club for] {hobby} [at the library|downtown|by the station].",
    "[An article|A podcast] claimed that {dish} [was invented in|is banned in|comes from] {city}. [I "
    "doubt it.|Who knew?]",
    "[Someone is selling|I saw] {a_thing} [online|at the flea market|in a shop window] [for next to "
    "nothing|for a fortune].",
    "[Half of the office|Everyone on TV|The whole internet] seems to [be on some {diet} thing|talk about {ailment}].",
    "[I thought about|I once dreamed of|I keep joking about] [moving to|retiring to] {city}, [but "
    "no|never seriously].",
)
NEAR_BACK = (
    "[Really?|Hm.|Ha.|Is that so?] [I wouldn't know.|Doesn't surprise me.|I missed that.|You read too much news.]",
    "[I saw something like that too|People say all sorts of things|Wouldn't be the first time].",
)
# Requests to an assistant and its advice: proposals, never facts about the user.
ASKS = (
    ("[Can you|Could you] [suggest|recommend] [something|an idea] for dinner [tonight|this weekend]?",
     "[Sure|Certainly]! [Here are some ideas|A few options]: 1. {dish} with a green salad; 2. "
     "{dish2}, which keeps "
     "well; 3. {dish3} if you have [an hour|more time]. [Start with the first|The second is the "
     "quickest] and "
     "[season to taste|adjust the salt at the end]. [Would you like a full recipe?|Shall I write a "
     "shopping list?]"),
    ("[Where should one go|What's a good place] for a long weekend in [spring|autumn|November|May]?",
     "[It depends on the budget|Happy to help]. {city} is [quiet and walkable|good for museums]; {city2} has "
     "[better weather|great food]; and {city3} is [cheaper off season|worth it for the coast]. [I would book "
     "trains early|Check visa rules first]. [Shall I draft an itinerary?|Which one appeals to you?]"),
    ("How do I [remove a coffee stain|fix a dripping tap|descale a kettle|sharpen kitchen "
     "knives|unblock a drain]?",
     "[Here is one way|Try this]: first [rinse with cold water|turn off the supply|gather your "
     "tools], then [apply a "
     "little vinegar|loosen the fitting slowly|work in small circles], wait [ten|fifteen|thirty] "
     "minutes, and "
     "[wipe it dry|test it|repeat if needed]. [Always read the label first.|Be careful with your fingers.]"),
    ("[Explain|Can you explain] [compound interest|how vaccines work|what a Bayesian prior "
     "is|feedback|recursion] "
     "[simply|in two sentences|like I'm ten]?",
     "[In short|Roughly]: [small effects add up when each step builds on the one before|a system "
     "learns from an "
     "early, harmless example|you start from a guess and let evidence move it]. [Think of it "
     "as|Picture] [a snowball|"
     "a rehearsal|a dial that you turn]. [Shall I go deeper?|Want a worked example?]"),
    ("[What hobby could|Which new hobby should] [one|somebody] [pick up|try] [in winter|to "
     "relax|after work]?",
     "[Many people enjoy|You might like] {hobby}, {hobby2} or {hobby3}. [The first|The last] needs [little "
     "equipment|only an hour a week]. [Local clubs often give free trials.|I'd start small and see "
     "what sticks.]"),
    ("[Draft|Write] [a polite reply|a short email|a message] to [a landlord|a supplier|a teacher] "
     "about [a delay|a refund|noise].",
     "[Here's a draft|Of course]: \"[Dear Sir or Madam|Hello], [I am writing about the matter we "
     "discussed|thank you "
     "for your message]. [Could we find a date that suits both sides?|I would be grateful for a "
     "reply by Friday.] "
     "[Kind regards|Many thanks]\". [Do you want it more formal?|I can shorten it.]"),
    ("[How would I implement|What's the trick behind] [a linked list reversal|binary search|rate "
     "limiting|an LRU cache]?",
     "[The idea|The key step] is to keep [two pointers|a sorted range|a token bucket|a map plus a "
     "list] and update "
     "[them|it] [in one pass|on every call|in constant time]. [I can show code in Python.|Watch the "
     "edge cases, like "
     "empty input.] [Does that help?|Which language do you use?]"),
    ("[Which phone|What kind of car|Which gadget] is [good value|reliable] [this year|right now]?",
     "[Reviewers like|Often named are] the {phone}, the {phone2} and, for cars, the {car}. [If "
     "battery life matters|If "
     "price matters], [take the first|wait for the sales]. [I don't know your budget, so treat this "
     "as a starting "
     "point.|Would you like a comparison?]"),
)  # fmt: skip
ASK_MORE = (
    "[Thanks|Great|Okay], [that helps|I'll try that|makes sense]. [Anything else I should know?|What would you do?]",
    "[Hm, what if that doesn't work|And is there a cheaper way|And how long would it take]?",
)
ADVICE_MORE = (
    "[Start small|Give it a week|Keep notes], [and see what changes|then decide|and adjust as you go]. "
    "[Most people overthink this part.|It usually pays off.|If in doubt, ask a professional.]",
    "[Then|In that case] [go step by step|I'd look for a second opinion|set aside an afternoon]. "
    "[There is no rush.|You can always stop.]",
)
