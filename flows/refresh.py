"""The refresh: one night's work, as a Prefect flow whose body reads like the diagram.

    full    snapshot → rows → documents → frames → CSV files → a store of its own → indexes → reconcile → artifacts
            → smoke questions → switch
    delta   snapshot → rows → documents → frames → changed offers, each in one transaction → reconcile → artifacts
            → switch

Arrives: settings from the environment. Leaves: a graph that is the source's, or the one before untouched; a `Report`.
"""

from functools import partial
from typing import Literal

from prefect import flow

from cpq_graph.report import Report
from cpq_graph.servers import Address, StoreHost
from cpq_graph.settings import Settings, load_settings
from cpq_graph.site import read_site
from flows import delta, loading
from flows.ending import end_run
from flows.reading import Reading, read_source
from flows.recording import Recorder, recorded
from flows.steps import task_runner


@flow(name="refresh", description="Bring the graph in step with the source.", task_runner=task_runner(load_settings()))
def refresh(mode: Literal["full", "delta"] = "full", dry_run: bool = False) -> Report:
    """Loads every finalized offer of the source into a fresh graph and switches to it when it is right; or brings the
    graph that serves up to date, offer by offer.

    Raises a CpqGraphError that says what failed. Raises BusyError when another run is under way.
    """
    settings = load_settings()
    with (
        recorded(settings.data_dir, mode, dry_run=dry_run, on_end=partial(end_run, settings)) as run,
        loading.leased(run, settings, dry_run=dry_run),
    ):
        host = loading.clear_leftovers(run, settings)
        known = delta.known_documents(settings) if mode == "delta" else None
        reading = read_source(run, settings, read_site(settings.source_dir), known)
        change = delta.find_changes(run, settings, reading) if mode == "delta" else None
        if change is not None:
            _update(run, settings, reading, change, dry_run=dry_run)
        elif host is None:
            _load_in_place(run, settings, reading, dry_run=dry_run)
        else:
            _load_beside(run, settings, host, reading, dry_run=dry_run)
    return run.report


def _load_beside(run: Recorder, settings: Settings, host: StoreHost, reading: Reading, *, dry_run: bool) -> None:
    """Into a store of its own, by bulk import, while the graph before answers."""
    with loading.csv_files(run, reading) as files:
        if dry_run:
            return
        store = loading.import_store(run, host, files)
    try:
        address = loading.serve(run, store)
        loading.create_indexes(run, settings, address)
        loading.check_graph(run, settings, address, reading)
        graph = loading.build_artifacts(run, settings, address, reading, store.name)
        loading.mark_complete(run, settings, address, reading)
        loading.ask_smoke_questions(run, settings, graph, reading)
    except BaseException:
        # Nothing points at it yet. The next run would clear it away, but its server must not stay until then.
        store.stop()
        raise
    loading.switch_graph(run, settings, host, graph)


def _load_in_place(run: Recorder, settings: Settings, reading: Reading, *, dry_run: bool) -> None:
    """Into the server that is set, over Bolt: its files are not at hand. Until the switch the engine refuses to answer
    from a graph that is half loaded."""
    if dry_run:
        return
    address = Address(settings.neo4j_uri or "", settings.neo4j_user, settings.neo4j_database, settings.target_ca_file)
    loading.load_over_bolt(run, settings, address, reading)
    loading.check_graph(run, settings, address, reading)
    graph = loading.build_artifacts(run, settings, address, reading, None)
    loading.mark_complete(run, settings, address, reading)
    loading.ask_smoke_questions(run, settings, graph, reading)
    loading.switch_graph(run, settings, None, graph)


def _update(run: Recorder, settings: Settings, reading: Reading, change: delta.Change, *, dry_run: bool) -> None:
    """Offer by offer, in the graph that serves. It answers all the while, from each offer as it was or as it is."""
    if dry_run or change.is_nothing:
        return
    choices = delta.apply(run, settings, reading, change)
    # What did not change was checked when it was loaded; counts tell what a delta might lose.
    loading.check_graph(run, settings, change.address, reading, checks=False)
    graph = loading.build_artifacts(run, settings, change.address, reading, change.store, choices)
    # At once after the other: in between, an engine that starts finds a graph that its artifacts do not belong to.
    loading.mark_complete(run, settings, change.address, reading)
    loading.switch_graph(run, settings, None, graph)
    loading.ask_smoke_questions(run, settings, graph, reading)
