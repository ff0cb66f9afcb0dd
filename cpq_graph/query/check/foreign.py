"""Reads what other query languages write and Cypher lacks, and notes how Cypher writes it."""

from cpq_graph.query.check import atoms, expressions
from cpq_graph.query.check.cursor import Cursor
from cpq_graph.query.check.findings import Edit
from cpq_graph.query.check.tree import Call, Constant, Name, Operation, Parameter, Part, Property, Unary, Variable


def negated(cursor: Cursor, left: Part) -> Part:
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
        return like(cursor, left)
    if cursor.word("BETWEEN"):
        return between(cursor, left)
    operator = cursor.advance().value
    if operator == "STARTS":
        operator += " " + cursor.expect_word("WITH", "after STARTS").value
    right = expressions.additive(cursor)
    return Operation(left.start, right.end, (operator,), (left, right))


def like(cursor: Cursor, left: Part) -> Part:
    """`x LIKE '%text%'`: a wildcard only at an end has an equal in Cypher; others are left to the asker."""
    sign = cursor.advance()
    right = expressions.additive(cursor)
    edits: tuple[Edit, ...] = ()
    if isinstance(right, Constant) and right.kind == "string":
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


def between(cursor: Cursor, left: Part) -> Part:
    """`x BETWEEN a AND b`."""
    sign = cursor.advance()
    low = expressions.additive(cursor)
    middle = cursor.expect_word("AND", "in BETWEEN … AND …")
    high = expressions.additive(cursor)
    operand = cursor.source[left.start : left.end]
    cursor.deviate(
        "Cypher has no BETWEEN",
        sign.start,
        sign.end,
        Edit(left.start, low.start, ""),
        Edit(middle.start, middle.end, f"<= {operand} <="),
    )
    return Operation(left.start, high.end, ("<=", "<="), (low, left, high))


def typed_literal(cursor: Cursor) -> Part | None:
    """SQL's DATE '2024-01-01'."""
    token, following = cursor.token, cursor.peek()
    if following.kind != "string":
        return None
    cursor.advance()
    text = atoms.string(cursor)
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


def call(cursor: Cursor) -> Part | None:
    """EXTRACT(YEAR FROM x) and CAST(x AS type)."""
    index, deviations = cursor.index, len(cursor.deviations)
    function = cursor.advance()
    cursor.advance()
    if function.value == "EXTRACT":
        part = cursor.name("The part")
        if cursor.word("FROM"):
            cursor.advance()
            operand = expressions.expression(cursor)
            end = cursor.expect(")", "to close EXTRACT").end
            inner = cursor.source[operand.start : operand.end]
            simple = isinstance(operand, Variable | Property | Call | Parameter)
            text = f"{inner if simple else f'({inner})'}.{part.text.lower()}"
            cursor.deviate("Cypher has no EXTRACT", function.start, end, Edit(function.start, end, text))
            return Property(function.start, end, operand, part)
    else:
        operand = expressions.expression(cursor)
        if cursor.word("AS"):
            cursor.advance()
            target = cursor.name("The type").text.upper()
            end = cursor.expect(")", "to close CAST").end
            known = {
                "INT": "toInteger", "INTEGER": "toInteger", "BIGINT": "toInteger", "FLOAT": "toFloat",
                "DOUBLE": "toFloat", "DECIMAL": "toFloat", "NUMERIC": "toFloat", "STRING": "toString",
                "TEXT": "toString", "VARCHAR": "toString", "DATE": "date", "BOOLEAN": "toBoolean",
            }.get(target)  # fmt: skip
            edits: tuple[Edit, ...] = ()
            if known is not None:
                edits = (Edit(function.start, operand.start, f"{known}("), Edit(operand.end, end, ")"))
            cursor.deviate("Cypher has no CAST", function.start, end, *edits)
            return Call(function.start, end, Name(function.start, function.end, known or "CAST"), (operand,))
    cursor.index = index
    del cursor.deviations[deviations:]
    return None
