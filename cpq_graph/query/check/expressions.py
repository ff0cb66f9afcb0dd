"""Reads expressions from tokens: precedence as in Cypher 5, chains of one precedence kept flat."""

from cpq_graph.query.check import atoms, foreign, patterns
from cpq_graph.query.check.cursor import Cursor
from cpq_graph.query.check.findings import Edit
from cpq_graph.query.check.tree import HasLabel, Index, Operation, Part, Property, Unary, Variable

COMPARISONS = frozenset({"=", "<>", "<", "<=", ">", ">=", "!=", "=="})
_SAME = {"!=": "<>", "==": "=", "&&": "AND"}


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
    while cursor.token.kind == "op" and cursor.token.value in COMPARISONS:
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
    left = additive(cursor)
    while True:
        if cursor.words("STARTS", "WITH") or cursor.words("ENDS", "WITH"):
            operator = f"{cursor.advance().value} {cursor.advance().value}"
            right = additive(cursor)
            left = Operation(left.start, right.end, (operator,), (left, right))
        elif cursor.word("CONTAINS", "IN") or cursor.at("=~"):
            operator = cursor.advance().value
            right = additive(cursor)
            left = Operation(left.start, right.end, (operator,), (left, right))
        elif cursor.word("IS"):
            left = is_test(cursor, left)
        elif cursor.at("::"):
            cursor.advance()
            left = Unary(left.start, _type_name(cursor), "IS ::", left)
        elif cursor.word("NOT") and cursor.peek().value in ("IN", "CONTAINS", "LIKE", "ILIKE", "BETWEEN", "STARTS"):
            left = foreign.negated(cursor, left)
        elif cursor.word("LIKE", "ILIKE"):
            left = foreign.like(cursor, left)
        elif cursor.word("BETWEEN"):
            left = foreign.between(cursor, left)
        else:
            return left


def is_test(cursor: Cursor, left: Part) -> Part:
    """IS NULL, IS NOT NULL, IS :: TYPE, IS NORMALIZED."""
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
    raise cursor.failure("NULL is missing after IS")


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


def additive(cursor: Cursor) -> Part:
    """An operand of a comparison: sums, products, powers and what binds closer."""
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
    result = atoms.atom(cursor)
    while cursor.token.kind == "op":
        if cursor.at("."):
            cursor.advance()
            key = cursor.name("The property's name")
            result = Property(result.start, key.end, result, key)
        elif cursor.at("["):
            result = _index(cursor, result)
        elif cursor.at(":") and cursor.peek().kind in ("word", "name", "op") and cursor.peek().value != "}":
            cursor.advance()
            labels = patterns.label_expression(cursor, in_expression=True)
            result = HasLabel(result.start, labels.end, result, labels)
        elif cursor.at("{") and isinstance(result, Variable):
            result = atoms.map_projection(cursor, result)
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
