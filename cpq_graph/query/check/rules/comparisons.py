"""Text is not compared with numbers or dates; one side is brought to the other's type where that says the same."""

import re
from collections.abc import Iterator

from cpq_graph.query.check.context import Context
from cpq_graph.query.check.findings import Edit, Problem
from cpq_graph.query.check.kinds import DATES, MOMENTS, NUMBERS, holds_numbers, type_of
from cpq_graph.query.check.tree import Call, Constant, ListOf, Operation, Part, Property

_ORDER = frozenset({"=", "<>", "<", "<=", ">", ">="})
_TEXT = frozenset({"CONTAINS", "STARTS WITH", "ENDS WITH", "=~"})
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}\Z")
_MOMENT = re.compile(r"(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(?:Z|[+-]\d{2}:\d{2})?\Z")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?\Z")
_TEXT_FUNCTIONS = frozenset({"substring", "left", "right", "split", "tolower", "toupper", "replace", "lower", "upper"})
_NUMBER_FUNCTIONS = frozenset({"sum", "avg", "stdev", "stdevp", "percentilecont", "percentiledisc", "round", "abs"})


def comparisons(context: Context) -> Iterator[Problem]:  # noqa: PLR0912 - one branch a form
    """Comparisons, text searches, arithmetic and calls whose types do not meet."""
    for part in context.parts:
        if isinstance(part, Operation):
            first = part.operators[0]
            if first in _ORDER:
                for index, operator in enumerate(part.operators):
                    yield from _compared(context, operator, part.operands[index], part.operands[index + 1])
            elif first == "IN" and isinstance(part.operands[1], ListOf):
                for item in part.operands[1].items:
                    yield from _compared(context, "=", part.operands[0], item)
            elif first in _TEXT and _temporal_or_number(type_of(context, part.operands[0])):
                yield _as_text(context, part.operands[0], f"{first} asks for text")
            elif first in ("*", "/", "-", "%", "^"):
                for operand in part.operands:
                    if type_of(context, operand) == "STRING" and not isinstance(operand, Constant):
                        yield _as_number(context, operand, f"{first} asks for numbers")
        elif isinstance(part, Call) and part.arguments:
            yield from _measured(context, part)
            name = part.name.text.lower()
            kind = type_of(context, part.arguments[0])
            if name in _TEXT_FUNCTIONS and _temporal_or_number(kind):
                yield _as_text(context, part.arguments[0], f"{part.name.text}() asks for text")
            elif name in _NUMBER_FUNCTIONS and kind == "STRING" and not isinstance(part.arguments[0], Constant):
                yield _as_number(context, part.arguments[0], f"{part.name.text}() asks for numbers")


def _measured(context: Context, call: Call) -> Iterator[Problem]:
    """length() is for paths, size() for text and lists."""
    name, kind = call.name.text.lower(), type_of(context, call.arguments[0])
    other = {("length", "STRING"): "size", ("length", "LIST"): "size", ("size", "PATH"): "length"}.get(
        (name, kind or "")
    )
    if other is not None:
        yield Problem(
            f"{call.name.text}() does not measure {context.text(call.arguments[0])}: {other}() does",
            call.name.start, call.name.end, (Edit(call.name.start, call.name.end, other),),
        )  # fmt: skip
    elif name in _NUMBER_FUNCTIONS and kind == "LIST":
        yield Problem(
            f"{call.name.text}() asks for a number, {context.text(call.arguments[0])} is a list",
            call.start, call.end, hint="UNWIND the list, or aggregate before collecting",
        )  # fmt: skip


def _temporal_or_number(kind: str | None) -> bool:
    return kind in DATES or kind in MOMENTS or kind in NUMBERS


def _as_text(context: Context, part: Part, message: str) -> Problem:
    return _wrapped(context, part, "toString", message)


def _as_number(context: Context, part: Part, message: str) -> Problem:
    return _wrapped(context, part, "toFloat", message)


def _wrapped(context: Context, part: Part, function: str, message: str) -> Problem:
    written = context.text(part)
    edits = (Edit(part.start, part.start, f"{function}("), Edit(part.end, part.end, ")"))
    return Problem(f"{message}: {written} is {type_of(context, part)}", part.start, part.end, edits)


