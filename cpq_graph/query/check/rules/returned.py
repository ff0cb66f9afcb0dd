"""The query ends in RETURN, and a whole node returned is shown by its name or id."""

from collections.abc import Iterator

from cpq_graph.query.check.context import Context
from cpq_graph.query.check.facts import aggregating
from cpq_graph.query.check.findings import Edit, Problem
from cpq_graph.query.check.naming import display_property
from cpq_graph.query.check.routes import quote
from cpq_graph.query.check.tree import Finish, Forbidden, Item, Project, SingleQuery, Variable


def returned(context: Context) -> Iterator[Problem]:
    """Every branch of the statement returns something; bare nodes get a property."""
    for part in context.query.parts:
        last = part.clauses[-1]
        if isinstance(last, Project) and last.keyword.text == "RETURN":
            yield from _nodes(context, last)
        elif isinstance(last, Project) and part is context.query.parts[0] and len(context.query.parts) == 1:
            yield Problem(
                "The query ends in WITH and returns nothing", last.start, last.start + 4, hint="End in RETURN"
            )
        elif not isinstance(last, Forbidden):
            start = last.start if isinstance(last, Finish) else last.end
            yield Problem("The query returns nothing", start, last.end, hint="End in RETURN")
        yield from _early(part)


def _early(part: SingleQuery) -> Iterator[Problem]:
    for clause in part.clauses[:-1]:
        if isinstance(clause, Project) and clause.keyword.text == "RETURN":
            yield Problem("RETURN can only be the last clause", clause.start, clause.keyword.end)


def _nodes(context: Context, clause: Project) -> Iterator[Problem]:
    bare = [(item, key) for item in clause.items if (key := _shown(context, item)) is not None]
    if bare and (clause.distinct or any(aggregating(item.expression) for item in clause.items)):
        yield _carried(context, clause, bare)
        return
    written = {context.text(item.expression) for item in clause.items}
    for item, key in bare:
        expression = item.expression
        text = f"{context.text(expression)}.{quote(key)}"
        # The same column twice is an error; a column's own name keeps it apart.
        alias = f" AS {context.text(expression)}_{key}" if text in written and item.alias is None else ""
        yield Problem(
            f"{context.text(expression)} is a whole node; its {key} is returned",
            item.start, item.end, (Edit(expression.end, expression.end, f".{quote(key)}{alias}"),),
        )  # fmt: skip


def _shown(context: Context, item: Item) -> str | None:
    if not isinstance(item.expression, Variable):
        return None
    symbol = context.scopes.uses.get(item.expression)
    if symbol is None or symbol.kind != "node":
        return None
    return display_property(context, symbol)


def _carried(context: Context, clause: Project, bare: list[tuple[Item, str]]) -> Problem:
    """Groups and distinct rows stay those of nodes: RETURN becomes a WITH, and a RETURN of properties follows."""
    edits = [Edit(clause.keyword.start, clause.keyword.end, "WITH")]
    shown: list[str] = []
    keys = dict(bare)
    for item in clause.items:
        if item in keys:
            name = quote(item.alias.text) if item.alias is not None else context.text(item.expression)
            shown.append(f"{name}.{quote(keys[item])} AS {name}")
        elif item.alias is not None:
            shown.append(quote(item.alias.text))
        elif isinstance(item.expression, Variable):
            shown.append(context.text(item.expression))
        else:
            column = "`" + context.text(item.expression).replace("`", "``") + "`"
            edits.append(Edit(item.end, item.end, f" AS {column}"))
            shown.append(column)
    edits.append(Edit(clause.end, clause.end, f" RETURN {', '.join(shown)}"))
    first = bare[0][0]
    return Problem(
        f"{context.text(first.expression)} is a whole node; its {bare[0][1]} is returned",
        first.start, first.end, tuple(edits),
    )  # fmt: skip
