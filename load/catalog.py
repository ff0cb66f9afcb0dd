"""The graph just loaded → the feature catalog and the names people ask by.

Arrives: a database. Leaves: `Catalog` and `PartyName`s, all in a fixed order, and their files. The server groups, so
that what comes over is one row for each distinct (family, feature, parameter name, choice), whatever the number of
products; everything else is counted from those rows. A delta counts those of its offers alone, before and after.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from io import BytesIO
from typing import Any, Literal

import polars as pl
import simplemma

from cpq_graph.catalog import Catalog, Family, Feature, FeatureName, FeatureValue, PartyName, ValueKind
from cpq_graph.model import (
    ATTRIBUTE,
    CONFIGURED_AS,
    EXT_ID,
    FAMILY_HAS_CHILD,
    HAS_PARAMETER,
    HAS_TAB,
    HAS_VALUE,
    OFFER,
    OFFER_CONTAINS,
    PARAMETER,
    PARAMETER_HAS_ATTRIBUTE,
    PARAMETER_VALUE,
    PARTICIPANT,
    PRODUCT_FAMILY,
    TAB,
    USER,
)
from load.database import Database

# Distinct values that a feature lists; a free text may have as many as there are products. `distinct_values` says all.
VALUES_MAX = 2_000

_ALL_FAMILIES = f"MATCH (f:{PRODUCT_FAMILY.label})"
_FAMILIES_BELOW = f"""
MATCH (o:{OFFER.label}) WHERE o.id IN $offers
MATCH (o)-[:{OFFER_CONTAINS.type}*3]->()-[:{CONFIGURED_AS.type}]->()-[:{FAMILY_HAS_CHILD.type}*0..]->(f)
"""
_CHOICES = f"""
MATCH (f)-[:{HAS_TAB.type}]->(:{TAB.label})-[:{HAS_PARAMETER.type}]->(p:{PARAMETER.label})
MATCH (p)-[:{PARAMETER_HAS_ATTRIBUTE.type}]->(a:{ATTRIBUTE.label} {{type: $ext_id}})
OPTIONAL MATCH (p)-[:{HAS_VALUE.type}]->(v:{PARAMETER_VALUE.label})
RETURN f.name AS family, a.value AS ext_id, p.name AS parameter, v.name AS name, v.measure AS measure, count(*) AS n
"""
_FAMILIES = f"""
MATCH (f:{PRODUCT_FAMILY.label}) WHERE f.name IS NOT NULL
RETURN f.name AS name, f.product_code AS code, count(*) AS n,
       sum(COUNT {{ (f)<-[:{CONFIGURED_AS.type}]-() }}) AS products