def _compared(context: Context, operator: str, left: Part, right: Part) -> Iterator[Problem]:
    kinds = type_of(context, left), type_of(context, right)
    for (one, kind), (other, other_kind) in (
        ((left, kinds[0]), (right, kinds[1])),
        ((right, kinds[1]), (left, kinds[0])),
    ):
        if isinstance(one, Constant | Call) and kind in (None, "LIST"):
            continue
        if kind == "STRING" and other_kind in NUMBERS and not isinstance(one, Constant):
            yield _text_and_number(context, one, other)
            return
        if kind in NUMBERS and isinstance(other, Constant) and other.kind == "string" and not isinstance(one, Constant):
            yield _number_literal(context, one, other)
            return
        if kind in DATES and other_kind in MOMENTS and isinstance(other, Property):
            yield _wrapped(context, other, "date", f"{context.text(one)} is a DATE")
            return
        if kind in DATES and other_kind in ({"STRING"} | MOMENTS):
            yield _date(context, operator if other is right else _mirrored(operator), one, other, other_kind)
            return
        if kind in MOMENTS and isinstance(other, Constant) and other.kind == "string":
            yield _moment(context, one, other, kind)
            return


def _text_and_number(context: Context, text: Part, number: Part) -> Problem:
    """Text that is known to hold numbers is compared as a number; other text may hold days, names or anything."""
    message = f"{context.text(number)} is a number"
    if holds_numbers(context, text):
        return _as_number(context, text, message)
    written = context.text(text)
    return Problem(
        f"{message}: {written} is text", text.start, text.end,
        hint=f"toFloat({written}) compares it as a number, quotes around the number as text",
    )  # fmt: skip


def _mirrored(operator: str) -> str:
    return {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(operator, operator)


def _number_literal(context: Context, number: Part, literal: Constant) -> Problem:
    edits = (Edit(literal.start, literal.end, literal.value),) if _NUMBER.match(literal.value) else ()
    return Problem(
        f"{context.text(number)} is {type_of(context, number)}, {context.text(literal)} is text",
        literal.start,
        literal.end,
        edits,
    )


def _date(context: Context, operator: str, date: Part, other: Part, kind: str | None) -> Problem:
    written = context.text(other)
    message = f"{context.text(date)} is a DATE, {written} is not"
    hint = "Write date('2024-01-31')"
    edits: tuple[Edit, ...] = ()
    wrap = (Edit(other.start, other.start, "date("), Edit(other.end, other.end, ")"))
    if isinstance(other, Constant):
        moment = _MOMENT.match(other.value)
        if _DATE.match(other.value):
            edits = wrap
        elif moment is not None and _same_day(operator, moment[2]):
            edits = (Edit(other.start, other.end, f"date('{moment[1]}')"),)
    elif isinstance(other, Call) and kind in MOMENTS:
        argument = other.arguments[0] if other.arguments else None
        if argument is None:
            edits = (Edit(other.name.start, other.name.end, "date"),) if other.name.text.lower() != "timestamp" else ()
        elif isinstance(argument, Constant) and other.name.text.lower() in ("datetime", "localdatetime"):
            moment = _MOMENT.match(argument.value)
            if _DATE.match(argument.value) or (moment is not None and _same_day(operator, moment[2])):
                day = argument.value[:10]
                edits = (Edit(other.start, other.end, f"date('{day}')"),)
    elif kind in MOMENTS:
        edits = _now(context, other)
    elif kind == "STRING":
        edits = wrap
    return Problem(message, other.start, other.end, edits, hint)


def _same_day(operator: str, time: str) -> bool:
    """Whether leaving out the time keeps the comparison of a day with it."""
    return time.strip("0:.") == "" or operator in ("<=", ">")


def _now(context: Context, part: Part) -> tuple[Edit, ...]:
    """`datetime() - duration(…)` of whole days becomes `date() - duration(…)`."""
    if isinstance(part, Operation):
        first = part.operands[0]
        if isinstance(first, Call) and not first.arguments and type_of(context, first) in MOMENTS:
            return (Edit(first.name.start, first.name.end, "date"),)
    return ()


def _moment(context: Context, moment: Part, literal: Constant, kind: str | None) -> Problem:
    function = "localdatetime" if kind is not None and kind.startswith("LOCAL") else "datetime"
    fits = _DATE.match(literal.value) or _MOMENT.match(literal.value)
    edits = (Edit(literal.start, literal.start, f"{function}("), Edit(literal.end, literal.end, ")")) if fits else ()
    return Problem(
        f"{context.text(moment)} is {kind}, {context.text(literal)} is text", literal.start, literal.end, edits
    )
