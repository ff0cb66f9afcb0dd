"""Reads clauses and whole queries from tokens. Clauses that a read never needs are stepped over as `Forbidden`."""

from collections.abc import Sequence

from cpq_graph.query.check import expressions, patterns
from cpq_graph.query.check.cursor import Cursor
from cpq_graph.query.check.facts import aggregating
from cpq_graph.query.check.findings import Edit
from cpq_graph.query.check.tree import (
    CallProcedure,
    CallSubquery,
    Clause,
    Finish,
    Forbidden,
    Item,
    Match,
    Name,
    OrderLimit,
    Part,
    Project,
    Query,
    SingleQuery,
    Sort,
    Unwind,
    Variable,
)

READ_CLAUSES = frozenset(
    {"MATCH", "OPTIONAL", "UNWIND", "WITH", "RETURN", "CALL", "UNION", "ORDER", "SKIP", "LIMIT", "FINISH"}
)
# Everything else that a statement or clause of Neo4j's begins with; a word outside of both sets is a syntax error.
FORBIDDEN_CLAUSES = frozenset(
    [
        "CREATE",
        "MERGE",
        "SET",
        "REMOVE",
        "DELETE",
        "DETACH",
        "NODETACH",
        "FOREACH",
        "LOAD",
        "INSERT",
        "DROP",
        "ALTER",
        "SHOW",
        "TERMINATE",
        "GRANT",
        "DENY",
        "REVOKE",
        "START",
        "STOP",
        "RENAME",
        "ENABLE",
        "DEALLOCATE",
        "REALLOCATE",
        "DRYRUN",
        "USE",
        "USING",
        "LET",
        "FILTER",
        "PERIODIC",
        "CYPHER",
        "BEGIN",
        "COMMIT",
        "ROLLBACK",
        "ADD",
    ]
)


def statement(cursor: Cursor) -> Query:
    """The whole text: one query, and nothing behind it but a semicolon."""
    if cursor.word("EXPLAIN", "PROFILE"):
        prefix = cursor.advance()
        following = cursor.token.start
        cursor.deviate(
            f"{prefix.value} shows a plan instead of an answer",
            prefix.start,
            prefix.end,
            Edit(prefix.start, following, ""),
        )
    query = _query(cursor, until="")
    cursor.accept(";")
    if cursor.token.kind != "end":
        raise cursor.failure("Only one statement is allowed")
    return query


def braced_query(cursor: Cursor, *, allow_pattern: bool) -> tuple[Query, int]:
    """`{ query }`, or in EXISTS and COUNT `{ pattern WHERE … }`; and where it ends."""
    cursor.deeper()
    cursor.expect("{", "to open the subquery")
    if allow_pattern and _starts_pattern(cursor):
        paths = patterns.pattern_list(cursor)
        where = _where(cursor)
        match = Match(paths[0].start, cursor.last_end, False, paths, where)
        query = Query(match.start, match.end, (SingleQuery(match.start, match.end, (match,)),), pattern=True)
    else:
        query = _query(cursor, until="}")
    end = cursor.expect("}", "to close the subquery").end
    cursor.depth -= 1
    return query, end


def _starts_pattern(cursor: Cursor) -> bool:
    if cursor.at("("):
        return True
    if cursor.token.kind in ("word", "name") and cursor.peek().value == "=":
        return True
    return cursor.word("SHORTESTPATH", "ALLSHORTESTPATHS", "ANY", "ALL", "SHORTEST")


def _query(cursor: Cursor, until: str) -> Query:
    parts = [_single(cursor, until)]
    while cursor.word("UNION"):
        cursor.advance()
        if cursor.word("ALL", "DISTINCT"):
            cursor.advance()
        parts.append(_single(cursor, until))
    return Query(parts[0].start, parts[-1].end, tuple(parts))


def _single(cursor: Cursor, until: str) -> SingleQuery:
    start = cursor.token.start
    found: list[Clause] = []
    while not (cursor.token.kind == "end" or cursor.word("UNION") or cursor.at(";") or (until and cursor.at(until))):
        if cursor.word("GROUP") and cursor.peek().value == "BY" and found:
            _sql_group_by(cursor)
        else:
            found.append(_clause(cursor))
    if not found:
        raise cursor.failure("A clause such as MATCH is missing")
    return SingleQuery(start, cursor.last_end, tuple(found))


def _clause(cursor: Cursor) -> Clause:
    token = cursor.token
    if token.kind != "word":
        raise cursor.failure("A clause such as MATCH or RETURN is missing")
    if token.value == "OPTIONAL" and cursor.peek().value == "CALL":
        cursor.advance()
    reader = _READERS.get(cursor.token.value)
    if reader is not None:
        return reader(cursor)
    if token.value in FORBIDDEN_CLAUSES:
        return _forbidden(cursor)
    raise cursor.failure("A clause such as MATCH or RETURN is missing")


