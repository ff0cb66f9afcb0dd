"""The frames of a graph → the hierarchy of each product's configuration, in document order.

Arrives: nodes by label and relationships by pattern name. Leaves: `Rebuilt` trees, which equal what the XML said of the
mapped elements: the graph holds all of it. `position` alone puts children of all kinds in their order.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from cpq_graph.model import (
    ATTRIBUTE,
    CONFIGURED_AS,
    FAMILY_HAS_CHILD,
    HAS_ATTRIBUTE,
    HAS_PARAMETER,
    HAS_TAB,
    HAS_VALUE,
    PARAMETER,
    PARAMETER_VALUE,
    PRODUCT_FAMILY,
    TAB,
    TAB_HAS_CHILD,
)

_ELEMENTS = (PRODUCT_FAMILY, TAB, PARAMETER, PARAMETER_VALUE)


@dataclass(slots=True)
class Rebuilt:
    """An element: its label, its properties as the graph has them, and its children in document order."""

    label: str
    properties: dict[str, object]
    children: "list[Rebuilt]" = field(default_factory=list)


def rebuild(nodes: Mapping[str, pl.LazyFrame], relationships: Mapping[str, pl.LazyFrame]) -> dict[str, Rebuilt]:
    """The root family of each configured product, by the product's id."""
    elements = {
        row["id"]: Rebuilt(node.label, {name: value for name, value in row.items() if value is not None})
        for node in _ELEMENTS
        for row in nodes[node.label].collect().iter_rows(named=True)
    }
    attributes = {
        row["key"]: {"type": row["type"], "value": row["value"]}
        for row in nodes[ATTRIBUTE.label].collect().iter_rows(named=True)
    }
    children: dict[str, list[tuple[int, Rebuilt]]] = {}
    for pattern in HAS_ATTRIBUTE:
        for start, end, position in _rows(relationships[pattern.name]):
            children.setdefault(start, []).append((position, Rebuilt(ATTRIBUTE.label, dict(attributes[end]))))
    nested = {end for _, end, _ in _rows(relationships[TAB_HAS_CHILD.name])}
    for pattern in (FAMILY_HAS_CHILD, HAS_TAB, TAB_HAS_CHILD, HAS_PARAMETER, HAS_VALUE):
        for start, end, position in _rows(relationships[pattern.name]):
            # A family reaches its tabs at every depth; in the document a nested one stands in its tab.
            if pattern is not HAS_TAB or end not in nested:
                children.setdefault(start, []).append((position, elements[end]))
    for parent, found in children.items():
        elements[parent].children = [child for _, child in sorted(found, key=lambda pair: pair[0])]
    roots = relationships[CONFIGURED_AS.name].select("start", "end").collect().iter_rows()
    return {product: elements[family] for product, family in roots}


def _rows(frame: pl.LazyFrame) -> list[tuple[str, str, int]]:
    return frame.select("start", "end", "position").collect().rows()
