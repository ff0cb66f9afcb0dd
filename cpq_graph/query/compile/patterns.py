"""Slots into MATCH clauses.

Arrives: the slots that a statement needs. Leaves: one clause for each path, so that two paths may share a
relationship (Cypher keeps relationships distinct within one MATCH), and the variables that are bound by them.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Self

from cpq_graph import model
from cpq_graph.query.compile.slots import SPINE, Slot, Step, is_one, path, slot_of_grain
from cpq_graph.query.compile.text import Names, arrow, braces, clause, ext_id, node
from cpq_graph.query.plan import Grain


@dataclass(slots=True)
class Scope:
    """What rows are, and the variables bound around them."""

    grain: Grain
    names: Names
    bound: dict[Slot, str] = field(default_factory=dict)

    @property
    def row(self) -> Slot:
        """The slot of the row's own node."""
        return slot_of_grain(self.grain)

    def of(self, grain: Grain) -> "Scope":
        """The same bindings with another node as the row."""
        return Scope(grain, self.names, self.bound)

    def path(self, end: Slot) -> tuple[Step, ...]:
        """The way from the row."""
        return path(self.grain, self.row, end)

    def one(self, slot: Slot) -> str | None:
        """The variable of a slot that the row has one of, if it is bound."""
        return self.bound[slot] if slot in self.bound and is_one(self.grain, self.row, slot) else None

    def inner(self, grain: Grain) -> Self:
        """A scope for nodes of `grain` below the row: it sees what the row has one of."""
        seen = {slot: name for slot, name in self.bound.items() if self.one(slot)}
        return type(self)(grain, self.names, seen)

    def name(self, slot: Slot) -> str:
        """The slot's variable, a new one where it has none."""
        if slot not in self.bound:
            self.bound[slot] = self.names.variable(slot)
        return self.bound[slot]

    def nearest(self, steps: tuple[Step, ...]) -> tuple[Slot, tuple[Step, ...]]:
        """The last bound slot on the way from the row, and the steps from there."""
        for index in range(len(steps), 0, -1):
            if steps[index - 1].slot in self.bound:
                return steps[index - 1].slot, steps[index:]
        return self.row, steps


def required(scope: Scope, targets: Iterable[Slot], link: Slot | None = None, later: Iterable[Slot] = ()) -> list[str]:
    """MATCH clauses that bind the row and all targets: one chain from the offer's side down, then one for each branch.
    `link` is a slot bound outside that the row hangs on; from where the way to a `later` slot parts, a variable is
    bound, so that it goes on from the same node."""
    ways = {target: scope.path(target) for target in targets if target not in scope.bound}
    every = ways | {slot: scope.path(slot) for slot in later}
    passed = {step.slot for way in ways.values() for step in way}
    named = (_named(scope, every) & passed) | {scope.row} | {_trunk(scope, way) for way in ways.values()}
    spine = {step.slot for way in ways.values() for step in scope.nearest(way)[1] if step.slot in SPINE} | {scope.row}
    clauses = []
    if link is not None:
        spine.add(link)
    fresh = [slot for slot in spine if slot not in scope.bound]
    if len(spine) > 1 and fresh:
        indices = [SPINE.index(slot) for slot in spine]
        top = SPINE[min(indices)]
        clauses.append(joined(scope, top, path(scope.grain, top, SPINE[max(indices)]), named))
    elif fresh and not ways:
        clauses.append("MATCH " + node(scope.name(scope.row), scope.row.label))
    for target, way in sorted(ways.items(), key=lambda pair: (len(pair[1]), str(pair[0]))):
        if target not in scope.bound:
            start, steps = scope.nearest(way)
            clauses.append(joined(scope, start, steps, {start, target}))
    return clauses


def optional(scope: Scope, targets: Iterable[Slot]) -> list[str]:
    """OPTIONAL MATCH clauses that bind the targets and the places where their ways part, nearest first, so that what
    is missing farther on takes nothing away."""
    ways = {target: scope.path(target) for target in targets if target not in scope.bound}
    clauses = []
    for slot in sorted(_named(scope, ways), key=lambda slot: (len(scope.path(slot)), str(slot))):
        if slot not in scope.bound:
            start, steps = scope.nearest(scope.path(slot))
            text, parameter = chain(scope, start, steps, {slot})
            if slot.feature is None:
                clauses.append(f"OPTIONAL MATCH {text}")
            elif scope.names.wide:
                # Without the hint the parameters of every row are walked through, each with all its attributes.
                check = carries(scope, parameter, slot.feature)
                clauses.append(f"OPTIONAL MATCH {text},\n      {check}\nUSING JOIN ON {scope.bound[start]}")
            else:
                check = braces("EXISTS", [carries(scope, parameter, slot.feature)])
                clauses.append(f"OPTIONAL MATCH {text}\nWHERE {check}")
    return clauses


