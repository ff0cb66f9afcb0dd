"""Arrows point the way the schema knows; one that points the other way is turned."""

from collections.abc import Iterator

from cpq_graph.query.check.conflicts import conflicts
from cpq_graph.query.check.context import Context
from cpq_graph.query.check.findings import Edit, Problem
from cpq_graph.query.check.tree import RelationshipPattern


def directions(context: Context) -> Iterator[Problem]:
    """The fewest arrows that have to turn for the pattern to be possible, when it is clear which."""
    for conflict in conflicts(context):
        if len(conflict.turns) == 1:
            for edge in conflict.turns[0]:
                pattern = edge.pattern
                if isinstance(pattern, RelationshipPattern):
                    written = context.text(pattern)
                    yield Problem(
                        f"The relationship {written} points the wrong way", pattern.start, pattern.end, turned(pattern)
                    )
        elif conflict.turns:
            first, last = conflict.edges[0].pattern, conflict.edges[-1].pattern
            yield Problem(
                "The arrows of this pattern contradict the schema, and more than one could be turned",
                first.start,
                last.end,
                hint="Label the nodes between them",
            )


def turned(pattern: RelationshipPattern) -> tuple[Edit, ...]:
    """The edits that turn an arrow and leave all else of it."""
    if pattern.left is not None:
        end = pattern.end if pattern.quantifier is None else pattern.quantifier.start
        return (Edit(pattern.left.start, pattern.left.end, ""), Edit(end, end, ">"))
    if pattern.right is not None:
        return (Edit(pattern.start, pattern.start, "<"), Edit(pattern.right.start, pattern.right.end, ""))
    return ()
