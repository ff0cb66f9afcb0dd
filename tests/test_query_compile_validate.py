"""Ill-formed plans are refused with the reason, before any Cypher is made."""

import pytest

from cpq_graph.errors import PlanError
from cpq_graph.query.compile import compile_plan, validate
from cpq_graph.query.plan import (
    Aggregate,
    Compare,
    Condition,
    Exists,
    FeatureField,
    Grain,
    Its,
    Measure,
    MeasureBound,
    Not,
    Operator,
    Order,
    PeriodField,
    Plan,
    PropertyField,
    RangeField,
    Role,
    Some,
    Top,
    Unit,
)

OFFER, PRODUCT, PARAMETER = Grain.OFFER, Grain.PRODUCT, Grain.PARAMETER
STATUS = PropertyField(label="Offer", property="status")
DAY = PropertyField(label="Offer", property="date")
PRICE = PropertyField(label="Content", property="total_price")
FAMILY = PropertyField(label="ProductFamily", property="name")
COMPANY = PropertyField(label="Participant", property="company")
SENDER = PropertyField(label="Participant", property="company", role=Role.SENT)
LENGTH = FeatureField(ext_id="pituus", part="measure")
COLOUR = FeatureField(ext_id="vari")
MONTH = PeriodField(unit=Unit.MONTH)
COUNT = Measure(aggregate=Aggregate.COUNT)
SHARE = Measure(aggregate=Aggregate.SHARE)


def is_(field: object, *values: object, operator: Operator = Operator.EQUAL) -> Compare:
    return Compare(field=field, operator=operator, values=values)  # type: ignore[arg-type]


def where(condition: Condition, grain: Grain = OFFER) -> Plan:
    return Plan(grain=grain, where=(condition,), measures=(COUNT,))


def of(aggregate: Aggregate, **given: object) -> Measure:
    return Measure(aggregate=aggregate, **given)  # type: ignore[arg-type]


