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
from cpq_graph.query.compile.text import quoted
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

    `grouped`: aliases and expressions of the grouping clause. `call`: the subquery that makes the column of them.
    `share_of`: the hidden aliases (count, nodes) that a share of all groups needs; nodes is None where no node is in
    two groups.
    """

    name: str
    grouped: list[tuple[str, str]] = field(default_factory=list)
    call: list[str] = field(default_factory=list)
    share_of: tuple[str, str | None] | None = None


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


def aggregate(plan: Plan, measure: Measure, name: str, scope: Scope, *, fanned: bool) -> Computed:
    """How `measure` becomes the column `name`."""
    mask = _Mask(scope, measure)
    if measure.aggregate is Aggregate.SHARE:
        return _share(plan, measure, name, scope, fanned=fanned)
    if measure.per is not None:
        return _nested(measure, name, scope, mask)
    if measure.aggregate is Aggregate.COUNT:
        slot = slot_of(measure.field, plan.grain) if measure.field else slot_of_grain(measure.of or plan.grain)
        variable = scope.bound[slot]
        counted = variable if measure.field is None else key(measure.field, variable, scope.names)
        distinct = "" if measure.field is None and not fanned and is_own(plan.grain, scope.row, slot) else "DISTINCT "
        return Computed(name, [(name, f"count({distinct}{mask(counted)})")])
    assert measure.field is not None
    slot = slot_of(measure.field, plan.grain)
    variable = scope.bound[slot]
    once = not fanned and is_own(plan.grain, scope.row, slot)
    if once or measure.aggregate in {Aggregate.MINIMUM, Aggregate.MAXIMUM}:
        return Computed(name, [(name, _function(measure.aggregate, mask(_measured(measure.field, variable))))])
    nodes = scope.names.unique(_plural(variable))
    call = [
        f"CALL ({nodes}) {{",
        f"  UNWIND {nodes} AS {variable}",
        f"  RETURN {_function(measure.aggregate, _measured(measure.field, variable))} AS {quoted(name)}",
        "}",
    ]
    return Computed(name, [(nodes, f"collect(DISTINCT {mask(variable)})")], call)


def _nested(measure: Measure, name: str, scope: Scope, mask: "_Mask") -> Computed:
    """An aggregate of what each owner has: pairs of owner and node, each once, then by owner, then over owners."""
    grain = scope.grain
    if isinstance(measure.per, Grain):
        owner = scope.bound[slot_of_grain(measure.per)]
    else:
        assert measure.per is not None
        owner = key(measure.per, scope.bound[slot_of(measure.per, grain)], scope.names)
    if measure.field is not None:
        variable = scope.bound[slot_of(measure.field, grain)]
        inner = f"sum({_measured(measure.field, variable)})"
    else:
        variable = scope.bound[slot_of_grain(measure.of or grain)]
        inner = f"count({variable})"
    pairs, part = scope.names.unique("pairs"), scope.names.unique("part")
    call = [
        f"CALL ({pairs}) {{",
        f"  UNWIND {pairs} AS pair",
        f"  WITH pair[0] AS owner, pair[1] AS {variable} WHERE owner IS NOT NULL",
        f"  WITH owner, {inner} AS {part}",
        f"  RETURN {_function(measure.aggregate, part)} AS {quoted(name)}",
        "}",
    ]
    return Computed(name, [(pairs, f"collect(DISTINCT [{owner}, {mask(variable)}])")], call)


def _share(plan: Plan, measure: Measure, name: str, scope: Scope, *, fanned: bool) -> Computed:
    slot = slot_of_grain(measure.of or plan.grain)
    variable = scope.bound[slot]
    distinct = "" if not fanned and is_own(plan.grain, scope.row, slot) else "DISTINCT "
    if measure.having:
        part = f"count({distinct}{_Mask(scope, measure)(variable)})"
        return Computed(name, [(name, f"100.0 * {part} / nullIf(count({distinct}{variable}), 0)")])
    count = scope.names.unique("part")
    found = Computed(name, [(count, f"count({distinct}{variable})")], share_of=(count, None))
    if not all(_is_of_one(plan, slot, group) for group in plan.group_by):
        nodes = scope.names.unique(_plural(variable))
        found.grouped.append((nodes, f"collect(DISTINCT {variable})"))
        found.share_of = (count, nodes)
    return found


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
    return f"{variable}s"
