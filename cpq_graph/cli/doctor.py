"""`doctor`: everything that a refresh and a question need, looked at before they run."""

import os
import re
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import click
import psutil

from cpq_graph.cli.doctor_source import Finding, check_source, existing_folder
from cpq_graph.cli.output import emit_json, ends_cleanly, json_option, of_this_machine, stderr, table
from cpq_graph.errors import CpqGraphError
from cpq_graph.manifest import Graph, read_manifest, read_serving, serving_path
from cpq_graph.settings import Settings
from cpq_graph.site import read_site

if TYPE_CHECKING:
    from load.database import Database


@click.command()
@json_option
@click.pass_obj
@ends_cleanly
def doctor(settings: Settings, *, as_json: bool) -> None:
    """Check all that a refresh and a question need.

    Each connection, version, permission, disk and memory need, with how to mend what is wrong. Changes nothing. Exit
    code 1 when something would fail.
    """
    findings = []
    for name, check in CHECKS.items():
        # Shown while it lasts, and only on a terminal.
        with stderr.status(f"checking {name} …"):
            findings += list(_guarded(name, lambda check=check: check(settings)))  # type: ignore[misc]
    if as_json:
        emit_json([finding.model_dump() for finding in findings])
    else:
        table(None, ["", "check", "found", "to mend it"], [[f.state, f.check, f.found, f.mend] for f in findings])
    if any(finding.state == "failed" for finding in findings):
        sys.exit(1)


def _guarded(name: str, check: Callable[[], Iterator[Finding]]) -> Iterator[Finding]:
    try:
        yield from check()
    except CpqGraphError as error:
        yield Finding(check=name, state="failed", found=error.message, mend=error.hint)
    except OSError as error:
        failure = of_this_machine(error)
        found = failure.message if failure else str(error)
        yield Finding(check=name, state="failed", found=found, mend=failure.hint if failure else "See the data folder.")


def _python(_: Settings) -> Iterator[Finding]:
    yield Finding(check="Python", state="ok", found=sys.version.split()[0])


def _site(settings: Settings) -> Iterator[Finding]:
    site = read_site(settings.source_dir)
    period = f"{site.period_from or '…'} to {site.period_to or '…'}"
    yield Finding(
        check="site files", state="ok", found=f"{settings.source_dir}: {', '.join(site.final_statuses)}; {period}"
    )


def _data_dir(settings: Settings) -> Iterator[Finding]:
    folder = existing_folder(settings)
    writable = folder.is_dir() and os.access(folder, os.W_OK)
    yield Finding(
        check="data folder", state="ok" if writable else "failed", found=str(settings.data_dir),
        mend=None if writable else "Set CPQ_GRAPH_DATA_DIR to a folder that may be written.",
    )  # fmt: skip


def _memory(settings: Settings) -> Iterator[Finding]:
    available = psutil.virtual_memory().available / 1e6
    # While a graph is switched two servers run, each with its heap and half of that as page cache.
    servers = 0.0 if settings.neo4j_uri else 2 * 1.5 * settings.neo4j_heap_mb
    need = servers + settings.memory_mb
    yield Finding(
        check="memory", state="ok" if available > need else "warning",
        found=f"{available / 1e3:.1f} GB available, up to {need / 1e3:.1f} GB needed",
        mend=None if available > need else "Lower CPQ_GRAPH_NEO4J_HEAP_MB or CPQ_GRAPH_MEMORY_MB.",
    )  # fmt: skip


def _neo4j(settings: Settings) -> Iterator[Finding]:
    from cpq_graph.servers import Address
    from load.database import connect
    from load.reconcile import read_state

    graph = read_serving(settings.data_dir).current if serving_path(settings.data_dir).exists() else None
    if graph is None:
        yield Finding(check="graph", state="warning", found="none has been loaded yet", mend="Run: cpq-graph refresh")
        if settings.neo4j_uri is None:
            return
    elif settings.neo4j_uri is None and not _runs_here(settings, graph):
        yield Finding(
            check="Neo4j", state="warning", found=f"the local server of run {graph.run} does not run",
            mend="A question or a refresh starts it, or: cpq-graph stack up",
        )  # fmt: skip
        return
    uri = settings.neo4j_uri or (graph.uri if graph else "")
    database_name = graph.database if graph else settings.neo4j_database
    address = Address(uri, settings.neo4j_user, database_name, settings.target_ca_file)
    with connect(address, settings.target_password) as database:
        yield from _server(database)
        state = read_state(database)
        if graph is None:
            is_ours = state is not None or not database.rows("MATCH (n) RETURN n LIMIT 1")
            if not is_ours:
                yield Finding(
                    check="Neo4j", state="failed", found=f"{database_name} holds data that is not of cpq-graph",
                    mend="Name another one in CPQ_GRAPH_NEO4J_DATABASE, or empty it yourself.",
                )  # fmt: skip
            return
    manifest = read_manifest(settings.data_dir / graph.artifacts, verify=True)
    belongs = state is not None and state[0] == manifest.fingerprint
    yield Finding(
        check="artifacts", state="ok" if belongs else "failed",
        found=f"of graph {manifest.fingerprint[:12]}" + ("" if belongs else ", which Neo4j does not hold"),
        mend=None if belongs else "Run: cpq-graph context build; if Neo4j holds no whole graph: cpq-graph refresh",
    )  # fmt: skip


def _runs_here(settings: Settings, graph: Graph) -> bool:
    from stack import local

    return any(server.running and server.url == graph.uri for server in local.status(settings).neo4j)


def _server(database: "Database") -> Iterator[Finding]:
    (row,) = database.rows(
        "CALL dbms.components() YIELD name, versions, edition WHERE name = 'Neo4j Kernel' "
        "RETURN versions[0] AS version, edition"
    )
    version = str(row["version"])
    # 5.26 is the oldest that is tested; later ones are named by the year.
    numbers = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
    known = numbers >= (5, 26)
    yield Finding(
        check="Neo4j", state="ok" if known else "failed", found=f"{version} {row['edition']} at {database.uri}",
        mend=None if known else "Neo4j 5.26 or later is needed.",
    )  # fmt: skip


def _local_stack(settings: Settings) -> Iterator[Finding]:
    if settings.neo4j_uri and settings.postgres_url:
        return
    from stack import jars

    missing = jars.missing(jars.read_lock(settings.neo4j_version), jars.cache_folder(settings))
    yield Finding(
        check="local stack", state="ok" if not missing else "warning",
        found=f"Neo4j {settings.neo4j_version}" + (f", {len(missing)} jars to download" if missing else " is here"),
        mend="They are downloaded at the first start." if missing else None,
    )  # fmt: skip


def _prefect(_: Settings) -> Iterator[Finding]:
    url = os.environ.get("PREFECT_API_URL")
    if url is None:
        yield Finding(check="Prefect", state="ok", found="no PREFECT_API_URL: the local stack's server is used")
        return
    import httpx

    try:
        httpx.get(f"{url}/health", timeout=5).raise_for_status()
    except httpx.HTTPError as error:
        yield Finding(
            check="Prefect", state="failed", found=f"{url}: {error}", mend="Start it, or unset PREFECT_API_URL."
        )
    else:
        yield Finding(check="Prefect", state="ok", found=url)


CHECKS: dict[str, Callable[[Settings], Iterator[Finding]]] = {
    "Python": _python,
    "site files": _site,
    "PostgreSQL": check_source,
    "data folder": _data_dir,
    "memory": _memory,
    "local stack": _local_stack,
    "Neo4j": _neo4j,
    "Prefect": _prefect,
}

COMMANDS = (doctor,)
