"""Reads the atoms of expressions: literals, names, calls, brackets, lists, maps, CASE, comprehensions, subqueries."""

from dataclasses import replace

from cpq_graph.query.check import clauses, expressions, foreign, patterns
from cpq_graph.query.check.cursor import Cursor
from cpq_graph.query.check.findings import Edit
from cpq_graph.query.check.tokens import CypherSyntaxError
from cpq_graph.query.check.tree import (
    Call,
    Case,
    Comprehension,
    Constant,
    Entry,
    ListOf,
    MapOf,
    Name,
    Parameter,
    Part,
    PatternComprehension,
    PatternExpression,
    Projection,
    Reduce,
    Subquery,
    Variable,
)

_QUANTIFIERS = {"ALL", "ANY", "NONE", "SINGLE"}
_NOT_OPERANDS = {"MATCH", "RETURN", "WHERE", "UNWIND", "AND", "OR", "XOR", "THEN", "WHEN", "ELSE", "AS", "LIMIT"}


def atom(cursor: Cursor) -> Part:
    """What no operator joins: a literal, a name, a call, a bracketed part, CASE, a subquery."""
    token = cursor.token
    if token.kind == "number":
        cursor.advance()
        return Constant(token.start, token.end, "number", token.text)
    if token.kind == "string":
        return string(cursor)
    if token.kind == "parameter":
        cursor.advance()
        return Parameter(token.start, token.end, token.value)
    if token.kind == "op":
        return _bracketed(cursor)
    if token.kind == "word":
        special = _special(cursor)
        if special is not None:
            return special
        if token.value in _NOT_OPERANDS and cursor.peek().value not in (".", ")", ",", "]"):
            raise cursor.failure("An expression is missing")
    if token.kind in ("word", "name"):
        return _named(cursor)
    raise cursor.failure("An expression is missing")


def string(cursor: Cursor) -> Constant:
    """A string literal, with quotes inside it doubled as in SQL."""
    token = cursor.advance()
    value = token.value
    end = token.end
    while cursor.token.kind == "string" and cursor.token.start == end and cursor.token.text[0] == token.text[0]:
        # SQL's doubled quote inside a string.
        more = cursor.advance()
        cursor.deviate(
            "A quote inside a string is written with a backslash", end - 1, end + 1, Edit(end - 1, end, "\\")
        )
        value += token.text[0] + more.value
        end = more.end
    return Constant(token.start, end, "string", value)


def _bracketed(cursor: Cursor) -> Part:
    if cursor.at("["):
        return _list(cursor)
    if cursor.at("{"):
        return map_of(cursor)
    if cursor.at("("):
        pattern = _maybe_pattern(cursor)
        if pattern is not None:
            return pattern
        start = cursor.advance().start
        inner = expressions.expression(cursor)
        end = cursor.expect(")", "to close the parenthesis").end
        return _around(inner, start, end)
    raise cursor.failure("An expression is missing")


def _around(inner: Part, start: int, end: int) -> Part:
    """The part with the span of the parentheses around it, which need no part of their own."""
    return replace(inner, start=start, end=end)


def _maybe_pattern(cursor: Cursor) -> Part | None:
    index = cursor.index
    following = cursor.peek()
    if index in cursor.not_patterns or not (
        following.kind in ("word", "name") or (following.kind == "op" and following.value in (":", "{", ")"))
    ):
        return None
    depth, deviations = cursor.depth, len(cursor.deviations)
    try:
        path = patterns.path_elements(cursor, in_expression=True)
    except CypherSyntaxError:
        path = None
    if path is None or len(path.elements) < 3:
        cursor.not_patterns.add(index)
        cursor.index, cursor.depth = index, depth
        del cursor.deviations[deviations:]
        return None
    return PatternExpression(path.start, path.end, path)


def _list(cursor: Cursor) -> Part:
    start = cursor.advance().start
    if cursor.token.kind in ("word", "name") and cursor.peek().kind == "word" and cursor.peek().value == "IN":
        index, deviations = cursor.index, len(cursor.deviations)
        found = _comprehension(cursor, start)
        if found is not None:
            return found
        cursor.index = index
        del cursor.deviations[deviations:]
    found = _pattern_comprehension(cursor, start)
    if found is not None:
        return found
    items: list[Part] = []
    while not cursor.at("]"):
        items.append(expressions.expression(cursor))
        if not cursor.accept(","):
            break
    end = cursor.expect("]", "to close the list").end
    return ListOf(start, end, tuple(items))


