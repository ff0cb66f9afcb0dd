"""Whether a plan means something on this model.

Arrives: a plan. Leaves: nothing, or a PlanError that names the part and what is wrong with it.
"""

import math
from datetime import date

from cpq_graph import model
from cpq_graph.errors import PlanError
from cpq_graph.model import MODEL
from cpq_graph.query.compile.expressions import ORDERED, Kind, days_of, is_measure_text, kind_of
from cpq_graph.query.compile.slots import BEARERS, DEPTH, PERSONS, path, slot_of, slot_of_grain
from cpq_graph.query.plan import (
    Aggregate,
    AllOf,
    AnyField,
    AnyOf,
    Compare,
    Condition,
    Exists,
    FeatureField,
    Grain,
    Its,
    Measure,
    Not,
    Operator,
    PeriodField,
    Plan,
    PropertyField,
    RangeField,
    Some,
)


def validate(plan: Plan) -> None:
    """Raises PlanError for the first part of the plan that is ill-formed."""
    for condition in plan.where:
        _condition(condition, plan.grain)
    for field in plan.show + plan.group_by:
        _field(field, plan.grain)
    for measure in plan.measures:
        _measure(measure, plan)
    if plan.measures:
        _refuse(bool(plan.show), "a plan with measures groups by `group_by`; it has no `show`")
    else:
        _refuse(not plan.show, "a plan has neither measures nor anything to show")
        _refuse(bool(plan.group_by or plan.group_having), "`group_by` and `group_having` need measures")
    _unique(plan.show, "show")
    _unique(plan.group_by, "group_by")
    _unique(plan.measures, "measures")
    columns = len(plan.group_by if plan.measures else plan.show)
    for order in plan.order:
        _refuse((order.measure is None) == (order.column is None), "an order is by a measure or by a column")
        _index(order.measure, len(plan.measures), "order.measure")
        _index(order.column, columns, "order.column")
    for bound in plan.group_having:
        _index(bound.measure, len(plan.measures), "group_having.measure")
        _refuse(bound.operator in {Operator.IN, Operator.CONTAINS}, f"a measure is not compared by `{bound.operator}`")
        _refuse(not math.isfinite(bound.value), "a bound is a finite number")
        _refuse(not _is_number(plan.measures[bound.measure]), "only a measure that is a number has bounds")
    if plan.top is not None:
        _within(plan.top.within, plan, "top.within")


def _measure(measure: Measure, plan: Plan) -> None:
    grain, aggregate = plan.grain, measure.aggregate
    if measure.of is not None:
        _related(measure.of, grain, "measure.of")
    for condition in measure.having:
        _condition(condition, measure.of or grain)
    if measure.field is not None:
        _field(measure.field, grain)
    if measure.within is not None:
        _refuse(aggregate is not Aggregate.SHARE or bool(measure.having), "`within` is for a share of all groups")
        _within(measure.within, plan, "measure.within")
    if aggregate is Aggregate.SHARE:
        _refuse(measure.field is not None or measure.per is not None, "a share is of nodes, not of a field")
        _refuse(not measure.having and not plan.group_by, "a share needs `having`, or groups to be a share of")
        return
    if aggregate is Aggregate.COUNT:
        _refuse(measure.per is not None, "a count has no `per`: take the average, sum … of counts")
        _refuse(
            measure.field is not None and measure.of is not None and not measure.having,
            "a count is of nodes or of a field's values",
        )
        return
    if measure.per is not None:
        _per(measure, grain)
        return
    _refuse(measure.field is None, f"{aggregate} needs a field, or `per` and what to count")
    if measure.field is not None:
        _refuse(measure.of is not None and not measure.having, f"{aggregate} of a field has no `of`")
        _summable(measure.field, ordered=aggregate in {Aggregate.MINIMUM, Aggregate.MAXIMUM})


