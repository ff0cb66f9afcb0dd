"""A plan into one Cypher statement.

Arrives: a plan. Leaves: a `Query`. The statement reads from top to bottom: the pattern of the rows and what they must
satisfy, what else is shown or measured, one grouping clause, shares, bounds on groups, order and cut, the columns.
"""

from dataclasses import dataclass
from typing import Any

from cpq_graph.query.compile import patterns
from cpq_graph.query.compile.columns import Column, columns_of
from cpq_graph.query.compile.conditions import conjunction
from cpq_graph.query.compile.expressions import is_certain, key, shown
from cpq_graph.query.compile.measures import Computed, aggregate, slots_measured
from cpq_graph.query.compile.patterns import Scope
from cpq_graph.query.compile.slots import Slot, slot_of
from cpq_graph.query.compile.text import Names, camel, quoted, where
from cpq_graph.query.compile.validate import validate
from cpq_graph.query.plan import Aggregate, AnyField, Measure, Plan, RangeField


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
    """One plan on its way to Cypher. `stage` holds the aliases that are alive after the last WITH."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.columns = columns_of(plan)
        self.names = Names()
        self.scope = Scope(plan.grain, self.names)
        self.lines: list[str] = []
        self.fields = plan.group_by if plan.measures else plan.show
        self.slots = [slot_of(field, plan.grain) for field in self.fields]
        self.keys = [quoted(column.name) for column in self.columns[: len(self.fields)]]

    def query(self) -> Query:
        if self.plan.measures:
            self._groups()
        else:
            self._list()
        return Query("\n".join(self.lines), self.names.parameters, self.columns)

    def _list(self) -> None:
        # One place for all that is shown: who lacks it has nothing to show.
        together = len(set(self.slots)) == 1
        block = conjunction(self.scope, self.plan.where, set(self.slots[:1]) if together else set())
        certain = any(
            is_certain(field) and slot in self.scope.bound for field, slot in zip(self.fields, self.slots, strict=True)
        )
        others = patterns.optional(self.scope, self.slots)
        keys = self._key_texts()
        present = [f"{text} IS NOT NULL" for text in keys]
        if not certain and together:
            block.predicates.append(present[0] if len(present) == 1 else f"({' OR '.join(present)})")
        self.lines += block.lines() + others
        if certain or together:
            self._finish(f"DISTINCT {self._named(keys)}", simple=True)
        else:
            self.lines.append(f"WITH DISTINCT {self._named(keys)}")
            self.lines.append("WHERE " + " OR ".join(f"{alias} IS NOT NULL" for alias in self.keys))
            self._finish(", ".join(self.keys), simple=True)

    def _groups(self) -> None:
        plan = self.plan
        block = conjunction(self.scope, plan.where, set(self.slots))
        block.predicates += [
            f"{key_text} IS NOT NULL"
            for field, key_text in zip(self.fields, self._present_texts(), strict=True)
            if not is_certain(field)
        ]
        measured: set[Slot] = set().union(*(slots_measured(plan, measure) for measure in plan.measures))
        others = patterns.optional(self.scope, measured)
        fanned = block.fanned or any(self._is_many(slot) for slot in measured | set(self.slots))
        names = [quoted(column.name) for column in self.columns[len(self.fields) :]]
        computed = [
            aggregate(plan, measure, column.name, self.scope, fanned=fanned)
            for measure, column in zip(plan.measures, self.columns[len(self.fields) :], strict=True)
        ]
        self.lines += block.lines() + others
        items = [f"{text} AS {alias}" for text, alias in zip(self._key_texts(), self.keys, strict=True)]
        items += [f"{text} AS {quoted(alias)}" for part in computed for alias, text in part.grouped]
        simple = not plan.group_having and all(part.grouped[0][0] == part.name for part in computed)
        if simple:
            self._finish(", ".join(items), simple=True)
            return
        self.lines.append(f"WITH {', '.join(items)}")
        for part in computed:
            self.lines += part.call
        for measure, part in zip(plan.measures, computed, strict=True):
            if part.share_of is not None:
                self._share(measure, part, computed)
        if plan.group_having:
            self.lines.append(f"WITH {', '.join(self.keys + names)}")
            self.lines += where([self._bound(index) for index in range(len(plan.group_having))])
        self._finish(", ".join(self.keys + names), simple=False)

    def _share(self, measure: Measure, part: Computed, computed: list[Computed]) -> None:
        """Per cent of all groups of the partition: collected, counted together, and taken apart again."""
        assert part.share_of is not None
        count, nodes = part.share_of
        top = self.plan.top.within if self.plan.top else ()
        within = [self.keys[index] for index in (measure.within if measure.within is not None else top)]
        kept = [alias for alias in self.keys if alias not in within]
        for other in computed:
            if other is part:
                continue
            pending = other.share_of is not None and computed.index(other) > computed.index(part)
            kept += [alias for alias in other.share_of or () if alias] if pending else [quoted(other.name)]
        total, groups = self.names.unique("all"), self.names.unique("groups")
        fields = ", ".join(f"{alias}: {alias}" for alias in [*kept, count])
        taken = within + [f"collect({{{fields}}}) AS {groups}"]
        if nodes is None:
            self.lines.append(f"WITH {', '.join([*taken, f'sum({count}) AS {total}'])}")
        else:
            lists = self.names.unique("lists")
            self.lines += [
                f"WITH {', '.join([*taken, f'collect({nodes}) AS {lists}'])}",
                f"CALL ({lists}) {{",
                f"  UNWIND {lists} AS list",
                "  UNWIND list AS node",
                f"  RETURN count(DISTINCT node) AS {total}",
                "}",
            ]
        back = [f"group.{alias} AS {alias}" for alias in kept]
        share = f"100.0 * group.{count} / nullIf({total}, 0) AS {quoted(part.name)}"
        self.lines += [f"UNWIND {groups} AS group", f"WITH {', '.join([*within, *back, share])}"]

    def _finish(self, items: str, *, simple: bool) -> None:
        """Order, cut and columns. `items` are what the last clause projects; not `simple`: aliases that stand already."""
        top = self.plan.top
        order = ["ORDER BY " + ", ".join(self._order())]
        aliases = [quoted(column.name) for column in self.columns]
        limit = [f"LIMIT {self.names.parameter('top', top.count)}"] if top and not top.within else []
        ranged = any(isinstance(field, RangeField) for field in self.fields)
        if top and top.within:
            within = [self.keys[index] for index in top.within]
            kept = [alias for alias in aliases if alias not in within]
            group = ", ".join(f"{alias}: {alias}" for alias in kept)
            cut = self.names.parameter("top", top.count)
            self.lines += [
                f"WITH {items}",
                *order,
                f"WITH {', '.join(within)}, collect({{{group}}})[..{cut}] AS best",
                "UNWIND best AS row",
                f"WITH {', '.join([*within, *(f'row.{alias} AS {alias}' for alias in kept)])}",
                *order,
                f"RETURN {', '.join(self._shown())}",
            ]
        elif ranged:
            self.lines += [f"WITH {items}", *order, *limit, f"RETURN {', '.join(self._shown())}"]
        else:
            self.lines += [f"RETURN {items}", *order, *limit]

    def _order(self) -> list[str]:
        """The sort keys: partition, the plan's order with what is missing last, then every other column."""
        plan = self.plan
        chosen = [(index, False) for index in (plan.top.within if plan.top else ())]
        for order in plan.order:
            index = order.column if order.column is not None else len(self.fields) + (order.measure or 0)
            chosen.append((index, order.descending))
        chosen += [(index, False) for index in range(len(self.columns))]
        keys, seen = [], set()
        for index, descending in chosen:
            if index not in seen:
                seen.add(index)
                keys += self._sort_keys(index, descending=descending)
        return keys

    def _sort_keys(self, index: int, *, descending: bool) -> list[str]:
        name = quoted(self.columns[index].name)
        text = f"round({name}, 6)" if self._is_inexact(index) else name
        if not descending:
            return [text]
        return [f"{name} IS NULL", f"{text} DESC"] if self._may_be_null(index) else [f"{text} DESC"]

    def _is_inexact(self, index: int) -> bool:
        """Whether the number depends on the order in which floats were added."""
        source = self.columns[index].source
        return isinstance(source, Measure) and (
            source.aggregate in {Aggregate.SUM, Aggregate.AVERAGE, Aggregate.MEDIAN, Aggregate.SHARE}
            or source.per is not None
        )

    def _may_be_null(self, index: int) -> bool:
        source = self.columns[index].source
        if isinstance(source, Measure):
            return source.aggregate not in {Aggregate.COUNT, Aggregate.SUM} or source.per is not None
        return not self.plan.measures

    def _bound(self, index: int) -> str:
        bound = self.plan.group_having[index]
        column = len(self.fields) + bound.measure
        name = self.columns[column].name
        text = f"round({quoted(name)}, 6)" if self._is_inexact(column) else quoted(name)
        return f"{text} {bound.operator.value} {self.names.parameter(camel(name), bound.value)}"

    def _key_texts(self) -> list[str]:
        return [
            key(field, self.scope.bound[slot], self.names) for field, slot in zip(self.fields, self.slots, strict=True)
        ]

    def _present_texts(self) -> list[str]:
        """What must not be null for a row to stand in a group."""
        fields: list[AnyField] = [field.of if isinstance(field, RangeField) else field for field in self.fields]
        return [key(field, self.scope.bound[slot], self.names) for field, slot in zip(fields, self.slots, strict=True)]

    def _named(self, texts: list[str]) -> str:
        return ", ".join(f"{text} AS {alias}" for text, alias in zip(texts, self.keys, strict=True))

    def _shown(self) -> list[str]:
        found = []
        for index, column in enumerate(self.columns):
            alias = quoted(column.name)
            text = shown(self.fields[index], alias, self.names) if index < len(self.fields) else alias
            found.append(alias if text == alias else f"{text} AS {alias}")
        return found

    def _is_many(self, slot: Slot) -> bool:
        return any(step.many for step in self.scope.path(slot))
