"""The steps of a refresh as Prefect tasks: each a plain function of a stage, with retries and a record wrapped on.

Arrives: what the step before made. Leaves: what the step after needs. Tasks exchange frames and paths in one process,
so nothing is hashed, cached or persisted by Prefect; the parse alone goes to other processes, by paths.
"""

import logging
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import polars as pl
from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.futures import as_completed
from prefect.task_runners import ProcessPoolTaskRunner, TaskRunner

from cpq_graph.catalog import Catalog
from cpq_graph.errors import DataError, TargetError
from cpq_graph.manifest import CATALOG_JSON, Graph, Snapshot
from cpq_graph.model import OFFER, PRODUCT
from cpq_graph.report import Totals
from cpq_graph.servers import Address, Store, StoreHost
from cpq_graph.settings import Settings
from cpq_graph.site import Site, XmlMapping
from extract.documents import Configuration
from extract.source import SnapshotReader, Source, open_source
from flows.recording import Recorder
from load import artifacts, bolt, reconcile, schema, switch
from load.bulk_import import bulk_import
from load.csv_files import CsvFiles, write_csv_files
from load.database import connect
from load.frames import GraphFrames
from stack.local import ensure_postgres
from stack.neo4j import Host
from transform.assemble import Assembled, assemble
from transform.parts import PartResult, PartStore, missing_documents, parse_part, partition
from transform.rejects import Outcome
from transform.rows import CheckedRows, check_rows

P = ParamSpec("P")
R = TypeVar("R")

log = logging.getLogger(__name__)

# Processes take some 10 s to start, in which one process parses this much.
POOL_MB = 200

# How long the old server stays after a switch: longer than nearly all questions run. The engine asks the new one
# again when its server went away meanwhile.
RETIREMENT_S = 2.0


def _step(name: str, *, retries: int = 0) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Makes a task of a function. Its arguments are frames and connections: hashing them costs more than it does."""
    return task(
        name=name, retries=retries, retry_delay_seconds=2, cache_policy=NO_CACHE,
        persist_result=False, tags=["cpq-graph"],
    )  # fmt: skip


def task_runner(settings: Settings) -> TaskRunner[Any]:
    """Where the parse runs: as many processes as set."""
    return ProcessPoolTaskRunner(max_workers=settings.workers)


@_step("clear left-overs")
def clear_leftovers(run: Recorder, settings: Settings) -> StoreHost | None:
    """Clears away what interrupted runs left. Returns the host of local stores, or None where a server is set."""
    with run.step("clear left-overs"):
        host = None if settings.neo4j_uri else Host.of(settings)
        switch.clear_leftovers(settings.data_dir, host)
        for folder in run.folder.parent.glob("*/csv"):
            shutil.rmtree(folder, ignore_errors=True)
        return host


def read_source(run: Recorder, settings: Settings, site: Site) -> tuple[Assembled, Snapshot]:
    """Everything that is read in one snapshot, and the graph's frames that it makes."""
    url = ensure_postgres(settings)
    store = PartStore.open(settings.data_dir, site.xml)
    with open_source(url, settings.source_dir) as source:
        run.update(snapshot=source.snapshot)
        checked = extract_rows(run, settings, source, site)
        digests = census(run, source, checked)
        parse_documents(run, settings, source.reader(), store, site.xml, digests)
    return build_frames(run, checked, digests, store), source.snapshot


@_step("extract rows", retries=1)
def extract_rows(run: Recorder, settings: Settings, source: Source, site: Site) -> CheckedRows:
    """Reads the narrow tables and decides which rows are loaded. Raises DataError when no offer is."""
    with run.step("extract rows") as step:
        tables, checked = check_source(source, site, settings)
        step.rows = sum(table.height for table in tables.values())
        if checked.labels[OFFER.label].loaded == 0:
            statuses = sorted(set(tables["offer"]["status"].drop_nulls().to_list()))[:10]
            raise DataError(
                f"not one of {tables['offer'].height} offers is final and within the period: the graph stays as it is",
                hint=f"Final for site.toml: {', '.join(site.final_statuses)}. In the source: {', '.join(statuses)}.",
            )
        return checked


def check_source(source: Source, site: Site, settings: Settings) -> tuple[dict[str, pl.DataFrame], CheckedRows]:
    """The source's tables by entity, and what becomes of their rows."""
    entities = ("offer", "participant", "user", "content", "subcontent", "product")
    tables = {entity: source.table(entity) for entity in entities} | {"configuration": source.configurations()}
    period = (settings.period_from or site.period_from, settings.period_to or site.period_to)
    return tables, check_rows(tables, site.final_statuses, period)