def _comprehension(cursor: Cursor, start: int) -> Part | None:
    variable = cursor.name("The variable")
    cursor.advance()
    source = expressions.expression(cursor)
    where = expressions.expression(cursor) if cursor.accept_word("WHERE") else None
    result = expressions.expression(cursor) if cursor.accept("|") else None
    if not cursor.at("]"):
        return None  # `[x IN list, y]` is a list of conditions
    end = cursor.advance().end
    return Comprehension(start, end, None, variable, source, where, result)


def _pattern_comprehension(cursor: Cursor, start: int) -> Part | None:
    token = cursor.token
    named = token.kind in ("word", "name") and cursor.peek().value == "=" and cursor.peek(2).value == "("
    if not named and not cursor.at("("):
        return None
    index, depth, deviations = cursor.index, cursor.depth, len(cursor.deviations)
    try:
        variable = cursor.name("The path") if named else None
        if named:
            cursor.advance()
        path = patterns.path_elements(cursor, in_expression=True, variable=variable)
        if len(path.elements) >= 3 and (cursor.at("|") or cursor.word("WHERE")):
            where = expressions.expression(cursor) if cursor.accept_word("WHERE") else None
            cursor.expect("|", "in the pattern comprehension")
            result = expressions.expression(cursor)
            end = cursor.expect("]", "to close the pattern comprehension").end
            return PatternComprehension(start, end, path, where, result)
    except CypherSyntaxError:
        if named:
            raise
    cursor.index, cursor.depth = index, depth
    del cursor.deviations[deviations:]
    return None


def map_of(cursor: Cursor) -> Part:
    """`{key: value, …}`."""
    start = cursor.expect("{", "to open the map").start
    entries: list[Entry] = []
    while not cursor.at("}"):
        key = cursor.name("A key")
        cursor.expect(":", f"after the key {key.text}")
        value = expressions.expression(cursor)
        entries.append(Entry(key.start, value.end, key, value))
        if not cursor.accept(","):
            break
    end = cursor.expect("}", "to close the map").end
    return MapOf(start, end, tuple(entries))


def map_projection(cursor: Cursor, subject: Part) -> Part:
    """`n {.key, .*, other: 1, x}`."""
    cursor.advance()
    properties: list[Name] = []
    entries: list[Entry] = []
    variables: list[Variable] = []
    while not cursor.at("}"):
        if cursor.accept("."):
            if not cursor.accept("*"):
                properties.append(cursor.name("The property's name"))
        else:
            key = cursor.name("A key")
            if cursor.accept(":"):
                value = expressions.expression(cursor)
                entries.append(Entry(key.start, value.end, key, value))
            else:
                variables.append(Variable(key.start, key.end, key.text))
        if not cursor.accept(","):
            break
    end = cursor.expect("}", "to close the map projection").end
    return Projection(subject.start, end, subject, tuple(properties), tuple(entries), tuple(variables))


def _special(cursor: Cursor) -> Part | None:  # noqa: PLR0911 - one return a form
    """What begins with a word of Cypher's own; None when the word is a name here."""
    token, following = cursor.token, cursor.peek()
    word = token.value
    if word in ("TRUE", "FALSE", "NULL") and following.value not in ("(", "."):
        cursor.advance()
        return Constant(token.start, token.end, "null" if word == "NULL" else "boolean", word.lower())
    if word in ("EXISTS", "COUNT", "COLLECT") and following.value == "{":
        cursor.advance()
        return _subquery(cursor, word, token.start)
    if word == "CASE" and following.value not in (".", ")", ",", "]", "=", ":"):
        return _case(cursor)
    if following.value != "(" or following.kind != "op":
        return foreign.typed_literal(cursor) if word in ("DATE", "DATETIME", "TIMESTAMP", "INTERVAL") else None
    if word in _QUANTIFIERS and cursor.peek(2).kind in ("word", "name") and cursor.peek(3).value == "IN":
        return _quantified(cursor, word.lower())
    if word == "REDUCE":
        return _reduce(cursor)
    if word in ("SHORTESTPATH", "ALLSHORTESTPATHS"):
        path = patterns.shortest_path(cursor, None)
        return PatternExpression(path.start, path.end, path)
    if word in ("EXTRACT", "CAST"):
        return foreign.call(cursor)
    return None


