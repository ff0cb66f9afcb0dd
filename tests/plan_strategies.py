"""Hypothesis strategies for valid plans over the sources of `random_graph`."""

from datetime import timedelta

from hypothesis import strategies as st

from cpq_graph.query.plan import (
    Aggregate,
    AllOf,
    AnyOf,
    Compare,
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
from tests.oracle import period
from tests.random_graph import COMPANIES, DAYS, EXT_IDS, NAMES, STATUSES, VALUES

PERSONS = (Grain.PARTICIPANT, Grain.USER)
ORDERED = (Operator.EQUAL, Operator.IN, Operator.LESS, Operator.AT_MOST, Operator.MORE, Operator.AT_LEAST)
TEXTS = {
    ("Offer", "id"): ("O1", "O2", "O3", "O99"),
    ("Offer", "status"): STATUSES[:2],
    ("Offer", "language_id"): ("en", "fi"),
    ("Offer", "version"): ("1", "2"),
    ("Product", "id"): ("P1.0", "P2.0"),
    ("ProductFamily", "name"): ("SNEP® MODE P", "SNEP® MODE S", "Aura", "Driver"),
    ("ProductFamily", "product_code"): ("SN-1",),
    ("ProductFamily", "ext_id"): ("x",),
    ("Tab", "name"): ("Tab 0", "Tab 1"),
    ("Tab", "ext_id"): ("x",),
    ("Parameter", "name"): ("Length", "Pituus"),
    ("Parameter", "id"): ("P1.0/F:Q0",),
    ("Parameter", "ext_id"): EXT_IDS,
    ("ParameterValue", "name"): ("Black", "57W", "1200 mm"),
    ("ParameterValue", "measure"): ("57", "1200"),
    ("Attribute", "type"): ("ext_id", "unit"),
    ("Attribute", "value"): ("pituus", "mm", "x"),
    ("Participant", "id"): ("N0", "N1", "N5"),
    ("Participant", "name"): NAMES,
    ("Participant", "company"): COMPANIES[:3],
    ("Participant", "title"): ("Dr",),
    ("User", "userid"): ("user0", "user1"),
    ("User", "id"): ("U0", "U2"),
    ("User", "lastname"): ("Salo",),
}
NUMBERS = {
    ("Content", "total_price"),
    ("Subcontent", "total_price"),
    ("ProductFamily", "total_cost"),
    ("ParameterValue", "cost"),
    ("ParameterValue", "quantity"),
}
OFFER_LABELS = ("Offer", "Content", "Subcontent", "User", "Participant")
# What a row of each grain has one of, and what else leads from it.
ONE = {
    Grain.OFFER: OFFER_LABELS,
    Grain.PRODUCT: (*OFFER_LABELS, "Product", "ProductFamily"),
    Grain.PARAMETER: (*OFFER_LABELS, "Product", "ProductFamily", "Tab", "Parameter", "ParameterValue"),
    Grain.PARTICIPANT: ("Participant",),
    Grain.USER: ("User",),
}
ALL = ONE[Grain.PARAMETER]
BELOW = {
    Grain.OFFER: (Grain.PRODUCT, Grain.PARAMETER),
    Grain.PRODUCT: (Grain.PARAMETER,),
    Grain.PARAMETER: (),
    Grain.PARTICIPANT: (Grain.OFFER, Grain.PRODUCT),
    Grain.USER: (Grain.OFFER, Grain.PRODUCT),
}
ABOVE = {
    Grain.PRODUCT: (Grain.OFFER,),
    Grain.PARAMETER: (Grain.OFFER, Grain.PRODUCT),
}
DEPTH = (Grain.OFFER, Grain.PRODUCT, Grain.PARAMETER)
features = st.builds(
    FeatureField, ext_id=st.sampled_from((*EXT_IDS, "none such")), part=st.sampled_from(("name", "measure"))
)
periods = st.builds(PeriodField, unit=st.sampled_from(Unit))


@st.composite
def properties(draw, grain, labels, numeric=False):
    keys = [key for key in (NUMBERS if numeric else {*TEXTS, *NUMBERS, ("Offer", "date")}) if key[0] in labels]
    label, name = draw(st.sampled_from(sorted(keys)))
    role = draw(st.sampled_from(Role)) if label == "Participant" and grain is not Grain.PARTICIPANT else None
    return PropertyField(label=label, property=name, role=role)


def attributes(labels):
    owners = [label for label in labels if label in ("ProductFamily", "Tab", "Parameter", "ParameterValue")]
    return st.builds(
        PropertyField, label=st.just("Attribute"), property=st.sampled_from(("type", "value")),
        owner=st.sampled_from(owners),
    )  # fmt: skip


@st.composite
def numbers(draw, grain):
    """A field that is a number: of the row, or of what it has many of."""
    if grain in PERSONS:
        return draw(st.nothing())
    return draw(
        st.one_of(
            properties(grain, ALL, numeric=True),
            st.builds(FeatureField, ext_id=st.sampled_from(EXT_IDS), part=st.just("measure")),
            st.just(PropertyField(label="ParameterValue", property="measure")),
        )
    )


@st.composite
def ranges(draw, grain):
    of = draw(numbers(grain))
    if draw(st.booleans()):
        return RangeField(of=of, width=draw(st.sampled_from((50.0, 0.5, 1000.0, 7.0))))
    bounds = draw(st.sets(st.sampled_from((0.5, 1.0, 30.0, 57.0, 500.0, 1200.0)), min_size=1, max_size=3))
    return RangeField(of=of, bounds=tuple(sorted(bounds)))


@st.composite
def fields(draw, grain):
    """Any field that rows of the grain lead to."""
    if grain in PERSONS:
        return draw(properties(grain, ONE[grain]))
    near, far = properties(grain, ONE[grain]), properties(grain, ALL)
    return draw(st.one_of(near, near, features, features, periods, far, attributes(ALL), ranges(grain)))


@st.composite
def compares(draw, grain):
    kinds = [properties(grain, ONE[grain])] * 3
    if grain not in PERSONS:
        kinds += [periods]
    if grain in (Grain.PRODUCT, Grain.PARAMETER):
        kinds += [features, features, attributes(ONE[grain])]
    field = draw(st.one_of(*kinds))
    if draw(st.integers(0, 5)) == 0:
        return Exists(field=field)
    many = draw(st.booleans())
    operator = draw(st.sampled_from(ORDERED))
    if isinstance(field, PeriodField):
        pool = sorted({period(field.unit, day) for day in DAYS})
    elif isinstance(field, FeatureField) and field.part == "name":
        pool, operator = sorted({name for name, _ in VALUES.get(field.ext_id, (("x", None),)) if name}), None
    elif isinstance(field, FeatureField) or (field.label, field.property) in NUMBERS:
        pool = [0.5, 2.0, 30.0, 57.0, 500.0, 1200.0]
    elif field.property == "date":
        pool = sorted({(day + timedelta(days=1)).isoformat() for day in DAYS})
    elif field.property == "measure" and draw(st.booleans()):
        pool = [30.0, 57.0, 1200.0]
    else:
        pool, operator = list(TEXTS[field.label, field.property]), None
    if operator is None:
        operator = draw(st.sampled_from((Operator.EQUAL, Operator.IN, Operator.CONTAINS)))
        if operator is Operator.CONTAINS:
            pool = [text[:3].upper() for text in pool] + ["ä", "m"]
    size = 3 if operator is Operator.IN and many else 1
    return Compare(
        field=field, operator=operator, values=tuple(draw(st.lists(st.sampled_from(pool), min_size=1, max_size=size)))
    )


@st.composite
def somes(draw, grain, depth):
    below = draw(st.sampled_from(BELOW[grain]))
    low, high = draw(st.sampled_from(((1, None), (None, 0), (1, None), (2, None), (None, 1), (1, 2), (0, 0))))
    return Some(
        grain=below,
        where=tuple(draw(st.lists(conditions(below, depth - 1), max_size=2))),
        at_least=low,
        at_most=high,
        role=draw(st.sampled_from((None, *Role))) if grain is Grain.PARTICIPANT else None,
    )


@st.composite
def its(draw, grain, depth):
    above = draw(st.sampled_from(ABOVE[grain]))
    return Its(grain=above, where=tuple(draw(st.lists(conditions(above, depth - 1), min_size=1, max_size=2))))


def conditions(grain, depth=2):
    """A condition on rows of the grain, nested at most so deep."""
    plain = compares(grain)
    if depth == 0:
        return plain
    inner = st.deferred(lambda: conditions(grain, depth - 1))
    several = st.lists(inner, min_size=1, max_size=2).map(tuple)
    kinds = [
        plain, plain, plain,
        st.builds(Not, condition=inner),
        st.builds(AnyOf, conditions=several),
        st.builds(AllOf, conditions=several),
    ]  # fmt: skip
    if BELOW[grain]:
        kinds += [somes(grain, depth), somes(grain, depth)]
    if grain in ABOVE:
        kinds += [its(grain, depth)]
    return st.one_of(*kinds)


@st.composite
def measures(draw, grain, groups):
    related = (grain,) if grain in PERSONS else DEPTH
    of = draw(st.sampled_from((None, *related)))
    having = tuple(draw(st.lists(conditions(of or grain, 1), max_size=1))) if draw(st.integers(0, 2)) == 0 else ()
    kinds = ["count", "count field", "share"]
    if grain not in PERSONS:
        kinds += ["number", "number", "per", "day"]
    kind = draw(st.sampled_from(kinds))
    numeric = draw(
        st.sampled_from((Aggregate.SUM, Aggregate.AVERAGE, Aggregate.MINIMUM, Aggregate.MAXIMUM, Aggregate.MEDIAN))
    )
    if kind == "count field":
        return Measure(aggregate=Aggregate.COUNT, field=draw(fields(grain)), of=of if having else None, having=having)
    if kind == "share" and (having or groups):
        within = None
        if not having:
            within = draw(st.one_of(st.none(), st.sets(st.integers(0, groups - 1)).map(lambda x: tuple(sorted(x)))))
        return Measure(aggregate=Aggregate.SHARE, of=of, having=having, within=within)
    if kind == "number":
        return Measure(aggregate=numeric, field=draw(numbers(grain)), of=of if having else None, having=having)
    if kind == "day":
        ends = draw(st.sampled_from((Aggregate.MINIMUM, Aggregate.MAXIMUM)))
        return Measure(
            aggregate=ends, field=draw(st.one_of(periods, st.just(PropertyField(label="Offer", property="date"))))
        )
    if kind == "per":
        return draw(nested(grain, numeric, of, having))
    return Measure(aggregate=Aggregate.COUNT, of=of, having=having)


@st.composite
def nested(draw, grain, aggregate, of, having):
    summed = draw(st.booleans())
    counted = DEPTH.index(of or grain)
    if draw(st.booleans()) or (counted == 0 and not summed):
        per = draw(fields(grain).filter(lambda field: not isinstance(field, RangeField)))
    else:
        per = draw(st.sampled_from(DEPTH if summed else DEPTH[:counted]))
    if summed:
        return Measure(
            aggregate=aggregate, field=draw(numbers(grain)), per=per, of=of if having else None, having=having
        )
    return Measure(aggregate=aggregate, of=of, per=per, having=having)


@st.composite
def plans(draw):
    """Any valid plan."""
    grain = draw(st.sampled_from((*DEPTH, *DEPTH, *PERSONS)))
    where = tuple(draw(st.lists(conditions(grain), max_size=2)))
    chosen = tuple(draw(st.lists(fields(grain), max_size=3, unique=True)))
    if draw(st.integers(0, 2)) == 0 and chosen:
        order = tuple(Order(column=i, descending=draw(st.booleans())) for i in draw(_some_of(len(chosen))))
        top = draw(st.one_of(st.none(), st.builds(Top, count=st.integers(1, 6))))
        return Plan(grain=grain, where=where, show=chosen, order=order, top=top)
    wanted = tuple(draw(st.lists(measures(grain, len(chosen)), min_size=1, max_size=3, unique=True)))
    order = [Order(measure=i, descending=draw(st.booleans())) for i in draw(_some_of(len(wanted)))]
    order += [Order(column=i, descending=draw(st.booleans())) for i in draw(_some_of(len(chosen)))]
    bounds = [
        MeasureBound(measure=i, operator=draw(st.sampled_from(ORDERED).filter(lambda o: o is not Operator.IN)),
                     value=draw(st.sampled_from((0.0, 1.0, 2.0, 50.0))))
        for i in draw(_some_of(len(wanted)))
        if wanted[i].aggregate is Aggregate.COUNT or not _is_day(wanted[i].field)
    ]  # fmt: skip
    within = tuple(draw(_some_of(len(chosen)))) if chosen else ()
    top = draw(st.one_of(st.none(), st.builds(Top, count=st.integers(1, 4), within=st.just(within))))
    return Plan(
        grain=grain, where=where, group_by=chosen, measures=wanted, order=tuple(order),
        group_having=tuple(bounds) if draw(st.integers(0, 3)) == 0 else (), top=top,
    )  # fmt: skip


def _is_day(field):
    return isinstance(field, PeriodField) or getattr(field, "property", "") == "date"


def _some_of(length):
    return st.sets(st.integers(0, length - 1)).map(sorted) if length else st.just([])