@_step("hash documents", retries=1)
def census(run: Recorder, source: Source, checked: CheckedRows) -> pl.DataFrame:
    """One row per wanted document: id, product_id, bytes, digest."""
    with run.step("hash documents") as step:
        digests = source.digests(checked.configurations)
        step.rows, step.megabytes = digests.height, _megabytes(digests)
        return digests


@task(name="parse part", retries=2, retry_delay_seconds=[2, 15], cache_policy=NO_CACHE, tags=["cpq-graph"])
def parse_piece(reader: SnapshotReader, wanted: list[Configuration], mapping: XmlMapping, data_dir: str) -> PartResult:
    """Parses one piece of work into a part, in a process of its own with its own connection to the snapshot."""
    return parse_part(reader.documents(wanted), mapping, Path(data_dir))


def parse_documents(
    run: Recorder,
    settings: Settings,
    reader: SnapshotReader,
    store: PartStore,
    mapping: XmlMapping,
    digests: pl.DataFrame,
) -> None:
    """Parses the documents that no earlier run has parsed."""
    with run.step("parse documents") as step:
        missing = missing_documents(store, digests)
        step.megabytes = _megabytes(missing)
        step.rows = missing.height
        log.info("%d documents to parse, %d known", missing.height, digests["digest"].n_unique() - missing.height)
        pieces = [
            [Configuration(*row) for row in piece.select("id", "product_id", "bytes", "digest").iter_rows()]
            for piece in partition(missing, settings.part_mb)
        ]
        if len(pieces) == 1 or step.megabytes < POOL_MB:
            for piece in pieces:
                parse_piece(reader, piece, mapping, str(settings.data_dir))
            return
        started, done = time.perf_counter(), 0.0
        futures = [parse_piece.submit(reader, piece, mapping, str(settings.data_dir)) for piece in pieces]
        for number, future in enumerate(as_completed(futures), start=1):
            done += future.result().bytes / 1e6
            seconds = time.perf_counter() - started
            left = (step.megabytes - done) / (done / seconds) if done else 0.0
            log.info(
                "parsed part %d of %d: %.0f of %.0f MB, %.1f MB/s, %.0f s left",
                number, len(pieces), done, step.megabytes, done / seconds, max(left, 0),
            )  # fmt: skip


@_step("build frames")
def build_frames(run: Recorder, checked: CheckedRows, digests: pl.DataFrame, store: PartStore) -> Assembled:
    """Puts the graph's frames together, and writes the reject report. Raises DataError when totals do not add up."""
    with run.step("build frames") as step:
        assembled = assemble(checked, digests, store)
        assembled.rejects.sink_parquet(run.folder / "rejects.parquet")
        run.update(
            tables=dict(assembled.tables), labels=dict(assembled.labels), relationships=dict(assembled.patterns),
            rejects=dict(assembled.reasons[Outcome.REJECTED]), filtered=dict(assembled.reasons[Outcome.FILTERED]),
            emptied=dict(assembled.reasons[Outcome.EMPTIED]), notes=dict(assembled.reasons[Outcome.NOTED]),
            fingerprint=assembled.fingerprint,
        )  # fmt: skip
        step.rows = sum(t.loaded for group in (assembled.labels, assembled.patterns) for t in group.values())
        if not run.report.adds_up:
            raise DataError("the totals do not add up: something was lost", hint="See: cpq-graph rejects --json")
        store.prune(digests["digest"].to_list())
        return assembled


@_step("check rejects")
def check_rejects(run: Recorder, assembled: Assembled, limit: float) -> None:
    """Raises DataError when more than `limit` of a table's rows or of a pattern's relationships were rejected."""
    with run.step("check rejects"):
        groups: list[tuple[str, Totals]] = [*assembled.tables.items(), *assembled.patterns.items()]
        over = [
            f"{name}: {totals.rejected} of {totals.read}"
            for name, totals in groups
            if totals.read and totals.rejected / totals.read > limit
        ]
        if over:
            raise DataError(
                f"more than {limit:.0%} was rejected ({'; '.join(over)}): the graph stays as it is",
                hint="See: cpq-graph rejects. CPQ_GRAPH_MAX_REJECT_SHARE sets the limit.",
            )


@contextmanager
def csv_files(run: Recorder, assembled: Assembled) -> Iterator[CsvFiles]:
    """The CSV files, for as long as the import needs them."""
    folder = run.folder / "csv"
    try:
        yield _write_csv(run, assembled)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@_step("write CSV files")
