"""Conditions into Cypher: as patterns that the planner may start from, or as predicates of two values.

Arrives: conditions of a plan and the scope of their rows. Leaves: MATCH clauses and predicates. A condition that must
hold in any case becomes part of the pattern; one under a negation or an alternative becomes an EXISTS or COUNT
subquery, where a missing node or property means false, never null.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from cpq_graph import model
from cpq_graph.query.compile import patterns
from cpq_graph.query.compile.expressions import comparison, presence
from cpq_graph.query.compile.patterns import Scope
from cpq_graph.query.compile.slots import OFFER, PERSONS, SENDERS, Slot, path, slot_of, slot_of_grain
from cpq_graph.query.compile.text import braces, node, where
from cpq_graph.query.plan import (
    AllOf,
    AnyField,
    AnyOf,
    Compare,
    Condition,
    Exists,
    FeatureField,
    Grain,
    Its,
    Not,
    Operator,
    PropertyField,
    Some,
)


@dataclass(slots=True)
class Block:
    """MATCH clauses with the predicates on them. `fanned`: a row may stand several times."""

    clauses: list[str] = field(default_factory=list)
    predicates: list[str] = field(default_factory=list)
    fanned: bool = False

    def lines(self) -> list[str]:
        """The block as lines of Cypher."""
        return self.clauses + where(self.predicates)


def flat(conditions: tuple[Condition, ...]) -> tuple[Condition, ...]:
    """The conditions with every AllOf resolved."""
    found: list[Condition] = []
    for condition in conditions:
        found += flat(condition.conditions) if isinstance(condition, AllOf) else (condition,)
    return tuple(found)


def slots_needed(grain: Grain, conditions: tuple[Condition, ...]) -> set[Slot]:
    """The slots that a row must have for all conditions to hold, as far as it has one of each."""
    found: set[Slot] = set()
    for condition in flat(conditions):
        match condition:
            case Compare() | Exists():
                slot = slot_of(condition.field, grain)
                found.add(anchor(grain, slot))
            case Its():
                found |= {slot_of_grain(condition.grain)} | slots_needed(condition.grain, condition.where)
    return found


def conjunction(
    scope: Scope,
    conditions: tuple[Condition, ...],
    also: Iterable[Slot] = (),
    *,
    later: Iterable[Slot] = (),
    link: Slot | None = None,
    join: bool = True,
) -> Block:
    """Rows of the scope that satisfy all conditions and have the `also` slots; `later` slots are bound by clauses that
    follow. With `join`, features and attributes that must be there are paths of the pattern, by which it is fanned."""
    needed = slots_needed(scope.grain, conditions) | set(also)
    block = Block(patterns.required(scope, needed, link, later))
    for row, condition in _under_its(scope, conditions):
        found_once = row.names.wide and row.grain is Grain.PRODUCT and _is_feature(condition)
        if join and not found_once and isinstance(condition, Compare | Exists) and _is_many(row, condition.field):
            slot = slot_of(condition.field, row.grain)
            joined = Scope(row.grain, row.names, dict(row.bound))
            joined.bound.pop(slot, None)
            start, steps = joined.nearest(joined.path(slot))
            block.clauses.append(patterns.joined(joined, start, steps, {slot}))
            block.predicates.append(_leaf(condition, joined.bound[slot], joined))
            block.fanned = True
        else:
            block.predicates.append(predicate(row, condition, negated=False))
    return block


def predicate(scope: Scope, condition: Condition, *, negated: bool) -> str:
    """The condition as an expression; under a negation it is never null."""
    match condition:
        case Not():
            return f"NOT {predicate(scope, condition.condition, negated=True)}"
        case AllOf() | AnyOf():
            parts = [predicate(scope, part, negated=negated) for part in condition.conditions]
            word = " AND " if isinstance(condition, AllOf) else " OR "
            return parts[0] if len(parts) == 1 else f"({word.join(parts)})"
        case Its():
            return _its(scope, condition, negated=negated)
        case Some():
            return _some(scope, condition)
    return _simple(scope, condition, negated=negated)


def _simple(scope: Scope, condition: Compare | Exists, *, negated: bool) -> str:
    slot = slot_of(condition.field, scope.grain)
    variable = scope.one(slot)
    if variable is not None:
        text = _leaf(condition, variable, scope)
        return f"coalesce({text}, false)" if negated and isinstance(condition, Compare) else text
    if slot.feature is not None and scope.names.wide and scope.grain is Grain.PRODUCT:
        products = patterns.products_with(scope, slot.feature, lambda name: _leaf(condition, name, scope))
        return f"{scope.bound[scope.row]} IN {products}"
    inner = scope.inner(scope.grain)
    start, steps = inner.nearest(inner.path(slot))
    pattern, parameter = patterns.chain(inner, start, steps, {slot})
    checks = [_leaf(condition, inner.bound[slot], scope)]
    if slot.feature is not None:
        checks.append(braces("EXISTS", [patterns.carries(inner, parameter, slot.feature)]))
    return braces("EXISTS", [f"MATCH {pattern}", *where(checks)])


def _its(scope: Scope, condition: Its, *, negated: bool) -> str:
    slot = slot_of_grain(condition.grain)
    if scope.one(slot) is not None:
        return predicate(scope.of(condition.grain), AllOf(conditions=condition.where), negated=negated)
    inner = scope.inner(scope.grain)
    start, steps = inner.nearest(inner.path(slot))
    pattern, _ = patterns.chain(inner, start, steps, {slot})
    inside = [predicate(inner.of(condition.grain), part, negated=negated) for part in flat(condition.where)]
    return braces("EXISTS", [f"MATCH {pattern}", *where(inside)])


def _some(scope: Scope, some: Some) -> str:
    counted = (
        some.at_least not in (None, 0, 1) or some.at_most not in (None, 0) or (some.at_least, some.at_most) == (1, 0)
    )
    inner = scope.inner(some.grain)
    before: list[str] = []
    if scope.grain in PERSONS:
        inner.bound.clear()
        before = [f"MATCH {_offers_of(scope, inner, some)}"]
        link = OFFER
    else:
        link = next((step.slot for step in inner.path(scope.row) if step.slot in inner.bound), scope.row)
    block = conjunction(inner, some.where, link=link, join=False)
    lines = before + block.lines()
    if not counted:
        return f"{'NOT ' if some.at_most == 0 else ''}{braces('EXISTS', lines)}"
    if scope.grain is Grain.PARTICIPANT and some.role is None:
        lines.append(f"RETURN DISTINCT {inner.bound[inner.row]}")
    text = braces("COUNT", lines)
    low, high = some.at_least or 0, some.at_most
    if high is None:
        return f"{text} >= {scope.names.parameter('atLeast', low)}"
    if low == 0:
        return f"{text} <= {scope.names.parameter('atMost', high)}"
    # Not `low <= COUNT … <= high`: that becomes two comparisons, each with a subquery to plan, and so on inwards.
    return f"{text} IN range({scope.names.parameter('atLeast', low)}, {scope.names.parameter('atMost', high)})"


def _offers_of(scope: Scope, inner: Scope, some: Some) -> str:
    roles = [SENDERS[role].type for role in ([some.role] if some.role else SENDERS)]
    types = model.HANDLED_BY.type if scope.grain is Grain.USER else "|".join(roles)
    return f"({scope.bound[scope.row]})<-[:{types}]-{node(inner.name(OFFER), OFFER.label)}"


def _leaf(condition: Compare | Exists, variable: str, scope: Scope) -> str:
    if isinstance(condition, Compare):
        return comparison(condition.field, condition.operator, condition.values, variable, scope.names)
    return f"{presence(condition.field, variable)} IS NOT NULL"


def _is_feature(condition: Condition) -> bool:
    return isinstance(condition, Compare | Exists) and isinstance(condition.field, FeatureField)


def _is_many(scope: Scope, of: AnyField) -> bool:
    slot = slot_of(of, scope.grain)
    return any(step.many for step in scope.path(slot)) or isinstance(of, FeatureField)


# Properties by which a question names single nodes, or one day; and families.
SINGLES = {
    *((node.label, "id") for node in (model.OFFER, model.PRODUCT, model.PRODUCT_FAMILY, model.PARAMETER)),
    (model.OFFER.label, "date"),
}
FAMILIES = {(model.PRODUCT_FAMILY.label, "name")}


def is_pinned(conditions: tuple[Condition, ...], properties: set[tuple[str, str]]) -> bool:
    """Whether all rows have one of a few values of such a property."""
    return any(
        (isinstance(condition, Its) and is_pinned(condition.where, properties))
        or (
            isinstance(condition, Compare)
            and condition.operator in {Operator.EQUAL, Operator.IN}
            and isinstance(condition.field, PropertyField)
            and (condition.field.label, condition.field.property) in properties
        )
        for condition in flat(conditions)
    )


def anchor(grain: Grain, slot: Slot) -> Slot:
    """The last slot on the way to `slot` that a row has one of."""
    anchor = slot_of_grain(grain)
    for step in path(grain, anchor, slot):
        if step.many or step.slot.feature is not None:
            break
        anchor = step.slot
    return anchor


def _under_its(scope: Scope, conditions: tuple[Condition, ...]) -> list[tuple[Scope, Condition]]:
    """Each condition that must hold, with the scope whose rows it speaks of."""
    found: list[tuple[Scope, Condition]] = []
    for condition in flat(conditions):
        if isinstance(condition, Its):
            found += _under_its(scope.of(condition.grain), condition.where)
        else:
            found.append((scope, condition))
    return found
