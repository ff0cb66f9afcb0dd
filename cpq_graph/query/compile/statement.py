"""A plan into one Cypher statement.

Arrives: a plan. Leaves: a `Query`. The statement reads from top to bottom: the pattern of the rows and what they must
satisfy, what else is shown or measured, one grouping clause, shares, bounds on groups, order and cut, the columns.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from cpq_graph.query.compile import conditions, patterns
from cpq_graph.query.compile.columns import Column, columns_of
from cpq_graph.query.compile.conditions import FAMILIES, SINGLES, Block, conjunction, is_pinned
from cpq_graph.query.compile.expressions import is_certain, key, presence, shown
from cpq_graph.query.compile.measures import Computed, aggregate, slots_measured
from cpq_graph.query.compile.patterns import Scope
from cpq_graph.query.compile.slots import Slot, slot_of
from cpq_graph.query.compile.text import Names, camel, clause, quoted, where
from cpq_graph.query.compile.validate import validate
from cpq_graph.query.plan import Aggregate, Measure, Plan, RangeField

_INEXACT = {Aggregate.SUM, Aggregate.AVERAGE, Aggregate.MEDIAN, Aggregate.SHARE}


@dataclass(frozen=True, slots=True)
class Query:
    """A read-only statement: Cypher, the values of its parameters, and its columns in order."""

    cypher: str
    parameters: dict[str, Any]
    columns: tuple[Column, ...]


def compile_plan(plan: Plan) -> Query:
    """The Cypher that answers the plan. Raises PlanError when the plan is ill-formed."""
    validate(plan)
    return _Statement(plan).query()


class _Statement:
    """One plan on its way to Cypher. `keys` are the aliases of the fields, `numbers` those of the measures."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.names = Names(wide=not is_pinned(plan.where, SINGLES))
        self.scope = Scope(plan.grain, self.names)
        self.lines: list[str] = []
        self.columns = columns_of(plan)
        self.fields = plan.group_by if plan.measures else plan.show
        self.slots = [slot_of(field, plan.grain) for field in self.fields]
        self.keys = [quoted(column.name) for column in self.columns[: len(self.fields)]]
        self.numbers = [quoted(column.name) for column in self.columns[len(self.fields) :]]

    def query(self) -> Query:
        if self.plan.measures:
            self._groups()
        else:
            self._list()
        return Query("\n".join(patterns.found_before(self.names) + self.lines), self.names.parameters, self.columns)

    def _list(self) -> None:
        # Where all that is shown stands on one node, who lacks that node has nothing to show.
        together = len(set(self.slots)) == 1
        block = conjunction(self.scope, self.plan.where, self.slots[:1] if together else (), later=self.slots)
        certain = any(
            is_certain(field) and slot in self.scope.bound for field, slot in zip(self.fields, self.slots, strict=True)
        )
        others = patterns.optional(self.scope, self.slots)
        if together and not certain:
            present = self._present(block, self.slots)
            block.predicates += present if len(present) < 2 else [f"({' OR '.join(present)})"]
        self.lines += block.lines() + others
        items = [f"{text} AS {alias}" for text, alias in zip(self._key_texts(), self.keys, strict=True)]
        if certain or together:
            self._finish(items, distinct=True)
        else:
            self.lines += [clause("WITH DISTINCT", items)]
            self.lines += ["WHERE " + " OR ".join(f"{alias} IS NOT NULL" for alias in self.keys)]
            self._finish(self.keys)

    def _groups(self) -> None:
        plan = self.plan
        measured: set[Slot] = set().union(*(slots_measured(plan, measure) for measure in plan.measures))
        features = {slot for slot in self.slots if slot.feature is not None}
        # Two features or more over all families: each is found on its own and joined by hash, for the planner
        # misjudges them together and walks through every parameter of every product.
        several = self.names.wide and len(features) > 1 and not is_pinned(plan.where, FAMILIES)
        apart = features if several else set()
        anchors = {conditions.anchor(plan.grain, slot) for slot in apart}
        block = conjunction(self.scope, plan.where, anchors.union(self.slots) - apart, later=measured | apart)
        others = patterns.optional(self.scope, apart | measured)
        block.predicates += self._present(block, set(self.slots) - apart)
        others += ["WITH *", *where(self._present(block, apart))] if apart else []
        many = any(step.many for slot in measured.union(self.slots) for step in self.scope.path(slot))
        computed = [
            aggregate(plan, measure, alias, self.scope, fanned=block.fanned or many)
            for measure, alias in zip(plan.measures, self.numbers, strict=True)
        ]
        self.lines += block.lines() + others
        pairs = list(zip(self._key_texts(), self.keys, strict=True)) + [
            pair for part in computed for pair in part.grouped
        ]
        items = [text if text == alias else f"{text} AS {alias}" for text, alias in dict.fromkeys(pairs)]
        bounds = where([self._bound(index) for index in range(len(plan.group_having))])
        direct = all(not part.call and part.share_of is None for part in computed)
        if direct and not bounds:
            self._finish(items)
            return
        self.lines.append(clause("WITH", items))
        for part in computed:
            self.lines += part.call
        for measure, part in zip(plan.measures, computed, strict=True):
            if part.share_of is not None:
                self._share(measure, part, computed)
        if bounds and not direct and computed[-1].share_of is None:
            self.lines.append(clause("WITH", self.keys + self.numbers))
        self.lines += bounds
        self._finish(self.keys + self.numbers)

    def _share(self, measure: Measure, part: Computed, computed: list[Computed]) -> None:
        """Per cent of all groups of the partition: collected, counted together, and taken apart again."""
        top = self.plan.top.within if self.plan.top else ()
        within = [self.keys[index] for index in (top if measure.within is None else measure.within)]
        pending = computed[computed.index(part) + 1 :]
        kept = [alias for alias in self.keys if alias not in within]
        for other in computed:
            if other is not part:
                kept += other.hidden if other in pending and other.share_of is not None else [other.alias]
        count, nodes = part.hidden[0], part.share_of
        total, groups = self.names.unique("total"), self.names.unique("groups")
        fields = ", ".join(f"{alias}: {alias}" for alias in dict.fromkeys([*kept, count]))
        collected = [*within, f"collect({{{fields}}}) AS {groups}"]
        if not nodes:
            self.lines.append(clause("WITH", [*collected, f"sum({count}) AS {total}"]))
        else:
            lists = self.names.unique("lists")
            self.lines += [
                clause("WITH", [*collected, f"collect({nodes}) AS {lists}"]),
                f"CALL ({lists}) {{",
                f"  UNWIND {lists} AS nodes",
                "  UNWIND nodes AS node",
                f"  RETURN count(DISTINCT node) AS {total}",
                "}",
            ]
        back = [f"group.{alias} AS {alias}" for alias in dict.fromkeys(kept)]
        share = f"100.0 * group.{count} / nullIf({total}, 0) AS {part.alias}"
        self.lines += [f"UNWIND {groups} AS group", clause("WITH", [*within, *back, share])]

    def _finish(self, items: list[str], *, distinct: bool = False) -> None:
        """The last clauses: order, cut and columns, of items that are still to be projected."""
        top = self.plan.top
        order = self._order()
        ranged = any(isinstance(field, RangeField) for field in self.fields)
        limit = [f"LIMIT {self.names.parameter('top', top.count)}"] if top and not top.within else []
        word = " DISTINCT" if distinct else ""
        if top and top.within:
            within = [self.keys[index] for index in top.within]
            kept = [alias for alias in self.keys + self.numbers if alias not in within]
            group = ", ".join(f"{alias}: {alias}" for alias in kept)
            best = f"collect({{{group}}})[..{self.names.parameter('top', top.count)}] AS best"
            if not self.lines[-1].startswith("WITH"):
                self.lines.append(clause("WITH", items))
            self.lines += [*order, clause("WITH", [*within, best]), "UNWIND best AS row"]
            items = [f"row.{alias} AS {alias}" if alias in kept else alias for alias in self.keys + self.numbers]
        if ranged:
            self.lines += [clause(f"WITH{word}", items), *order, *limit, clause("RETURN", self._shown())]
        else:
            self.lines += [clause(f"RETURN{word}", items), *order, *limit]

    def _order(self) -> list[str]:
        """ORDER BY the partition, then the plan's order with what is missing last, then every column that can still
        tell two rows apart."""
        plan = self.plan
        chosen = [(index, False) for index in (plan.top.within if plan.top else ())]
        for order in plan.order:
            index = order.column if order.column is not None else len(self.fields) + (order.measure or 0)
            chosen.append((index, order.descending))
        chosen += [(index, False) for index in range(len(self.columns))]
        keys: list[str] = []
        seen: set[int] = set()
        for index, descending in chosen:
            if plan.measures and seen.issuperset(range(len(self.fields))):
                break
            if index not in seen:
                seen.add(index)
                keys += self._sort_keys(index, descending=descending)
        return [f"ORDER BY {', '.join(keys)}"] if keys else []

    def _sort_keys(self, index: int, *, descending: bool) -> list[str]:
        alias, source = (self.keys + self.numbers)[index], self.columns[index].source
        text = f"round({alias}, 6)" if isinstance(source, Measure) and _is_inexact(source) else alias
        if not descending:
            return [text]
        missing = _may_be_null(source) if isinstance(source, Measure) else not self.plan.measures
        return [f"{alias} IS NULL", f"{text} DESC"] if missing else [f"{text} DESC"]

    def _bound(self, index: int) -> str:
        bound = self.plan.group_having[index]
        alias, measure = self.numbers[bound.measure], self.plan.measures[bound.measure]
        text = f"round({alias}, 6)" if _is_inexact(measure) else alias
        return f"{text} {bound.operator.value} {self.names.parameter(camel(alias), bound.value)}"

    def _key_texts(self) -> list[str]:
        return [
            key(field, self.scope.bound[slot], self.names) for field, slot in zip(self.fields, self.slots, strict=True)
        ]

    def _present(self, block: Block, slots: Iterable[Slot]) -> list[str]:
        """What must not be null for a row to stand in a group, as far as nothing else makes sure of it."""
        texts = [
            presence(field, self.scope.bound[slot])
            for field, slot in zip(self.fields, self.slots, strict=True)
            if slot in slots and not is_certain(field)
        ]
        return [
            f"{text} IS NOT NULL"
            for text in dict.fromkeys(texts)
            if not any(predicate.startswith(f"{text} ") for predicate in block.predicates)
        ]

    def _shown(self) -> list[str]:
        texts = [shown(field, alias, self.names) for field, alias in zip(self.fields, self.keys, strict=True)]
        items = [text if text == alias else f"{text} AS {alias}" for text, alias in zip(texts, self.keys, strict=True)]
        return items + self.numbers


def _is_inexact(measure: Measure) -> bool:
    """Whether the number depends on the order in which floats were added."""
    return measure.aggregate in _INEXACT or (measure.per is not None and measure.field is not None)


def _may_be_null(measure: Measure) -> bool:
    return measure.aggregate not in {Aggregate.COUNT, Aggregate.SUM}
