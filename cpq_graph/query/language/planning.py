"""The frame of a question as a typed plan.

Arrives: a frame. Leaves: the plan. Raises Problem where the frame does not mean one thing, or where a noun of the
question would be lost.
"""

from itertools import pairwise

from cpq_graph.query.language.families import FAMILY_NAME
from cpq_graph.query.language.fields import USER, depth, depth_of, fields_of, is_number, numeric
from cpq_graph.query.language.frame import Frame, Measured
from cpq_graph.query.language.heads import plural
from cpq_graph.query.language.items import PARTIES, Condition, Fields, Item
from cpq_graph.query.language.measuring import grain_for, measured, summed
from cpq_graph.query.language.offers import COST, EXT_ID, OFFER_ID, PRICE, PRODUCT_ID
from cpq_graph.query.language.parties import participant
from cpq_graph.query.language.periods import DATE
from cpq_graph.query.language.result import Problem
from cpq_graph.query.language.roles import who_fields
from cpq_graph.query.language.shares import split_share
from cpq_graph.query.language.where import Where
from cpq_graph.query.plan import (
    Aggregate,
    AnyField,
    Compare,
    Exists,
    FeatureField,
    Grain,
    Measure,
    Operator,
    Order,
    PeriodField,
    Plan,
    PropertyField,
    Role,
    Top,
    Unit,
)  # fmt: skip

_NOISE = {"stop", "ask", "ask.do", "comma", "cop", "agg.sum"}
_COMPANIES = {participant("company", role.value) for role in Role}
_GIVEN = {Operator.EQUAL, Operator.IN}
_EACH = {"entity.offer", "entity.product"}


def plan_of(f: Frame) -> Plan:
    """The plan of a frame."""
    return _plan(f, Where(f))


def _plan(f: Frame, where: Where) -> Plan:
    if any(c.grain is Grain.PARTICIPANT for c in where.all):
        return _persons(f, where)
    if any(c.grain is Grain.USER for c in where.all):
        return _users(f, where)
    if len([i for i in f.items if i.concept not in _NOISE]) < 2:
        # A single word could mean many things.
        raise Problem("nothing_asked")
    where.consistent()
    _told_apart(f, where)
    _compare(f, where)
    if f.share_at is not None and not (f.rank or f.counts or f.also_count):
        if share := split_share(f):
            return _share(f, where, *share)
        if not f.keys:
            raise Problem("share_of_what")
    _listed_by(f)
    _entities_counted(f)
    where.asked = [i.concept for i in (*f.shows, *f.keys)]
    _float(f)
    if f.rank and f.rank.kind == "row":
        return _rows(f, where)
    counted = f.counts or f.measures or f.rank or f.also_count
    if f.price_asked and where.by_id and not counted:
        f.shows.append(Item(0, 0, "", Fields((PRICE,), Grain.OFFER)))
        return _listed(f, where)
    if counted or f.keys or f.price_asked or summed(f, where) or where.having():
        nodes = bool(f.keys) and all(k.concept in _EACH for k in f.keys)
        if (f.each or nodes) and not counted and f.shows and not summed(f, where):
            f.each = True
            return _listed(f, where)
        return measured(f, where)
    return _listed(f, where)


def _listed_by(f: Frame) -> None:
    """ "List the offers by date" asks for an order, not for how many there are of each day."""
    listed = any(a.concept == "ask.do" and b in f.shows for a, b in pairwise(f.items))
    if listed and not (f.counts or f.also_count) and any(DATE in fields_of(f, k) for k in f.keys):
        raise Problem("not_placed", words=tuple(k.text for k in f.keys))


