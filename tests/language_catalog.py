"""Two invented catalogs, of a maker of luminaires and of one of pumps, for tests of the language."""

from cpq_graph.catalog import Catalog, Family, Feature, FeatureName, FeatureValue, PartyName, ValueKind


def feature(ext_id: str, names: str, values: str, unit: str | None = None) -> Feature:
    """ "Length|Pituus", "600 mm=600; 900 mm=900": names in English and Finnish, values with their measures."""
    languages = ("en", "fi")
    made = []
    for entry in values.split(";"):
        name, _, measure = entry.strip().partition("=")
        made.append(FeatureValue(name=name, measure=measure or None, count=5))
    numbers = [float(v.measure) for v in made if v.measure]
    return Feature(
        ext_id=ext_id,
        family=None,
        names=tuple(FeatureName(text=n, count=9, language=languages[i % 2]) for i, n in enumerate(names.split("|"))),
        kind=ValueKind.NUMBER if numbers else ValueKind.CHOICE,
        unit=unit,
        low=min(numbers, default=None),
        high=max(numbers, default=None),
        values=tuple(made),
        distinct_values=len(made),
        count=10,
    )


def catalog(families: str, features: tuple[Feature, ...], **of_family: str) -> Catalog:
    """`of_family` says by name in lower case which features a family has; the others have all."""
    names = [f.strip() for f in families.split(";")]
    each = []
    for name in names:
        kept = of_family.get(name.lower().replace(" ", "_").replace("®", ""), "").split()
        each += [f.model_copy(update={"family": name}) for f in features if not kept or f.ext_id in kept]
    return Catalog(
        families=tuple(
            Family(name=n, product_codes=(f"PC-{i}",), products=100 - i, nested=0) for i, n in enumerate(names)
        ),
        features=features,
        family_features=tuple(each),
        statuses=("FINALIZED", "ORDERED"),
        languages=("fi", "en", "sv"),
        versions=("1", "2", "2B"),
        titles=("Purchasing Manager", "Projektipäällikkö"),
        first_day="2022-01-03",
        last_day="2025-03-28",
    )


LIGHTS = catalog(
    "SNEP® MODE P; SNEP® MODE S; KUURA PRO; HALLA HIGHBAY; ÄLVÖ WALL",
    (
        feature("pituus", "Length|Pituus", "600 mm=600; 1200 mm=1200; 2000 mm=2000; 3000 mm=3000", "mm"),
        feature("leveys", "Width|Leveys", "60 mm=60; 90 mm=90", "mm"),
        feature("vari", "Frame color|Rungon väri", "White; Black; Grey; Red; Musta; Valkoinen; Harmaa"),
        feature("kaapelivari", "Cable color|Kaapelin väri", "White; Black; Valkoinen; Musta"),
        feature("teho", "Power|Teho", "12W=12; 34W=34; 57W=57; 90W=90; 150W=150", "W"),
        feature("varilampotila", "Color temperature|Värilämpötila", "2700K=2700; 3000K=3000; 4000K=4000", "K"),
        feature("optiikka", "Optics|Optiikka", "Wide; Narrow; Opal; Leveä; Kapea; Opaali"),
        feature("kupu", "Cover|Kupu", "Clear; Opal; Kirkas; Opaali"),
        feature("ohjaus", "Control|Ohjaus", "On/off; DALI; DALI-2"),
        feature("kotelointi", "IP rating|Kotelointiluokka", "IP20=20; IP54=54; IP65=65"),
        feature("kaapeli", "Cable length|Kaapelin pituus", "1 m=1; 3 m=3", "m"),
    ),
    halla_highbay="teho vari optiikka varilampotila ohjaus",
)

# Nothing of this maker's words stands in the code.
PUMPS = catalog(
    "HYDRA 12; HYDRA 20 XL; TYRSKY",
    (
        feature("virtaama", "Flow rate|Virtaama", "2 l/s=2; 5 l/s=5; 12 l/s=12", "l/s"),
        feature("suojaus", "Ingress protection|Suojausluokka", "IPX4=4; IPX8=8"),
        feature("juoksupyora", "Impeller|Juoksupyörä", "Closed; Vortex; Suljettu; Pyörre"),
        feature("maali", "Coating|Maalaus", "Turquoise; Turkoosi; Cream"),
        feature("nostokorkeus", "Head|Nostokorkeus", "10 m=10; 32 m=32", "m"),
    ),
)


def _party(kind: str, text: str, userid: str | None = None) -> PartyName:
    return PartyName.model_validate({"kind": kind, "text": text, "nodes": 2, "userid": userid})


NAMES = (
    *(
        _party("company", text)
        for text in (
            "Pohjolan Sähkö Oy",
            "Pohjolan Sähkö Ab",
            "Lahden Logistiikka Oy",
            "Oulun Satama",
            "Matti Virtanen",
            "Aalto & Kumppanit Oy",
            "R&D Lighting",
        )
    ),
    *(
        _party("participant", text)
        for text in ("Matti Virtanen", "Maija Virtanen", "Björn Lindström", "Päivi Mäkelä", "Åke Öhman")
    ),
    _party("user", "Göran Salo", "gsalo"),
    _party("user", "Tiina Niemi", "tniemi7"),
)
