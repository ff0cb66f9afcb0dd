"""The frame of a question as a typed plan.

Arrives: a frame. Leaves: the plan, and notes on what was assumed. Raises Problem where the frame does not mean one thing.
"""

from cpq_graph import model
from cpq_graph.query.language.accounts import unaccounted
from cpq_graph.query.language.features import FAMILY_NAME
from cpq_graph.query.language.frame import NUMERIC, Frame, Measured
from cpq_graph.query.language.groups import unit_of
from cpq_graph.query.language.items import Condition, Fields, Item, Quantity, Word
from cpq_graph.query.language.offers import COST, OFFER_ID, PRICE, PRODUCT_ID, SUBPRICE
from cpq_graph.query.language.parties import participant
from cpq_graph.query.language.periods import DATE
from cpq_graph.query.language.result import Problem
from cpq_graph.query.language.roles import field_role, who_fields
from cpq_graph.query.language.shares import split_share
from cpq_graph.query.plan import (
    Aggregate,
    AllOf,
    AnyField,
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
    Some,
    Top,
    Unit,
)  # fmt: skip
from cpq_graph.query.plan import Condition as PlanCondition

_DEPTH = {Grain.USER: 0, Grain.PARTICIPANT: 0, Grain.OFFER: 0, Grain.PRODUCT: 1, Grain.PARAMETER: 2}
_COUNTED = {
    "entity.offer": Grain.OFFER, "entity.product": Grain.PRODUCT, "entity.parameter": Grain.PARAMETER,
}  # fmt: skip
_NODES = {
    "entity.offer": OFFER_ID,
    "entity.product": PRODUCT_ID,
    "entity.family": FAMILY_NAME,
    "entity.tab": PropertyField(label=model.TAB.label, property="name"),
    "entity.parameter": PropertyField(label=model.PARAMETER.label, property="name"),
    "entity.feature": PropertyField(label=model.PARAMETER.label, property=model.EXT_ID),
}
_USER = tuple(PropertyField(label=model.USER.label, property=p) for p in ("userid", "firstname", "lastname"))
_PRODUCT_LABELS = {model.PRODUCT.label, model.PRODUCT_FAMILY.label}
_PARAMETER_LABELS = {model.TAB.label, model.PARAMETER.label, model.PARAMETER_VALUE.label}


def plan_of(f: Frame) -> Plan:
    """The plan of a frame."""
    nouns = [i for i in f.items if i.concept.startswith(("entity.", "rolenoun."))]
    plan = _Planner(f).plan()
    lost = unaccounted(nouns, plan)
    if lost:
        raise Problem("not_placed", words=tuple(i.text for i in lost))
    return plan


