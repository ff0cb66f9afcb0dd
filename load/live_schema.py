"""Any Neo4j database → a schema text for a language model, made from the live database alone.

Arrives: a database that need not be ours. Leaves: labels with property types, relationship patterns with their
direction, and samples of values. A sample of each label's and type's first members is read, never the whole graph.
"""

import json
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from load.database import Database

# Members of a label or type that are looked at; a property that none of them has is not found.
SAMPLE = 1_000
_EXAMPLES = 3
_LONGEST_EXAMPLE = 60


def live_schema(database: Database, *, sample: int = SAMPLE, examples: bool = True) -> str:
    """The text, sorted by name, so that the same database gives the same text as long as its samples do."""
    labels = _names(database, "CALL db.labels() YIELD label AS name RETURN name")
    types = _names(database, "CALL db.relationshipTypes() YIELD relationshipType AS name RETURN name")
    nodes = [
        _entry(label, _properties(database, f"MATCH (x:{quoted(label)})", sample), examples)
        for label in labels
        if _any(database, f"MATCH (x:{quoted(label)}) RETURN 1 LIMIT 1")
    ]
    patterns: list[str] = []
    typed: list[str] = []
    for name in types:
        match = f"MATCH (a)-[x:{quoted(name)}]->(b)"
        patterns += _patterns(database, match, name, sample)
        if properties := _properties(database, match, sample):
            typed.append(_entry(name, properties, examples))
    parts = [("Nodes:", nodes), ("Relationship properties:", typed), ("Relationships:", patterns)]
    return "\n\n".join("\n".join((head, *lines)) for head, lines in parts if lines) + "\n"


def quoted(name: str) -> str:
    """A label, type or property name, safe to stand in Cypher."""
    return name if name.isascii() and name.isidentifier() else "`" + name.replace("`", "``") + "`"


def _names(database: Database, query: str) -> list[str]:
    return sorted(str(row["name"]) for row in database.rows(query))


def _any(database: Database, query: str) -> bool:
    return bool(database.rows(query))


def _properties(database: Database, match: str, sample: int) -> dict[str, tuple[list[str], list[Any]]]:
    """By property name: its types, and its most frequent values within the sample."""
    rows = database.rows(
        f"{match} WITH x LIMIT $sample UNWIND keys(x) AS name WITH name, x[name] AS value, count(*) AS n "
        "RETURN name, valueType(value) AS type, value, n ORDER BY name, n DESC, toStringOrNull(value)",
        {"sample": sample},
    )
    types: dict[str, dict[str, None]] = defaultdict(dict)
    values: dict[str, list[Any]] = defaultdict(list)
    for row in rows:
        types[row["name"]][str(row["type"]).removesuffix(" NOT NULL")] = None
        if len(values[row["name"]]) < _EXAMPLES:
            values[row["name"]].append(row["value"])
    return {name: (sorted(types[name]), values[name]) for name in sorted(types)}


def _patterns(database: Database, match: str, name: str, sample: int) -> list[str]:
    rows = database.rows(
        f"{match} WITH a, b LIMIT $sample WITH DISTINCT labels(a) AS starts, labels(b) AS ends "
        "UNWIND CASE starts WHEN [] THEN [''] ELSE starts END AS start "
        "UNWIND CASE ends WHEN [] THEN [''] ELSE ends END AS end RETURN DISTINCT start, end ORDER BY start, end",
        {"sample": 100 * sample},
    )
    return [f"({_colon(row['start'])})-[:{quoted(name)}]->({_colon(row['end'])})" for row in rows]


def _colon(label: str) -> str:
    return f":{quoted(label)}" if label else ""


def _entry(name: str, properties: dict[str, tuple[list[str], list[Any]]], examples: bool) -> str:
    fields = [
        f"{quoted(prop)}: {' | '.join(types)}{_examples(values) if examples else ''}"
        for prop, (types, values) in properties.items()
    ]
    return f"{quoted(name)} {{{', '.join(fields)}}}"


def _examples(values: Iterable[Any]) -> str:
    texts = [json.dumps(value, ensure_ascii=False, default=str) for value in values]
    shown = [text if len(text) <= _LONGEST_EXAMPLE else f"{text[: _LONGEST_EXAMPLE - 2]}…" for text in texts]
    return f" (as {', '.join(shown)})" if shown else ""
