"""A delta leaves exactly the graph that a full load of the same source would have made, whatever changed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_graph import canonical_lines, small_frames

from cpq_graph.errors import TargetError
from cpq_graph.model import MODEL
from cpq_graph.servers import Address
from load.bolt import load_over_bolt
from load.database import Database, connect
from load.delta import Written, apply_delta, pending_offers
from load.dump import dump_graph
from load.frames import GraphFrames, count
from load.reconcile import reconcile, write_state

OFFERS = ("O1", "O2", "O3")
PRODUCTS = ("P1", "P2", "P3", "P4")
PEOPLE = ("A1", "A2")

texts = st.sampled_from(["", "a", "b", " ", "ä\n"])
features = st.dictionaries(
    st.sampled_from(["pituus", "vari"]),
    st.tuples(texts, st.none() | texts, st.none() | st.sampled_from([0.0, -0.0, 1.5]), st.integers(0, 2)),
    max_size=2,
)
sources = st.fixed_dictionaries(
    {
        "offers": st.dictionaries(
            st.sampled_from(OFFERS), st.tuples(texts, st.none() | st.sampled_from(PEOPLE), st.sampled_from(PEOPLE))
        ),
        "people": st.fixed_dictionaries({person: st.none() | texts for person in PEOPLE}),
        "contents": st.permutations(["C1", "C2", "C3"]),
        "products": st.dictionaries(
            st.sampled_from(PRODUCTS), st.tuples(st.sampled_from(OFFERS), st.booleans(), features)
        ),
    }
)


def frames_of(source: dict[str, Any], only: set[str] | None = None) -> GraphFrames:
    """The graph of a generated source, or of some of its offers."""
    nodes: dict[str, dict[str, dict[str, object]]] = {node.label: {} for node in MODEL.nodes}
    edges: dict[str, list[dict[str, object]]] = {r.name: [] for r in MODEL.relationships}

    def edge(name: str, start: str, end: str, position: int = 0) -> None:
        edges[name].append({"start": start, "end": end, "position": position})

    def attribute(label: str, owner: str, kind: str, value: str) -> None:
        nodes["Attribute"][f"{kind}|{value}"] = {"key": f"{kind}|{value}", "type": kind, "value": value}
        edge(f"{label}_HAS_ATTRIBUTE_Attribute", owner, f"{kind}|{value}")

    for offer, (status, sender, receiver) in source["offers"].items():
        if only is not None and offer not in only:
            continue
        content = source["contents"][OFFERS.index(offer)]
        nodes["Offer"][offer] = {"id": offer, "status": status}
        nodes["Content"][content] = {"id": content}
        nodes["Subcontent"][f"S{content}"] = {"id": f"S{content}"}
        edge("Offer_CONTAINS_Content", offer, content)
        edge("Content_CONTAINS_Subcontent", content, f"S{content}")
        for role, person in (("SENT_BY", sender), ("RECEIVED_BY", receiver)):
            if person is not None:
                nodes["Participant"][person] = {"id": person, "name": source["people"][person]}
                edge(f"Offer_{role}_Participant", offer, person)
        for product, (owner, nested, chosen) in source["products"].items():
            if owner != offer:
                continue
            family = f"{product}/f"
            nodes["Product"][product] = {"id": product}
            edge("Subcontent_CONTAINS_Product", f"S{content}", product)
            nodes["ProductFamily"][family] = {"id": family, "name": "F"}
            edge("Product_CONFIGURED_AS_ProductFamily", product, family)
            nodes["Tab"][f"{family}.t"] = {"id": f"{family}.t"}
            edge("ProductFamily_HAS_TAB_Tab", family, f"{family}.t")
            tab = f"{family}.t"
            if nested:
                tab = f"{family}.t.i"
                nodes["Tab"][tab] = {"id": tab}
                edge("ProductFamily_HAS_TAB_Tab", family, tab)
                edge("Tab_HAS_CHILD_Tab", f"{family}.t", tab)
                nodes["ProductFamily"][f"{family}/c"] = {"id": f"{family}/c", "name": "C"}
                edge("ProductFamily_HAS_CHILD_ProductFamily", family, f"{family}/c", 1)
            for ext_id, (name, value, cost, position) in chosen.items():
                parameter = f"{family}:{ext_id}"
                nodes["Parameter"][parameter] = {"id": parameter, "name": name}
                edge("Tab_HAS_PARAMETER_Parameter", tab, parameter, position)
                attribute("Parameter", parameter, "ext_id", ext_id)
                if value is not None:
                    nodes["ParameterValue"][f"{parameter}=v"] = {"id": f"{parameter}=v", "name": value, "cost": cost}
                    edge("Parameter_HAS_VALUE_ParameterValue", parameter, f"{parameter}=v")
                    attribute("ParameterValue", f"{parameter}=v", "note", value)
    return GraphFrames(
        {node.label: frame(list(nodes[node.label].values()), node) for node in MODEL.nodes},
        {name: pl.LazyFrame(rows) for name, rows in edges.items() if rows},
    )


def frame(rows: list[dict[str, object]], node: Any) -> pl.LazyFrame:
    columns = [*(["key"] if node.label == "Attribute" else []), *(p.name for p in node.properties)]
    return pl.LazyFrame(
        [{name: row.get(name) for name in columns} for row in rows], schema=columns if not rows else None
    )


@pytest.fixture(scope="module")
def database(clean_neo4j: Address) -> Iterator[Database]:
    with connect(clean_neo4j) as connected:
        load_over_bolt(connected, frames_of({"offers": {}, "people": {}, "contents": [], "products": {}}))
        yield connected


def lines(database: Database, path: Path) -> list[str]:
    dump_graph(database, path / "dump.txt")
    return (path / "dump.txt").read_text(encoding="utf-8").split("\n")[:-1]


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(states=st.lists(sources, min_size=2, max_size=4))
def test_a_delta_is_a_full_load(database: Database, tmp_path: Path, states: list[dict[str, Any]]) -> None:
    # Each sequence goes on from where the one before it ended.
    before = {line.split('"')[3] for line in lines(database, tmp_path) if line.startswith("N\tOffer\t")}
    for source in states:
        frames = frames_of(source)
        apply_delta(database, frames, gone=before - source["offers"].keys())
        assert lines(database, tmp_path) == canonical_lines(frames)
        before = set(source["offers"])
    assert apply_delta(database, frames) == Written()


@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
@given(source=sources, statuses=st.lists(texts, min_size=3, max_size=3))
def test_only_what_changed_is_handed_over(
    database: Database, tmp_path: Path, source: dict[str, Any], statuses: list[str]
) -> None:
    apply_delta(database, frames_of(source), gone=set(OFFERS) - source["offers"].keys())
    changed: set[str] = set()
    for offer, status in zip(OFFERS, statuses, strict=True):
        if offer in source["offers"] and source["offers"][offer][0] != status:
            source["offers"][offer] = (status, *source["offers"][offer][1:])
            changed.add(offer)
    written = apply_delta(database, frames_of(source, changed))
    assert lines(database, tmp_path) == canonical_lines(frames_of(source))
    assert written == Written(nodes=len(changed))


def test_a_person_is_updated_without_an_offer(database: Database, tmp_path: Path) -> None:
    source = {
        "offers": {"O1": ("a", "A1", "A1")},
        "people": {"A1": "old", "A2": None},
        "contents": ["C1", "C2", "C3"],
        "products": {},
    }
    apply_delta(database, frames_of(source), gone={"O2", "O3"})
    source["people"] = {"A1": "new", "A2": None}
    people = frames_of(source).nodes["Participant"]
    assert apply_delta(database, GraphFrames({"Participant": people}, {})) == Written(nodes=1)
    assert lines(database, tmp_path) == canonical_lines(frames_of(source))


def test_a_product_cannot_be_taken_from_an_offer_that_is_not_named(database: Database) -> None:
    source = {
        "offers": {"O1": ("a", None, "A1"), "O2": ("a", None, "A1")},
        "people": {"A1": "x", "A2": None},
        "contents": ["C1", "C2", "C3"],
        "products": {"P1": ("O1", False, {})},
    }
    apply_delta(database, frames_of(source), gone={"O3"})
    source["products"] = {"P1": ("O2", False, {})}
    with pytest.raises(TargetError, match="O1"):
        apply_delta(database, frames_of(source, {"O2"}))


def test_an_unfinished_delta_is_remembered(database: Database) -> None:
    write_state(database, fingerprint="f", run="r")
    assert pending_offers(database) is None
    apply_delta(database, GraphFrames({}, {}))
    assert pending_offers(database) == []
    apply_delta(database, GraphFrames({}, {}), gone={"O2"})
    apply_delta(database, GraphFrames({}, {}), gone={"O1"})
    assert pending_offers(database) == ["O1", "O2"]
    write_state(database, fingerprint="g", run="r2")
    assert pending_offers(database) is None


def test_the_whole_small_graph_by_delta(database: Database, tmp_path: Path) -> None:
    frames = small_frames()
    apply_delta(database, frames, gone=["no such offer"])
    assert lines(database, tmp_path) == canonical_lines(frames)
    reconcile(database, count(frames))
    few = small_frames(2)
    apply_delta(database, few, gone=["O3"])
    assert lines(database, tmp_path) == canonical_lines(few)
    reconcile(database, count(few))
