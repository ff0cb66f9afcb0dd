"""Conditions on offers: ids, status, language, version, price; and properties that stand alone.

Arrives: items. Leaves: the same with what offers must be as `Condition`s and each property named as `Fields`.
"""

from cpq_graph import model
from cpq_graph.query.language.compares import bound_compares
from cpq_graph.query.language.items import (
    Bound,
    Condition,
    Fields,
    Identifier,
    Item,
    Number,
    PartyRef,
    StoredRef,
    ValueRef,
    When,
    merged,
)  # fmt: skip
from cpq_graph.query.language.link import Linker
from cpq_graph.query.language.result import Problem
from cpq_graph.query.language.scan import concept, means, replaced, skip
from cpq_graph.query.plan import Compare, Grain, Not, Operator, PropertyField
from cpq_graph.query.plan import Condition as PlanCondition


def _property(node: model.Node, name: str) -> PropertyField:
    return PropertyField(label=node.label, property=name)


OFFER_ID = _property(model.OFFER, "id")
PRICE = _property(model.CONTENT, "total_price")
SUBPRICE = _property(model.SUBCONTENT, "total_price")
COST = _property(model.PRODUCT_FAMILY, "total_cost")
CODE = _property(model.PRODUCT_FAMILY, "product_code")
PRODUCT_ID = _property(model.PRODUCT, "id")
EXT_ID = PropertyField(label=model.PARAMETER.label, property=model.EXT_ID)
STATUS = _property(model.OFFER, "status")
LANGUAGE = _property(model.OFFER, "language_id")
VERSION = _property(model.OFFER, "version")
MEASURE = _property(model.PARAMETER_VALUE, "measure")

# The fields that a word names by itself; those of persons wait for their role, an id and a name for their owner.
PROPERTIES: dict[str, tuple[PropertyField, Grain]] = {
    "prop.price": (PRICE, Grain.OFFER),
    "prop.revenue": (PRICE, Grain.OFFER),
    "prop.subprice": (SUBPRICE, Grain.OFFER),
    "prop.status": (STATUS, Grain.OFFER),
    "prop.version": (VERSION, Grain.OFFER),
    "prop.language": (LANGUAGE, Grain.OFFER),
    "prop.date": (_property(model.OFFER, "date"), Grain.OFFER),
    "when": (_property(model.OFFER, "date"), Grain.OFFER),
    "prop.cost": (COST, Grain.PRODUCT),
    "prop.code": (CODE, Grain.PRODUCT),
    "prop.measure": (MEASURE, Grain.PARAMETER),
    "prop.quantity": (_property(model.PARAMETER_VALUE, "quantity"), Grain.PARAMETER),
    "prop.valuecost": (_property(model.PARAMETER_VALUE, "cost"), Grain.PARAMETER),
    "prop.valuename": (_property(model.PARAMETER_VALUE, "name"), Grain.PARAMETER),
    "prop.parameterid": (_property(model.PARAMETER_VALUE, "parameterId"), Grain.PARAMETER),
    "prop.extid": (EXT_ID, Grain.PARAMETER),
    "prop.userid": (_property(model.USER, "userid"), Grain.USER),
    "prop.firstname": (_property(model.USER, "firstname"), Grain.USER),
    "prop.lastname": (_property(model.USER, "lastname"), Grain.USER),
}


def properties(items: list[Item], linker: Linker) -> list[Item]:
    """Status, language, version and price as conditions where a value follows, else as fields."""
    i = 0
    while i < len(items):
        found = _stored(items, i, linker) or _priced(items, i)
        if found:
            start, end, condition = found
            items = replaced(items, start, end, merged(items, start, end, condition))
            i = start
        elif items[i].concept == "prop.code" and _coded(items, i):
            items = replaced(items, i, i + 1)
            continue
        elif items[i].concept in PROPERTIES and not (
            items[i].concept == "prop.userid" and isinstance(means(items, skip(items, i + 1, {"cop"})), PartyRef)
        ):
            field, grain = PROPERTIES[items[i].concept]
            items = replaced(items, i, i + 1, merged(items, i, i + 1, Fields((field,), grain)))
        i += 1
    return items


def _coded(items: list[Item], i: int) -> bool:
    """Whether the code itself follows the word."""
    at = skip(items, i + 1, {"cop", "cmp.exactly"})
    return at < len(items) and _stored_ref(items[at], "product_code") is not None


