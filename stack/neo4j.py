"""Neo4j stores on this machine, each a home folder of its own that can be imported into, served, stopped and deleted.

Arrives: a data folder and a version with a lock. Leaves: `Host` and `Store`, which are the `StoreHost` and `Store` of
`cpq_graph.servers`. A server belongs to its store, not to the command that started it: it stays up when that ends, and
whoever starts the store next finds it. All listen on loopback only, without a password.
"""

import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

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
from stack import aot, jars, processes
from stack.neo4j_program import Program, mark, server_class

# An address that stays the same over refreshes, for bookmarks and other tools: two, as a new graph is made ready
# beside the one that serves. Neo4j's own 7687 is left to a server that is there already.
PREFERRED_PORTS = (17687, 17688)
DATABASE = "neo4j"
START_PATIENCE_S = 180
# One that another command has just started may need as long as ours; one that hangs should not keep us for minutes.
FOUND_PATIENCE_S = 90
HANGING_PATIENCE_S = 10
LOCK_PATIENCE_S = 240


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
        return next(iter(processes.running(self._mark, server_class(self.version))), None)

    def is_busy(self) -> bool:
        """Whether a server or a `neo4j-admin` is at work on it."""
        return bool(processes.running(self._mark))

    def admin(self, arguments: Sequence[str], folder: Path) -> str:
        """Runs `neo4j-admin` in `folder` on this store, which must not be served. Raises TargetError."""
        with self._locked():
            if self.process():
                raise TargetError(f"the store {self.name} is being served", hint="Stop it first.")
            program = self._program
            program.configure(self._state().port or 0)
            command = program.admin(arguments)
            done = subprocess.run(command, env=program.environment, cwd=folder, capture_output=True, check=False)
        output = (done.stdout + done.stderr).decode("utf-8", "replace")
        (self.log_dir / "admin.log").write_text(output, encoding="utf-8")
        if done.returncode:
            # A signal ended it (the kernel's for want of memory, an operator's); all else it would say again.
            killed = done.returncode < 0
            raise TargetError(
                f"neo4j-admin failed (exit code {done.returncode}):\n{output[-8000:]}",
                hint="It was killed: is there memory enough? Run it again." if killed else None,
                transient=killed,
            )
        return output

    def start(self) -> Address:
        """Serves the store (or finds it served, or starting) and waits until Bolt answers. Raises StackError.

        A server found at work that does not answer in time is ended and started anew; one whose port another program
        took while it started gets another port.
        """
        with self._locked():
            found = self.process()
            if self._answers(found, FOUND_PATIENCE_S):
                return self.address
            for _ in range(3):
                processes.end(processes.running(self._mark), patience_s=HANGING_PATIENCE_S)
                if self._answers(self._launch(), START_PATIENCE_S):
                    return self.address
                said = processes.tail(self._console_log)
                if "in use" not in said and "PortBindException" not in said:
                    break
            is_damaged = cannot_start(self.address)
            processes.end(processes.running(self._mark))
            raise self._damage() if is_damaged else self._failure()

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
        return mark(self.home)

    @property
    def _state_path(self) -> Path:
        return self.home / "store.json"

    @property
    def _console_log(self) -> Path:
        return self.log_dir / "console.log"

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

    def _launch(self) -> psutil.Process | None:
        state = self._state()
        port = processes.free_port([*([state.port] if state.port else []), *PREFERRED_PORTS])
        self._keep(state.model_copy(update={"port": port}))
        program = self._program
        program.configure(port)
        self._console_log.unlink(missing_ok=True)
        return processes.spawn(program.server(), log=self._console_log, environment=program.environment)

    def _answers(self, process: psutil.Process | None, patience_s: float) -> bool:
        """Waits for an answer over Bolt from this very process. False when it ended or does not answer in time."""
        port = self._state().port or 0
        for _ in processes.until(time.monotonic() + patience_s):
            if not process or not processes.is_alive(process):
                return False
            if processes.listens(process, port):
                if answers(self.address):
                    return True
                if cannot_start(self.address):
                    return False
        return False

    def _damage(self) -> StackError:
        return StackError(
            f"the Neo4j server of the store {self.name} cannot start its database: was the disk full?",
            hint=f"Make the graph anew: cpq-graph refresh. What is wrong with it is in {self.log_dir / 'debug.log'}.",
        )

    def _failure(self) -> StackError:
        damaged = jars.remove_damaged(jars.read_lock(self.version), self._host.cache)
        hint = "Damaged jars were removed: run it again." if damaged else f"Its logs are in {self.log_dir}."
        # 5.26 warns of a hundred time zones on a newer Java than its own.
        lines = processes.tail(self._console_log, 50_000).splitlines()
        said = "\n".join(line for line in lines if not line.startswith("WARNING:")).strip()
        end = said[-2000:] or processes.tail(self.log_dir / "neo4j.log") or "it says nothing"
        return StackError(
            f"the Neo4j server of the store {self.name} does not start:\n{end}", hint=hint, transient=True
        )

    @property
    def _program(self) -> Program:
        return self._host.program(self.home, self.version)


class Host:
    """The stores of one data folder (`cpq_graph.servers.StoreHost`). New ones are made with `version`."""

    def __init__(
        self,
        data_dir: Path,
        *,
        version: str,
        cache: Path,
        heap_mb: int = 1024,
        java_options: tuple[str, ...] = (),
        base_url: str | None = None,
        console: Console | None = None,
    ) -> None:
        self.folder = data_dir.resolve() / "stack" / "neo4j" / "stores"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.version = version
        self.cache = cache
        self.heap_mb = heap_mb
        self.java_options = java_options
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
            java_options=tuple((settings.neo4j_java_options or "").split()),
            base_url=settings.maven_url,
            console=console,
        )

    def program(self, home: Path, version: str) -> Program:
        """Neo4j of a version; what it needs is downloaded and prepared when it is not there."""
        locked = jars.read_lock(version)
        classpath = jars.ensure(locked, self.cache, base_url=self._base_url, console=self._console)
        program = Program(home, version, tuple(classpath), heap_mb=self.heap_mb)
        cache = aot.ensure(program, self.cache, self._console)
        return replace(program, aot_cache=cache, java_options=self.java_options)

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
        """Stops and removes a store, or what an interrupted removal left of it."""
        Store(self, name).delete()


def cannot_start(address: Address) -> bool:
    """Whether a server answers there that has given its database up: waiting for that one is in vain."""
    try:
        with (
            neo4j.GraphDatabase.driver(address.uri, connection_timeout=5, connection_acquisition_timeout=5) as driver,
            driver.session(database="system") as session,
        ):
            messages = session.run("SHOW DATABASES YIELD statusMessage").value()
    except (DriverError, Neo4jError):
        return False
    return any("Unable to start" in str(message) for message in messages)


def answers(address: Address) -> bool:
    """Whether a query is answered there, now."""
    try:
        with (
            neo4j.GraphDatabase.driver(address.uri, connection_timeout=5, connection_acquisition_timeout=5) as driver,
            driver.session(database=address.database) as session,
        ):
            # Not execute_query, which tries again for half a minute.
            session.run("RETURN 1").consume()
    except (DriverError, Neo4jError):
        return False
    return True
