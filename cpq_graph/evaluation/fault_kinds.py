"""Right queries in, faulty ones out: each with one fault that language models make, by kind.

A fault is made by editing the text at places that the checker's reader tells, one place at a time, so that a query
gives as many faults of a kind as it has places for it. Nothing is random: the same queries give the same faults.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cpq_graph.model import (
    CONTENT,
    CONTENT_CONTAINS,
    MODEL,
    PRODUCT,
    SUBCONTENT,
    SUBCONTENT_CONTAINS,
    PropertyType,
)
from cpq_graph.query.check.edits import apply
from cpq_graph.query.check.facts import aggregating, conjuncts, names_of
from cpq_graph.query.check.findings import Edit
from cpq_graph.query.check.parser import parse
from cpq_graph.query.check.rules.directions import turned
from cpq_graph.query.check.scopes import analyse
from cpq_graph.query.check.tree import (
    Call,
    Case,
    Constant,
    MapOf,
    Match,
    NodePattern,
    Operation,
    Part,
    Path,
    Project,
    Property,
    RelationshipPattern,
    Subquery,
    Unary,
    Variable,
    walk,
)


@dataclass(frozen=True, slots=True)
class Gold:
    """A right query with its parameters."""

    name: str
    cypher: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Fault:
    """A right query with one fault in it."""

    kind: str
    gold: Gold
    cypher: str


class _Source:
    """A gold query's text and its parts."""

    def __init__(self, text: str) -> None:
        parsed = parse(text)
        if parsed.query is None:
            raise ValueError(f"a gold query cannot be read: {parsed.error}")
        self.text = text
        self.query = parsed.query
        self.parts = list(walk(parsed.query))
        self.scopes = analyse(parsed.query)

    def of(self, part: Part) -> str:
        return self.text[part.start : part.end]

    def edited(self, *edits: Edit) -> str:
        return apply(self.text, edits)

    def replaced(self, part: Part, text: str) -> str:
        return self.edited(Edit(part.start, part.end, text))


def directions(source: _Source) -> Iterator[str]:
    """Every arrow turned, one at a time."""
    for part in source.parts:
        if isinstance(part, RelationshipPattern) and (part.left is None) != (part.right is None):
            yield source.edited(*turned(part))


def hops(source: _Source) -> Iterator[str]:
    """A nameless node left out with the relationship before it, or the one behind it."""
    for part in source.parts:
        if not isinstance(part, Path):
            continue
        elements = part.elements
        for before, node, behind in zip(elements[1::2], elements[2::2], elements[3::2], strict=False):
            if isinstance(node, NodePattern) and node.variable is None and node.properties is None:
                yield source.edited(Edit(before.start, node.end, ""))
                if isinstance(before, RelationshipPattern) and source.of(before) != source.of(behind):
                    yield source.edited(Edit(node.start, behind.end, ""))


_SLIPS: tuple[Callable[[str], str], ...] = (
    lambda name: f"{name}s",
    lambda name: name.lower() if name != name.lower() else name.upper(),
    lambda name: name[:-2] + name[-1] + name[-2] if name[-1] != name[-2] else name[:-1],
    lambda name: name[:2] + name[3:],
    lambda name: re.sub(r"_(.)", lambda found: found[1].upper(), name) if "_" in name else re.sub(
        r"(?<=[a-z])([A-Z])", r"_\1", name
    ),
)  # fmt: skip


def names(source: _Source) -> Iterator[str]:
    """Labels, types and properties misspelt: plural, wrong case, two letters swapped, one left out, other joints."""
    places: list[tuple[int, int, str]] = []
    for part in source.parts:
        if isinstance(part, NodePattern | RelationshipPattern):
            expression = part.labels if isinstance(part, NodePattern) else part.types
            places += [(one.start, one.end, one.text) for one in names_of(expression)]
            if isinstance(part.properties, MapOf):
                places += [(one.key.start, one.key.end, one.key.text) for one in part.properties.entries]
        elif isinstance(part, Property) and isinstance(part.subject, Variable):
            symbol = source.scopes.uses.get(part.subject)
            if symbol is not None and symbol.kind == "node":
                places.append((part.key.start, part.key.end, part.key.text))
    for index, (start, end, name) in enumerate(sorted(set(places))):
        for shift in range(len(_SLIPS)):
            slip = _SLIPS[(index + shift) % len(_SLIPS)](name)
            if slip != name and len(name) > 3:
                yield source.edited(Edit(start, end, slip))
                break