def _per(measure: Measure, grain: Grain) -> None:
    if isinstance(measure.per, Grain):
        _related(measure.per, grain, "measure.per")
        if measure.field is None:
            of = measure.of or grain
            _refuse(of in PERSONS or DEPTH[of] <= DEPTH[measure.per], f"{of} nodes are not below a {measure.per}")
    elif measure.per is not None:
        _field(measure.per, grain)
        _refuse(isinstance(measure.per, RangeField), "`per` is a grain or a field, not a range")
    if measure.field is not None:
        _refuse(measure.of is not None and not measure.having, "`per` counts `of` nodes or sums a field, not both")
        _summable(measure.field, ordered=False)


def _summable(field: AnyField, *, ordered: bool) -> None:
    kind = kind_of(field)
    fine = kind is Kind.NUMBER or is_measure_text(field) or (ordered and kind in {Kind.DATE, Kind.PERIOD})
    _refuse(not fine, f"{_say(field)} is {kind}, not a number")


def _condition(condition: Condition, grain: Grain) -> None:
    match condition:
        case Not():
            _condition(condition.condition, grain)
        case AnyOf() | AllOf():
            for part in condition.conditions:
                _condition(part, grain)
        case Some():
            _some(condition, grain)
        case Its():
            above = grain in DEPTH and condition.grain in DEPTH and DEPTH[condition.grain] < DEPTH[grain]
            _refuse(not above, f"a {grain} has no {condition.grain} above it")
            for part in condition.where:
                _condition(part, condition.grain)
        case Compare() | Exists():
            _field(condition.field, grain)
            _askable(condition.field, grain)
            if isinstance(condition, Compare):
                _compare(condition)
            else:
                _refuse(isinstance(condition.field, RangeField), "a range is shown or grouped by, never a condition")


def _some(some: Some, grain: Grain) -> None:
    below = {
        Grain.OFFER: {Grain.PRODUCT, Grain.PARAMETER},
        Grain.PRODUCT: {Grain.PARAMETER},
        Grain.PARAMETER: set(),
        Grain.PARTICIPANT: {Grain.OFFER, Grain.PRODUCT},
        Grain.USER: {Grain.OFFER, Grain.PRODUCT},
    }[grain]
    _refuse(some.grain not in below, f"a {grain} has no {some.grain} nodes below it")
    _refuse(some.role is not None and grain is not Grain.PARTICIPANT, "`role` is for a participant's offers")
    _refuse(not some.at_least and some.at_most is None, "`some` needs a bound that can fail")
    low, high = some.at_least or 0, some.at_most
    _refuse(low < 0 or (high is not None and high < low), "the bounds of `some` contradict each other")
    for condition in some.where:
        _condition(condition, some.grain)


def _field(field: AnyField, grain: Grain) -> None:
    """The field exists, and rows of the grain lead to it."""
    if isinstance(field, RangeField):
        _field(field.of, grain)
        _refuse((field.width is None) == (not field.bounds), "a range has a width or bounds")
        _refuse(field.width is not None and not (math.isfinite(field.width) and field.width > 0), "a width is above 0")
        _refuse(list(field.bounds) != sorted(set(field.bounds)), "bounds ascend")
        _refuse(not all(math.isfinite(bound) for bound in field.bounds), "bounds are finite numbers")
        _refuse(not (kind_of(field.of) is Kind.NUMBER or is_measure_text(field.of)), f"{_say(field.of)} is no number")
        return
    if isinstance(field, FeatureField):
        _refuse(not field.ext_id, "a feature needs an ext_id")
    if isinstance(field, PropertyField):
        _property(field, grain)
    try:
        path(grain, slot_of_grain(grain), slot_of(field, grain))
    except LookupError:
        raise PlanError(f"a {grain} has no {_say(field)}", hint=_HINTS.get(grain)) from None


_HINTS = {
    Grain.PARTICIPANT: "Rows of participants are the person alone: ask for offers, grouped by the participant.",
    Grain.USER: "Rows of users are the person alone: ask for offers, grouped by the user.",
}