def joined(scope: Scope, start: Slot, steps: tuple[Step, ...], named: set[Slot]) -> str:
    """A MATCH clause for a path that must be there. A feature's starts from its attribute in a wide statement."""
    text, parameter = chain(scope, start, steps, named)
    feature = steps[-1].slot.feature if steps else None
    if feature is None:
        return f"MATCH {text}"
    if not scope.names.wide:
        return f"MATCH {text},\n      {carries(scope, parameter, feature)}"
    attribute = scope.names.variable(Slot(model.ATTRIBUTE.label))
    hint = f"USING INDEX {attribute}:{model.ATTRIBUTE.label}({', '.join(model.ATTRIBUTE.key)})"
    return f"MATCH {text},\n      {carries(scope, parameter, feature, attribute)}\n{hint}"


def carries(scope: Scope, parameter: str, feature: str, attribute: str = "") -> str:
    """The pattern of a parameter that has the ext_id."""
    shared = ext_id(scope.names.parameter("feature", feature), attribute)
    return f"({parameter})-[:{model.PARAMETER_HAS_ATTRIBUTE.type}]->{shared}"


def chain(scope: Scope, start: Slot, steps: tuple[Step, ...], named: set[Slot]) -> tuple[str, str]:
    """A path pattern from a slot, with variables for the named slots, and the variable of the parameter in a feature's
    branch ("" outside of one)."""
    text = _node(scope, start, named)
    branch = any(step.slot.feature is not None for step in steps)
    parameter = scope.bound[start] if branch and start in scope.bound else ""
    for step in steps:
        if branch and step.slot.label == model.PARAMETER.label:
            parameter = scope.names.variable(step.slot)
            text += arrow(step) + node(parameter, step.slot.label)
        else:
            text += arrow(step) + _node(scope, step.slot, named)
    return text, parameter


def products_with(scope: Scope, feature: str, test: Callable[[str], str]) -> str:
    """The variable of a list of all products whose feature satisfies the test, found once before all else."""
    inner, _ = _featured(scope.names, feature)
    tests = scope.names.featured.setdefault(feature, {})
    text = test(inner.bound[_value_of(feature)])
    if text not in tests:
        tests[text] = scope.names.unique("featured")
    return tests[text]


def found_before(names: Names) -> list[str]:
    """The subqueries that find the lists of `products_with`: one a feature, whatever it is tested for."""
    lines = []
    for feature, tests in names.featured.items():
        inner, pattern = _featured(names, feature)
        product = inner.bound[inner.row]
        if len(tests) == 1:
            lists = [f"collect(DISTINCT {product}) AS {alias}" for alias in tests.values()]
        else:
            lists = [
                f"collect(DISTINCT CASE WHEN {text} THEN {product} END) AS {alias}" for text, alias in tests.items()
            ]
        body = [f"MATCH {pattern}", f"WHERE {' OR '.join(tests)}", clause("RETURN", lists)]
        lines += ["CALL () {", *("  " + line.replace("\n", "\n  ") for line in body), "}"]
    return lines


def _featured(names: Names, feature: str) -> tuple[Scope, str]:
    """The pattern of all products with the feature, in a scope of its own."""
    own = Names()
    own.parameters = names.parameters
    inner = Scope(Grain.PRODUCT, own)
    value = _value_of(feature)
    pattern, parameter = chain(inner, inner.row, inner.path(value), {inner.row, value})
    return inner, f"{pattern},\n      {carries(inner, parameter, feature, 'a')}"


def _value_of(feature: str) -> Slot:
    return Slot(model.PARAMETER_VALUE.label, feature=feature)


def _node(scope: Scope, slot: Slot, named: set[Slot]) -> str:
    if slot in scope.bound:
        return node(scope.bound[slot], "")
    variable = scope.name(slot) if slot in named else ""
    if slot.type is not None:
        return f"({variable}:{slot.label} {{type: '{slot.type}'}})"
    return node(variable, slot.label)


def _trunk(scope: Scope, way: tuple[Step, ...]) -> Slot:
    """Where a way leaves the spine."""
    return next((step.slot for step in reversed(way) if step.slot in SPINE), scope.row)


def _named(scope: Scope, ways: dict[Slot, tuple[Step, ...]]) -> set[Slot]:
    """The targets, and every slot from which two ways go on differently."""
    following: dict[Slot, set[Slot]] = {}
    for way in ways.values():
        before = scope.row
        for step in way:
            following.setdefault(before, set()).add(step.slot)
            before = step.slot
    return set(ways) | {slot for slot, others in following.items() if len(others) > 1}
