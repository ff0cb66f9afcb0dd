"""Graph against source, count by count and sample by sample.

Arrives: settings. Leaves: a `Verification`. The source is read as a refresh would read it now, so what changed in it
since the last run shows as a difference, too.
"""

from collections.abc import Iterator, Mapping

import polars as pl
from pydantic import BaseModel, ConfigDict

from cpq_graph.manifest import read_serving
from cpq_graph.model import ATTRIBUTE, MODEL, Node, Relationship
from cpq_graph.render import CSV_KEY
from cpq_graph.servers import Address
from cpq_graph.settings import Settings
from cpq_graph.site import read_site
from extract.documents import Configuration
from extract.source import open_source
from flows.reading import check_source, frames_of
from load.database import Database, connect
from load.frames import GraphFrames
from load.reconcile import count_graph
from stack.local import ensure_postgres
from transform.assemble import Assembled, assemble
from transform.parts import PartStore, missing_documents, parse_part, partition


class Verification(BaseModel):
    """`counts` are (source, graph) by label and pattern name; `differences` say what was not equal, in words."""

    model_config = ConfigDict(frozen=True)

    equal: bool
    counts: dict[str, tuple[int, int]]
    sampled: int
    differences: tuple[str, ...]


def verify(settings: Settings, *, samples: int) -> Verification:
    """Compares all counts, and `samples` nodes and relationships of each kind in all they hold."""
    graph = read_serving(settings.data_dir).current
    assembled = _expected(settings)
    address = Address(settings.neo4j_uri or graph.uri, settings.neo4j_user, graph.database, settings.target_ca_file)
    totals = {**assembled.labels, **assembled.patterns}
    with connect(address, settings.target_password) as database:
        found = count_graph(database)
        counts = {name: (totals[name].loaded, found[name]) for name in totals}
        differences = [f"{name}: {a} in the source, {b} in the graph" for name, (a, b) in counts.items() if a != b]
        sampled = 0
        frames = frames_of(assembled)
        for checked, problem in _samples(database, frames, samples):
            sampled += checked
            differences += problem
    return Verification(equal=not differences, counts=counts, sampled=sampled, differences=tuple(differences))


def _expected(settings: Settings) -> Assembled:
    site = read_site(settings.source_dir)
    store = PartStore.open(settings.data_dir, site.xml)
    with open_source(ensure_postgres(settings), settings.source_dir) as source:
        _, checked = check_source(source, site, settings)
        digests = source.digests(checked.configurations)
        for piece in partition(missing_documents(store, digests), settings.part_mb):
            wanted = [Configuration(*row) for row in piece.select("id", "product_id", "bytes", "digest").iter_rows()]
            parse_part(source.reader().documents(wanted), site.xml, settings.data_dir)
    return assemble(checked, digests, store)


def _samples(database: Database, frames: GraphFrames, samples: int) -> Iterator[tuple[int, list[str]]]:
    """(how many were compared, the differences) for each label and pattern."""
    for node in MODEL.nodes:
        rows = _some(frames.node(node), samples)
        yield len(rows), list(_compare_nodes(database, node, rows))
    for pattern in MODEL.relationships:
        frame = frames.relationship(pattern)
        if pattern.end is ATTRIBUTE:
            ends = frames.node(ATTRIBUTE).select(CSV_KEY, *ATTRIBUTE.key)
            frame = frame.join(ends, left_on="end", right_on=CSV_KEY, maintain_order="left")
        rows = _some(frame, samples)
        yield len(rows), list(_compare_relationships(database, pattern, rows))


def _some(frame: pl.LazyFrame, samples: int) -> list[dict[str, object]]:
    """Rows spread evenly over the whole frame, the same ones each time."""
    length = int(frame.select(pl.len()).collect().item())
    step = max(1, length // samples) if samples else 1
    return frame.gather_every(step).head(samples).collect().to_dicts()


def _compare_nodes(database: Database, node: Node, rows: list[dict[str, object]]) -> Iterator[str]:
    keys = ", ".join(f"{name}: row.{name}" for name in node.key)
    shown = ", ".join(f"n.{p.name} AS {p.name}" for p in node.properties)
    query = f"UNWIND $rows AS row MATCH (n:{node.label} {{{keys}}}) RETURN {shown}"
    wanted = [{name: row[name] for name in node.key} for row in rows]
    found = {tuple(r[name] for name in node.key): _plain(r) for r in database.rows(query, {"rows": wanted})}
    for row in rows:
        key = tuple(row[name] for name in node.key)
        expected = _plain({p.name: row[p.name] for p in node.properties})
        if key not in found:
            yield f"{node.label} {key}: not in the graph"
        elif found[key] != expected:
            yield f"{node.label} {key}: {expected} in the source, {found[key]} in the graph"


def _compare_relationships(database: Database, pattern: Relationship, rows: list[dict[str, object]]) -> Iterator[str]:
    end = "{type: row.type, value: row.value}" if pattern.end is ATTRIBUTE else "{id: row.end}"
    columns = ["start", *(pattern.end.key if pattern.end is ATTRIBUTE else ("end",))]
    shown = ", ".join(f"row.{name} AS {name}" for name in columns)
    properties = "".join(f", r.{p.name} AS {p.name}" for p in pattern.properties)
    query = (
        f"UNWIND $rows AS row MATCH (:{pattern.start.label} {{id: row.start}})-[r:{pattern.type}]->"
        f"(:{pattern.end.label} {end}) RETURN {shown}{properties}"
    )
    names = [*columns, *(p.name for p in pattern.properties)]
    wanted = [{name: row[name] for name in names} for row in rows]
    found = [_plain(row) for row in database.rows(query, {"rows": wanted})]
    for row in wanted:
        if (times := found.count(_plain(row))) != 1:
            yield f"{pattern.name} {row}: {times} in the graph"


def _plain(row: Mapping[str, object]) -> dict[str, str]:
    """Values as text, so that days compare; without what is null."""
    return {name: str(value) for name, value in row.items() if value is not None}
