"""The type of an expression, as far as the schema and Cypher's functions tell."""

from cpq_graph.query.check.context import Context
from cpq_graph.query.check.rules.properties import known_properties
from cpq_graph.query.check.scopes import Symbol
from cpq_graph.query.check.tree import Call, Case, Constant, Index, Operation, Part, Property, Unary, Variable

NUMBERS = frozenset({"INTEGER", "FLOAT", "NUMBER"})
DATES = frozenset({"DATE"})
MOMENTS = frozenset({"ZONED DATETIME", "LOCAL DATETIME", "DATE_TIME", "DATETIME", "LOCAL_DATE_TIME"})
_RETURNS = {
    "tofloat": "FLOAT", "tointeger": "INTEGER", "tostring": "STRING", "tolower": "STRING", "toupper": "STRING",
    "trim": "STRING", "substring": "STRING", "left": "STRING", "right": "STRING", "replace": "STRING", "date": "DATE",
    "datetime": "ZONED DATETIME", "localdatetime": "LOCAL DATETIME", "duration": "DURATION", "count": "INTEGER",
    "avg": "NUMBER", "size": "INTEGER", "abs": "NUMBER", "round": "FLOAT", "length": "INTEGER", "lower": "STRING",
    "upper": "STRING", "date.truncate": "DATE", "datetime.truncate": "ZONED DATETIME", "sqrt": "FLOAT",
    "labels": "LIST", "collect": "LIST", "keys": "LIST", "split": "LIST", "type": "STRING", "elementid": "STRING",
    "timestamp": "INTEGER", "ceil": "FLOAT", "floor": "FLOAT",
}  # fmt: skip
# Functions that give back a type of what they are given.
_SAME = frozenset({"sum", "min", "max", "coalesce", "head", "last"})


def type_of(context: Context, part: Part, depth: int = 0) -> str | None:  # noqa: PLR0911 - one return a form
    """STRING, INTEGER, FLOAT, NUMBER, BOOLEAN, DATE, …, NODE, RELATIONSHIP, LIST; None when nothing tells."""
    if depth > 20:
        return None
    if isinstance(part, Constant):
        if part.kind == "number":
            return "INTEGER" if part.value.isdigit() else "FLOAT"
        return {"string": "STRING", "boolean": "BOOLEAN"}.get(part.kind)
    if isinstance(part, Variable):
        symbol = context.scopes.uses.get(part)
        return _symbol_type(context, symbol, depth) if symbol is not None else None
    if isinstance(part, Property):
        return _property_type(context, part)
    if isinstance(part, Call):
        name = part.name.text.lower()
        if name in _SAME and part.arguments:
            return type_of(context, part.arguments[0], depth + 1)
        return _RETURNS.get(name)
    if isinstance(part, Case) and part.results:
        return type_of(context, part.results[0], depth + 1)
    return _operation_type(context, part, depth)


def _operation_type(context: Context, part: Part, depth: int) -> str | None:
    if isinstance(part, Operation) and part.operators[0] in ("+", "-", "*", "/", "%", "^"):
        types = {type_of(context, operand, depth + 1) for operand in part.operands}
        if types <= NUMBERS:
            return "FLOAT" if "FLOAT" in types else "NUMBER"
        temporal = types & (DATES | MOMENTS)
        if len(temporal) == 1 and types <= temporal | {"DURATION"}:
            return temporal.pop() if "DURATION" in types else None
        return "STRING" if types == {"STRING"} and part.operators[0] == "+" else None
    if isinstance(part, Unary) and part.operator in ("-", "+"):
        return type_of(context, part.operand, depth + 1)
    if isinstance(part, Index):
        return None
    return None


def _symbol_type(context: Context, symbol: Symbol, depth: int) -> str | None:
    if symbol.kind == "node":
        return "NODE"
    if symbol.kind == "relationship":
        return "RELATIONSHIP"
    if symbol.kind in ("list", "path"):
        return symbol.kind.upper()
    return type_of(context, symbol.origin, depth + 1) if symbol.origin is not None else None


def _property_type(context: Context, part: Property) -> str | None:
    written = _written(context, part)
    return plain(written) if written is not None else None


def _written(context: Context, part: Property) -> str | None:
    """The type of a property as the schema has it."""
    symbol = context.scopes.uses.get(part.subject) if isinstance(part.subject, Variable) else None
    known = known_properties(context, symbol) if symbol is not None else None
    return known.get(part.key.text) if known is not None else None


def holds_numbers(context: Context, part: Part) -> bool:
    """Whether an expression is a text property of which the schema says that it holds numbers."""
    for _ in range(10):
        symbol = context.scopes.uses.get(part) if isinstance(part, Variable) else None
        if symbol is None or symbol.origin is None:
            break
        part = symbol.origin
    written = _written(context, part) if isinstance(part, Property) else None
    return written is not None and written.upper().startswith("NUMERIC ")


def plain(written: str) -> str | None:
    """A schema's type without NOT NULL, in upper case; None for ANY."""
    name = written.upper().removesuffix(" NOT NULL").removeprefix("NUMERIC ").strip()
    return None if name == "ANY" else name
