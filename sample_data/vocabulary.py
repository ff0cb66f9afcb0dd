"""The invented maker's families, people, companies and the words of its CPQ system, as data.

Nothing arrives; what leaves are constants. Which family has which features, under which names and with which choices,
is drawn here once from each family's name, so that it never changes with a sample's seed.
"""

import random
from dataclasses import dataclass

from sample_data.features import FEATURES, Choice, Feature


@dataclass(frozen=True, slots=True)
class FamilyFeature:
    """A feature as one family has it: its name on that family's screen, the choices offered, and the probability
    that a product of the family is configured with it."""

    feature: Feature
    name: str
    # What the screen showed until `RENAMED_IN`; equal to `name` for most.
    old_name: str
    choices: tuple[Choice, ...]
    probability: float


@dataclass(frozen=True, slots=True)
class Family:
    """A product family. `language` is that of its screens; `weight` how often it is sold; `children` are families
    that may be nested in it; a `nested_only` one is never a product by itself."""

    name: str
    product_code: str
    language: str
    weight: int
    features: tuple[FamilyFeature, ...]
    children: tuple[str, ...] = ()
    nested_only: bool = False


# From this year on, features with an `old_name` are shown by their new one.
RENAMED_IN = 2024

_CORE = ("pituus", "vari", "teho", "optiikka", "varilampotila", "cri", "ohjaus", "liitannat", "asennus", "valovirta")


def _family(
    name: str, code: str, language: str, weight: int, *, without: str = "", children: str = "", only: str = ""
) -> Family:
    rng = random.Random(f"family {name}")
    kept = only.split() if only else [e for e in FEATURES if e in _CORE or rng.random() < 0.6]
    features = []
    for feature in (FEATURES[e] for e in kept if e not in without.split()):
        names = [pair[language == "fi"] for pair in feature.names]
        core = feature.ext_id in _CORE
        name_now = names[0] if rng.random() < 0.5 else rng.choice(names)
        old_name = rng.choice(names) if rng.random() < 0.1 else name_now
        few = max(2, len(feature.choices) - rng.randrange(3))
        offered = sorted(rng.sample(range(len(feature.choices)), min(few, len(feature.choices))))
        choices = tuple(
            Choice(c.names, c.measure, max(1, c.weight + rng.randrange(-2, 3)))
            for c in (feature.choices[i] for i in offered)
        )
        features.append(FamilyFeature(feature, name_now, old_name, choices, 0.96 if core else rng.uniform(0.35, 0.9)))
    return Family(name, code, language, weight, tuple(features), tuple(filter(None, children.split("; "))), bool(only))


_LIST = (
    _family("SNEP® MODE P", "SNP-MP", "en", 12, children="SNEP® SENSE; SNEP® SAFE"),
    _family("SNEP® MODE S", "SNP-MS", "en", 10, children="SNEP® SENSE; SNEP® SAFE"),
    _family("SNEP® MODE C", "SNP-MC", "fi", 8, without="halkaisija", children="SNEP® SENSE"),
    _family("SNEP® MODE CR", "SNP-MCR", "fi", 6, children="SNEP® SAFE"),
    _family("SNEP® LINE", "SNP-LN", "en", 7, children="SNEP® RAIL"),
    _family("SNEP® LINE XL", "SNP-LNX", "en", 3, children="SNEP® RAIL; SNEP® SAFE"),
    _family("REVONTULI A", "REV-A", "fi", 5),
    _family("REVONTULI B", "REV-B", "fi", 4, children="SNEP® SENSE"),
    _family("HALLA HIGHBAY", "HAL-HB", "en", 6, without="pituus leveys ripustuspituus", children="SNEP® SENSE"),
    _family("HALLA LOWBAY", "HAL-LB", "en", 3, without="pituus"),
    _family("KUURA PRO", "KUU-P", "fi", 4, children="SNEP® SAFE"),
    _family("KUURA ECO", "KUU-E", "fi", 4),
    _family("TUIKE SPOT", "TUI-SP", "en", 3, without="pituus leveys", children="SNEP® RAIL"),
    _family("ÄLVÖ WALL", "ALV-W", "en", 2),
    _family("SÄDE-70", "SAD-70", "fi", 2),
    _family("LOISTE® M/2", "LOI-M2", "en", 2),
    _family("SNEP® SENSE", "SNP-SE", "en", 0, only="tunnistin ohjausryhma langaton kaapeli vari teho"),
    _family("SNEP® SAFE", "SNP-SF", "fi", 0, only="turvavalo turvavaloaika akku testaus teho valovirta"),
    _family("SNEP® RAIL", "SNP-RL", "en", 0, only="kisko liitoskappale pituus vari vaihe kaapeli"),
)
FAMILIES: dict[str, Family] = {family.name: family for family in _LIST}

