"""The part of the graph below some offers, as it is in the database and as it should be.

Arrives: an open transaction, or `GraphFrames`. Leaves: `Subgraph`s that compare by value, down to the sign of a zero.
All that an offer owns is reached from it; people and Attributes, which offers share, are only ends of relationships.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from neo4j import ManagedTransaction
from neo4j.time import Date

from cpq_graph.model import (
    ATTRIBUTE,
    CONFIGURED_AS,
    CONTENT_CONTAINS,
    FAMILY_HAS_CHILD,
    HAS_PARAMETER,
    HAS_TAB,
    HAS_VALUE,
    MODEL,
    OFFER,
    OFFER_CONTAINS,
    PARTICIPANT,
    SUBCONTENT_CONTAINS,
    USER,
    Node,
    Property,
    Relationship,
)
from cpq_graph.render import CSV_KEY
from load.frames import GraphFrames

SHARED = (USER, PARTICIPANT, ATTRIBUTE)

# A node is (label, key values); a relationship (pattern name, start, end).
NodeKey = tuple[str, tuple[str, ...]]
EdgeKey = tuple[str, NodeKey, NodeKey]
Values = tuple[object, ...]

# The steps from an offer down to each kind of node that it owns, without variable length where there is no nesting:
# HAS_TAB reaches the tabs at every depth. Attributes are only stepped to, never from: some have 10^5 relationships.
_STEPS = (
    f"-[:{OFFER_CONTAINS.type}]->",
    f"-[:{CONTENT_CONTAINS.type}]->",
    f"-[:{SUBCONTENT_CONTAINS.type}]->",
    f"-[:{CONFIGURED_AS.type}]->()-[:{FAMILY_HAS_CHILD.type}*0..]->",
    f"-[:{HAS_TAB.type}]->",
    f"-[:{HAS_PARAMETER.type}]->",
    f"-[:{HAS_VALUE.type}]->",
)
_OWNED = "\n  UNION ALL ".join(
    ["RETURN o AS n", *(f"MATCH (o){'()'.join(_STEPS[: depth + 1])}(n) RETURN n" for depth in range(len(_STEPS)))]
)
_END = f"CASE WHEN m:{ATTRIBUTE.label} THEN [{', '.join(f'm.{part}' for part in ATTRIBUTE.key)}] ELSE [m.id] END"
_READ = f"""
MATCH (o:{OFFER.label}) WHERE o.id IN $offers
CALL (o) {{
  {_OWNED}
}}
RETURN labels(n)[0] AS label, properties(n) AS properties,
       [(n)-[r]->(m) | [type(r), labels(m)[0], {_END}, properties(r)]] AS edges
"""
_PATTERNS = {(r.type, r.start.label, r.end.label): r for r in MODEL.relationships}


@dataclass(slots=True)
class Subgraph:
    """Nodes and relationships with the values of their properties in the model's order (None where there is none)."""

    nodes: dict[NodeKey, Values] = field(default_factory=dict)
    edges: dict[EdgeKey, Values] = field(default_factory=dict)


def read_subgraph(tx: ManagedTransaction, offers: Collection[str]) -> Subgraph:
    """What is below the offers in the database, they themselves included; offers that are not there have nothing."""
    found = Subgraph()
    for label, properties, edges in tx.run(_READ, {"offers": sorted(offers)}):
        node = MODEL.node(label)
        start = (label, tuple(properties[part] for part in node.key))
        found.nodes[start] = values_of(properties, node.properties)
        for kind, end_label, end, values in edges:
            pattern = _PATTERNS[kind, label, end_label]
            found.edges[pattern.name, start, (end_label, tuple(end))] = values_of(values, pattern.properties)
    return found


def values_of(properties: Mapping[str, Any], wanted: Iterable[Property]) -> Values:
    """The values in the model's order, as Python's own types."""
    values = (properties.get(prop.name) for prop in wanted)
    return tuple(value.to_native() if isinstance(value, Date) else value for value in values)


class WantedGraph:
    """Frames of some offers, in memory, to be taken apart by offer."""

    def __init__(self, frames: GraphFrames) -> None:
        attributes = {
            row[CSV_KEY]: tuple(row[part] for part in ATTRIBUTE.key)
            for row in frames.node(ATTRIBUTE).collect().iter_rows(named=True)
        }
        self.nodes: dict[NodeKey, Values] = {}
        self._out: dict[NodeKey, list[tuple[EdgeKey, Values]]] = defaultdict(list)
        for node in MODEL.nodes:
            for row in frames.node(node).collect().iter_rows(named=True):
                self.nodes[node.label, tuple(row[part] for part in node.key)] = values_of(row, node.properties)
        for r in MODEL.relationships:
            for row in frames.relationship(r).collect().iter_rows(named=True):
                start = (r.start.label, (row["start"],))
                end = (r.end.label, attributes[row["end"]] if r.end == ATTRIBUTE else (row["end"],))
                self._out[start].append(((r.name, start, end), values_of(row, r.properties)))

    @property
    def offers(self) -> set[str]:
        """The ids of the offers there are."""
        return {key[0] for label, key in self.nodes if label == OFFER.label}

    def below(self, offers: Iterable[str]) -> Subgraph:
        """What is below the offers, they themselves included; offers that are not there have nothing."""
        shared = {node.label for node in SHARED}
        found = Subgraph()
        todo: list[NodeKey] = [(OFFER.label, (offer,)) for offer in offers]
        while todo:
            node = todo.pop()
            if node in found.nodes or node not in self.nodes:
                continue
            found.nodes[node] = self.nodes[node]
            for edge, values in self._out[node]:
                found.edges[edge] = values
                if edge[2][0] not in shared:
                    todo.append(edge[2])
        return found


def node_row(node: Node, key: NodeKey, values: Values) -> dict[str, object]:
    """A row for `node_upsert` and `node_delete`."""
    row = dict(zip((p.name for p in node.properties), values, strict=False))
    return row | dict(zip(node.key, key[1], strict=True))


def edge_row(pattern: Relationship, edge: EdgeKey, values: Values) -> dict[str, object]:
    """A row for `relationship_upsert` and `relationship_delete`."""
    _, (_, start), (_, end) = edge
    row: dict[str, object] = {f"start_{part}": value for part, value in zip(pattern.start.key, start, strict=True)}
    row |= {f"end_{part}": value for part, value in zip(pattern.end.key, end, strict=True)}
    return row | dict(zip((p.name for p in pattern.properties), values, strict=False))
