"""What the columns of an answer are called.

Arrives: a plan. Leaves: its columns in order, named short, unique and in words of this file: of what a plan's maker
wrote only an ext_id that is a plain word becomes part of a name.
"""

import re
from collections import Counter
from dataclasses import dataclass

from cpq_graph import model
from cpq_graph.query.compile.expressions import Kind, kind_of
from cpq_graph.query.plan import (
    Aggregate,
    AnyField,
    FeatureField,
    Grain,
    Measure,
    PeriodField,
    Plan,
    PropertyField,
    RangeField,
    Role,
)


@dataclass(frozen=True, slots=True)
class Column:
    """One column of an answer: what it is called in the rows, what it holds, and the field or measure it shows."""

    name: str
    kind: Kind
    source: AnyField | Measure


_PERSONS = {Role.SENT: "sender", Role.DELIVERED: "deliverer", Role.RECEIVED: "receiver", None: "participant"}
_SHORT = {
    (model.OFFER.label, "language_id"): "language",
    (model.CONTENT.label, "total_price"): "total price",
    (model.SUBCONTENT.label, "total_price"): "subcontent price",
    (model.PRODUCT_FAMILY.label, "name"): "family",
    (model.PRODUCT_FAMILY.label, "id"): "family id",
    (model.PARAMETER_VALUE.label, "name"): "value",
    (model.PARAMETER_VALUE.label, "id"): "value id",
    (model.PARAMETER_VALUE.label, "parameterId"): "parameter id in document",
    (model.PARAMETER.label, "id"): "parameter id",
    (model.PARAMETER.label, "name"): "parameter",
    (model.TAB.label, "id"): "tab id",
    (model.TAB.label, "name"): "tab",
    (model.USER.label, "id"): "user id",
    (model.USER.label, "userid"): "user",
    (model.ATTRIBUTE.label, "type"): "attribute type",
    (model.ATTRIBUTE.label, "value"): "attribute",
}
_AGGREGATES = {
    Aggregate.SUM: "total",
    Aggregate.AVERAGE: "average",
    Aggregate.MINIMUM: "lowest",
    Aggregate.MAXIMUM: "highest",
    Aggregate.MEDIAN: "median",
}


def columns_of(plan: Plan) -> tuple[Column, ...]:
    """The columns: `show`, or `group_by` and then `measures`."""
    fields = plan.group_by if plan.measures else plan.show
    sources: list[tuple[str, str, Kind, AnyField | Measure]] = [
        (*_names_of_field(field), kind_of(field), field) for field in fields
    ]
    sources += [
        (name, name, _kind_of_measure(measure), measure) for measure in plan.measures for name in [_name(plan, measure)]
    ]
    times = Counter(short for short, *_ in sources)
    found: list[Column] = []
    taken: set[str] = set()
    for short, long, kind, source in sources:
        wish = short if times[short] == 1 else long
        name, number = wish, 1
        while name in taken:
            number += 1
            name = f"{wish} {number}"
        taken.add(name)
        found.append(Column(name, kind, source))
    return tuple(found)


def _names_of_field(field: AnyField) -> tuple[str, str]:
    """The name alone, and the one that tells it apart from a namesake."""
    match field:
        case RangeField():
            short, long = _names_of_field(field.of)
            return f"{short} range", f"{long} range"
        case PeriodField():
            return field.unit.value, field.unit.value
        case FeatureField():
            name = field.ext_id if re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,40}", field.ext_id) else "feature"
            return name, f"{name} measure" if field.part == "measure" else name
    return _names_of_property(field)


def _names_of_property(field: PropertyField) -> tuple[str, str]:
    if field.property == model.EXT_ID:
        return "feature", f"{_words(field.label)} feature"
    if field.label == model.PARTICIPANT.label:
        person = _PERSONS[field.role]
        if field.property == "name":
            return person, person
        return (
            "company" if field.property == "company" else f"{person} {field.property}"
        ), f"{person} {field.property}"
    if (field.label, field.property) in _SHORT:
        name = _SHORT[field.label, field.property]
        return name, f"{_words(field.owner)} {name}" if field.owner else name
    if field.property == "id":
        return _words(field.label), f"{_words(field.label)} id"
    return field.property.replace("_", " "), f"{_words(field.label)} {field.property}".replace("_", " ")


def _words(label: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", label).lower()


def _name(plan: Plan, measure: Measure) -> str:
    if measure.aggregate is Aggregate.SHARE:
        return "share %"
    what = _names_of_field(measure.field)[0] if measure.field else f"{(measure.of or plan.grain).value}s"
    if measure.aggregate is Aggregate.COUNT:
        return f"distinct {what}" if measure.field else what
    prefix = _AGGREGATES[measure.aggregate]
    name = what if what.startswith(f"{prefix} ") else f"{prefix} {what}"
    if measure.per is None:
        return name
    per = measure.per.value if isinstance(measure.per, Grain) else _names_of_field(measure.per)[0]
    return f"{name} per {per}"


def _kind_of_measure(measure: Measure) -> Kind:
    if measure.aggregate is Aggregate.SHARE:
        return Kind.PERCENT
    if measure.aggregate is Aggregate.COUNT:
        return Kind.COUNT
    if (
        measure.field is not None
        and measure.per is None
        and measure.aggregate in {Aggregate.MINIMUM, Aggregate.MAXIMUM}
    ):
        kind = kind_of(measure.field)
        return Kind.NUMBER if kind is Kind.TEXT else kind
    return Kind.NUMBER
