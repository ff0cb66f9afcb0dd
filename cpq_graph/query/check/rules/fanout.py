"""Sums and averages that count a value once for each row a pattern makes of its node, and values that contain each
other added up. Knows only graphs whose schema says how many there may be."""

from collections.abc import Iterator

from cpq_graph.query.check.context import Context
from cpq_graph.query.check.facts import aggregates, aggregating, conjuncts, is_aggregate, variables
from cpq_graph.query.check.findings import Edit, Problem
from cpq_graph.query.check.grain import to_one_from
from cpq_graph.query.check.kinds import NUMBERS, type_of
from cpq_graph.query.check.routes import quote
from cpq_graph.query.check.scopes import Symbol
from cpq_graph.query.check.tree import (
    Call,
    Constant,
    Group,
    MapOf,
    Match,
    NodePattern,
    Operation,
    Parameter,
    Part,
    Project,
    Property,
    SingleQuery,
    Variable,
    walk,
)

_COUNTED_ONCE = frozenset({"min", "max"})


def fanout(context: Context) -> Iterator[Problem]:
    """Checks every aggregating projection, and every addition."""
    if not any(triple.one_end is not None for triple in context.schema.triples):
        return
    for part in context.parts:
        if isinstance(part, SingleQuery):
            yield from _query(context, part)
        elif isinstance(part, Operation) and part.operators[0] == "+":
            yield from _added(context, part)


def _query(context: Context, query: SingleQuery) -> Iterator[Problem]:
    grain: set[Symbol] = set()
    for clause in query.clauses:
        if isinstance(clause, Match):
            grain |= _matched(context, clause)
        elif isinstance(clause, Project):
            grouped = clause.distinct or any(aggregating(item.expression) for item in clause.items)
            if any(aggregating(item.expression) for item in clause.items):
                yield from _projection(context, clause, grain)
            if grouped:
                grain = {
                    symbol
                    for item in clause.items
                    if not aggregating(item.expression)
                    for symbol in _nodes_in(context, item.expression)
                }


def _matched(context: Context, clause: Match) -> set[Symbol]:
    found: set[Symbol] = set()
    for path in clause.paths:
        for element in path.elements:
            if isinstance(element, NodePattern):
                found.add(context.scopes.symbols[element].root)
            elif isinstance(element, Group):
                found |= {context.scopes.symbols[one].root for one in walk(element) if isinstance(one, NodePattern)}
    return found


def _nodes_in(context: Context, part: Part, depth: int = 0) -> set[Symbol]:
    """The nodes that an expression is computed from, through aliases."""
    found: set[Symbol] = set()
    for variable in variables(part):
        symbol = context.scopes.uses.get(variable)
        if symbol is None:
            continue
        if symbol.root.kind == "node":
            found.add(symbol.root)
        elif symbol.origin is not None and depth < 10 and not aggregating(symbol.origin):
            found |= _nodes_in(context, symbol.origin, depth + 1)
    return found


def _projection(context: Context, clause: Project, grain: set[Symbol]) -> Iterator[Problem]:
    keys = [item.expression for item in clause.items if not aggregating(item.expression)]
    known = {symbol for key in keys for symbol in _identified(context, key)} | _fixed(context, grain)
    for item in clause.items:
        for call in aggregates(item.expression):
            summed = _summed(context, call)
            if not summed:
                continue
            repeating = grain - to_one_from(context, known | summed)
            if repeating:
                yield _repeated(context, clause, call, summed, keys, repeating)
            elif call.distinct:
                yield Problem(
                    f"{context.text(call)} drops values that happen to be equal",
                    call.start, call.end, hint="Make the rows distinct by node in a WITH DISTINCT, and then add up",
                )  # fmt: skip


def _summed(context: Context, call: Call) -> set[Symbol]:
    """The nodes whose stored numbers a sum or average adds up."""
    if call.name.text.lower() not in ("sum", "avg") or not call.arguments:
        return set()
    return {
        symbol
        for part in walk(call.arguments[0])
        if isinstance(part, Property | Variable)
        for symbol in _numbers(context, part)
    }


def _numbers(context: Context, part: Part) -> set[Symbol]:
    if isinstance(part, Property) and isinstance(part.subject, Variable):
        symbol = context.scopes.uses.get(part.subject)
        return {symbol.root} if symbol is not None and symbol.root.kind == "node" else set()
    if isinstance(part, Variable):
        symbol = context.scopes.uses.get(part)
        origin = symbol.origin if symbol is not None and symbol.kind == "value" else None
        if origin is not None and not aggregating(origin):
            return {one for inner in walk(origin) for one in _numbers(context, inner)}
    return set()


def _identified(context: Context, key: Part) -> set[Symbol]:
    """The nodes that a grouping key tells apart: itself, or its id."""
    if isinstance(key, Variable):
        symbol = context.scopes.uses.get(key)
        if symbol is not None and symbol.root.kind == "node":
            return {symbol.root}
        if symbol is not None and symbol.origin is not None and symbol.origin is not key:
            return _identified(context, symbol.origin)
    if isinstance(key, Property) and isinstance(key.subject, Variable) and key.key.text.lower().endswith("id"):
        return _identified(context, key.subject)
    if isinstance(key, Call) and key.name.text.lower() in ("id", "elementid") and key.arguments:
        return _identified(context, key.arguments[0])
    return set()