def _forbidden(cursor: Cursor) -> Clause:
    """Steps to the next clause at the same depth, so that what follows is checked too."""
    first = cursor.advance()
    depth = 0
    while cursor.token.kind != "end":
        token = cursor.token
        if token.kind == "op":
            if depth == 0 and token.value in ("}", ";"):
                break
            depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(token.value, 0)
        elif depth == 0 and token.kind == "word" and token.value in READ_CLAUSES | FORBIDDEN_CLAUSES:
            break
        cursor.advance()
    return Forbidden(first.start, cursor.last_end, first.value)


def _match(cursor: Cursor) -> Clause:
    start = cursor.token.start
    optional = cursor.accept_word("OPTIONAL")
    cursor.expect_word("MATCH", "after OPTIONAL")
    if cursor.word("REPEATABLE", "DIFFERENT") and cursor.peek().value in (
        "ELEMENT", "ELEMENTS", "RELATIONSHIP", "RELATIONSHIPS",
    ):  # fmt: skip
        cursor.advance()
        cursor.advance()
        if cursor.word("BINDINGS"):
            cursor.advance()
    paths = patterns.pattern_list(cursor)
    while cursor.word("USING"):
        _hint(cursor)
    where = _where(cursor)
    return Match(start, cursor.last_end, optional, paths, where)


def _hint(cursor: Cursor) -> None:
    """USING INDEX n:Label(property), USING SCAN n:Label, USING JOIN ON n."""
    cursor.advance()
    if not cursor.word("INDEX", "SCAN", "JOIN", "RANGE", "TEXT", "POINT"):
        raise cursor.failure("INDEX, SCAN or JOIN is missing after USING")
    while (cursor.token.kind in ("word", "name") and not cursor.word("WHERE", "USING", *READ_CLAUSES)) or cursor.at(
        ":"
    ):
        cursor.advance()
    if cursor.accept("("):
        while not cursor.at(")"):
            cursor.advance()
            if cursor.token.kind == "end":
                raise cursor.failure("')' is missing in the hint")
        cursor.advance()
    while cursor.accept(","):
        cursor.name("A name")


def _where(cursor: Cursor) -> Part | None:
    return expressions.expression(cursor) if cursor.accept_word("WHERE") else None


def _unwind(cursor: Cursor) -> Clause:
    start = cursor.advance().start
    source = expressions.expression(cursor)
    cursor.expect_word("AS", "in UNWIND … AS …")
    variable = cursor.name("The variable")
    return Unwind(start, variable.end, source, variable)


def _project(cursor: Cursor) -> Clause:
    keyword = cursor.advance()
    distinct = cursor.word("DISTINCT") and not (cursor.peek().kind == "op" and cursor.peek().value in (",", "."))
    if distinct or (cursor.word("ALL") and cursor.peek().kind in ("word", "name")):
        cursor.advance()
    star = cursor.accept("*")
    items: list[Item] = []
    if not star or cursor.accept(","):
        items.append(_item(cursor))
        while cursor.accept(","):
            items.append(_item(cursor))
    if cursor.word("GROUP") and cursor.peek().value == "BY":
        _sql_group_by(cursor, items)
    order, skip, limit = _order_limit(cursor)
    where = _where(cursor) if keyword.value == "WITH" else None
    name = Name(keyword.start, keyword.end, keyword.value)
    return Project(keyword.start, cursor.last_end, name, distinct, star, tuple(items), order, skip, limit, where)


def _item(cursor: Cursor) -> Item:
    value = expressions.expression(cursor)
    alias = cursor.name("The alias") if cursor.accept_word("AS") else None
    return Item(value.start, cursor.last_end, value, alias)


def _sql_group_by(cursor: Cursor, items: Sequence[Item] = ()) -> None:
    """Cypher groups by what is not aggregated; SQL's GROUP BY says nothing more when it names just that."""
    before = cursor.last_end
    start = cursor.advance().start
    cursor.advance()
    keys = [expressions.expression(cursor)]
    while cursor.accept(","):
        keys.append(expressions.expression(cursor))
    plain = [item for item in items if not aggregating(item.expression)]
    named = {cursor.source[item.expression.start : item.expression.end] for item in plain}
    named |= {item.alias.text for item in plain if item.alias is not None}
    same = len(plain) < len(items) and {cursor.source[key.start : key.end] for key in keys} <= named
    covered = same and len(keys) == len(plain)
    cursor.deviate(
        "Cypher has no GROUP BY: it groups by the items that are not aggregated",
        start,
        cursor.last_end,
        *((Edit(before, cursor.last_end, ""),) if covered else ()),
        hint="Return just what is to be grouped by, beside the aggregates",
    )
    if cursor.word("HAVING"):
        having = cursor.advance()
        expressions.expression(cursor)
        cursor.deviate(
            "Cypher has no HAVING", having.start, cursor.last_end, hint="Aggregate in WITH and filter with its WHERE"
        )


