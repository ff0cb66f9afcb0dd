"""The typed plan of a question: what is counted, summed or listed, over which rows, grouped by what.

Made by `query.planning` from words (or by a language model as structured output), compiled to Cypher by
`query.compile`, and evaluated over source frames by the oracle in the tests. A plan says what is meant, not how it is
fetched: two plans that mean different things never compile to the same Cypher.

Rows and grain
--------------
A plan is over rows of one grain. Each row is one distinct node of the grain together with everything that it has
one of (its "to-one" surroundings):

    OFFER      the offer, its content and subcontent, its handler, its three participants (one for each role)
    PRODUCT    the product, its root family, and all of its offer's
    PARAMETER  the parameter, its value, tab and family, and, where that family is a root, all of its product's
    PARTICIPANT / USER   the person alone, whether or not an offer names them

Every node of the grain is a row, whatever it lacks; what is missing is null. A product's parameters are those of its
root family: the parameters of a nested family are rows of their own, but belong to no product.

Fields of many
--------------
A field of something that a row has many of (an offer's products and families, a product's parameters and feature
values, a parameter's attributes) may be shown, grouped by or measured: the row then stands once for each such node, or
once with nothing where there is none. Fields whose ways part at a node stand together for each such node: an offer's
families and lengths are those of the same product, name and measure of one ext_id those of the same parameter. Each
ext_id is otherwise on its own, so that three features give the combinations that a product has.

Such a field may be a condition only inside `Some`, except two, of which at least one must satisfy the condition: a
`FeatureField` where the row is a product, and the attributes of what the row has one of.

Where the row is a parameter, a `FeatureField` speaks of that parameter alone: it is there when the parameter has that
ext_id. `Its` asks for the product's features instead.

Nothing is null by accident
---------------------------
A group is of rows that have every field it is grouped by; the others stand in no group and no denominator. A list
shows null for what is missing, and leaves out a row with nothing to show.
"""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Grain(StrEnum):
    """What one row is."""

    OFFER = "offer"
    PRODUCT = "product"
    PARAMETER = "parameter"
    PARTICIPANT = "participant"
    USER = "user"


class Role(StrEnum):
    """How a participant stands to an offer."""

    SENT = "sent"
    DELIVERED = "delivered"
    RECEIVED = "received"


class Unit(StrEnum):
    """A calendar period. Weeks are ISO weeks."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    HALF = "half"
    YEAR = "year"


class PropertyField(_Frozen):
    """A property of a node of the model, by its label: Offer.status, Participant.company in a role.

    Attribute.type and Attribute.value are of the attributes of `owner`; whatever bears attributes also has the
    property `ext_id`, the value of its attribute of that type. ProductFamily is a product's root family.
    """

    kind: Literal["property"] = "property"
    label: str
    property: str
    # Required for Participant, unless the grain is PARTICIPANT.
    role: Role | None = None
    # For label Attribute: the label of what bears the attributes. Unset: Parameter.
    owner: str | None = None


class FeatureField(_Frozen):
    """A feature of a product by its stable key. `part` name is the choice as shown, measure the number it stands for:
    the measure's text as a number, missing where it is none."""

    kind: Literal["feature"] = "feature"
    ext_id: str
    part: Literal["name", "measure"] = "name"


class PeriodField(_Frozen):
    """The calendar period that an offer's date falls in, as text that sorts: 2024-07-16, 2024-W29, 2024-07, 2024-Q3,
    2024-H2, 2024."""

    kind: Literal["period"] = "period"
    unit: Unit


class RangeField(_Frozen):
    """A number of another field, put into ranges: [0, 50), [50, 100) … of `width`, shown as "0-50"; or by explicit
    ascending `bounds`, shown as "< 30", "30-60", "≥ 60". Without decimals where the width has none, else as "0.5-1.0".
    Ranges sort by number; they are shown and grouped by, never compared."""

    kind: Literal["range"] = "range"
    of: "Annotated[PropertyField | FeatureField, Field(discriminator='kind')]"
    width: float | None = None
    bounds: tuple[float, ...] = ()


AnyField = Annotated[PropertyField | FeatureField | PeriodField | RangeField, Field(discriminator="kind")]

# A day is ISO text (2024-07-16): the field's type in the model says what the text stands for.
Scalar = str | float


class Operator(StrEnum):
    """How a field is compared. Text is compared as stored (the linker has found the stored value), except that
    CONTAINS folds case. Text knows EQUAL, IN and CONTAINS; numbers, days and periods all but CONTAINS.
    ParameterValue.measure is compared as a number when the values are numbers."""

    EQUAL = "="
    IN = "in"
    LESS = "<"
    AT_MOST = "<="
    MORE = ">"
    AT_LEAST = ">="
    CONTAINS = "contains"


class Compare(_Frozen):
    """The field compares so with the value, or with any of the values (IN). A missing field never satisfies."""

    kind: Literal["compare"] = "compare"
    field: AnyField
    operator: Operator
    values: tuple[Scalar, ...] = Field(min_length=1)


