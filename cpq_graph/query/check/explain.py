"""The server's own word on a query: what EXPLAIN says, asked last.

Planning runs nothing, but the query type that EXPLAIN gives says "read" for some things that reach further (LOAD CSV,
SHOW); that is why a query has to pass `check` before it comes here.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from neo4j import READ_ACCESS, Query
from neo4j.exceptions import ClientError, DatabaseError, Neo4jError

from cpq_graph.query.check.edits import highlight
from cpq_graph.query.check.findings import Checked, Finding

if TYPE_CHECKING:
    from neo4j import Driver

_RULE = "explain"
_TIMEOUT_SECONDS = 10.0
# What the server merely advises, or says for want of data in an empty graph.
_ADVICE = ("Performance", "PERFORMANCE", "Hint", "HINT", "Generic", "GENERIC")


def explain(
    driver: "Driver", cypher: str, *, database: str | None = None, parameters: Mapping[str, Any] | None = None
) -> tuple[Finding, ...]:
    """What the server finds in a query without running it: an error, a type other than read, or its notifications.
    With the query's `parameters` the server keeps the plan, and the run does not have to make it again.

    Notifications are notes: the server plans for what the graph holds now. Raises the driver's ServiceUnavailable and
    the like when the server cannot be asked.
    """
    if cypher.lstrip()[:8].upper().startswith(("EXPLAIN", "PROFILE", "CYPHER")):
        return (_finding(cypher, "Only the bare query can be explained", 1, 1),)
    with driver.session(database=database, default_access_mode=READ_ACCESS, fetch_size=1) as session:
        try:
            # On a line of its own the positions that the server tells are those of the query.
            summary = session.run(
                Query(f"EXPLAIN\n{cypher}", timeout=_TIMEOUT_SECONDS), dict(parameters or {})
            ).consume()
        except (ClientError, DatabaseError) as error:
            return (_failed(cypher, error),)
    found: list[Finding] = []
    if summary.query_type != "r":
        found.append(_finding(cypher, "The server says that the query does more than read", 1, 1))
    for status in summary.gql_status_objects:
        category = status.raw_classification or ""
        if not status.is_notification or category in _ADVICE:
            continue
        position = status.position
        line, column = (position.line - 1, position.column) if position is not None else (1, 1)
        found.append(_finding(cypher, status.status_description, max(line, 1), column, note=True))
    return tuple(dict.fromkeys(found))


def explained(
    driver: "Driver", checked: Checked, *, database: str | None = None, parameters: Mapping[str, Any] | None = None
) -> Checked:
    """A checked query with the server's findings; refused when the server would not run it."""
    if not checked.runnable:
        return checked
    found = explain(driver, checked.cypher, database=database, parameters=parameters)
    refused = any(not finding.note for finding in found)
    status = "REFUSED" if refused else checked.status
    return Checked(status=status, cypher=checked.cypher, findings=(*checked.findings, *found))


def _failed(cypher: str, error: Neo4jError) -> Finding:
    message = (error.message or str(error)).split("\n", 1)[0]
    line, column = 1, 1
    place = message.rfind("(line ")
    if place >= 0:
        numbers = [int(word) for word in message[place:].replace(",", " ").split() if word.isdigit()]
        if len(numbers) >= 2:
            line, column = max(numbers[0] - 1, 1), numbers[1]
        message = message[:place].rstrip()
    return _finding(cypher, message, line, column)


def _finding(cypher: str, message: str, line: int, column: int, *, note: bool = False) -> Finding:
    lines = cypher.split("\n")
    start = sum(len(one) + 1 for one in lines[: line - 1]) + column - 1
    return Finding(
        rule=_RULE,
        message=message,
        line=line,
        column=column,
        highlight=highlight(cypher, min(start, len(cypher)), min(start, len(cypher)) + 1),
        note=note,
    )
