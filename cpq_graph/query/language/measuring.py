"""Plans with numbers: counts, sums, rankings, groups and their bounds.

Arrives: a frame and its conditions. Leaves: the plan. Raises Problem where a number could be of several things.
"""

from dataclasses import dataclass, field, replace

from cpq_graph import model
from cpq_graph.query.language.fields import USER, depth, depth_of, fields_of, grain_of, numeric
from cpq_graph.query.language.frame import NUMERIC, Frame, Measured, Rank
from cpq_graph.query.language.items import PARTIES, Fields, Item, Quantity, Word
from cpq_graph.query.language.offers import OFFER_ID, PRICE, PRODUCT_ID, SUBPRICE
from cpq_graph.query.language.periods import DATE
from cpq_graph.query.language.result import Problem
from cpq_graph.query.language.roles import who_fields
from cpq_graph.query.language.where import Where
from cpq_graph.query.plan import (
    Aggregate,
    AnyField,
    FeatureField,
    Grain,
    Measure,
    MeasureBound,
    Operator,
    Order,
    PeriodField,
    Plan,
    PropertyField,
    Top,
    Unit,
)  # fmt: skip

NODE_IDS = {Grain.OFFER: OFFER_ID, Grain.PRODUCT: PRODUCT_ID}
_COUNTED = {"entity.offer": Grain.OFFER, "entity.product": Grain.PRODUCT, "entity.parameter": Grain.PARAMETER}
# What "the total price of the offers" is told from "the prices of the offers" by.
_TOTAL = (
    "total", "yhteens", "yhteis", "kokonais", "summa", "sum ", "revenue", "turnover", "liikevaihto", "value", "arvo",
    "worth", "sales", "myynti",
)  # fmt: skip


def summed(f: Frame, where: Where) -> bool:
    """Whether prices that are asked for are to be summed rather than listed offer by offer."""
    prices = [s for s in f.shows if numeric(s)]
    if not prices or where.by_id or f.each:
        return False
    if any(i.concept == "agg.sum" for i in f.items) and not f.keys and not f.rank:
        # "ORDERED offers, sum of total price"
        f.shows = [s for s in f.shows if s in prices or s.concept != "entity.offer"]
    if len(prices) < len(f.shows) and not f.keys and not f.rank:
        return False
    words = " ".join(i.text.lower() for i in f.items)
    return (
        any(w in words for w in _TOTAL)
        or any(i.concept == "agg.sum" for i in f.items)
        or bool(f.keys or f.counts or f.rank)
    )


def grain_for(where: Where, fields: list[AnyField], grains: list[Grain]) -> Grain:
    """The shallowest grain at which every field and measure can be had."""
    deepest = max(map(depth_of, fields), default=0)
    if deepest == 2:
        return Grain.PARAMETER
    if deepest == 0:
        # Offers and products counted side by side, with nothing said of the products: offers without any count too.
        products = any(c.grain is Grain.PRODUCT for c in where.all)
        mixed = len({depth(g) for g in grains}) > 1 and Grain.PRODUCT in grains
        if (mixed and not products) or not any(map(depth, grains)):
            return Grain.OFFER
    return Grain.PRODUCT


def _grouping(item: Item, where: Where) -> bool:
    """Whether a thing that is told beside a count is what is counted by: "count, company x colour"."""
    if isinstance(item.means, Fields):
        compared = {c.axis for c in where.all}
        return item.means.grain is Grain.PRODUCT and all(
            isinstance(x, FeatureField) and f"feature:{x.ext_id}" not in compared for x in item.means.fields
        )
    return item.concept.startswith((*PARTIES, "entity.family"))


def measured(f: Frame, where: Where) -> Plan:
    """The plan of a question that asks for numbers."""
    return _Measuring(f, where).plan()