def _stored(items: list[Item], i: int, linker: Linker) -> tuple[int, int, Condition] | None:
    """ "status is ORDERED", "version 2", "in Finnish", "whose language is sv"."""
    kind = items[i].concept
    denied_at = skip(items, i - 1, {"in", "have", "of"}, step=-1)
    start, negated = (denied_at, True) if concept(items, denied_at) in {"neg", "otherthan"} else (i, False)
    stored = _stored_ref(items[i], "language_id")
    if stored and concept(items, skip(items, i + 1, ())) in {"entity.offer", "prop.language", "stop", "comma", ""}:
        return _language(items, i, stored)
    bare = _stored_ref(items[i], "status")
    if bare and items[i].text.isupper() and items[i].text in bare.values:
        at, denied = i - 1, negated
        while concept(items, at) in {"as", "than"}:
            at -= 1
        denied = concept(items, at) in {"neg", "otherthan"}
        # "ORDERED-tilassa olevat", "of ORDERED status"
        end = skip(items, i + 1, {"dash", "as"})
        end = end + 1 if concept(items, end) == "prop.status" else i + 1
        return at if denied else i, end, _equal(STATUS, (items[i].text,), negated=denied)
    coded = _stored_ref(items[i], "product_code")
    if coded:
        first = skip(items, i - 1, {"cop", "cmp.exactly"}, step=-1)
        first = first if concept(items, first) == "prop.code" else i
        return first, i + 1, _equal(CODE, coded.values, negated=False, grain=Grain.PRODUCT)
    if kind not in {"prop.status", "prop.version", "prop.language"}:
        return None
    at = i + 1
    while concept(items, at) in {"cop", "cmp.exactly", "neg", "otherthan", "than", "as", "stop"}:
        negated = negated or concept(items, at) in {"neg", "otherthan"}
        at += 1
    if at >= len(items):
        return None
    item = items[at]
    values: tuple[str, ...] = ()
    field = STATUS
    if kind == "prop.status":
        ref = _stored_ref(item, "status")
        values = ref.values if ref else ()
    elif kind == "prop.version":
        field = VERSION
        known = {v.casefold(): v for v in linker.catalog.versions}
        text = item.means.text if isinstance(item.means, Identifier) else item.text.replace(" ", "")
        if isinstance(item.means, Number | Identifier | When | ValueRef) and text.casefold() in known:
            values = (known[text.casefold()],)
        elif isinstance(item.means, Number | Identifier):
            raise Problem("no_version", (("words", text),), words=(text,))
    else:
        field = LANGUAGE
        ref = _stored_ref(item, "language_id")
        codes = {c.casefold(): c for c in linker.catalog.languages}
        values = ref.values if ref else (codes[item.text.casefold()],) if item.text.casefold() in codes else ()
    if not values:
        return None
    return start, at + 1, _equal(field, values, negated=negated)


def _language(items: list[Item], i: int, ref: StoredRef) -> tuple[int, int, Condition]:
    start, end = i, i + 1
    if concept(items, i - 1) in {"in", "cop"}:
        start -= 1
    if concept(items, end) == "prop.language":
        end += 1
    return start, end, _equal(LANGUAGE, ref.values, negated=False)


def _stored_ref(item: Item, kind: str) -> StoredRef | None:
    for meaning in (item.means, *item.others):
        if isinstance(meaning, StoredRef) and meaning.property == kind:
            return meaning
    return None


def _equal(field: PropertyField, values: tuple[str, ...], *, negated: bool, grain: Grain = Grain.OFFER) -> Condition:
    compare = Compare(field=field, operator=Operator.EQUAL if len(values) == 1 else Operator.IN, values=values)
    conditions: tuple[PlanCondition, ...] = (Not(condition=compare),) if negated else (compare,)
    return Condition(grain, conditions, field.property, negated=negated)


_PRICED = {"prop.price": PRICE, "prop.revenue": PRICE, "prop.subprice": SUBPRICE, "prop.cost": COST, "verb.cost": PRICE}


def _priced(items: list[Item], i: int) -> tuple[int, int, Condition] | None:
    """ "total price over 10 000 €", "over 10 000 euros", "costing more than 5000"."""
    kind = items[i].concept
    if kind in _PRICED:
        said = {"prop.price"} if kind == "verb.cost" else set()
        at = skip(items, i + 1, {"cop", "of", "cmp.exactly", "have", "agg.sum"} | said)
        bound = means(items, at)
        if not isinstance(bound, Bound) or bound.unit not in {None, "€"}:
            return None
        field = _PRICED[kind]
        grain = Grain.PRODUCT if field == COST else Grain.OFFER
        start = i - 1 if concept(items, i - 1) == "agg.sum" else i
        return start, at + 1, Condition(grain, bound_compares(field, bound), field.label)
    bound = items[i].means
    if (
        isinstance(bound, Bound)
        and bound.unit is None
        and not bound.values
        and concept(items, i - 1) == "entity.offer"
        and ((bound.low or bound.high or 0) >= 500 and not concept(items, i + 1).startswith("entity."))
    ):
        # "offers above 5,900": only a price is so large.
        return i, i + 1, Condition(Grain.OFFER, bound_compares(PRICE, bound), PRICE.label)
    if isinstance(bound, Bound) and bound.unit == "€":
        at = skip(items, i + 1, {"of", "in"})
        kind = concept(items, at)
        field = _PRICED.get(kind, PRICE)
        end = at + 1 if kind in _PRICED else i + 1
        grain = Grain.PRODUCT if field == COST else Grain.OFFER
        return i, end, Condition(grain, bound_compares(field, bound), field.label)
    return None
