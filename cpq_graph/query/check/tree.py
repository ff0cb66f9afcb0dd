"""The syntax tree of a query. Every part knows its place in the source: `start` and `end` count characters.

Parts compare by identity, so that they can be keys: `Scopes` and the rules hang what they learn on them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Literal


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Any piece of a query."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, eq=False)
class Name(Part):
    """A label, type, property, variable or alias as it stands in the source, without back-ticks."""

    text: str


# --- expressions


@dataclass(frozen=True, slots=True, eq=False)
class Constant(Part):
    """A number, string, boolean or null."""

    kind: Literal["number", "string", "boolean", "null"]
    value: str


@dataclass(frozen=True, slots=True, eq=False)
class Parameter(Part):
    """`$name`."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Variable(Part):
    """A use of a variable."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Property(Part):
    """`subject.key`."""

    subject: Part
    key: Name


@dataclass(frozen=True, slots=True, eq=False)
class Index(Part):
    """`subject[at]`, or the slice `subject[at..to]`."""

    subject: Part
    at: Part | None
    to: Part | None
    slice: bool


@dataclass(frozen=True, slots=True, eq=False)
class Call(Part):
    """A function call. `name` is as written; `star` is count(*)'s."""

    name: Name
    arguments: tuple[Part, ...]
    distinct: bool = False
    star: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Operation(Part):
    """Operands with an operator between each two; all of one precedence: `a + b - c`, `1 < x <= 3`, `p AND q`."""

    operators: tuple[str, ...]
    operands: tuple[Part, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Unary(Part):
    """`NOT x`, `-x`, `x IS NULL`, `x IS NOT NULL`, `x IS :: TYPE` (the operator is the text)."""

    operator: str
    operand: Part


@dataclass(frozen=True, slots=True, eq=False)
class HasLabel(Part):
    """`n:Label` as a condition."""

    subject: Part
    labels: "LabelExpression"


@dataclass(frozen=True, slots=True, eq=False)
class ListOf(Part):
    """`[a, b]`."""

    items: tuple[Part, ...]


@dataclass(frozen=True, slots=True, eq=False)
class MapOf(Part):
    """`{key: value}`."""

    entries: tuple["Entry", ...]


@dataclass(frozen=True, slots=True, eq=False)
class Entry(Part):
    """A pair of a map."""

    key: Name
    value: Part


@dataclass(frozen=True, slots=True, eq=False)
class Projection(Part):
    """`n {.name, .*, other: 1, x}`."""

    subject: Part
    properties: tuple[Name, ...]
    entries: tuple[Entry, ...]
    variables: tuple[Variable, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Case(Part):
    """CASE, with a subject or without."""

    subject: Part | None
    conditions: tuple[Part, ...]
    results: tuple[Part, ...]
    otherwise: Part | None


@dataclass(frozen=True, slots=True, eq=False)
class Comprehension(Part):
    """`[x IN list WHERE … | …]`, and ALL, ANY, NONE, SINGLE (x IN list WHERE …) by `quantifier`."""

    quantifier: str | None
    variable: Name
    source: Part
    where: Part | None
    result: Part | None


@dataclass(frozen=True, slots=True, eq=False)
class Reduce(Part):
    """`reduce(total = 0, x IN list | total + x)`."""

    total: Name
    initial: Part
    variable: Name
    source: Part
    step: Part


@dataclass(frozen=True, slots=True, eq=False)
class PatternComprehension(Part):
    """`[p = (a)-->(b) WHERE … | …]`."""

    path: "Path"
    where: Part | None
    result: Part


@dataclass(frozen=True, slots=True, eq=False)
class PatternExpression(Part):
    """A pattern as a condition or, in shortestPath(…), as a value."""

    path: "Path"


@dataclass(frozen=True, slots=True, eq=False)
class Subquery(Part):
    """EXISTS, COUNT or COLLECT { … }."""

    kind: Literal["EXISTS", "COUNT", "COLLECT"]
    query: "Query"


# --- labels and patterns


@dataclass(frozen=True, slots=True, eq=False)
class LabelExpression(Part):
    """`A&!(B|C)`: `operator` is "name", "any" (%), "not", "and", "or" or "dynamic" ($(…))."""

    operator: Literal["name", "any", "not", "and", "or", "dynamic"]
    name: Name | None = None
    operands: tuple["LabelExpression", ...] = ()
    dynamic: Part | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Length(Part):
    """How often: `*1..3`, `+`, `{2,}`. `most` None is without end."""

    least: int
    most: int | None


@dataclass(frozen=True, slots=True, eq=False)
class NodePattern(Part):
    """`(n:Label {key: value} WHERE …)`."""

    variable: Name | None
    labels: LabelExpression | None
    properties: Part | None
    where: Part | None


@dataclass(frozen=True, slots=True, eq=False)
class RelationshipPattern(Part):
    """`<-[r:TYPE*1..2 {key: value} WHERE …]-`. `left` and `right` are the spans of the arrow's heads, `details` that of
    the bracket; `quantifier` is what stands after the arrow."""

    variable: Name | None
    types: LabelExpression | None
    length: Length | None
    properties: Part | None
    where: Part | None
    left: Part | None
    right: Part | None
    details: Part | None
    quantifier: Length | None

    @property
    def repeated(self) -> Length | None:
        """Its length when it may be other than one."""
        return self.length or self.quantifier


@dataclass(frozen=True, slots=True, eq=False)
class Group(Part):
    """`((a)-->(b) WHERE …){1,3}`."""

    path: "Path"
    where: Part | None
    quantifier: Length | None


@dataclass(frozen=True, slots=True, eq=False)
class Path(Part):
    """Nodes, relationships and groups in turn. `function` is shortestPath or allShortestPaths, `selector` e.g. ANY."""

    variable: Name | None
    elements: tuple[NodePattern | RelationshipPattern | Group, ...]
    function: str | None = None
    selector: str | None = None


# --- clauses


@dataclass(frozen=True, slots=True, eq=False)
class Match(Part):
    """MATCH or OPTIONAL MATCH."""

    optional: bool
    paths: tuple[Path, ...]
    where: Part | None


@dataclass(frozen=True, slots=True, eq=False)
class Unwind(Part):
    """UNWIND list AS x."""

    source: Part
    variable: Name


@dataclass(frozen=True, slots=True, eq=False)
class Item(Part):
    """An item of WITH or RETURN."""

    expression: Part
    alias: Name | None


@dataclass(frozen=True, slots=True, eq=False)
class Sort(Part):
    """A key of ORDER BY."""

    expression: Part
    descending: bool


@dataclass(frozen=True, slots=True, eq=False)
class Project(Part):
    """WITH or RETURN (`keyword`), with ORDER BY, SKIP, LIMIT, and WITH's WHERE. `star` is WITH * / RETURN *."""

    keyword: Name
    distinct: bool
    star: bool
    items: tuple[Item, ...]
    order: tuple[Sort, ...]
    skip: Part | None
    limit: Part | None
    where: Part | None


@dataclass(frozen=True, slots=True, eq=False)
class OrderLimit(Part):
    """ORDER BY, SKIP or LIMIT as a clause of its own."""

    order: tuple[Sort, ...]
    skip: Part | None
    limit: Part | None


@dataclass(frozen=True, slots=True, eq=False)
class CallProcedure(Part):
    """CALL name(arguments) YIELD column AS alias. `yields` holds (column, alias) as items."""

    name: Name
    arguments: tuple[Part, ...]
    yields: tuple[Item, ...]
    yield_all: bool
    where: Part | None


@dataclass(frozen=True, slots=True, eq=False)
class CallSubquery(Part):
    """CALL (imports) { … }. `imports` None: the old form, with an importing WITH or none; `star`: CALL (*) { … }."""

    imports: tuple[Variable, ...] | None
    star: bool
    query: "Query"
    in_transactions: bool


@dataclass(frozen=True, slots=True, eq=False)
class Finish(Part):
    """FINISH: returns nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Forbidden(Part):
    """A clause that a read never needs: `keyword` says which. What follows it up to the next clause is skipped."""

    keyword: str


Clause = Match | Unwind | Project | OrderLimit | CallProcedure | CallSubquery | Finish | Forbidden


@dataclass(frozen=True, slots=True, eq=False)
class SingleQuery(Part):
    """Clauses in order."""

    clauses: tuple[Clause, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Query(Part):
    """Single queries joined by UNION; `pattern` is True where a subquery is a bare pattern with WHERE."""

    parts: tuple[SingleQuery, ...]
    pattern: bool = False


_NAMES: dict[type, tuple[str, ...]] = {}


def children(part: Part) -> Iterator[Part]:
    """The parts directly below, in the order of their fields."""
    kind = type(part)
    names = _NAMES.get(kind)
    if names is None:
        plain = {"int", "str", "bool", int, str, bool}
        names = tuple(field.name for field in fields(kind) if field.type not in plain)
        _NAMES[kind] = names
    for name in names:
        value = getattr(part, name)
        if isinstance(value, Part):
            yield value
        elif isinstance(value, tuple):
            for item in value:
                if isinstance(item, Part):
                    yield item


def walk(part: Part) -> Iterator[Part]:
    """The part and all below it, outer ones first, in the order of the source."""
    stack = [part]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(reversed(list(children(current))))