def _write_csv(run: Recorder, assembled: Assembled) -> CsvFiles:
    with run.step("write CSV files") as step:
        files = write_csv_files(frames_of(assembled), run.folder / "csv")
        step.rows = sum(file.rows for file in (*files.nodes, *files.relationships))
        step.megabytes = files.megabytes
        return files


def frames_of(assembled: Assembled) -> GraphFrames:
    """The frames as the load takes them."""
    return GraphFrames(assembled.nodes, assembled.relationships)


@_step("import", retries=1)
def import_store(run: Recorder, host: StoreHost, files: CsvFiles) -> Store:
    """Imports into a store of its own, beside the one that serves."""
    with run.step("import") as step:
        store = host.create(run.report.run)
        imported = bulk_import(store, files)
        step.rows, step.megabytes = imported.nodes + imported.relationships, files.megabytes
        return store


@_step("load over Bolt")
def load_over_bolt(run: Recorder, settings: Settings, address: Address, assembled: Assembled) -> None:
    """Replaces the graph of a server whose files are not at hand."""
    with run.step("load over Bolt") as step, connect(address, _password(settings)) as database:
        bolt.load_over_bolt(database, frames_of(assembled))
        step.rows = sum(t.loaded for group in (assembled.labels, assembled.patterns) for t in group.values())


@_step("start server", retries=1)
def serve(run: Recorder, store: Store) -> Address:
    """Serves the new store on a spare port."""
    with run.step("start server"):
        return store.start()


@_step("create indexes", retries=1)
def create_indexes(run: Recorder, settings: Settings, address: Address) -> None:
    """Creates constraints, indexes and full-text indexes, and waits for them."""

    def progress(online: int, total: int, per_cent: float) -> None:
        log.info("%d of %d indexes online, %.0f %% populated", online, total, per_cent)

    with run.step("create indexes"), connect(address, _password(settings)) as database:
        schema.create_schema(database, progress=progress)


@_step("reconcile", retries=1)
def check_graph(run: Recorder, settings: Settings, address: Address, assembled: Assembled) -> None:
    """Compares the graph with the totals, and says in it what it was made from. Raises TargetError."""
    expected = {name: totals.loaded for name, totals in (*assembled.labels.items(), *assembled.patterns.items())}
    with run.step("reconcile") as step, connect(address, _password(settings)) as database:
        reconcile.reconcile(database, expected)
        reconcile.write_state(database, fingerprint=assembled.fingerprint, run=run.report.run)
        step.rows = sum(expected.values())


@_step("build artifacts", retries=1)
def build_artifacts(run: Recorder, settings: Settings, address: Address, snapshot: Snapshot) -> str:
    """Builds the context artifacts from the new graph. Returns their folder, relative to the data folder."""
    with run.step("build artifacts"), connect(address, _password(settings)) as database:
        folder = artifacts.build_artifacts(database, settings.data_dir, snapshot=snapshot)
        return str(folder.relative_to(settings.data_dir))


@_step("smoke questions")
def ask_smoke_questions(run: Recorder, settings: Settings, graph: Graph, assembled: Assembled) -> None:
    """Asks the new graph what the totals know, in both languages. Raises TargetError for a wrong answer."""
    from cpq_graph.query.engine import Engine

    catalog = Catalog.model_validate_json((settings.data_dir / graph.artifacts / CATALOG_JSON).read_bytes())
    offers, products = assembled.labels[OFFER.label].loaded, assembled.labels[PRODUCT.label].loaded
    questions = {
        "How many offers are there?": offers,
        "Montako tarjousta on?": offers,
        "How many products are there?": products,
        "Montako tuotetta on?": products,
    }
    with run.step("smoke questions") as step, Engine(settings, graph=graph) as engine:
        for question, expected in questions.items():
            answer = engine.ask(question)
            found = list(answer.rows[0].values())[:1] if answer.rows else []
            if found != [expected]:
                raise TargetError(
                    f"the new graph answers {question!r} with {found or answer.reason}, the source says {expected}",
                    hint="It is not served. Run the refresh again; if it fails again, report a bug.",
                )
        for family in catalog.families[:1]:
            # A family's name may be one that a question cannot use; what must not be is a wrong number.
            answer = engine.ask(f"How many products were configured as {family.name}?")
            if answer.status == "OK" and list(answer.rows[0].values())[:1] != [family.products]:
                raise TargetError(
                    f"the new graph counts {answer.rows[0]} products of {family.name}, not {family.products}"
                )
        step.rows = len(questions)


@_step("switch")
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


def _password(settings: Settings) -> str:
    return settings.neo4j_password.get_secret_value() if settings.neo4j_uri else ""


def _megabytes(documents: pl.DataFrame) -> float:
    return float(documents["bytes"].sum() or 0) / 1e6