@dataclass(slots=True)
class _Measuring:
    f: Frame
    where: Where
    measures: list[tuple[Measure, Grain]] = field(default_factory=list)
    bounds: list[MeasureBound] = field(default_factory=list)

    def plan(self) -> Plan:
        """Keys first, then what is measured, ranked, bounded and shared of them."""
        f = self.f
        if f.rank and f.rank.kind == "popular":
            # "The luminaires that were sold: most common length"
            f.context += [s for s in f.shows if s.concept in _COUNTED]
            f.shows = [s for s in f.shows if s.concept not in _COUNTED]
        keys, within = self._keys()
        having = self.where.having()
        self._asked_for(keys)
        keys = self._with_asked(keys, having=bool(having))
        if PeriodField(unit=Unit.DAY) in keys:
            # A day is the date.
            keys = [k for k in keys if k != DATE]
        order_by = self._ranked(keys, having=bool(having))
        keys, within = self._without_counted(keys, within)
        for quantity in having:
            self._bounded(quantity)
        if f.share_at is not None:
            self._shared(keys)
        if not self.measures:
            raise Problem("nothing_asked")
        if any(m.field in (PRICE, SUBPRICE) for m, _ in self.measures) and any(map(depth_of, keys)):
            # An offer's price is of all its products: it cannot be split between families or colours.
            raise Problem("no_price")
        if having and not keys:
            raise Problem("not_placed", words=tuple(q.text for q in f.quantities))
        grain = grain_for(self.where, keys, [g for _, g in self.measures])
        final = tuple(m for m, _ in self.measures)
        if any(m.field and depth_of(m.field) > depth(grain) and m.aggregate is not Aggregate.COUNT for m in final):
            raise Problem("too_complex")
        return Plan(
            grain=grain,
            where=self.where.at(grain),
            group_by=tuple(keys),
            measures=final,
            group_having=tuple(self.bounds),
            order=self._order(keys, within, order_by),
            top=self._top(within),
        )

    def _add(self, measure: tuple[Measure, Grain], *, first: bool = False) -> int:
        """The place of a measure among the measures, where it is put unless it is there."""
        if measure not in self.measures:
            self.measures.insert(0 if first else len(self.measures), measure)
        return self.measures.index(measure)

    def _asked_for(self, keys: list[AnyField]) -> None:
        f = self.f
        for item in f.counts:
            self._add(self._counted(item))
        for m in f.measures:
            self._add(self._aggregated(m, keys))
        priced = [s for s in f.shows if numeric(s)]
        told = {m.field for m, _ in self.measures if m.aggregate is not Aggregate.SUM}
        added = any(i.concept == "agg.sum" for i in f.items)
        for item in priced if (summed(f, self.where) or f.keys or f.counts or f.rank) else []:
            f.shows.remove(item)
            for x in fields_of(f, item):
                if x in told and not added:
                    # "What does a product cost on average (total cost)": said twice.
                    continue
                self._add((Measure(aggregate=Aggregate.SUM, field=x), grain_of(x)))
        if f.price_asked and not any(m.field in NUMERIC for m, _ in self.measures):
            self._add((Measure(aggregate=Aggregate.SUM, field=PRICE), Grain.OFFER))

    def _with_asked(self, keys: list[AnyField], *, having: bool) -> list[AnyField]:
        """The keys with what is asked for beside a ranking or a bound: "which companies received most offers"."""
        f = self.f
        if f.rank and f.rank.kind == "popular" and f.keys and any(isinstance(s.means, Fields) for s in f.shows):
            raise Problem("not_placed", words=tuple(s.text for s in f.shows))
        if self.measures and not (f.rank or f.keys or f.counts or having):
            # "offers Q3 2024, mean total price"
            f.shows = [s for s in f.shows if s.concept not in _COUNTED]
        ranked = bool(f.rank or having or f.who)
        if f.shows and not (
            ranked
            or f.keys
            or f.also_count
            or (f.counts and all(_grouping(s, self.where) and self._listed(s) for s in f.shows))
        ):
            raise Problem("not_placed", words=tuple(s.text for s in f.shows))
        asked = [*(who_fields(f, brief=True) if f.who else [])]
        # A login tells users apart; some have no name, and would stand in no group.
        asked += [x for s in f.shows for x in (USER[:1] if s.concept == "entity.user" else fields_of(f, s))]
        f.shows.clear()
        return list(dict.fromkeys([*keys, *asked] if ranked else [*asked, *keys]))

    def _listed(self, item: Item) -> bool:
        """Whether a noun stands in one list with the count: nothing is said between them."""
        items = self.f.items
        at = [k for k, i in enumerate(items) if i.concept in {"count", "howmuch"}]
        if item not in items or not at:
            return False
        place = items.index(item)
        if place and items[place - 1].concept == "ask.do" and items[place + 1 : place + 2]:
            # "A list of the users and the number of offers that they handled"
            return items[place + 1].concept == "and"
        low, high = sorted((place, min(at, key=lambda k: abs(k - place))))
        return not any(
            i.concept in {"cop", "have", "contain", "rel"} or i.concept.startswith("role.") for i in items[low:high]
        )

    def _without_counted(self, keys: list[AnyField], within: int) -> tuple[list[AnyField], int]:
        """The keys without the nodes that are counted: "of all luminaires, which length is most common"."""
        counted = {
            m.of for m, _ in self.measures if m.aggregate in {Aggregate.COUNT, Aggregate.SHARE} and m.per is None
        }
        nodes = {NODE_IDS[g] for g in counted if g in NODE_IDS}
        if Grain.OFFER in counted:
            nodes |= {PRODUCT_ID}
        fields = [m.field for m, _ in self.measures if m.aggregate in {Aggregate.AVERAGE, Aggregate.MEDIAN}]
        if len(keys) == 1 and len(fields) == len(self.measures) and not self.f.rank:
            # "The average total cost per product": of all products, not of each.
            own: dict[AnyField, int] = {OFFER_ID: 0, PRODUCT_ID: 1}
            if fields and all(x is not None and own.get(keys[0]) == depth_of(x) for x in fields):
                return [], 0
        kept = [k for k in keys if k not in nodes]
        if len(kept) == len(keys):
            return keys, within
        if not kept or (self.f.each and not self.f.rank):
            raise Problem("too_complex")
        return kept, within - sum(k in nodes for k in keys[:within])

    def _ranked(self, keys: list[AnyField], *, having: bool) -> int | None:
        """Adds what the rows are ranked by; its place among the measures."""
        f, rank = self.f, self.f.rank
        if rank is None:
            if f.also_count or (keys and not self.measures and not having and f.share_at is None):
                self._add(self._natural_count(keys), first=True)
            return None
        each = not keys or (keys == [OFFER_ID] and any(k.concept == "entity.offer" for k in f.keys))
        if each and rank.kind == "count" and rank.by is not None and rank.by.concept == "entity.product":
            # "The largest number of products in one offer"
            aggregate = Aggregate.MAXIMUM if rank.descending else Aggregate.MINIMUM
            # "How many products the offer with the most products had": said twice.
            self.measures = [m for m in self.measures if m != self._counted(rank.by)]
            self._add(self._aggregated(Measured(aggregate, rank.by), keys))
            f.rank = None
            return None
        if not keys:
            raise Problem("most_of_what")
        if rank.open:
            self._opened(rank)
        if rank.kind == "popular" or rank.by is None:
            measure = self._natural_count(keys)
        elif rank.kind == "count":
            measure = self._counted(rank.by)
        else:
            measure = self._aggregated(Measured(rank.aggregate, rank.by), keys)
        return self._add(measure, first=True)

    def _opened(self, rank: Rank) -> None:
        """What a top list of people or companies is ordered by: the first number that is asked beside it, else what the
        role does; whether a customer is big by offers or by price stays open."""
        f = self.f
        told = [i for k, i in enumerate(f.items) if i.concept == "count" or numeric(i) or self._counted_beside(k)]
        kinds = ["price" if numeric(i) else "count" for i in told]
        prices = [m for m, _ in self.measures if m.field == PRICE]
        named = {i.concept for i in f.items}
        sent = any(n.startswith("rolenoun.sent") for n in named) or any(v.role == "sent" for _, v in f.verbs)
        if (rank.size and len(set(kinds)) > 1) or (kinds[:1] == ["price"] and "count" in kinds):
            raise Problem("top_by_what")
        if (
            "count" in kinds
            or f.counts
            or (not kinds and not rank.size and (sent or ("entity.offer" in named and f.verbs)))
        ):
            rank.kind, rank.by = "count", f.counts[0] if f.counts else Item(0, 0, "", Word("entity.offer"))
        elif prices:
            price = Item(0, 0, "", Fields((PRICE,), Grain.OFFER))
            rank.kind, rank.aggregate, rank.by = "measure", prices[0].aggregate, price
        else:
            raise Problem("top_by_what")

    def _counted_beside(self, k: int) -> bool:
        """ "…: offers, total price": a noun in a list with a number is counted."""
        items = self.f.items
        return (
            k + 2 < len(items) and items[k].concept == "entity.offer"
            and items[k + 1].concept in {"comma", "and"} and numeric(items[k + 2])
        )  # fmt: skip

    def _bounded(self, quantity: Quantity) -> None:
        at = self._add(self._counted(Item(0, 0, "", Word(quantity.entity))))
        for operator, value in ((Operator.AT_LEAST, quantity.at_least), (Operator.AT_MOST, quantity.at_most)):
            if value is not None:
                self.bounds.append(MeasureBound(measure=at, operator=operator, value=float(value)))

    def _shared(self, keys: list[AnyField]) -> None:
        if not keys:
            raise Problem("share_of_what")
        whole = next((p for p in self.measures if p[0].aggregate is Aggregate.COUNT and p[0].of), None)
        counted, deep = whole or self._natural_count(keys)
        units = tuple(i for i, k in enumerate(keys) if isinstance(k, PeriodField))
        # The shares of each period's groups add up to 100; without a ranking the plan has to say so.
        within = units if units and len(units) < len(keys) and not self.f.rank else None
        self._add((Measure(aggregate=Aggregate.SHARE, of=counted.of, within=within), deep))

    def _keys(self) -> tuple[list[AnyField], int]:
        """What is grouped by, periods first within rankings; and how many of them a ranking is within."""
        f = self.f
        # "grouped by name": the people asked for are told apart by name anyway.
        if any(k.concept == "prop.name" for k in f.keys):
            if not f.who and not any(s.concept.startswith(("entity.", "rolenoun.")) for s in (*f.shows, *f.keys)):
                raise Problem("group_by_what")
            f.keys = [k for k in f.keys if k.concept != "prop.name"]
        if f.rank and (named := next((s for s in f.shows if s.concept.startswith("rolenoun.")), None)):
            # "Top 3 senders by participant name": said twice.
            role = ".".join(named.concept.split(".")[:2])
            said = {k.concept for k in f.keys} & {"entity.participant", role, named.concept, f"{role}.name"}
            if said & {"entity.participant", f"{role}.name"}:
                f.shows = [replace(s, means=Word(f"{role}.name")) if s is named else s for s in f.shows]
            f.keys = [k for k in f.keys if k.concept not in said]
        if not f.rank:
            return list(dict.fromkeys(x for k in f.keys for x in fields_of(self.f, k))), 0
        # "the three most popular lengths in each quarter": the ranked thing is last, what it is ranked within first.
        if f.who:
            # "Group the participants by name: who …": said twice.
            f.keys = [k for k in f.keys if k.concept != "entity.participant"]
        ranked = (
            f.keys[-1]
            if f.keys
            and not f.who
            and (f.rank.kind == "popular" or not f.keys[-1].concept.startswith("unit."))
            and not [s for s in f.shows if not numeric(s)]
            else None
        )
        within = [x for k in f.keys if k is not ranked for x in fields_of(self.f, k)]
        keys = within + ([*fields_of(self.f, ranked)] if ranked else [])
        return list(dict.fromkeys(keys)), len(dict.fromkeys(within))

    def _order(self, keys: list[AnyField], within: int, order_by: int | None) -> tuple[Order, ...]:
        if not self.f.rank:
            return tuple(Order(column=i, descending=False) for i in range(len(keys)))
        ahead = tuple(Order(column=i, descending=False) for i in range(within))
        return (*ahead, Order(measure=order_by, descending=self.f.rank.descending))

    def _top(self, within: int) -> Top | None:
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
            return Measure(aggregate=Aggregate.COUNT, field=USER[0]), Grain.OFFER
        fields = fields_of(self.f, item)
        if len(fields) != 1:
            raise Problem("too_complex", words=(item.text,))
        return Measure(aggregate=Aggregate.COUNT, field=fields[0]), grain_of(fields[0])

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
            deep = Grain.PRODUCT if any(c.grain is Grain.PRODUCT for c in self.where.all) else Grain.OFFER
            return Measure(aggregate=m.aggregate, of=Grain.PRODUCT, per=Grain.OFFER), deep
        fields = fields_of(self.f, m.of)
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
        if PRODUCT_ID in keys and grain_of(field) is Grain.PRODUCT:
            # "average power per luminaire": what the average is of, not a group.
            keys.remove(PRODUCT_ID)
        return Measure(aggregate=m.aggregate, field=field), grain_of(field)

    def _natural_count(self, keys: list[AnyField]) -> tuple[Measure, Grain]:
        if self.f.counts:
            return self._counted(self.f.counts[0])
        deep = any(depth_of(k) >= 1 for k in keys)
        named = [i.concept for i in self.f.items if i.concept in {"entity.offer", "entity.product"}]
        bounded = [q.means.entity for q in self.f.quantities if isinstance(q.means, Quantity)]
        named = bounded or named
        if named and named[0] == "entity.offer" and not any(isinstance(k, FeatureField) for k in keys):
            return Measure(aggregate=Aggregate.COUNT, of=Grain.OFFER), Grain.OFFER
        persons = all(
            isinstance(k, PropertyField) and k.label in {model.PARTICIPANT.label, model.USER.label} for k in keys
        )
        described = (not keys or (persons and not named)) and any(c.grain is Grain.PRODUCT for c in self.where.all)
        if deep or described or "entity.product" in named:
            return Measure(aggregate=Aggregate.COUNT, of=Grain.PRODUCT), Grain.PRODUCT
        if keys and all(isinstance(k, PropertyField) and k.label == model.OFFER.label for k in keys):
            # "the most common status"
            return Measure(aggregate=Aggregate.COUNT, of=Grain.OFFER), Grain.OFFER
        raise Problem("most_of_what")
