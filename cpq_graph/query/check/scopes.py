"""A syntax tree in, `Scopes` out: which symbol each variable means, where, and which variables mean nothing.

Follows Cypher's rules: WITH hides what it does not carry; CALL { } sees only what it imports; EXISTS, COUNT and COLLECT
see all around them and keep what they bind; comprehensions, quantifiers and reduce bind for themselves; a name bound
inside a quantified group is a list outside of it.
"""

from dataclasses import dataclass, field
from typing import Literal

from cpq_graph.query.check.facts import conjuncts
from cpq_graph.query.check.tree import (
    Call,
    CallProcedure,
    CallSubquery,
    Clause,
    Comprehension,
    Entry,
    Group,
    HasLabel,
    Index,
    Item,
    LabelExpression,
    Match,
    Name,
    NodePattern,
    OrderLimit,
    Part,
    Path,
    PatternComprehension,
    PatternExpression,
    Project,
    Query,
    Reduce,
    RelationshipPattern,
    SingleQuery,
    Subquery,
    Unwind,
    Variable,
    children,
)

Kind = Literal["node", "relationship", "path", "list", "value"]


@dataclass(slots=True, eq=False)
class Symbol:
    """One thing that names in the query stand for. `origin` is the expression it was computed by, `element` what a list
    is a list of, `like` what it was taken from (UNWIND of collected nodes); `tests` are labels that WHERE demands."""

    name: str
    kind: Kind
    origin: Part | None = None
    element: "Symbol | None" = None
    like: "Symbol | None" = None
    patterns: list[NodePattern | RelationshipPattern] = field(default_factory=list)
    tests: list[LabelExpression] = field(default_factory=list)

    @property
    def root(self) -> "Symbol":
        """The symbol it shares its labels with."""
        symbol = self
        while symbol.like is not None:
            symbol = symbol.like
        return symbol


Names = dict[str, Symbol]


@dataclass(frozen=True, slots=True)
class Undefined:
    """A variable that means nothing where it stands: `visible` does, `dropped_by` is the WITH that hid it."""

    variable: Variable
    visible: Names
    dropped_by: Project | None


@dataclass(slots=True, eq=False)
class Region:
    """Patterns that must hold together; those of a subquery hold within those `around` it."""

    around: "Region | None"
    paths: list[Path] = field(default_factory=list)


@dataclass(slots=True)
class Scopes:
    """What the analysis learned. `before` and `after` are the names visible around a clause."""

    uses: dict[Variable, Symbol] = field(default_factory=dict)
    symbols: dict[Part, Symbol] = field(default_factory=dict)
    undefined: list[Undefined] = field(default_factory=list)
    introduced: list[tuple[PatternExpression, Name]] = field(default_factory=list)
    regions: list[Region] = field(default_factory=list)
    before: dict[Part, Names] = field(default_factory=dict)
    after: dict[Part, Names] = field(default_factory=dict)


def analyse(query: Query) -> Scopes:
    """The scopes of a whole statement."""
    scopes = Scopes()
    region = Region(None)
    scopes.regions.append(region)
    _Walk(scopes).query(query, _Scope({}, {}, region))
    return scopes


@dataclass(slots=True)
class _Scope:
    """Names in force at a point of the walk; replaced, never changed, so that snapshots stay true."""

    names: Names
    dropped: dict[str, Project]
    region: Region

    def bind(self, name: str, symbol: Symbol) -> None:
        self.names = {**self.names, name: symbol}

    def inner(self, region: Region | None = None) -> "_Scope":
        return _Scope(self.names, self.dropped, region or self.region)