# A call, and what people write for it who think of another language or an older Cypher.
_OTHER_CALLS = {
    "tofloat": ("toDouble", "float"), "avg": ("average", "mean"), "date": ("toDate", "to_date"),
    "collect": ("array_agg",), "max": ("maximum",), "min": ("minimum",), "size": ("len",),
}  # fmt: skip


def functions(source: _Source) -> Iterator[str]:
    """Functions, operators and clauses that Cypher 5 lacks."""
    for part in source.parts:
        if isinstance(part, Property) and part.key.text in ("year", "month", "quarter", "day"):
            yield source.replaced(part, f"{part.key.text}({source.of(part.subject)})")
            yield source.replaced(part, f"EXTRACT({part.key.text.upper()} FROM {source.of(part.subject)})")
        elif isinstance(part, Call):
            for other in _OTHER_CALLS.get(part.name.text.lower(), ()):
                yield source.replaced(part.name, other)
            if part.name.text == "count" and part.distinct:
                yield source.replaced(part, f"count_distinct({source.of(part.arguments[0])})")
            if part.name.text == "date" and len(part.arguments) == 1:
                yield source.replaced(part, f"DATE {source.of(part.arguments[0])}")
        elif isinstance(part, Unary) and part.operator == "IS NOT NULL" and isinstance(part.operand, Property):
            yield source.replaced(part, f"exists({source.of(part.operand)})")
        elif isinstance(part, Operation) and part.operators == ("<>",):
            first, second = part.operands
            yield source.replaced(part, f"{source.of(first)} != {source.of(second)}")
        elif isinstance(part, Operation) and part.operators == ("STARTS WITH",):
            first, second = part.operands
            yield source.replaced(part, f"{source.of(first)} LIKE {source.of(second)[:-1]}%'")
        elif isinstance(part, Subquery) and part.kind == "COUNT" and part.query.pattern:
            inner = part.query.parts[0].clauses[0]
            yield source.replaced(part, f"size({source.of(inner)})")
        elif isinstance(part, Project) and part.keyword.text == "RETURN":
            keys = [item for item in part.items if not aggregating(item.expression)]
            if keys and len(keys) < len(part.items):
                by = ", ".join(source.of(item.expression) for item in keys)
                end = part.items[-1].end
                yield source.edited(Edit(end, end, f"\nGROUP BY {by}"))


def types(source: _Source) -> Iterator[str]:
    """Dates as text or as moments, numbers as text, text compared as a number."""
    for part in source.parts:
        if isinstance(part, Call) and part.name.text == "date" and part.arguments:
            argument = part.arguments[0]
            if isinstance(argument, Constant):
                yield source.replaced(part, source.of(argument))
                yield source.replaced(part, f"datetime('{argument.value}T00:00:00')")
        elif isinstance(part, Call) and part.name.text == "toFloat" and len(part.arguments) == 1:
            yield source.replaced(part, source.of(part.arguments[0]))
        elif isinstance(part, Operation) and part.operators[0] in (">", ">=", "<", "<=") and len(part.operands) == 2:
            left, right = part.operands
            if isinstance(left, Property) and isinstance(right, Constant) and right.kind == "number":
                yield source.replaced(right, f"'{right.value}'")


def carrying(source: _Source) -> Iterator[str]:
    """A variable that WITH carried and that is used behind it, left out of the WITH."""
    for part in source.parts:
        if not isinstance(part, Project) or part.keyword.text != "WITH" or len(part.items) < 2:
            continue
        for index, item in enumerate(part.items):
            if not isinstance(item.expression, Variable) or item.alias is not None:
                continue
            used = [one for one in source.parts if isinstance(one, Variable) and one.name == item.expression.name]
            if any(one.start > part.end for one in used):
                following = part.items[index + 1].start if index + 1 < len(part.items) else item.end
                start = item.start if index + 1 < len(part.items) else part.items[index - 1].end
                yield source.edited(Edit(start, following, ""))


def whole_nodes(source: _Source) -> Iterator[str]:
    """A node where its name, id or price was asked."""
    for part in source.parts:
        if isinstance(part, Call) and part.name.text in ("sum", "avg", "max") and len(part.arguments) == 1:
            argument = part.arguments[0]
            if isinstance(argument, Property) and isinstance(argument.subject, Variable):
                yield source.replaced(argument, source.of(argument.subject))
        elif isinstance(part, Project) and part.keyword.text == "RETURN" and not part.order and not part.distinct:
            for item in part.items:
                value = item.expression
                if (
                    isinstance(value, Property)
                    and value.key.text in ("id", "name")
                    and isinstance(value.subject, Variable)
                ):
                    yield source.replaced(value, source.of(value.subject))


