"""The refresh: one night's work, as a Prefect flow whose body reads like the diagram.

    snapshot → rows → documents → graph frames → CSV files → a store of its own → indexes → reconcile
             → artifacts → smoke questions → switch

Arrives: settings from the environment. Leaves: a new graph that serves, or the old one untouched, and a `Report`.
"""

from typing import Literal

from prefect import flow

from cpq_graph.manifest import Graph, Snapshot
from cpq_graph.report import Report
from cpq_graph.servers import Address, StoreHost
from cpq_graph.settings import Settings, load_settings
from cpq_graph.site import read_site
from flows import tasks
from flows.pages import publish_pages
from flows.recording import Recorder, recorded
from transform.assemble import Assembled


@flow(
    name="refresh",
    description="Bring the graph in step with the source.",
    task_runner=tasks.task_runner(load_settings()),
)
def refresh(mode: Literal["full"] = "full", dry_run: bool = False) -> Report:
    """Loads every finalized offer of the source into a fresh graph, and switches to it when it is right.

    Raises a CpqGraphError that says what failed; whatever served before then still does. Raises BusyError when another
    run is under way.
    """
    settings = load_settings()
    with recorded(settings.data_dir, mode, dry_run=dry_run, on_end=publish_pages) as run:
        _refresh(run, settings, dry_run=dry_run)
    return run.report


def _refresh(run: Recorder, settings: Settings, *, dry_run: bool) -> None:
    host = tasks.clear_leftovers(run, settings)
    assembled, snapshot = tasks.read_source(run, settings, read_site(settings.source_dir))
    tasks.check_rejects(run, assembled, settings.max_reject_share)
    if host is None:
        _load_in_place(run, settings, assembled, snapshot, dry_run=dry_run)
    else:
        _load_beside(run, settings, host, assembled, snapshot, dry_run=dry_run)


def _load_beside(
    run: Recorder, settings: Settings, host: StoreHost, assembled: Assembled, snapshot: Snapshot, *, dry_run: bool
) -> None:
    """Into a store of its own, by bulk import, while the graph before answers."""
    with tasks.csv_files(run, assembled) as files:
        if dry_run:
            return
        store = tasks.import_store(run, host, files)
    try:
        address = tasks.serve(run, store)
        tasks.create_indexes(run, settings, address)
        graph = _finished(run, settings, address, store.name, assembled, snapshot)
    except BaseException:
        # Nothing points at it yet. The next run would clear it away, but its server must not stay until then.
        store.stop()
        raise
    tasks.switch_graph(run, settings, host, graph)


def _load_in_place(
    run: Recorder, settings: Settings, assembled: Assembled, snapshot: Snapshot, *, dry_run: bool
) -> None:
    """Into the server that is set, over Bolt: its files are not at hand. Until the switch the engine refuses to answer
    from a graph that is half loaded."""
    address = Address(settings.neo4j_uri or "", settings.neo4j_user, settings.neo4j_database)
    if dry_run:
        return
    tasks.load_over_bolt(run, settings, address, assembled)
    tasks.switch_graph(run, settings, None, _finished(run, settings, address, None, assembled, snapshot))


def _finished(
    run: Recorder, settings: Settings, address: Address, store: str | None, assembled: Assembled, snapshot: Snapshot
) -> Graph:
    """The loaded graph, found to be right, with its artifacts."""
    tasks.check_graph(run, settings, address, assembled)
    artifacts = tasks.build_artifacts(run, settings, address, snapshot)
    graph = Graph(
        store=store, uri=address.uri, database=address.database, fingerprint=assembled.fingerprint,
        artifacts=artifacts, run=run.report.run, snapshot=snapshot,
    )  # fmt: skip
    tasks.ask_smoke_questions(run, settings, graph, assembled)
    return graph