@dataclass(slots=True)
class _Walk:
    scopes: Scopes

    # --- clauses

    def query(self, query: Query, scope: _Scope, outer: Names | None = None) -> Names:
        """Walks a query; returns the names its RETURN gives. `outer` is what an importing WITH may take from."""
        given: Names = {}
        for index, part in enumerate(query.parts):
            branch = scope.inner(scope.region if index == 0 else self._region(scope.region.around))
            given = self._single(part, branch, outer)
        return given

    def _region(self, around: Region | None) -> Region:
        region = Region(around)
        self.scopes.regions.append(region)
        return region

    def _single(self, part: SingleQuery, scope: _Scope, outer: Names | None) -> Names:
        returned: Names = {}
        for index, clause in enumerate(part.clauses):
            self.scopes.before[clause] = scope.names
            if index == 0 and outer is not None and isinstance(clause, Project) and clause.keyword.text == "WITH":
                scope.names = outer
                self._project(clause, scope)
            else:
                self._clause(clause, scope)
            self.scopes.after[clause] = scope.names
            returned = scope.names if isinstance(clause, Project) and clause.keyword.text == "RETURN" else {}
        return returned

    def _clause(self, clause: Clause, scope: _Scope) -> None:
        if isinstance(clause, Match):
            self._match(clause, scope)
        elif isinstance(clause, Project):
            self._project(clause, scope)
        elif isinstance(clause, Unwind):
            self.expression(clause.source, scope)
            scope.bind(clause.variable.text, self._element(clause.variable, clause.source))
        elif isinstance(clause, OrderLimit):
            for part in children(clause):
                self.expression(part, scope)
        elif isinstance(clause, CallProcedure):
            self._procedure(clause, scope)
        elif isinstance(clause, CallSubquery):
            self._call(clause, scope)

    def _match(self, clause: Match, scope: _Scope) -> None:
        for path in clause.paths:
            scope.region.paths.append(path)
            self._bind(path, scope)
        for path in clause.paths:
            self._inside(path, scope)
        if clause.where is not None:
            self.expression(clause.where, scope)
            for condition in conjuncts(clause.where):
                if isinstance(condition, HasLabel) and isinstance(condition.subject, Variable):
                    symbol = self.scopes.uses.get(condition.subject)
                    if symbol is not None and symbol.kind != "relationship":
                        symbol.tests.append(condition.labels)

    def _project(self, clause: Project, scope: _Scope) -> None:
        given: Names = dict(scope.names) if clause.star else {}
        for item in clause.items:
            self.expression(item.expression, scope)
            symbol = self.symbol_of(item)
            self.scopes.symbols[item] = symbol
            name = item.alias.text if item.alias is not None else None
            if name is None and isinstance(item.expression, Variable):
                name = item.expression.name
            if name is not None:
                given[name] = symbol
        behind = scope.inner()
        behind.names = {**scope.names, **given}
        for sort in clause.order:
            self.expression(sort.expression, behind)
        for part in (clause.skip, clause.limit, clause.where):
            if part is not None:
                self.expression(part, behind)
        hidden = {name: clause for name in scope.names if name not in given}
        scope.dropped = {name: by for name, by in {**scope.dropped, **hidden}.items() if name not in given}
        scope.names = given

    def symbol_of(self, item: Item) -> Symbol:
        """What an item of a projection stands for: a variable's own symbol, or a new value."""
        value = item.expression
        if isinstance(value, Variable) and value in self.scopes.uses:
            return self.scopes.uses[value]
        name = item.alias.text if item.alias is not None else ""
        element = self._listed(value)
        if element is not None:
            return Symbol(name, "list", value, element)
        picked = self._picked(value)
        if picked is not None:
            return Symbol(name, picked.kind, value, like=picked)
        return Symbol(name, "value", value)

    def _listed(self, value: Part) -> Symbol | None:
        """What `collect(x)`, or a variable that stands for it, is a list of."""
        if isinstance(value, Call) and value.name.text.lower() == "collect" and len(value.arguments) == 1:
            inner = value.arguments[0]
            symbol = self.scopes.uses.get(inner) if isinstance(inner, Variable) else None
            return symbol if symbol is not None and symbol.kind in ("node", "relationship") else None
        if isinstance(value, Variable):
            symbol = self.scopes.uses.get(value)
            return symbol.element if symbol is not None else None
        if isinstance(value, Index) and value.slice:
            return self._listed(value.subject)
        return None

    def _picked(self, value: Part) -> Symbol | None:
        """What `head(collect(x))` or `list[0]` picks from."""
        if isinstance(value, Call) and value.name.text.lower() in ("head", "last") and len(value.arguments) == 1:
            return self._listed(value.arguments[0])
        if isinstance(value, Index) and not value.slice:
            return self._listed(value.subject)
        return None

    def _element(self, variable: Name, source: Part) -> Symbol:
        element = self._listed(source)
        if element is None:
            return Symbol(variable.text, "value")
        return Symbol(variable.text, element.kind, like=element)

    def _procedure(self, clause: CallProcedure, scope: _Scope) -> None:
        for argument in clause.arguments:
            self.expression(argument, scope)
        for item in clause.yields:
            name = item.alias or item.expression
            text = name.text if isinstance(name, Name) else clause_name(item)
            symbol = Symbol(text, "node" if clause_name(item) == "node" else "value")
            self.scopes.symbols[item] = symbol
            scope.bind(text, symbol)
        if clause.where is not None:
            self.expression(clause.where, scope)

    def _call(self, clause: CallSubquery, scope: _Scope) -> None:
        imported: Names = scope.names if clause.star else {}
        for variable in clause.imports or ():
            self.expression(variable, scope)
            if variable in self.scopes.uses:
                imported = {**imported, variable.name: self.scopes.uses[variable]}
        dropped = dict(scope.dropped)
        inner = _Scope(imported, dropped, scope.region)
        given = self.query(clause.query, inner, scope.names if clause.imports is None and not clause.star else None)
        scope.names = {**scope.names, **given}

    # --- patterns

    def _bind(self, path: Path, scope: _Scope, expression: PatternExpression | None = None) -> None:
        """Gives every node and relationship of a path its symbol; in an `expression` nothing new may be named."""
        if path.variable is not None:
            scope.bind(path.variable.text, Symbol(path.variable.text, "path"))
        for element in path.elements:
            if isinstance(element, Group):
                inside = scope.inner()
                self._bind(element.path, inside)
                for name, inner in inside.names.items():
                    if name not in scope.names:
                        scope.bind(name, Symbol(name, "list", element=inner))
                continue
            symbol = scope.names.get(element.variable.text) if element.variable is not None else None
            if symbol is None:
                name = element.variable.text if element.variable is not None else ""
                kind: Kind = "node" if isinstance(element, NodePattern) else "relationship"
                if isinstance(element, RelationshipPattern) and element.repeated is not None:
                    kind = "list"
                symbol = Symbol(name, kind)
                if element.variable is not None:
                    scope.bind(name, symbol)
                    if expression is not None:
                        self.scopes.introduced.append((expression, element.variable))
            elif symbol.kind == "value":
                symbol.kind = "node" if isinstance(element, NodePattern) else "relationship"
            symbol.patterns.append(element)
            self.scopes.symbols[element] = symbol

    def _inside(self, path: Path, scope: _Scope) -> None:
        """Walks the property maps and conditions inside a path."""
        for element in path.elements:
            if isinstance(element, Group):
                inside = scope.inner()
                inside.names = {**scope.names, **self._within(element)}
                self._inside(element.path, inside)
                if element.where is not None:
                    self.expression(element.where, inside)
                continue
            for part in (element.properties, element.where):
                if part is not None:
                    self.expression(part, scope)
            labels = element.labels if isinstance(element, NodePattern) else element.types
            if labels is not None:
                self.expression(labels, scope)

    def _within(self, group: Group) -> Names:
        """The names bound inside a group, as single things."""
        names: Names = {}
        for element in group.path.elements:
            if isinstance(element, Group):
                names.update({name: Symbol(name, "list") for name in self._within(element)})
            elif element.variable is not None:
                names[element.variable.text] = self.scopes.symbols[element]
        return names

    # --- expressions

    def expression(self, part: Part, scope: _Scope) -> None:  # noqa: PLR0912 - one branch a form
        """Resolves every variable in an expression."""
        if isinstance(part, Variable):
            self._variable(part, scope)
        elif isinstance(part, Comprehension):
            self.expression(part.source, scope)
            inner = scope.inner()
            inner.bind(part.variable.text, self._element(part.variable, part.source))
            for body in (part.where, part.result):
                if body is not None:
                    self.expression(body, inner)
        elif isinstance(part, Reduce):
            self.expression(part.initial, scope)
            self.expression(part.source, scope)
            inner = scope.inner()
            inner.bind(part.total.text, Symbol(part.total.text, "value"))
            inner.bind(part.variable.text, self._element(part.variable, part.source))
            self.expression(part.step, inner)
        elif isinstance(part, PatternComprehension):
            inner = self._pattern(part.path, scope, None)
            for body in (part.where, part.result):
                if body is not None:
                    self.expression(body, inner)
        elif isinstance(part, PatternExpression):
            self._pattern(part.path, scope, part)
        elif isinstance(part, Subquery):
            self.query(part.query, scope.inner(self._region(scope.region)))
        elif isinstance(part, Entry):
            self.expression(part.value, scope)
        else:
            for child in children(part):
                self.expression(child, scope)

    def _pattern(self, path: Path, scope: _Scope, expression: PatternExpression | None) -> _Scope:
        inner = scope.inner(self._region(scope.region))
        inner.region.paths.append(path)
        self._bind(path, inner, expression)
        self._inside(path, inner)
        return inner

    def _variable(self, variable: Variable, scope: _Scope) -> None:
        symbol = scope.names.get(variable.name)
        if symbol is not None:
            self.scopes.uses[variable] = symbol
        else:
            self.scopes.undefined.append(Undefined(variable, scope.names, scope.dropped.get(variable.name)))


def clause_name(item: Item) -> str:
    """The column that an item of YIELD takes."""
    return item.expression.name if isinstance(item.expression, Variable) else ""
