"""How many rows a pattern makes of each node: which nodes a node has at most one of, by the schema's cardinalities."""

from collections.abc import Iterable

from cpq_graph.query.check.context import Context
from cpq_graph.query.check.labels import Edge
from cpq_graph.query.check.scopes import Symbol
from cpq_graph.query.check.tree import RelationshipPattern


def to_one_from(context: Context, symbols: Iterable[Symbol]) -> set[Symbol]:
    """The symbols that are known as soon as these are: each step away is one that a node has one of at most."""
    known = {symbol.root for symbol in symbols}
    edges = [edge for inference in context.inferences.values() for edge in inference.edges]
    changed = True
    while changed:
        changed = False
        for edge in edges:
            for near, far in ((edge.left, edge.right), (edge.right, edge.left)):
                if near in known and far not in known and one_from(context, edge, near):
                    known.add(far)
                    changed = True
    return known


def one_from(context: Context, edge: Edge, near: Symbol) -> bool:
    """Whether a node at the `near` end has at most one at the other, whatever its label. Unknown counts as no."""
    pattern = edge.pattern
    if not isinstance(pattern, RelationshipPattern) or pattern.repeated is not None:
        return False
    if (pattern.left is None) == (pattern.right is None):
        return False
    start, end = (edge.left, edge.right) if pattern.left is None else (edge.right, edge.left)
    starts, ends = context.labels_of(start), context.labels_of(end)
    types = context.types_of(pattern)
    fitting = [
        triple
        for triple in context.schema.triples
        if triple.type in types and triple.start in starts and triple.end in ends
    ]
    # Of several types a node may have one each.
    if not fitting or len({(triple.start, triple.type) for triple in fitting}) > len({one.start for one in fitting}):
        return False
    if near is start:
        return all(triple.one_end is True for triple in fitting)
    return all(triple.one_start is True for triple in fitting)
