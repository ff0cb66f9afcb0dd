"""Reads patterns from tokens: paths of nodes, relationships and groups, with label expressions."""

from cpq_graph.query.check import atoms, expressions
from cpq_graph.query.check.cursor import Cursor
from cpq_graph.query.check.findings import Edit
from cpq_graph.query.check.tree import (
    Group,
    LabelExpression,
    Length,
    Name,
    NodePattern,
    Parameter,
    Part,
    Path,
    RelationshipPattern,
)

_DASH, _LEFT, _RIGHT = "-", "<", ">"


def pattern_list(cursor: Cursor) -> tuple[Path, ...]:
    """The paths of a MATCH, separated by commas."""
    paths = [path(cursor)]
    while cursor.accept(","):
        paths.append(path(cursor))
    return tuple(paths)


def path(cursor: Cursor) -> Path:
    """A path with its name and selector."""
    variable: Name | None = None
    start = cursor.token.start
    if cursor.token.kind in ("word", "name") and cursor.peek().value == "=":
        variable = cursor.name("The path's name")
        cursor.advance()
    if cursor.word("SHORTESTPATH", "ALLSHORTESTPATHS") and cursor.peek().value == "(":
        found = shortest_path(cursor, variable)
    else:
        found = path_elements(cursor, variable=variable, selector=_selector(cursor))
    return Path(start, found.end, variable, found.elements, found.function, found.selector)


def _selector(cursor: Cursor) -> str | None:
    """ANY, ALL, SHORTEST 3 PATH GROUPS and their kind."""
    words: list[str] = []
    while cursor.word("ANY", "ALL", "SHORTEST", "PATH", "PATHS", "GROUP", "GROUPS", "TRAIL", "WALK") or (
        words and cursor.token.kind in ("number", "parameter")
    ):
        words.append(cursor.advance().value)
    return " ".join(words) or None


def shortest_path(cursor: Cursor, variable: Name | None) -> Path:
    """`shortestPath((a)-[*]-(b))`."""
    function = cursor.advance()
    cursor.expect("(", f"after {function.text}")
    found = path_elements(cursor, variable=variable)
    end = cursor.expect(")", f"to close {function.text}(…)").end
    return Path(function.start, end, variable, found.elements, function.text)


def path_elements(
    cursor: Cursor, *, in_expression: bool = False, variable: Name | None = None, selector: str | None = None
) -> Path:
    """Nodes and relationships in turn, and groups. In an expression the path ends where arithmetic may go on."""
    elements: list[NodePattern | RelationshipPattern | Group] = []
    start = variable.start if variable is not None else cursor.token.start
    while True:
        if not cursor.at("("):
            raise cursor.failure("A node in parentheses is missing in the pattern")
        elements.append(_node_or_group(cursor, in_expression))
        if _starts_relationship(cursor):
            elements.append(relationship(cursor))
        elif cursor.at("(") and not in_expression:
            _between_groups(cursor, elements[-1])
        else:
            return Path(start, cursor.last_end, variable, tuple(elements), None, selector)


def _between_groups(cursor: Cursor, before: NodePattern | RelationshipPattern | Group) -> None:
    """Side by side, without an arrow, only a quantified group may stand with another or with a node."""
    following, second = cursor.peek(), cursor.peek(2)
    grouped = (following.kind == "op" and following.value == "(") or second.value == "="
    if not grouped and not isinstance(before, Group):
        cursor.deviate(
            "Two patterns stand side by side without a comma",
            cursor.token.start,
            cursor.token.end,
            Edit(cursor.last_end, cursor.last_end, ","),
        )


def _starts_relationship(cursor: Cursor) -> bool:
    if cursor.at(_DASH):
        following = cursor.peek()
        return following.kind == "op" and following.value in ("[", _DASH)
    return cursor.at(_LEFT) and cursor.peek().value == _DASH and cursor.peek(2).value in ("[", _DASH)


def _node_or_group(cursor: Cursor, in_expression: bool) -> NodePattern | Group:
    first, second = cursor.peek(), cursor.peek(2)
    grouped = (first.kind == "op" and first.value == "(") or (first.kind in ("word", "name") and second.value == "=")
    return _group(cursor) if grouped and not in_expression else node(cursor)


def _group(cursor: Cursor) -> Group:
    cursor.deeper()
    start = cursor.expect("(", "to open the group").start
    inner = path(cursor)
    where = expressions.expression(cursor) if cursor.accept_word("WHERE") else None
    end = cursor.expect(")", "to close the group").end
    quantifier = _quantifier(cursor)
    cursor.depth -= 1
    return Group(start, quantifier.end if quantifier else end, inner, where, quantifier)


def node(cursor: Cursor) -> NodePattern:
    """`(n:Label {…} WHERE …)`."""
    start = cursor.expect("(", "to open the node").start
    variable = _variable(cursor)
    labels = _labels(cursor)
    properties = _properties(cursor)
    where = expressions.expression(cursor) if cursor.accept_word("WHERE") else None
    end = cursor.expect(")", "to close the node").end
    return NodePattern(start, end, variable, labels, properties, where)


