"""Read-only runs: values as JSON, cuts, and the server's refusals as errors that say what to do."""

import json
from collections.abc import Iterator
from typing import Any

import neo4j
import pytest

from cpq_graph.errors import QueryError, QueryMemoryError, QuerySyntaxError, QueryTimeoutError
from cpq_graph.query.execute import Rows, run_read
from cpq_graph.servers import Address


@pytest.fixture(scope="module")
def server(clean_neo4j: Address) -> Iterator[tuple[neo4j.Driver, str]]:
    with neo4j.GraphDatabase.driver(clean_neo4j.uri, notifications_min_severity="OFF") as driver:
        driver.execute_query(
            "CREATE (:Offer {id: 'O1', date: date('2024-07-16')})-[:CONTAINS]->(:Content {total_price: 12.5})",
            database_=clean_neo4j.database,
        )
        yield driver, clean_neo4j.database


def run(
    server: tuple[neo4j.Driver, str], cypher: str, *, timeout_s: float = 60, max_rows: int = 100, **given: Any
) -> Rows:
    driver, database = server
    return run_read(driver, database, cypher, given, timeout_s=timeout_s, max_rows=max_rows)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("null", None),
        ("true", True),
        ("9007199254740993", 9007199254740993),
        ("0.0 / 0.0", None),
        ("-1.0 / 0.0", None),
        ("date('2024-02-29')", "2024-02-29"),
        ("datetime('2024-02-29T10:00:00+02:00')", "2024-02-29T10:00:00+02:00"),
        ("localdatetime('2024-02-29T10:00:00.5')", "2024-02-29T10:00:00.500000000"),
        ("time('10:00+02:00')", "10:00:00+02:00"),
        ("localtime('10:00')", "10:00:00"),
        ("duration('P1M2DT3S')", "P1M2DT3S"),
        ("point({x: 1, y: 2})", {"srid": 7203, "coordinates": [1.0, 2.0]}),
        ("[1, [date('2024-01-01')], null]", [1, ["2024-01-01"], None]),
        ("{a: date('2024-01-01'), b: 0.0 / 0.0}", {"a": "2024-01-01", "b": None}),
        ("'ä®\\n\\u0000'", "ä®\n\0"),
    ],
)
def test_every_value_becomes_json(server: tuple[neo4j.Driver, str], expression: str, expected: object) -> None:
    rows = run(server, f"RETURN {expression} AS x").rows
    assert rows == [{"x": expected}]
    assert json.loads(json.dumps(rows, allow_nan=False)) == rows


def test_graph_elements_become_json(server: tuple[neo4j.Driver, str]) -> None:
    found = run(server, "MATCH path = (o:Offer)-[r]->() RETURN path, o, r")
    offer = {"labels": ["Offer"], "properties": {"id": "O1", "date": "2024-07-16"}}
    content = {"labels": ["Content"], "properties": {"total_price": 12.5}}
    link = {"type": "CONTAINS", "properties": {}}
    assert found.columns == ("path", "o", "r")
    assert found.rows == [{"path": {"nodes": [offer, content], "relationships": [link]}, "o": offer, "r": link}]
    json.dumps(found.rows, allow_nan=False)


@pytest.mark.parametrize(("rows", "kept", "truncated"), [(0, 0, False), (4, 4, False), (5, 5, False), (6, 5, True)])
def test_the_row_cap_says_when_it_cut(server: tuple[neo4j.Driver, str], rows: int, kept: int, truncated: bool) -> None:
    found = run(server, "UNWIND range(1, $rows) AS x RETURN x", max_rows=5, rows=rows)
    assert (len(found.rows), found.truncated, found.columns) == (kept, truncated, ("x",))


def test_the_row_cap_does_not_read_on(server: tuple[neo4j.Driver, str]) -> None:
    # Ten thousand million rows: only a stream that stops can end.
    found = run(server, "UNWIND range(1, 100000) AS x UNWIND range(1, 100000) AS y RETURN x, y", max_rows=10)
    assert found.truncated
    assert len(found.rows) == 10


def test_a_query_that_runs_too_long_is_stopped(server: tuple[neo4j.Driver, str]) -> None:
    with pytest.raises(QueryTimeoutError, match=r"longer than 0\.3 s"):
        run(server, "UNWIND range(1, 1000000) AS x UNWIND range(1, 1000000) AS y RETURN count(*)", timeout_s=0.3)


def test_a_query_that_takes_too_much_memory_is_stopped(server: tuple[neo4j.Driver, str]) -> None:
    with pytest.raises(QueryMemoryError, match="memory"):
        run(server, "UNWIND range(1, 100000) AS x RETURN size(collect([y IN range(1, 100000) | x + y]))")


@pytest.mark.parametrize(
    ("cypher", "line", "column"),
    [("MATCH (n RETURN n", 1, 10), ("RETURN 1 AS x,\n  nowhere", 2, 3), ("RETURN 1 + date('2024-01-01')", 1, 12)],
)
def test_wrong_cypher_says_where(server: tuple[neo4j.Driver, str], cypher: str, line: int, column: int) -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        run(server, cypher)
    assert (caught.value.line, caught.value.column) == (line, column)


@pytest.mark.parametrize("cypher", ["CREATE (:Offer)", "MATCH (n) SET n.x = 1", "CREATE INDEX FOR (n:X) ON (n.y)"])
def test_writes_are_refused(server: tuple[neo4j.Driver, str], cypher: str) -> None:
    with pytest.raises(QueryError, match="only reading"):
        run(server, cypher)
    assert run(server, "MATCH (n) RETURN count(n) AS n, count(n.x) AS x").rows == [{"n": 2, "x": 0}]


@pytest.mark.parametrize("cypher", ["RETURN 1 / 0", "RETURN $nothing"])
def test_other_refusals_keep_the_servers_words(server: tuple[neo4j.Driver, str], cypher: str) -> None:
    with pytest.raises(QueryError, match=r"Neo4j refuses the query: ."):
        run(server, cypher)
