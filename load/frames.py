"""What the load takes: one frame for each label and for each relationship pattern.

Columns are those of `cpq_graph.render.node_columns` and `relationship_columns`; a relationship's `start` and `end` hold
the nodes' ids, or an Attribute's `key`. Frames may carry more columns, in any order.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import polars as pl

from cpq_graph.model import MODEL, Model, Node, PropertyType, Relationship
from cpq_graph.render import CSV_KEY, node_columns, relationship_columns

_DTYPES: dict[PropertyType, type[pl.DataType]] = {
    PropertyType.STRING: pl.String,
    PropertyType.INTEGER: pl.Int64,
    PropertyType.FLOAT: pl.Float64,
    PropertyType.DATE: pl.Date,
}


@dataclass(frozen=True, slots=True)
class GraphFrames:
    """A whole graph as frames: `nodes` by label, `relationships` by pattern name."""

    nodes: Mapping[str, pl.LazyFrame]
    relationships: Mapping[str, pl.LazyFrame]

    def node(self, node: Node) -> pl.LazyFrame:
        """One row per node, in the model's columns and types. A label without a frame is empty."""
        return _conform(self.nodes.get(node.label), node_schema(node))

    def relationship(self, relationship: Relationship) -> pl.LazyFrame:
        """One row per relationship, in the model's columns and types."""
        return _conform(self.relationships.get(relationship.name), relationship_schema(relationship))


def node_schema(node: Node) -> dict[str, type[pl.DataType]]:
    """Column types of a label's frame."""
    types = {CSV_KEY: PropertyType.STRING} | {p.name: p.type for p in node.properties}
    return {name: _DTYPES[types[name]] for name in node_columns(node)}


def relationship_schema(relationship: Relationship) -> dict[str, type[pl.DataType]]:
    """Column types of a pattern's frame."""
    types = {"start": PropertyType.STRING, "end": PropertyType.STRING}
    types |= {p.name: p.type for p in relationship.properties}
    return {name: _DTYPES[types[name]] for name in relationship_columns(relationship)}


def count(frames: GraphFrames, model: Model = MODEL) -> dict[str, int]:
    """How many rows each label and each pattern has."""
    names = [*(n.label for n in model.nodes), *(r.name for r in model.relationships)]
    lazy = [frames.node(n) for n in model.nodes] + [frames.relationship(r) for r in model.relationships]
    counted = pl.collect_all([frame.select(pl.len()) for frame in lazy])
    return {name: cast(int, frame.item()) for name, frame in zip(names, counted, strict=True)}


def _conform(frame: pl.LazyFrame | None, schema: dict[str, type[pl.DataType]]) -> pl.LazyFrame:
    if frame is None:
        return pl.LazyFrame(schema=schema)
    return frame.select(pl.col(name).cast(dtype) for name, dtype in schema.items())
