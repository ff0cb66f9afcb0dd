"""Which labels each node of the patterns can have, and which relationships no graph of this schema can hold.

A node's labels follow from its own label expressions and, in a graph where a node has one label only, from the
relationships around it (arc consistency). A relationship is a set of pairs of labels that it may join; one that is
repeated joins what its steps can reach.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from cpq_graph.query.check.schema import GraphSchema
from cpq_graph.query.check.scopes import Region, Scopes, Symbol
from cpq_graph.query.check.tree import (
    Group,
    HasLabel,
    LabelExpression,
    Length,
    NodePattern,
    Path,
    RelationshipPattern,
)

Labels = frozenset[str]
Pairs = frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True, eq=False)
class Edge:
    """A relationship between two symbols. Quantified groups are edges too, without a pattern that could be changed."""

    left: Symbol
    right: Symbol
    pattern: RelationshipPattern | Group
    # Pairs (label of left, label of right) when read as written, and when its arrow is turned.
    pairs: Pairs
    turned: Pairs

    @property
    def directed(self) -> bool:
        """Whether its direction could be turned."""
        return isinstance(self.pattern, RelationshipPattern) and self.turned != self.pairs


@dataclass(slots=True)
class Inference:
    """The domains of a region's symbols before relationships narrow them, and its edges in the order of the query."""

    schema: GraphSchema
    domains: dict[Symbol, Labels] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)
    # Nodes whose labels nothing in the schema has; nothing is said about them.
    unknown: set[Symbol] = field(default_factory=set)


def allowed(labels: LabelExpression | None, names: Iterable[str], *, lenient: bool) -> Labels:
    """The names that a label expression lets through. When a node may have several labels (`lenient`), negations say
    nothing about its others, and `A&B` may lean on either."""
    every = frozenset(names)
    if labels is None or labels.operator in ("any", "dynamic"):
        return every
    if labels.operator == "name" and labels.name is not None:
        return every & {labels.name.text}
    if labels.operator == "not":
        return every if lenient else every - allowed(labels.operands[0], every, lenient=lenient)
    inner = [allowed(operand, every, lenient=lenient) for operand in labels.operands]
    if labels.operator == "or":
        return frozenset().union(*inner)
    narrowed = frozenset.intersection(*inner)
    return narrowed or frozenset().union(*inner)


def infer(scopes: Scopes, region: Region, schema: GraphSchema) -> Inference:
    """Domains and edges of a region, with what is known about the symbols it shares with those around it."""
    found = Inference(schema)
    for path in region.paths:
        _path(path, scopes, found)
    return found


def _path(path: Path, scopes: Scopes, found: Inference) -> None:
    """Adds a path's symbols and edges; a group's inside is added on its own."""
    ends: list[Symbol | None] = []
    for element in path.elements:
        if isinstance(element, NodePattern):
            symbol = scopes.symbols[element].root
            _domain(symbol, found)
            ends.append(symbol)
        elif isinstance(element, Group):
            _path(element.path, scopes, found)
            ends.append(None)
    position = -1
    elements = path.elements
    for index, element in enumerate(elements):
        if isinstance(element, NodePattern):
            position += 1
        elif isinstance(element, Group):
            position += 1
            before = elements[index - 1] if index else None
            after = elements[index + 1] if index + 1 < len(elements) else None
            if isinstance(before, NodePattern) and isinstance(after, NodePattern):
                left, right = scopes.symbols[before].root, scopes.symbols[after].root
                pairs = _group_pairs(element, found)
                found.edges.append(Edge(left, right, element, pairs, pairs))
        else:
            left_end, right_end = ends[position], ends[position + 1] if position + 1 < len(ends) else None
            if left_end is not None and right_end is not None:
                pairs = relationship_pairs(element, found.schema)
                turned = pairs if _both_ways(element) else relationship_pairs(element, found.schema, turned=True)
                found.edges.append(Edge(left_end, right_end, element, pairs, turned))


def _both_ways(pattern: RelationshipPattern) -> bool:
    return (pattern.left is None) == (pattern.right is None)


