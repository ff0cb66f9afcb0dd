"""A catalog as large as a maker's may become: the sample's own, with invented families, features and names around it.

Arrives: the catalog and names of the graph that serves. Leaves: the same with as many more as are wished for, made of
syllables by a generator with a fixed seed. The invented ones are built like the sample's: families of two or three
words, features with a name in each language and eight choices, people who share first names and last names.
"""

import random
from collections.abc import Callable, Iterator

from cpq_graph.catalog import Catalog, Family, Feature, FeatureName, FeatureValue, PartyName, ValueKind
from sample_data.vocabulary import FIRST_NAMES, LAST_NAMES

_ONSETS = "b d f g h j k l m n p r s t v br dr fl gr kl pr sk st tr".split()  # noqa: SIM905 - reads better
_VOWELS = "a e i o u y ä ö aa ii oo uu ai ei uo".split()  # noqa: SIM905
_CODAS = ["", "", "", "", "n", "s", "l", "r", "nk", "lt"]
_LAST_ENDINGS = ("nen", "la", "lä", "ström", "berg", "lund", "niemi", "maa", "")
_SUFFIXES = ("PRO", "ECO", "A", "B", "XL", "S", "MINI", "70", "WALL", "SPOT")
_FORMS = ("Oy", "Ab", "Oyj", "Ky", "Ltd", "Group")
_UNITS = (None, "mm", "W", "kg", "V", "%")


def grow(
    catalog: Catalog, names: list[PartyName], *, families: int, features: int, parties: int
) -> tuple[Catalog, list[PartyName]]:
    """The catalog with so many families and features in all, and so many distinct names."""
    rng = random.Random("a large catalog")  # noqa: S311 - the same catalog every time is the point
    known = {family.name for family in catalog.families}
    more_families = _distinct(lambda: _family(rng), known, families - len(known))
    grown = [
        *catalog.families,
        *(Family(name=n, product_codes=(_code(n),), products=9, nested=0) for n in more_families),
    ]
    words = _distinct(lambda: _word(rng), {f.ext_id for f in catalog.features}, features - len(catalog.features))
    more_features = [_feature(rng, word) for word in words]
    every = [*catalog.features, *more_features]
    within = [
        feature.model_copy(update={"family": name})
        for name in more_families
        for feature in rng.sample(every, min(40, len(every)))
    ]
    bigger = catalog.model_copy(
        update={
            "families": tuple(grown),
            "features": tuple(every),
            "family_features": (*catalog.family_features, *within),
        }
    )
    return bigger, [*names, *_parties(rng, {name.text for name in names}, parties - len(names))]


def _distinct(make: Callable[[], str], taken: set[str], count: int) -> list[str]:
    """So many texts that are neither taken nor twice."""
    found: dict[str, None] = {}
    while len(found) < count:
        text = make()
        if text not in taken:
            found[text] = None
    return list(found)


def _word(rng: random.Random, syllables: int | None = None) -> str:
    count = syllables or rng.choice((2, 2, 3, 3, 4))
    return "".join(rng.choice(_ONSETS) + rng.choice(_VOWELS) for _ in range(count)) + rng.choice(_CODAS)


def _family(rng: random.Random) -> str:
    words = [_word(rng, 2).upper() for _ in range(rng.choice((1, 1, 2)))]
    return " ".join([*words, rng.choice(_SUFFIXES)])


def _code(name: str) -> str:
    return "-".join(part[:3] for part in name.split())


def _feature(rng: random.Random, ext_id: str) -> Feature:
    names = (
        FeatureName(text=f"{_word(rng)} {_word(rng, 2)}".capitalize(), count=60, language="en"),
        FeatureName(text=_word(rng).capitalize(), count=40, language="fi"),
    )
    unit = rng.choice(_UNITS)
    values = tuple(_value(rng, unit, number) for number in range(1, 9))
    measures = [float(value.measure) for value in values if value.measure is not None]
    return Feature(
        ext_id=ext_id, family=None, names=names, kind=ValueKind.CHOICE if unit is None else ValueKind.NUMBER, unit=unit,
        low=min(measures, default=None), high=max(measures, default=None), values=values,
        distinct_values=len(values), count=100,
    )  # fmt: skip


def _value(rng: random.Random, unit: str | None, number: int) -> FeatureValue:
    if unit is None:
        return FeatureValue(name=" ".join(_word(rng) for _ in range(rng.choice((1, 2)))), measure=None, count=10)
    measure = 50 * number + rng.randrange(50)
    return FeatureValue(name=f"{measure} {unit}", measure=str(measure), count=10)


def _parties(rng: random.Random, taken: set[str], count: int) -> Iterator[PartyName]:
    """Of a hundred names seventy of buyers, twenty-five of companies, five of users."""
    # As in life, few first names and many last names, among them those of the sample.
    first = [*FIRST_NAMES, *_distinct(lambda: _word(rng, 2).capitalize(), set(FIRST_NAMES), 300)]
    last = [*LAST_NAMES, *_distinct(lambda: _last_name(rng), set(LAST_NAMES), 4_000)]
    people, companies = count * 70 // 100, count * 25 // 100
    texts = _distinct(lambda: f"{rng.choice(first)} {rng.choice(last)}", taken, count - companies)
    for text in texts[:people]:
        yield PartyName(kind="participant", text=text, nodes=1)
    for text in _distinct(lambda: _company(rng, last), taken, companies):
        yield PartyName(kind="company", text=text, nodes=3)
    for number, text in enumerate(texts[people:]):
        yield PartyName(kind="user", text=text, nodes=1, userid=f"{text[:3]}{text.split()[1][:4]}{number}".lower())


def _last_name(rng: random.Random) -> str:
    return (_word(rng, 2) + rng.choice(_LAST_ENDINGS)).capitalize()


def _company(rng: random.Random, last: list[str]) -> str:
    words = [rng.choice(last)] if rng.random() < 0.2 else [_word(rng).capitalize()]
    if rng.random() < 0.6:
        words.append(_word(rng).capitalize())
    return " ".join([*words, rng.choice(_FORMS)])
