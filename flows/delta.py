"""The delta, as tasks: what changed since the graph that serves was made, and its update.

Arrives: a `Reading` and the graph that serves. Leaves: the same graph that a full refresh of the same source makes.
"""

import logging
from dataclasses import dataclass, replace

import polars as pl

from cpq_graph.errors import StackError
from cpq_graph.manifest import read_serving, serving_path
from cpq_graph.servers import Address
from cpq_graph.settings import Settings
from flows.digests import current_digests, read_kept
from flows.reading import Reading, frames_of
from flows.recording import Recorder
from flows.steps import step
from load.catalog import read_choices, update_choices
from load.database import connect
from load.delta import apply_delta, pending_offers
from load.reconcile import read_state
from stack.local import ensure_serving
from transform.assemble import assemble
from transform.changes import Changes, Known, compare, rows_of

log = logging.getLogger(__name__)

# From this share of changed offers on, a bulk import of all is quicker than transactions for some.
FULL_FROM = 0.3


@dataclass(frozen=True, slots=True)
class Change:
    """What is to be changed, and in which graph, which has `choices` (None where a delta was interrupted).
    `is_nothing` when graph and source are the same already."""

    address: Address
    store: str | None
    offers: Changes
    choices: pl.DataFrame | None
    is_nothing: bool


def known_documents(settings: Settings) -> Known | None:
    """The documents that the graph which serves was made from, where that is known."""
    if not serving_path(settings.data_dir).exists():
        return None
    graph = read_serving(settings.data_dir).current
    kept = read_kept(settings.data_dir, graph)
    return Known(kept.documents, graph.snapshot.taken_at) if kept else None


@step("find changes", retries=1)
def find_changes(run: Recorder, settings: Settings, reading: Reading) -> Change | None:
    """What changed since the graph that serves was made; None where only a full refresh can tell or is quicker."""
    with run.step("find changes") as notes:
        if not serving_path(settings.data_dir).exists():
            log.info("no graph serves yet: a full refresh")
            return None
        graph = read_serving(settings.data_dir).current
        kept = read_kept(settings.data_dir, graph)
        if kept is None:
            log.info("what the graph was made from is not known here: a full refresh")
            return None
        try:
            address = replace(ensure_serving(settings), database=graph.database)
        except StackError as error:
            log.warning("%s\nThe graph that serves cannot be changed: a full refresh", error.message)
            return None
        with connect(address, settings.target_password) as database:
            state, interrupted = read_state(database), pending_offers(database)
        if state is None or state[0] != graph.fingerprint:
            log.info("the graph is not the one that serves: a full refresh")
            return None
        now = current_digests(reading)
        found = compare(kept.offers, now)
        loaded, pending = set(now["offer"]), set(interrupted or ())
        # Those of a delta that was interrupted may be as they were or as they are.
        offers = Changes(found.changed | (pending & loaded), found.gone | (pending - loaded))
        notes.rows = len(offers.changed) + len(offers.gone)
        log.info("%d offers changed or new, %d gone, of %d", len(offers.changed), len(offers.gone), now.height)
        if notes.rows > FULL_FROM * max(1, now.height):
            log.info("that is many: a full refresh")
            return None
        is_nothing = interrupted is None and reading.assembled.fingerprint == graph.fingerprint
        return Change(address, graph.store, offers, kept.choices if interrupted is None else None, is_nothing)


@step("update offers", retries=2)
def apply(run: Recorder, settings: Settings, reading: Reading, change: Change) -> pl.DataFrame | None:
    """Replaces each changed offer in one transaction, and deletes those that are gone. Returns the choices that the
    graph then has, where they can be told from what changed."""

    def progress(done: int, total: int) -> None:
        # A transaction takes some ten of them.
        if done % 100 < 10 or done == total:
            log.info("%d of %d offers", done, total)

    with run.step("update offers") as notes, connect(change.address, settings.target_password) as database:
        checked = rows_of(reading.checked, change.offers.changed)
        frames = frames_of(assemble(checked, reading.digests, reading.store))
        touched = change.offers.changed | change.offers.gone
        # An earlier try of this step may have changed some offers already.
        known = change.choices if pending_offers(database) is None else None
        before = read_choices(database, touched)
        written = apply_delta(database, frames, gone=change.offers.gone, progress=progress)
        notes.rows = written.nodes + written.relationships + written.nodes_deleted + written.relationships_deleted
        return None if known is None else update_choices(known, before, read_choices(database, touched))
