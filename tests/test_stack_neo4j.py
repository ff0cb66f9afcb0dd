"""Neo4j stores, through what happens to servers on real machines. Each start takes seconds: the tests share a store."""

import os
import shutil
import signal
import socket
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import neo4j
import pytest
from nasty import QUOTED_FOLDER

from cpq_graph.errors import StackError, TargetError
from cpq_graph.servers import Address
from cpq_graph.servers import Store as StoreProtocol
from cpq_graph.servers import StoreHost as HostProtocol
from stack import processes
from stack.neo4j import Host, Store
from stack.neo4j_program import mark


def import_arguments(folder: Path) -> list[str]:
    (folder / "n.csv").write_text("id:ID(Offer),date:DATE\n1,2024-01-31\n2,\n", encoding="utf-8")
    (folder / "r.csv").write_text(":START_ID(Offer),:END_ID(Offer)\n1,2\n", encoding="utf-8")
    files = [f"--nodes=Offer={folder / 'n.csv'}", f"--relationships=NEXT={folder / 'r.csv'}"]
    return ["database", "import", "full", "neo4j", "--overwrite-destination", *files]


@pytest.fixture(scope="module")
def store(store_host: Host, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A store with two nodes and a relationship, whose path is hard to write down."""
    host = host_beside(store_host, tmp_path_factory.mktemp(QUOTED_FOLDER))
    store = host.create("one")
    folder = tmp_path_factory.mktemp("csv")
    store.admin(import_arguments(folder), folder)
    yield store
    host.delete("one")


def host_beside(host: Host, data_dir: Path) -> Host:
    return Host(data_dir, version=host.version, cache=host.cache, heap_mb=host.heap_mb)


def relationships(address: Address) -> int:
    with neo4j.GraphDatabase.driver(address.uri) as driver:
        return int(driver.execute_query("MATCH (:Offer)-[r:NEXT]->(:Offer) RETURN count(r)").records[0][0])


def again(store: Store) -> Store:
    """As another command would open it."""
    return Host(
        store.home.parents[3], version=store.version, cache=store._host.cache, heap_mb=store._host.heap_mb
    ).open(store.name)


def test_a_host_and_a_store_are_what_the_load_needs(store_host: Host, store: Store) -> None:
    host_face: HostProtocol = store_host
    store_face: StoreProtocol = store
    assert host_face.names() == sorted(host_face.names())
    assert store_face.log_dir.is_dir()


def test_two_that_start_it_at_once_get_one_server_that_answers(store: Store) -> None:
    with ThreadPoolExecutor(3) as pool:
        addresses = set(pool.map(lambda _: again(store).start(), range(3)))
    assert len(addresses) == 1
    assert len(processes.running(mark(store.home))) == 1
    assert relationships(addresses.pop()) == 1


def test_whoever_comes_next_finds_the_running_server(store: Store) -> None:
    store.start()
    before = store.process()
    assert again(store).start() == store.address
    after = again(store).process()
    assert before and after and before.pid == after.pid


def test_it_is_reached_from_this_machine_only(store: Store) -> None:
    store.start()
    process = store.process()
    assert process
    assert {each.laddr.ip for each in process.net_connections("tcp") if each.status == "LISTEN"} <= {
        "127.0.0.1",
        "::ffff:127.0.0.1",
    }


def test_what_is_served_cannot_be_imported_into(store: Store, tmp_path: Path) -> None:
    address = store.start()
    with pytest.raises(TargetError, match="is being served"):
        store.admin(import_arguments(tmp_path), tmp_path)
    assert relationships(address) == 1


def test_after_kill_9_it_starts_with_all_data_even_when_a_stranger_took_its_port(store: Store) -> None:
    address = store.start()
    with neo4j.GraphDatabase.driver(address.uri) as driver:
        driver.execute_query("CREATE (:Offer)-[:NEXT]->(:Offer)")
    process = store.process()
    assert process
    processes.end([process], first=signal.SIGKILL)
    with socket.socket() as stranger:
        stranger.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        stranger.bind(("127.0.0.1", int(address.uri.rsplit(":", 1)[1])))
        stranger.listen()
        moved = again(store).start()
    assert moved != address
    assert moved == store.address
    assert relationships(moved) == 2


def test_one_that_hangs_is_ended_and_started_anew(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.start()
    hanging = store.process()
    assert hanging
    hanging.suspend()
    monkeypatch.setattr("stack.neo4j.FOUND_PATIENCE_S", 1)
    monkeypatch.setattr("stack.neo4j.HANGING_PATIENCE_S", 1)
    assert relationships(again(store).start()) >= 1
    assert not processes.is_alive(hanging)


def test_a_stop_waits_until_it_has_gone_and_a_second_one_does_nothing(store: Store) -> None:
    store.start()
    store.stop()
    assert store.process() is None
    store.stop()


def test_a_failing_admin_says_what_it_said(store: Store, tmp_path: Path) -> None:
    store.stop()
    with pytest.raises(TargetError, match=r"exit code \d+(?s:.)*no_such_command"):
        store.admin(["no_such_command"], tmp_path)


def test_a_server_that_cannot_start_is_explained_by_its_own_words(store_host: Host) -> None:
    broken = store_host.create("broken")
    (broken.home / "data").write_text("not a folder")
    with pytest.raises(StackError, match=r"does not start:\n(?s:.)*data") as failure:
        broken.start()
    assert str(broken.log_dir) in (failure.value.hint or "")
    assert broken.process() is None
    store_host.delete("broken")


def test_creating_clears_what_an_interrupted_run_left(store_host: Host, tmp_path: Path) -> None:
    left = store_host.create("left")
    (left.home / "data").mkdir()
    # A neo4j-admin whose caller was killed goes on writing.
    at_work = [sys.executable, "-c", "import time; time.sleep(60)", mark(left.home)]
    processes.spawn(at_work, log=tmp_path / "log", environment=dict(os.environ))
    assert left.is_busy()
    store_host.create("left")
    assert not left.is_busy()
    assert not (left.home / "data").exists()
    store_host.delete("left")


def test_what_an_interrupted_removal_left_is_no_store(store_host: Host) -> None:
    store = store_host.create("gone")
    assert "gone" in store_host.names()
    (store.home / "store.json").unlink()
    assert "gone" not in store_host.names()
    with pytest.raises(StackError, match="there is no store gone"):
        store_host.open("gone")
    store_host.delete("gone")
    assert not store.home.exists()
    store_host.delete("gone")


def test_a_store_keeps_its_version_whatever_the_settings_say_later(store_host: Host, tmp_path: Path) -> None:
    older = Host(tmp_path, version="5.26.18", cache=store_host.cache)
    older.create("old")
    newer = Host(tmp_path, version="2026.08.1", cache=store_host.cache)
    assert newer.open("old").version == "5.26.18"
    assert newer.create("new").version == "2026.08.1"
    shutil.rmtree(tmp_path)


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "-x", "ä", "a b", "x" * 65])
def test_a_name_cannot_lead_elsewhere(store_host: Host, name: str) -> None:
    with pytest.raises(StackError, match="cannot be the name of a store"):
        store_host.create(name)
