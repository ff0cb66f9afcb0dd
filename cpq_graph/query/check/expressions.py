"""Reads expressions from tokens: precedence as in Cypher 5, chains of one precedence kept flat."""

from cpq_graph.query.check import clauses, patterns
from cpq_graph.query.check.cursor import Cursor
from cpq_graph.query.check.findings import Edit
from cpq_graph.query.check.tokens import CypherSyntaxError
from cpq_graph.query.check.tree import (
    Call,
    Case,
    Comprehension,
    Entry,
    HasLabel,
    Index,
    ListOf,
    Literal_,
    MapOf,
    Name,
    Operation,
    Parameter,
    Part,
    PatternComprehension,
    PatternExpression,
    Projection,
    Property,
    Reduce,
    Subquery,
    Unary,
    Variable,
)

_COMPARISONS = {"=", "<>", "<", "<=", ">", ">=", "!=", "=="}
_SAME = {"!=": "<>", "==": "=", "&&": "AND"}
_QUANTIFIERS = {"ALL", "ANY", "NONE", "SINGLE"}
_NOT_OPERANDS = {"MATCH", "RETURN", "WHERE", "UNWIND", "AND", "OR", "XOR", "THEN", "WHEN", "ELSE", "AS", "LIMIT"}


def expression(cursor: Cursor) -> Part:
    """A whole expression."""
    cursor.deeper()
    result = _chain_of_words(cursor, 0)
    cursor.depth -= 1
    return result


_WORD_LEVELS = ("OR", "XOR", "AND")


def _chain_of_words(cursor: Cursor, level: int) -> Part:
    if level == len(_WORD_LEVELS):
        return _negation(cursor)
    word = _WORD_LEVELS[level]
    first = _chain_of_words(cursor, level + 1)
    operands = [first]
    while cursor.word(word) or (word == "AND" and cursor.at("&&")):
        sign = cursor.advance()
        if sign.kind == "op":
            cursor.deviate("Cypher writes AND for &&", sign.start, sign.end, Edit(sign.start, sign.end, "AND"))
        operands.append(_chain_of_words(cursor, level + 1))
    return _chained(operands, [word] * (len(operands) - 1))


def _chained(operands: list[Part], operators: list[str]) -> Part:
    if not operators:
        return operands[0]
    return Operation(operands[0].start, operands[-1].end, tuple(operators), tuple(operands))


def _negation(cursor: Cursor) -> Part:
    if not cursor.word("NOT"):
        return _comparison(cursor)
    start = cursor.advance().start
    cursor.deeper()
    operand = _negation(cursor)
    cursor.depth -= 1
    return Unary(start, operand.end, "NOT", operand)


def _comparison(cursor: Cursor) -> Part:
    operands = [_predicate(cursor)]
    operators: list[str] = []
    while cursor.token.kind == "op" and cursor.token.value in _COMPARISONS:
        sign = cursor.advance()
        written = _SAME.get(sign.value, sign.value)
        if written != sign.value:
            cursor.deviate(
                f"Cypher writes {written} for {sign.value}", sign.start, sign.end, Edit(sign.start, sign.end, written)
            )
        operators.append(written)
        operands.append(_predicate(cursor))
    return _chained(operands, operators)


def _predicate(cursor: Cursor) -> Part:
    """An operand with IN, STARTS WITH, CONTAINS, =~, IS NULL and the like behind it."""
    left = _additive(cursor)
    while True:
        if cursor.words("STARTS", "WITH") or cursor.words("ENDS", "WITH"):
            operator = f"{cursor.advance().value} {cursor.advance().value}"
            right = _additive(cursor)
            left = Operation(left.start, right.end, (operator,), (left, right))
        elif cursor.word("CONTAINS", "IN") or cursor.at("=~"):
            operator = cursor.advance().value
            right = _additive(cursor)
            left = Operation(left.start, right.end, (operator,), (left, right))
        elif cursor.word("IS"):
            left = _is(cursor, left)
        elif cursor.at("::"):
            cursor.advance()
            left = Unary(left.start, _type_name(cursor), "IS ::", left)
        elif cursor.word("NOT") and cursor.peek().value in ("IN", "CONTAINS", "LIKE", "ILIKE", "BETWEEN", "STARTS"):
            left = _sql_not(cursor, left)
        elif cursor.word("LIKE", "ILIKE"):
            left = _sql_like(cursor, left)
        elif cursor.word("BETWEEN"):
            left = _sql_between(cursor, left)
        else:
            return left