def sums(source: _Source) -> Iterator[str]:
    """A price added up with a part of itself, or once for every product, or for every row of a join."""
    summed = [one for one in source.parts if isinstance(one, Call) and one.name.text in ("sum", "avg")]
    for part in source.parts:
        if isinstance(part, Project) and part.distinct and part.keyword.text == "WITH" and summed:
            yield source.edited(Edit(part.keyword.end, part.items[0].start, " "))
        if not isinstance(part, Match) or part.optional:
            continue
        for path in part.paths:
            last = path.elements[-1]
            if not isinstance(last, NodePattern) or [one.text for one in names_of(last.labels)] != [CONTENT.label]:
                continue
            part_of = f"-[:{CONTENT_CONTAINS.type}]->(part:{SUBCONTENT.label})"
            products = f"{part_of}-[:{SUBCONTENT_CONTAINS.type}]->(:{PRODUCT.label})"
            for call in summed:
                argument = source.of(call.arguments[0])
                if last.variable is None or not argument.startswith(f"{last.variable.text}."):
                    continue
                key = argument.partition(".")[2]
                yield source.edited(Edit(last.end, last.end, products))
                yield source.edited(
                    Edit(last.end, last.end, part_of), Edit(call.end, call.end, f" + {call.name.text}(part.{key})")
                )
                yield source.edited(
                    Edit(last.end, last.end, part_of),
                    Edit(call.arguments[0].end, call.arguments[0].end, f" + part.{key}"),
                )
            yield from _joined(source, part, bool(summed))


def _joined(source: _Source, match: Match, summed: bool) -> Iterator[str]:
    """A condition EXISTS { … } made a pattern of the MATCH, whose rows it then multiplies."""
    for condition in conjuncts(match.where) if summed else ():
        if isinstance(condition, Subquery) and condition.kind == "EXISTS" and condition.query.pattern:
            inner = condition.query.parts[0].clauses[0]
            if isinstance(inner, Match) and inner.where is None:
                end = match.paths[-1].end
                yield source.edited(
                    Edit(end, end, f"\nMATCH {source.of(inner)}"), Edit(condition.start, condition.end, "true")
                )


def denominators(source: _Source) -> Iterator[str]:
    """The numerator's condition asked of the denominator as well."""
    if not any(isinstance(part, Operation) and "/" in part.operators for part in source.parts):
        return
    matches = [part for part in source.parts if isinstance(part, Match)]
    for part in source.parts:
        if isinstance(part, Case) and part.subject is None and len(part.conditions) == 1:
            condition = source.of(part.conditions[0])
            used = {one.name for one in walk(part.conditions[0]) if isinstance(one, Variable)}
            for match in reversed(matches):
                bound = {one.variable.text for one in walk(match) if isinstance(one, NodePattern) and one.variable}
                if match.end < part.start and used <= bound:
                    joint = " AND " if match.where is not None else " WHERE "
                    yield source.edited(Edit(match.end, match.end, f"{joint}{condition}"))
                    break
    clauses = source.query.parts[0].clauses
    firsts = [one for one in clauses if isinstance(one, Match)]
    if len(firsts) == 2 and isinstance(clauses[1], Project) and clauses[0] is firsts[0]:
        counted, other = _counted(clauses[1]), _counted(clauses[-2])
        if counted is not None and other is not None:
            text = re.sub(rf"\b{re.escape(source.of(other))}\b", source.of(counted), source.of(firsts[1]))
            yield source.replaced(firsts[0], text)


def _counted(clause: object) -> Part | None:
    if isinstance(clause, Project):
        for item in clause.items:
            if isinstance(item.expression, Call) and item.expression.arguments:
                return item.expression.arguments[0]
    return None


def nulls(source: _Source) -> Iterator[str]:
    """The condition that kept nulls out of a descending order, forgotten."""
    for part in source.parts:
        if isinstance(part, Match) and isinstance(part.where, Unary) and part.where.operator == "IS NOT NULL":
            last = source.query.parts[0].clauses[-1]
            if isinstance(last, Project) and last.limit is not None and last.order and last.order[0].descending:
                start = source.text.rindex("WHERE", 0, part.where.start)
                yield source.edited(Edit(start, part.where.end, ""))


