"""What a rule is given: the query as it stands, read and analysed, and what is known of the graph."""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from cpq_graph.query.check.labels import Inference, Labels, infer, settled, types_of
from cpq_graph.query.check.parser import Parsed
from cpq_graph.query.check.schema import GraphSchema
from cpq_graph.query.check.scopes import Region, Scopes, Symbol, analyse
from cpq_graph.query.check.tree import Part, Query, RelationshipPattern, walk


class ValueLookup(Protocol):
    """Finds values in the graph."""

    def places(self, value: str) -> tuple[tuple[str, str], ...]:
        """The (label, property) pairs under which a node holds exactly this text, sorted."""
        ...


@dataclass(frozen=True)
class Context:
    """A query that was read, and all that rules may ask about it; analysed when first asked for."""

    parsed: Parsed
    query: Query
    schema: GraphSchema
    lookup: ValueLookup | None = None

    @property
    def source(self) -> str:
        """The text that positions count in."""
        return self.parsed.source

    def text(self, part: Part) -> str:
        """A part as it is written."""
        return self.parsed.source[part.start : part.end]

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """Every part of the query, outer ones first."""
        return tuple(walk(self.query))

    @cached_property
    def scopes(self) -> Scopes:
        """What each variable means."""
        return analyse(self.query)

    @cached_property
    def inferences(self) -> dict[Region, Inference]:
        """Domains and edges of each region."""
        return {region: infer(self.scopes, region, self.schema) for region in self.scopes.regions}

    @cached_property
    def labels(self) -> dict[Symbol, Labels]:
        """The labels that each node can have; a node whose labels the schema lacks is left out."""
        found: dict[Symbol, Labels] = {}
        for inference in self.inferences.values():
            for symbol, labels in settled(inference).items():
                if symbol in inference.unknown:
                    continue
                found[symbol] = found[symbol] & labels or found[symbol] if symbol in found else labels
        return found

    def labels_of(self, symbol: Symbol) -> Labels:
        """The labels a node can have; every label when nothing says."""
        return self.labels.get(symbol.root, frozenset(self.schema.labels))

    def types_of(self, pattern: RelationshipPattern) -> Labels:
        """The relationship types that a pattern lets through."""
        return types_of(pattern, self.schema)