def _entities_counted(f: Frame) -> None:
    """ "Offers per month", "luminaires by colour", "offers of May, how many?": what is grouped is counted."""
    if f.rank and not [s for s in f.shows if not numeric(s)] and not f.who and f.rank.kind != "popular":
        # "viisi eniten tarjouksia vastaanottanutta yritystä": the asked noun comes last.
        asked = [c for c in f.context if c.concept.startswith((*PARTIES, "entity.family"))]
        if len(asked) == 1 and not any(not k.concept.startswith("unit.") for k in f.keys):
            f.shows.append(asked[0])
            f.context.remove(asked[0])
    if f.rank or (f.each and not f.keys):
        return
    if f.also_count and not f.counts and not f.keys and len(f.shows) == 1 and _counted_behind(f):
        # "Companies that received offers, count"
        f.counts, f.shows, f.also_count = [f.shows[0]], [], False
        return
    nouns = [s for s in f.shows if s.concept in {"entity.offer", "entity.product"}]
    first = next((i for i in f.items if i.concept in {"entity.offer", "entity.product"}), None)
    if f.also_count and first in f.context and first is not None and first.concept == "entity.offer":
        # "Of the offers, those that have only F luminaires: count"
        nouns = [first]
    plain = f.keys and all(k.concept not in {"entity.offer", "entity.product"} for k in f.keys)
    if nouns and (plain or f.also_count) and not f.counts:
        f.counts += nouns[:1]
        f.shows = [s for s in f.shows if s not in nouns]
        f.also_count = False


def _counted_behind(f: Frame) -> bool:
    """Whether the count stands apart, behind a comma or colon, and is of what was named before it."""
    at = next((k for k, i in enumerate(f.items) if i.concept == "count"), 0)
    before = f.items[at - 1].concept if at else ""
    one = f.items[at].text.lower() not in {
        "counts",
        "numbers",
        "amounts",
        "quantities",
        "määrät",
        "lukumäärät",
        "määrineen",
    }
    return (
        one
        and before in {"comma", "stop", "dash", "different"}
        and f.shows[0].concept.startswith((*PARTIES, "entity.family"))
    )


def _float(f: Frame) -> None:
    """ "On average": of what is counted per offer, company or period, or of the one number shown."""
    if f.floating is None:
        return
    if f.price_asked and not f.counts and not f.measures:
        # "On average, how much did an offer cost?"
        f.price_asked, price = False, Item(0, 0, "", Fields((PRICE,), Grain.OFFER))
        f.measures.append(Measured(f.floating, price))
        f.shows = [s for s in f.shows if s.concept != "entity.offer" and s.means != price.means]
        return
    priced = [s for s in f.shows if numeric(s)]
    if f.counts and not f.measures and (len(priced) == 1 or f.price_asked):
        # "How many offers, and their total price on average"
        price = priced[0] if priced else Item(0, 0, "", Fields((PRICE,), Grain.OFFER))
        f.price_asked = False
        f.shows = [s for s in f.shows if s is not price]
        f.measures.append(Measured(f.floating, price))
    elif len(f.counts) == 1 and not f.measures:
        f.measures.append(Measured(f.floating, f.counts.pop()))
    elif [s.concept for s in f.shows] == ["entity.product"] and not f.counts and not f.measures:
        # "max luminaires in an offer", "tuotteita / tarjous, maksimi"
        f.measures.append(Measured(f.floating, f.shows.pop()))
    elif len(f.shows) == 1 and isinstance(f.shows[0].means, Fields) and not f.counts:
        f.measures.append(Measured(f.floating, f.shows.pop()))
    elif len(f.shows) == 2 and f.shows[0].concept in _EACH and numeric(f.shows[1]):
        f.measures.append(Measured(f.floating, f.shows.pop()))
        f.shows.clear()
    else:
        raise Problem("aggregate_of_what", words=tuple(i.text for i in f.items if i.concept.startswith("agg.")))


def _told_apart(f: Frame, where: Where) -> None:
    """ "How many offers in 2023 and 2024": one number for each, unless the question adds up."""
    spans = [c for c in where.all if c.axis.startswith("period&")]
    commas = len(spans) == 1 and any("," in i.text for i in f.conditions if i.means is spans[0])
    joined = ({"or"} if commas else {"or", "agg.sum"}) & {i.concept for i in f.items}
    asked = f.counts or f.measures or any(numeric(s) for s in f.shows)
    if spans and not joined and not f.keys and not f.rank and f.share_at is None and asked:
        f.compared = True


