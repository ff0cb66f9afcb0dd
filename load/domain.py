"""The catalog → the static domain context: what a language model has to know of this graph beyond its schema.

Arrives: a `Catalog`. Leaves: Markdown of at most `TOKENS` tokens: how a feature is found, the canonical family names,
each feature's ext_id with its parameter names and its values as stored. Texts of the graph stand in JSON's quotes: they
are data, exactly as a query has to spell them. What was cut to fit is said at the end.
"""

import json
from pathlib import Path

from cpq_graph.catalog import Catalog, Feature, FeatureValue, ValueKind
from cpq_graph.model import (
    ATTRIBUTE,
    EXT_ID,
    HAS_ATTRIBUTE,
    HAS_VALUE,
    OFFER,
    PARAMETER,
    PARAMETER_VALUE,
    PRODUCT_FAMILY,
)

TOKENS = 23_000
# Tokenizers of current models make a token of about 4 characters of English, and of 2.5 to 3 of Finnish, numbers and
# quotes; so this estimate is on the safe side.
CHARS_PER_TOKEN = 3.0

_PATTERN = Path(__file__).resolve().parent.parent / "cypher" / "context" / "feature_of_products.cypher"
# How many values of a feature are shown, from the most generous; then how many names; then how many features.
_VALUES = (60, 50, 40, 30, 25, 20, 15, 12, 10, 8, 6, 5, 4, 3, 2, 1)
_LONGEST_TEXT = 120


def tokens(text: str) -> int:
    """An estimate of how many tokens a text takes."""
    return round(len(text) / CHARS_PER_TOKEN)


def domain_context(catalog: Catalog, budget: int = TOKENS) -> str:
    """The context, the most generous that the budget allows."""
    features = len(catalog.features)
    sizes = [(values, 20, features) for values in _VALUES] + [(1, names, features) for names in (5, 2, 1)]
    sizes += [(1, 1, kept) for kept in range(features - 1, -1, -1)]
    for values, names, shown in sizes:
        text = _render(catalog, values, names, shown)
        if tokens(text) <= budget:
            return text
    return text


def _render(catalog: Catalog, values: int, names: int, shown: int) -> str:
    features = catalog.features[:shown]
    parts = [
        _how(),
        "## Families, most products first",
        "\n".join(f"- {quote(family.name)}" for family in catalog.families),
        f"## Features: {EXT_ID}, parameter names, values, most frequent first",
        "\n".join(_feature(feature, values, names) for feature in features),
        _cut(catalog, features, values, names),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _how() -> str:
    feature, key, choice = PARAMETER.label, ATTRIBUTE.label, PARAMETER_VALUE.label
    return f"""# What the graph holds and how to find it

A feature is a {feature}; its name differs between families and over time. Its stable key is the {key} of type
'{EXT_ID}' that it {HAS_ATTRIBUTE[0].type}. The choice made is the {choice} that it {HAS_VALUE.type}: `name` as shown
("57W"), `measure` as the bare number in text ("57"), to be compared as toFloat(v.measure). A family is a
{PRODUCT_FAMILY.label} under its canonical name, spelled exactly as below. The day is {OFFER.label}.date.

```cypher
{_PATTERN.read_text(encoding="utf-8").strip()}
```"""


def _feature(feature: Feature, values: int, names: int) -> str:
    shown = " | ".join(quote(name.text) for name in feature.names[:names])
    line = f"- {quote(feature.ext_id)}: {shown}{' | …' if len(feature.names) > names else ''}; {_kind(feature)}"
    if feature.values:
        samples = ", ".join(_value(value) for value in feature.values[:values])
        line += f": {samples}{', …' if feature.distinct_values > values else ''}"
    return line


def _kind(feature: Feature) -> str:
    if feature.kind is not ValueKind.NUMBER:
        return feature.kind.value
    unit = f" {feature.unit}" if feature.unit else ""
    return f"number {feature.low:g} to {feature.high:g}{unit}"


def _value(value: FeatureValue) -> str:
    name = quote(value.name) if value.name is not None else "null"
    return name if value.measure is None else f"{name}={quote(value.measure)}"


def quote(text: str) -> str:
    """A text as JSON, on one line; the middle of a very long one is left out."""
    if len(text) > _LONGEST_TEXT:
        text = f"{text[: _LONGEST_TEXT - 20]}…{text[-10:]}"
    return json.dumps(text, ensure_ascii=False)


def _cut(catalog: Catalog, shown: tuple[Feature, ...], values: int, names: int) -> str:
    lines = []
    if hidden := sum(feature.distinct_values - min(values, len(feature.values)) for feature in shown):
        lines.append(f"- {hidden} values beyond the {values} most frequent of their feature")
    if hidden := sum(max(0, len(feature.names) - names) for feature in shown):
        lines.append(f"- {hidden} parameter names beyond the {names} most frequent of their feature")
    if len(shown) < len(catalog.features):
        dropped = catalog.features[len(shown) :]
        some = ", ".join(quote(feature.ext_id) for feature in dropped[:20])
        lines.append(f"- {len(dropped)} features, the least used: {some}{', …' if len(dropped) > 20 else ''}")
    return "## Left out of this page\n\n" + "\n".join(lines) if lines else ""
