"""What Neo4j does for a statement: its PROFILE as a table.

Arrives: the graph that serves, and a compiled query. Leaves: `Operator`s in the order of Neo4j's own drawing (the last
runs first), with the rows that were expected and came, and the accesses to the store.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import neo4j

from cpq_graph.bolt import open_driver
from cpq_graph.manifest import read_serving
from cpq_graph.query.compile import Query
from cpq_graph.servers import Address
from cpq_graph.settings import Settings

_DETAILS = 90


class Operator(NamedTuple):
    """One operator of a plan, so many branches in."""

    depth: int
    name: str
    details: str
    expected: float
    rows: int
    hits: int


def serving_session(settings: Settings) -> neo4j.Session:
    """A session that reads the graph that serves."""
    graph = read_serving(settings.data_dir).current
    uri = settings.neo4j_uri or graph.uri
    address = Address(uri, settings.neo4j_user, graph.database, settings.target_ca_file)
    driver = open_driver(address, settings.target_password)
    return driver.session(database=graph.database, default_access_mode=neo4j.READ_ACCESS)


def profiled(session: neo4j.Session, query: Query) -> list[Operator]:
    """The plan of a query, run once."""
    summary = session.run(neo4j.Query(f"PROFILE {query.cypher}"), query.parameters).consume()
    return list(_operators(summary.profile or {}, 0))


def _operators(plan: Mapping[str, Any], depth: int) -> Iterator[Operator]:
    arguments = plan.get("args", {})
    details = " ".join(str(arguments.get("Details", "")).split())
    name = str(plan["operatorType"]).partition("@")[0]
    yield Operator(depth, name, details, arguments.get("EstimatedRows", 0.0), plan["rows"], plan["dbHits"])
    children = plan.get("children", [])
    for number, child in reversed(list(enumerate(children))):
        # As Neo4j draws it: what feeds an operator stands below it, a second branch one step in.
        yield from _operators(child, depth + number)


def as_table(operators: list[Operator]) -> list[str]:
    """The lines of a Markdown table."""
    lines = ["| operator | of | expected | rows | db hits |", "|---|---|---:|---:|---:|"]
    for each in operators:
        details = each.details if len(each.details) <= _DETAILS else each.details[: _DETAILS - 1] + "…"
        # A bar would end the cell.
        details = details.replace("|", "\\|").replace("`", "")
        indent = "· " * each.depth
        lines.append(f"| {indent}{each.name} | {details} | {each.expected:.0f} | {each.rows} | {each.hits} |")
    return [*lines, f"| all | | | | {sum(each.hits for each in operators)} |"]
