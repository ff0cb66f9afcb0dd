"""Neo4j's jars: from a lock file to files on disk, each checked against its SHA-256.

Arrives: a version that has a lock in `stack/locks/` (made by `stack.lock`). Leaves: the paths of its jars in a cache
that all versions, stores and checkouts of a user share, laid out as a Maven repository is.
"""

import hashlib
import logging
import os
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import httpx
from filelock import FileLock
from jgo.constants import MAVEN_CENTRAL_URL
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

from cpq_graph.errors import ConfigurationError, StackError
from cpq_graph.settings import Settings

LOCKS = Path(__file__).parent / "locks"
# More connections than this gain nothing on a home line, and some repositories answer with 429.
CONNECTIONS = 8
ATTEMPTS = 6

log = logging.getLogger(__name__)

Advance = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Jar:
    """One jar of a lock: where it lies in a Maven repository, and what it must hash to."""

    coordinates: str
    sha256: str

    @property
    def path(self) -> str:
        """Its path below a repository's base address, and below the cache."""
        group, artifact, *classifier, version = self.coordinates.split(":")
        name = "-".join([artifact, version, *classifier])
        return f"{group.replace('.', '/')}/{artifact}/{version}/{name}.jar"


def versions() -> list[str]:
    """The Neo4j versions that can be run here, oldest first."""
    return sorted((lock.stem.removeprefix("neo4j-") for lock in LOCKS.glob("neo4j-*.lock")), key=version_key)


def version_key(version: str) -> tuple[int, ...]:
    """Sorts versions: 5.26.18 < 2025.12.1 < 2026.08.1."""
    return tuple(int(part) for part in version.split("."))


def read_lock(version: str) -> list[Jar]:
    """The jars of a version, in the order of the classpath. Raises ConfigurationError when it has no lock."""
    path = LOCKS / f"neo4j-{version}.lock"
    if not path.is_file():
        raise ConfigurationError(
            f"the local stack cannot run Neo4j {version}",
            hint=f"Set CPQ_GRAPH_NEO4J_VERSION to one of {', '.join(versions())}.",
        )
    lines = (line.split() for line in path.read_text(encoding="ascii").splitlines() if not line.startswith("#"))
    return [Jar(coordinates, sha256) for coordinates, sha256 in lines]


def cache_folder(settings: Settings) -> Path:
    """The user's cache where it can be written (so that a new checkout downloads nothing), else the data folder. Raises
    ConfigurationError when Java could not be told where it is."""
    folder = _usable_folder(settings)
    if os.pathsep in str(folder.absolute()):
        raise ConfigurationError(
            f"Java cannot read jars in {folder.absolute()}: to it, {os.pathsep!r} ends a path",
            hint="Set CPQ_GRAPH_CACHE_DIR to a folder without one.",
        )
    return folder


def _usable_folder(settings: Settings) -> Path:
    folder = settings.cache_dir.expanduser() / "jars"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        folder = settings.data_dir / "stack" / "jars"
        folder.mkdir(parents=True, exist_ok=True)
    return folder if os.access(folder, os.W_OK) else settings.data_dir / "stack" / "jars"


def ensure(
    jars: Sequence[Jar], cache: Path, *, base_url: str | None = None, console: Console | None = None
) -> list[Path]:
    """The jars' files, downloaded where they are missing. Progress goes to `console` (nothing is shown without one).

    A file in the cache under its own name has been checked: it gets that name only then. Two processes that need the
    same jars take turns. Raises StackError when a jar cannot be had.
    """
    if missing(jars, cache):
        cache.mkdir(parents=True, exist_ok=True)
        with FileLock(cache / ".lock"):
            _download(missing(jars, cache), cache, base_url or MAVEN_CENTRAL_URL, console)
    return [cache / jar.path for jar in jars]


def missing(jars: Iterable[Jar], cache: Path) -> list[Jar]:
    """The jars that are not in the cache."""
    return [jar for jar in jars if not (cache / jar.path).is_file()]


def remove_damaged(jars: Iterable[Jar], cache: Path) -> list[Jar]:
    """Removes the cached jars that are no longer what the lock says (a failing disk, a careless hand)."""
    damaged = [jar for jar in jars if (cache / jar.path).is_file() and _sha256(cache / jar.path) != jar.sha256]
    for jar in damaged:
        (cache / jar.path).unlink()
    return damaged


def _download(jars: Sequence[Jar], cache: Path, base_url: str, console: Console | None) -> None:
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    timeout = httpx.Timeout(30, pool=None)
    limits = httpx.Limits(max_connections=CONNECTIONS)
    with (
        Progress(*columns, console=console, disable=console is None, transient=True) as progress,
        httpx.Client(
            base_url=base_url.rstrip("/") + "/", follow_redirects=True, timeout=timeout, limits=limits
        ) as client,
        ThreadPoolExecutor(CONNECTIONS) as pool,
    ):
        task = progress.add_task(f"Neo4j, {len(jars)} jars", total=None)
        running = [pool.submit(fetch, client, jar, cache, lambda n: progress.advance(task, n)) for jar in jars]
        try:
            for each in running:
                each.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def fetch(client: httpx.Client, jar: Jar, cache: Path, advance: Advance = lambda _: None) -> None:
    """Downloads one jar; goes on where a cut download ended, also one of an earlier process."""
    target = cache / jar.path
    part = target.with_suffix(".part")
    target.parent.mkdir(parents=True, exist_ok=True)
    problem = ""
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(min(0.25 * 2**attempt, 5))
        try:
            _continue(client, jar.path, part, advance)
        except httpx.HTTPStatusError as error:
            problem = f"the repository answers {error.response.status_code}"
            if error.response.status_code in (401, 403, 404, 410):
                break
        except (httpx.HTTPError, OSError) as error:
            problem = f"{type(error).__name__}: {error}"
        else:
            if _sha256(part) == jar.sha256:
                part.replace(target)
                return
            problem = "its SHA-256 is not the one in the lock"
            part.unlink()
        log.warning("%s, attempt %d of %d: %s", jar.coordinates, attempt + 1, ATTEMPTS, problem)
    raise StackError(
        f"cannot download {jar.coordinates}: {problem}",
        hint="Check the network (HTTPS_PROXY is heeded), or set CPQ_GRAPH_MAVEN_URL to a Maven repository in reach.",
    )


def _continue(client: httpx.Client, path: str, part: Path, advance: Advance) -> None:
    """Appends to `part` what it lacks, or starts it anew when the repository does not do ranges."""
    have = part.stat().st_size if part.exists() else 0
    with client.stream("GET", path, headers={"Range": f"bytes={have}-"} if have else {}) as response:
        if response.status_code == httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE:
            # It was whole already (the process ended before the check), or longer than the file there is: the
            # check of the hash tells.
            return
        response.raise_for_status()
        resumed = response.status_code == httpx.codes.PARTIAL_CONTENT
        with part.open("ab" if resumed else "wb") as file:
            for chunk in response.iter_bytes():
                file.write(chunk)
                advance(len(chunk))


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