def _is(cursor: Cursor, left: Part) -> Part:
    cursor.advance()
    negated = cursor.accept_word("NOT")
    if cursor.word("NULL"):
        end = cursor.advance().end
        return Unary(left.start, end, "IS NOT NULL" if negated else "IS NULL", left)
    if cursor.at("::") or cursor.word("TYPED"):
        cursor.advance()
        return Unary(left.start, _type_name(cursor), "IS NOT ::" if negated else "IS ::", left)
    if cursor.word("NFC", "NFD", "NFKC", "NFKD"):
        cursor.advance()
    if cursor.word("NORMALIZED"):
        end = cursor.advance().end
        return Unary(left.start, end, "IS NOT NORMALIZED" if negated else "IS NORMALIZED", left)
    cursor.fail("NULL is missing after IS")


def _type_name(cursor: Cursor) -> int:
    """Steps over a type such as LIST<INTEGER NOT NULL> | STRING; returns its end."""
    while True:
        cursor.name("The type")
        while cursor.token.kind == "word" and cursor.word(
            "NOT", "NULL", "NODE", "EDGE", "VALUE", "TIME", "ZONED", "LOCAL", "WITH", "WITHOUT", "TIMEZONE", "ZONE"
        ):
            cursor.advance()
        if cursor.accept("<"):
            _type_name(cursor)
            cursor.expect(">", "to close the type")
        if cursor.words("NOT", "NULL"):
            cursor.advance()
            cursor.advance()
        if not cursor.accept("|"):
            return cursor.last_end


def _sql_not(cursor: Cursor, left: Part) -> Part:
    """`x NOT IN list`: Cypher puts NOT before the whole."""
    sign = cursor.advance()
    operand = _predicate_tail(cursor, left)
    cursor.deviate(
        f"Cypher writes NOT before the whole comparison, not before {cursor.source[sign.end :].split()[0]}",
        sign.start,
        sign.end,
        Edit(left.start, left.start, "NOT "),
        Edit(sign.start, cursor.source.index(cursor.source[sign.end :].lstrip()[0], sign.end), ""),
    )
    return Unary(left.start, operand.end, "NOT", operand)


def _predicate_tail(cursor: Cursor, left: Part) -> Part:
    if cursor.word("LIKE", "ILIKE"):
        return _sql_like(cursor, left)
    if cursor.word("BETWEEN"):
        return _sql_between(cursor, left)
    operator = cursor.advance().value
    if operator == "STARTS":
        operator += " " + cursor.expect_word("WITH", "after STARTS").value
    right = _additive(cursor)
    return Operation(left.start, right.end, (operator,), (left, right))


def _sql_like(cursor: Cursor, left: Part) -> Part:
    """`x LIKE '%text%'`: a wildcard only at an end has an equal in Cypher; others are left to the asker."""
    sign = cursor.advance()
    right = _additive(cursor)
    edits: tuple[Edit, ...] = ()
    if isinstance(right, Literal_) and right.kind == "string":
        body = cursor.source[right.start + 1 : right.end - 1]
        inner = body.strip("%")
        quote = cursor.source[right.start]
        operator = {(True, True): "CONTAINS", (False, True): "STARTS WITH", (True, False): "ENDS WITH"}.get(
            (body.startswith("%"), body.endswith("%")), "="
        )
        if inner and "%" not in inner and "_" not in inner and "\\" not in inner:
            edits = (Edit(sign.start, sign.end, operator), Edit(right.start, right.end, quote + inner + quote))
            if sign.value == "ILIKE":
                edits = (
                    Edit(left.start, left.start, "toLower("),
                    Edit(left.end, left.end, ")"),
                    Edit(sign.start, sign.end, operator),
                    Edit(right.start, right.end, quote + inner.lower() + quote),
                )
    cursor.deviate(
        f"Cypher has no {sign.value}", sign.start, sign.end, *edits, hint="Use CONTAINS, STARTS WITH, ENDS WITH or =~"
    )
    return Operation(left.start, right.end, ("CONTAINS",), (left, right))