def relationship(cursor: Cursor) -> RelationshipPattern:
    """An arrow of any form."""
    start = cursor.token.start
    left = _arrow_head(cursor, _LEFT)
    cursor.expect(_DASH, "in the arrow")
    variable = types = length = properties = where = details = None
    if cursor.at("["):
        opened = cursor.advance()
        variable = _variable(cursor)
        types = _labels(cursor)
        length = _star(cursor)
        properties = _properties(cursor)
        where = expressions.expression(cursor) if cursor.accept_word("WHERE") else None
        details = Part(opened.start, cursor.expect("]", "to close the relationship").end)
    cursor.expect(_DASH, "in the arrow")
    right = _arrow_head(cursor, _RIGHT)
    quantifier = _quantifier(cursor)
    return RelationshipPattern(
        start, cursor.last_end, variable, types, length, properties, where, left, right, details, quantifier
    )


def _arrow_head(cursor: Cursor, sign: str) -> Part | None:
    if not cursor.at(sign):
        return None
    token = cursor.advance()
    return Part(token.start, token.end)


def _variable(cursor: Cursor) -> Name | None:
    token = cursor.token
    if token.kind == "name" or (token.kind == "word" and not (token.value == "WHERE" and cursor.peek().value != ")")):
        if token.value == "IS" and cursor.peek().kind in ("word", "name"):
            return None
        return cursor.name("The variable")
    return None


def _labels(cursor: Cursor) -> LabelExpression | None:
    if cursor.at(":") or cursor.word("IS"):
        cursor.advance()
        return label_expression(cursor)
    return None


def _properties(cursor: Cursor) -> Part | None:
    if cursor.at("{"):
        return atoms.map_of(cursor)
    if cursor.token.kind == "parameter":
        token = cursor.advance()
        return Parameter(token.start, token.end, token.value)
    return None


def _star(cursor: Cursor) -> Length | None:
    """`*`, `*2`, `*1..`, `*..3`, `*1..3`."""
    if not cursor.at("*"):
        return None
    start = cursor.advance().start
    least: int | None = _integer(cursor)
    most = _integer(cursor) if cursor.accept("..") else least
    return Length(start, cursor.last_end, 1 if least is None else least, most)


def _integer(cursor: Cursor) -> int | None:
    if cursor.token.kind != "number":
        return None
    if not cursor.token.text.isdigit():
        raise cursor.failure("A whole number is missing")
    return int(cursor.advance().text)


def _quantifier(cursor: Cursor) -> Length | None:
    """`+`, `*`, `{2}`, `{1,3}`, `{,3}`."""
    start = cursor.token.start
    if cursor.accept("+"):
        return Length(start, cursor.last_end, 1, None)
    if cursor.accept("*"):
        return Length(start, cursor.last_end, 0, None)
    if not cursor.at("{"):
        return None
    cursor.advance()
    least = _integer(cursor)
    most = least
    if cursor.accept(","):
        most = _integer(cursor)
    cursor.expect("}", "to close the quantifier")
    return Length(start, cursor.last_end, least or 0, most)


def label_expression(cursor: Cursor, *, in_expression: bool = False) -> LabelExpression:
    """What follows a colon or IS."""
    cursor.deeper()
    operands = [_label_and(cursor)]
    while cursor.at("|") and not (in_expression and _starts_result(cursor)):
        cursor.advance()
        cursor.accept(":")
        operands.append(_label_and(cursor))
    cursor.depth -= 1
    return _joined("or", operands)


def _starts_result(cursor: Cursor) -> bool:
    """Whether the bar divides a list comprehension, as in `[x IN xs WHERE x:Label | x.name]`."""
    following, after = cursor.peek(), cursor.peek(2)
    return following.kind not in ("word", "name") or (after.kind == "op" and after.value in (".", "(", "{", "["))


def _label_and(cursor: Cursor) -> LabelExpression:
    operands = [_label_not(cursor)]
    while cursor.at("&", ":"):
        cursor.advance()
        operands.append(_label_not(cursor))
    return _joined("and", operands)


def _joined(operator: str, operands: list[LabelExpression]) -> LabelExpression:
    if len(operands) == 1:
        return operands[0]
    return LabelExpression(operands[0].start, operands[-1].end, operator, None, tuple(operands))  # type: ignore[arg-type]


def _label_not(cursor: Cursor) -> LabelExpression:
    start = cursor.token.start
    if cursor.accept("!"):
        cursor.deeper()
        inner = _label_not(cursor)
        cursor.depth -= 1
        return LabelExpression(start, inner.end, "not", None, (inner,))
    if cursor.accept("%"):
        return LabelExpression(start, cursor.last_end, "any")
    if cursor.accept("("):
        inner = label_expression(cursor)
        end = cursor.expect(")", "to close the label expression").end
        return LabelExpression(start, end, inner.operator, inner.name, inner.operands, inner.dynamic)
    if cursor.accept("$"):
        cursor.accept_word("ALL")
        cursor.accept_word("ANY")
        cursor.expect("(", "in the dynamic label")
        value = expressions.expression(cursor)
        end = cursor.expect(")", "to close the dynamic label").end
        return LabelExpression(start, end, "dynamic", dynamic=value)
    name = cursor.name("A label or type")
    return LabelExpression(name.start, name.end, "name", name)