"""


# One row per distinct choice: a feature of a family as it is shown, under which name, with which value; `n` parameters.
CHOICES_SCHEMA = dict.fromkeys(("family", "ext_id", "parameter", "name", "measure"), pl.String) | {"n": pl.Int64}
# (parameter, name, measure, n)
Language = Literal["en", "fi"] | None
_Choice = tuple[str | None, str | None, str | None, int]


def read_choices(database: Database, offers: Collection[str] | None = None) -> pl.DataFrame:
    """The choices of the whole graph, or of what is below some offers."""
    families = _ALL_FAMILIES if offers is None else _FAMILIES_BELOW
    rows = database.stream(families + _CHOICES, {"ext_id": EXT_ID, "offers": sorted(offers or ())})
    return pl.DataFrame([record.values() for record in rows], schema=CHOICES_SCHEMA, orient="row")


def update_choices(choices: pl.DataFrame, before: pl.DataFrame, after: pl.DataFrame) -> pl.DataFrame:
    """The choices of a graph some of whose offers had those of `before`, and now have those of `after`."""
    n = pl.col("n")
    counted = pl.concat([choices, before.with_columns(-n), after])
    return counted.group_by(pl.exclude("n")).agg(n.sum()).filter(n != 0)


def build_catalog(database: Database, choices: pl.DataFrame | None = None, before: Catalog | None = None) -> Catalog:
    """The catalog of the whole graph. `choices` are all that are in it, where they are known. The languages of names
    that are in the catalog `before` are taken from it: loading the dictionaries takes seconds."""
    languages = {name.text: name.language for feature in (before.features if before else ()) for name in feature.names}
    overall: dict[str, list[_Choice]] = defaultdict(list)
    by_family: dict[tuple[str, str], list[_Choice]] = defaultdict(list)
    if choices is None:
        choices = read_choices(database)
    for family, ext_id, parameter, name, measure, n in choices.iter_rows():
        choice = (parameter, name, measure, n)
        overall[ext_id].append(choice)
        if family is not None:
            by_family[family, ext_id].append(choice)
    features = [_feature(ext_id, None, rows, languages) for ext_id, rows in overall.items()]
    family_features = [_feature(ext_id, family, rows, languages) for (family, ext_id), rows in by_family.items()]
    days = database.rows(
        f"MATCH (o:{OFFER.label}) RETURN toString(min(o.date)) AS first_day, toString(max(o.date)) AS last_day"
    )[0]
    return Catalog(
        families=_families(database),
        features=tuple(sorted(features, key=lambda f: (-f.count, f.ext_id))),
        family_features=tuple(sorted(family_features, key=lambda f: (f.family or "", -f.count, f.ext_id))),
        statuses=_distinct(database, OFFER.label, "status"),
        languages=_distinct(database, OFFER.label, "language_id"),
        versions=_distinct(database, OFFER.label, "version"),
        titles=_distinct(database, PARTICIPANT.label, "title"),
        first_day=days["first_day"],
        last_day=days["last_day"],
    )


def party_names(database: Database) -> list[PartyName]:
    """The names of participants, companies and users, most frequent first within each kind."""
    names = []
    kinds: tuple[tuple[Literal["participant", "company"], str], ...] = (("participant", "name"), ("company", "company"))
    for kind, prop in kinds:
        rows = database.rows(
            f"MATCH (n:{PARTICIPANT.label}) WHERE n.{prop} <> '' RETURN n.{prop} AS text, count(*) AS n"
        )
        names += [PartyName(kind=kind, text=row["text"], nodes=row["n"]) for row in rows]
    rows = database.rows(
        f"MATCH (n:{USER.label}) RETURN n.firstname AS first, n.lastname AS last, n.userid AS userid, count(*) AS n"
    )
    for row in rows:
        text = " ".join(part for part in (row["first"], row["last"]) if part)
        names.append(PartyName(kind="user", text=text, nodes=row["n"], userid=row["userid"]))
    return sorted(names, key=lambda name: (name.kind, -name.nodes, name.text, name.userid or ""))


def catalog_parquet(catalog: Catalog) -> bytes:
    """One row per feature and per feature of a family, names and values as lists of structs."""
    name = pl.Struct({"text": pl.String, "count": pl.Int64, "language": pl.String})
    value = pl.Struct({"name": pl.String, "measure": pl.String, "count": pl.Int64})
    schema = {
        "ext_id": pl.String,
        "family": pl.String,
        "names": pl.List(name),
        "kind": pl.String,
        "unit": pl.String,
        "low": pl.Float64,
        "high": pl.Float64,
        "values": pl.List(value),
        "distinct_values": pl.Int64,
        "count": pl.Int64,
    }
    rows = [feature.model_dump(mode="json") for feature in (*catalog.features, *catalog.family_features)]
    return _parquet(rows, schema)


def names_parquet(names: Iterable[PartyName]) -> bytes:
    """One row per `PartyName`."""
    schema = {"kind": pl.String, "text": pl.String, "nodes": pl.Int64, "userid": pl.String}
    return _parquet([name.model_dump() for name in names], schema)


def _parquet(rows: list[dict[str, Any]], schema: dict[str, Any]) -> bytes:
    buffer = BytesIO()
    pl.DataFrame(rows, schema=schema).write_parquet(buffer)
    return buffer.getvalue()


def _families(database: Database) -> tuple[Family, ...]:
    codes: dict[str, Counter[str]] = defaultdict(Counter)
    products: Counter[str] = Counter()
    nested: Counter[str] = Counter()
    for row in database.rows(_FAMILIES):
        name = row["name"]
        codes[name][row["code"] or ""] += row["n"]
        products[name] += row["products"]
        nested[name] += row["n"] - row["products"]
    families = [
        Family(
            name=name,
            product_codes=tuple(code for code, _ in _ranked(counts) if code),
            products=products[name],
            nested=nested[name],
        )
        for name, counts in codes.items()
    ]
    return tuple(sorted(families, key=lambda f: (-f.products, -f.nested, f.name)))


def _distinct(database: Database, label: str, prop: str) -> tuple[str, ...]:
    rows = database.rows(f"MATCH (n:{label}) WHERE n.{prop} IS NOT NULL RETURN n.{prop} AS text, count(*) AS n")
    return tuple(text for text, _ in _ranked(Counter({row["text"]: row["n"] for row in rows})))


def _feature(ext_id: str, family: str | None, choices: list[_Choice], languages: dict[str, Language]) -> Feature:
    names: Counter[str] = Counter()
    values: Counter[tuple[str | None, str | None]] = Counter()
    for parameter, name, measure, n in choices:
        if parameter is not None:
            names[parameter] += n
        if (name, measure) != (None, None):
            values[name, measure] += n
    languages.update({text: language(text) for text in names if text not in languages})
    ranked = sorted(values.items(), key=lambda item: (-item[1], *((text is not None, text or "") for text in item[0])))
    kind = value_kind(values)
    numbers = [number for (_, measure) in values if (number := _number(measure)) is not None]
    return Feature(
        ext_id=ext_id,
        family=family,
        names=tuple(FeatureName(text=text, count=n, language=languages[text]) for text, n in _ranked(names)),
        kind=kind,
        unit=unit(values) if kind is ValueKind.NUMBER else None,
        low=min(numbers) if kind is ValueKind.NUMBER else None,
        high=max(numbers) if kind is ValueKind.NUMBER else None,
        values=tuple(FeatureValue(name=name, measure=m, count=n) for (name, m), n in ranked[:VALUES_MAX]),
        distinct_values=len(values),
        count=sum(n for *_, n in choices),
    )


def value_kind(values: Counter[tuple[str | None, str | None]]) -> ValueKind:
    """NUMBER when at least half of the choices made have a measure; TEXT when there are over 20 distinct ones and on
    average each was made less than twice, as people do not choose the same thing; otherwise CHOICE."""
    made = values.total()
    measured = sum(n for (_, measure), n in values.items() if _number(measure) is not None)
    if made and measured * 2 >= made:
        return ValueKind.NUMBER
    return ValueKind.TEXT if len(values) > 20 and made < 2 * len(values) else ValueKind.CHOICE


_UNIT = re.compile(r"[-+±]?\d[\d\s.,\u00a0\u202f]*(?P<unit>[^\d\s.,\u00a0\u202f][^\d]{0,7})?")


def unit(values: Counter[tuple[str | None, str | None]]) -> str | None:
    """What most often follows the number in the names of measured values ("57W", "2 000 mm" → W, mm), when that is so
    in at least half of them."""
    found: Counter[str] = Counter()
    measured = 0
    for (name, measure), n in values.items():
        if name is None or measure is None:
            continue
        measured += n
        if (match := _UNIT.fullmatch(name.strip())) and match["unit"]:
            found[match["unit"].strip()] += n
    best = _ranked(found)[:1]
    return best[0][0] if best and best[0][1] * 2 >= measured else None


def language(text: str) -> Language:
    """English or Finnish, whichever has more of the words in its dictionary; None when neither or both alike."""
    scores = dict(simplemma.langdetect(text, lang=("en", "fi")))
    english, finnish = scores.get("en", 0.0), scores.get("fi", 0.0)
    if english == finnish:
        return None
    return "en" if english > finnish else "fi"


def _ranked(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _number(text: str | None) -> float | None:
    try:
        number = float(text) if text is not None else math.nan
    except ValueError:
        return None
    return number if math.isfinite(number) else None