def _compare(f: Frame, where: Where) -> None:
    """ "Compare A and B", "in Q1 and in Q2 compared": what is set side by side is grouped by."""
    if not f.compared:
        return
    before = len(f.keys)
    for condition in where.all:
        if condition.axis == "family&" or (condition.axis == "family" and _several(condition)):
            f.keys.append(Item(0, 0, "", Fields((FAMILY_NAME,), Grain.PRODUCT)))
        elif condition.axis.startswith("period&"):
            f.keys.append(Item(0, 0, "", Fields((PeriodField(unit=Unit(condition.axis[7:])),), Grain.OFFER)))
        elif condition.axis in {"sent", "received", "delivered"} and _several(condition):
            first = condition.conditions[0]
            if isinstance(first, Compare):
                f.keys.append(Item(0, 0, "", Fields((first.field,), Grain.OFFER)))
        elif condition.axis.startswith("feature:") and _several(condition):
            field = FeatureField(ext_id=condition.axis[8:])
            f.keys.append(Item(0, 0, "", Fields((field,), Grain.PRODUCT)))
    if len(f.keys) == before and not f.rank:
        raise Problem("compare_what")


def _listed(f: Frame, where: Where) -> Plan:
    if len(f.shows) > 1:
        # "The parameter that bears ext_id X, its measure": only what is asked of it is told.
        valued = any(isinstance(s.means, Fields) and s.means.grain is not Grain.OFFER for s in f.shows)
        f.shows = [s for s in f.shows if not (valued and s.concept == "entity.parameter")]
    shows = [f_ for item in f.shows for f_ in fields_of(f, item)]
    if f.who is not None:
        # People of one name are one answer, whatever companies they are of; of one offer, the company is told too.
        shows = [*(x for x in who_fields(f) if where.by_id or x not in _COMPANIES), *shows]
    if f.quantities and not where.own_quantities() and not f.shows:
        raise Problem("nothing_asked")
    if not shows and len(listed := [c for c in f.context if c.concept in {"entity.offer", "entity.product"}]) == 1:
        # "… tarjouksista ne, jotka …": the one thing that is spoken of.
        if where.by_id and listed[0].concept == "entity.offer":
            raise Problem("nothing_asked")
        shows = list(fields_of(f, listed[0]))
    if not shows:
        raise Problem("nothing_asked")
    # "White ones (vari): who got them": what is given is not told again.
    given = {p.field for c in where.all for p in c.conditions if isinstance(p, Compare) and p.operator in _GIVEN}
    shows = [x for x in shows if x not in given or not (isinstance(x, FeatureField) or x == EXT_ID)] or shows
    if _loose_price(f) and not where.by_id:
        # "Offers 2024. Total price?": of each or of all together stays open.
        raise Problem("too_complex")
    if f.each:
        # The power of each luminaire: one row for each, though powers repeat.
        nodes = [fields_of(f, k) for k in f.keys if k.concept in {"entity.offer", "entity.product", "entity.family"}]
        if len(nodes) != len(f.keys):
            raise Problem("too_complex")
        shows = [*(x for fields in nodes for x in fields), *shows]
    elif all(is_number(x) for x in shows) and not where.by_id:
        owner = OFFER_ID if depth_of(shows[0]) == 0 else PRODUCT_ID
        shows = [owner, *shows]
    grain = grain_for(where, shows, [])
    one_offer = where.by_id and grain is not Grain.OFFER
    offered = [x for x in shows if isinstance(x, PropertyField) and depth_of(x) == 0 and not x.role]
    if len(offered) > 1 and len(offered) == len(shows) and not where.by_id and OFFER_ID not in shows:
        shows = [OFFER_ID, *shows]
    values = [x for x in shows if isinstance(x, FeatureField) or x == COST or depth_of(x) == 2]
    distinct = any(i.concept == "different" for i in f.items)
    if values and not distinct and PRODUCT_ID not in shows and (one_offer or grain is Grain.PARAMETER):
        # Each product's own value, though values repeat.
        shows = [PRODUCT_ID, *shows]
    return Plan(grain=grain, where=where.at(grain), show=tuple(dict.fromkeys(shows)))


