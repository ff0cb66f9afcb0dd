"""A share divides by more than it counts: a denominator under the numerator's own condition makes every share 100 %."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cpq_graph.query.check.context import Context
from cpq_graph.query.check.facts import aggregates, aggregating, conjuncts
from cpq_graph.query.check.findings import Problem
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
    RelationshipPattern,
    SingleQuery,
    Subquery,
    Variable,
    walk,
)


@dataclass(frozen=True, slots=True)
class _Counted:
    """Rows (`what` is empty), or an expression for each of them, or each of its values once."""

    what: str = ""
    distinct: bool = False

    def same(self, other: "_Counted") -> bool:
        """Whether both count the same in the same rows, as far as a share goes."""
        if self.what and other.what:
            return self.what == other.what
        return not self.distinct and not other.distinct


@dataclass(frozen=True, slots=True)
class _Population:
    """What an aggregate counts: `counted` is what is counted, `conditions` all that its rows fulfil."""

    counted: "_Counted"
    conditions: frozenset[str]
    # The condition of a CASE inside the aggregate.
    extra: frozenset[str]


def shares(context: Context) -> Iterator[Problem]:
    """Divisions of one aggregate by another that counts the same under the same conditions."""
    if not any(isinstance(part, Operation) and "/" in part.operators for part in context.parts):
        return
    stages = _Stages(context)
    for part in context.parts:
        if isinstance(part, Operation) and "/" in part.operators:
            at = part.operators.index("/")
            above = [one for operand in part.operands[: at + 1] if (one := stages.population(operand)) is not None]
            below = stages.population(part.operands[at + 1])
            if len(above) == 1 and below is not None and _is_trivial(above[0], below):
                yield Problem(
                    f"{context.text(part)} divides by what already fulfils the condition",
                    part.start, part.end,
                    hint="Count the whole before the condition is asked, or ask it in CASE WHEN … only",
                )  # fmt: skip


def _is_trivial(above: _Population, below: _Population) -> bool:
    """Whether the numerator asks nothing that the denominator does not ask as well."""
    return above.counted.same(below.counted) and above.conditions | above.extra <= below.conditions | below.extra


@dataclass(slots=True)
class _Stages:
    context: Context

    def population(  # noqa: PLR0911 - one return a form
        self, part: Part, depth: int = 0
    ) -> _Population | None:
        """What an operand of a division counts, through aliases, conversions and factors; None when it is no count."""
        if depth > 12:
            return None
        if isinstance(part, Variable):
            symbol = self.context.scopes.uses.get(part)
            return self.population(symbol.origin, depth + 1) if symbol is not None and symbol.origin else None
        if isinstance(part, Subquery):
            return self._subquery(part)
        if isinstance(part, Call):
            found = next(aggregates(part), None)
            if found is part and part.name.text.lower() in ("count", "sum"):
                return self._aggregate(part)
            if found is None and part.arguments:
                return self.population(part.arguments[0], depth + 1)
        if isinstance(part, Operation) and part.operators[0] in ("*", "/"):
            inner = [one for operand in part.operands if not isinstance(operand, Constant)
                     and (one := self.population(operand, depth + 1)) is not None]  # fmt: skip
            return inner[0] if len(inner) == 1 else None
        return None

    def _aggregate(self, call: Call) -> _Population | None:
        query, clause = self._place(call)
        if query is None or clause is None:
            return None
        clauses = list(query.clauses[: query.clauses.index(clause)])
        begin = 0
        for index, one in enumerate(clauses):
            if isinstance(one, Project) and any(aggregating(item.expression) for item in one.items):
                begin = index + 1
        stage = clauses[begin:]
        names = self._names(stage)
        conditions = frozenset().union(*(self._conditions(one, names) for one in stage))
        counted, extra = self._counted(call, names)
        return _Population(counted, conditions, extra)

    def _subquery(self, part: Subquery) -> _Population | None:
        if part.kind != "COUNT" or len(part.query.parts) != 1:
            return None
        stage = list(part.query.parts[0].clauses)
        names = self._names(stage)
        conditions = frozenset().union(*(self._conditions(one, names) for one in stage))
        return _Population(_Counted(), conditions, frozenset())

    def _place(self, call: Call) -> tuple[SingleQuery | None, Project | None]:
        """The innermost query and projection around an aggregate."""
        query: SingleQuery | None = None
        clause: Project | None = None
        for part in self.context.parts:
            if part.start <= call.start and call.end <= part.end:
                if isinstance(part, SingleQuery):
                    query, clause = part, None
                elif isinstance(part, Project):
                    clause = part
        return query, clause

    def _names(self, stage: Sequence[Part]) -> dict[int, str]:
        """For each place of a variable, a name that does not depend on what its author called it: its label, and which
        node of that label in the stage it is."""
        scopes, context = self.context.scopes, self.context
        numbers: dict[object, str] = {}
        counts: dict[str, int] = {}
        places: dict[int, str] = {}
        for part in (inner for clause in stage for inner in walk(clause)):
            if isinstance(part, NodePattern | RelationshipPattern) and part in scopes.symbols:
                symbol = scopes.symbols[part]
                if symbol not in numbers:
                    kind = "/".join(sorted(context.labels_of(symbol))) if isinstance(part, NodePattern) else "-"
                    counts[kind] = counts.get(kind, 0) + 1
                    numbers[symbol] = f"{kind}#{counts[kind]}"
                if part.variable is not None:
                    places[part.variable.start] = numbers[symbol]
        for part in context.parts:
            if isinstance(part, Variable):
                used = scopes.uses.get(part)
                if used is not None and used in numbers:
                    places[part.start] = numbers[used]
        return places

    def _written(self, part: Part, names: dict[int, str]) -> str:
        """A part's tokens with variables under their common names."""
        return " ".join(
            names.get(token.start, token.text)
            for token in self.context.parsed.tokens
            if part.start <= token.start and token.end <= part.end and token.kind != "end"
        )

    def _conditions(self, clause: Part, names: dict[int, str]) -> frozenset[str]:
        found: set[str] = set()
        if isinstance(clause, Match | Project):
            found |= {self._written(one, names) for one in conjuncts(clause.where)}
        if isinstance(clause, Match):
            for path in clause.paths:
                found |= self._pattern(path, names)
        return frozenset(found)

    def _pattern(self, path: Path, names: dict[int, str]) -> set[str]:
        found: set[str] = set()
        for element in path.elements:
            if isinstance(element, NodePattern) and isinstance(element.properties, MapOf):
                symbol = self.context.scopes.symbols[element]
                owner = "/".join(sorted(self.context.labels_of(symbol)))
                found |= {f"{owner} {self._written(entry, names)}" for entry in element.properties.entries}
            if isinstance(element, RelationshipPattern) and element.types is not None:
                found.add(self._written(element.types, names))
        return found

    def _counted(self, call: Call, names: dict[int, str]) -> tuple[_Counted, frozenset[str]]:
        """What is counted, and the condition of a CASE around it: count(CASE WHEN c THEN x END) counts x under c."""
        if call.star:
            return _Counted(), frozenset()
        argument = call.arguments[0]
        conditions: frozenset[str] = frozenset()
        if isinstance(argument, Case) and argument.subject is None and len(argument.conditions) == 1:
            conditions = frozenset(self._written(one, names) for one in conjuncts(argument.conditions[0]))
            argument = argument.results[0]
        if isinstance(argument, Constant):
            return _Counted(), conditions
        added = "sum " if call.name.text.lower() == "sum" else ""
        return _Counted(f"{added}{self._written(argument, names)}", call.distinct), conditions
