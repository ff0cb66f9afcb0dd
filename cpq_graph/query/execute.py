"""Checked Cypher run read-only, its rows as JSON shows them.

Arrives: a driver, a statement and its parameters. Leaves: `Rows`, or a QueryError that says what to do. The read
transaction refuses writes whatever the statement says; the timeout and the row cap bound what it may cost.
"""

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

import neo4j
from neo4j.exceptions import ClientError, CypherSyntaxError, CypherTypeError, Neo4jError
from neo4j.graph import Node, Path, Relationship
from neo4j.spatial import Point
from neo4j.time import Date, DateTime, Duration, Time

from cpq_graph.errors import QueryError, QueryMemoryError, QuerySyntaxError, QueryTimeoutError


@dataclass(frozen=True, slots=True)
class Rows:
    """What a statement gave: columns in order, rows by column, whether the row cap cut them, and how long it took."""

    columns: tuple[str, ...]
    rows: list[dict[str, Any]]
    truncated: bool
    seconds: float


def run_read(
    driver: neo4j.Driver,
    database: str,
    cypher: str,
    parameters: Mapping[str, Any],
    *,
    timeout_s: float,
    max_rows: int,
) -> Rows:
    """Runs a statement in one read transaction, and stops reading after `max_rows`.

    Raises QueryTimeoutError, QueryMemoryError, QuerySyntaxError with its position, or QueryError for all else that the
    server refuses. ServiceUnavailable and SessionExpired of the driver pass: the caller may follow a switch.
    """
    started = time.perf_counter()
    try:
        with (
            driver.session(database=database, default_access_mode=neo4j.READ_ACCESS) as session,
            session.begin_transaction(timeout=timeout_s) as transaction,
        ):
            result = transaction.run(cypher, dict(parameters))
            columns = tuple(result.keys())
            rows = [dict(zip(columns, map(plain, record.values()), strict=True)) for record in result.fetch(max_rows)]
            truncated = result.peek() is not None
    except Neo4jError as error:
        raise _explained(error, timeout_s) from error
    return Rows(columns, rows, truncated, time.perf_counter() - started)


def plain(value: Any) -> Any:  # noqa: PLR0911 - one return a type
    """A value as JSON knows it: days and times in ISO 8601, points and graph elements as objects, no NaN."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if isfinite(value) else None
        case Date() | DateTime() | Time() | Duration():
            return value.iso_format().replace(".000000000", "")
        case Point():
            return {"srid": value.srid, "coordinates": [plain(part) for part in value]}
        case Node():
            return {"labels": sorted(value.labels), "properties": plain(dict(value))}
        case Relationship():
            return {"type": value.type, "properties": plain(dict(value))}
        case Path():
            return {
                "nodes": [plain(node) for node in value.nodes],
                "relationships": [plain(relationship) for relationship in value.relationships],
            }
        case Mapping():
            return {str(key): plain(part) for key, part in value.items()}
        case bytes() | bytearray():
            return value.hex()
        case list() | tuple() | set() | frozenset():
            return [plain(part) for part in value]
    return str(value)


def _explained(error: Neo4jError, timeout_s: float) -> QueryError:
    code, message = error.code or "", error.message or str(error)
    if "TransactionTimedOut" in code or "Terminated" in code:
        return QueryTimeoutError(
            f"the query ran longer than {timeout_s:g} s and was stopped",
            hint="Ask for a shorter period or fewer groups, or raise CPQ_GRAPH_QUERY_TIMEOUT_S.",
        )
    if "MemoryPoolOutOfMemory" in code or "OutOfMemory" in code or "StackOverFlow" in code:
        return QueryMemoryError(
            "the query needed more memory than Neo4j gives it",
            hint="Ask for a shorter period or fewer groups, or give Neo4j more memory (CPQ_GRAPH_NEO4J_HEAP_MB).",
        )
    if isinstance(error, CypherSyntaxError):
        found = re.search(r"\(line (\d+), column (\d+)", message)
        line, column = (int(found[1]), int(found[2])) if found else (None, None)
        return QuerySyntaxError(message.split("\n")[0], line=line, column=column)
    if isinstance(error, CypherTypeError):
        return QueryError(f"the query mixes types: {message}")
    if isinstance(error, ClientError) and "AccessMode" in code:
        return QueryError("the query would write, and only reading is allowed")
    return QueryError(f"Neo4j refuses the query: {message}")