def _sql_between(cursor: Cursor, left: Part) -> Part:
    """`x BETWEEN a AND b`."""
    sign = cursor.advance()
    low = _additive(cursor)
    middle = cursor.expect_word("AND", "in BETWEEN … AND …")
    high = _additive(cursor)
    operand = cursor.source[left.start : left.end]
    cursor.deviate(
        "Cypher has no BETWEEN",
        sign.start,
        sign.end,
        Edit(left.start, low.start, ""),
        Edit(middle.start, middle.end, f"<= {operand} <="),
    )
    return Operation(left.start, high.end, ("<=", "<="), (low, left, high))


def _additive(cursor: Cursor) -> Part:
    return _signs(cursor, 0)


_SIGN_LEVELS = (("+", "-", "||"), ("*", "/", "%"), ("^",))


def _signs(cursor: Cursor, level: int) -> Part:
    if level == len(_SIGN_LEVELS):
        return _unary(cursor)
    signs = _SIGN_LEVELS[level]
    operands = [_signs(cursor, level + 1)]
    operators: list[str] = []
    while cursor.token.kind == "op" and cursor.token.value in signs:
        operators.append(cursor.advance().value)
        operands.append(_signs(cursor, level + 1))
    return _chained(operands, operators)


def _unary(cursor: Cursor) -> Part:
    if not cursor.at("-", "+"):
        return _postfix(cursor)
    sign = cursor.advance()
    cursor.deeper()
    operand = _unary(cursor)
    cursor.depth -= 1
    return Unary(sign.start, operand.end, sign.value, operand)


def _postfix(cursor: Cursor) -> Part:
    result = _atom(cursor)
    while cursor.token.kind == "op":
        if cursor.at("."):
            cursor.advance()
            key = cursor.name("The property's name")
            result = Property(result.start, key.end, result, key)
        elif cursor.at("["):
            result = _index(cursor, result)
        elif cursor.at(":") and cursor.peek().kind in ("word", "name", "op") and not cursor.peek().value == "}":
            cursor.advance()
            labels = patterns.label_expression(cursor, in_expression=True)
            result = HasLabel(result.start, labels.end, result, labels)
        elif cursor.at("{") and isinstance(result, Variable):
            result = _map_projection(cursor, result)
        else:
            break
    return result


def _index(cursor: Cursor, subject: Part) -> Part:
    cursor.advance()
    at = None if cursor.at("..") else expression(cursor)
    sliced = cursor.accept("..")
    to = expression(cursor) if sliced and not cursor.at("]") else None
    end = cursor.expect("]", "to close the index").end
    return Index(subject.start, end, subject, at, to, sliced)


def _map_projection(cursor: Cursor, subject: Part) -> Part:
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
                value = expression(cursor)
                entries.append(Entry(key.start, value.end, key, value))
            else:
                variables.append(Variable(key.start, key.end, key.text))
        if not cursor.accept(","):
            break
    end = cursor.expect("}", "to close the map projection").end
    return Projection(subject.start, end, subject, tuple(properties), tuple(entries), tuple(variables))


def _atom(cursor: Cursor) -> Part:
    token = cursor.token
    if token.kind == "number":
        cursor.advance()
        return Literal_(token.start, token.end, "number", token.text)
    if token.kind == "string":
        return _string(cursor)
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
            cursor.fail("An expression is missing")
    if token.kind in ("word", "name"):
        return _named(cursor)
    cursor.fail("An expression is missing")


def _string(cursor: Cursor) -> Part:
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
    return Literal_(token.start, end, "string", value)


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
        inner = expression(cursor)
        end = cursor.expect(")", "to close the parenthesis").end
        return _Parenthesised.around(inner, start, end)
    cursor.fail("An expression is missing")


