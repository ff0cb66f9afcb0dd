"""What nouns of a question are in the graph: the fields they stand for, and how deep these lie.

Arrives: an item of a frame. Leaves: fields of the plan. Depth 0 is an offer's own, 1 a product's, 2 a parameter's.
"""

from cpq_graph import model
from cpq_graph.query.language.families import FAMILY_NAME
from cpq_graph.query.language.frame import NUMERIC, Frame
from cpq_graph.query.language.groups import unit_of
from cpq_graph.query.language.items import Fields, Item
from cpq_graph.query.language.offers import OFFER_ID, PRODUCT_ID
from cpq_graph.query.language.parties import participant
from cpq_graph.query.language.result import Problem
from cpq_graph.query.language.roles import field_role
from cpq_graph.query.plan import AnyField, FeatureField, Grain, PeriodField, PropertyField, RangeField

_DEPTH = {Grain.USER: 0, Grain.PARTICIPANT: 0, Grain.OFFER: 0, Grain.PRODUCT: 1, Grain.PARAMETER: 2}
_NODES = {
    "entity.offer": OFFER_ID,
    "entity.product": PRODUCT_ID,
    "entity.family": FAMILY_NAME,
    "entity.tab": PropertyField(label=model.TAB.label, property="name"),
    "entity.parameter": PropertyField(label=model.PARAMETER.label, property="name"),
    "entity.feature": PropertyField(label=model.PARAMETER.label, property=model.EXT_ID),
}
USER = tuple(PropertyField(label=model.USER.label, property=p) for p in ("userid", "firstname", "lastname"))
_PRODUCT_LABELS = {model.PRODUCT.label, model.PRODUCT_FAMILY.label}
_PARAMETER_LABELS = {model.TAB.label, model.PARAMETER.label, model.PARAMETER_VALUE.label}


def fields_of(f: Frame, item: Item) -> tuple[AnyField, ...]:
    """The fields that a noun stands for. Raises Problem when its role is not said."""
    if isinstance(item.means, Fields):
        return item.means.fields
    concept = item.concept
    # Grouped by, a login tells users apart; some have no name.
    user = USER[:1] if item in f.keys or f.rank else USER
    if concept in _NODES:
        return (_NODES[concept],)
    if concept in {"entity.user", "rolenoun.handled"}:
        return user
    if concept.startswith("unit."):
        return (PeriodField(unit=unit_of(item)),)
    if concept.startswith(("rolenoun.", "entity.company", "entity.participant")):
        role, prop = field_role(f, item)
        return user if role == "handled" else (participant(prop, role),)
    raise Problem("not_placed", words=(item.text,))


def is_number(x: AnyField) -> bool:
    """Whether a field is a price or cost."""
    return isinstance(x, PropertyField) and x in NUMERIC


def numeric(item: Item) -> bool:
    """Whether an item is prices or costs alone."""
    return isinstance(item.means, Fields) and all(map(is_number, item.means.fields))


def depth(grain: Grain) -> int:
    """How deep a grain lies."""
    return _DEPTH[grain]


def depth_of(x: AnyField) -> int:
    """How deep a field lies."""
    if isinstance(x, FeatureField):
        return 1
    if isinstance(x, RangeField):
        return depth_of(x.of)
    if isinstance(x, PropertyField):
        return 1 if x.label in _PRODUCT_LABELS else 2 if x.label in _PARAMETER_LABELS else 0
    return 0


def grain_of(x: AnyField) -> Grain:
    """The grain that a field is of."""
    return (Grain.OFFER, Grain.PRODUCT, Grain.PARAMETER)[depth_of(x)]
