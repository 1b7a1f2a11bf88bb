"""What people in the simulated world eat, own, do and suffer from; parts that combine into many things."""

from __future__ import annotations

from .words_people import _words

JOBS = _words("""
electrician, bookbinder, paramedic, data analyst, pastry chef, tax adviser, physiotherapist, welder, translator,
geologist, set designer, primary teacher, dental hygienist, tram driver, product manager, beekeeper, sound engineer,
midwife, actuary, carpenter, radiographer, museum curator, warehouse planner, glassblower, public defender, chemist,
park ranger, optician, florist, technical writer, quantity surveyor, ship's cook, air traffic controller, archivist,
nurse, software tester, tailor, hydrologist, event planner, locksmith, speech therapist, brewer, cartographer,
payroll clerk, illustrator, veterinary assistant, crane operator, librarian, night auditor, piano tuner,
security engineer, train dispatcher, copy editor, landscape gardener, wind turbine technician, pharmacist,
restaurant manager, structural engineer, sommelier, lab technician, real estate agent, furniture restorer
""")
LEVELS = ("", "", "", "senior ", "junior ", "lead ", "deputy ", "freelance ", "head ")
DISH_STYLES = _words("""
smoked, spicy, lemon, garlic, slow-cooked, grilled, creamy, wild mushroom, black bean, ginger, saffron, coconut,
roasted pepper, walnut, miso, tamarind, chestnut, pumpkin, fennel, chickpea, beetroot, seaweed, honey, rosemary
""")
DISHES = _words("""
risotto, dumplings, ramen, stew, pancakes, lasagne, curry, tacos, gnocchi, pie, noodles, soup, flatbread, paella,
salad, omelette, casserole, pilaf, chowder, skewers, ravioli, tagine, burritos, porridge, schnitzel, pierogi
""")
PHONE_BRANDS = _words("Norvik, Pelago, Tessel, Arden, Kumo, Velo, Oriel, Zephyr, Lumo, Halcyon, Mistral, Corvid")
PHONE_MODELS = _words("K4, 12 Mini, One Plus S, Fold 3, A20, Air, Pro 7, X11, Lite 5, Note 9, E2, Ultra 6, C30, Neo")
CAR_BRANDS = _words("Tarra, Bellmont, Ostrava, Kanto, Silvane, Duro, Merlin, Vektor, Pampero, Aldine, Corsa Nova")
CAR_MODELS = _words("Solo, Estate, Coupe, Camper, Hybrid, City, Pickup, Electric, Cabrio, Seven")
COLOURS = _words("blue, silver, dark green, red, white, mustard, grey, black, orange, burgundy, turquoise, beige")
AILMENTS = _words("""
a slipped disc, tennis elbow, high blood pressure, migraine, a frozen shoulder, insomnia, a torn ligament,
tinnitus, iron deficiency, sciatica, plantar fasciitis, a sprained wrist, vertigo, acid reflux, a stress fracture,
hay fever, carpal tunnel syndrome, bronchitis, low vitamin D, a dislocated kneecap, shingles, eczema, anaemia,
an underactive thyroid, a stiff neck, a broken toe, a sinus infection, jaw pain, runner's knee, gout
""")
GYM_WORDS = _words("Granite, Pulse, Apex, Riverside, Old Mill, Kettle, Summit, Anchor, Forge, Harbour, Cobalt, Tempo")
GYM_KINDS = _words("Gym, Fitness, Climbing Hall, Boxing Club, Yoga Loft, Pool, Rowing Club, CrossFit, Pilates Studio")
COMMUTES = _words("""
bicycle, tram, night bus, ferry, electric scooter, regional train, carpool, metro, cargo bike, moped, shuttle bus,
cable car, folding bike, commuter bus, motorbike
""")
DIETS = _words("""
vegetarian, vegan, low-carb, gluten-free, Mediterranean, dairy-free, low-sodium, pescatarian, sugar-free, keto,
intermittent fasting, high-protein, low-FODMAP, raw food, macrobiotic
""")
TITLE_A = _words("""
The Salt, The Quiet, A Borrowed, The Seventh, The Glass, An Unlit, The Copper, The Last, A Narrow, The Paper,
The Winter, The Hollow, A Second, The Amber, The Drowned, The Tin, A Slow, The Outer, The Painted, The Cold
""")
TITLE_B = _words("""
Garden, Lighthouse, Orchard, Cartographer, Harbour, Staircase, Inheritance, Meridian, Apprentice, Ferry, Archive,
Summer, Parliament, Observatory, Causeway, Choir, Almanac, Tide, Cathedral, Beekeeper, Crossing, Ledger
""")
HOBBIES = _words("""
pottery, bouldering, sea swimming, birdwatching, chess, woodcarving, salsa dancing, film photography,
sourdough baking, fencing, astronomy, stand-up comedy, knitting, kite surfing, calligraphy,
orienteering, choir singing, archery,
foraging, model railways, badminton, improv theatre, trail running, watercolour painting, beekeeping, tap dancing,
cross-country skiing, origami, genealogy, crossword setting, home brewing, judo, gardening, table tennis, weaving,
kayaking, magic tricks, bread carving, juggling, metal detecting, leatherwork, canyoning, screen printing, rugby,
lindy hop, geocaching, drone racing, ceramics painting, cheese making, bookbinding, squash, puppetry, skateboarding,
meteorology, mosaic making, roller derby, whittling, letterpress, ice hockey, ballroom dancing, fly fishing, parkour
""")
SPECIES = _words("""
cat, tortoise, greyhound, parrot, hamster, beagle, rabbit, ferret, gecko, cockatiel, goat, terrier, guinea pig,
corn snake, budgie, sheepdog, hedgehog, pony, chinchilla, poodle, canary, dachshund, axolotl, hen
""")
PET_NAMES = _words("""
Miso, Biscuit, Pickle, Captain, Juno, Waffles, Tofu, Bramble, Ziggy, Nutmeg, Olive, Pepper, Comet, Marble, Hazel,
Fig, Rolo, Sprout, Gizmo, Truffle, Clover, Dumpling, Saffron, Moss, Peanut, Socks, Button, Mango, Turnip, Inkspot
""")
LANGUAGES = _words("""
Portuguese, Norwegian, Finnish, Estonian, Polish, Czech, Slovene, Turkish, Georgian, Armenian, Hebrew, Arabic,
Swahili, Yoruba, Zulu, Hindi, Malayalam, Sinhala, Nepali, Thai, Vietnamese, Tagalog, Korean, Japanese, Mandarin,
Maori, Hawaiian, Quechua, Irish, Welsh, Scots Gaelic, Dutch, German, Catalan, Basque, Italian, Maltese, Icelandic,
Greek, Romanian, Hungarian, Latin, Esperanto, sign language, Danish, Swedish, Ukrainian, Persian, Bengali
""")
ALLERGENS = _words("""
peanuts, shellfish, penicillin, cat hair, birch pollen, latex, sesame, kiwi fruit, wasp stings, soy, mustard,
nickel, lupin, egg white, ibuprofen, dust mites, celery, strawberries, cashews, ragweed, wool, mould, buckwheat,
horse hair, sulphites, mango, hazelnuts, aspirin
""")
PLAN_VERBS = _words("""
walk the coast path from {city}, take a pottery course in {city}, run the {city} half marathon, learn to sail near
{city}, spend a month in {city}, take the night train to {city}, see the light festival in {city}, visit the old
botanical garden in {city}, volunteer at a shelter in {city}, cycle from {city} to {city2}, rent a cabin outside
{city}, study for a diploma in {city}, hold a family reunion in {city}, buy a small flat in {city}, photograph the
markets of {city}, open a stall at the {city} winter market, climb the hills behind {city}, give a talk in {city}
""")
THING_QUALITIES = _words("""
second-hand, vintage, walnut, foldable, handmade, Danish, rusty, bright yellow, waterproof, antique, bamboo,
cast-iron, solar-powered, oversized, refurbished, enamel, velvet, mid-century, pocket-sized, embroidered
""")
THINGS = _words("""
sewing machine, record player, telescope, cello, kayak, typewriter, espresso machine, film camera, accordion,
rocking chair, tent, chess set, loom, binoculars case, standing desk, weather station, food dehydrator, banjo,
surfboard, bread oven, drawing tablet, wall clock, wardrobe, synthesiser, mandolin, rain jacket, backpack, globe,
bookcase, lawnmower, paddleboard, sleeping bag, pressure cooker, saxophone, desk lamp, sofa bed
""")
PAPERS = _words("""
The Ferrier Review, Slow Kitchen, Deep Field, Parallel Lines, The Harbour Post, Signal & Noise, Little Atlas,
Backroad, The Weekly Loom, Open Water, Tinder Box, The Long Table, Grain, Night Desk, Cloud Atlas Weekly, Marrow,
The Cyclist's Companion, Quiet Code, Plumb Line, Field Notes Radio, Orbit Daily, The Sunday Chemist
""")
DOCTOR_KINDS = _words("dentist, physiotherapist, GP, eye doctor, dermatologist, therapist, osteopath, cardiologist")
PROJECT_A = _words("Heron, Atlas, Marigold, Granite, Lantern, Otter, Zenith, Cobalt, Willow, Mercury, Bison, Petrel")
PROJECT_B = _words("""
migration, rebrand, audit, rollout, prototype, survey, refit, exhibition, merger, pilot study, relocation, tender
""")
