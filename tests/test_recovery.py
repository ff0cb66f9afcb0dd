"""Faults below the pipeline, made for real: connections cut, server timeouts, a full disk, a parent that is killed.

Whole runs under the same faults are `make soak`; some of them are in test_recovery_runs.py.
"""

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import polars as pl
import psycopg
import pytest
from pydantic import SecretStr

from cpq_graph.errors import DataError, SourceError, StackError, TargetError
from cpq_graph.report import read_reports
from cpq_graph.servers import Address
from cpq_graph.settings import CHECKOUT
from cpq_graph.site import read_site
from extract.documents import Configuration
from extract.errors import connect_failure
from extract.source import open_source
from flows.recording import recorded
from flows.steps import again
from load.database import connect
from sample_data.create import create
from soak.proxy import Proxy, proxy_to
from transform.parts import PartStore, missing_documents, parse_part

SOURCE = CHECKOUT / "extract" / "source"
SITE = read_site(SOURCE)


@pytest.fixture(scope="module")
def database(postgres_database: Callable[[], str]) -> str:
    url = postgres_database()
    create(10, seed=6, into=url)
    return url


@pytest.fixture
def proxy(database: str) -> Iterator[Proxy]:
    with psycopg.connect(database) as connection, proxy_to(connection.info.host, connection.info.port) as proxy:
        yield proxy


def through(proxy: Proxy, url: str) -> str:
    return psycopg.conninfo.make_conninfo(url, host="127.0.0.1", port=proxy.port)


def limited(url: str, *options: str) -> str:
    return psycopg.conninfo.make_conninfo(url, options=" ".join(f"-c {option}" for option in options))


def read(url: str, data_dir: Path) -> tuple[int, int]:
    """All that a run reads. Returns how many documents it parsed, and how many there are."""
    store = PartStore.open(data_dir, SITE.xml)
    with open_source(SecretStr(url), SOURCE) as source:
        for entity in ("offer", "participant", "user", "content", "subcontent", "product"):
            source.table(entity)
        digests = source.digests(source.configurations())
        missing = missing_documents(store, digests)
        wanted = [Configuration(*row) for row in missing.select("id", "product_id", "bytes", "digest").iter_rows()]
        # A part for each two, as a larger source has several.
        for start in range(0, len(wanted), 2):
            parse_part(source.reader().documents(wanted[start : start + 2]), SITE.xml, data_dir)
    return len(wanted), digests["digest"].n_unique()


# After so many bytes of a connection: while it begins, among the contracts, among rows, within documents.
@pytest.mark.parametrize("allowed", [0, 40, 1_200, 12_000, 60_000])
def test_a_connection_that_is_cut_is_worth_another_try_and_finished_parts_are_kept(
    database: str, proxy: Proxy, tmp_path: Path, allowed: int
) -> None:
    proxy.allowed, proxy.cuts = allowed, 2
    failures: list[SourceError] = []

    def attempt() -> tuple[int, int]:
        try:
            return read(through(proxy, database), tmp_path)
        except SourceError as error:
            failures.append(error)
            raise

    parsed, documents = again(attempt, pauses_s=(0, 0, 0))
    assert failures
    assert all(error.transient and error.hint for error in failures)
    assert proxy.cuts == 0
    assert 0 < parsed <= documents
    assert read(database, tmp_path) == (0, documents)


def test_a_server_that_stays_away_ends_it_after_so_many_tries(database: str, proxy: Proxy, tmp_path: Path) -> None:
    proxy.allowed = 40
    with pytest.raises(SourceError, match="cannot connect"):
        again(lambda: read(through(proxy, database), tmp_path), pauses_s=(0, 0, 0))
    assert proxy.connections == 4


@pytest.mark.parametrize("error", [DataError("wrong"), SourceError("a column is missing"), ValueError("a bug")])
def test_what_stays_as_it_is_is_not_tried_again(error: Exception) -> None:
    tries = []

    def attempt() -> None:
        tries.append(1)
        raise error

    with pytest.raises(type(error)):
        again(attempt, pauses_s=(0, 0))
    assert len(tries) == 1


def test_a_statement_timeout_says_which_limit_it_was_and_is_not_tried_again(database: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="statement timeout") as raised:
        # Nothing takes less than that.
        read(limited(database, "statement_timeout=1"), tmp_path)
    assert not raised.value.transient
    assert "statement_timeout" in (raised.value.hint or "")


def test_a_limit_that_ends_the_setting_up_of_a_session_is_named() -> None:
    error = connect_failure(psycopg.errors.QueryCanceled("canceling statement due to statement timeout"))
    assert "statement_timeout" in (error.hint or "")


def test_an_idle_timeout_of_the_snapshot_says_so_and_is_worth_another_try(database: str, tmp_path: Path) -> None:
    with open_source(SecretStr(limited(database, "idle_in_transaction_session_timeout=50")), SOURCE) as source:
        reader = source.reader()
        time.sleep(0.4)
        with pytest.raises(SourceError) as ended:
            source.table("offer")
        # Who attaches to the snapshot hears of it in another way.
        with pytest.raises(SourceError, match="snapshot") as gone:
            next(reader.documents([Configuration("1", "1", 1, "")]))
    for raised in (ended, gone):
        assert raised.value.transient
    assert "idle_in_transaction_session_timeout" in (ended.value.hint or "")


