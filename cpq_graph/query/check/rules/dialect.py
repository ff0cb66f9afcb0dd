"""Functions of other languages and older versions become Cypher 5's where exactly one says the same."""

import re
from collections.abc import Iterator

from cpq_graph.query.check.context import Context
from cpq_graph.query.check.findings import Edit, Problem
from cpq_graph.query.check.functions import FUNCTIONS
from cpq_graph.query.check.nearest import nearest, suggestions
from cpq_graph.query.check.tree import Call, Case, Constant, Index, Parameter, Part, Property, Variable

# Same arguments, other name.
_RENAMED = {
    "lcase": "toLower", "ucase": "toUpper", "tolowercase": "toLower", "touppercase": "toUpper", "lowercase": "toLower",
    "uppercase": "toUpper", "len": "size", "strlen": "size", "average": "avg", "mean": "avg", "ifnull": "coalesce",
    "nvl": "coalesce", "isnull": "coalesce", "toint": "toInteger", "int": "toInteger", "to_integer": "toInteger",
    "parseint": "toInteger", "float": "toFloat", "to_number": "toFloat", "number": "toFloat", "tonumber": "toFloat",
    "todouble": "toFloat", "parsefloat": "toFloat", "double": "toFloat", "str": "toString", "string": "toString",
    "to_string": "toString", "tostr": "toString", "todate": "date", "to_date": "date", "stddev": "stDev",
    "stddev_samp": "stDev", "stddev_pop": "stDevP", "maximum": "max", "minimum": "min", "array_agg": "collect",
    "collect_list": "collect", "tolist": "collect", "relationship_type": "type", "rels": "relationships",
    "array_length": "size", "cardinality": "size", "datetrunc": "date.truncate", "date_trunc": "date.truncate",
    "date.trunc": "date.truncate", "datetime.trunc": "datetime.truncate", "apoc.convert.tofloat": "toFloat",
    "apoc.convert.tointeger": "toInteger", "apoc.convert.tostring": "toString", "distance": "point.distance",
}  # fmt: skip
# A part of a date or time, as a function.
_COMPONENTS = {
    "year": "year", "month": "month", "day": "day", "quarter": "quarter", "week": "week", "hour": "hour",
    "minute": "minute", "second": "second", "dayofmonth": "day", "dayofweek": "dayOfWeek", "weekday": "dayOfWeek",
    "dayofyear": "ordinalDay", "weekofyear": "week", "isoweek": "week", "isoyear": "weekYear", "getyear": "year",
    "getmonth": "month",
}  # fmt: skip
_NOW = {"now": "datetime", "getdate": "datetime", "current_timestamp": "datetime", "sysdate": "datetime",
        "current_date": "date", "today": "date", "curdate": "date", "currentdate": "date"}  # fmt: skip
_TEMPORAL = ("date", "datetime", "localdatetime", "time", "localtime")


def is_foreign(call: Call) -> bool:
    """Whether `dialect` deals with the call: a function that Cypher lacks, whether it can be rewritten or not."""
    name = call.name.text.lower()
    return (name not in FUNCTIONS and "." not in name) or name in _RENAMED or _component(name) is not None


def dialect(context: Context) -> Iterator[Problem]:
    """Calls of functions that this Cypher lacks, and of exists(n.property)."""
    for part in context.parts:
        if not isinstance(part, Call):
            continue
        name = part.name.text.lower()
        if name == "exists" and len(part.arguments) == 1 and isinstance(part.arguments[0], Property | Index):
            inner = part.arguments[0]
            yield Problem(
                "exists(n.property) is gone from Cypher 5: IS NOT NULL asks the same",
                part.start,
                part.end,
                (Edit(part.start, part.end, f"({context.text(inner)} IS NOT NULL)"),),
            )
        elif name not in FUNCTIONS:
            yield _foreign(context, part, name)


def _foreign(context: Context, call: Call, name: str) -> Problem:
    message = f"Cypher has no function {call.name.text}()"
    edit = _rewritten(context, call, name)
    if edit is not None:
        return Problem(message, call.start, call.end, (edit,))
    near = nearest(call.name.text, FUNCTIONS.values()) if len(name) > 3 else None
    if near is not None and near.lower() not in _NOT_MEANT:
        return Problem(message, call.start, call.end, (Edit(call.name.start, call.name.end, near),))
    return Problem(
        message, call.name.start, call.name.end, hint=f"Nearest are: {suggestions(name, FUNCTIONS.values(), 3)}"
    )


# Near in letters, far in meaning.
_NOT_MEANT = frozenset(
    {"exp", "log", "e", "pi", "id", "sin", "tan", "cos", "sign", "rand", "point", "any", "all", "none"}
)


def _rewritten(context: Context, call: Call, name: str) -> Edit | None:  # noqa: PLR0911 - one return a form
    arguments = call.arguments
    written = [context.text(argument) for argument in arguments]
    if name in _RENAMED and arguments and not (name == "isnull" and len(arguments) == 1):
        return Edit(call.name.start, call.name.end, _RENAMED[name])
    if name == "isnull" and len(arguments) == 1:
        return Edit(call.start, call.end, f"({written[0]} IS NULL)")
    if name in _NOW and not arguments:
        return Edit(call.start, call.end, f"{_NOW[name]}()")
    component = _component(name)
    if component is not None and len(arguments) == 1:
        return Edit(call.start, call.end, f"{_operand(context, arguments[0])}.{component}")
    if name == "count_distinct" and len(arguments) == 1:
        return Edit(call.start, call.end, f"count(DISTINCT {written[0]})")
    if name in ("date_part", "datepart", "extract") and len(arguments) == 2 and isinstance(arguments[0], Constant):
        part = _component(arguments[0].value.lower())
        return Edit(call.start, call.end, f"{_operand(context, arguments[1])}.{part}") if part else None
    if name == "median" and len(arguments) == 1:
        return Edit(call.start, call.end, f"percentileCont({written[0]}, 0.5)")
    if name in ("pow", "power") and len(arguments) == 2:
        return Edit(call.start, call.end, f"({written[0]} ^ {written[1]})")
    if name == "mod" and len(arguments) == 2:
        return Edit(call.start, call.end, f"({written[0]} % {written[1]})")
    if name == "concat" and len(arguments) >= 2:
        return Edit(call.start, call.end, f"({' + '.join(written)})")
    if name in ("if", "iif") and len(arguments) == 3:
        return Edit(call.start, call.end, f"CASE WHEN {written[0]} THEN {written[1]} ELSE {written[2]} END")
    return _text_test(call, name, written)


def _text_test(call: Call, name: str, written: list[str]) -> Edit | None:
    operator = {"contains": "CONTAINS", "startswith": "STARTS WITH", "starts_with": "STARTS WITH",
                "endswith": "ENDS WITH", "ends_with": "ENDS WITH"}.get(name)  # fmt: skip
    if operator is not None and len(written) == 2:
        return Edit(call.start, call.end, f"({written[0]} {operator} {written[1]})")
    return None


def _component(name: str) -> str | None:
    found = _COMPONENTS.get(name)
    if found is None and "." in name:
        namespace, _, last = name.partition(".")
        if namespace in _TEMPORAL:
            return _COMPONENTS.get(last)
    return found


def _operand(context: Context, part: Part) -> str:
    text = context.text(part)
    simple = isinstance(part, Variable | Property | Call | Parameter | Index) or (
        isinstance(part, Case) and text[0] == "("
    )
    return text if simple or re.fullmatch(r"\(.*\)", text, re.DOTALL) else f"({text})"
