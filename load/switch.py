"""The switch from one graph to the next, the way back, and what may be deleted.

Arrives: the graph that was just built and checked. Leaves: `serving.json`, replaced in one step; what it names stays,
all other stores and artifacts are left-overs of interrupted or older runs. Whoever asks reads the file between two
questions, so the graph before keeps answering until it is told to stop.
"""

import logging
import shutil
from datetime import UTC, datetime
from pathlib import Path

from cpq_graph.errors import ArtifactsError, TargetError
from cpq_graph.manifest import Graph, Serving, read_serving, serving_path, write_serving
from cpq_graph.servers import StoreHost

log = logging.getLogger(__name__)


def artifacts_dir(data_dir: Path) -> Path:
    """Where each graph's artifacts have a folder, named by fingerprint."""
    return data_dir / "artifacts"


def serving_or_none(data_dir: Path) -> Serving | None:
    """The pointer, or None when nothing was ever loaded. Raises ArtifactsError when it is damaged."""
    return read_serving(data_dir) if serving_path(data_dir).exists() else None


def publish(data_dir: Path, graph: Graph) -> Serving:
    """Makes `graph` the one that answers; the one that did becomes `previous`. Publishing the serving graph again
    changes nothing but where it answers."""
    before = serving_or_none(data_dir)
    if before is None:
        previous = None
    elif _same(before.current, graph):
        previous = before.previous
    else:
        previous = before.current
    serving = Serving(current=graph, previous=previous, switched_at=datetime.now(UTC))
    write_serving(data_dir, serving)
    return serving


def rollback(data_dir: Path, host: StoreHost | None) -> Serving:
    """Serves the graph before again, and keeps the current one to come back to. Its store is started first, so that
    there is no moment without an answer. Raises ArtifactsError or TargetError when there is nothing to go back to."""
    serving = read_serving(data_dir)
    previous = serving.previous
    if previous is None:
        raise TargetError("there is no graph before this one", hint="It is kept from the second refresh on.")
    if not (data_dir / previous.artifacts).is_dir():
        raise ArtifactsError(f"the artifacts of the graph before are gone: {previous.artifacts}")
    if previous.store is not None:
        if host is None or previous.store not in host.names():
            raise TargetError(f"the store of the graph before is gone: {previous.store}")
        address = host.open(previous.store).start()
        previous = previous.model_copy(update={"uri": address.uri, "database": address.database})
    elif previous.uri == serving.current.uri and previous.database == serving.current.database:
        raise TargetError(
            f"{previous.uri} was loaded in place, so the graph before is not there any more",
            hint="Run the refresh on the source as it was.",
        )
    swapped = Serving(current=previous, previous=serving.current, switched_at=datetime.now(UTC))
    write_serving(data_dir, swapped)
    return swapped


def stop_previous(serving: Serving, host: StoreHost) -> None:
    """Ends the server of the graph before; its store is kept."""
    previous = serving.previous
    if previous and previous.store and previous.store != serving.current.store and previous.store in host.names():
        host.open(previous.store).stop()


def clear_leftovers(data_dir: Path, host: StoreHost | None) -> list[str]:
    """Deletes every store and artifacts folder that the pointer does not name: interrupted runs', and those older than
    the graph before. Returns their names. Only to be called by a run that holds the lock."""
    serving = serving_or_none(data_dir)
    kept = [graph for graph in (serving.current, serving.previous) if graph] if serving else []
    stores = {graph.store for graph in kept}
    folders = {(data_dir / graph.artifacts).resolve() for graph in kept}
    deleted = []
    for name in host.names() if host else []:
        if name not in stores:
            host.delete(name)  # type: ignore[union-attr]  # there is a name, so there is a host
            deleted.append(name)
    for folder in sorted(artifacts_dir(data_dir).glob("*")):
        if folder.resolve() not in folders:
            shutil.rmtree(folder, ignore_errors=True)
            deleted.append(str(folder))
    for name in deleted:
        log.info("deleted %s, which no graph needs any more", name)
    return deleted


def _same(one: Graph, other: Graph) -> bool:
    return (one.store, one.database) == (other.store, other.database) and (
        one.store is not None or one.uri == other.uri
    )