class Exists(_Frozen):
    """The row has the field, not null: the feature is configured, the role is filled (by Participant.id)."""

    kind: Literal["exists"] = "exists"
    field: AnyField


class Not(_Frozen):
    """The condition does not hold, be it that the field is missing. For a feature: "not black" asks for products that
    have the feature, so the planner adds `Exists`, unless the question says otherwise."""

    kind: Literal["not"] = "not"
    condition: "Condition"


class AnyOf(_Frozen):
    """At least one holds."""

    kind: Literal["any"] = "any"
    conditions: tuple["Condition", ...] = Field(min_length=1)


class AllOf(_Frozen):
    """All hold."""

    kind: Literal["all"] = "all"
    conditions: tuple["Condition", ...] = Field(min_length=1)


class Some(_Frozen):
    """The number of the row's `grain` nodes that satisfy all of `where` lies within the bounds (inclusive).

    "at least one F": at_least=1; "without F": at_most=0; "more than 3": at_least=4; "only F": `Some(not F, at_most=0)`
    together with `Some((), at_least=1)`. Below an OFFER: PRODUCT, PARAMETER; below a PRODUCT: PARAMETER; below a
    PARTICIPANT or USER: OFFER or PRODUCT, with `role` for a participant (None: in any role).
    """

    kind: Literal["some"] = "some"
    grain: Grain
    where: tuple["Condition", ...] = ()
    at_least: int | None = None
    at_most: int | None = None
    role: Role | None = None


class Its(_Frozen):
    """The row's one `grain` node above it satisfies all of `where`, asked with that node as the row: products whose
    offer has `Some` product of another family, parameters whose product is black. A row without one does not."""

    kind: Literal["its"] = "its"
    grain: Grain
    where: tuple["Condition", ...] = Field(min_length=1)


Condition = Annotated[Compare | Exists | Not | AnyOf | AllOf | Some | Its, Field(discriminator="kind")]


class Aggregate(StrEnum):
    """What is made of many."""

    COUNT = "count"
    SUM = "sum"
    AVERAGE = "average"
    MINIMUM = "minimum"
    MAXIMUM = "maximum"
    MEDIAN = "median"
    SHARE = "share"


class Measure(_Frozen):
    """One number for each group.

    COUNT      distinct nodes of `of` (unset: the plan's grain), above the plan's grain, at it or below; or distinct
               values of `field`.
    SUM … MEDIAN   of `field`, each node that bears the field counted once in its group. Missing values are left out;
               the sum of none is 0, all else of none is null. MINIMUM and MAXIMUM also of days and periods.
               Where `per` is given, first the distinct nodes of `of`, or else the sum of `field`, is taken in each
               node of grain `per`, or for each value of the field `per`, that the group has; then the aggregate of
               these. "Average number of products per offer": grain OFFER, AVERAGE, of PRODUCT, per OFFER; offers
               without products count as 0.
    SHARE      with `having`: per cent of the group's `of` nodes that also satisfy `having` (the denominator is the
               group); without: per cent of the `of` nodes in all groups that are in this group. "All groups" are those
               with the same values in the `within` columns (indices into `group_by`; unset: `top.within`), before
               `group_having` and the cut. Of none: null.

    `having` has `of` nodes as its rows. With any aggregate but SHARE it is for comparisons side by side: only rows
    whose `of` node satisfies it are measured ("total price in March", "in April").
    """

    aggregate: Aggregate
    of: Grain | None = None
    field: AnyField | None = None
    per: Grain | AnyField | None = None
    having: tuple[Condition, ...] = ()
    within: tuple[int, ...] | None = None


class Order(_Frozen):
    """Sort by a measure (index into `measures`) or by a column (index into `group_by` or, in a list, `show`). What is
    missing comes last either way."""

    measure: int | None = None
    column: int | None = None
    descending: bool = True


class Top(_Frozen):
    """At most `count` rows, overall or, for each value of the `within` columns (indices into `group_by`), in each;
    these then come together, ascending. Ties break by the remaining columns, ascending, so that answers repeat."""

    count: int = Field(ge=1)
    within: tuple[int, ...] = ()


class Plan(_Frozen):
    """The meaning of a question. Without `measures` it is a list of the distinct rows of `show`; with them, one row for
    each combination of `group_by`, of which `group_having` keeps those whose measures compare so. Without `group_by`
    all rows are one group, even when there are none. Rows are in `order`, then by their columns. Numbers that differ
    by less than 0.000001 are equal to `order` and `group_having`, for sums of floats depend on their order."""

    grain: Grain
    where: tuple[Condition, ...] = ()
    show: tuple[AnyField, ...] = ()
    group_by: tuple[AnyField, ...] = ()
    measures: tuple[Measure, ...] = ()
    group_having: tuple["MeasureBound", ...] = ()
    order: tuple[Order, ...] = ()
    top: Top | None = None


class MeasureBound(_Frozen):
    """Keeps the groups whose measure compares so: "companies with more than 5 offers"."""

    measure: int
    operator: Operator
    value: float


for _model in (RangeField, Compare, Not, AnyOf, AllOf, Some, Its, Measure, Plan):
    _model.model_rebuild()
