"""Whether everything that a question says is in its plan.

Arrives: what the words were found to mean, before the grammar worked on them, and the plan. Leaves: the words that
nothing in the plan speaks of. A grammar may lose a word; this asks it back: a question about the price of products must
not be answered with the price of offers, nor one about the best seller of each quarter with the quarters alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import BaseModel

from cpq_graph import model
from cpq_graph.query.language.frame import NUMERIC
from cpq_graph.query.language.items import (
    FamilyRef,
    FeatureRef,
    Item,
    Meaning,
    Number,
    PartyRef,
    StoredRef,
    ValueRef,
    When,
    Word,
)  # fmt: skip
from cpq_graph.query.language.nouns import ANYBODY
from cpq_graph.query.language.offers import OFFER_ID, PRICE, PROPERTIES, SUBPRICE
from cpq_graph.query.language.periods import DATE
from cpq_graph.query.plan import (
    Aggregate,
    AnyField,
    Compare,
    FeatureField,
    Grain,
    MeasureBound,
    Not,
    Operator,
    PeriodField,
    Plan,
    PropertyField,
    RangeField,
    Role,
    Some,
    Top,
    Unit,
)  # fmt: skip

_PARAMETER = {model.PARAMETER.label, model.PARAMETER_VALUE.label, model.TAB.label}
_RANKING = {
    "popular", "unpopular", "most", "fewest", "highest", "lowest", "expensive", "cheap", "latest", "earliest", "top",
}  # fmt: skip
_GROUPING = {"each", "per", "accordingto"}
_NARROWING = (FamilyRef, FeatureRef, ValueRef)
_ORDERED = {Operator.LESS, Operator.AT_MOST, Operator.MORE, Operator.AT_LEAST}


def unaccounted(items: list[Item], plan: Plan) -> list[Item]:
    """The items of a question that its plan says nothing of."""
    said = _Said.of(plan)
    if said.idle() or said.twice(items):
        return [i for i in items if isinstance(i.means, FeatureRef) or i.concept.startswith(("prop.", "entity."))]
    narrowed = any(isinstance(i.means, _NARROWING) for i in items)
    if not said.denies() and (every := _every_product(items)):
        return every
    return [
        i for i in items
        if not (i.concept == "only" and not narrowed) and not any(said.tells(m) for m in _meanings(i))
        and not _does_its_role(items, i) and not (said.denies() and _of_products(items, i))
    ]  # fmt: skip


def _of_products(items: list[Item], item: Item) -> bool:
    """Whether it is the "every" of "every product is F"."""
    at = items.index(item) + 1
    return item.concept == "each" and at < len(items) and items[at].concept == "entity.product"


def _every_product(items: list[Item]) -> list[Item]:
    """ "Offers whose products are all F": what every product of an offer is, which some product alone does not tell."""
    for k, item in enumerate(items):
        before = {i.concept for i in items[:k]}
        behind = [i.concept for i in items[k + 1 : k + 3]]
        described = any(isinstance(i.means, _NARROWING) for i in items[k + 1 :])
        if (
            item.concept in {"all", "each"} and behind[:1] == ["entity.product"]
            and behind[1:] and behind[1] in {"cop", "configured", "have"}
            and "entity.offer" in before and before & {"rel", "whose", "count", "count.do"} and described
        ):  # fmt: skip
            return [item]
    return []


def _meanings(item: Item) -> tuple[Meaning, ...]:
    """What an item may mean; a status in capitals is one, though it is a verb as well."""
    stored = tuple(m for m in item.others if isinstance(m, StoredRef))
    return stored if stored and item.text.isupper() and len(item.text) > 3 else (item.means, *item.others)


def _does_its_role(items: list[Item], item: Item) -> bool:
    """ "What customers ordered": whoever orders is a customer."""
    at = items.index(item) + 1
    following = items[at] if at < len(items) else None
    kind = item.concept.split(".")
    if item.text.lower() in ANYBODY:
        # "what people order most"
        return at < 2 or items[at - 2].concept not in {"ask", "count", "each", "different"}
    if kind[0] != "rolenoun" or following is None:
        return False
    chosen = kind[1] == "received" and following.concept in {"popular", "configured"}
    same = following.concept.startswith(f"role.{kind[1]}") or following.text.lower() in {"order", "get", "buy"}
    return chosen or same


@dataclass(frozen=True, slots=True)
class _Said:
    """What a plan speaks of."""

    plan: Plan
    parts: tuple[object, ...]
    fields: frozenset[AnyField]
    labels: frozenset[str]
    roles: frozenset[Role]
    grains: frozenset[Grain]
    texts: frozenset[str]
    numbers: frozenset[float]

    @staticmethod
    def of(plan: Plan) -> "_Said":
        parts = tuple(_parts(plan))
        fields = frozenset(p for p in parts if isinstance(p, PropertyField | FeatureField | PeriodField | RangeField))
        scalars = [v for p in parts if isinstance(p, Compare) for v in p.values]
        numbers = {float(v) for v in scalars if isinstance(v, float | int)}
        for p in parts:
            match p:
                case Top():
                    numbers.add(float(p.count))
                case Some():
                    # "More than 3" is at least 4.
                    numbers |= {b + d for b in (p.at_least, p.at_most) if b is not None for d in (-1.0, 0.0, 1.0)}
                case MeasureBound():
                    numbers |= {p.value + d for d in (-1.0, 0.0, 1.0)}
                case RangeField():
                    numbers |= {*p.bounds, p.width or 0.0}
        texts = {v for v in scalars if isinstance(v, str)} | {f.ext_id for f in fields if isinstance(f, FeatureField)}
        properties = [f for f in fields if isinstance(f, PropertyField)]
        roles = {f.role for f in properties if f.role} | {p.role for p in parts if isinstance(p, Some) and p.role}
        return _Said(
            plan, parts, fields, frozenset(f.label for f in properties),
            frozenset(roles),
            frozenset({p for p in parts if isinstance(p, Grain)}), frozenset(texts), frozenset(numbers),
        )  # fmt: skip

    def idle(self) -> bool:
        """Whether a list shows nothing but what the question itself gives: the status of offers with status ORDERED."""
        given = self._given()
        valued = any(isinstance(f, PropertyField) and f.label == model.PARAMETER_VALUE.label for f in self.plan.show)
        pinned = any(isinstance(field, FeatureField) for field in self._pinned())
        one = any(isinstance(c, Compare) and c.field == OFFER_ID for c in self.plan.where)
        offers = [m for m in self.plan.measures if m.aggregate is Aggregate.COUNT and m.of is Grain.OFFER]
        if one and offers and not self.plan.group_by:
            # How many offers there are of the one that is named.
            return True
        if valued and pinned:
            # The values of products that are told by a value: it may be that one.
            return True
        return not self.plan.measures and bool(self.plan.show) and set(self.plan.show) <= given

    def twice(self, items: list[Item]) -> bool:
        """Whether a feature that is named once is both compared and grouped by, or counted."""
        compared = {
            p.field.ext_id for p in self.parts
            if isinstance(p, Compare) and isinstance(p.field, FeatureField) and p.field.part == "measure"
        }  # fmt: skip
        told = [*self.plan.group_by, *self.plan.show, *(m.field for m in self.plan.measures)]
        used = {x.ext_id for x in told if isinstance(x, FeatureField)} & compared
        named = [e for i in items if isinstance(i.means, FeatureRef) for e in i.means.ext_ids]
        if any(m.aggregate is Aggregate.COUNT and m.field in self.plan.group_by for m in self.plan.measures if m.field):
            # How many values there are in each group of one value.
            return True
        if self._given() & set(self.plan.group_by):
            # Grouped by what the question has fixed.
            return True
        pinned = self._pinned()
        if any(m.aggregate is Aggregate.COUNT and m.field in pinned for m in self.plan.measures if m.field):
            # How many families there are of the two that the question names.
            return True
        dates = any(m.field == DATE and m.aggregate is Aggregate.COUNT for m in self.plan.measures)
        if dates and not any(i.concept == "different" for i in items):
            # How many different days there were is not asked for in passing.
            return True
        return any(named.count(e) < 2 for e in used)

    def tells(self, meaning: Meaning) -> bool:
        """Whether the plan speaks of it."""
        match meaning:
            case Word():
                return self._word(meaning.concept)
            case Number():
                return meaning.value in self.numbers | {1.0} or any(f"{meaning.value:g}" in t for t in self.texts)
            case When():
                return self._time(meaning)
            case FamilyRef():
                return bool(self.texts & set(meaning.names))
            case FeatureRef():
                return bool(self.texts & set(meaning.ext_ids))
            case ValueRef():
                return any(self.texts & {*c.names, c.ext_id} for c in meaning.choices)
            case StoredRef():
                return bool(self.texts & set(meaning.values))
            case PartyRef():
                return any(
                    {p.text, p.userid} & self.texts or set(p.text.split()) <= self.texts for p in meaning.parties
                )
        return True

    def _time(self, when: When) -> bool:
        period = when.period
        if period.year is None and period.span is None:
            return True
        if period.unit is Unit.YEAR and period.span is None:
            return any(t.startswith(str(period.year)) for t in self.texts)
        return bool({day.isoformat() for day in period.bounds()} & self.texts)

    def _word(self, concept: str) -> bool:
        kind, _, rest = concept.partition(".")
        plan = self.plan
        measured = {m.aggregate for m in plan.measures}
        extreme = measured & {Aggregate.MAXIMUM, Aggregate.MINIMUM}
        if concept in _RANKING:
            whole = plan.top is not None and len(plan.top.within) >= len(plan.group_by) > 0
            return bool((plan.order and (plan.top or any(o.measure is not None for o in plan.order))) or extreme) and (
                not whole or bool(extreme)
            )
        if concept in _GROUPING or kind == "unitly":
            # "Average power per luminaire" is of luminaires anyway.
            average = Aggregate.AVERAGE in measured
            return bool(plan.group_by or plan.show or average or any(m.per is not None for m in plan.measures))
        match kind:
            case "share":
                return Aggregate.SHARE in measured
            case "count":
                return bool(measured)
            case "howmuch":
                return bool(measured) or bool(self.fields & set(NUMERIC))
            case "agg":
                return self._aggregate(rest, measured)
            case "only" | "neg" | "without" | "otherthan":
                return self.denies() or (kind == "neg" and self._compares())
            case "cmp" | "post":
                return rest == "exactly" or self._compares()
            case "unit":
                return PeriodField(unit=Unit(rest)) in self.fields or not self._splits()
            case "prop":
                wanted = PROPERTIES.get(concept)
                featured = concept in {"prop.extid", "prop.measure"} and any(
                    isinstance(f, FeatureField) for f in self.fields
                )
                return wanted is None or wanted[0] in self.fields or featured
            case "rolenoun":
                role = rest.partition(".")[0]
                return model.USER.label in self.labels if role == "handled" else Role(role) in self.roles
            case "entity":
                return self._entity(rest.partition(".")[0])
            case "who":
                return bool(self.labels & {model.PARTICIPANT.label, model.USER.label})
        return True

    def _given(self) -> set[AnyField]:
        """What the question fixes to one value."""
        return {c.field for c in self.plan.where if isinstance(c, Compare) and c.operator is Operator.EQUAL}

    def _pinned(self) -> set[AnyField]:
        """What it fixes to one value or some, at any depth."""
        return {p.field for p in self.parts if isinstance(p, Compare) and p.operator in {Operator.EQUAL, Operator.IN}}

    def denies(self) -> bool:
        """Whether the plan says of anything that it is not so."""
        return any(isinstance(p, Not) or (isinstance(p, Some) and p.at_most is not None) for p in self.parts)

    def _splits(self) -> bool:
        return bool(self.plan.group_by or self.plan.measures)

    def _compares(self) -> bool:
        return any(
            (isinstance(p, Compare) and p.operator in _ORDERED)
            or isinstance(p, MeasureBound | RangeField)
            or (isinstance(p, Some) and (p.at_least or p.at_most) is not None)
            for p in self.parts
        )

    def _aggregate(self, name: str, measured: set[Aggregate]) -> bool:
        if name == "sum":
            # "In total": of what is counted, or the total of the one offer.
            offered = model.PARTICIPANT.label not in self.labels
            priced = offered and bool({PRICE, SUBPRICE} & self.fields)
            return bool(measured) or priced or any(isinstance(p, Compare) and p.field == OFFER_ID for p in self.parts)
        extreme = name in {"minimum", "maximum"}
        return Aggregate(name) in measured or (extreme and (self._compares() or self.plan.top is not None))

    def _entity(self, name: str) -> bool:
        match name:
            case "product":
                return bool(self.grains & {Grain.PRODUCT, Grain.PARAMETER})
            case "family":
                return model.PRODUCT_FAMILY.label in self.labels
            case "company" | "participant":
                return model.PARTICIPANT.label in self.labels or (
                    name == "participant" and model.USER.label in self.labels
                )
            case "user":
                return model.USER.label in self.labels
            case "parameter" | "tab" | "feature":
                return bool(self.labels & _PARAMETER) or any(isinstance(f, FeatureField) for f in self.fields)
            case "combination":
                return any(isinstance(f, FeatureField) for f in self.fields)
        return True


def _parts(thing: object) -> Iterator[object]:
    """Everything that a plan consists of, at every depth."""
    yield thing
    if isinstance(thing, BaseModel):
        for name in type(thing).model_fields:
            yield from _parts(getattr(thing, name))
    elif isinstance(thing, tuple):
        for part in thing:
            yield from _parts(part)