def _loose_price(f: Frame) -> bool:
    """Whether a price in the singular follows the offers with nothing but a stop or comma between."""
    if len(f.shows) != 2 or f.shows[0].concept != "entity.offer" or not numeric(f.shows[1]):
        return False
    at = f.items.index(f.shows[1]) if f.shows[1] in f.items else 0
    return at > 0 and f.items[at - 1].concept in {"stop", "comma"} and not plural(f.shows[1], f.language)


def _persons(f: Frame, where: Where) -> Plan:
    """People and companies by themselves: "which company does X represent"."""
    if len(where.all) != 1 or f.counts or f.measures or f.rank or f.keys or f.quantities or f.verbs:
        raise Problem("too_complex")
    props = {"entity.company": "company", "entity.participant": "name", "entity.participant.title": "title"}
    asked = [s.concept for s in f.shows] or ["entity.participant" if f.who else ""]
    if any(a not in props for a in asked):
        raise Problem("nothing_asked")
    shows = tuple(participant(props[a], None) for a in asked)
    return Plan(grain=Grain.PARTICIPANT, where=where.all[0].conditions, show=shows)


def _users(f: Frame, where: Where) -> Plan:
    """A user alone: "who is user X"."""
    if len(where.all) != 1 or f.counts or f.measures or f.rank or f.keys or f.quantities:
        raise Problem("too_complex")
    shows = [x for s in f.shows if isinstance(s.means, Fields) for x in s.means.fields]
    return Plan(grain=Grain.USER, where=where.all[0].conditions, show=tuple(shows) or USER)


def _rows(f: Frame, where: Where) -> Plan:
    """ "The most expensive offer", "the three latest offers of X": offers in order of a property."""
    rank = f.rank
    assert rank is not None and rank.by is not None  # noqa: S101 - the caller looked
    concept = rank.by.concept
    if concept in {"latest", "earliest"}:
        key: AnyField = DATE
    elif concept in {"expensive", "cheap"}:
        key = PRICE
    else:
        key = fields_of(f, rank.by)[0]
    shows = [OFFER_ID, key, *(x for s in f.shows if s.concept != "entity.offer" for x in fields_of(f, s))]
    if f.who is not None:
        shows += who_fields(f)
    if f.keys or f.counts or f.measures:
        raise Problem("too_complex")
    shows = list(dict.fromkeys(shows))
    grain = grain_for(where, shows, [])
    if grain is not Grain.OFFER:
        raise Problem("too_complex")
    return Plan(
        grain=grain, where=(*where.at(grain), Exists(field=key)), show=tuple(shows),
        order=(Order(column=shows.index(key), descending=rank.descending),), top=Top(count=rank.count or 1),
    )  # fmt: skip


def _share(f: Frame, where: Where, unit: Grain, denominator: list[Condition], numerator: list[Condition]) -> Plan:
    if f.counts or f.measures or f.rank:
        raise Problem("too_complex")
    keys = [x for k in f.keys for x in fields_of(f, k)]
    grain = unit if depth(unit) >= max((depth_of(x) for x in keys), default=0) else Grain.PRODUCT
    if grain is not unit and unit is not Grain.OFFER:
        raise Problem("too_complex")
    having = where.at(grain, numerator, quantities=False)
    measure = Measure(aggregate=Aggregate.SHARE, of=unit, having=having)
    conditions = where.at(grain, denominator, quantities=False)
    if f.quantities:
        raise Problem("too_complex")
    return Plan(
        grain=grain, where=conditions, group_by=tuple(keys), measures=(measure,),
        order=tuple(Order(column=i, descending=False) for i in range(len(keys))),
    )  # fmt: skip


def _several(condition: Condition) -> bool:
    first = condition.conditions[0]
    return isinstance(first, Compare) and len(first.values) > 1
