"""Names and places of the simulated world. Plain word lists, ours; combined they give tens of thousands."""

from __future__ import annotations


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.replace("\n", " ").split(",") if word.strip())


WOMEN = _words("""
Ana, Lena, Ingrid, Noor, Yuki, Priya, Marta, Chiara, Salma, Freya, Odile, Zsofia, Mirela, Tamsin, Bronwyn, Ewa,
Katya, Leticia, Ximena, Paloma, Anneke, Sunniva, Rosalind, Hedda, Marisol, Aylin, Defne, Shirin, Parisa, Mei,
Xiulan, Haruka, Sakura, Minji, Soyeon, Thandi, Zola, Adaeze, Ngozi, Abena, Efua, Wanjiru, Imani, Leilani, Moana,
Siobhan, Aoife, Niamh, Catrin, Morag, Elspeth, Isolde, Philippa, Beatrix, Cordelia, Ottilie, Friederike, Annika,
Signe, Tuuli, Aino, Liisa, Daina, Rasa, Jadwiga, Bozena, Ludmila, Vesna, Jelena, Danica, Eleni, Despina, Ioana,
Raluca, Teodora, Nevena, Carlotta, Ginevra, Delphine, Solene, Maelle, Ines, Beatriz, Catarina, Graciela, Rocio
""")
MEN = _words("""
Piet, Tomas, Bo, Emeka, Hiroshi, Arjun, Luca, Farid, Callum, Benoit, Gergely, Radu, Rhys, Marek, Dmitri, Caio,
Mateo, Joaquin, Sander, Torbjorn, Alistair, Eirik, Emre, Kaan, Dariush, Wei, Jianyu, Kenji, Takumi, Joon, Sipho,
Themba, Chidi, Obinna, Kofi, Kwame, Kamau, Jabari, Keoni, Fergus, Cormac, Ruairi, Gethin, Hamish, Lachlan,
Tristan, Rupert, Barnaby, Otto, Friedrich, Henrik, Anders, Jussi, Mikko, Janis, Andrius, Wojtek, Zbigniew, Pavel,
Goran, Milan, Stavros, Nikos, Andrei, Bogdan, Kiril, Matteo, Lorenzo, Etienne, Gaspard, Thibault, Duarte,
Afonso, Rafael, Ramiro, Esteban, Ignacio, Leandro, Samir, Yusuf, Idris, Rohan, Vikram, Sanjay, Anil, Dinesh,
John, Edgar, Silas, Jasper
""")
SURNAMES = _words("""
Petrov, Larkin, Okafor, Lindqvist, Marchetti, Haddad, Novak, Tanaka, Iyer, Brennan, de Wit, Sorensen, Kowalski,
Castellano, Farouk, Lund, Moreau, Szabo, Dragan, Pritchard, Zielinski, Volkov, Figueira, Salazar, Vermeer,
Haugen, Sinclair, Bakke, Yildiz, Karimi, Chen, Liang, Mori, Nakamura, Park, Dlamini, Nkosi, Eze, Mensah, Boateng,
Mwangi, Otieno, Kahale, Doyle, Gallagher, Keane, Llewellyn, Munro, Buchanan, Trevelyan, Ashworth, Fairclough,
Penrose, Wexford, Hartmann, Vogel, Steinbach, Nilsson, Virtanen, Korhonen, Ozols, Kazlauskas, Wisniewska, Horak,
Cerny, Kovac, Markovic, Papadakis, Ionescu, Popa, Dimitrov, Rinaldi, Ferrante, Lacroix, Fontaine, Duval, Teixeira,
Almeida, Carrasco, Ibarra, Quiroga, Mansour, Aziz, Bello, Rao, Mehta, Kapoor, Fernando, Perera, Thapa, Whitlock,
Smith, Hale, Thorne, Barlow, Winslow, Croft, Maddox, Ridley, Sutter, Blackwood, Ferris, Holloway
""")

