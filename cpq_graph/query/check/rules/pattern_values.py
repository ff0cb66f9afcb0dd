"""A pattern is a condition; where its number or its own variables are asked for it becomes COUNT { } or EXISTS { }."""

from collections.abc import Iterator

from cpq_graph.query.check.context import Context
from cpq_graph.query.check.findings import Edit, Problem
from cpq_graph.query.check.tree import (
    Call,
    Case,
    Comprehension,
    Match,
    NodePattern,
    Operation,
    Part,
    PatternComprehension,
    PatternExpression,
    Project,
    RelationshipPattern,
    Unary,
    children,
)


def pattern_values(context: Context) -> Iterator[Problem]:
    """Patterns inside size() and count(), as values, and with variables that only they name."""
    undefined = {one.variable.name for one in context.scopes.undefined}
    introduced: dict[PatternExpression, list[str]] = {}
    for expression, name in context.scopes.introduced:
        introduced.setdefault(expression, []).append(name.text)
    for part in context.parts:
        for child in children(part):
            if not isinstance(child, PatternExpression) or child.path.function is not None:
                continue
            if isinstance(part, Call) and part.name.text.lower() in ("size", "length", "count"):
                yield _counted(part, child)
            elif isinstance(part, Call) and part.name.text.lower() in ("exists", "isempty"):
                if child in introduced:
                    yield _exists(part, child)
            elif not _is_condition(part, child):
                yield Problem(
                    "A pattern can only be asked whether it is there",
                    child.start, child.end, hint="COUNT { … } counts it, [ … | … ] lists it",
                )  # fmt: skip
            elif child in introduced:
                yield _with_own_names(child, introduced[child], undefined)


def _counted(call: Call, pattern: PatternExpression) -> Problem:
    edits: tuple[Edit, ...] = ()
    if len(call.arguments) == 1 and not call.distinct:
        edits = (Edit(call.start, pattern.start, "COUNT { "), Edit(pattern.end, call.end, " }"))
    return Problem(f"{call.name.text}() takes no pattern: COUNT {{ … }} counts it", call.start, call.end, edits)


def _exists(call: Call, pattern: PatternExpression) -> Problem:
    edits = (Edit(call.start, pattern.start, "EXISTS { "), Edit(pattern.end, call.end, " }"))
    return Problem("A pattern as a condition cannot name anything new", pattern.start, pattern.end, edits)


def _with_own_names(pattern: PatternExpression, names: list[str], undefined: set[str]) -> Problem:
    used = sorted(undefined & set(names))
    edits = (Edit(pattern.start, pattern.start, "EXISTS { "), Edit(pattern.end, pattern.end, " }"))
    return Problem(
        f"A pattern as a condition cannot name anything new: {', '.join(names)}",
        pattern.start,
        pattern.end,
        () if used else edits,
        hint=f"MATCH it, to use {used[0]} elsewhere" if used else None,
    )


def _is_condition(part: Part, child: PatternExpression) -> bool:
    if isinstance(part, Operation):
        return part.operators[0] in ("AND", "OR", "XOR", "=", "<>")
    if isinstance(part, Unary):
        return part.operator == "NOT"
    if isinstance(part, Case):
        return child in part.conditions
    if isinstance(part, Match | Project | Comprehension | PatternComprehension | NodePattern | RelationshipPattern):
        return part.where is child
    return False
