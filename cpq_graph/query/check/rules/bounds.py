"""What would exhaust the server before its timeout is looked at: lists and texts that one expression makes huge.

A timeout ends a query between rows; a list of fifty million numbers, a text that doubles at every step or a regular
expression that backtracks are made within one.
"""

import re
from collections.abc import Iterator

from cpq_graph.query.check.context import Context
from cpq_graph.query.check.facts import variables
from cpq_graph.query.check.findings import Problem
from cpq_graph.query.check.tree import Call, Comprehension, Constant, Operation, Parameter, Part, Reduce, Unary, walk

_RANGE_MAX = 1_000_000
_MEASURES = frozenset({"size", "length", "count"})
# A repeated group that holds a repetition or a choice can be matched in exponentially many ways.
_BACKTRACKING = re.compile(r"\([^()]*(?:[+*}|])[^()]*\)\s*(?:[+*]|\{\d*,)")


def bounds(context: Context) -> Iterator[Problem]:
    """range() of more than a million or of who knows how many, nested ranges, reduce() that doubles, wild patterns."""
    for part in context.parts:
        if isinstance(part, Call) and part.name.text.lower() == "range" and len(part.arguments) >= 2:
            length = _length(part)
            if length is None or length > _RANGE_MAX:
                yield Problem(
                    "range() has to be of a size that is known and at most 1,000,000",
                    part.start, part.end, hint="Its bounds can be numbers, parameters, size(…) and sums of them",
                )  # fmt: skip
        elif isinstance(part, Comprehension | Reduce):
            if _nested(part) > _RANGE_MAX:
                yield Problem("Ranges inside each other make more than 1,000,000 steps", part.start, part.end)
            if isinstance(part, Reduce) and _doubles(part):
                yield Problem(
                    f"reduce() uses {part.total.text} more than once, and may double it at every step",
                    part.step.start, part.step.end,
                )  # fmt: skip
        elif isinstance(part, Operation) and part.operators == ("=~",):
            wanted = part.operands[1]
            if isinstance(wanted, Constant) and _BACKTRACKING.search(wanted.value):
                yield Problem(
                    "This regular expression repeats what repeats, and may never end",
                    wanted.start, wanted.end, hint="CONTAINS, STARTS WITH and ENDS WITH find text",
                )  # fmt: skip


def _length(call: Call) -> float | None:
    first, last = _value(call.arguments[0]), _value(call.arguments[1])
    step = _value(call.arguments[2]) if len(call.arguments) > 2 else 1.0
    if first is None or last is None or step is None:
        return None
    return abs(last - first) / max(abs(step), 1.0)


def _value(part: Part) -> float | None:
    """The number that an expression is, at most; what the graph or the caller gives counts as nothing."""
    if isinstance(part, Constant) and part.kind == "number":
        try:
            return float(int(part.value.replace("_", ""), 0))
        except ValueError:
            return None
    if isinstance(part, Parameter) or (isinstance(part, Call) and part.name.text.lower() in _MEASURES):
        return 0.0
    if isinstance(part, Unary) and part.operator in ("-", "+"):
        return _value(part.operand)
    if isinstance(part, Operation) and set(part.operators) <= {"+", "-"}:
        values = [_value(operand) for operand in part.operands]
        return sum(abs(value) for value in values if value is not None) if None not in values else None
    return None


def _nested(part: Part) -> float:
    """The steps of a comprehension or reduce with those inside it, as far as constant ranges tell."""
    product = 1.0
    for inner in walk(part):
        source = inner.source if isinstance(inner, Comprehension | Reduce) else None
        if isinstance(source, Call) and source.name.text.lower() == "range" and len(source.arguments) >= 2:
            product *= max(_length(source) or 0.0, 1.0)
    return product


def _doubles(part: Reduce) -> bool:
    return sum(variable.name == part.total.text for variable in variables(part.step)) > 1