class _Parenthesised:
    """Parentheses need no part of their own, but the span of what they enclose has to include them."""

    @staticmethod
    def around(inner: Part, start: int, end: int) -> Part:
        values = [getattr(inner, name) for name in list(inner.__dataclass_fields__)[2:]]
        return type(inner)(start, end, *values)


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
        items.append(expression(cursor))
        if not cursor.accept(","):
            break
    end = cursor.expect("]", "to close the list").end
    return ListOf(start, end, tuple(items))


def _comprehension(cursor: Cursor, start: int) -> Part | None:
    variable = cursor.name("The variable")
    cursor.advance()
    source = expression(cursor)
    where = expression(cursor) if cursor.accept_word("WHERE") else None
    result = expression(cursor) if cursor.accept("|") else None
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
            where = expression(cursor) if cursor.accept_word("WHERE") else None
            cursor.expect("|", "in the pattern comprehension")
            result = expression(cursor)
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
        value = expression(cursor)
        entries.append(Entry(key.start, value.end, key, value))
        if not cursor.accept(","):
            break
    end = cursor.expect("}", "to close the map").end
    return MapOf(start, end, tuple(entries))


def _special(cursor: Cursor) -> Part | None:
    """What begins with a word of Cypher's own; None when the word is a name here."""
    token, following = cursor.token, cursor.peek()
    word = token.value
    if word in ("TRUE", "FALSE", "NULL") and following.value not in ("(", "."):
        cursor.advance()
        return Literal_(token.start, token.end, "null" if word == "NULL" else "boolean", word.lower())
    if word in ("EXISTS", "COUNT", "COLLECT") and following.value == "{":
        cursor.advance()
        return _subquery(cursor, word, token.start)
    if word == "CASE" and following.value not in (".", ")", ",", "]", "=", ":"):
        return _case(cursor)
    if following.value != "(" or following.kind != "op":
        return _literal_of_type(cursor) if word in ("DATE", "DATETIME", "TIMESTAMP", "INTERVAL") else None
    if word in _QUANTIFIERS and cursor.peek(2).kind in ("word", "name") and cursor.peek(3).value == "IN":
        return _quantified(cursor, word.lower())
    if word == "REDUCE":
        return _reduce(cursor)
    if word in ("SHORTESTPATH", "ALLSHORTESTPATHS"):
        path = patterns.shortest_path(cursor, None)
        return PatternExpression(path.start, path.end, path)
    if word in ("EXTRACT", "CAST"):
        return _sql_call(cursor)
    return None


def _literal_of_type(cursor: Cursor) -> Part | None:
    """SQL's DATE '2024-01-01'."""
    token, following = cursor.token, cursor.peek()
    if following.kind != "string":
        return None
    cursor.advance()
    text = _string(cursor)
    function = {"DATE": "date", "DATETIME": "datetime", "TIMESTAMP": "localdatetime", "INTERVAL": "duration"}[
        token.value
    ]
    edits = (Edit(token.start, text.start, f"{function}("), Edit(text.end, text.end, ")"))
    cursor.deviate(
        f"Cypher writes {function}('…') for {token.text} '…'",
        token.start,
        text.end,
        *(edits if function != "duration" else ()),
        hint="A duration is duration('P1Y2M3D')",
    )
    return Call(token.start, text.end, Name(token.start, token.end, function), (text,))


