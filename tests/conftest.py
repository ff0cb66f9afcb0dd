"""Real servers for the tests: those that the environment names, else containers where Docker answers, else local ones.

`CPQ_GRAPH_TEST_POSTGRES_URL` and `CPQ_GRAPH_TEST_NEO4J_URI` name servers to use (whose content is lost), and
`CPQ_GRAPH_TEST_NEO4J_VERSION` the Neo4j version to run. All that is started here ends with the session, on Ctrl-C too.
"""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from itertools import count
from urllib.parse import urlsplit, urlunsplit

import docker
import neo4j
import psycopg
import pytest
from docker.errors import DockerException
from psycopg import sql
from refreshed_site import Site, new_site
from rich.console import Console
from secured_neo4j import Secured, secured_server

from cpq_graph.servers import Address
from cpq_graph.settings import Settings
from stack import jars, prefect_server, processes
from stack.neo4j import Host, answers
from stack.neo4j_program import SHORT_LIVED
from stack.postgres import Cluster, postgres_version

NEO4J_VERSION = os.environ.get("CPQ_GRAPH_TEST_NEO4J_VERSION", Settings.model_fields["neo4j_version"].default)
# What a laptop has left beside a browser: enough for every graph of the tests.
HEAP_MB = 512
# Modules that take a minute or more.
SLOWEST = (
    "test_flows_refresh",
    "test_flows_kills",
    "test_flows_delta",
    "test_evaluation_engine",
    "test_load_delta",
    "test_query_compile",
)


@cache
def docker_answers() -> bool:
    """Whether there is a Docker engine to run containers on."""
    try:
        client = docker.from_env(timeout=2)
        try:
            return bool(client.ping())
        finally:
            client.close()
    except DockerException:
        return False