# Companies; some are nearly alike, some bear a person's name.
COMPANIES = (
    "Pohjolan Sähkö Oy", "Pohjolan Sähkö Ab", "Pohjalan Sähkö Oy", "Ålands Ljus Ab", "Aalto & Kumppanit Oy",
    "Härmän Valaistus Oy", "Harman Valaistus Oy", "Lindström Belysning Ab", "Lindstrom Lighting Ltd",
    "Valo ja Varjo Oy", "Turun Teollisuusvalo Oy", "Tampereen Teollisuusvalo Oy", "Åbo Industribelysning Ab",
    "Öljymäen Urakointi Oy", "Mäkelä Group", "Mäkelän Sähkötyö Ky", "Matti Virtanen Oy", "Matti Virtanen",
    "Kaarina Öhman", "Sähkö-Sälli Oy", "R&D Lighting <Nordic>", "Kivikko Rakennus Oyj", "Kivikon Rakennus Oy",
    "Espoon Hallit Oy", "Vaasa Elteknik Ab", "Wasa Elteknik Ab", "Jyväskylän Varasto Oy", "Lahden Logistiikka Oy",
    "Norrskens Hallbygg Ab", "Saimaan Telakka Oy", "Oulun Satama", "Ylä-Savon Sähkö Oy", "Västra Nylands El Ab",
    "Itä-Uudenmaan Valo Oy", "Järvenpään Jäähalli Oy", "Fjärdens Båtvarv Ab", "Keski-Suomen Kylmä Oy",
    "Rauman Paperi Oyj", "Sjöblom & Söner Ab", "Työmaavalo Tmi", "Metsälä Logistics Oy", "Metsälä Logistiikka Oy",
)  # fmt: skip

FIRST_NAMES = (
    "Matti", "Maija", "Päivi", "Jyrki", "Åke", "Örjan", "Kaarina", "Sinikka", "Väinö", "Tiina", "Björn", "Märta",
    "Antti", "Hannele", "Göran", "Ritva", "Jouni", "Sari", "Östen", "Elina", "Pekka", "Ulla-Maija", "Mats", "Henrik",
)  # fmt: skip
LAST_NAMES = (
    "Virtanen", "Wirtanen", "Mäkelä", "Mäkela", "Lindström", "Lindstrom", "Öhman", "Åström", "Hämäläinen", "Korhonen",
    "Järvinen", "Sjöblom", "Sjöberg", "Nieminen", "Niemi", "Rönnqvist", "Kärkkäinen", "Väisänen", "Backström", "Ylönen",
    "Salo", "Aalto", "Lehtonen", "Lehtinen",
)  # fmt: skip
# Names that several participants share, in different companies.
SHARED_NAMES = ("Matti Virtanen", "Maija Mäkelä", "Kaarina Öhman", "Björn Lindström", "Päivi Korhonen")

TITLES = (
    "Purchasing Manager", "Ostopäällikkö", "Project Manager", "Projektipäällikkö", "Toimitusjohtaja", "Sales Manager",
    "Myyntipäällikkö", "Electrical Engineer", "Sähkösuunnittelija", "Inköpschef", "",
)  # fmt: skip

# Status and how many of a hundred offers have it. The first two are final (extract/source/site.toml).
STATUSES = {
    "FINALIZED": 55, "ORDERED": 25, "DRAFT": 7, "OPEN": 5, "LOST": 4, "CANCELLED": 3, "finalized": 1,
}  # fmt: skip
FINAL_STATUSES = ("FINALIZED", "ORDERED")

# Language of an offer and its weight; version and its weight.
OFFER_LANGUAGES = {"fi": 60, "en": 25, "sv": 12, "de": 3}
VERSIONS = {"1": 55, "2": 22, "3": 10, "1.1": 6, "4": 4, "10": 2, "2B": 1}

# Years of offers and their weight.
YEARS = {2021: 4, 2022: 8, 2023: 14, 2024: 64, 2025: 10}
