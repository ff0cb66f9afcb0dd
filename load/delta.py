"""Changed offers → the graph, each replaced in one transaction, which may replace others, too.

Arrives: frames of the offers that are new or changed (all that is below them, with the people and Attributes they
name), the ids of the offers that are gone, and a graph of ours, which serves meanwhile. Leaves: the graph that a full
load of the same source would have made. What is there already is compared and left alone, so a second run changes
nothing.

An offer is read, compared and written within its transaction; readers see it before or after. Offers between which
something moved change together. Nodes that offers share (people, Attributes) go in the transaction that takes their
last relationship. Transactions follow one another, by offer id, and write sorted rows: there is no other writer to
deadlock with, and the driver repeats a transaction after a transient error.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import partial

from neo4j import ManagedTransaction

from cpq_graph.errors import TargetError
from cpq_graph.model import CONTENT, MODEL, OFFER, OFFER_CONTAINS, PARTICIPANT, PRODUCT, SUBCONTENT, USER
from cpq_graph.render import node_delete, node_upsert, relationship_create, relationship_delete, relationship_upsert
from load.database import Database
from load.frames import GraphFrames
from load.reconcile import STATE_ID
from load.subgraph import (
    SHARED,
    EdgeKey,
    NodeKey,
    Subgraph,
    Values,
    WantedGraph,
    edge_row,
    node_row,
    read_subgraph,
    values_of,
)

BATCH = 10_000
# What a transaction takes: most of the time of a small one goes into asking. One offer alone may be larger.
OFFERS, ELEMENTS = 10, 20_000
_MOVABLE = (CONTENT, SUBCONTENT, PRODUCT)
_SHARED = frozenset(node.label for node in SHARED)
_PATTERNS = {r.name: r for r in MODEL.relationships}

# (offers done, offers in all)
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Written:
    """What a delta wrote: nodes and relationships created or changed, and deleted."""

    nodes: int = 0
    relationships: int = 0
    nodes_deleted: int = 0
    relationships_deleted: int = 0

    def __add__(self, other: "Written") -> "Written":
        return Written(
            self.nodes + other.nodes,
            self.relationships + other.relationships,
            self.nodes_deleted + other.nodes_deleted,
            self.relationships_deleted + other.relationships_deleted,
        )


def apply_delta(
    database: Database, frames: GraphFrames, *, gone: Collection[str] = (), progress: Progress | None = None
) -> Written:
    """Brings the offers in `frames`, and those that are `gone`, up to date. People in `frames` are updated where the
    graph has them, whether or not one of these offers names them.

    Until `write_state` is called, the graph remembers these offers as pending: after an interrupted delta, the next
    one has to include `pending_offers`. Raises TargetError when something moved here from an offer that is not named.
    """
    wanted = WantedGraph(frames)
    offers = sorted(wanted.offers | set(gone))
    _remember(database, offers)
    written = Written(nodes=_update_people(database, wanted))
    done = 0
    for group, new in _transactions(_groups(database, offers, {offer: wanted.below([offer]) for offer in offers})):
        written += database.transact(partial(_replace, offers=group, new=new, shared=wanted))
        done += len(group)
        if progress:
            progress(done, len(offers))
    return written


def pending_offers(database: Database) -> list[str] | None:
    """The offers of a delta that was begun and not finished: they may be of the old source, of the new, or gone. Of one
    that changes people alone there are none. None where no delta was begun."""
    rows = database.rows(f"MATCH (s:{MODEL.state.label} {{id: $id}}) RETURN s.pending AS offers", {"id": STATE_ID})
    return rows[0]["offers"] if rows else None


def _remember(database: Database, offers: list[str]) -> None:
    pending = sorted({*offers, *(pending_offers(database) or ())})
    database.write(
        f"MERGE (s:{MODEL.state.label} {{id: $id}}) SET s.pending = $offers", {"id": STATE_ID, "offers": pending}
    )


def _update_people(database: Database, wanted: WantedGraph) -> int:
    """Sets the properties of users and participants that are in the graph and differ. Returns how many did."""
    changed = 0
    for node in (USER, PARTICIPANT):
        new = {key: values for key, values in wanted.nodes.items() if key[0] == node.label}
        rows = database.rows(
            f"MATCH (n:{node.label}) WHERE n.id IN $ids RETURN properties(n) AS properties",
            {"ids": [key[1][0] for key in new]},
        )
        old = {(node.label, (r["properties"]["id"],)): values_of(r["properties"], node.properties) for r in rows}
        differing = [node_row(node, key, new[key]) for key in sorted(old) if _differ(old[key], new[key])]
        for rows_ in _batches(differing):
            database.write(node_upsert(node), {"rows": rows_})
        changed += len(differing)
    return changed


def _groups(database: Database, offers: list[str], below: dict[str, Subgraph]) -> list[tuple[list[str], Subgraph]]:
    """The offers that have to change in one transaction, in order, and what is to be below them. Mostly one each; more
    where a content, subcontent or product of one is below another in the database."""
    owner = {key: offer for offer in offers for key in below[offer].nodes}
    leader = {offer: offer for offer in offers}
    for node in _MOVABLE:
        ids = [key[1][0] for key in owner if key[0] == node.label]
        rows = database.rows(
            f"MATCH (x:{node.label}) WHERE x.id IN $ids "
            f"MATCH (x)<-[:{OFFER_CONTAINS.type}*1..3]-(o:{OFFER.label}) RETURN DISTINCT x.id AS id, o.id AS offer",
            {"ids": ids},
        )
        for row in rows:
            before, now = row["offer"], owner[node.label, (row["id"],)]
            if before not in leader:
                raise TargetError(
                    f"{node.label} {row['id']} moved from offer {before} to {now}, but {before} is not in the delta",
                    hint="Run a full refresh.",
                )
            old, new = sorted((leader[before], leader[now]))
            if old != new:
                leader = {offer: old if first == new else first for offer, first in leader.items()}
    groups: dict[str, list[str]] = defaultdict(list)
    for offer in offers:
        groups[leader[offer]].append(offer)
    return [(group, _together(below[offer] for offer in group)) for group in groups.values()]


def _transactions(groups: Iterable[tuple[list[str], Subgraph]]) -> Iterable[tuple[list[str], Subgraph]]:
    """Several groups in one transaction, in order, where they are small."""
    offers: list[str] = []
    whole = Subgraph()
    for group, new in groups:
        size = sum(len(part) for part in (whole.nodes, whole.edges, new.nodes, new.edges))
        if offers and (len(offers) + len(group) > OFFERS or size > ELEMENTS):
            yield offers, whole
            offers, whole = [], Subgraph()
        offers, whole = offers + group, _together((whole, new))
    if offers:
        yield offers, whole


def _together(parts: Iterable[Subgraph]) -> Subgraph:
    whole = Subgraph()
    for part in parts:
        whole.nodes |= part.nodes
        whole.edges |= part.edges
    return whole


def _replace(tx: ManagedTransaction, *, offers: list[str], new: Subgraph, shared: WantedGraph) -> Written:
    """Makes what is below `offers` equal to `new`."""
    old = read_subgraph(tx, offers)
    edges = {key: values for key, values in new.edges.items() if _differ(old.edges.get(key), values)}
    nodes = {key: values for key, values in new.nodes.items() if _differ(old.nodes.get(key), values)}
    # A shared node is made sure of only where a relationship to it is new.
    nodes |= {key: shared.nodes[key] for edge in edges if (key := edge[2])[0] in _SHARED and edge not in old.edges}
    lost_edges = old.edges.keys() - new.edges.keys()
    lost_nodes = old.nodes.keys() - new.nodes.keys()
    # What leaves or enters a node that goes, goes with it.
    _edges(tx, relationship_delete, {edge: () for edge in lost_edges if lost_nodes.isdisjoint(edge[1:])})
    _nodes(tx, node_delete, dict.fromkeys(lost_nodes, ()))
    _nodes(tx, node_upsert, nodes)
    # Where there was none in this very transaction, looking for one costs as much as making it.
    _edges(tx, relationship_create, {edge: values for edge, values in edges.items() if edge not in old.edges})
    _edges(tx, relationship_upsert, {edge: values for edge, values in edges.items() if edge in old.edges})
    left = {edge[2] for edge in lost_edges} - {edge[2] for edge in new.edges}
    orphans = _nodes(tx, partial(node_delete, orphan=True), {key: () for key in left if key[0] in _SHARED})
    return Written(len(nodes), len(edges), len(lost_nodes) + orphans, len(lost_edges))


def _nodes(tx: ManagedTransaction, render: Callable[..., str], nodes: Mapping[NodeKey, Values]) -> int:
    """Runs the statement that `render` makes for each label over its nodes. Returns how many nodes were deleted."""
    deleted = 0
    for node in MODEL.nodes:
        rows = [node_row(node, key, nodes[key]) for key in sorted(nodes) if key[0] == node.label]
        for batch in _batches(rows):
            deleted += tx.run(render(node), {"rows": batch}).consume().counters.nodes_deleted
    return deleted


def _edges(tx: ManagedTransaction, render: Callable[..., str], edges: Mapping[EdgeKey, Values]) -> None:
    by_pattern: dict[str, list[EdgeKey]] = defaultdict(list)
    for edge in sorted(edges):
        by_pattern[edge[0]].append(edge)
    for name, keys in by_pattern.items():
        pattern = _PATTERNS[name]
        for batch in _batches([edge_row(pattern, edge, edges[edge]) for edge in keys]):
            tx.run(render(pattern), {"rows": batch}).consume()


def _batches(rows: list[dict[str, object]]) -> Iterable[list[dict[str, object]]]:
    return (rows[start : start + BATCH] for start in range(0, len(rows), BATCH))


def _differ(old: Values | None, new: Values) -> bool:
    # 0.0 and -0.0 are equal, and not the same.
    return old is None or repr(old) != repr(new)
