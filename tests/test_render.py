"""What is written from the model, and that the files kept of it are current."""

import json
from pathlib import Path

from cpq_graph import render
from cpq_graph.model import ATTRIBUTE, MODEL, OFFER, OFFER_CONTAINS, VALUE_HAS_ATTRIBUTE

CHECKOUT = Path(__file__).resolve().parent.parent
SPEC_NODES = """\
User | id STRING, userid STRING, firstname STRING, lastname STRING
Participant | id STRING, title STRING, name STRING, company STRING
Offer | id STRING, language_id STRING, status STRING, date DATE, version STRING
Content | id STRING, total_price FLOAT
Subcontent | id STRING, total_price FLOAT
Product | id STRING
ProductFamily | id STRING, name STRING, product_code STRING, total_cost FLOAT
Tab | id STRING, name STRING
Parameter | id STRING, name STRING
ParameterValue | id STRING, measure STRING, name STRING, quantity INTEGER, parameterId STRING, cost FLOAT
Attribute | type STRING, value STRING
"""
SPEC_PATTERNS = """\
(:Offer)-[:HANDLED_BY]->(:User) 1:1
(:Offer)-[:SENT_BY]->(:Participant) 1:1
(:Offer)-[:DELIVERED_BY]->(:Participant) 1:1
(:Offer)-[:RECEIVED_BY]->(:Participant) 1:1
(:Offer)-[:CONTAINS]->(:Content) 1:1
(:Content)-[:CONTAINS]->(:Subcontent) 1:1
(:Subcontent)-[:CONTAINS]->(:Product) 1:N
(:Product)-[:CONFIGURED_AS]->(:ProductFamily) 1:1
(:ProductFamily)-[:HAS_TAB]->(:Tab) 1:N
(:Tab)-[:HAS_PARAMETER]->(:Parameter) 1:N
(:Parameter)-[:HAS_VALUE]->(:ParameterValue) 1:1
(:ProductFamily)-[:HAS_ATTRIBUTE]->(:Attribute) 1:N
(:Tab)-[:HAS_ATTRIBUTE]->(:Attribute) 1:N
(:Parameter)-[:HAS_ATTRIBUTE]->(:Attribute) 1:N
(:ParameterValue)-[:HAS_ATTRIBUTE]->(:Attribute) 1:N
"""


def test_schema_v2_is_the_public_schema_and_nothing_else() -> None:
    nodes, patterns = render.schema_v2().split("\n\nRelationships:\n")
    listed = nodes.removeprefix("Nodes:\n").replace(" {", " | ").replace("}", "").replace(":", "") + "\n"
    assert listed == SPEC_NODES
    assert patterns == SPEC_PATTERNS


def test_schema_v1_has_every_label_with_both_directions() -> None:
    counts = {node.label: 10 for node in MODEL.nodes} | {r.name: 3 for r in MODEL.relationships}
    schema = json.loads(render.schema_v1(counts))
    assert {name for name, entry in schema.items() if entry["type"] == "node"} == {n.label for n in MODEL.nodes}
    assert schema["Attribute"]["relationships"]["HAS_ATTRIBUTE"] == {
        "direction": "in",
        "count": 12,
        "labels": ["ProductFamily", "Tab", "Parameter", "ParameterValue"],
        "properties": {"position": {"type": "INTEGER", "indexed": False, "unique": False, "existence": False}},
    }
    assert schema["CONTAINS"]["count"] == 9
    assert schema["Tab"]["relationships"]["HAS_CHILD"]["direction"] == "out"
    assert schema["Tab"]["relationships"]["HAS_CHILD (in)"]["direction"] == "in"
    assert schema["Offer"]["properties"]["id"]["unique"] is True
    assert schema["Offer"]["properties"]["date"] == {
        "type": "DATE",
        "indexed": True,
        "unique": False,
        "existence": False,
    }


def test_csv_headers() -> None:
    assert render.node_header(OFFER) == "id:ID(Offer),language_id:string,status:string,date:date,version:string"
    assert render.node_header(ATTRIBUTE) == ":ID(Attribute),type:string,value:string"
    assert render.relationship_header(OFFER_CONTAINS) == ":START_ID(Offer),:END_ID(Content)"
    assert render.relationship_header(VALUE_HAS_ATTRIBUTE) == (
        ":START_ID(ParameterValue),:END_ID(Attribute),position:long"
    )


def test_every_key_has_a_constraint_and_every_wish_an_index() -> None:
    assert len(render.constraints()) == len(MODEL.nodes) + 1
    assert set(render.range_indexes()) == {
        "offer_date",
        "offer_status",
        "product_family_name",
        "participant_name",
        "participant_company",
        "user_userid",
    }
    names = [*render.constraints(), *render.range_indexes(), *render.full_text_indexes()]
    assert len(set(names)) == len(names)


def test_tables_and_drawing_show_all_of_the_model() -> None:
    drawing, table = render.mermaid(), render.relationship_table()
    for r in MODEL.relationships:
        assert f"{r.start.label} " in drawing
        assert f"|{r.type}| {r.end.label}\n" in drawing
        assert f"`{render.pattern(r)}` | {r.cardinality}" in table
    for node in MODEL.nodes:
        assert f"| {node.label} | " in render.node_table()


def test_generated_files_are_current() -> None:
    for name, text in render.generated().items():
        assert (CHECKOUT / name).read_text(encoding="utf-8") == text, "run: python -m cpq_graph.render"
