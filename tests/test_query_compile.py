"""Compiled plans against the oracle, on a live graph."""

import os
from collections.abc import Iterator
from math import isclose

import neo4j
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from cpq_graph.query.compile import Query, compile_plan
from cpq_graph.query.execute import run_read
from cpq_graph.query.plan import Plan
from cpq_graph.servers import Address
from tests.oracle import Oracle
from tests.plan_strategies import plans
from tests.random_graph import create, random_frames

EXAMPLES = int(os.environ.get("CPQ_GRAPH_TEST_PLANS", "150"))
SEED = int(os.environ.get("CPQ_GRAPH_TEST_SEED", "1"))
live = settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), derandomize=EXAMPLES == 150
)


class Live:
    """A graph, and the oracle over the frames that it was made of."""

    def __init__(self, driver: neo4j.Driver, database: str) -> None:
        self.driver, self.database = driver, database
        frames = random_frames(SEED)
        create(driver, database, frames)
        self.oracle = Oracle(frames)

    def run(self, query: Query) -> list[tuple[object, ...]]:
        found = run_read(self.driver, self.database, query.cypher, query.parameters, timeout_s=60, max_rows=1_000_000)
        assert found.columns == tuple(column.name for column in query.columns)
        return [tuple(row.values()) for row in found.rows]


@pytest.fixture(scope="module")
def graph(clean_neo4j: Address) -> Iterator[Live]:
    with neo4j.GraphDatabase.driver(clean_neo4j.uri, notifications_min_severity="OFF") as driver:
        yield Live(driver, clean_neo4j.database)


def same(left: object, right: object) -> bool:
    if isinstance(left, int | float) and isinstance(right, int | float):
        return isclose(left, right, rel_tol=1e-6, abs_tol=1e-9)
    return left == right


def rows_match(found: list[tuple[object, ...]], expected: list[tuple[object, ...]]) -> bool:
    return len(found) == len(expected) and all(
        len(a) == len(b) and all(map(same, a, b)) for a, b in zip(found, expected, strict=True)
    )


@given(plan=plans())
@live
def test_a_compiled_plan_answers_as_the_oracle(graph: Live, plan: Plan) -> None:
    query = compile_plan(plan)
    found, expected = graph.run(query), graph.oracle.answer(plan)
    assert rows_match(found, expected), f"{query.cypher}\n{query.parameters}\n{found[:20]}\n{expected[:20]}"


@given(data=st.data())
@live
def test_plans_that_mean_different_things_compile_to_different_queries(graph: Live, data: st.DataObject) -> None:
    one, other = data.draw(plans()), data.draw(plans())
    first, second = compile_plan(one), compile_plan(other)
    assume((first.cypher, first.parameters) == (second.cypher, second.parameters))
    assert graph.oracle.answer(one) == graph.oracle.answer(other)
