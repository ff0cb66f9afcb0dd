"""The conditions of a question at the grain of its plan.

Arrives: a frame. Leaves: plan conditions: below an offer, products are asked for by `Some`, each description by itself;
"only" and "without" by theirs. Raises Problem where it stays open what is meant of what.
"""

from cpq_graph.query.language.frame import Frame
from cpq_graph.query.language.items import PARTIES, Condition, Fields, Item, Quantity
from cpq_graph.query.language.offers import COST, PRICE
from cpq_graph.query.language.result import Problem
from cpq_graph.query.plan import AllOf, Compare, Exists, FeatureField, Grain, Its, Not, Operator, Some
from cpq_graph.query.plan import Condition as PlanCondition


class Where:
    """The conditions of one frame."""

    def __init__(self, f: Frame) -> None:
        self.f = f
        self.all = [i.means for i in f.conditions if isinstance(i.means, Condition)]
        self.by_id = any(c.axis == "offer" and not c.negated for c in self.all)
        # What the question asks for, once nouns have their places: it decides what a quantity bounds.
        self.asked: list[str] = []

    def consistent(self) -> None:
        """Prices are of offers; two conditions that no row can meet together mean that something was misread."""
        f = self.f
        words = {i.concept for i in f.items}
        prices = [
            i
            for i in (*f.shows, *(m.of for m in f.measures))
            if isinstance(i.means, Fields) and PRICE in i.means.fields
        ]
        product = [c for c in self.all if c.grain is Grain.PRODUCT]
        if prices and product and "entity.offer" not in words and not f.verbs and not self.by_id:
            raise Problem("no_price")
        if f.price_asked and product and "entity.offer" not in words and not self.by_id:
            raise Problem("no_price")
        if any(c.negated and c.axis.startswith("period") for c in self.all) and any(
            s.concept.startswith((*PARTIES, "entity.family")) for s in f.shows
        ):
            # "Which families never appear in 2024": those of other years are not the answer.
            raise Problem("too_complex")
        costs = [
            i for i in (*f.shows, *(m.of for m in f.measures)) if isinstance(i.means, Fields) and COST in i.means.fields
        ]
        words |= {k.concept for k in f.keys}
        if costs and not product and not words & {"entity.product", "entity.family"}:
            raise Problem("no_price")
        axes = [c.axis.partition("&")[0] for c in self.all if c.grain is Grain.OFFER and not c.negated]
        if len(axes) != len(set(axes)):
            raise Problem("too_complex")

    def at(
        self, grain: Grain, conditions: list[Condition] | None = None, *, quantities: bool = True
    ) -> tuple[PlanCondition, ...]:
        """The conditions at the plan's grain: below an offer, products are asked for by `Some`."""
        chosen = self.all if conditions is None else conditions
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
        none = [
            c
            for c in product
            if c.axis.startswith("none:")
            or (c.negated and not c.other and c.axis in {"family", "family&"} and not c.only)
        ]
        plain = [c for c in product if c not in only and c not in none]
        found: list[PlanCondition] = []
        if only:
            whole = _all([p for c in only for p in c.conditions])
            found += [
                Some(grain=Grain.PRODUCT, where=(Not(condition=whole),), at_most=0),
                Some(grain=Grain.PRODUCT, at_least=1),
            ]
        if len(none) > 1 and any(not c.axis.removeprefix("none:").startswith("family") for c in none):
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
        if any(c.negated and not c.other for c in plain):
            # "offers that are not black": whether all or some of their products are not stays open.
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

    def _is_having(self, quantity: Quantity) -> bool:
        """Whether a quantity bounds groups ("companies with more than 5 offers") rather than each offer."""
        if quantity.entity == "entity.offer":
            return True
        return bool(self.asked) and "entity.offer" not in self.asked and not self.f.counts

    def own_quantities(self) -> bool:
        """Whether an amount of products is asked of each offer."""
        return self._own_quantities()

    def having(self) -> list[Quantity]:
        """The amounts that bound groups."""
        return [q.means for q in self.f.quantities if isinstance(q.means, Quantity) and self._is_having(q.means)]


def _all(conditions: list[PlanCondition]) -> PlanCondition:
    return conditions[0] if len(conditions) == 1 else AllOf(conditions=tuple(conditions))