def _order_limit(cursor: Cursor) -> tuple[tuple[Sort, ...], Part | None, Part | None]:
    order: list[Sort] = []
    skip = limit = None
    if cursor.words("ORDER", "BY"):
        cursor.advance()
        cursor.advance()
        order.append(_sort(cursor))
        while cursor.accept(","):
            order.append(_sort(cursor))
    if cursor.word("SKIP", "OFFSET"):
        cursor.advance()
        skip = expressions.expression(cursor)
    if cursor.accept_word("LIMIT"):
        limit = expressions.expression(cursor)
    return tuple(order), skip, limit


def _sort(cursor: Cursor) -> Sort:
    value = expressions.expression(cursor)
    descending = cursor.word("DESC", "DESCENDING")
    if descending or cursor.word("ASC", "ASCENDING"):
        cursor.advance()
    end = cursor.last_end
    if cursor.word("NULLS") and cursor.peek().value in ("FIRST", "LAST"):
        first = cursor.peek().value == "FIRST"
        cursor.advance()
        cursor.advance()
        edits = [Edit(end, cursor.last_end, "")]
        if first != descending:  # descending has nulls first, ascending last, by itself
            test = "IS NOT NULL" if first else "IS NULL"
            edits.insert(0, Edit(value.start, value.start, f"{cursor.source[value.start : value.end]} {test}, "))
        cursor.deviate("Cypher 5 has no NULLS FIRST or LAST", end, cursor.last_end, *edits)
    return Sort(value.start, end, value, descending)


def _alone(cursor: Cursor) -> Clause:
    start = cursor.token.start
    order, skip, limit = _order_limit(cursor)
    if cursor.token.start == start:
        raise cursor.failure("BY is missing after ORDER")
    return OrderLimit(start, cursor.last_end, order, skip, limit)


def _call(cursor: Cursor) -> Clause:
    start = cursor.advance().start
    if cursor.at("(", "{"):
        return _call_subquery(cursor, start)
    pieces = [cursor.name("The procedure's name")]
    while cursor.accept("."):
        pieces.append(cursor.name("The procedure's name"))
    name = Name(pieces[0].start, pieces[-1].end, ".".join(piece.text for piece in pieces))
    arguments: list[Part] = []
    if cursor.accept("("):
        while not cursor.at(")"):
            arguments.append(expressions.expression(cursor))
            if not cursor.accept(","):
                break
        cursor.expect(")", f"to close {name.text}(…)")
    yields: list[Item] = []
    every, where = False, None
    if cursor.accept_word("YIELD"):
        every = cursor.accept("*")
        while not every:
            column = cursor.name("The column")
            alias = cursor.name("The alias") if cursor.accept_word("AS") else None
            variable = Variable(column.start, column.end, column.text)
            yields.append(Item(column.start, cursor.last_end, variable, alias))
            if not cursor.accept(","):
                break
        where = _where(cursor)
    return CallProcedure(start, cursor.last_end, name, tuple(arguments), tuple(yields), every, where)


def _call_subquery(cursor: Cursor, start: int) -> Clause:
    imports: list[Variable] | None = None
    star = False
    if cursor.accept("("):
        imports = []
        star = cursor.accept("*")
        while not cursor.at(")"):
            name = cursor.name("The variable")
            imports.append(Variable(name.start, name.end, name.text))
            if not cursor.accept(","):
                break
        cursor.expect(")", "to close the imports")
    query, _ = braced_query(cursor, allow_pattern=False)
    in_transactions = cursor.word("IN")
    if in_transactions:
        while cursor.token.kind in ("word", "number", "parameter") and not cursor.word(*READ_CLAUSES):
            cursor.advance()
    found = None if imports is None else tuple(imports)
    return CallSubquery(start, cursor.last_end, found, star, query, in_transactions)


def _finish(cursor: Cursor) -> Clause:
    token = cursor.advance()
    return Finish(token.start, token.end)


_READERS = {
    "MATCH": _match,
    "OPTIONAL": _match,
    "UNWIND": _unwind,
    "WITH": _project,
    "RETURN": _project,
    "CALL": _call,
    "ORDER": _alone,
    "SKIP": _alone,
    "OFFSET": _alone,
    "LIMIT": _alone,
    "FINISH": _finish,
}
