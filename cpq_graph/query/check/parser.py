"""Text in, `Parsed` out: tokens, syntax tree, what was understood though it is not Cypher, or where reading ended."""

from dataclasses import dataclass

from cpq_graph.query.check import clauses
from cpq_graph.query.check.cursor import Cursor, Deviation
from cpq_graph.query.check.tokens import CypherSyntaxError, Token, tokenize
from cpq_graph.query.check.tree import Query


@dataclass(frozen=True, slots=True)
class Parsed:
    """`query` is None exactly when `error` says why."""

    source: str
    tokens: tuple[Token, ...]
    query: Query | None
    deviations: tuple[Deviation, ...]
    error: Deviation | None


def parse(source: str) -> Parsed:
    """Reads one statement. Never raises: a text that is no query has an `error` with its place."""
    try:
        tokens = tokenize(source)
    except CypherSyntaxError as error:
        return Parsed(source, (), None, (), Deviation(error.message, error.start, error.end))
    cursor = Cursor(source, tokens)
    try:
        query = clauses.statement(cursor)
    except CypherSyntaxError as error:
        failed = Deviation(error.message, error.start, error.end)
    except RecursionError:
        failed = Deviation("The query is nested too deeply", 0, 0)
    else:
        return Parsed(source, tuple(tokens), query, tuple(cursor.deviations), None)
    return Parsed(source, tuple(tokens), None, (), failed)