def _subquery(cursor: Cursor, word: str, start: int) -> Part:
    query, end = clauses.braced_query(cursor, allow_pattern=word != "COLLECT")
    return Subquery(start, end, word, query)  # type: ignore[arg-type]


def _case(cursor: Cursor) -> Part:
    start = cursor.advance().start
    subject = None if cursor.word("WHEN") else expressions.expression(cursor)
    conditions: list[Part] = []
    results: list[Part] = []
    while cursor.accept_word("WHEN"):
        first = _when(cursor, subject)
        while subject is not None and cursor.accept(","):
            _when(cursor, subject)
        cursor.expect_word("THEN", "in CASE")
        conditions.append(first)
        results.append(expressions.expression(cursor))
    if not conditions:
        raise cursor.failure("WHEN is missing in CASE")
    otherwise = expressions.expression(cursor) if cursor.accept_word("ELSE") else None
    end = cursor.expect_word("END", "to close CASE").end
    return Case(start, end, subject, tuple(conditions), tuple(results), otherwise)


def _when(cursor: Cursor, subject: Part | None) -> Part:
    if subject is None:
        return expressions.expression(cursor)
    # The extended form compares with the subject: CASE x WHEN > 3, IS NULL, STARTS WITH 'a', IN [1] THEN …
    if cursor.token.kind == "op" and cursor.token.value in (*expressions.COMPARISONS, "=~", "::"):
        cursor.advance()
    elif cursor.words("STARTS", "WITH") or cursor.words("ENDS", "WITH"):
        cursor.advance()
        cursor.advance()
    elif cursor.word("CONTAINS", "IN"):
        cursor.advance()
    elif cursor.word("IS"):
        return expressions.is_test(cursor, subject)
    return expressions.expression(cursor)


def _quantified(cursor: Cursor, quantifier: str) -> Part:
    start = cursor.advance().start
    cursor.advance()
    variable = cursor.name("The variable")
    cursor.expect_word("IN", f"in {quantifier}(…)")
    source = expressions.expression(cursor)
    where = expressions.expression(cursor) if cursor.accept_word("WHERE") else None
    end = cursor.expect(")", f"to close {quantifier}(…)").end
    return Comprehension(start, end, quantifier, variable, source, where, None)


def _reduce(cursor: Cursor) -> Part:
    start = cursor.advance().start
    cursor.advance()
    total = cursor.name("The accumulator")
    cursor.expect("=", "after reduce's accumulator")
    initial = expressions.expression(cursor)
    cursor.expect(",", "in reduce(…)")
    variable = cursor.name("The variable")
    cursor.expect_word("IN", "in reduce(…)")
    source = expressions.expression(cursor)
    cursor.expect("|", "in reduce(…)")
    step = expressions.expression(cursor)
    end = cursor.expect(")", "to close reduce(…)").end
    return Reduce(start, end, total, initial, variable, source, step)


def _named(cursor: Cursor) -> Part:
    """A variable, or a call when names joined by dots are followed by a parenthesis."""
    ahead = 1
    while cursor.peek(ahead).value == "." and cursor.peek(ahead + 1).kind in ("word", "name"):
        ahead += 2
    if not (cursor.peek(ahead).kind == "op" and cursor.peek(ahead).value == "("):
        name = cursor.name("A name")
        return Variable(name.start, name.end, name.text)
    pieces = [cursor.name("A name")]
    while cursor.accept("."):
        pieces.append(cursor.name("A name"))
    name = Name(pieces[0].start, pieces[-1].end, ".".join(piece.text for piece in pieces))
    cursor.advance()
    if cursor.at("*") and cursor.peek().value == ")":
        cursor.advance()
        return Call(name.start, cursor.advance().end, name, (), star=True)
    distinct = cursor.word("DISTINCT") and cursor.peek().value not in (",", ")", ".")
    if distinct or (cursor.word("ALL") and cursor.peek().kind in ("word", "name")):
        cursor.advance()
    arguments: list[Part] = []
    while not cursor.at(")"):
        arguments.append(expressions.expression(cursor))
        if not cursor.accept(","):
            break
    end = cursor.expect(")", f"to close {name.text}(…)").end
    return Call(name.start, end, name, tuple(arguments), distinct=distinct)
