"""The checker beside a real server: what it lets through plans there, and nothing that it lets through writes."""

import json
import re
import socket
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import neo4j
import pytest

from cpq_graph.evaluation.fault_kinds import Gold
from cpq_graph.evaluation.faults import FaultReport, fault_report
from cpq_graph.evaluation.hostile import attempts, fingerprint, fuzz
from cpq_graph.model import MODEL
from cpq_graph.query.check import check, schema_of
from cpq_graph.query.check.explain import explain, explained
from cpq_graph.query.check.kinds import plain
from cpq_graph.query.check.live import live_schema
from cpq_graph.query.check.lookup import GraphLookup
from cpq_graph.servers import Address
from tests.check_cases import Case, cases
from tests.random_graph import create, random_frames

SCHEMA = schema_of(MODEL)
FOLDER = Path(__file__).parent / "cases" / "gold"


@pytest.fixture(scope="module")
def driver(clean_neo4j: Address) -> Iterator[neo4j.Driver]:
    with neo4j.GraphDatabase.driver(clean_neo4j.uri, warn_notification_severity="OFF") as driver:
        create(driver, clean_neo4j.database, random_frames(1, 40))
        yield driver


def golds() -> list[Gold]:
    found = []
    for file in sorted(FOLDER.glob("*.cypher")):
        text = file.read_text()
        given = re.search(r"// params: (.*)", text)
        found.append(Gold(file.stem, text, json.loads(given[1]) if given else {}))
    return found


def errors(driver: neo4j.Driver, text: str) -> list[str]:
    return [finding.message for finding in explain(driver, text) if not finding.note]


def test_the_server_plans_what_passes_and_what_was_repaired(driver: neo4j.Driver) -> None:
    wrong: list[tuple[Case, list[str]]] = []
    for case in cases():
        if case.kind != "refuse":
            found = errors(driver, case.expected)
            if found:
                wrong.append((case, found))
    assert not wrong


def test_explain_says_what_is_wrong_and_where(driver: neo4j.Driver) -> None:
    (undefined,) = explain(driver, "MATCH (o:Offer)\nRETURN p.id")
    assert (undefined.line, undefined.column, undefined.note) == (2, 8, False)
    assert undefined.highlight == "RETURN p.id\n       ^"
    assert errors(driver, "CREATE (o:Offer) RETURN o.id") == ["The server says that the query does more than read"]
    assert errors(driver, "EXPLAIN MATCH (o:Offer) RETURN o.id") == ["Only the bare query can be explained"]
    (note,) = explain(driver, "MATCH (o:Nowhere) RETURN o.id")
    assert note.note and "Nowhere" in note.message


def test_what_the_server_refuses_is_refused(driver: neo4j.Driver) -> None:
    checked = check("MATCH (o:Offer) RETURN o.version LIMIT o.id", SCHEMA)
    assert checked.status == "OK"
    refused = explained(driver, checked)
    assert refused.status == "REFUSED" and refused.findings[-1].rule == "explain"
    fine = check("MATCH (o:Offer) RETURN o.id", SCHEMA)
    assert explained(driver, fine).status == "OK"


def test_the_schema_of_the_live_graph(driver: neo4j.Driver) -> None:
    live = live_schema(driver)
    assert live.single_label and live.nulls_known
    for label, properties in live.labels.items():
        for name, kind in properties.items():
            assert plain(kind) == plain(SCHEMA.labels[label][name])
    assert set(live.labels) == set(SCHEMA.labels)
    known = {(triple.start, triple.type, triple.end) for triple in SCHEMA.triples}
    found = {(triple.start, triple.type, triple.end) for triple in live.triples}
    assert found <= known and len(found) >= len(known) - 4
    checked = check("MATCH (o:Offer)<-[:SENT_BY]-(p:Participant) RETURN p.name", live)
    assert checked.cypher == "MATCH (o:Offer)-[:SENT_BY]->(p:Participant) RETURN p.name"


def test_labels_can_be_left_out_of_the_live_schema(driver: neo4j.Driver) -> None:
    live = live_schema(driver, without=frozenset({"Attribute"}))
    assert "Attribute" not in live.labels
    assert all("Attribute" not in (triple.start, triple.end) for triple in live.triples)


def test_values_are_found_where_they_are(driver: neo4j.Driver) -> None:
    lookup = GraphLookup(driver, SCHEMA)
    assert ("Participant", "company") in lookup.places("Härmä Oy")
    assert lookup.places("'; MATCH (n) DETACH DELETE n //") == ()
    checked = check("MATCH (p:Participant {name: 'Härmä Oy'}) RETURN count(p)", SCHEMA, lookup=lookup)
    assert checked.cypher == "MATCH (p:Participant {company: 'Härmä Oy'}) RETURN count(p)"


def test_hostile_texts_change_nothing_and_open_nothing(driver: neo4j.Driver) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/hostile"
        report = fuzz(driver, SCHEMA, attempts(7, url=url), 400)
        with pytest.raises(BlockingIOError):
            listener.accept()
    assert report.clean, (report.leaks, report.silent)
    assert sum(report.counts.values()) == 400


def test_the_fingerprint_sees_a_change(driver: neo4j.Driver) -> None:
    before = fingerprint(driver, None)
    with driver.session() as session:
        session.run("CREATE (:Hostile {id: 1})").consume()
        assert fingerprint(driver, None) != before
        session.run("MATCH (n:Hostile) DELETE n").consume()


@pytest.fixture(scope="module")
def report(driver: neo4j.Driver) -> FaultReport:
    def run(cypher: str, parameters: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        with driver.session(default_access_mode=neo4j.READ_ACCESS) as session:
            return [tuple(row) for row in session.run(neo4j.Query(cypher, timeout=30), parameters).values()]

    return fault_report(golds(), SCHEMA, run, lookup=GraphLookup(driver, SCHEMA))


def test_right_queries_are_left_as_they_are(report: FaultReport) -> None:
    assert not report.changed
    assert report.right >= 40


@pytest.mark.parametrize(
    ("kind", "least"),
    [
        ("direction reversed", 0.98),
        ("near-miss name", 0.98),
        ("unsupported function", 0.98),
        ("type mismatch", 0.98),
        ("fence and prose", 0.98),
        ("value misplaced", 0.9),
        ("hop left out", 0.9),
    ],
)
def test_faults_are_repaired_to_the_right_answer(report: FaultReport, kind: str, least: float) -> None:
    assert report.share(kind, "repaired") >= least, report.to_markdown()


@pytest.mark.parametrize(
    ("kind", "least"),
    [
        ("price summed twice", 0.9),
        ("denominator filtered", 0.9),
        ("variable not carried", 0.9),
        ("whole node", 0.9),
        ("nulls first", 0.9),
    ],
)
def test_faults_are_refused_or_repaired(report: FaultReport, kind: str, least: float) -> None:
    assert report.share(kind, "repaired", "refused") >= least, report.to_markdown()


def test_writes_are_refused(report: FaultReport) -> None:
    assert report.counts("write added").keys() == {"refused"}