ILL_FORMED = [
    (Plan(grain=OFFER), "nothing? to show|anything to show"),
    (Plan(grain=OFFER, show=(STATUS,), measures=(COUNT,)), "no `show`"),
    (Plan(grain=OFFER, show=(STATUS,), group_by=(DAY,)), "need measures"),
    (Plan(grain=OFFER, show=(STATUS, STATUS)), "same part twice"),
    (Plan(grain=OFFER, measures=(COUNT, COUNT)), "same part twice"),
    (Plan(grain=OFFER, show=(PropertyField(label="Order", property="id"),)), "no label 'Order'"),
    (Plan(grain=OFFER, show=(PropertyField(label="Offer", property="price"),)), "no property 'price'"),
    (Plan(grain=OFFER, show=(PropertyField(label="Offer", property="ext_id"),)), "no property 'ext_id'"),
    (Plan(grain=OFFER, show=(COMPANY,)), "role"),
    (Plan(grain=OFFER, show=(PropertyField(label="Offer", property="id", role=Role.SENT),)), "has no role"),
    (Plan(grain=OFFER, show=(PropertyField(label="Offer", property="id", owner="Tab"),)), "has no owner"),
    (Plan(grain=PRODUCT, show=(PropertyField(label="Attribute", property="type", owner="Offer"),)), "bears no attr"),
    (Plan(grain=Grain.PARTICIPANT, show=(STATUS,)), "participant has no Offer.status"),
    (Plan(grain=Grain.PARTICIPANT, show=(SENDER,)), "has no role"),
    (Plan(grain=Grain.USER, show=(LENGTH,)), "user has no feature 'pituus'"),
    (Plan(grain=OFFER, show=(FeatureField(ext_id=""),)), "needs an ext_id"),
    (Plan(grain=OFFER, show=(RangeField(of=PRICE),)), "a width or bounds"),
    (Plan(grain=OFFER, show=(RangeField(of=PRICE, width=1, bounds=(1,)),)), "a width or bounds"),
    (Plan(grain=OFFER, show=(RangeField(of=PRICE, width=0),)), "above 0"),
    (Plan(grain=OFFER, show=(RangeField(of=PRICE, bounds=(2, 1)),)), "ascend"),
    (Plan(grain=OFFER, show=(RangeField(of=PRICE, bounds=(float("nan"),)),)), "ascend|finite"),
    (Plan(grain=OFFER, show=(RangeField(of=STATUS, width=1),)), "no number"),
    (where(is_(FAMILY, "x")), "several ProductFamily.name: ask with `some`"),
    (where(is_(COLOUR, "x")), "several feature 'vari'"),
    (where(is_(PropertyField(label="Parameter", property="name"), "x"), PRODUCT), "several Parameter.name"),
    (where(is_(STATUS, 1.0)), "text, compared with a number"),
    (where(is_(STATUS, "a", 1.0, operator=Operator.IN)), "two types"),
    (where(is_(STATUS, "a", "b")), "takes one value"),
    (where(is_(STATUS, "a", operator=Operator.LESS)), "is text: it has no `<`"),
    (where(is_(PRICE, "12")), "number, compared with text"),
    (where(is_(PRICE, float("inf"))), "finite"),
    (where(is_(PRICE, 1.0, operator=Operator.CONTAINS)), "not text"),
    (where(is_(LENGTH, "57"), PRODUCT), "number, compared with text"),
    (where(is_(COLOUR, 57.0), PRODUCT), "text, compared with a number"),
    (where(is_(DAY, "16.7.2024")), "no such day"),
    (where(is_(DAY, "2024-02-30")), "no such day"),
    (where(is_(DAY, 2024.0)), "no such day"),
    (where(is_(MONTH, "2024-13")), "no such day or period"),
    (where(is_(MONTH, "2024-7")), "no such day or period"),
    (where(is_(MONTH, "2024-Q3")), "no such day or period"),
    (where(is_(PeriodField(unit=Unit.WEEK), "2024-W53")), "no such day or period"),
    (where(is_(PeriodField(unit=Unit.HALF), "2024-H3")), "no such day or period"),
    (where(is_(RangeField(of=PRICE, width=10), "0-10")), "never a condition"),
    (where(Exists(field=RangeField(of=PRICE, width=10))), "never a condition"),
    (where(Not(condition=Exists(field=FAMILY))), "ask with `some`"),
    (where(Some(grain=PRODUCT)), "needs a bound"),
    (where(Some(grain=PRODUCT, at_least=0)), "needs a bound"),
    (where(Some(grain=PRODUCT, at_least=3, at_most=2)), "contradict"),
    (where(Some(grain=PRODUCT, at_least=-1)), "contradict|needs a bound"),
    (where(Some(grain=OFFER, at_least=1), PRODUCT), "no offer nodes below"),
    (where(Some(grain=PRODUCT, at_least=1, role=Role.SENT)), "participant's offers"),
    (where(Some(grain=PARAMETER, at_least=1), Grain.USER), "no parameter nodes below"),
    (where(Some(grain=PRODUCT, at_least=1, where=(is_(COMPANY, "x"),))), "role"),
    (where(Its(grain=PRODUCT, where=(is_(STATUS, "x"),))), "no product above"),
    (where(Its(grain=OFFER, where=(is_(FAMILY, "x"),)), PRODUCT), "ask with `some`"),
    (Plan(grain=OFFER, measures=(SHARE,)), "needs `having`"),
    (Plan(grain=OFFER, measures=(of(Aggregate.SHARE, field=PRICE),)), "of nodes, not of a field"),
    (Plan(grain=OFFER, measures=(of(Aggregate.SUM),)), "needs a field"),
    (Plan(grain=OFFER, measures=(of(Aggregate.SUM, field=STATUS),)), "text, not a number"),
    (Plan(grain=OFFER, measures=(of(Aggregate.AVERAGE, field=DAY),)), "date, not a number"),
    (Plan(grain=OFFER, measures=(of(Aggregate.SUM, field=PRICE, of=OFFER),)), "has no `of`"),
    (Plan(grain=OFFER, measures=(of(Aggregate.COUNT, field=PRICE, of=OFFER),)), "or of a field's values"),
    (Plan(grain=OFFER, measures=(of(Aggregate.COUNT, of=Grain.PARTICIPANT),)), "no participant nodes"),
    (Plan(grain=OFFER, measures=(of(Aggregate.COUNT, per=OFFER),)), "no `per`"),
    (Plan(grain=OFFER, measures=(of(Aggregate.AVERAGE, of=OFFER, per=PRODUCT),)), "not below"),
    (Plan(grain=OFFER, measures=(of(Aggregate.AVERAGE, of=OFFER, per=OFFER),)), "not below"),
    (
        Plan(grain=OFFER, measures=(of(Aggregate.AVERAGE, of=PRODUCT, per=RangeField(of=PRICE, width=9)),)),
        "not a range",
    ),
    (Plan(grain=OFFER, measures=(of(Aggregate.COUNT, within=()),)), "`within` is for"),
    (Plan(grain=OFFER, group_by=(DAY,), measures=(of(Aggregate.SHARE, within=(1,)),)), "measure.within is 1, of 1"),
    (Plan(grain=OFFER, measures=(COUNT,), order=(Order(),)), "by a measure or by a column"),
    (Plan(grain=OFFER, measures=(COUNT,), order=(Order(measure=0, column=0),)), "by a measure or by a column"),
    (Plan(grain=OFFER, measures=(COUNT,), order=(Order(measure=1),)), "order.measure is 1, of 1"),
    (Plan(grain=OFFER, measures=(COUNT,), order=(Order(column=0),)), "order.column is 0, of 0"),
    (Plan(grain=OFFER, show=(DAY,), order=(Order(measure=0),)), "order.measure is 0, of 0"),
    (Plan(grain=OFFER, measures=(COUNT,), top=Top(count=1, within=(0,))), "top.within is 0, of 0"),
    (Plan(grain=OFFER, show=(DAY,), top=Top(count=1, within=(0,))), "top.within is 0, of 0"),
    (
        Plan(grain=OFFER, group_by=(DAY,), measures=(COUNT,), top=Top(count=1, within=(0, 0))),
        "names a column twice",
    ),
    (
        Plan(grain=OFFER, measures=(COUNT,), group_having=(MeasureBound(measure=1, operator=Operator.MORE, value=1),)),
        "group_having.measure is 1",
    ),
    (
        Plan(grain=OFFER, measures=(COUNT,), group_having=(MeasureBound(measure=0, operator=Operator.IN, value=1),)),
        "not compared by",
    ),
    (
        Plan(
            grain=OFFER,
            measures=(of(Aggregate.MAXIMUM, field=DAY),),
            group_having=(MeasureBound(measure=0, operator=Operator.MORE, value=1),),
        ),
        "a number has bounds",
    ),
]


@pytest.mark.parametrize(("plan", "reason"), ILL_FORMED, ids=[reason[:40] for _, reason in ILL_FORMED])
def test_an_ill_formed_plan_is_refused_with_the_reason(plan: Plan, reason: str) -> None:
    with pytest.raises(PlanError, match=reason) as caught:
        compile_plan(plan)
    assert caught.value.kind == "plan"


@pytest.mark.parametrize(
    "field",
    [
        PropertyField(label="Parameter", property="ext_id"),
        PropertyField(label="ProductFamily", property="ext_id"),
        PropertyField(label="Attribute", property="value"),
        PropertyField(label="Attribute", property="type", owner="ParameterValue"),
    ],
)
def test_attributes_are_conditions_where_what_bears_them_is_one(field: PropertyField) -> None:
    validate(where(is_(field, "pituus"), PARAMETER))


@pytest.mark.parametrize("values", [("57",), (57.0,)])
def test_a_measure_is_compared_as_text_or_as_a_number(values: tuple[str | float]) -> None:
    validate(where(is_(PropertyField(label="ParameterValue", property="measure"), *values), PARAMETER))
