"""The target's side of a refresh, as tasks: frames → a graph that is right → the one that serves.

Arrives: a `Reading`. Leaves: a store of its own beside the one that serves (or, where only Bolt reaches, the server's
one database), checked against the reading, with its artifacts; then the switch.
"""

import logging
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import polars as pl

from cpq_graph.catalog import Catalog
from cpq_graph.errors import TargetError
from cpq_graph.manifest import CATALOG_JSON, Graph, read_serving, write_atomically
from cpq_graph.model import OFFER, PRODUCT
from cpq_graph.servers import Address, Store, StoreHost
from cpq_graph.settings import Settings
from flows.digests import forget, keep
from flows.reading import Reading
from flows.recording import Recorder
from flows.steps import step
from load import artifacts, bolt, reconcile, schema, switch
from load.bulk_import import bulk_import
from load.catalog import read_choices
from load.csv_files import CsvFiles, write_csv_files
from load.database import connect
from load.lease import lease
from stack.local import ensure_serving
from stack.neo4j import Host

log = logging.getLogger(__name__)

# How long the old server stays after a switch: longer than nearly all questions run. The engine asks the new one
# again when its server went away meanwhile.
RETIREMENT_S = 2.0


@contextmanager
def leased(run: Recorder, settings: Settings, *, dry_run: bool) -> Iterator[None]:
    """Keeps the runs of other machines off the server that is set. A store of the local stack needs no lease: who
    reaches it has this data folder, whose lock the run holds. Raises BusyError."""
    if dry_run or not settings.neo4j_uri:
        yield
        return
    with connect(ensure_serving(settings), settings.target_password) as database:
        bolt.refuse_strangers(database)
        with lease(database, _holder(settings.data_dir), run.report.run) as held:
            run.guard = held.check
            yield


def _holder(data_dir: Path) -> str:
    """The name of this data folder, unlike that of any other."""
    path = data_dir / "holder"
    if not path.exists():
        write_atomically(path, uuid4().hex.encode())
    return path.read_text(encoding="ascii")


@step("clear left-overs")
def clear_leftovers(run: Recorder, settings: Settings) -> StoreHost | None:
    """Clears away what interrupted runs left. Returns the host of local stores, or None where a server is set."""
    with run.step("clear left-overs"):
        host = None if settings.neo4j_uri else Host.of(settings)
        switch.clear_leftovers(settings.data_dir, host)
        for folder in run.folder.parent.glob("*/csv"):
            shutil.rmtree(folder, ignore_errors=True)
        return host


@contextmanager
def csv_files(run: Recorder, reading: Reading) -> Iterator[CsvFiles]:
    """The CSV files, for as long as the import needs them."""
    folder = run.folder / "csv"
    try:
        yield _write_csv(run, reading)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@step("write CSV files")
def _write_csv(run: Recorder, reading: Reading) -> CsvFiles:
    with run.step("write CSV files") as notes:
        files = write_csv_files(reading.frames, run.folder / "csv")
        notes.rows = sum(file.rows for file in (*files.nodes, *files.relationships))
        notes.megabytes = files.megabytes
        return files


@step("import", retries=1)
def import_store(run: Recorder, host: StoreHost, files: CsvFiles) -> Store:
    """Imports into a store of its own, beside the one that serves."""
    with run.step("import") as notes:
        store = host.create(run.report.run)
        imported = bulk_import(store, files)
        notes.rows, notes.megabytes = imported.nodes + imported.relationships, files.megabytes
        return store


@step("load over Bolt")
def load_over_bolt(run: Recorder, settings: Settings, address: Address, reading: Reading) -> None:
    """Replaces the graph of a server whose files are not at hand."""
    with run.step("load over Bolt") as notes, connect(address, settings.target_password) as database:
        bolt.load_over_bolt(database, reading.frames)
        notes.rows = sum(reading.expected.values())


@step("start server", retries=3)
def serve(run: Recorder, store: Store) -> Address:
    """Serves the new store on a spare port."""
    with run.step("start server"):
        return store.start()


@step("create indexes", retries=3)
def create_indexes(run: Recorder, settings: Settings, address: Address) -> None:
    """Creates constraints, indexes and full-text indexes, and waits for them."""

    def progress(online: int, total: int, per_cent: float) -> None:
        log.info("%d of %d indexes online, %.0f %% populated", online, total, per_cent)

    with run.step("create indexes"), connect(address, settings.target_password) as database:
        schema.create_schema(database, progress=progress)


