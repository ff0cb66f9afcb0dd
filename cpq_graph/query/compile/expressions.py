"""Fields as Cypher expressions, and what kind of value each gives.

Arrives: a field and the variable of the node that bears it. Leaves: the expression, its kind, and the comparison of it
with a plan's values, which are passed as parameters of the type that the property has.
"""

from calendar import monthrange
from datetime import date, timedelta
from enum import StrEnum
from itertools import pairwise

from cpq_graph import model
from cpq_graph.model import MODEL, PropertyType
from cpq_graph.query.compile.text import Names
from cpq_graph.query.plan import AnyField, FeatureField, Operator, PeriodField, PropertyField, RangeField, Scalar, Unit


class Kind(StrEnum):
    """What a column holds. RANGE is text that sorts by the number below it; COUNT a whole number, PERCENT 0 to 100."""

    TEXT = "text"
    NUMBER = "number"
    DATE = "date"
    PERIOD = "period"
    RANGE = "range"
    COUNT = "count"
    PERCENT = "percent"


_KINDS = {
    PropertyType.STRING: Kind.TEXT,
    PropertyType.INTEGER: Kind.NUMBER,
    PropertyType.FLOAT: Kind.NUMBER,
    PropertyType.DATE: Kind.DATE,
}
ORDERED = {Operator.LESS, Operator.AT_MOST, Operator.MORE, Operator.AT_LEAST}


def kind_of(field: AnyField) -> Kind:
    """The kind of a field's values. Raises KeyError for a property that its label lacks."""
    match field:
        case RangeField():
            return Kind.RANGE
        case PeriodField():
            return Kind.PERIOD
        case FeatureField():
            return Kind.NUMBER if field.part == "measure" else Kind.TEXT
    if field.property == model.EXT_ID:
        return Kind.TEXT
    return _KINDS[MODEL.node(field.label).property(field.property).type]


def is_measure_text(field: AnyField) -> bool:
    """Whether the field is a measure kept as text, which can stand for its number."""
    return isinstance(field, PropertyField) and (field.label, field.property) == (
        model.PARAMETER_VALUE.label,
        "measure",
    )


def is_certain(field: AnyField) -> bool:
    """Whether every node that may bear the field has it: the model's keys."""
    return isinstance(field, PropertyField) and (
        field.property == model.EXT_ID or field.property in MODEL.node(field.label).key
    )


def value(field: AnyField, variable: str) -> str:
    """The field of the node that `variable` stands for. Of a RangeField: its number."""
    match field:
        case RangeField():
            return number(field.of, variable)
        case PeriodField():
            return _period(field.unit, f"{variable}.date")
        case FeatureField():
            return f"toFloat({variable}.measure)" if field.part == "measure" else f"{variable}.name"
    return f"{variable}.{'value' if field.property == model.EXT_ID else field.property}"


def number(field: AnyField, variable: str) -> str:
    """The field as a number."""
    text = value(field, variable)
    return f"toFloat({text})" if is_measure_text(field) else text


def presence(field: AnyField, variable: str) -> str:
    """What is null where the node lacks the field."""
    match field:
        case RangeField():
            return number(field.of, variable)
        case PeriodField():
            return f"{variable}.date"
    return value(field, variable)


def key(field: AnyField, variable: str, names: Names) -> str:
    """What rows are grouped and sorted by: the field itself, of a RangeField the number of its range."""
    text = value(field, variable)
    if not isinstance(field, RangeField):
        return text
    if field.width is not None:
        return f"toInteger(floor(round({text} / {names.parameter('width', float(field.width))}, 9)))"
    cases = " ".join(
        f"WHEN {text} < {names.parameter('bound', float(bound))} THEN {index}"
        for index, bound in enumerate(field.bounds)
    )
    return f"CASE {cases} WHEN {text} IS NOT NULL THEN {len(field.bounds)} END"


def shown(field: AnyField, key_text: str, names: Names) -> str:
    """What is shown for a key that `key` made."""
    if not isinstance(field, RangeField):
        return key_text
    if field.width is not None:
        width = names.parameter("width", float(field.width))
        low, high = f"{key_text} * {width}", f"({key_text} + 1) * {width}"
        if float(field.width).is_integer():
            return f"toString(toInteger({low})) + '-' + toString(toInteger({high}))"
        return f"toString(round({low}, 6)) + '-' + toString(round({high}, 6))"
    return f"{names.parameter('ranges', list(_labels(field.bounds)))}[{key_text}]"


def _labels(bounds: tuple[float, ...]) -> tuple[str, ...]:
    texts = [f"{bound:.15g}" for bound in bounds]
    between = (f"{low}-{high}" for low, high in pairwise(texts))
    return (f"< {texts[0]}", *between, f"≥ {texts[-1]}")


