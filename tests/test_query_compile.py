"""Compiled plans against the oracle, on a live graph.

`CPQ_GRAPH_TEST_PLANS=5000` makes a long run of it, `CPQ_GRAPH_TEST_SEED` another graph.
"""

import os
from collections.abc import Iterator
from math import isclose
from pathlib import Path
from typing import Any

import neo4j
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from cpq_graph.errors import PlanError
from cpq_graph.query.compile import Query, compile_plan, validate
from cpq_graph.query.execute import run_read
from cpq_graph.query.plan import Aggregate, FeatureField, Grain, Measure, Operator, Plan, Role, Unit
from cpq_graph.servers import Address
from tests.oracle import Oracle
from tests.plan_strategies import plans
from tests.random_graph import create, random_frames

EXAMPLES = int(os.environ.get("CPQ_GRAPH_TEST_PLANS", "60"))
SEED = int(os.environ.get("CPQ_GRAPH_TEST_SEED", "1"))
live = settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), derandomize=EXAMPLES == 60
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


@pytest.mark.timeout(900)  # the server plans each statement anew: a second each on a busy machine
@given(plan=plans())
@live
def test_a_compiled_plan_answers_as_the_oracle(graph: Live, plan: Plan) -> None:
    query = compile_plan(plan)
    found, expected = graph.run(query), graph.oracle.answer(plan)
    assert rows_match(found, expected), f"{query.cypher}\n{query.parameters}\n{found[:20]}\n{expected[:20]}"


ENUMS = {
    value.value: [other.value for other in kind if other is not value]
    for kind in (Operator, Role, Unit, Aggregate, Grain)
    for value in kind
}


def leaves(part: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], object]]:
    """Every value in a plan's JSON, with the way to it."""
    if isinstance(part, dict | list):
        for key, inner in part.items() if isinstance(part, dict) else enumerate(part):
            yield from leaves(inner, (*path, key))
    else:
        yield path, part


def others(value: object) -> list[object]:
    """Values that a plan might have had instead."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int | float):
        return [value + 1]
    if isinstance(value, str):
        return [*ENUMS.get(value, []), {"name": "measure", "measure": "name"}.get(value, value + "x")]
    return [1, "sent", [0]]


def neighbours(plan: Plan) -> Iterator[Plan]:
    """Every valid plan that differs in one value."""
    for path, value in leaves(plan.model_dump(mode="json")):
        for other in others(value):
            changed = plan.model_dump(mode="json")
            part: Any = changed
            for key in path[:-1]:
                part = part[key]
            part[path[-1]] = other
            try:
                neighbour = Plan.model_validate(changed)
                validate(neighbour)
            except (ValidationError, PlanError):
                continue
            if neighbour != plan:
                yield neighbour


def text_of(plan: Plan) -> str:
    query = compile_plan(plan)
    return f"{query.cypher}\n{sorted(query.parameters.items(), key=str)!r}"


@given(some=st.lists(plans(), min_size=2, max_size=12, unique=True))
@settings(max_examples=max(30, EXAMPLES // 5), deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_plans_that_mean_different_things_compile_to_different_queries(graph: Live, some: list[Plan]) -> None:
    compiled: dict[str, Plan] = {}
    for plan in [*some, *neighbours(some[0])]:
        same_text = compiled.setdefault(text_of(plan), plan)
        assert graph.oracle.answer(same_text) == graph.oracle.answer(plan), (same_text, plan)


@given(plan=plans())
@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_no_text_of_a_plan_becomes_cypher(plan: Plan) -> None:
    """Every text that a plan's maker may choose is replaced by one that would end whatever it stood in."""
    wicked = "x'`\"}) RETURN 1 //\\u0027"
    changed = plan.model_dump(mode="json")
    for path, value in leaves(changed):
        part: Any = changed
        for key in path[:-1]:
            part = part[key]
        if path[-1] == "ext_id" or (
            isinstance(path[-1], int) and path[-2] == "values" and is_free(part, changed, path)
        ):
            part[path[-1]] = wicked if isinstance(value, str) else value
    query = compile_plan(Plan.model_validate(changed))
    assert "RETURN 1" not in query.cypher
    assert all("RETURN 1" not in column.name for column in query.columns)


def is_free(part: object, changed: Any, path: tuple[str | int, ...]) -> bool:
    """Whether the compared field takes any text: no day and no period."""
    for key in path[:-2]:
        changed = changed[key]
    field = changed["field"]
    return field["kind"] != "period" and field.get("property") != "date"


def test_the_same_plan_compiles_to_the_same_query() -> None:
    plan = Plan(
        grain=Grain.PRODUCT,
        group_by=tuple(FeatureField(ext_id=name) for name in ("c", "a", "b")),
        measures=(Measure(aggregate=Aggregate.COUNT),),
    )
    assert text_of(plan) == text_of(Plan.model_validate_json(plan.model_dump_json()))


GOLDEN = Path(__file__).parent / "cases" / "compile"


@pytest.mark.parametrize("case", sorted(GOLDEN.glob("*.json")), ids=lambda path: path.stem)
def test_typical_plans_compile_to_what_an_expert_would_write(case: Path) -> None:
    query = compile_plan(Plan.model_validate_json(case.read_text(encoding="utf-8")))
    assert query.cypher + "\n" == case.with_suffix(".cypher").read_text(encoding="utf-8")
