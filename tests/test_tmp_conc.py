"""Two writers on the same shared Attributes, one of them a supernode, and a reader who looks on.

A run is alone by its lock; this is what holds when it is not.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from small_graph import canonical_lines

from cpq_graph.model import MODEL
from cpq_graph.servers import Address
from load import delta
from load.bolt import load_over_bolt
from load.database import Database, connect
from load.delta import Written, apply_delta
from load.dump import dump_graph
from load.frames import GraphFrames

OFFERS, PARAMETERS, ROUNDS = 24, 20, 12
# An offer as it is when nothing is half done: all of its parameters are of its own version.
WHOLE = """
MATCH (o:Offer)
OPTIONAL MATCH (o)-[:CONTAINS*3]->()-[:CONFIGURED_AS]->()-[:HAS_TAB]->()-[:HAS_PARAMETER]->(p)
WITH o, count(p) AS n, collect(DISTINCT p.name) AS names
WHERE n <> $parameters OR names <> [o.version]
RETURN o.id AS id, o.version AS version, n, names
"""


def offers_of(version: str, numbers: range) -> GraphFrames:
    """Offers whose parameters are all of one feature; its Attribute is theirs together, and so is the version's."""
    nodes: dict[str, list[dict[str, Any]]] = {"Attribute": [{"key": "x", "type": "ext_id", "value": "pituus"}]}
    edges: dict[str, list[dict[str, Any]]] = {}
    nodes["Attribute"].append({"key": version, "type": "note", "value": version})

    def add(label: str, **properties: Any) -> None:
        nodes.setdefault(label, []).append(properties)

    def edge(name: str, start: str, end: str, **properties: Any) -> None:
        edges.setdefault(name, []).append({"start": start, "end": end, **properties})

    for o in (f"O{number}" for number in numbers):
        add("Offer", id=o, version=version)
        for label in ("Content", "Subcontent", "Product", "ProductFamily", "Tab"):
            add(label, id=o)
        edge("Offer_CONTAINS_Content", o, o)
        edge("Content_CONTAINS_Subcontent", o, o)
        edge("Subcontent_CONTAINS_Product", o, o)
        edge("Product_CONFIGURED_AS_ProductFamily", o, o)
        edge("ProductFamily_HAS_TAB_Tab", o, o, position=0)
        for position in range(PARAMETERS):
            add("Parameter", id=f"{o}/{version}/{position}", name=version)
            edge("Tab_HAS_PARAMETER_Parameter", o, f"{o}/{version}/{position}", position=position)
            for attribute in ("x", version):
                edge("Parameter_HAS_ATTRIBUTE_Attribute", f"{o}/{version}/{position}", attribute, position=0)
    frames = {name: pl.LazyFrame(rows) for name, rows in (nodes | edges).items()}
    return GraphFrames(_filled({name: frames[name] for name in nodes}), {name: frames[name] for name in edges})


def _filled(nodes: dict[str, pl.LazyFrame]) -> dict[str, pl.LazyFrame]:
    """With the model's other properties, which have no values."""
    empty = GraphFrames({}, {})
    filled = {}
    for label, frame in nodes.items():
        schema = empty.node(MODEL.node(label)).collect_schema()
        there = frame.collect_schema().names()
        filled[label] = frame.with_columns(
            pl.lit(None, dtype=dtype).alias(name) for name, dtype in schema.items() if name not in there
        )
    return filled


@pytest.fixture
def database(clean_neo4j: Address) -> Iterator[Database]:
    with connect(clean_neo4j) as connected:
        load_over_bolt(connected, offers_of("v0", range(OFFERS)))
        yield connected


def test_two_writers_and_a_reader(database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tries: Counter[str] = Counter()
    original: Callable[..., Written] = delta._replace

    def counted(*arguments: Any, offers: list[str], **others: Any) -> Written:
        tries["all"] += 1
        return original(*arguments, offers=offers, **others)

    monkeypatch.setattr(delta, "_replace", counted)
    monkeypatch.setattr(delta, "OFFERS", 3)
    halves = (range(OFFERS // 2), range(OFFERS // 2, OFFERS))
    transactions = 0
    looks, halfway = 0, []
    with ThreadPoolExecutor(2) as pool:
        for number in range(1, ROUNDS + 1):
            transactions += OFFERS // 3
            writers = [pool.submit(apply_delta, database, offers_of(f"v{number}", half)) for half in halves]
            while not all(writer.done() for writer in writers):
                seen = database.rows(WHOLE, {"parameters": PARAMETERS})
                # Neo4j reads what is committed at each step of a query; what was half itself would stay so.
                again = database.rows(WHOLE, {"parameters": PARAMETERS}) if seen else []
                halfway += [row for row in again if row in seen]
                looks += 1
            for writer in writers:
                writer.result()
    assert not halfway
    assert looks > ROUNDS
    assert tries["all"] <= 2 * transactions
    dump_graph(database, tmp_path / "dump.txt")
    expected = canonical_lines(offers_of(f"v{ROUNDS}", range(OFFERS)))
    assert (tmp_path / "dump.txt").read_text(encoding="utf-8").splitlines() == expected
