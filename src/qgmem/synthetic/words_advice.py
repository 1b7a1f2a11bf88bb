"""What a user asks after telling something, and what an assistant says to it. Advice, never facts about the user."""

from __future__ import annotations

from .words_people import _words

# Relation -> what the user asks right after saying it, and replies that fit.
REQUESTS: dict[str, tuple[str, ...]] = {
    "home": (
        "[Which papers|What] should I [sort out first|not forget]?",
        "How do I meet people in a new place?",
    ),
    "employer": (
        "How do I make a good first impression there?",
        "[What should I ask|Any tips] in the first weeks?",
    ),
    "role": ("[What should I read up on|Which skills matter most]?", "How do I explain that to my parents?"),
    "commute": (
        "How can I make [the ride|the trip] less boring?",
        "Is that [healthier|cheaper] in the long run?",
    ),
    "project": (
        "How do I keep [the meetings short|everybody informed]?",
        "Can you outline a plan for the first month?",
    ),
    "favourite_food": ("What [wine|drink|side dish] goes with that?", "Is that hard to cook for ten people?"),
    "diet": ("What should I watch out for?", "Can you give me a menu for three days?"),
    "health": ("What helps with that?", "Which questions should one ask a doctor?"),
    "gym": ("How often should one train at first?", "Can you draft a simple routine?"),
    "doctor": ("What should one bring to a first appointment?",),
    "phone": ("How do I move my photos over?", "Which settings should I change first?"),
    "car": ("What should be checked before winter?", "How do I compare insurance offers?"),
    "reading": ("What should I look out for in it?", "How does one read more in little time?"),
    "partner": ("Any idea for a small gift?", "What could two people do on a rainy Sunday?"),
    "hobby": ("What equipment does one need?", "How long until one gets good at that?"),
    "pet": ("What does a vet check need to cover?", "How do I keep it busy indoors?"),
    "language": ("What's a good daily routine for that?", "How do I stop forgetting words?"),
    "allergy": ("What should I tell restaurants?", "Which labels should I read with care?"),
    "friend": ("How do people keep a friendship going when busy?",),
    "plan": ("What would that cost, roughly?", "How would you break that into steps?"),
    "possession": ("How do I take care of it?", "Where would you put it in a small flat?"),
    "subscription": ("How do I find the time to read it all?",),
}
REPLIES: dict[str, tuple[str, ...]] = {
    "home": ("[Registration, insurance and the bank|Your address at the post office and the tax "
             "office] come first; [the rest can "
             "wait a month|a folder with copies helps]. [Neighbours are easiest to meet in the first "
             "week.|]",),
    "employer": ("[Listen more than you talk|Write down names|Ask what a good first month looks like], and "
                 "[keep a list of questions|have lunch with different people]. [Nobody expects "
                 "results in week one.|]",),
    "role": ("[Start from what you already know|Find someone who did the same five years ago]; [an "
             "hour a day adds up|"
             "short courses are often enough]. [Say it in one sentence and give an example.|]",),
    "commute": ("[An audiobook or a language course|A small routine] helps. [Leaving ten minutes "
                "earlier changes more than it "
                "should.|Over a year the savings are real.]",),
    "project": ("[Agree on one page of goals|Put decisions in writing], [hold a short weekly "
                "review|name one owner per task], "
                "and [keep a list of risks|say early what will be late].",),
    "favourite_food": ("[Something fresh and sour|A crisp white|Plain bread] [goes well|balances "
                       "it]. [For a crowd, do most of "
                       "it the day before.|Taste as you go.]",),
    "diet": ("[Watch iron and protein|Drink enough|Keep an eye on vitamin B12], and [cook in larger "
             "batches|plan two days ahead]. "
             "[Ask a doctor if you feel weak.|]",),
    "health": ("[I'm not a doctor|This is general advice], but [rest, water and patience|gentle "
               "movement and regular sleep] help "
               "in many cases. [See a doctor if it gets worse.|Note when it is better and when it is "
               "worse.]",),
    "gym": ("[Twice a week|Three short sessions] with [a day off in between|a good warm-up] is "
            "plenty. [Add weight slowly.|Stop "
            "when it hurts.]",),
    "doctor": ("[A list of medicines|Old reports|Your insurance card] and [the two questions that "
               "matter most|dates of past "
               "treatments].",),
    "phone": ("[Back everything up first|Use the transfer tool over a cable], then [turn off most "
              "notifications|check what each app "
              "may see]. [Keep the old one for a week.|]",),
    "car": ("[Tyres, battery, brakes and lights|Oil and the first-aid kit]. [For insurance, compare "
            "the excess and not only the "
            "price.|Mileage matters more than colour.]",),
    "reading": ("[Notice who tells the story|Look at what is left out]. [Ten pages before sleep is a "
                "fair start.|Put it where the "
                "phone used to be.]",),
    "partner": ("[A walk and a good lunch|Something they mentioned once|Tickets for a small concert] "
                "[beats anything "
                "expensive|usually works]. [Time is the better present.|]",),
    "hobby": ("[Borrow before you buy|Basic gear will do|Second-hand is fine]. [Most people feel "
              "progress after a few months.|"
              "A group keeps you going.]",),
    "pet": ("[Vaccinations, teeth, weight|Parasites and diet], and [a microchip|a second look after "
            "six months]. [New smells and "
            "hiding food keep animals busy.|]",),
    "language": ("[Fifteen minutes daily|One song a day|Cards in the morning and talk at night] "
                 "[beats a long Sunday|is "
                 "enough]. [Make mistakes out loud.|]",),
    "allergy": ("[Say it when you book and again when you order|Carry a card that says so]. [Read "
                "labels even on things you "
                "know.|Recipes change.]",),
    "friend": ("[A fixed evening once a month|Short messages without a reason] [works for many|keep "
               "things warm].",),
    "plan": ("[Travel, a place to sleep and a reserve|Break it into dates, money and people]. [Fix "
             "the date first.|Book what "
             "can be cancelled.|A third of the budget goes to things nobody thinks of.]",),
    "possession": ("[Keep it dry|Dust it once a month|Oil the moving parts], and [away from the "
                   "radiator|out of the sun]. [A corner "
                   "by the window would do.|]",),
    "subscription": ("[Read the first page and the last|Pick one piece a day] and [pass the rest "
                     "on|let the rest go].",),
}  # fmt: skip
NOTED = (
    "[Thanks for letting me know|Noted|Understood|Got it|Okay, that's good to know].",
    "[Thanks for letting me know|Noted|Understood|Got it]. [Is there anything you'd like to do about "
    "it?|How can I help with "
    "that?|Shall we plan around it?|What's the next step for you?]",
    "[I see|That's useful context|Good to hear|Thank you for sharing that]. [A short list might "
    "help: what matters, what can "
    "wait, what to drop.|If you like, I can draft a plan.|Tell me more if you want to think it "
    "through.|I'm happy to look at the "
    "pros and cons.]",
    "[Right|All right], [let's keep that in mind for what follows|that changes the picture a "
    "little|I'll take it into account].",
)
ASKED_BY_USER = ("[So my question|Now]: ", "", "", "[Quick question]: ", "[And here's the thing]: ")
ENDINGS = _words("""
That's it, That was the news, It's a bit much at the moment, I still can't believe it, My mother is thrilled,
Nobody saw it coming, About time too, It took long enough, I slept on it twice, Don't tell anyone yet,
I'm quite pleased, It feels strange to say it, The paperwork was endless, It's going well so far,
Everyone has an opinion about it, It rained all day of course, I thought you'd want to know
""")
