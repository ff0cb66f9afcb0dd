"""The checker without a server: its cases, its promises about any text, and graphs that are not this one."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cpq_graph.errors import ConfigurationError
from cpq_graph.evaluation.fault_kinds import KINDS, Gold, inject
from cpq_graph.evaluation.hostile import attempts
from cpq_graph.model import MODEL
from cpq_graph.query.check import Checked, GraphSchema, Triple, check, schema_of
from cpq_graph.query.check.parser import parse
from cpq_graph.query.check.rules import READING, RULES
from cpq_graph.query.check.tokens import tokenize
from cpq_graph.query.compile import compile_plan
from cpq_graph.query.plan import Plan
from tests.check_cases import FOLDER, Case, Places, cases
from tests.plan_strategies import plans

SCHEMA = schema_of(MODEL)
GOLD = sorted((Path(__file__).parent / "cases" / "gold").glob("*.cypher"))
quick = settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))


def of_kind(kind: str) -> list[Case]:
    return [case for case in cases() if case.kind == kind]


@pytest.mark.parametrize("case", of_kind("pass"), ids=str)
def test_what_is_right_is_not_touched(case: Case) -> None:
    checked = check(case.text, SCHEMA, lookup=Places())
    assert (checked.status, checked.cypher) == ("OK", case.text), checked.findings


@pytest.mark.parametrize("case", of_kind("repair"), ids=str)
def test_what_has_one_repair_is_repaired(case: Case) -> None:
    checked = check(case.text, SCHEMA, lookup=Places())
    assert (checked.status, checked.cypher) == ("REPAIRED", case.expected), checked.findings
    assert any(finding.rule == case.rule and finding.repaired for finding in checked.findings)
    again = check(checked.cypher, SCHEMA, lookup=Places())
    assert (again.status, again.cypher) == ("OK", checked.cypher), "a repair has to hold"


@pytest.mark.parametrize("case", of_kind("refuse"), ids=str)
def test_what_has_no_one_repair_is_refused(case: Case) -> None:
    checked = check(case.text, SCHEMA, lookup=Places())
    assert checked.status == "REFUSED", checked.cypher
    assert all(finding.message and finding.line >= 1 and finding.column >= 1 for finding in checked.findings)
    assert any(not finding.repaired and not finding.note for finding in checked.findings)


def test_every_rule_has_its_cases() -> None:
    rules = {rule.name for rule in (*READING, *RULES)}
    assert {file.stem for file in FOLDER.glob("*.txt")} == rules


@pytest.mark.parametrize("file", GOLD, ids=lambda file: file.stem)
def test_gold_queries_are_not_touched(file: Path) -> None:
    text = file.read_text()
    checked = check(text, SCHEMA)
    assert (checked.status, checked.cypher) == ("OK", text), checked.findings


@quick
@given(plans())
def test_compiled_plans_are_not_touched(plan: Plan) -> None:
    cypher = compile_plan(plan).cypher
    checked = check(cypher, SCHEMA)
    assert (checked.status, checked.cypher) == ("OK", cypher), checked.findings


def test_findings_tell_the_place_in_the_text_as_it_was_given() -> None:
    text = "Here:\n```\nMATCH (o:Offr)\nWHERE o.dat > date()\nRETURN o.id\n```"
    checked = check(text, SCHEMA)
    places = {(finding.rule, finding.line, finding.column) for finding in checked.findings}
    assert places == {("envelope", 1, 1), ("labels", 3, 10), ("properties", 4, 9)}
    highlight = next(finding.highlight for finding in checked.findings if finding.rule == "properties")
    assert highlight == "WHERE o.dat > date()\n        ^^^"


def test_all_findings_are_collected() -> None:
    checked = check("MATCH (c:Customer)-[:BOUGHT]->(o:Offer) WHERE o.colour = 1 RETURN c.x, soundex(o.id), z", SCHEMA)
    assert {finding.rule for finding in checked.findings} >= {"labels", "types", "properties", "functions", "variables"}


_SEEDS = st.sampled_from([case.text for case in cases()] + [file.read_text() for file in GOLD])
_WORDS = [
    "MATCH",
    "RETURN",
    "WITH",
    "/*",
    "*/",
    "//",
    "\\u0027",
    "\\u",
    "->",
    "<-",
    "EXISTS{",
    "}",
    "CASE",
    "END",
    "..",
]
_PIECES = st.sampled_from([*"'\"`\\()[]{}<>-=.,:;|&!*$/ \n\r\x00é\u2028aA1", *_WORDS])


@quick
@given(_SEEDS, st.lists(st.tuples(st.floats(0, 1), st.integers(0, 6), _PIECES), min_size=1, max_size=6))
def test_any_text_is_answered(seed: str, changes: list[tuple[float, int, str]]) -> None:
    for at, cut, piece in changes:
        place = int(at * len(seed))
        seed = seed[:place] + piece + seed[place + cut :]
    answered(seed)


@quick
@given(st.text(max_size=200))
def test_any_characters_are_answered(text: str) -> None:
    answered(text)


_EXTREMES = (
    *("", " ", ";", "(" * 3000, "x" * 200_000, "RETURN " + "[" * 500, "RETURN " + "NOT " * 5000 + "true"),
    *("RETURN " + "-" * 3000 + "1", "MATCH (n:" + "!" * 3000 + "A) RETURN n.id"),
    *("RETURN 1" + " + 1" * 20_000, "RETURN 1" + " OR 1" * 9_000),
)


@pytest.mark.parametrize("text", _EXTREMES, ids=lambda text: f"{text[:12]}…{len(text)}")
def test_extreme_texts_are_answered(text: str) -> None:
    answered(text)


def answered(text: str) -> Checked:
    checked = check(text, SCHEMA)
    if checked.status == "REFUSED":
        assert any(not finding.repaired and not finding.note for finding in checked.findings)
    else:
        assert parse(checked.cypher).error is None
    if checked.status == "OK":
        assert checked.cypher == text
    return checked


@quick
@given(st.text(alphabet="ab '\"`/*\\\n", max_size=40))
def test_tokens_cover_the_text_in_order(text: str) -> None:
    try:
        tokens = tokenize(text)
    except Exception as error:
        assert hasattr(error, "start")
        return
    places = [(token.start, token.end) for token in tokens]
    assert all(start <= end <= following for (start, end), (following, _) in pairwise(places))
    assert all(text[token.start : token.end] == token.text for token in tokens)


def test_hostile_texts_get_no_further_than_a_read() -> None:
    hostile = attempts(1)
    for _ in range(1500):
        attempt = next(hostile)
        checked = answered(attempt.text)
        if checked.runnable:
            # Without strings and comments nothing is left of what it tried.
            words = {token.value for token in tokenize(checked.cypher) if token.kind == "word"}
            assert not words & {"CREATE", "MERGE", "SET", "DELETE", "REMOVE", "LOAD", "SHOW", "DROP", "APOC", "DBMS"}


def test_every_kind_of_fault_is_injected() -> None:
    golds = [Gold(file.stem, file.read_text(), {}) for file in GOLD]
    assert {fault.kind for gold in golds for fault in inject(gold)} == set(KINDS)


MOVIES = GraphSchema(
    labels={
        "Person": {"name": "STRING", "born": "INTEGER"},
        "Actor": {"name": "STRING", "born": "INTEGER"},
        "Movie": {"title": "STRING", "released": "ZONED DATETIME", "rating": "FLOAT"},
        "odd label": {"a key": "ANY"},
    },
    relationship_types={"ACTED_IN": {"roles": "LIST<STRING>"}, "FOLLOWS": {}, "in-between": {}},
    triples=(
        Triple("Person", "ACTED_IN", "Movie"),
        Triple("Actor", "ACTED_IN", "Movie"),
        Triple("Person", "FOLLOWS", "Person"),
        Triple("Movie", "in-between", "odd label"),
    ),
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "MATCH (m:Movie)-[:ACTED_IN]->(p:Person) RETURN p.name",
            "MATCH (m:Movie)<-[:ACTED_IN]-(p:Person) RETURN p.name",
        ),
        ("MATCH (a:Person)<-[:FOLLOWS]-(b:Person) RETURN b.name", None),
        ("MATCH (p:Person:Actor)-[:ACTED_IN]->(m) RETURN m.title", None),
        ("MATCH (x)-[:ACTED_IN]->(m), (x)-[:FOLLOWS]->(y) RETURN y.name", None),
        ("MATCH (o:OddLabel) RETURN o.`a key`", "MATCH (o:`odd label`) RETURN o.`a key`"),
        ("MATCH (p:Person)-[r:ACTED_IN]->(m) RETURN r.role", "MATCH (p:Person)-[r:ACTED_IN]->(m) RETURN r.roles"),
        (
            "MATCH (m:Movie) WHERE m.released > date('2000-01-01') RETURN m.title",
            "MATCH (m:Movie) WHERE date(m.released) > date('2000-01-01') RETURN m.title",
        ),
        ("MATCH (m:Movie) RETURN m.title ORDER BY m.rating DESC LIMIT 3", None),
        ("MATCH (m:Movie) RETURN m", "MATCH (m:Movie) RETURN m.title"),
    ],
)
def test_another_graph(text: str, expected: str | None) -> None:
    checked = check(text, MOVIES)
    assert (checked.status, checked.cypher) == ("OK" if expected is None else "REPAIRED", expected or text)


def test_a_schema_survives_its_file() -> None:
    for schema in (SCHEMA, MOVIES):
        assert GraphSchema.from_json(schema.to_json()) == schema
    assert "GraphState" not in SCHEMA.to_json()
    assert ("ProductFamily", "ProductFamily") in SCHEMA.pairs["HAS_CHILD"]


@pytest.mark.parametrize(
    "text", ["", "[]", '{"labels": {}}', '{"labels": [], "triples": [1]}', json.dumps({"labels": 1})]
)
def test_a_wrong_schema_file_says_so(text: str) -> None:
    with pytest.raises(ConfigurationError, match="no schema"):
        GraphSchema.from_json(text)
