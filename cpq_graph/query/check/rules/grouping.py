"""What may stand beside and behind an aggregation: grouping keys, and nothing that the grouping has hidden."""

from collections.abc import Iterator

from cpq_graph.query.check.context import Context
from cpq_graph.query.check.facts import aggregates, aggregating, is_aggregate
from cpq_graph.query.check.findings import Edit, Problem
from cpq_graph.query.check.routes import quote
from cpq_graph.query.check.tree import (
    Call,
    Comprehension,
    Constant,
    Match,
    Parameter,
    Part,
    Project,
    Reduce,
    Subquery,
    Variable,
    children,
)


def grouping(context: Context) -> Iterator[Problem]:
    """Aggregates in conditions and in each other; hidden variables behind a projection; half-grouped expressions."""
    for part in context.parts:
        if isinstance(part, Match) and part.where is not None:
            for call in aggregates(part.where):
                yield Problem(
                    f"{call.name.text}() cannot stand in the WHERE of a MATCH",
                    call.start, call.end, hint="Aggregate in a WITH, and filter with its WHERE",
                )  # fmt: skip
        elif isinstance(part, Call) and is_aggregate(part):
            inner = [call for argument in part.arguments for call in aggregates(argument)]
            if inner:
                yield Problem(
                    f"{part.name.text}() cannot take another aggregate",
                    inner[0].start, inner[0].end, hint="Aggregate in a WITH first",
                )  # fmt: skip
        elif isinstance(part, Project):
            yield from _behind(context, part)
            yield from _beside(context, part)


def _behind(context: Context, clause: Project) -> Iterator[Problem]:
    aliased = {context.text(item.expression): item.alias.text for item in clause.items if item.alias is not None}
    grouped = clause.distinct or any(aggregating(item.expression) for item in clause.items)
    if clause.where is not None:
        for call in aggregates(clause.where):
            alias = aliased.get(context.text(call))
            yield Problem(
                f"{call.name.text}() cannot stand in WHERE",
                call.start,
                call.end,
                (Edit(call.start, call.end, quote(alias)),) if alias is not None else (),
                hint="Give the aggregate a name in this WITH, and ask for the name",
            )
    if not grouped or clause.star:
        return
    shown = {context.text(item.expression) for item in clause.items}
    visible = set(context.scopes.after.get(clause, {}))
    for sort in clause.order:
        yield from _hidden(context, sort.expression, shown, visible)
    if clause.where is not None:
        yield from _hidden(context, clause.where, shown, visible)


def _hidden(context: Context, part: Part, shown: set[str], visible: set[str]) -> Iterator[Problem]:
    """Uses of variables that only existed before the projection, unless the whole expression was projected."""
    if context.text(part) in shown or is_aggregate(part) or isinstance(part, Subquery | Comprehension | Reduce):
        return
    if isinstance(part, Variable):
        symbol = context.scopes.uses.get(part)
        if symbol is not None and part.name not in visible:
            yield Problem(
                f"{part.name} is no longer known here, because the rows were grouped",
                part.start, part.end, hint="Make it, or the property asked for, an item before",
            )  # fmt: skip
        return
    for child in children(part):
        yield from _hidden(context, child, shown, visible)


def _beside(context: Context, clause: Project) -> Iterator[Problem]:
    keys = {context.text(item.expression) for item in clause.items if not aggregating(item.expression)}
    for item in clause.items:
        if aggregating(item.expression) and not is_aggregate(item.expression):
            yield from _ungrouped(context, item.expression, keys)


def _ungrouped(context: Context, part: Part, keys: set[str]) -> Iterator[Problem]:
    """What varies within a group and is neither aggregated nor a key."""
    if is_aggregate(part) or context.text(part) in keys or isinstance(part, Constant | Parameter):
        return
    if isinstance(part, Variable):
        symbol = context.scopes.uses.get(part)
        if symbol is not None:
            yield Problem(
                f"{part.name} is neither aggregated nor an item to group by",
                part.start, part.end, hint="Make it an item of its own, or aggregate it",
            )  # fmt: skip
        return
    if isinstance(part, Comprehension | Reduce | Subquery):
        return
    for child in children(part):
        yield from _ungrouped(context, child, keys)