def _domain(symbol: Symbol, found: Inference) -> None:
    if symbol in found.domains:
        return
    schema = found.schema
    lenient = not schema.single_label
    domain = frozenset(schema.labels)
    expressions = [pattern.labels for pattern in symbol.patterns if isinstance(pattern, NodePattern)]
    expressions += symbol.tests
    for pattern in symbol.patterns:
        # `(n WHERE n:Label)`
        if isinstance(pattern, NodePattern) and isinstance(pattern.where, HasLabel):
            expressions.append(pattern.where.labels)
    given = [expression for expression in expressions if expression is not None]
    for expression in given:
        let = allowed(expression, schema.labels, lenient=lenient)
        domain = domain & let if not lenient or domain & let else let
        if lenient and len(given) > 1:
            domain = frozenset().union(*(allowed(one, schema.labels, lenient=True) for one in given))
            break
    if not domain:
        found.unknown.add(symbol)
        domain = frozenset(schema.labels)
    found.domains[symbol] = domain


def types_of(pattern: RelationshipPattern, schema: GraphSchema) -> Labels:
    """The relationship types that a pattern lets through."""
    return allowed(pattern.types, schema.pairs, lenient=False)


def relationship_pairs(pattern: RelationshipPattern, schema: GraphSchema, *, turned: bool = False) -> Pairs:
    """The pairs (left label, right label) that a relationship pattern may join."""
    forwards: Pairs = frozenset().union(*(schema.pairs.get(name, frozenset()) for name in types_of(pattern, schema)))
    backwards = frozenset((end, start) for start, end in forwards)
    along = forwards if (pattern.left is None) != turned else backwards
    return repeated(forwards | backwards if _both_ways(pattern) else along, pattern.repeated, schema)


def repeated(step: Pairs, length: Length | None, schema: GraphSchema) -> Pairs:
    """What repeating a step may join."""
    if length is None:
        return step
    most = length.most if length.most is not None else length.least + 2 * len(schema.labels)
    following: dict[str, set[str]] = {}
    for start, end in step:
        following.setdefault(start, set()).add(end)
    joined: set[tuple[str, str]] = set()
    current: Pairs = frozenset((label, label) for label in schema.labels)
    seen: set[Pairs] = set()
    for count in range(min(most, length.least + 2 * len(schema.labels)) + 1):
        if count >= length.least:
            joined |= current
            if current in seen:
                break
            seen.add(current)
        current = frozenset((start, after) for start, end in current for after in following.get(end, ()))
        if not current:
            break
    return frozenset(joined)


def _group_pairs(group: Group, found: Inference) -> Pairs:
    """What a group may join: its own path, composed step by step, repeated."""
    schema = found.schema
    every = frozenset(schema.labels)
    current: Pairs = frozenset((label, label) for label in every)
    for element in group.path.elements:
        if isinstance(element, NodePattern):
            let = allowed(element.labels, every, lenient=not schema.single_label) or every
            current = frozenset(pair for pair in current if pair[1] in let)
        elif isinstance(element, RelationshipPattern):
            current = _composed(current, relationship_pairs(element, schema))
        else:
            current = _composed(current, _group_pairs(element, found))
    return repeated(current, group.quantifier, schema)


def _composed(first: Pairs, second: Pairs) -> Pairs:
    following: dict[str, set[str]] = {}
    for start, end in second:
        following.setdefault(start, set()).add(end)
    return frozenset((start, after) for start, end in first for after in following.get(end, ()))


def narrowed(
    domains: Mapping[Symbol, Labels], edges: Iterable[tuple[Symbol, Symbol, Pairs]]
) -> dict[Symbol, Labels] | None:
    """The domains that all edges leave, or None when they leave a node nothing (arc consistency)."""
    current = dict(domains)
    pending = list(edges)
    changed = True
    while changed:
        changed = False
        for left, right, pairs in pending:
            lefts, rights = current[left], current[right]
            fit = [(start, end) for start, end in pairs if start in lefts and end in rights]
            if left is right:
                fit = [pair for pair in fit if pair[0] == pair[1]] or fit
            new_left, new_right = frozenset(pair[0] for pair in fit), frozenset(pair[1] for pair in fit)
            if not fit:
                return None
            if new_left != lefts or new_right != rights:
                current[left] = new_left
                current[right] = new_right if left is not right else new_left
                changed = True
    return current


def settled(found: Inference) -> dict[Symbol, Labels]:
    """The narrowed domains when the region is consistent, else the domains as written. In a graph whose nodes may have
    several labels nothing is narrowed."""
    if not found.schema.single_label:
        return found.domains
    edges = [(edge.left, edge.right, edge.pairs) for edge in found.edges if not {edge.left, edge.right} & found.unknown]
    return narrowed(found.domains, edges) or found.domains