# City: hours from UTC in standard time (no daylight saving in this world).
CITIES: dict[str, float] = {
    "Lisbon": 0, "Porto": 0, "Bergen": 1, "Oslo": 1, "Tromso": 1, "Malmo": 1, "Uppsala": 1, "Aarhus": 1, "Turku": 2,
    "Tampere": 2, "Tallinn": 2, "Tartu": 2, "Riga": 2, "Vilnius": 2, "Gdansk": 1, "Wroclaw": 1, "Krakow": 1,
    "Brno": 1, "Bratislava": 1, "Graz": 1, "Innsbruck": 1, "Ljubljana": 1, "Zadar": 1, "Sarajevo": 1, "Skopje": 1,
    "Plovdiv": 2, "Cluj": 2, "Iasi": 2, "Thessaloniki": 2, "Patras": 2, "Izmir": 3, "Ankara": 3, "Tbilisi": 4,
    "Yerevan": 4, "Haifa": 2, "Amman": 2, "Muscat": 4, "Doha": 3, "Cairo": 2, "Tunis": 1, "Rabat": 1, "Dakar": 0,
    "Accra": 0, "Kumasi": 0, "Lagos": 1, "Ibadan": 1, "Nairobi": 3, "Mombasa": 3, "Kampala": 3, "Kigali": 2,
    "Lusaka": 2, "Durban": 2, "Gaborone": 2, "Windhoek": 2, "Pune": 5.5, "Kochi": 5.5, "Jaipur": 5.5, "Mysore": 5.5,
    "Colombo": 5.5, "Kathmandu": 5.75, "Chiang Mai": 7, "Hanoi": 7, "Da Nang": 7, "Penang": 8, "Cebu": 8, "Taipei": 8,
    "Tainan": 8, "Busan": 9, "Daegu": 9, "Sapporo": 9, "Kanazawa": 9, "Fukuoka": 9, "Perth": 8, "Adelaide": 9.5,
    "Hobart": 10, "Brisbane": 10, "Dunedin": 12, "Wellington": 12, "Honolulu": -10, "Juneau": -9, "Victoria": -8,
    "Portland": -8, "Tucson": -7, "Boise": -7, "Calgary": -7, "Duluth": -6, "Winnipeg": -6, "Merida": -6,
    "Oaxaca": -6, "Antigua": -6, "Savannah": -5, "Pittsburgh": -5, "Quebec": -5, "Medellin": -5, "Cuenca": -5,
    "Arequipa": -5, "Halifax": -4, "Sucre": -4, "Valparaiso": -4, "Rosario": -3, "Cordoba": -3, "Montevideo": -3,
    "Curitiba": -3, "Recife": -3, "Galway": 0, "Cork": 0, "Leeds": 0, "Bristol": 0, "Dundee": 0, "Cardiff": 0,
    "Ghent": 1, "Leuven": 1, "Utrecht": 1, "Groningen": 1, "Bremen": 1, "Leipzig": 1, "Freiburg": 1, "Basel": 1,
    "Lausanne": 1, "Lyon": 1, "Nantes": 1, "Toulouse": 1, "Bilbao": 1, "Valencia": 1, "Granada": 1, "Turin": 1,
    "Bologna": 1, "Palermo": 1, "Trieste": 1, "Valletta": 1, "Reykjavik": 0, "Torshavn": 0,
}  # fmt: skip

FIRM_WORDS = _words("""
Northlight, Tideway, Copperfield, Bluestem, Hollowtree, Saltmarsh, Redkite, Ironbridge, Fernway, Quarry Lane,
Brightwater, Kestrel, Lanternhouse, Millrace, Oakhaven, Pinnace, Rookery, Silverline, Thornbury, Umbra, Vantage,
Wayfarer, Amberley, Beacon Hill, Cinder, Driftwood, Eastgate, Foxglove, Greyfriars, Harbourline, Juniper, Larkspur
""")
FIRM_KINDS = _words("""
Logistics, Analytics, Press, Textiles, Instruments, Foods, Robotics, Energy, Architects, Studios, Insurance,
Pharmacy, Outfitters, Ceramics, Software, Shipping, Consulting, Labs, Rail, Biotech
""")
KIN = {
    "she": _words("sister, cousin, aunt, friend, neighbour, colleague, flatmate, old classmate, mother, niece"),
    "he": _words("brother, cousin, uncle, friend, neighbour, colleague, flatmate, old classmate, father, nephew"),
}
CALLS = _words("mate, dear, my friend, you")
