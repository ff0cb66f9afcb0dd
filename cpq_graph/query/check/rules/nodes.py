"""A whole node where one of its properties was meant: in sums, in text searches, compared with text or numbers."""

from collections.abc import Iterator

from cpq_graph.query.check.context import Context
from cpq_graph.query.check.findings import Edit, Problem
from cpq_graph.query.check.kinds import NUMBERS, plain, type_of
from cpq_graph.query.check.naming import display_property
from cpq_graph.query.check.routes import quote
from cpq_graph.query.check.rules.properties import known_properties
from cpq_graph.query.check.tree import Call, Operation, Part, Variable

_NUMERIC = frozenset(
    {"sum", "avg", "stdev", "stdevp", "percentilecont", "percentiledisc", "tofloat", "tointeger", "round", "abs"}
)
_TEXTUAL = frozenset(
    {"tolower", "toupper", "tostring", "trim", "replace", "split", "substring", "left", "right", "size"}
)
_ANY_VALUE = frozenset({"min", "max"})


def nodes(context: Context) -> Iterator[Problem]:
    """Nodes as operands of what asks for a number or text."""
    for part in context.parts:
        if isinstance(part, Call) and part.arguments and isinstance(part.arguments[0], Variable):
            name = part.name.text.lower()
            if type_of(context, part.arguments[0]) != "NODE":
                continue
            if name in _NUMERIC:
                yield _property_of(context, part.arguments[0], f"{part.name.text}() asks for a number", number=True)
            elif name in _ANY_VALUE:
                number = _only_number(context, part.arguments[0])
                yield _property_of(
                    context, part.arguments[0], f"{part.name.text}() asks for a value", number=number is not None
                )
            elif name in _TEXTUAL:
                yield _property_of(context, part.arguments[0], f"{part.name.text}() asks for text", number=False)
        elif isinstance(part, Operation):
            yield from _compared(context, part)


def _compared(context: Context, part: Operation) -> Iterator[Problem]:
    operator = part.operators[0]
    if operator in ("CONTAINS", "STARTS WITH", "ENDS WITH", "=~"):
        if type_of(context, part.operands[0]) == "NODE":
            yield _property_of(context, part.operands[0], f"{operator} asks for text", number=False)
    elif operator in ("=", "<>", "<", ">", "<=", ">="):
        left, right = part.operands[0], part.operands[1]
        for node, value in ((left, right), (right, left)):
            kind = type_of(context, value)
            if type_of(context, node) == "NODE" and (kind == "STRING" or kind in NUMBERS):
                yield _property_of(
                    context, node, f"A node is compared with {context.text(value)}", number=kind in NUMBERS
                )


def _property_of(context: Context, part: Part, message: str, *, number: bool) -> Problem:
    key = _only_number(context, part) if number else _name(context, part)
    edits = (Edit(part.end, part.end, f".{quote(key)}"),) if key is not None and isinstance(part, Variable) else ()
    return Problem(f"{message}: {context.text(part)} is a whole node", part.start, part.end, edits, "Name the property")


def _only_number(context: Context, part: Part) -> str | None:
    symbol = context.scopes.uses.get(part) if isinstance(part, Variable) else None
    known = known_properties(context, symbol) if symbol is not None else None
    numbers = [name for name, kind in (known or {}).items() if plain(kind) in NUMBERS]
    return numbers[0] if len(numbers) == 1 else None


def _name(context: Context, part: Part) -> str | None:
    symbol = context.scopes.uses.get(part) if isinstance(part, Variable) else None
    return display_property(context, symbol, names_only=True) if symbol is not None else None
