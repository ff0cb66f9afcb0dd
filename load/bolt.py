"""Frames → a database over Bolt, for servers whose files are not at hand (Aura, a remote cluster).

Arrives: `GraphFrames` and a database that is empty or holds a graph of ours. Leaves: the same graph that a bulk import
would have made, some five times slower. Every batch is one managed transaction of MERGEs, so a batch that is repeated,
after a transient error or a lost answer, changes nothing; batches are sorted by key, so that concurrent ones lock
shared nodes in one order.

`CALL … IN TRANSACTIONS` is only used to empty the database. Serially it loads nodes a quarter faster than one
writer here and relationships no faster (docs/performance.md); its concurrent form ends at the first deadlock on a
shared Attribute, and the driver can repeat neither.
"""

import logging
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

import polars as pl

from cpq_graph.errors import TargetError
from cpq_graph.model import MODEL, Model, Node, Relationship
from cpq_graph.render import CSV_KEY, constraints, end_columns, node_upsert, relationship_upsert
from load.database import Database
from load.frames import GraphFrames
from load.reconcile import STATE_ID, read_state
from load.schema import create_schema

BATCH = 10_000
# Two writers are 1.6 times as fast as one; more wait for each other at the shared Attributes.
WRITERS = 2
# What the state node says of a graph that is being loaded: the fingerprint of no graph.
INCOMPLETE = "incomplete"

# (label or pattern name, rows written so far)
Progress = Callable[[str, int], None]
Rows = list[dict[str, Any]]

log = logging.getLogger(__name__)


def load_over_bolt(
    database: Database,
    frames: GraphFrames,
    *,
    batch: int = BATCH,
    writers: int = WRITERS,
    progress: Progress | None = None,
    model: Model = MODEL,
) -> None:
    """Empties the database and loads all frames, then creates the indexes. An interrupted load leaves a graph that says
    it is incomplete; the next one starts over. Raises TargetError, also when the database holds what is not ours."""
    wipe(database, model=model)
    for statement in constraints(model).values():
        database.run(statement)
    mark_incomplete(database, model)
    for node in model.nodes:
        rows = batches(frames.node(node).drop(CSV_KEY, strict=False).sort(node.key), batch)
        write_batches(database, node_upsert(node), rows, writers, _named(progress, node.label))
    for relationship in model.relationships:
        frame = relationship_rows(frames, relationship)
        keys = [*end_columns("start", relationship.start), *end_columns("end", relationship.end)]
        name = _named(progress, relationship.name)
        write_batches(database, relationship_upsert(relationship), batches(frame.sort(keys), batch), writers, name)
    create_schema(database, model=model)


def wipe(database: Database, *, model: Model = MODEL) -> None:
    """Deletes the whole graph, in transactions that fit in the server's memory. Raises TargetError when the database
    holds something that no refresh has put there."""
    if not database.rows(f"MATCH (n) WHERE NOT n:{model.state.label} RETURN 1 LIMIT 1"):
        return
    refuse_strangers(database, model)
    mark_incomplete(database, model)
    database.run("MATCH ()-[r]->() CALL (r) { DELETE r } IN TRANSACTIONS OF 50000 ROWS")
    database.run(f"MATCH (n) WHERE NOT n:{model.state.label} CALL (n) {{ DELETE n }} IN TRANSACTIONS OF 50000 ROWS")


def refuse_strangers(database: Database, model: Model = MODEL) -> None:
    """Raises TargetError when the database holds something that no refresh has put there."""
    strange = database.rows(f"MATCH (n) WHERE NOT n:{model.state.label} RETURN 1 LIMIT 1")
    if strange and read_state(database, model) is None:
        raise TargetError(
            f"the database {database.name} at {database.uri} holds data that is not of cpq-graph",
            hint="Name another one in CPQ_GRAPH_NEO4J_DATABASE, or empty it yourself.",
        )


def mark_incomplete(database: Database, model: Model = MODEL) -> None:
    """Says in the graph that it is not whole: nobody answers from it, and the next run may delete it."""
    database.write(
        f"MERGE (s:{model.state.label} {{id: $id}}) SET s.fingerprint = $fingerprint, s.run = ''",
        {"id": STATE_ID, "fingerprint": INCOMPLETE},
    )


def relationship_rows(frames: GraphFrames, relationship: Relationship) -> pl.LazyFrame:
    """A pattern's frame with the keys of both ends as `relationship_upsert` wants them, one row per relationship."""
    frame = frames.relationship(relationship)
    for side, node in (("start", relationship.start), ("end", relationship.end)):
        frame = _with_keys(frame, side, node, frames)
    return frame


def _with_keys(frame: pl.LazyFrame, side: str, node: Node, frames: GraphFrames) -> pl.LazyFrame:
    columns = end_columns(side, node)
    if len(columns) == 1:
        return frame.rename({side: columns[0]})
    # m:1, each key once among the nodes; a key without a node would lose the row, which the reconciliation finds.
    keys = frames.node(node).select(
        pl.col(CSV_KEY).alias(side), *(pl.col(part).alias(c) for part, c in zip(node.key, columns, strict=True))
    )
    return frame.join(keys, on=side, how="inner", validate="m:1").drop(side)


def batches(frame: pl.LazyFrame, size: int) -> Iterator[Rows]:
    """The rows of a frame in order, `size` at a time."""
    for part in frame.collect_batches(chunk_size=size, maintain_order=True):
        for rows in part.iter_slices(size):
            yield rows.to_dicts()


def write_batches(
    database: Database,
    statement: str,
    rows: Iterator[Rows],
    writers: int = WRITERS,
    progress: Callable[[int], None] | None = None,
) -> None:
    """Runs the statement on each batch, `writers` at a time, holding no more than two batches for each in memory."""
    done = 0
    pending: dict[Future[object], int] = {}
    with ThreadPoolExecutor(max_workers=writers) as pool:
        for part in rows:
            pending[pool.submit(database.write, statement, {"rows": part})] = len(part)
            if len(pending) >= 2 * writers:
                done += _finish(pending, FIRST_COMPLETED)
                if progress:
                    progress(done)
        while pending:
            done += _finish(pending, FIRST_COMPLETED)
            if progress:
                progress(done)


def _finish(pending: dict[Future[object], int], when: str) -> int:
    finished, _ = wait(pending, return_when=when)
    for future in finished:
        future.result()
    return sum(pending.pop(future) for future in finished)


def _named(progress: Progress | None, name: str) -> Callable[[int], None] | None:
    return (lambda done: progress(name, done)) if progress else None
