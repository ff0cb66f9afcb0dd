"""A graph that is not what was loaded is found out, whatever is wrong with it."""

import pytest
from small_graph import small_frames

from cpq_graph.errors import TargetError
from cpq_graph.servers import Address
from load.bolt import load_over_bolt
from load.database import connect
from load.frames import count
from load.reconcile import CHECKS, reconcile


def test_the_right_graph_passes(clean_neo4j: Address) -> None:
    frames = small_frames()
    with connect(clean_neo4j) as database:
        load_over_bolt(database, frames)
        assert reconcile(database, count(frames)) == count(frames)


@pytest.mark.parametrize(
    ("damage", "repair", "found"),
    [
        ("MERGE (:Tab {id: 'x'})", "MATCH (n:Tab {id: 'x'}) DELETE n", "Tab: 8 expected, 9 in the graph"),
        ("CREATE (:Stranger)", "MATCH (n:Stranger) DELETE n", "label of the model"),
        (
            "MATCH (a:Offer {id: 'O1'}), (b:User) CREATE (a)-[:LIKES]->(b)",
            "MATCH ()-[r:LIKES]->() DELETE r",
            "relationships in the graph",
        ),
        (
            "MATCH (a:Product {id: 'P1'}), (b:Attribute {value: 'vari'}) CREATE (a)-[:HAS_ATTRIBUTE]->(b)",
            "MATCH (:Product)-[r:HAS_ATTRIBUTE]->() DELETE r",
            "HAS_ATTRIBUTE into Attribute",
        ),
        (
            "MATCH (o:Offer {id: 'O1'}), (p:Participant {id: 'A2'}) CREATE (o)-[:SENT_BY]->(p)",
            "MATCH (:Offer {id: 'O1'})-[r:SENT_BY]->(:Participant {id: 'A2'}) DELETE r",
            "at_most_one",
        ),
        (
            "MATCH (:Product {id: 'P1'})-[r:CONFIGURED_AS]->() DELETE r",
            "MATCH (p:Product {id: 'P1'}), (f:ProductFamily {id: 'P1/f'}) CREATE (p)-[:CONFIGURED_AS]->(f)",
            "exactly_one_owner",
        ),
        ("CREATE (:Attribute {type: 't', value: 'v'})", "MATCH (n:Attribute {type: 't'}) DELETE n", "in_use"),
        ("CREATE (:Attribute {type: 't'})", "MATCH (n:Attribute {type: 't'}) DELETE n", "keys_present"),
        (
            "MATCH (:ProductFamily {id: 'P1/f'})-[r:HAS_TAB]->(:Tab {id: 'P1/f.t.i'}) DELETE r",
            "MATCH (f:ProductFamily {id: 'P1/f'}), (t:Tab {id: 'P1/f.t.i'}) CREATE (f)-[:HAS_TAB {position: 1}]->(t)",
            "nested_tab_has_its_family",
        ),
    ],
)
def test_damage_is_found(clean_neo4j: Address, damage: str, repair: str, found: str) -> None:
    frames = small_frames()
    with connect(clean_neo4j) as database:
        database.write(damage)
        with pytest.raises(TargetError, match=found):
            reconcile(database, count(frames))
        database.write(repair)
        reconcile(database, count(frames))


def test_there_are_checks() -> None:
    assert len(list(CHECKS.glob("*.cypher"))) >= 5