def test_a_role_s_own_limits_do_not_end_a_long_night(database: str, tmp_path: Path) -> None:
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("CREATE ROLE hasty LOGIN SUPERUSER PASSWORD 'hasty'")
        for limit in ("statement_timeout = 20", "idle_in_transaction_session_timeout = 300"):
            connection.execute(f"ALTER ROLE hasty SET {limit}".encode())
        try:
            url = psycopg.conninfo.make_conninfo(database, user="hasty", password="hasty", passfile="")
            assert read(url, tmp_path)[0]
        finally:
            connection.execute("DROP ROLE hasty")


def test_a_session_that_an_administrator_ends_is_worth_another_try(database: str) -> None:
    with (
        open_source(SecretStr(database), SOURCE) as source,
        psycopg.connect(database, autocommit=True) as root,
    ):
        root.execute("SELECT pg_terminate_backend(%s)", [source.connection.info.backend_pid])
        with pytest.raises(SourceError) as raised:
            source.table("offer")
    assert raised.value.transient
    assert raised.value.hint


def test_a_cut_bolt_connection_is_a_target_error_worth_another_try(clean_neo4j: Address) -> None:
    host, _, port = clean_neo4j.uri.removeprefix("bolt://").partition(":")
    with proxy_to(host, int(port)) as proxy:
        address = Address(f"bolt://127.0.0.1:{proxy.port}", clean_neo4j.user, clean_neo4j.database)
        proxy.allowed = 2_000
        with pytest.raises(TargetError) as raised, connect(address) as database:
            database.rows("UNWIND range(1, 100000) AS n RETURN n")
        assert raised.value.transient
        assert raised.value.hint
        # The driver itself repeats a transaction.
        proxy.allowed = None
        with connect(address) as database:
            proxy.cut()
            time.sleep(0.2)
            database.write("CREATE (:Probe)")
            assert database.rows("MATCH (n:Probe) RETURN count(n) AS n") == [{"n": 1}]
            database.write("MATCH (n:Probe) DELETE n")


@contextmanager
def full_disk(size: int) -> Iterator[None]:
    """No file may grow larger: to a program the same as a full disk, and it needs no root."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_while_parsing_is_said_plainly_and_leaves_nothing_half(database: str, tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    with (
        pytest.raises(StackError, match="a disk is full") as raised,
        recorded(data_dir, "full", dry_run=False) as run,
        run.step("parse documents"),
        full_disk(600),
    ):
        read(database, data_dir)
    assert "CPQ_GRAPH_DATA_DIR" in (raised.value.hint or "")
    (report,) = read_reports(data_dir)
    assert (report.status, report.error_kind, report.failed_step) == ("failed", "stack", "parse documents")
    assert not list(data_dir.glob("parts/*/.*"))

    parsed, documents = read(database, data_dir)
    assert 0 < parsed <= documents
    assert read(database, data_dir) == (0, documents)


@pytest.mark.parametrize("write", ["csv", "parquet", "python"])
def test_a_full_disk_is_known_whoever_finds_it(tmp_path: Path, write: str) -> None:
    frame = pl.DataFrame({"text": [str(n) * 10 for n in range(10_000)]})
    writes: dict[str, Callable[[], object]] = {
        "csv": lambda: frame.lazy().sink_csv(tmp_path / "file"),
        "parquet": lambda: frame.write_parquet(tmp_path / "file", compression="uncompressed"),
        "python": lambda: (tmp_path / "file").write_bytes(b"x" * 500_000),
    }
    with (
        pytest.raises(StackError, match="a disk is full"),
        recorded(tmp_path / "data", "full", dry_run=False),
        full_disk(50_000),
    ):
        writes[write]()


def test_a_report_that_cannot_be_written_does_not_hide_why_the_run_ended(tmp_path: Path) -> None:
    with (
        ExitStack() as later,
        pytest.raises(TargetError, match="the true reason"),
        recorded(tmp_path, "full", dry_run=False),
    ):
        later.enter_context(full_disk(10))
        raise TargetError("the true reason")
    assert not list(tmp_path.glob("runs/*/.report*"))


_PARENT = """
import os, time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from stack.processes import end_with_parent

def pid(_):
    time.sleep(0.2)
    return os.getpid()

if __name__ == "__main__":
    with ProcessPoolExecutor(2, mp_context=get_context("spawn"), initializer=end_with_parent) as pool:
        print(*pool.map(pid, range(2)), flush=True)
        time.sleep(60)
"""


def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(_PARENT)
    environment = os.environ | {"PYTHONPATH": str(CHECKOUT)}
    parent = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True, env=environment)
    assert parent.stdout
    workers = {int(each) for each in parent.stdout.readline().split()}
    assert workers
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and any(Path(f"/proc/{each}").exists() for each in workers):
        time.sleep(0.05)
    assert not [each for each in workers if Path(f"/proc/{each}").exists()]
