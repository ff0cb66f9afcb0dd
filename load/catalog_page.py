"""The catalog → a Markdown page that a person can read."""

import re
from collections.abc import Sequence

from cpq_graph.catalog import Catalog, Feature, FeatureValue, ValueKind

_VALUES = 25


def catalog_page(catalog: Catalog) -> str:
    """All families, then every feature with its names, values and families."""
    parts = [
        "# Families and features",
        f"Offers from {catalog.first_day or '?'} to {catalog.last_day or '?'}; "
        f"{len(catalog.families)} families, {len(catalog.features)} features.",
        "## Families",
        _table(
            ("family", "product codes", "products", "nested in others"),
            [(f.name, ", ".join(f.product_codes), str(f.products), str(f.nested)) for f in catalog.families],
        ),
        "## Features",
        _table(
            ("ext_id", "names", "values", "distinct", "set"),
            [
                (f.ext_id, ", ".join(n.text for n in f.names[:6]), _kind(f), str(f.distinct_values), str(f.count))
                for f in catalog.features
            ],
        ),
    ]
    families: dict[str, list[Feature]] = {}
    for feature in catalog.family_features:
        families.setdefault(feature.ext_id, []).append(feature)
    parts += [_section(feature, families.get(feature.ext_id, [])) for feature in catalog.features]
    return "\n\n".join(parts) + "\n"


def _section(feature: Feature, families: list[Feature]) -> str:
    names = [(n.text, n.language or "", str(n.count)) for n in feature.names]
    values = [(v.name or "", v.measure or "", str(v.count)) for v in feature.values[:_VALUES]]
    more = feature.distinct_values - len(values)
    where = [
        (f.family or "", ", ".join(n.text for n in f.names), _kind(f), _most(f.values), str(f.count)) for f in families
    ]
    return "\n\n".join(
        (
            f"### {cell(feature.ext_id)}",
            f"{_kind(feature)}; set {feature.count} times.",
            _table(("name", "language", "parameters"), names),
            _table(("value", "measure", "parameters"), values) + (f"\n\n… and {more} more." if more > 0 else ""),
            _table(("family", "names", "values", "most frequent", "set"), where),
        )
    )


def _kind(feature: Feature) -> str:
    if feature.kind is not ValueKind.NUMBER:
        return feature.kind.value
    return f"number{f' ({feature.unit})' if feature.unit else ''}, {feature.low:g} to {feature.high:g}"


def _most(values: tuple[FeatureValue, ...]) -> str:
    return ", ".join(value.name or value.measure or "" for value in values[:3])


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    lines += [f"| {' | '.join(map(cell, row))} |" for row in rows]
    return "\n".join(lines)


def cell(text: str) -> str:
    """A text of the graph that cannot break out of a table's cell or be taken for markup."""
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub(r"([\\|`*_<>\[\]#])", r"\\\1", text)
    return text if len(text) <= 200 else f"{text[:199]}…"