_WRITES = (
    "CREATE (:Fault {id: 1})",
    "MERGE (fault:Fault {id: 1})",
    "CALL { CREATE (:Fault) }",
    "/* only looking */ CR\\u0045ATE (:Fault)",
    "FOREACH (i IN [1] | CREATE (:Fault))",
    "CALL apoc.create.node(['Fault'], {}) YIELD node",
    "CALL dbms.listConfig() YIELD name",
    "LOAD CSV FROM 'file:///etc/passwd' AS line",
    "CALL db.clearQueryCaches()",
)


def writes(source: _Source) -> Iterator[str]:
    """A clause that writes, loads or administers, before RETURN, behind it, in a comment's shadow or an escape."""
    last = source.query.parts[0].clauses[-1]
    for clause in _WRITES:
        yield source.edited(Edit(last.start, last.start, f"WITH * {clause} "))
    for part in source.parts:
        if isinstance(part, Match):
            variable = next((one.variable for one in walk(part) if isinstance(one, NodePattern) and one.variable), None)
            if variable is not None:
                for text in (f"SET {variable.text}.fault = 1", f"DETACH DELETE {variable.text}"):
                    yield source.edited(Edit(part.end, part.end, f"\n{text} // nothing\n"))
                yield source.edited(Edit(part.end, part.end, f"\nREMOVE {variable.text}.id WITH *\n"))
            break
    yield f"{source.text.rstrip().removesuffix(';')};\nMATCH (n) DETACH DELETE n"
    yield f"CALL {{ MATCH (n) SET n.fault = 1 }}\n{source.text}"


def envelopes(source: _Source) -> Iterator[str]:
    """Fences and prose around the query."""
    text = source.text.strip()
    yield f"```cypher\n{text}\n```"
    yield f"```\n{text}\n```\n"
    yield f"Here is the Cypher query that answers your question:\n\n```cypher\n{text}\n```\n\nIt finds all offers."
    yield f"Sure! This query does it:\n\n{text}\n\nLet me know if you want to create another."
    yield f"Cypher: {text}"
    yield f"<answer>\n{text}\n</answer>"
    yield f"{text};"


def misplaced(source: _Source) -> Iterator[str]:
    """A value asked for under another text property of its label, or under another label that has the property."""
    for part in source.parts:
        if not isinstance(part, NodePattern) or part.labels is None or part.labels.name is None:
            continue
        label, text = part.labels, part.labels.name.text
        keys = [one.key for one in part.properties.entries if _is_text(one.value)] if isinstance(
            part.properties, MapOf
        ) else []  # fmt: skip
        symbol = source.scopes.symbols[part]
        for one in source.parts:
            if isinstance(one, Operation) and one.operators == ("=",) and _is_text(one.operands[1]):
                left = one.operands[0]
                if isinstance(left, Property) and isinstance(left.subject, Variable):
                    keys += [left.key] if source.scopes.uses.get(left.subject) is symbol else []
        for key in keys:
            others = [one.name for one in MODEL.node(text).properties if one.type is PropertyType.STRING]
            for other in others:
                if other not in (key.text, "id"):
                    yield source.replaced(key, other)
                    break
            for node in MODEL.nodes:
                if node.label != text and key.text in {one.name for one in node.properties}:
                    yield source.edited(Edit(label.start, label.end, node.label))
                    break


def _is_text(part: Part) -> bool:
    return isinstance(part, Constant) and part.kind == "string"


KINDS: Mapping[str, Callable[[_Source], Iterator[str]]] = {
    "direction reversed": directions,
    "hop left out": hops,
    "near-miss name": names,
    "unsupported function": functions,
    "type mismatch": types,
    "fence and prose": envelopes,
    "variable not carried": carrying,
    "whole node": whole_nodes,
    "value misplaced": misplaced,
    "price summed twice": sums,
    "denominator filtered": denominators,
    "nulls first": nulls,
    "write added": writes,
}


def inject(gold: Gold) -> Iterator[Fault]:
    """All faults of a query, by kind, each text once."""
    source = _Source(gold.cypher)
    for kind, make in KINDS.items():
        for cypher in dict.fromkeys(make(source)):
            if cypher != gold.cypher:
                yield Fault(kind, gold, cypher)
