"""Patterns that nothing links make every combination of their rows."""

from collections.abc import Iterator

from cpq_graph.query.check.context import Context
from cpq_graph.query.check.facts import conjuncts, variables
from cpq_graph.query.check.findings import Problem
from cpq_graph.query.check.scopes import Symbol
from cpq_graph.query.check.tree import (
    Group,
    MapOf,
    Match,
    NodePattern,
    Part,
    Path,
    Project,
    SingleQuery,
    Subquery,
    Unwind,
    walk,
)


def cartesian(context: Context) -> Iterator[Problem]:
    """Within what one WITH or RETURN sees, every pattern is joined to the others by a node, a condition or a value."""
    for part in context.parts:
        if isinstance(part, SingleQuery):
            yield from _query(context, part)


def _query(context: Context, query: SingleQuery) -> Iterator[Problem]:
    groups: list[tuple[set[Symbol], Path]] = []
    for clause in query.clauses:
        if isinstance(clause, Match):
            before = set(context.scopes.before.get(clause, {}).values())
            for path in clause.paths:
                groups = _joined(groups, _symbols(context, path), path)
            groups = _linked(context, groups, clause.where)
            # What was there before (a row of an earlier WITH, an import) is one row; standing beside it is no product.
            del before
        elif isinstance(clause, Project):
            groups = _linked(context, groups, clause.where)
            yield from _apart(context, groups)
            groups = []
        elif isinstance(clause, Unwind):
            continue


def _symbols(context: Context, path: Path) -> set[Symbol]:
    found: set[Symbol] = set()
    for part in walk(path):
        symbol = context.scopes.symbols.get(part) or context.scopes.uses.get(part)  # type: ignore[call-overload]
        if symbol is not None:
            found.add(symbol)
        if isinstance(part, Group):
            for name in walk(part):
                inner = context.scopes.symbols.get(name)
                if inner is not None:
                    found.add(inner)
    return found


def _joined(groups: list[tuple[set[Symbol], Path]], symbols: set[Symbol], path: Path) -> list[tuple[set[Symbol], Path]]:
    touching = [group for group in groups if group[0] & symbols]
    rest = [group for group in groups if not group[0] & symbols]
    merged = symbols.union(*(group[0] for group in touching))
    return [*rest, (merged, touching[0][1] if touching else path)]


def _linked(
    context: Context, groups: list[tuple[set[Symbol], Path]], where: Part | None
) -> list[tuple[set[Symbol], Path]]:
    """Joins the groups that a condition speaks of together."""
    for condition in conjuncts(where):
        used = {context.scopes.uses[one] for one in variables(condition) if one in context.scopes.uses}
        for inner in walk(condition):
            if isinstance(inner, Subquery | NodePattern) and inner in context.scopes.symbols:
                used.add(context.scopes.symbols[inner])
        touching = [group for group in groups if group[0] & used]
        if len(touching) > 1:
            rest = [group for group in groups if not group[0] & used]
            groups = [*rest, (set().union(*(group[0] for group in touching)), touching[0][1])]
    return groups


def _apart(context: Context, groups: list[tuple[set[Symbol], Path]]) -> Iterator[Problem]:
    many = [group for group in groups if not _is_looked_up(context, group)]
    if len(groups) > 1 and many:
        second = sorted(groups, key=lambda group: group[1].start)[1][1]
        yield Problem(
            f"Nothing links {context.text(second)} to the rest: every combination would be a row",
            second.start,
            second.end,
            note=len(many) < 2,
            hint="Join the patterns, or aggregate the first in a WITH before the second",
        )


def _is_looked_up(context: Context, group: tuple[set[Symbol], Path]) -> bool:
    """A single node with given properties stands for one thing that was asked for."""
    patterns = [one for symbol in group[0] for one in symbol.patterns if isinstance(one, NodePattern)]
    alone = len([symbol for symbol in group[0] if symbol.patterns]) == 1
    return alone and any(isinstance(one.properties, MapOf) and one.properties.entries for one in patterns)
