"""A relationship between nodes that are further apart: the nodes between are put in when there is one way only."""

from collections.abc import Iterator
from dataclasses import replace

from cpq_graph.query.check.conflicts import Conflict, conflicts, consistent
from cpq_graph.query.check.context import Context
from cpq_graph.query.check.findings import Edit, Problem
from cpq_graph.query.check.labels import Edge, Labels, narrowed
from cpq_graph.query.check.routes import Route, leads_back, quote, routes
from cpq_graph.query.check.scopes import Symbol
from cpq_graph.query.check.tree import RelationshipPattern


def hops(context: Context) -> Iterator[Problem]:
    """Conflicts that no turned arrow mends."""
    for conflict in conflicts(context):
        if conflict.turns:
            continue
        suspects = _suspects(conflict)
        found = [(edge, route) for edge in suspects for route in _ways(context, conflict, edge, suspects)]
        broken = {edge for edge, _ in found}
        for edge in suspects if len(suspects) > 1 and _all_broken(conflict, suspects) else broken or suspects[:1]:
            ways = [route for one, route in found if one is edge]
            if (
                isinstance(edge.pattern, RelationshipPattern)
                and len(ways) == 1
                and (len(broken) == 1 or _all_broken(conflict, suspects))
            ):
                yield _inserted(context, edge.pattern, ways[0])
            else:
                yield _refused(context, conflict, edge, ways)
                break


def _fits(conflict: Conflict, edge: Edge) -> bool:
    """Whether the labels at its ends, as written, can be joined so, with the arrow either way."""
    lefts, rights = conflict.inference.domains[edge.left], conflict.inference.domains[edge.right]
    return any(start in lefts and end in rights for start, end in edge.pairs | edge.turned)


def _all_broken(conflict: Conflict, edges: list[Edge]) -> bool:
    return not any(_fits(conflict, edge) for edge in edges)


def _suspects(conflict: Conflict) -> list[Edge]:
    """The edges that are impossible by themselves; else those without which the rest is possible."""
    broken = [edge for edge in conflict.edges if not _fits(conflict, edge)]
    if broken:
        return broken
    every = list(conflict.edges)
    alone = [edge for edge in every if consistent(conflict.inference, [one for one in every if one is not edge])]
    return alone or every


def _ways(context: Context, conflict: Conflict, edge: Edge, suspects: list[Edge]) -> list[Route]:
    """The routes that could stand for an edge, with its type on the way and the rest of the pattern possible."""
    pattern = edge.pattern
    if not isinstance(pattern, RelationshipPattern) or pattern.repeated is not None:
        return []
    ends = _ends(conflict, edge, suspects)
    if ends is None:
        return []
    lefts, rights = ends
    if len(lefts) == len(context.schema.labels) or len(rights) == len(context.schema.labels):
        return []
    types = context.types_of(pattern)
    found = routes(context.schema, lefts, rights, least=2)
    if pattern.types is not None:
        found = [route for route in found if any(triple.type in types for triple in route.triples)]
    rest = [
        one
        for one in conflict.edges
        if one not in suspects or (one is not edge and not _all_broken(conflict, suspects))
    ]
    kept = []
    for route in found:
        pair = frozenset({(route.left, route.right)})
        if consistent(conflict.inference, [*rest, replace(edge, pairs=pair, turned=pair)]):
            kept.append(route)
    if len(kept) > 1 and (pattern.left is None) != (pattern.right is None):
        along = [route for route in kept if route.backwards == (pattern.left is not None)]
        kept = along or kept
    return [route for route in kept if not leads_back(context.schema, route)]


def _ends(conflict: Conflict, edge: Edge, suspects: list[Edge]) -> tuple[Labels, Labels] | None:
    """What the rest of the pattern leaves the two ends."""
    others = [(one.left, one.right, one.pairs) for one in conflict.edges if one is not edge and one not in suspects]
    domains: dict[Symbol, Labels] | None = narrowed(conflict.inference.domains, others)
    if domains is None:
        return None
    return domains[edge.left], domains[edge.right]


def _inserted(context: Context, pattern: RelationshipPattern, route: Route) -> Problem:
    types = context.types_of(pattern)
    details: dict[int, str] = {}
    if pattern.types is not None and pattern.details is not None:
        kept = [index for index, triple in enumerate(route.triples) if triple.type in types]
        # The bracket stays on the hop next to the end it was written at, so that its variable means the same.
        details[kept[-1] if not route.backwards else kept[0]] = context.text(pattern.details)
    written = route.written(details)
    between = ", ".join(quote(one) for one in _between(route))
    return Problem(
        f"{context.text(pattern)} leaves out {between}", pattern.start, pattern.end,
        (Edit(pattern.start, pattern.end, written),),
    )  # fmt: skip


def _between(route: Route) -> list[str]:
    return [triple.start if route.backwards else triple.end for triple in route.triples[:-1]]


def _refused(context: Context, conflict: Conflict, edge: Edge, ways: list[Route]) -> Problem:
    lefts, rights = conflict.inference.domains[edge.left], conflict.inference.domains[edge.right]
    hint: str | None
    if ways:
        hint = f"Several ways lead there: {'; '.join(way.written({}) for way in ways[:3])}"
    else:
        direct = [
            triple for triple in context.schema.triples
            if {triple.start, triple.end} <= lefts | rights
            and ((triple.start in lefts and triple.end in rights) or (triple.end in lefts and triple.start in rights))
        ]  # fmt: skip
        known = [f"(:{one.start})-[:{one.type}]->(:{one.end})" for one in direct[:4]]
        if not known and isinstance(edge.pattern, RelationshipPattern):
            types = context.types_of(edge.pattern)
            known = [
                f"(:{one.start})-[:{one.type}]->(:{one.end})" for one in context.schema.triples if one.type in types
            ][:4]
        hint = f"The schema knows: {', '.join(known)}" if known else None
    return Problem(
        f"The schema has no {context.text(edge.pattern)} from {_named(context, lefts)} to {_named(context, rights)}",
        edge.pattern.start,
        edge.pattern.end,
        hint=hint,
    )


def _named(context: Context, labels: Labels) -> str:
    return "any node" if len(labels) == len(context.schema.labels) else "/".join(sorted(labels))