def _sql_call(cursor: Cursor) -> Part | None:
    """EXTRACT(YEAR FROM x) and CAST(x AS type)."""
    index, deviations = cursor.index, len(cursor.deviations)
    function = cursor.advance()
    cursor.advance()
    if function.value == "EXTRACT":
        part = cursor.name("The part")
        if cursor.word("FROM"):
            cursor.advance()
            operand = expression(cursor)
            end = cursor.expect(")", "to close EXTRACT").end
            inner = cursor.source[operand.start : operand.end]
            simple = isinstance(operand, Variable | Property | Call | Parameter)
            text = f"{inner if simple else f'({inner})'}.{part.text.lower()}"
            cursor.deviate("Cypher has no EXTRACT", function.start, end, Edit(function.start, end, text))
            return Property(function.start, end, operand, part)
    else:
        operand = expression(cursor)
        if cursor.word("AS"):
            cursor.advance()
            target = cursor.name("The type").text.upper()
            end = cursor.expect(")", "to close CAST").end
            known = {
                "INT": "toInteger", "INTEGER": "toInteger", "BIGINT": "toInteger", "FLOAT": "toFloat",
                "DOUBLE": "toFloat", "DECIMAL": "toFloat", "NUMERIC": "toFloat", "STRING": "toString",
                "TEXT": "toString", "VARCHAR": "toString", "DATE": "date", "BOOLEAN": "toBoolean",
            }.get(target)  # fmt: skip
            edits = ()
            if known is not None:
                edits = (Edit(function.start, operand.start, f"{known}("), Edit(operand.end, end, ")"))
            cursor.deviate("Cypher has no CAST", function.start, end, *edits)
            return Call(function.start, end, Name(function.start, function.end, known or "CAST"), (operand,))
    cursor.index = index
    del cursor.deviations[deviations:]
    return None


def _subquery(cursor: Cursor, word: str, start: int) -> Part:
    query, end = clauses.braced_query(cursor, allow_pattern=word != "COLLECT")
    return Subquery(start, end, word, query)  # type: ignore[arg-type]


def _case(cursor: Cursor) -> Part:
    start = cursor.advance().start
    subject = None if cursor.word("WHEN") else expression(cursor)
    conditions: list[Part] = []
    results: list[Part] = []
    while cursor.accept_word("WHEN"):
        first = _when(cursor, subject)
        while subject is not None and cursor.accept(","):
            _when(cursor, subject)
        cursor.expect_word("THEN", "in CASE")
        conditions.append(first)
        results.append(expression(cursor))
    if not conditions:
        cursor.fail("WHEN is missing in CASE")
    otherwise = expression(cursor) if cursor.accept_word("ELSE") else None
    end = cursor.expect_word("END", "to close CASE").end
    return Case(start, end, subject, tuple(conditions), tuple(results), otherwise)


def _when(cursor: Cursor, subject: Part | None) -> Part:
    if subject is None:
        return expression(cursor)
    # The extended form compares with the subject: CASE x WHEN > 3, IS NULL, STARTS WITH 'a', IN [1] THEN …
    if cursor.token.kind == "op" and cursor.token.value in (*_COMPARISONS, "=~", "::"):
        cursor.advance()
    elif cursor.words("STARTS", "WITH") or cursor.words("ENDS", "WITH"):
        cursor.advance()
        cursor.advance()
    elif cursor.word("CONTAINS", "IN"):
        cursor.advance()
    elif cursor.word("IS"):
        return _is(cursor, subject)
    return expression(cursor)


def _quantified(cursor: Cursor, quantifier: str) -> Part:
    start = cursor.advance().start
    cursor.advance()
    variable = cursor.name("The variable")
    cursor.expect_word("IN", f"in {quantifier}(…)")
    source = expression(cursor)
    where = expression(cursor) if cursor.accept_word("WHERE") else None
    end = cursor.expect(")", f"to close {quantifier}(…)").end
    return Comprehension(start, end, quantifier, variable, source, where, None)


def _reduce(cursor: Cursor) -> Part:
    start = cursor.advance().start
    cursor.advance()
    total = cursor.name("The accumulator")
    cursor.expect("=", "after reduce's accumulator")
    initial = expression(cursor)
    cursor.expect(",", "in reduce(…)")
    variable = cursor.name("The variable")
    cursor.expect_word("IN", "in reduce(…)")
    source = expression(cursor)
    cursor.expect("|", "in reduce(…)")
    step = expression(cursor)
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
        arguments.append(expression(cursor))
        if not cursor.accept(","):
            break
    end = cursor.expect(")", f"to close {name.text}(…)").end
    return Call(name.start, end, name, tuple(arguments), distinct=distinct)
