"""Small questions about expressions that several rules ask."""

from collections.abc import Iterator

from cpq_graph.query.check.tree import (
    Call,
    LabelExpression,
    Name,
    Operation,
    Part,
    Property,
    Subquery,
    Variable,
    children,
    walk,
)

AGGREGATES = frozenset(
    {"count", "sum", "avg", "min", "max", "collect", "stdev", "stdevp", "percentilecont", "percentiledisc"}
)


def is_aggregate(part: Part) -> bool:
    """Whether it is a call of an aggregating function."""
    return isinstance(part, Call) and part.name.text.lower() in AGGREGATES


def aggregates(part: Part) -> Iterator[Call]:
    """The aggregating calls in an expression; those inside its subqueries belong to the subqueries."""
    stack = [part]
    while stack:
        current = stack.pop()
        if isinstance(current, Call) and is_aggregate(current):
            yield current
        if not isinstance(current, Subquery):
            stack.extend(reversed(list(children(current))))


def aggregating(part: Part) -> bool:
    """Whether an expression aggregates."""
    return next(aggregates(part), None) is not None


def conjuncts(part: Part | None) -> Iterator[Part]:
    """The conditions that all have to hold for `part` to hold."""
    if part is None:
        return
    if isinstance(part, Operation) and part.operators[0] == "AND":
        for operand in part.operands:
            yield from conjuncts(operand)
    else:
        yield part


def names_of(labels: LabelExpression | None) -> Iterator[Name]:
    """The names in a label expression, in order."""
    if labels is not None:
        for part in walk(labels):
            if isinstance(part, LabelExpression) and part.name is not None:
                yield part.name


def variables(part: Part) -> Iterator[Variable]:
    """The variables used anywhere in a part."""
    for inner in walk(part):
        if isinstance(inner, Variable):
            yield inner


def owner(part: Part) -> Variable | None:
    """The variable `x` of `x.key`, when it is just that."""
    if isinstance(part, Property) and isinstance(part.subject, Variable):
        return part.subject
    return None
