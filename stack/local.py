"""The local stack as a whole: what `cpq-graph stack up / down / status` and the other commands ask for.

Arrives: settings. Leaves: addresses of servers that answer, and what is known of each. A server that the settings name
is used as it is: nothing is started in its place, nothing of it is stopped.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path

from pydantic import BaseModel, ConfigDict, SecretStr
from rich.console import Console

from cpq_graph.errors import ArtifactsError, StackError
from cpq_graph.manifest import read_serving, write_serving
from cpq_graph.servers import Address
from cpq_graph.settings import Settings
from stack import prefect_server, processes
from stack.neo4j import Host, Store
from stack.neo4j_program import mark
from stack.postgres import Cluster, postgres_version

# What is served before the first refresh.
EMPTY = "empty"


class LocalServer(BaseModel):
    """One local server. `pid`, `memory_mb` (resident) and `url` are None while it does not run."""

    model_config = ConfigDict(frozen=True)

    name: str
    version: str
    pid: int | None
    url: str | None
    memory_mb: int | None
    folder: Path
    log: Path

    @property
    def running(self) -> bool:
        """Whether it runs; it may not answer yet."""
        return self.pid is not None


class StackStatus(BaseModel):
    """The local servers there are; None or empty where the settings name another. `serving` is the serving store."""

    model_config = ConfigDict(frozen=True)

    postgres: LocalServer | None
    neo4j: tuple[LocalServer, ...]
    prefect: LocalServer
    serving: str | None


def up(settings: Settings, console: Console | None = None) -> StackStatus:
    """Starts what the settings leave to the local stack, both servers at once, and waits until they answer."""
    with ThreadPoolExecutor(2) as pool:
        starts: list[Callable[[], object]] = [
            lambda: ensure_postgres(settings),
            lambda: ensure_serving(settings, console),
        ]
        for start in [pool.submit(each) for each in starts]:
            start.result()
    return status(settings)


def down(settings: Settings) -> list[str]:
    """Ends every local server of this data folder, also those that a killed command left. Returns their names."""
    host, cluster = Host.of(settings), Cluster.of(settings)
    stores = [Store(host, name) for name in sorted({*host.names(), *_forgotten(host)})]
    running = [f"neo4j {store.name}" for store in stores if store.is_busy()] + ["postgresql"] * bool(cluster.process())
    running += ["prefect"] * bool(prefect_server.running(settings.data_dir))
    with ThreadPoolExecutor() as pool:
        stops = [*(store.stop for store in stores), cluster.stop, lambda: prefect_server.stop(settings.data_dir)]
        for stop in [pool.submit(each) for each in stops]:
            stop.result()
    return running


def remove(settings: Settings) -> None:
    """Ends the local servers and removes all that they keep, wherever it lies. The jars in the user's cache stay."""
    down(settings)
    host = Host.of(settings)
    for name in host.names():
        host.delete(name)
    Cluster.of(settings).remove()


def status(settings: Settings) -> StackStatus:
    """What runs. Starts and stops nothing."""
    return StackStatus(
        postgres=None if settings.postgres_url else _cluster_status(Cluster.of(settings)),
        neo4j=() if settings.neo4j_uri else tuple(_store_status(store) for store in _stores(settings)),
        prefect=_prefect_status(settings),
        serving=None if settings.neo4j_uri else _serving_store(settings),
    )


def ensure_postgres(settings: Settings) -> SecretStr:
    """URL of the source database: the one in the settings, or the local one, which then answers."""
    return settings.postgres_url or SecretStr(Cluster.of(settings).start())


def ensure_serving(settings: Settings, console: Console | None = None) -> Address:
    """Where the serving graph answers: at the server in the settings, or at the local one, which then answers.

    Before the first refresh that is an empty graph. When the serving store had to be started on another port than
    before, the pointer to the serving graph is made to say so. Raises StackError when its store is gone.
    """
    if settings.neo4j_uri:
        return Address(settings.neo4j_uri, settings.neo4j_user, settings.neo4j_database, settings.target_ca_file)
    host = Host.of(settings, console)
    name = _serving_store(settings)
    if name is None:
        return (host.open(EMPTY) if EMPTY in host.names() else host.create(EMPTY)).start()
    if name not in host.names():
        raise StackError(f"the serving graph's store {name} is gone", hint="Make it anew: cpq-graph refresh")
    address = host.open(name).start()
    serving = read_serving(settings.data_dir)
    if serving.current.store == name and serving.current.uri != address.uri:
        current = serving.current.model_copy(update={"uri": address.uri})
        write_serving(settings.data_dir, serving.model_copy(update={"current": current}))
    if EMPTY in host.names():
        host.delete(EMPTY)
    return address


def _serving_store(settings: Settings) -> str | None:
    try:
        return read_serving(settings.data_dir).current.store
    except ArtifactsError:
        return None


def _stores(settings: Settings) -> list[Store]:
    host = Host.of(settings)
    return [host.open(name) for name in host.names()]


def _forgotten(host: Host) -> list[str]:
    """Stores that are no more (or not yet) but have a process at work."""
    prefix = mark(host.folder) + "/"
    lines = (line for _, line in processes.command_lines())
    return [each.removeprefix(prefix) for line in lines for each in line if each.startswith(prefix)]


def _store_status(store: Store) -> LocalServer:
    process = store.process()
    return LocalServer(
        name=f"neo4j {store.name}",
        version=store.version,
        pid=process.pid if process else None,
        url=store.address.uri if process else None,
        memory_mb=processes.memory_mb(process) if process else None,
        folder=store.home,
        log=store.log_dir / "neo4j.log",
    )


def _cluster_status(cluster: Cluster) -> LocalServer:
    process = cluster.process()
    return LocalServer(
        name="postgresql",
        version=postgres_version(),
        pid=process.pid if process else None,
        url=cluster.url(process) if process else None,
        memory_mb=processes.memory_mb(process) if process else None,
        folder=cluster.folder,
        log=cluster.log,
    )


def _prefect_status(settings: Settings) -> LocalServer:
    process = prefect_server.running(settings.data_dir)
    folder = prefect_server.folder(settings.data_dir)
    return LocalServer(
        name="prefect",
        version=version("prefect"),
        pid=process.pid if process else None,
        url=prefect_server.api_url(process) if process else None,
        memory_mb=processes.memory_mb(process) if process else None,
        folder=folder,
        log=folder / "server.log",
    )