def pytest_configure() -> None:
    # A SIGTERM (a CI that stops the job) ends the servers as Ctrl-C does.
    signal.signal(signal.SIGTERM, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # Side by side (pytest -n), what takes minutes begins first and what takes no server fills up the end.
    items.sort(key=lambda item: SLOWEST.index(item.path.stem) if item.path.stem in SLOWEST else len(SLOWEST))


def pytest_report_header() -> list[str]:
    kind = "in a container" if docker_answers() else "of the local stack"
    postgres, bolt = f"{postgres_version()} {kind}", f"{NEO4J_VERSION} {kind}"
    if url := os.environ.get("CPQ_GRAPH_TEST_POSTGRES_URL"):
        with psycopg.connect(url, connect_timeout=5) as connection:
            postgres = f"{connection.info.parameter_status('server_version')} at {connection.info.host}"
    if uri := os.environ.get("CPQ_GRAPH_TEST_NEO4J_URI"):
        with neo4j.GraphDatabase.driver(uri, connection_timeout=5) as driver:
            bolt = f"{driver.get_server_info().agent} at {driver.get_server_info().address}"
    return [f"PostgreSQL: {postgres}", f"Neo4j: {bolt}"]


@pytest.fixture(scope="session")
def store_host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """A machine with no stores, whose servers all end with the session. Always the local stack's."""
    settings = Settings(_env_file=None, data_dir=tmp_path_factory.mktemp("stores"), neo4j_version=NEO4J_VERSION)
    console = Console(stderr=True)
    host = Host(
        settings.data_dir, version=NEO4J_VERSION, cache=jars.cache_folder(settings), heap_mb=HEAP_MB,
        java_options=SHORT_LIVED, console=console,
    )  # fmt: skip
    yield host
    for name in host.names():
        host.delete(name)


@pytest.fixture(scope="session")
def neo4j_server(request: pytest.FixtureRequest) -> Iterator[Address]:
    """A running server of the version under test, which other modules have used or use too. See `clean_neo4j`."""
    with ExitStack() as stack:
        if uri := os.environ.get("CPQ_GRAPH_TEST_NEO4J_URI"):
            yield Address(uri=uri, user="neo4j", database="neo4j")
        elif docker_answers():
            yield stack.enter_context(_neo4j_container())
        else:
            host: Host = request.getfixturevalue("store_host")
            yield host.create("shared").start()


@pytest.fixture(scope="module")
def clean_neo4j(neo4j_server: Address) -> Address:
    """The running server with nothing in it: no node, no constraint, no index."""
    with neo4j.GraphDatabase.driver(neo4j_server.uri) as driver:
        wipe(driver, neo4j_server.database)
    return neo4j_server


def wipe(driver: neo4j.Driver, database: str) -> None:
    """Deletes every node, relationship, constraint and index (but the two token lookups that a new database has)."""
    with driver.session(database=database) as session:
        session.run("MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 10000 ROWS").consume()
        for name in session.run("SHOW CONSTRAINTS YIELD name").value():
            session.run(f"DROP CONSTRAINT `{name}`").consume()
        for name in session.run("SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP'").value():
            session.run(f"DROP INDEX `{name}`").consume()


@pytest.fixture(scope="session")
def secured_neo4j(store_host: Host, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secured]:
    """A running server with a password and TLS. Always the local stack's."""
    with secured_server(store_host, tmp_path_factory.mktemp("certificates")) as secured:
        yield secured


@pytest.fixture(scope="session")
def postgres_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A throw-away cluster's database. The role is a superuser."""
    with ExitStack() as stack:
        if url := os.environ.get("CPQ_GRAPH_TEST_POSTGRES_URL"):
            yield url
        elif docker_answers():
            yield stack.enter_context(_postgres_container())
        else:
            cluster = Cluster(tmp_path_factory.mktemp("postgres"), durable=False)
            stack.callback(cluster.remove)
            yield cluster.start()


@pytest.fixture(scope="session")
def prefect_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The API of a running Prefect server."""
    folder = tmp_path_factory.mktemp("prefect")
    yield prefect_server.ensure(folder)
    prefect_server.stop(folder)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, prefect_url: str) -> Iterator[Site]:
    """A data folder with servers of its own, to refresh; with nothing in it before a module's first test."""
    settings = Settings(
        _env_file=None, data_dir=tmp_path_factory.mktemp("site"), neo4j_heap_mb=HEAP_MB,
        neo4j_java_options=" ".join(SHORT_LIVED),
    )  # fmt: skip
    with new_site(settings, prefect_url) as made:
        yield made


@pytest.fixture(scope="module")
def postgres_database(postgres_url: str) -> Iterator[Callable[[], str]]:
    """Makes a fresh empty database at each call and returns its URL; all are dropped after the module."""
    made: list[str] = []
    numbers = count(1)

    def make() -> str:
        name = f"test_{os.getpid()}_{id(numbers):x}_{next(numbers)}"
        with psycopg.connect(postgres_url, autocommit=True) as connection:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        made.append(name)
        return with_database(postgres_url, name)

    yield make
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        for name in made:
            connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


def with_database(url: str, name: str) -> str:
    """The URL of another database of the same server."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(path=f"/{name}"))


@contextmanager
def _neo4j_container() -> Iterator[Address]:
    from testcontainers.core.container import DockerContainer

    # Not testcontainers' own Neo4jContainer, which insists on a password.
    container = DockerContainer(f"neo4j:{NEO4J_VERSION}-community").with_exposed_ports(7687)
    container.with_env("NEO4J_AUTH", "none").with_env("NEO4J_dbms_usage__report_enabled", "false")
    with container as running:
        uri = f"bolt://{running.get_container_host_ip()}:{running.get_exposed_port(7687)}"
        address = Address(uri=uri, user="neo4j", database="neo4j")
        for _ in processes.until(time.monotonic() + 120, 0.5):
            if answers(address):
                break
        yield address


@contextmanager
def _postgres_container() -> Iterator[str]:
    from testcontainers.community.postgres import PostgresContainer

    with PostgresContainer("postgres:18", driver=None) as running:
        yield running.get_connection_url()
