"""Labels and relationship types that the graph has; near misses are mended."""

from collections.abc import Iterable, Iterator

from cpq_graph.query.check.context import Context
from cpq_graph.query.check.facts import names_of
from cpq_graph.query.check.findings import Edit, Problem
from cpq_graph.query.check.labels import Edge
from cpq_graph.query.check.nearest import nearest, says_nothing_more, suggestions
from cpq_graph.query.check.routes import Route, quote, routes
from cpq_graph.query.check.tree import HasLabel, Name, NodePattern, RelationshipPattern, Variable


def labels(context: Context) -> Iterator[Problem]:
    """Labels of nodes, in patterns and in conditions."""
    schema = context.schema
    for part in context.parts:
        if isinstance(part, NodePattern) or (isinstance(part, HasLabel) and not _of_relationship(context, part)):
            expression = part.labels
        else:
            continue
        for label in names_of(expression):
            if label.text not in schema.labels:
                yield _unknown(label, "label", schema.labels)


def _of_relationship(context: Context, part: HasLabel) -> bool:
    if not isinstance(part.subject, Variable):
        return False
    symbol = context.scopes.uses.get(part.subject)
    return symbol is not None and symbol.kind == "relationship"


def _unknown(label: Name, what: str, known: Iterable[str]) -> Problem:
    candidates = list(known)
    near = nearest(label.text, candidates)
    return Problem(
        f"The graph has no {what} {label.text}",
        label.start,
        label.end,
        (Edit(label.start, label.end, quote(near)),) if near else (),
        hint=f"Nearest are: {suggestions(label.text, candidates)}",
    )


def relationship_types(context: Context) -> Iterator[Problem]:
    """Types of relationships. What joins the two ends is considered before what only looks alike."""
    schema = context.schema
    edges = {edge.pattern: edge for found in context.inferences.values() for edge in found.edges}
    for part in context.parts:
        if isinstance(part, HasLabel) and _of_relationship(context, part):
            for name in names_of(part.labels):
                if name.text not in schema.pairs:
                    yield _unknown(name, "relationship type", schema.pairs)
        elif isinstance(part, RelationshipPattern):
            for name in names_of(part.types):
                if name.text not in schema.pairs:
                    yield _unknown_type(context, part, name, edges.get(part))


def _unknown_type(context: Context, part: RelationshipPattern, name: Name, edge: Edge | None) -> Problem:
    schema, text = context.schema, name.text
    joining: list[str] = []
    ways: list[Route] = []
    if edge is not None and part.repeated is None:
        lefts, rights = context.labels_of(edge.left), context.labels_of(edge.right)
        if len(lefts) < len(schema.labels) and len(rights) < len(schema.labels):
            ways = routes(schema, lefts, rights)
            joining = sorted({way.triples[0].type for way in ways if len(way.triples) == 1})
    near = nearest(text, joining)
    if near is None and not joining:
        near = nearest(text, schema.pairs)
    ends = {triple for way in ways for triple in (way.left, way.right)}
    if near is None and len(joining) == 1 and says_nothing_more(text, ends):
        near = joining[0]
    message = f"The graph has no relationship type {text}"
    if near is not None:
        return Problem(message, name.start, name.end, (Edit(name.start, name.end, quote(near)),))
    alone = (
        part.types is not None
        and part.types.name is name
        and part.variable is None
        and part.properties is None
        and part.where is None
    )
    if not joining and len(ways) == 1 and alone and says_nothing_more(text, ends):
        written = ways[0].written({})
        return Problem(
            f"{message}; the only way between its ends is {written}", part.start, part.end,
            (Edit(part.start, part.end, written),),
        )  # fmt: skip
    hint = f"Between its ends there is: {', '.join(joining)}" if joining else None
    return Problem(message, name.start, name.end, hint=hint or f"Nearest are: {suggestions(text, schema.pairs)}")