class _Planner:
    def __init__(self, f: Frame) -> None:
        self.f = f
        self.conditions = [i.means for i in f.conditions if isinstance(i.means, Condition)]
        self.asked: list[str] = []
        self.by_id = any(c.axis == "offer" and not c.negated for c in self.conditions)

    def plan(self) -> Plan:
        f = self.f
        if any(c.grain is Grain.PARTICIPANT for c in self.conditions):
            return self._persons()
        if self._vague():
            raise Problem("nothing_asked")
        self._consistent()
        self._compare()
        if f.share_at is not None and not (f.rank or f.counts or f.also_count):
            share = split_share(f)
            if share:
                return self._share(*share)
            if not f.keys:
                raise Problem("share_of_what")
        self._entities_counted()
        self.asked = [i.concept for i in (*f.shows, *f.keys)]
        self._float()
        if (
            f.counts
            or f.measures
            or f.rank
            or f.keys
            or f.also_count
            or f.price_asked
            or self._sums()
            or self._having()
        ):
            if f.rank and f.rank.kind == "row":
                return self._rows()
            nodes = f.keys and all(k.concept in {"entity.offer", "entity.product"} for k in f.keys)
            if (
                (f.each or nodes)
                and not (f.counts or f.measures or f.rank or f.also_count)
                and f.shows
                and not self._sums()
            ):
                f.each = True
                return self._listed()
            if f.price_asked and self.by_id:
                f.shows.append(Item(0, 0, "", Fields((PRICE,), Grain.OFFER)))
                return self._listed()
            return self._measured()
        return self._listed()

    def _entities_counted(self) -> None:
        """ "Offers per month", "luminaires by colour", "offers of May, how many?": what is grouped is counted."""
        f = self.f
        if f.rank and not [s for s in f.shows if not _numeric(s)] and not f.who and f.rank.kind != "popular":
            # "viisi eniten tarjouksia vastaanottanutta yritystä": the asked noun comes last.
            asked = [
                c
                for c in f.context
                if c.concept.startswith(
                    ("entity.company", "entity.participant", "entity.user", "entity.family", "rolenoun.")
                )
            ]
            if len(asked) == 1 and not any(not k.concept.startswith("unit.") for k in f.keys):
                f.shows.append(asked[0])
                f.context.remove(asked[0])
        if f.rank or (f.each and not f.keys):
            return
        nouns = [s for s in f.shows if s.concept in {"entity.offer", "entity.product"}]
        plain = f.keys and all(k.concept not in {"entity.offer", "entity.product"} for k in f.keys)
        if nouns and (plain or f.also_count) and not f.counts:
            f.counts += nouns[:1]
            f.shows = [s for s in f.shows if s not in nouns]
            f.also_count = False

    def _float(self) -> None:
        """ "On average": of what is counted per offer, company or period, or of the one number shown."""
        f = self.f
        if f.floating is None:
            return
        if len(f.counts) == 1 and not f.measures:
            f.measures.append(Measured(f.floating, f.counts.pop()))
        elif len(f.shows) == 1 and isinstance(f.shows[0].means, Fields) and not f.counts:
            f.measures.append(Measured(f.floating, f.shows.pop()))
        elif len(f.shows) == 2 and f.shows[0].concept == "entity.offer" and _numeric(f.shows[1]):
            f.measures.append(Measured(f.floating, f.shows.pop()))
            f.shows.clear()
        else:
            raise Problem("aggregate_of_what")

    # -- fields --------------------------------------------------------------------------------------------------

    def _fields(self, item: Item) -> tuple[AnyField, ...]:
        if isinstance(item.means, Fields):
            return item.means.fields
        concept = item.concept
        if concept in _NODES:
            return (_NODES[concept],)
        if concept == "entity.user" or concept == "rolenoun.handled":
            # Grouped by, a login tells users apart; some have no name.
            return _USER[:1] if item in self.f.keys or self.f.rank else _USER
        if concept.startswith("unit."):
            return (PeriodField(unit=unit_of(item)),)
        if concept.startswith(("rolenoun.", "entity.company", "entity.participant")):
            role, prop = field_role(self.f, item)
            if role == "handled":
                return _USER[:1] if self.f.keys or self.f.rank else _USER
            return (participant(prop, role),)
        raise Problem("not_placed", words=(item.text,))

    def _compare(self) -> None:
        """ "Compare A and B", "in Q1 and in Q2 compared": what is set side by side is grouped by."""
        if not self.f.compared:
            return
        before = len(self.f.keys)
        for condition in self.conditions:
            if condition.axis == "family&" or (condition.axis == "family" and _several(condition)):
                self.f.keys.append(Item(0, 0, "", Fields((FAMILY_NAME,), Grain.PRODUCT)))
            elif condition.axis.startswith("period&"):
                self.f.keys.append(Item(0, 0, "", Fields((PeriodField(unit=Unit(condition.axis[7:])),), Grain.OFFER)))
            elif condition.axis in {"sent", "received", "delivered"} and _several(condition):
                first = condition.conditions[0]
                if isinstance(first, Compare):
                    self.f.keys.append(Item(0, 0, "", Fields((first.field,), Grain.OFFER)))
            elif condition.axis.startswith("feature:") and _several(condition):
                field = FeatureField(ext_id=condition.axis[8:])
                self.f.keys.append(Item(0, 0, "", Fields((field,), Grain.PRODUCT)))
        if len(self.f.keys) == before and not self.f.rank:
            raise Problem("compare_what")

    def _consistent(self) -> None:
        """Prices are of offers; two conditions that no row can meet together mean that something was misread."""
        f = self.f
        words = {i.concept for i in f.items}
        prices = [
            i
            for i in (*f.shows, *(m.of for m in f.measures))
            if isinstance(i.means, Fields) and PRICE in i.means.fields
        ]
        product = [c for c in self.conditions if c.grain is Grain.PRODUCT]
        if prices and product and "entity.offer" not in words and not f.verbs and not self.by_id:
            raise Problem("no_price")
        costs = [
            i for i in (*f.shows, *(m.of for m in f.measures)) if isinstance(i.means, Fields) and COST in i.means.fields
        ]
        words |= {k.concept for k in f.keys}
        if costs and not product and not words & {"entity.product", "entity.family"}:
            raise Problem("no_price")
        axes = [c.axis.partition("&")[0] for c in self.conditions if c.grain is Grain.OFFER and not c.negated]
        if len(axes) != len(set(axes)):
            raise Problem("too_complex")

    # -- conditions ----------------------------------------------------------------------------------------------

    def _where(
        self, grain: Grain, conditions: list[Condition] | None = None, *, quantities: bool = True
    ) -> tuple[PlanCondition, ...]:
        """The conditions at the plan's grain: below an offer, products are asked for by `Some`."""
        chosen = self.conditions if conditions is None else conditions
        offer = [c for c in chosen if c.grain is Grain.OFFER]
        product = [c for c in chosen if c.grain is Grain.PRODUCT]
        parameter = [c for c in chosen if c.grain is Grain.PARAMETER]
        where = [p for c in offer for p in c.conditions]
        if grain is Grain.OFFER:
            if parameter:
                raise Problem("too_complex")
            return tuple(where) + self._products_of_offer(product, quantities=quantities)
        if grain is Grain.PARAMETER:
            of_product = tuple(p for c in product for p in c.conditions)
            if of_product:
                where.append(Its(grain=Grain.PRODUCT, where=of_product))
            return tuple(where) + tuple(p for c in parameter for p in c.conditions)
        if quantities and self._own_quantities():
            raise Problem("too_complex")
        if any(c.only for c in product) and any(k.concept == "entity.offer" for k in (*self.f.counts, *self.f.context)):
            # Products of offers that contain nothing else.
            only = [c for c in product if c.only]
            where.append(Its(grain=Grain.OFFER, where=self._products_of_offer(only, quantities=False)))
            product = [c for c in product if not c.only]
        chosen_axes = [
            c.axis
            for c in product
            if not c.negated
            and isinstance(c.conditions[0], Compare)
            and c.conditions[0].operator in {Operator.EQUAL, Operator.IN}
        ]
        if len(chosen_axes) != len(set(chosen_axes)):
            raise Problem("too_complex")
        if parameter and grain is Grain.PRODUCT:
            ext_ids = [v for c in parameter for p in c.conditions if isinstance(p, Compare) for v in p.values]
            where += [Exists(field=FeatureField(ext_id=str(e))) for e in ext_ids]
        for c in product:
            if c.axis.startswith("none:") and len(c.conditions) == 1:
                where.append(Not(condition=c.conditions[0]))
            elif c.axis.startswith("none:"):
                raise Problem("too_complex")
            else:
                where += c.conditions
        return tuple(where)

    def _own_quantities(self) -> bool:
        return any(isinstance(q.means, Quantity) and not self._is_having(q.means) for q in self.f.quantities)

    def _products_of_offer(self, product: list[Condition], *, quantities: bool) -> tuple[PlanCondition, ...]:
        """What an offer's products must be: each description of products by itself, "only" and "without" by theirs."""
        amounts = [q for q in self.f.quantities if isinstance(q.means, Quantity) and not self._is_having(q.means)]
        if not quantities:
            amounts = []
        only = [c for c in product if c.only]
        none = [c for c in product if c.axis.startswith("none:") or (c.negated and c.axis == "family" and not c.only)]
        plain = [c for c in product if c not in only and c not in none]
        found: list[PlanCondition] = []
        if only:
            whole = _all([p for c in only for p in c.conditions])
            found += [
                Some(grain=Grain.PRODUCT, where=(Not(condition=whole),), at_most=0),
                Some(grain=Grain.PRODUCT, at_least=1),
            ]
        if len(none) > 1:
            raise Problem("too_complex")
        for c in none:
            inner = tuple(p.condition if isinstance(p, Not) else p for p in c.conditions) if c.negated else c.conditions
            if c.negated and len(inner) > 1:
                raise Problem("too_complex")
            found.append(Some(grain=Grain.PRODUCT, where=inner, at_most=0))
        if only and (plain or amounts or none):
            raise Problem("too_complex")
        if none and plain and none[0].axis.removeprefix("none:") not in {"family", "family&"}:
            # Whether the black one or another one is without DALI stays open.
            raise Problem("too_complex")
        if any(c.negated and not quantities for c in plain):
            raise Problem("too_complex")
        for conditions, quantity in self._descriptions(plain, amounts):
            low, high = (quantity.at_least, quantity.at_most) if quantity else (1, None)
            where = tuple(p for c in conditions for p in c.conditions)
            found.append(Some(grain=Grain.PRODUCT, where=where, at_least=low, at_most=high))
        return tuple(found)

    def _descriptions(
        self, plain: list[Condition], amounts: list[Item]
    ) -> list[tuple[list[Condition], Quantity | None]]:
        """The descriptions of products in the order said: a second family, or a second amount, begins another one."""
        found: list[tuple[list[Condition], Quantity | None]] = []
        for item in sorted((*self.f.conditions, *amounts), key=lambda i: (i.start, i.end)):
            meaning = item.means
            if isinstance(meaning, Quantity) and item in amounts:
                found.append(([], meaning))
            elif isinstance(meaning, Condition) and any(meaning is c for c in plain):
                parts = [meaning]
                first = meaning.conditions[0]
                if meaning.axis == "family&" and isinstance(first, Compare):
                    parts = [
                        Condition(
                            meaning.grain, (Compare(field=first.field, operator=Operator.EQUAL, values=(v,)),), "family"
                        )
                        for v in first.values
                    ]
                for part in parts:
                    axes = {c.axis.rstrip("&") for c in found[-1][0]} if found else set()
                    if not found or part.axis.rstrip("&") in axes:
                        if found and part.axis != "family":
                            raise Problem("too_complex", words=(item.text,))
                        found.append(([], None))
                    found[-1][0].append(part)
        if (
            len(found) > 1
            and any(len(conditions) > 1 for conditions, _ in found)
            and any(c.axis == "family&" for c in plain)
        ):
            raise Problem("too_complex")
        return found

    # -- having --------------------------------------------------------------------------------------------------

    def _is_having(self, quantity: Quantity) -> bool:
        """Whether a quantity bounds groups ("companies with more than 5 offers") rather than each offer."""
        if quantity.entity == "entity.offer":
            return True
        return bool(self.asked) and "entity.offer" not in self.asked and not self.f.counts

    def _having(self) -> list[Quantity]:
        return [q.means for q in self.f.quantities if isinstance(q.means, Quantity) and self._is_having(q.means)]

    # -- plans ---------------------------------------------------------------------------------------------------

    def _sums(self) -> bool:
        """Whether prices that are asked for are to be summed rather than listed offer by offer."""
        f = self.f
        prices = [s for s in f.shows if _numeric(s)]
        if not prices or self.by_id or f.each:
            return False
        if any(not _numeric(s) for s in f.shows) and not f.keys and not f.rank:
            return False
        words = " ".join(i.text.lower() for i in f.items)
        total = any(
            w in words
            for w in (
                "total",
                "yhteens",
                "yhteis",
                "kokonais",
                "summa",
                "sum ",
                "revenue",
                "turnover",
                "liikevaihto",
                "value",
                "arvo",
                "worth",
                "sales",
                "myynti",
            )
        )
        return total or bool(f.keys or f.counts or f.rank)

    def _listed(self) -> Plan:
        f = self.f
        shows = [f_ for item in f.shows for f_ in self._fields(item)]
        if f.who is not None:
            shows = [*who_fields(f), *shows]
        if f.quantities and not self._own_quantities() and not f.shows:
            raise Problem("nothing_asked")
        if not shows:
            raise Problem("nothing_asked")
        if f.each:
            # The power of each luminaire: one row for each, though powers repeat.
            nodes = [
                self._fields(k) for k in f.keys if k.concept in {"entity.offer", "entity.product", "entity.family"}
            ]
            if len(nodes) != len(f.keys):
                raise Problem("too_complex")
            shows = [*(x for fields in nodes for x in fields), *shows]
        elif all(_numeric_field(x) for x in shows) and not self.by_id:
            owner = OFFER_ID if _depth_of(shows[0]) == 0 else PRODUCT_ID
            shows = [owner, *shows]
        grain = self._grain(shows, [])
        one_offer = self.by_id and grain is not Grain.OFFER
        offered = [x for x in shows if isinstance(x, PropertyField) and _depth_of(x) == 0 and not x.role]
        if len(offered) > 1 and len(offered) == len(shows) and not self.by_id and OFFER_ID not in shows:
            shows = [OFFER_ID, *shows]
        values = [x for x in shows if isinstance(x, FeatureField) or _depth_of(x) == 2]
        distinct = any(i.concept == "different" for i in f.items)
        if values and not distinct and PRODUCT_ID not in shows and (one_offer or grain is Grain.PARAMETER):
            # Each product's own value, though values repeat.
            shows = [PRODUCT_ID, *shows]
        where = self._where(grain)
        return Plan(grain=grain, where=where, show=tuple(dict.fromkeys(shows)))

    def _persons(self) -> Plan:
        """People and companies by themselves: "which company does X represent"."""
        f = self.f
        if len(self.conditions) != 1 or f.counts or f.measures or f.rank or f.keys or f.quantities or f.verbs:
            raise Problem("too_complex")
        props = {"entity.company": "company", "entity.participant": "name", "entity.participant.title": "title"}
        asked = [s.concept for s in f.shows] or ["entity.participant" if f.who else ""]
        if any(a not in props for a in asked):
            raise Problem("nothing_asked")
        shows = tuple(participant(props[a], None) for a in asked)
        return Plan(grain=Grain.PARTICIPANT, where=self.conditions[0].conditions, show=shows)

    def _vague(self) -> bool:
        """Whether a single word was said, which could mean many things."""
        return len([i for i in self.f.items if i.concept not in {"stop", "ask", "ask.do", "comma", "cop"}]) < 2

    def _rows(self) -> Plan:
        """ "The most expensive offer", "the three latest offers of X": offers in order of a property."""
        f = self.f
        rank = f.rank
        assert rank is not None and rank.by is not None  # noqa: S101 - the caller looked
        concept = rank.by.concept
        if concept in {"latest", "earliest"}:
            key: AnyField = DATE
        elif concept in {"expensive", "cheap"}:
            key = PRICE
        else:
            key = self._fields(rank.by)[0]
        shows = [OFFER_ID, key, *(x for s in f.shows if s.concept != "entity.offer" for x in self._fields(s))]
        if f.who is not None:
            shows += who_fields(f)
        if f.keys or f.counts or f.measures:
            raise Problem("too_complex")
        shows = list(dict.fromkeys(shows))
        grain = self._grain(shows, [])
        if grain is not Grain.OFFER:
            raise Problem("too_complex")
        return Plan(
            grain=grain, where=(*self._where(grain), Exists(field=key)), show=tuple(shows),
            order=(Order(column=shows.index(key), descending=rank.descending),), top=Top(count=rank.count or 1),
        )  # fmt: skip

    def _share(self, unit: Grain, denominator: list[Condition], numerator: list[Condition]) -> Plan:
        f = self.f
        if f.counts or f.measures or f.rank:
            raise Problem("too_complex")
        keys = [x for k in f.keys for x in self._fields(k)]
        grain = unit if _depth(unit) >= max((_depth_of(x) for x in keys), default=0) else Grain.PRODUCT
        if grain is not unit and unit is not Grain.OFFER:
            raise Problem("too_complex")
        having = self._where(grain, numerator, quantities=False)
        measure = Measure(aggregate=Aggregate.SHARE, of=unit, having=having)
        where = self._where(grain, denominator, quantities=False)
        if self.f.quantities:
            raise Problem("too_complex")
        return Plan(
            grain=grain, where=where, group_by=tuple(keys), measures=(measure,),
            order=tuple(Order(column=i, descending=False) for i in range(len(keys))),
        )  # fmt: skip

    def _measured(self) -> Plan:
        f = self.f
        keys, wanted = self._keys()
        having = self._having()
        measures: list[tuple[Measure, Grain]] = []
        bounds: list[MeasureBound] = []
        for item in f.counts:
            if (counted := self._counted(item)) not in measures:
                measures.append(counted)
        for m in f.measures:
            if (aggregated := self._aggregated(m, keys)) not in measures:
                measures.append(aggregated)
        for item in [s for s in f.shows if _numeric(s)] if (self._sums() or f.keys or f.counts or f.rank) else []:
            f.shows.remove(item)
            for x in self._fields(item):
                if not any(m.field == x and m.aggregate is Aggregate.SUM for m, _ in measures):
                    measures.append((Measure(aggregate=Aggregate.SUM, field=x), _grain_of(x)))
        if f.price_asked and not any(m.field == PRICE for m, _ in measures):
            measures.append((Measure(aggregate=Aggregate.SUM, field=PRICE), Grain.OFFER))
        # What is asked for beside a ranking or a bound is what is grouped: "which companies received most offers".
        if f.rank and f.rank.kind == "popular" and f.keys and any(isinstance(s.means, Fields) for s in f.shows):
            raise Problem("not_placed", words=tuple(s.text for s in f.shows))
        if f.rank or having or f.who:
            asked = [x for s in f.shows for x in self._fields(s)]
            asked = [*(who_fields(f, brief=True) if f.who else []), *asked]
            keys = list(dict.fromkeys([*keys, *asked])) if not f.rank or f.rank.kind != "popular" or asked else keys
            f.shows.clear()
        elif f.shows and f.keys:
            keys = list(dict.fromkeys([*(x for s in f.shows for x in self._fields(s)), *keys]))
            f.shows.clear()
        elif f.shows and f.also_count:
            keys = [x for s in f.shows for x in self._fields(s)]
            f.shows.clear()
        elif f.shows:
            raise Problem("not_placed", words=tuple(s.text for s in f.shows))
        order_by: int | None = None
        if f.rank:
            rank = f.rank
            if rank.kind == "popular":
                if not keys:
                    raise Problem("most_of_what")
                measure = self._natural_count(keys)
            elif rank.kind == "count":
                assert rank.by is not None  # noqa: S101 - set with the kind
                measure = self._counted(rank.by)
            else:
                assert rank.by is not None  # noqa: S101 - set with the kind
                measure = self._aggregated(Measured(rank.aggregate, rank.by), keys)
            if not keys:
                raise Problem("most_of_what")
            if measure not in measures:
                measures.insert(0, measure)
            order_by = measures.index(measure)
        elif f.also_count or (keys and not measures and not having and f.share_at is None):
            if (natural := self._natural_count(keys)) not in measures:
                measures.insert(0, natural)
        for quantity in having:
            bounded = self._counted(Item(0, 0, "", Word(quantity.entity)))
            if bounded not in measures:
                measures.append(bounded)
            at = measures.index(bounded)
            if quantity.at_least is not None:
                bounds.append(MeasureBound(measure=at, operator=Operator.AT_LEAST, value=float(quantity.at_least)))
            if quantity.at_most is not None:
                bounds.append(MeasureBound(measure=at, operator=Operator.AT_MOST, value=float(quantity.at_most)))
        if f.share_at is not None:
            if not keys:
                raise Problem("share_of_what")
            whole = next((p for p in measures if p[0].aggregate is Aggregate.COUNT and p[0].of), None)
            shared, deep = whole or self._natural_count(keys)
            units = tuple(i for i, k in enumerate(keys) if isinstance(k, PeriodField))
            # The shares of each period's groups add up to 100; without a ranking the plan has to say so.
            within = units if units and len(units) < len(keys) and not f.rank else None
            measures.append((Measure(aggregate=Aggregate.SHARE, of=shared.of, within=within), deep))
        if not measures:
            raise Problem("nothing_asked")
        if any(m.field in (PRICE, SUBPRICE) for m, _ in measures) and any(_depth_of(k) for k in keys):
            # An offer's price is of all its products: it cannot be split between families or colours.
            raise Problem("no_price")
        grain = self._grain(keys, [g for _, g in measures])
        final = tuple(self._fitted(m, g, grain) for m, g in measures)
        if any(
            m.field is not None and _depth_of(m.field) > _depth(grain) and m.aggregate is not Aggregate.COUNT
            for m in final
        ):
            raise Problem("too_complex")
        if having and not keys:
            raise Problem("not_placed", words=tuple(q.text for q in f.quantities))
        return Plan(
            grain=grain, where=self._where(grain), group_by=tuple(keys), measures=final,
            group_having=tuple(bounds), order=self._order(keys, wanted, order_by), top=self._top(keys, wanted),
        )  # fmt: skip

    def _keys(self) -> tuple[list[AnyField], int]:
        """What is grouped by, periods first within rankings; and how many of them a ranking is within."""
        f = self.f
        # "grouped by name": the people asked for are told apart by name anyway.
        if any(k.concept == "prop.name" for k in f.keys):
            if not f.who and not any(s.concept.startswith(("entity.", "rolenoun.")) for s in (*f.shows, *f.keys)):
                raise Problem("group_by_what")
            f.keys = [k for k in f.keys if k.concept != "prop.name"]
        if not f.rank:
            return list(dict.fromkeys(x for k in f.keys for x in self._fields(k))), 0
        # "the three most popular lengths in each quarter": the ranked thing is last, what it is ranked within first.
        if f.who:
            # "Group the participants by name: who …": said twice.
            f.keys = [k for k in f.keys if k.concept != "entity.participant"]
        ranked = (
            f.keys[-1]
            if f.keys
            and not f.who
            and (f.rank.kind == "popular" or not f.keys[-1].concept.startswith("unit."))
            and not [s for s in f.shows if not _numeric(s)]
            else None
        )
        within = [x for k in f.keys if k is not ranked for x in self._fields(k)]
        keys = within + ([*self._fields(ranked)] if ranked else [])
        return list(dict.fromkeys(keys)), len(dict.fromkeys(within))

    def _order(self, keys: list[AnyField], within: int, order_by: int | None) -> tuple[Order, ...]:
        if not self.f.rank:
            return tuple(Order(column=i, descending=False) for i in range(len(keys)))
        ahead = tuple(Order(column=i, descending=False) for i in range(within))
        return (*ahead, Order(measure=order_by, descending=self.f.rank.descending))

    def _top(self, keys: list[AnyField], within: int) -> Top | None:
        rank = self.f.rank
        if not rank or rank.count is None:
            return None
        return Top(count=rank.count, within=tuple(range(within)))

    def _counted(self, item: Item) -> tuple[Measure, Grain]:
        concept = item.concept
        if concept in _COUNTED:
            if concept == "entity.parameter":
                field = PropertyField(label=model.PARAMETER.label, property="id")
                return Measure(aggregate=Aggregate.COUNT, field=field), Grain.PRODUCT
            return Measure(aggregate=Aggregate.COUNT, of=_COUNTED[concept]), _COUNTED[concept]
        if concept == "entity.tab":
            field = PropertyField(label=model.TAB.label, property="id")
            return Measure(aggregate=Aggregate.COUNT, field=field), Grain.PRODUCT
        if concept == "entity.user":
            return Measure(aggregate=Aggregate.COUNT, field=_USER[0]), Grain.OFFER
        fields = self._fields(item)
        if len(fields) != 1:
            raise Problem("too_complex", words=(item.text,))
        return Measure(aggregate=Aggregate.COUNT, field=fields[0]), _grain_of(fields[0])

    def _aggregated(self, m: Measured, keys: list[AnyField]) -> tuple[Measure, Grain]:
        if m.of.concept == "entity.offer":
            # "average number of offers per company, per month": of the counts of its groups.
            if len(keys) != 1:
                raise Problem("too_complex", words=(m.of.text,))
            return Measure(aggregate=m.aggregate, of=Grain.OFFER, per=keys.pop()), Grain.OFFER
        if m.of.concept in _COUNTED:
            offer = [k for k in self.f.keys if k.concept == "entity.offer"]
            if m.of.concept != "entity.product" or not (
                offer or any(c.concept == "entity.offer" for c in (*self.f.context, *self.f.shows))
            ):
                raise Problem("too_complex", words=(m.of.text,))
            if OFFER_ID in keys:
                keys.remove(OFFER_ID)
            self.f.shows = [s for s in self.f.shows if s.concept != "entity.offer"]
            deep = Grain.PRODUCT if any(c.grain is Grain.PRODUCT for c in self.conditions) else Grain.OFFER
            return Measure(aggregate=m.aggregate, of=Grain.PRODUCT, per=Grain.OFFER), deep
        fields = self._fields(m.of)
        if len(fields) != 1:
            raise Problem("too_complex", words=(m.of.text,))
        field = fields[0]
        if isinstance(field, FeatureField):
            field = FeatureField(ext_id=field.ext_id, part="measure")
        elif field not in NUMERIC:
            raise Problem("aggregate_of_what", words=(m.of.text,))
        if OFFER_ID in keys and field == PRICE and m.aggregate is Aggregate.AVERAGE:
            # "average price per offer": each offer counts once anyway.
            keys.remove(OFFER_ID)
        return Measure(aggregate=m.aggregate, field=field), _grain_of(field)

    def _natural_count(self, keys: list[AnyField]) -> tuple[Measure, Grain]:
        if self.f.counts:
            return self._counted(self.f.counts[0])
        deep = any(_depth_of(k) >= 1 for k in keys)
        named = [i.concept for i in self.f.items if i.concept in {"entity.offer", "entity.product"}]
        bounded = [q.means.entity for q in self.f.quantities if isinstance(q.means, Quantity)]
        named = bounded or named
        if named and named[0] == "entity.offer" and not any(isinstance(k, FeatureField) for k in keys):
            return Measure(aggregate=Aggregate.COUNT, of=Grain.OFFER), Grain.OFFER
        described = not keys and any(c.grain is Grain.PRODUCT for c in self.conditions)
        if deep or described or "entity.product" in named:
            return Measure(aggregate=Aggregate.COUNT, of=Grain.PRODUCT), Grain.PRODUCT
        raise Problem("most_of_what")

    def _fitted(self, measure: Measure, own: Grain, grain: Grain) -> Measure:
        return measure

    def _grain(self, fields: list[AnyField], grains: list[Grain]) -> Grain:
        """The shallowest grain at which every field and measure can be had."""
        depth = max((_depth_of(x) for x in fields), default=0)
        products = any(c.grain is Grain.PRODUCT for c in self.conditions)
        own = max((_depth(g) for g in grains), default=0)
        if (
            any(_depth_of(x) == 2 for x in fields)
            or (any(c.grain is Grain.PARAMETER for c in self.conditions)
            and depth == 2)
        ):
            return Grain.PARAMETER
        # Offers and products counted side by side, with nothing said of the products: offers without any count too.
        mixed = len({_depth(g) for g in grains}) > 1
        if depth == 0 and mixed and not products and Grain.PRODUCT in grains:
            return Grain.OFFER
        if depth == 0 and own == 0:
            return Grain.OFFER
        return Grain.PRODUCT


def _all(conditions: list[PlanCondition]) -> PlanCondition:
    return conditions[0] if len(conditions) == 1 else AllOf(conditions=tuple(conditions))


def _several(condition: Condition) -> bool:
    first = condition.conditions[0]
    return isinstance(first, Compare) and len(first.values) > 1


def _numeric_field(x: AnyField) -> bool:
    return isinstance(x, PropertyField) and x in NUMERIC


def _numeric(item: Item) -> bool:
    return isinstance(item.means, Fields) and all(_numeric_field(x) for x in item.means.fields)


def _depth(grain: Grain) -> int:
    return _DEPTH[grain]


def _grain_of(x: AnyField) -> Grain:
    return (Grain.OFFER, Grain.PRODUCT, Grain.PARAMETER)[_depth_of(x)]


def _depth_of(x: AnyField) -> int:
    if isinstance(x, FeatureField):
        return 1
    if isinstance(x, RangeField):
        return _depth_of(x.of)
    if isinstance(x, PropertyField):
        return 1 if x.label in _PRODUCT_LABELS else 2 if x.label in _PARAMETER_LABELS else 0
    return 0
