"""Properties that their node or relationship has; near misses are mended, and one that stands on the wrong node."""

from collections.abc import Iterator, Mapping

from cpq_graph.query.check.context import Context
from cpq_graph.query.check.findings import Edit, Problem
from cpq_graph.query.check.grain import one_from
from cpq_graph.query.check.nearest import nearest, suggestions, words
from cpq_graph.query.check.routes import quote
from cpq_graph.query.check.scopes import Symbol
from cpq_graph.query.check.tree import MapOf, Name, NodePattern, Projection, Property, RelationshipPattern, Variable


def properties(context: Context) -> Iterator[Problem]:
    """`n.key`, `n {.key}` and the keys of property maps in patterns."""
    for part in context.parts:
        if isinstance(part, Property) and isinstance(part.subject, Variable):
            symbol = context.scopes.uses.get(part.subject)
            if symbol is not None:
                yield from _checked(context, symbol, part.key, part.subject)
        elif isinstance(part, Projection) and isinstance(part.subject, Variable):
            symbol = context.scopes.uses.get(part.subject)
            for key in part.properties if symbol is not None else ():
                yield from _checked(context, symbol, key, None)  # type: ignore[arg-type]
        elif isinstance(part, NodePattern | RelationshipPattern) and isinstance(part.properties, MapOf):
            symbol = context.scopes.symbols[part]
            for entry in part.properties.entries:
                yield from _checked(context, symbol, entry.key, None)


def known_properties(context: Context, symbol: Symbol) -> Mapping[str, str] | None:
    """The properties that a symbol can have, with their types; None for what is neither node nor relationship, or of
    labels and types that the schema lacks."""
    schema = context.schema
    if symbol.root.kind == "node":
        if symbol.root not in context.labels:
            return None
        owners = [schema.labels[label] for label in sorted(context.labels_of(symbol))]
    elif symbol.root.kind == "relationship" or (symbol.kind == "list" and _is_relationship(symbol)):
        patterns = [one for one in symbol.root.patterns if isinstance(one, RelationshipPattern)]
        types = {name for one in patterns for name in context.types_of(one)}
        if not types:
            return None
        owners = [schema.relationship_types.get(name, {}) for name in sorted(types)]
    else:
        return None
    found: dict[str, str] = {}
    for owner in owners:
        for name, kind in owner.items():
            found[name] = kind if found.get(name, kind) == kind else "ANY"
    return found


def _is_relationship(symbol: Symbol) -> bool:
    return any(isinstance(one, RelationshipPattern) for one in symbol.patterns)


def _checked(context: Context, symbol: Symbol, key: Name, subject: Variable | None) -> Iterator[Problem]:
    known = known_properties(context, symbol)
    if known is None or key.text in known:
        return
    whose = _described(context, symbol)
    message = f"{whose} has no property {key.text}"
    others = _others(context, symbol, key.text) if subject is not None else []
    near = nearest(key.text, known) or nearest(_without_label(context, symbol, key.text), known)
    if near is not None and not (others and near.casefold().replace("_", "") != key.text.casefold().replace("_", "")):
        yield Problem(message, key.start, key.end, (Edit(key.start, key.end, quote(near)),))
    elif near is None and len(others) == 1 and subject is not None:
        name = others[0]
        yield Problem(
            f"{message}, but {name} has", subject.start, key.end, (Edit(subject.start, subject.end, quote(name)),)
        )
    else:
        having = sorted(label for label, names in context.schema.labels.items() if key.text in names)
        hint = f"{key.text} is a property of {', '.join(having[:5])}" if having else None
        yield Problem(message, key.start, key.end, hint=hint or f"It has: {suggestions(key.text, known) or 'none'}")


def _without_label(context: Context, symbol: Symbol, key: str) -> str:
    """`familyName` of a ProductFamily is its name: the words of the label say nothing more."""
    if symbol.root.kind != "node" or len(context.labels_of(symbol)) != 1:
        return key
    label = next(iter(context.labels_of(symbol)))
    rest = words(key) - words(label)
    return "_".join(sorted(rest)) if len(rest) == 1 and rest != words(key) else key


def _described(context: Context, symbol: Symbol) -> str:
    if symbol.root.kind == "node":
        labels = sorted(context.labels_of(symbol))
        return "No node" if len(labels) == len(context.schema.labels) else "/".join(labels)
    return "The relationship"


def _others(context: Context, symbol: Symbol, key: str) -> list[str]:
    """The variables of nodes that have the property and of which this one has one at most: the price of an offer is its
    content's. Where a node may have many, or nobody knows, one of them was not meant."""
    found: set[str] = set()
    for inference in context.inferences.values():
        for edge in inference.edges:
            if symbol.root not in (edge.left, edge.right):
                continue
            other = edge.right if edge.left is symbol.root else edge.left
            if other is symbol.root or not other.name or not one_from(context, edge, symbol.root):
                continue
            if other in context.labels:
                owners = [context.schema.labels[label] for label in context.labels_of(other)]
                if all(key in owner for owner in owners):
                    found.add(other.name)
    return sorted(found)
