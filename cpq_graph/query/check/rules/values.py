"""A value under the wrong label or property: where the graph holds it in one other place, it is asked for there."""

from collections.abc import Iterator
from dataclasses import dataclass

from cpq_graph.query.check.context import Context, ValueLookup
from cpq_graph.query.check.facts import names_of
from cpq_graph.query.check.findings import Edit, Problem
from cpq_graph.query.check.labels import Edge
from cpq_graph.query.check.routes import quote
from cpq_graph.query.check.scopes import Symbol
from cpq_graph.query.check.tree import (
    Constant,
    MapOf,
    Name,
    NodePattern,
    Operation,
    Part,
    Property,
    RelationshipPattern,
    Variable,
)


@dataclass(frozen=True, slots=True)
class _Named:
    """`symbol.key = literal`, wherever it is written."""

    symbol: Symbol
    key: Name
    literal: Constant


def values(context: Context) -> Iterator[Problem]:
    """Equalities of a node's property with a text. Values found nowhere, and parameters, are left as they are."""
    if context.lookup is None:
        return
    for named in _named(context):
        labels = context.labels_of(named.symbol)
        places = context.lookup.places(named.literal.value)
        here = [place for place in places if place[0] in labels]
        if not places or any(key == named.key.text for _, key in here):
            continue
        if here:
            keys = sorted({key for _, key in here})
            edits = (Edit(named.key.start, named.key.end, quote(keys[0])),) if len(keys) == 1 else ()
            yield _problem(named, f"is stored as {' or '.join(keys)}", edits)
        else:
            yield _elsewhere(context, context.lookup, named, places)


def _named(context: Context) -> Iterator[_Named]:
    for part in context.parts:
        if isinstance(part, NodePattern) and isinstance(part.properties, MapOf):
            for entry in part.properties.entries:
                if isinstance(entry.value, Constant) and entry.value.kind == "string" and entry.value.value:
                    yield _Named(context.scopes.symbols[part].root, entry.key, entry.value)
        elif isinstance(part, Operation) and part.operators == ("=",):
            for one, other in (part.operands, part.operands[::-1]):
                found = _node_property(context, one)
                if found is not None and isinstance(other, Constant) and other.kind == "string" and other.value:
                    yield _Named(found[0], found[1], other)


def _node_property(context: Context, part: Part) -> tuple[Symbol, Name] | None:
    if isinstance(part, Property) and isinstance(part.subject, Variable):
        symbol = context.scopes.uses.get(part.subject)
        if symbol is not None and symbol.root.kind == "node":
            return symbol.root, part.key
    return None


def _problem(named: _Named, what: str, edits: tuple[Edit, ...]) -> Problem:
    return Problem(f"{named.literal.value!r} {what}", named.literal.start, named.literal.end, edits)


def _elsewhere(context: Context, lookup: ValueLookup, named: _Named, places: tuple[tuple[str, str], ...]) -> Problem:
    """The value belongs to another label: the label is changed, and the relationships at it where one type fits."""
    where = ", ".join(f"{label}.{key}" for label, key in places)
    labels = sorted({label for label, _ in places})
    patterns = [one for one in named.symbol.patterns if isinstance(one, NodePattern) and one.labels is not None]
    edits: list[Edit] = []
    if len(places) == 1 and len(patterns) == 1 and not _used_otherwise(context, named):
        label, key = places[0]
        names = list(names_of(patterns[0].labels))
        fitting = _relationships(context, named.symbol, label)
        if len(names) == 1 and fitting is not None:
            edits = [Edit(names[0].start, names[0].end, quote(label)), *fitting]
            if key != named.key.text:
                edits.append(Edit(named.key.start, named.key.end, quote(key)))
    asked = "/".join(sorted(context.labels_of(named.symbol)))
    return Problem(
        f"{named.literal.value!r} is stored under {where}, not under {asked}",
        named.literal.start,
        named.literal.end,
        tuple(edits),
        hint=f"Ask for a {' or '.join(labels)}",
    )


def _used_otherwise(context: Context, named: _Named) -> bool:
    """Whether other properties of the node are used that another label may lack."""
    known = context.schema.labels
    places = context.lookup.places(named.literal.value) if context.lookup is not None else ()
    return any(
        isinstance(part, Property)
        and part.key is not named.key
        and isinstance(part.subject, Variable)
        and context.scopes.uses.get(part.subject) is named.symbol
        and any(part.key.text not in known.get(label, {}) for label, _ in places)
        for part in context.parts
    )


def _relationships(context: Context, symbol: Symbol, label: str) -> list[Edit] | None:
    """The edits that fit the node's relationships to its new label; None when one of them has no single fit."""
    edits: list[Edit] = []
    for inference in context.inferences.values():
        for edge in inference.edges:
            if symbol not in (edge.left, edge.right):
                continue
            pattern = edge.pattern
            if not isinstance(pattern, RelationshipPattern) or pattern.repeated is not None:
                return None
            types = _types(context, edge, symbol, label)
            if not types & context.types_of(pattern):
                names = list(names_of(pattern.types))
                if len(types) != 1 or len(names) != 1:
                    return None
                edits.append(Edit(names[0].start, names[0].end, quote(next(iter(types)))))
    return edits


def _types(context: Context, edge: Edge, symbol: Symbol, label: str) -> frozenset[str]:
    """The types that join the new label to the node at the other end, in either direction."""
    others = context.labels_of(edge.right if edge.left is symbol else edge.left)
    return frozenset(
        triple.type
        for triple in context.schema.triples
        if (triple.start == label and triple.end in others) or (triple.end == label and triple.start in others)
    )
