"""Slots into MATCH clauses.

Arrives: the slots that a statement needs. Leaves: one clause for each path, so that two paths may share a
relationship (Cypher keeps relationships distinct within one MATCH), and the variables that are bound by them.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Self

from cpq_graph import model
from cpq_graph.query.compile.slots import SPINE, Slot, Step, is_one, path, slot_of_grain
from cpq_graph.query.compile.text import Names, arrow, braces, ext_id, node
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
        clauses.append("MATCH " + chain(scope, top, path(scope.grain, top, SPINE[max(indices)]), named))
    elif fresh and not ways:
        clauses.append("MATCH " + node(scope.name(scope.row), scope.row.label))
    for target, way in sorted(ways.items(), key=lambda pair: (len(pair[1]), str(pair[0]))):
        if target not in scope.bound:
            start, steps = scope.nearest(way)
            clauses.append("MATCH " + chain(scope, start, steps, {start, target}, joined=True))
    return clauses


def optional(scope: Scope, targets: Iterable[Slot]) -> list[str]:
    """OPTIONAL MATCH clauses that bind the targets and the places where their ways part, nearest first, so that what
    is missing farther on takes nothing away."""
    ways = {target: scope.path(target) for target in targets if target not in scope.bound}
    clauses = []
    for slot in sorted(_named(scope, ways), key=lambda slot: (len(scope.path(slot)), str(slot))):
        if slot not in scope.bound:
            start, steps = scope.nearest(scope.path(slot))
            clauses.append("OPTIONAL MATCH " + chain(scope, start, steps, {slot}))
    return clauses


def chain(scope: Scope, start: Slot, steps: tuple[Step, ...], named: set[Slot], *, joined: bool = False) -> str:
    """A path pattern from a slot, with variables for the named slots. Into a feature's branch it ends with the check of
    the ext_id: as a second path when `joined`, which lets the planner start from there, else as a condition on each
    parameter, which keeps it from walking through the feature's supernode for every row."""
    text = _node(scope, start, named)
    feature = next((step.slot.feature for step in steps if step.slot.feature is not None), None)
    parameter = scope.bound.get(start, "")
    for step in steps:
        if feature is not None and step.slot.label == model.PARAMETER.label:
            parameter = scope.names.variable(step.slot)
            text += arrow(step) + node(parameter, step.slot.label)
        else:
            text += arrow(step) + _node(scope, step.slot, named)
    if feature is None:
        return text
    check = (
        f"({parameter})-[:{model.PARAMETER_HAS_ATTRIBUTE.type}]->{ext_id(scope.names.parameter('feature', feature))}"
    )
    return f"{text},\n      {check}" if joined else f"{text}\nWHERE {braces('EXISTS', [check])}"


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