def _period(unit: Unit, day: str) -> str:
    match unit:
        case Unit.DAY:
            return f"toString({day})"
        case Unit.WEEK:
            return f"toString({day}.weekYear) + '-W' + right('0' + toString({day}.week), 2)"
        case Unit.MONTH:
            return f"left(toString({day}), 7)"
        case Unit.QUARTER:
            return f"toString({day}.year) + '-Q' + toString({day}.quarter)"
        case Unit.HALF:
            return f"toString({day}.year) + CASE WHEN {day}.month <= 6 THEN '-H1' ELSE '-H2' END"
        case Unit.YEAR:
            return f"left(toString({day}), 4)"


def days_of(unit: Unit, text: str) -> tuple[date, date]:
    """The first and last day of a period written as PeriodField shows it. Raises ValueError for any other text."""
    year, rest = int(text[:4]), text[4:]
    if unit is Unit.DAY:
        first = last = date.fromisoformat(text)
    elif unit is Unit.WEEK:
        first = date.fromisocalendar(year, int(rest.removeprefix("-W")), 1)
        last = first + timedelta(days=6)
    else:
        months = {Unit.MONTH: 1, Unit.QUARTER: 3, Unit.HALF: 6, Unit.YEAR: 12}[unit]
        index = int(rest.lstrip("-QH")) if rest else 1
        start, end = (index - 1) * months + 1, index * months
        first, last = date(year, start, 1), date(year, end, monthrange(year, end)[1])
    if period_text(unit, first) != text:
        raise ValueError(f"{text!r} is no {unit}")
    return first, last


def period_text(unit: Unit, day: date) -> str:
    """The period that a day falls in, as text."""
    iso = day.isocalendar()
    return {
        Unit.DAY: day.isoformat(),
        Unit.WEEK: f"{iso.year:04}-W{iso.week:02}",
        Unit.MONTH: day.isoformat()[:7],
        Unit.QUARTER: f"{day.year:04}-Q{(day.month + 2) // 3}",
        Unit.HALF: f"{day.year:04}-H{1 if day.month <= 6 else 2}",
        Unit.YEAR: f"{day.year:04}",
    }[unit]


def comparison(field: AnyField, operator: Operator, values: tuple[Scalar, ...], variable: str, names: Names) -> str:
    """The field of `variable` compared with the values; null where the field is missing."""
    if isinstance(field, PeriodField):
        spans = [days_of(field.unit, str(text)) for text in values]
        return _within(f"{variable}.date", operator, spans, names)
    numeric = kind_of(field) is Kind.NUMBER or not isinstance(values[0], str)
    left = number(field, variable) if numeric else value(field, variable)
    wish = parameter_name(field)
    typed: list[str | float | date] = [
        date.fromisoformat(str(item)) if kind_of(field) is Kind.DATE else item for item in values
    ]
    match operator:
        case Operator.IN:
            return f"{left} IN {names.parameter(wish, sorted(set(typed)))}"
        case Operator.CONTAINS:
            return f"toLower({left}) CONTAINS toLower({names.parameter(wish, typed[0])})"
    return f"{left} {operator.value} {names.parameter(wish, typed[0])}"


def _within(day: str, operator: Operator, spans: list[tuple[date, date]], names: Names) -> str:
    first, last = spans[0]
    match operator:
        case Operator.LESS:
            return f"{day} < {names.parameter('from', first)}"
        case Operator.AT_MOST:
            return f"{day} <= {names.parameter('to', last)}"
        case Operator.MORE:
            return f"{day} > {names.parameter('to', last)}"
        case Operator.AT_LEAST:
            return f"{day} >= {names.parameter('from', first)}"
    ranges = [
        f"{day} >= {names.parameter('from', first)} AND {day} <= {names.parameter('to', last)}"
        for first, last in sorted(set(spans))
    ]
    return ranges[0] if len(ranges) == 1 else f"({' OR '.join(ranges)})"


def parameter_name(field: AnyField) -> str:
    """What a value compared with the field is called as a parameter."""
    match field:
        case RangeField():
            return parameter_name(field.of)
        case PeriodField():
            return "period"
        case FeatureField():
            return field.part
    if field.property in {"id", "name"}:
        return _NODES.get(field.label, field.label.lower())
    return _PROPERTIES.get(field.property, field.property)


_NODES = {model.PRODUCT_FAMILY.label: "family", model.PARAMETER_VALUE.label: "value", model.PARTICIPANT.label: "person"}
_PROPERTIES = {"total_price": "price", "total_cost": "cost", "language_id": "language", model.EXT_ID: "feature"}
