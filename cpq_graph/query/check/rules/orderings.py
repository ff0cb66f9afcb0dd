"""Descending order puts nulls first: a top list would begin with rows that have no value."""

from collections.abc import Iterator

from cpq_graph.query.check.context import Context
from cpq_graph.query.check.facts import conjuncts
from cpq_graph.query.check.findings import Edit, Problem
from cpq_graph.query.check.rules.properties import known_properties
from cpq_graph.query.check.scopes import Symbol
from cpq_graph.query.check.tree import (
    Item,
    Match,
    Operation,
    OrderLimit,
    Part,
    Project,
    Property,
    Sort,
    Unary,
    Variable,
)

_COMPARISONS = frozenset({"=", "<>", "<", "<=", ">", ">=", "IN", "CONTAINS", "STARTS WITH", "ENDS WITH", "=~"})


def orderings(context: Context) -> Iterator[Problem]:
    """Keys of ORDER BY … DESC … LIMIT that may be null. Mended where the schema says that they may be."""
    for part in context.parts:
        if isinstance(part, Project | OrderLimit) and part.limit is not None and part.order:
            sort = part.order[0]
            items = part.items if isinstance(part, Project) else ()
            found = _property(context, sort, items) if sort.descending else None
            if found is not None and not _excluded(context, *found):
                key = context.text(sort.expression)
                yield Problem(
                    f"{key} may be null, and descending order puts nulls first",
                    sort.start,
                    sort.end,
                    (Edit(sort.start, sort.start, f"{key} IS NULL, "),) if context.schema.nulls_known else (),
                    note=not context.schema.nulls_known,
                    hint=f"{key} IS NULL as the first key puts them last",
                )


def _property(context: Context, sort: Sort, items: tuple[Item, ...]) -> tuple[Symbol, str] | None:
    """The node and its nullable property that is sorted by, itself or under an alias."""
    expression: Part | None = sort.expression
    for _ in range(10):
        if not isinstance(expression, Variable):
            break
        named = [item for item in items if item.alias is not None and item.alias.text == expression.name]
        symbol = context.scopes.uses.get(expression)
        following = named[0].expression if named else symbol.origin if symbol is not None else None
        if following is expression:
            return None
        expression = following
        items = ()
    if not isinstance(expression, Property) or not isinstance(expression.subject, Variable):
        return None
    symbol = context.scopes.uses.get(expression.subject)
    known = known_properties(context, symbol) if symbol is not None else None
    kind = (known or {}).get(expression.key.text)
    nullable = kind is not None and not kind.upper().endswith("NOT NULL")
    return (symbol, expression.key.text) if symbol is not None and nullable else None


def _excluded(context: Context, symbol: Symbol, key: str) -> bool:
    """Whether a condition of the query already keeps out the nulls of this property."""
    for part in context.parts:
        where = part.where if isinstance(part, Match | Project) else None
        for condition in conjuncts(where):
            operands: tuple[Part, ...] = ()
            if isinstance(condition, Unary) and condition.operator == "IS NOT NULL":
                operands = (condition.operand,)
            elif isinstance(condition, Operation) and condition.operators[0] in _COMPARISONS:
                operands = condition.operands
            for operand in operands:
                if _is(context, operand, symbol, key):
                    return True
    return False


def _is(context: Context, operand: Part, symbol: Symbol, key: str) -> bool:
    if isinstance(operand, Variable):
        named = context.scopes.uses.get(operand)
        operand = named.origin if named is not None and named.origin is not None else operand
    return (
        isinstance(operand, Property)
        and operand.key.text == key
        and isinstance(operand.subject, Variable)
        and context.scopes.uses.get(operand.subject) is symbol
    )