def _fixed(context: Context, grain: set[Symbol]) -> set[Symbol]:
    """Nodes of which a row has one by what is asked of them: their key is given, or a property of a shared one."""
    found: set[Symbol] = set()
    for symbol in grain:
        given = _given(context, symbol)
        for label in context.labels_of(symbol):
            required = {
                name for name, kind in context.schema.labels[label].items() if kind.upper().endswith("NOT NULL")
            }
            shared = any(triple.end == label and triple.one_start is False for triple in context.schema.triples)
            if (required and required <= given) or (shared and given):
                found.add(symbol)
    return found


def _given(context: Context, symbol: Symbol) -> set[str]:
    """The properties of a node that equal a literal, a parameter or a value."""
    given: set[str] = set()
    for pattern in symbol.patterns:
        if isinstance(pattern, NodePattern) and isinstance(pattern.properties, MapOf):
            given |= {entry.key.text for entry in pattern.properties.entries}
    for part in context.parts:
        where = part.where if isinstance(part, Match | Project) else None
        for condition in conjuncts(where):
            if isinstance(condition, Operation) and condition.operators[0] in ("=", "IN"):
                for one, other in (condition.operands[:2], condition.operands[1::-1]):
                    if (
                        isinstance(one, Property)
                        and isinstance(one.subject, Variable)
                        and context.scopes.uses.get(one.subject) is symbol
                        and isinstance(other, Constant | Parameter)
                    ):
                        given.add(one.key.text)
    return given


def _repeated(
    context: Context, clause: Project, call: Call, summed: set[Symbol], keys: list[Part], repeating: set[Symbol]
) -> Problem:
    edits: tuple[Edit, ...] = ()
    names = _needed(context, clause)
    others = [one for item in clause.items for one in aggregates(item.expression) if one is not call]
    safe = all(
        one.distinct or one.name.text.lower() in _COUNTED_ONCE or _summed(context, one) == summed for one in others
    )
    # What multiplies the rows must be there for a condition, or it was not meant to be there at all.
    meant = any(_given(context, symbol) or _asked(context, symbol) for symbol in repeating)
    if names and safe and meant and not call.distinct and not clause.star:
        grain = {symbol.root for symbol in names.values() if symbol.root.kind == "node"}
        known = {symbol for key in keys for symbol in _identified(context, key)}
        plain = all(symbol.root.kind == "node" for symbol in names.values())
        if plain and not grain - to_one_from(context, known | summed):
            edits = (Edit(clause.start, clause.start, f"WITH DISTINCT {', '.join(quote(one) for one in names)} "),)
    return Problem(
        f"{context.text(call)} counts a value once for every row that the pattern makes of its node",
        call.start,
        call.end,
        edits,
        hint="Make the rows distinct first: WITH DISTINCT …, or ask for the rest in EXISTS { … }",
    )


def _asked(context: Context, symbol: Symbol) -> bool:
    """Whether a condition speaks of the node."""
    return any(
        context.scopes.uses.get(variable) is symbol
        for part in context.parts
        if isinstance(part, Match | Project) and part.where is not None
        for variable in variables(part.where)
    )


def _needed(context: Context, clause: Project) -> dict[str, Symbol]:
    """The variables that a projection uses, in order, by the names it uses."""
    found: dict[str, Symbol] = {}
    before = context.scopes.before[clause]
    for part in (*(item.expression for item in clause.items), *clause.order, clause.where):
        for variable in variables(part) if part is not None else ():
            symbol = context.scopes.uses.get(variable)
            if symbol is not None and before.get(variable.name) is symbol:
                found[variable.name] = symbol
    return found


def _added(context: Context, part: Operation) -> Iterator[Problem]:
    """The same property of a node and of the one node it consists of: one contains the other."""
    sources = [_source(context, operand) for operand in part.operands]
    for index, first in enumerate(sources):
        for second in sources[index + 1 :]:
            if first is None or second is None or first[1] != second[1] or first[0] is second[0]:
                continue
            if second[0] in to_one_from(context, {first[0]}) and first[0] in to_one_from(context, {second[0]}):
                yield Problem(
                    f"{context.text(part)} adds a value to the whole that it is a part of",
                    part.start, part.end, hint="Take the one of them that was asked for",
                )  # fmt: skip
                return


def _source(context: Context, part: Part, depth: int = 0) -> tuple[Symbol, str] | None:
    """The node and the property that a number comes from, through sums, calls and aliases."""
    if depth > 10:
        return None
    if isinstance(part, Property) and isinstance(part.subject, Variable):
        symbol = context.scopes.uses.get(part.subject)
        if symbol is not None and symbol.root.kind == "node" and type_of(context, part) in NUMBERS:
            return symbol.root, part.key.text
    if isinstance(part, Call) and part.arguments and (is_aggregate(part) or len(part.arguments) <= 2):
        return _source(context, part.arguments[0], depth + 1) if part.name.text.lower() != "count" else None
    if isinstance(part, Variable):
        symbol = context.scopes.uses.get(part)
        if symbol is not None and symbol.origin is not None:
            return _source(context, symbol.origin, depth + 1)
    return None