def _property(field: PropertyField, grain: Grain) -> None:
    known = {node.label: node for node in MODEL.nodes}
    _refuse(field.label not in known, f"the graph has no label {field.label!r}")
    bears = field.label in BEARERS and field.property == model.EXT_ID
    names = {of.name for of in known[field.label].properties}
    _refuse(not bears and field.property not in names, f"{field.label} has no property {field.property!r}")
    person = field.label == model.PARTICIPANT.label and grain is not Grain.PARTICIPANT
    _refuse(person and field.role is None, f"{_say(field)} needs the participant's role in the offer")
    _refuse(not person and field.role is not None, f"{_say(field)} has no role")
    attribute = field.label == model.ATTRIBUTE.label
    _refuse(not attribute and field.owner is not None, f"{_say(field)} has no owner")
    _refuse(attribute and field.owner not in {None, *BEARERS}, f"{field.owner} bears no attributes")


def _askable(field: AnyField, grain: Grain) -> None:
    """A condition is on what the row has one of; on a feature where the row is a product; on attributes."""
    if isinstance(field, RangeField):
        raise PlanError("a range is shown or grouped by, never a condition", hint="Compare the number itself.")
    steps = path(grain, slot_of_grain(grain), slot_of(field, grain))
    if isinstance(field, FeatureField):
        fine = grain in {Grain.PRODUCT, Grain.PARAMETER}
    else:
        last = steps[:-1] if steps and steps[-1].slot.label == model.ATTRIBUTE.label else steps
        fine = not any(step.many for step in last)
    _refuse(not fine, f"a {grain} may have several {_say(field)}: ask with `some`")


def _compare(compare: Compare) -> None:
    field, operator, kind = compare.field, compare.operator, kind_of(compare.field)
    say = _say(field)
    _refuse(operator is not Operator.IN and len(compare.values) != 1, f"`{operator}` takes one value")
    texts = {isinstance(value, str) for value in compare.values}
    _refuse(len(texts) > 1, f"{say} is compared with values of two types")
    is_text = texts.pop()
    _refuse(not all(isinstance(value, str) or math.isfinite(value) for value in compare.values), "a value is finite")
    if kind is Kind.TEXT and not (is_measure_text(field) and not is_text):
        _refuse(not is_text, f"{say} is text, compared with a number")
        _refuse(operator in ORDERED, f"{say} is text: it has no `{operator}`")
        return
    _refuse(operator is Operator.CONTAINS, f"{say} is not text: it has no `{operator}`")
    if kind in {Kind.DATE, Kind.PERIOD}:
        for value in compare.values:
            try:
                _ = (
                    days_of(field.unit, str(value))
                    if isinstance(field, PeriodField)
                    else date.fromisoformat(str(value))
                )
            except ValueError:
                raise PlanError(f"{say}: {value!r} is no such day or period") from None
    else:
        _refuse(is_text, f"{say} is a number, compared with text")


def _related(grain: Grain, plan: Grain, say: str) -> None:
    alike = grain == plan or (grain in DEPTH and plan in DEPTH)
    _refuse(not alike, f"{say}: a {plan} has no {grain} nodes; count the values of a field of theirs")


def _is_number(measure: Measure) -> bool:
    return (
        measure.field is None
        or measure.aggregate is Aggregate.COUNT
        or kind_of(measure.field) not in {Kind.DATE, Kind.PERIOD}
    )


def _within(indices: tuple[int, ...], plan: Plan, say: str) -> None:
    for index in indices:
        _index(index, len(plan.group_by), say)
    _refuse(len(set(indices)) != len(indices), f"{say} names a column twice")


def _index(index: int | None, length: int, say: str) -> None:
    _refuse(index is not None and not 0 <= index < length, f"{say} is {index}, of {length}")


def _unique(parts: tuple[object, ...], say: str) -> None:
    _refuse(len(set(parts)) != len(parts), f"{say} has the same part twice")


def _say(field: AnyField) -> str:
    match field:
        case RangeField():
            return _say(field.of)
        case PeriodField():
            return f"the {field.unit} of an offer"
        case FeatureField():
            return f"feature {field.ext_id!r}"
    return f"{field.label}.{field.property}"


def _refuse(wrong: bool, message: str) -> None:
    if wrong:
        raise PlanError(message)
