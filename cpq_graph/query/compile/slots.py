"""Where a field stands: the graph seen from one row, as a tree of places for nodes.

Arrives: fields and grains of a plan. Leaves: slots (places for one node), the way from one slot to another as steps
over the model's relationships, and whether a row has one or many of a slot.

    Offer ─┬─ User, Participant by role
           └─ Content ─ Subcontent ─< Product ─ ProductFamily ─< Tab ─< Parameter ─ ParameterValue

Each feature has a branch of its own below the family; attributes hang below whatever bears them.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from cpq_graph import model
from cpq_graph.model import Cardinality, Relationship
from cpq_graph.query.plan import AnyField, FeatureField, Grain, PeriodField, RangeField, Role

SENDERS = {
    Role.SENT: model.SENT_BY,
    Role.DELIVERED: model.DELIVERED_BY,
    Role.RECEIVED: model.RECEIVED_BY,
}
BEARERS = {owner.start.label: owner for owner in model.HAS_ATTRIBUTE}


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for one node. `role` tells an offer's participants apart, `feature` the branches of ext_ids below a
    family, `owner` and `type` the attributes of a bearer (type None: of every type)."""

    label: str
    role: Role | None = None
    feature: str | None = None
    owner: str | None = None
    type: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One relationship on the way, ending at `slot`; `forward` follows its arrow."""

    relationship: Relationship
    forward: bool
    slot: Slot

    @property
    def many(self) -> bool:
        """Whether one node may lead to several. Against the arrows there is a tree: one parent each."""
        return self.forward and self.relationship.cardinality is Cardinality.MANY


OFFER = Slot(model.OFFER.label)
CONTENT = Slot(model.CONTENT.label)
SUBCONTENT = Slot(model.SUBCONTENT.label)
PRODUCT = Slot(model.PRODUCT.label)
FAMILY = Slot(model.PRODUCT_FAMILY.label)
TAB = Slot(model.TAB.label)
PARAMETER = Slot(model.PARAMETER.label)
VALUE = Slot(model.PARAMETER_VALUE.label)
PARTICIPANT = Slot(model.PARTICIPANT.label)
USER = Slot(model.USER.label)

_GRAINS = {
    Grain.OFFER: OFFER,
    Grain.PRODUCT: PRODUCT,
    Grain.PARAMETER: PARAMETER,
    Grain.PARTICIPANT: PARTICIPANT,
    Grain.USER: USER,
}
# From the offer down; a grain is above another when it comes earlier.
DEPTH = {Grain.OFFER: 0, Grain.PRODUCT: 1, Grain.PARAMETER: 2}
SPINE = (OFFER, CONTENT, SUBCONTENT, PRODUCT, FAMILY, TAB, PARAMETER, VALUE)
_SPINE_RELATIONSHIPS = (
    model.OFFER_CONTAINS,
    model.CONTENT_CONTAINS,
    model.SUBCONTENT_CONTAINS,
    model.CONFIGURED_AS,
    model.HAS_TAB,
    model.HAS_PARAMETER,
    model.HAS_VALUE,
)
PERSONS = (Grain.PARTICIPANT, Grain.USER)


def slot_of_grain(grain: Grain) -> Slot:
    """The slot that a row of this grain is."""
    return _GRAINS[grain]


def slot_of(field: AnyField, grain: Grain) -> Slot:
    """The slot of the node that bears the field, for rows of `grain`."""
    if isinstance(field, RangeField):
        return slot_of(field.of, grain)
    if isinstance(field, PeriodField):
        return OFFER
    if isinstance(field, FeatureField):
        return Slot(model.PARAMETER_VALUE.label, feature=field.ext_id)
    if field.label == model.ATTRIBUTE.label:
        return Slot(field.label, owner=field.owner or model.PARAMETER.label)
    if field.property == model.EXT_ID:
        return Slot(model.ATTRIBUTE.label, owner=field.label, type=model.EXT_ID)
    return Slot(field.label, role=field.role)


@lru_cache(maxsize=4096)
def path(grain: Grain, start: Slot, end: Slot) -> tuple[Step, ...]:
    """The steps from one slot to another, as rows of `grain` see them. Raises LookupError when there is no way."""
    up, down = _lineage(grain, start), _lineage(grain, end)
    above_end = [slot for slot, _ in down]
    meeting = next((slot for slot, _ in up if slot in above_end), None)
    if meeting is None:
        raise LookupError(f"no way from {start.label} to {end.label}")
    ups = up[: [slot for slot, _ in up].index(meeting) + 1]
    steps = [Step(relationship, False, parent) for (_, relationship), (parent, _) in pairwise(ups) if relationship]
    downs = down[: above_end.index(meeting)]
    return (*steps, *(Step(relationship, True, slot) for slot, relationship in reversed(downs) if relationship))


def is_one(grain: Grain, start: Slot, end: Slot) -> bool:
    """Whether a node in `start` has at most one in `end`."""
    return not any(step.many for step in path(grain, start, end))


def is_own(grain: Grain, start: Slot, end: Slot) -> bool:
    """Whether no two nodes in `start` share their node in `end`, nor one has several."""
    return all(step.forward and not step.many and not _is_shared(step.slot) for step in path(grain, start, end))


def _is_shared(slot: Slot) -> bool:
    return slot.label in {model.USER.label, model.PARTICIPANT.label, model.ATTRIBUTE.label}


def _lineage(grain: Grain, slot: Slot) -> list[tuple[Slot, Relationship | None]]:
    """The slot and what is above it, up to the offer (or the person alone), each with the relationship to its own
    parent."""
    found: list[tuple[Slot, Relationship | None]] = []
    current: Slot | None = slot
    while current is not None:
        parent, relationship = _parent(grain, current)
        found.append((current, relationship))
        current = parent
    return found


def _parent(grain: Grain, slot: Slot) -> tuple[Slot | None, Relationship | None]:
    if slot.label == model.ATTRIBUTE.label and slot.owner is not None:
        return Slot(slot.owner), BEARERS[slot.owner]
    if slot.role is not None:
        return OFFER, SENDERS[slot.role]
    if slot == USER and grain is not Grain.USER:
        return OFFER, model.HANDLED_BY
    if slot.feature is not None and grain is Grain.PARAMETER and slot.label == model.PARAMETER_VALUE.label:
        return PARAMETER, model.HAS_VALUE
    plain = Slot(slot.label)
    if plain not in SPINE or plain == OFFER:
        return None, None
    index = SPINE.index(plain)
    parent = SPINE[index - 1]
    branched = slot.feature is not None and parent not in (FAMILY,)
    return Slot(parent.label, feature=slot.feature if branched else None), _SPINE_RELATIONSHIPS[index - 1]