@step("reconcile", retries=3)
def check_graph(run: Recorder, settings: Settings, address: Address, reading: Reading, *, checks: bool = True) -> None:
    """Compares the graph with the totals, and runs the checks, which look at all of it. Raises TargetError with every
    difference."""
    with run.step("reconcile") as notes, connect(address, settings.target_password) as database:
        reconcile.reconcile(database, reading.expected, checks=checks)
        notes.rows = sum(reading.expected.values())


@step("build artifacts", retries=3)
def build_artifacts(
    run: Recorder,
    settings: Settings,
    address: Address,
    reading: Reading,
    store: str | None,
    choices: pl.DataFrame | None = None,
) -> Graph:
    """Builds the context artifacts from the graph, and keeps what a later delta compares with. `choices` are those of
    the graph that serves with what has changed in it, where they are known. Returns the graph, ready to be served but
    for its state."""
    fingerprint = reading.assembled.fingerprint
    with run.step("build artifacts"), connect(address, settings.target_password) as database:
        before = None
        if choices is None:
            choices = read_choices(database)
        else:
            before = read_catalog(settings.data_dir, read_serving(settings.data_dir).current)
        folder = artifacts.build_artifacts(
            database, settings.data_dir, snapshot=reading.snapshot, fingerprint=fingerprint, choices=choices,
            before=before,
        )  # fmt: skip
    keep(settings.data_dir, reading, choices)
    return Graph(
        store=store, uri=address.uri, database=address.database, fingerprint=fingerprint,
        artifacts=str(folder.relative_to(settings.data_dir)), run=run.report.run, snapshot=reading.snapshot,
    )  # fmt: skip


def read_catalog(data_dir: Path, graph: Graph) -> Catalog:
    """The catalog of a graph, from its artifacts."""
    return Catalog.model_validate_json((data_dir / graph.artifacts / CATALOG_JSON).read_bytes())


@step("mark complete", retries=3)
def mark_complete(run: Recorder, settings: Settings, address: Address, reading: Reading) -> None:
    """Says in the graph what it was made from."""
    with run.step("mark complete"), connect(address, settings.target_password) as database:
        reconcile.write_state(database, fingerprint=reading.assembled.fingerprint, run=run.report.run)


@step("smoke questions")
def ask_smoke_questions(run: Recorder, settings: Settings, graph: Graph, reading: Reading) -> None:
    """Asks the new graph what the totals know, in both languages. Raises TargetError for a wrong answer."""
    from cpq_graph.query.engine import Engine

    catalog = read_catalog(settings.data_dir, graph)
    offers, products = reading.expected[OFFER.label], reading.expected[PRODUCT.label]
    questions = {
        "How many offers are there?": offers,
        "Montako tarjousta on?": offers,
        "How many products are there?": products,
        "Montako tuotetta on?": products,
    }
    with run.step("smoke questions") as notes, Engine(settings, graph=graph) as engine:
        for question, expected in questions.items():
            answer = engine.ask(question)
            found = list(answer.rows[0].values())[:1] if answer.rows else []
            if found != [expected]:
                raise TargetError(
                    f"the new graph answers {question!r} with {found or answer.reason}, the source says {expected}",
                    hint="It is not served. Run the refresh again; if it fails again, report a bug.",
                )
        for family in catalog.families[:1]:
            # A family's name may be one that a question cannot use (it is empty, or reads as something else); what must
            # not be is a wrong number where nothing but the name was understood.
            answer = engine.ask(f"How many products were configured as {family.name}?")
            meant = answer.status == "OK" and list(answer.parameters.values()) in ([family.name], [[family.name]])
            if meant and list(answer.rows[0].values())[:1] != [family.products]:
                raise TargetError(
                    f"the new graph counts {answer.rows[0]} products of {family.name}, not {family.products}"
                )
        notes.rows = len(questions)


@step("switch")
def switch_graph(run: Recorder, settings: Settings, host: StoreHost | None, graph: Graph) -> None:
    """Makes the new graph the one that serves, then retires the one before."""
    with run.step("switch"):
        serving = switch.publish(settings.data_dir, graph)
    with run.step("retire the graph before"):
        if host is not None:
            if serving.previous is not None:
                # Questions that are under way on the old server may end; the engine follows between two.
                time.sleep(min(settings.query_timeout_s, RETIREMENT_S))
            switch.stop_previous(serving, host)
            switch.clear_leftovers(settings.data_dir, host)
        forget(settings.data_dir, serving)
