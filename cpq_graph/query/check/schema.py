"""What a graph has: labels, relationship types, their typed properties, and which type leads from where to where.

The checker knows a graph by nothing else. A schema comes from the model (`schema_of`), from a file (`from_json`), or
from a live database (`check.live`).

The file is one JSON object:

    {
      "labels": {"Offer": {"id": "STRING NOT NULL", "date": "DATE"}, "User": {}},
      "relationship_types": {"HANDLED_BY": {}, "HAS_TAB": {"position": "INTEGER"}},
      "triples": [
        ["Offer", "HANDLED_BY", "User"],
        {"start": "Offer", "type": "SENT_BY", "end": "Participant", "one_end": true, "one_start": false}
      ],
      "single_label": false,
      "nulls_known": false
    }

Types are Cypher's names (STRING, INTEGER, FLOAT, BOOLEAN, DATE, ZONED DATETIME, LIST<…>, …), "ANY", or "NUMERIC STRING"
for text that holds numbers. `one_end` says that a start has at most one such end, `one_start` that an end belongs to at
most one such start; left out, nobody knows. A node of a graph with `single_label` never carries two labels. With
`nulls_known` a property is never null where its type says NOT NULL, and may be null everywhere else. Only "labels" and
"triples" are required.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from cpq_graph.errors import ConfigurationError
from cpq_graph.model import Cardinality, Model

Properties = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Triple:
    """(start)-[:type]->(end)."""

    start: str
    type: str
    end: str
    one_end: bool | None = None
    one_start: bool | None = None


@dataclass(frozen=True)
class GraphSchema:
    """The schema of a graph, as the module says."""

    labels: Mapping[str, Properties]
    relationship_types: Mapping[str, Properties]
    triples: tuple[Triple, ...]
    single_label: bool = False
    nulls_known: bool = False

    @cached_property
    def pairs(self) -> Mapping[str, frozenset[tuple[str, str]]]:
        """For each type, the labels it leads from and to."""
        found: dict[str, set[tuple[str, str]]] = {name: set() for name in self.relationship_types}
        for triple in self.triples:
            found.setdefault(triple.type, set()).add((triple.start, triple.end))
        return {name: frozenset(pairs) for name, pairs in found.items()}

    @cached_property
    def leaving(self) -> Mapping[str, tuple[Triple, ...]]:
        """The triples that start at a label."""
        found: dict[str, list[Triple]] = {}
        for triple in self.triples:
            found.setdefault(triple.start, []).append(triple)
        return {label: tuple(triples) for label, triples in found.items()}

    @cached_property
    def property_names(self) -> frozenset[str]:
        """Every property of any label or type."""
        return frozenset(
            name for owner in (self.labels, self.relationship_types) for names in owner.values() for name in names
        )

    def to_json(self) -> str:
        """The file's text: `from_json` gives the same schema again."""
        triples = [
            [one.start, one.type, one.end]
            if one.one_end is None and one.one_start is None
            else {
                key: value
                for key, value in (
                    ("start", one.start), ("type", one.type), ("end", one.end),
                    ("one_end", one.one_end), ("one_start", one.one_start),
                )
                if value is not None
            }
            for one in self.triples
        ]  # fmt: skip
        document = {
            "labels": {name: dict(properties) for name, properties in self.labels.items()},
            "relationship_types": {name: dict(properties) for name, properties in self.relationship_types.items()},
            "triples": triples,
            "single_label": self.single_label,
            "nulls_known": self.nulls_known,
        }
        return json.dumps(document, indent=2, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> "GraphSchema":
        """Reads the file's text. Raises ConfigurationError that says what is wrong with it."""
        try:
            document = json.loads(text)
            labels = _owners(document["labels"])
            triples = tuple(_triple(entry) for entry in document["triples"])
            types = _owners(document.get("relationship_types", {}))
            for triple in triples:
                types.setdefault(triple.type, {})
            return cls(
                labels,
                types,
                triples,
                bool(document.get("single_label", False)),
                bool(document.get("nulls_known", False)),
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ConfigurationError(
                f"This is no schema of a graph: {error}",
                hint='It is a JSON object such as {"labels": {"Person": {"name": "STRING"}}, "triples": '
                '[["Person", "KNOWS", "Person"]]}',
            ) from error


def schema_of(model: Model) -> GraphSchema:
    """The schema of the CPQ graph, without the label that only says what the graph was made from."""
    types: dict[str, dict[str, str]] = {}
    for relationship in model.relationships:
        types.setdefault(relationship.type, {}).update({one.name: one.type.value for one in relationship.properties})
    return GraphSchema(
        labels={
            node.label: {
                one.name: ("NUMERIC " if one.numeric else "")
                + one.type.value
                + (" NOT NULL" if one.name in node.key else "")
                for one in node.properties
            }
            for node in model.nodes
        },
        relationship_types=types,
        triples=tuple(
            Triple(one.start.label, one.type, one.end.label, one.cardinality is Cardinality.ONE, not one.shared)
            for one in model.relationships
        ),
        single_label=True,
        nulls_known=True,
    )


def _owners(document: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    return {str(name): {str(key): str(type_) for key, type_ in document[name].items()} for name in document}


def _triple(entry: Any) -> Triple:
    if isinstance(entry, Mapping):
        return Triple(
            str(entry["start"]), str(entry["type"]), str(entry["end"]), entry.get("one_end"), entry.get("one_start")
        )
    start, type_, end = entry
    return Triple(str(start), str(type_), str(end))
