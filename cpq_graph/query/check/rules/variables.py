"""Every variable means something where it is used."""

from collections.abc import Iterator

from cpq_graph.query.check.context import Context
from cpq_graph.query.check.facts import aggregates, aggregating, variables
from cpq_graph.query.check.findings import Edit, Problem
from cpq_graph.query.check.grain import to_one_from
from cpq_graph.query.check.nearest import nearest
from cpq_graph.query.check.routes import quote
from cpq_graph.query.check.scopes import Symbol, Undefined
from cpq_graph.query.check.tree import Project, Variable


def undefined_variables(context: Context) -> Iterator[Problem]:
    """Variables that WITH did not carry are carried where that cannot change what is aggregated; slips are mended."""
    for one in context.scopes.undefined:
        if one.dropped_by is None:
            yield _unknown(one)
    # A slip that is mended may well be what the WITH was to carry.
    if any(one.dropped_by is None and nearest(one.variable.name, one.visible) for one in context.scopes.undefined):
        return
    carried: set[tuple[Project, str]] = set()
    for one in context.scopes.undefined:
        if one.dropped_by is not None and (one.dropped_by, one.variable.name) not in carried:
            carried.add((one.dropped_by, one.variable.name))
            yield _dropped(context, one, one.dropped_by)


def _unknown(one: Undefined) -> Problem:
    name = one.variable.name
    near = nearest(name, one.visible)
    return Problem(
        f"The variable {name} is not defined here",
        one.variable.start,
        one.variable.end,
        (Edit(one.variable.start, one.variable.end, quote(near)),) if near else (),
        hint=f"Defined are: {', '.join(sorted(one.visible)) or 'none'}",
    )


def _dropped(context: Context, one: Undefined, by: Project) -> Problem:
    name = one.variable.name
    line = context.source.count("\n", 0, by.start) + 1
    message = f"The variable {name} is not carried by the WITH in line {line}"
    symbol = context.scopes.before[by].get(name)
    if symbol is None or not by.items or not _may_carry(context, by, symbol):
        return Problem(
            message, one.variable.start, one.variable.end,
            hint=f"Carry {name} in the WITH, if its rows are to stand once for each {name}",
        )  # fmt: skip
    end = by.items[-1].end
    return Problem(message, one.variable.start, one.variable.end, (Edit(end, end, f", {quote(name)}"),))


def _may_carry(context: Context, by: Project, symbol: Symbol) -> bool:
    """Whether one more item leaves the WITH's rows as they are: it neither aggregates nor removes duplicates, or each
    of its rows has one such symbol only."""
    if not by.distinct and not any(aggregating(item.expression) for item in by.items):
        return True
    scopes = context.scopes
    kept = {
        scopes.uses[item.expression]
        for item in by.items
        if isinstance(item.expression, Variable) and item.expression in scopes.uses
    }
    counted = {
        scopes.uses.get(used) for item in by.items for call in aggregates(item.expression) for used in variables(call)
    }
    if symbol in counted:
        return False
    # With nothing to group by, what is asked for behind can only be the key; a total of all rows is one value.
    return (
        all(aggregating(item.expression) for item in by.items)
        or _is_total(context, symbol)
        or (symbol in to_one_from(context, kept))
    )


def _is_total(context: Context, symbol: Symbol) -> bool:
    """Whether a value was aggregated over all rows there were."""
    return any(
        context.scopes.symbols.get(item) is symbol
        and all(aggregating(one.expression) for one in part.items)
        and not part.star
        for part in context.parts
        if isinstance(part, Project)
        for item in part.items
    )
