"""Measures into aggregates that count every node once.

Arrives: a measure and the scope of its rows. Leaves: the expression to group with and, where rows fan out, the nodes
collected once and the subquery that aggregates them. A plain `sum` over rows that a path has multiplied would add a
price once for each product of its offer.
"""

from dataclasses import dataclass, field

from cpq_graph.query.compile.conditions import predicate
from cpq_graph.query.compile.expressions import Kind, key, kind_of, number, value
from cpq_graph.query.compile.patterns import Scope
from cpq_graph.query.compile.slots import Slot, is_one, is_own, slot_of, slot_of_grain
from cpq_graph.query.plan import Aggregate, AllOf, AnyField, FeatureField, Grain, Measure, Plan, RangeField

_FUNCTIONS = {
    Aggregate.SUM: "sum",
    Aggregate.AVERAGE: "avg",
    Aggregate.MINIMUM: "min",
    Aggregate.MAXIMUM: "max",
}


@dataclass(slots=True)
class Computed:
    """How one column of measures comes about.

    `grouped`: expressions and aliases of the grouping clause. `call`: the subquery that makes the column of them. A
    share of all groups is made later: of `hidden` aliases, the count first, and, where a node may be in several
    groups, the nodes under the alias `share_of`; "" where it may not, None for all other measures.
    """

    alias: str
    grouped: list[tuple[str, str]]
    call: list[str] = field(default_factory=list)
    share_of: str | None = None

    @property
    def hidden(self) -> list[str]:
        """The aliases of the grouping clause."""
        return [alias for _, alias in self.grouped]


def slots_measured(plan: Plan, measure: Measure) -> set[Slot]:
    """The slots that the measure needs bound, if only to null."""
    found = set()
    if measure.field is None or measure.having:
        found.add(slot_of_grain(measure.of or plan.grain))
    if measure.field is not None:
        found.add(slot_of(measure.field, plan.grain))
    if isinstance(measure.per, Grain):
        found.add(slot_of_grain(measure.per))
    elif measure.per is not None:
        found.add(slot_of(measure.per, plan.grain))
    return found


def aggregate(plan: Plan, measure: Measure, alias: str, scope: Scope, *, fanned: bool) -> Computed:
    """How `measure` becomes the column `alias`."""
    if measure.aggregate is Aggregate.SHARE:
        return _share(plan, measure, alias, scope, fanned=fanned)
    mask = _Mask(scope, measure)
    if measure.per is not None:
        return _nested(measure, measure.per, alias, scope, mask)
    slot = _measured_slot(measure, scope)
    variable = scope.bound[slot]
    once = not fanned and is_own(plan.grain, scope.row, slot)
    if measure.field is None:
        return Computed(alias, [(f"count({'' if once else 'DISTINCT '}{mask(variable)})", alias)])
    if measure.aggregate is Aggregate.COUNT:
        return Computed(alias, [(f"count(DISTINCT {mask(key(measure.field, variable, scope.names))})", alias)])
    if once or measure.aggregate in {Aggregate.MINIMUM, Aggregate.MAXIMUM}:
        text = _function(measure.aggregate, mask(_measured(measure.field, variable)))
        return Computed(alias, [(text, alias)])
    nodes = _collected(scope, mask(variable), variable)
    call = [
        f"CALL ({nodes}) {{",
        f"  UNWIND {nodes} AS {variable}",
        f"  RETURN {_function(measure.aggregate, _measured(measure.field, variable))} AS {alias}",
        "}",
    ]
    return Computed(alias, [(f"collect(DISTINCT {mask(variable)})", nodes)], call)


def _collected(scope: Scope, text: str, variable: str) -> str:
    """The alias of the distinct nodes, the same for every measure of them."""
    collected = scope.names.collected
    if text not in collected:
        collected[text] = scope.names.unique(_plural(variable))
    return collected[text]


def _nested(measure: Measure, per: Grain | AnyField, alias: str, scope: Scope, mask: "_Mask") -> Computed:
    """An aggregate of what each owner has: pairs of owner and node, each once, then by owner, then over owners."""
    if isinstance(per, Grain):
        owner = scope.bound[slot_of_grain(per)]
    else:
        owner = key(per, scope.bound[slot_of(per, scope.grain)], scope.names)
    variable = scope.bound[_measured_slot(measure, scope)]
    inner = f"sum({_measured(measure.field, variable)})" if measure.field else f"count({variable})"
    pairs = scope.names.unique("pairs")
    call = [
        f"CALL ({pairs}) {{",
        f"  UNWIND {pairs} AS pair",
        f"  WITH pair[0] AS owner, pair[1] AS {variable}",
        "  WHERE owner IS NOT NULL",
        f"  WITH owner, {inner} AS part",
        f"  RETURN {_function(measure.aggregate, 'part')} AS {alias}",
        "}",
    ]
    return Computed(alias, [(f"collect(DISTINCT [{owner}, {mask(variable)}])", pairs)], call)


def _share(plan: Plan, measure: Measure, alias: str, scope: Scope, *, fanned: bool) -> Computed:
    slot = slot_of_grain(measure.of or plan.grain)
    variable = scope.bound[slot]
    distinct = "" if not fanned and is_own(plan.grain, scope.row, slot) else "DISTINCT "
    if measure.having:
        part = f"count({distinct}{_Mask(scope, measure)(variable)})"
        return Computed(alias, [(f"100.0 * {part} / nullIf(count({distinct}{variable}), 0)", alias)])
    count = scope.names.unique("part")
    grouped = [(f"count({distinct}{variable})", count)]
    if all(_is_of_one(plan, slot, group) for group in plan.group_by):
        return Computed(alias, grouped, share_of="")
    nodes = _collected(scope, variable, variable)
    return Computed(alias, [*grouped, (f"collect(DISTINCT {variable})", nodes)], share_of=nodes)


def _measured_slot(measure: Measure, scope: Scope) -> Slot:
    return slot_of(measure.field, scope.grain) if measure.field else slot_of_grain(measure.of or scope.grain)


def _is_of_one(plan: Plan, node: Slot, group: AnyField) -> bool:
    """Whether a node has one value of the group's field, so that it is in no two groups."""
    slot = slot_of(group, plan.grain)
    try:
        return is_one(plan.grain, node, slot)
    except LookupError:
        return False


class _Mask:
    """Leaves an expression only where the measure's `having` holds."""

    def __init__(self, scope: Scope, measure: Measure) -> None:
        self._test = ""
        if measure.having:
            row = scope.of(measure.of or scope.grain)
            self._test = predicate(row, AllOf(conditions=measure.having), negated=False)
            if row.row != scope.row and _measured_slot(measure, scope) != row.row:
                self._test = f"{scope.bound[row.row]} IS NOT NULL AND {self._test}"

    def __call__(self, text: str) -> str:
        return f"CASE WHEN {self._test} THEN {text} END" if self._test else text


def _measured(of: AnyField, variable: str) -> str:
    if isinstance(of, FeatureField | RangeField):
        return number(of, variable)
    return number(of, variable) if kind_of(of) in {Kind.NUMBER, Kind.TEXT} else value(of, variable)


def _function(aggregate: Aggregate, text: str) -> str:
    if aggregate is Aggregate.MEDIAN:
        return f"percentileCont({text}, 0.5)"
    return f"{_FUNCTIONS[aggregate]}({text})"


def _plural(variable: str) -> str:
    """p → ps, v2 → vs2."""
    letters = variable.rstrip("0123456789")
    return f"{letters}s{variable[len(letters) :]}"
