"""Whole runs, disturbed, that take minutes: `make test-long`. At random moments, and with other faults: `make soak`."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pydantic import SecretStr
from refreshed_site import DISTURBED

from cpq_graph.errors import SourceError, StackError
from cpq_graph.query.engine import Engine
from cpq_graph.report import read_reports
from cpq_graph.servers import Address
from cpq_graph.settings import CHECKOUT
from extract.source import open_source
from load.database import connect
from load.dump import dump_graph
from sample_data.create import create
from soak import source
from soak.faults import URI, URL
from soak.site import Site
from soak.standby import standby_pair
from stack import local, prefect_server, processes
from stack.neo4j import Host

SOURCE = CHECKOUT / "extract" / "source"

pytestmark = pytest.mark.skipif(not os.environ.get("CPQ_GRAPH_TEST_LONG"), reason="minutes: make test-long")


@pytest.fixture
def prefect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """One server for all that a test runs, which is there before they are."""
    monkeypatch.setattr(Site, "extra", {"PREFECT_API_URL": prefect_server.ensure(tmp_path / "prefect")})
    yield
    prefect_server.stop(tmp_path / "prefect")


@contextmanager
def new_site(folder: Path) -> Iterator[Site]:
    # Enough of them that the changes are few.
    site = Site(folder, offers=40, seed=3)
    try:
        yield site
    finally:
        site.remove()


@pytest.mark.usefixtures("prefect")
def test_a_delta_killed_between_the_graph_s_word_and_the_pointer_s_goes_on_answering(tmp_path: Path) -> None:
    with new_site(tmp_path) as site:
        url = local.ensure_postgres(site.settings).get_secret_value()
        source.make(url, offers=site.offers, seed=site.seed)
        assert site.run("refresh").code == 0
        before = site.serving()
        source.change(url, "B")
        done = subprocess.run([*DISTURBED, "switch", "delta"], env=site.environment, check=False)
        assert done.returncode == -signal.SIGKILL
        assert site.serving() == before

        with Engine(site.settings) as engine:
            answer = engine.ask("How many offers are there?")
        assert answer.status == "OK", answer.reason
        assert list(answer.rows[0].values()) == [site.count_offers()]

        assert site.run("refresh", "--mode", "delta").code == 0
        after = site.dump()
        assert site.run("refresh").code == 0
        assert site.dump() == after
        assert not list(site.leftovers())


@pytest.mark.parametrize("idle", [True, False])
def test_a_standby_that_cancels_is_worth_another_try(tmp_path: Path, idle: bool) -> None:
    with standby_pair(tmp_path) as pair:
        create(15, seed=3, into=pair.primary)
        pair.follow()
        # It ends a session whose snapshot is in the way, and a statement that is under way.
        with (
            pytest.raises(SourceError, match="conflict with recovery") as raised,
            open_source(SecretStr(pair.standby), SOURCE) as opened,
            pair.conflicts(),
        ):
            for _ in processes.until(time.monotonic() + 30, 1 if idle else 0):
                opened.table("offer")
        assert raised.value.transient
        assert "standby" in (raised.value.hint or "")
        with open_source(SecretStr(pair.standby), SOURCE) as opened:
            assert opened.table("offer").height


def test_a_store_whose_log_is_torn_is_given_up_and_says_so(store_host: Host) -> None:
    """What a full disk may leave of a graph that was being written to."""
    store = store_host.create("torn")
    with connect(store.start()) as database:
        for number in range(30):
            database.write("CREATE (:Node {text: 'x' + toString($number)})", {"number": number})
    server = store.process()
    assert server
    server.kill()
    server.wait()
    (log,) = (store.home / "data" / "transactions" / "neo4j").glob("neostore.transaction.db.*")
    with log.open("r+b") as file:
        file.seek(log.stat().st_size - 600)
        file.write(b"\x7f" * 200)
    with pytest.raises(StackError, match="cannot start its database") as raised:
        store.start()
    assert "cpq-graph refresh" in (raised.value.hint or "")
    assert not store.is_busy()


# Parses in processes of its own whatever the source's size, one document each.
PARSING = """
import flows.reading
from flows.reading import partition
flows.reading.POOL_MB = 0
flows.reading.partition = lambda missing, part_mb: [missing[n] for n in range(missing.height)]
from cpq_graph.cli import main
main(["refresh"])
"""


@pytest.mark.usefixtures("prefect")
def test_processes_that_parse_end_with_a_run_that_is_killed(tmp_path: Path) -> None:
    with new_site(tmp_path) as site:
        source.make(local.ensure_postgres(site.settings).get_secret_value(), offers=site.offers, seed=site.seed)
        flow = subprocess.Popen([sys.executable, "-c", PARSING], env=site.environment)
        for _ in processes.until(time.monotonic() + 180):
            if len(site.pipeline_processes()) > 2 and list(site.settings.data_dir.glob("parts/*/[!.]*")):
                break
        workers = [process for process in site.pipeline_processes() if process.pid != flow.pid]
        assert len(workers) > 1
        flow.kill()
        flow.wait()
        for _ in processes.until(time.monotonic() + 20):
            if not site.pipeline_processes():
                break
        assert not site.pipeline_processes()

        unknown = site.unknown_documents()
        ended = site.run("refresh", "--json")
        assert [step["rows"] for step in ended.document["steps"] if step["name"] == "parse documents"] == [unknown]


@pytest.mark.usefixtures("prefect")
def test_two_machines_with_the_same_servers_take_turns(
    tmp_path: Path, postgres_database: Callable[[], str], clean_neo4j: Address
) -> None:
    url = postgres_database()
    create(15, seed=3, into=url)
    servers = {URL: url, URI: clean_neo4j.uri}

    def dump() -> str:
        with connect(clean_neo4j) as database:
            return dump_graph(database, tmp_path / "dump.txt")

    with new_site(tmp_path / "here") as here, new_site(tmp_path / "there") as there:
        go = tmp_path / "go"

        def begin() -> subprocess.Popen[str]:
            """A run that is in the middle, and stays there."""
            go.unlink(missing_ok=True)
            command = [*DISTURBED, "reconcile", "full", str(go)]
            process = subprocess.Popen(command, env=here.environment | servers, text=True)
            for _ in processes.until(time.monotonic() + 300):
                if here.step() == "reconcile":
                    return process
            raise AssertionError

        def turned_away() -> dict[str, str]:
            ended = there.run("refresh", "--json", **servers)
            assert (ended.code, ended.document.get("kind")) == (1, "busy"), ended
            assert "another machine" in ended.document["reason"]
            return ended.document

        running = begin()
        turned_away()
        go.touch()
        assert running.wait(300) == 0
        expected = dump()
        assert there.run("refresh", "--json", **servers).code == 0
        assert dump() == expected

        # A holder that is killed stands in the way for two minutes, but not in its own.
        killed = begin()
        killed.kill()
        killed.wait()
        assert "killed" in turned_away()["hint"]
        assert here.run("refresh", "--json", **servers).code == 0
        assert there.run("refresh", "--json", **servers).code == 0
        assert dump() == expected
        kinds = [report.error_kind for report in read_reports(there.settings.data_dir)]
        assert kinds == [None, "busy", None, "busy"]
