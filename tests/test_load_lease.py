"""The lease on a target that several machines reach, on a real server."""

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from cpq_graph.errors import BusyError, TargetError
from cpq_graph.servers import Address
from load import lease as module
from load.database import Database, connect
from load.lease import LEASE_ID, lease


@pytest.fixture
def database(clean_neo4j: Address) -> Iterator[Database]:
    with connect(clean_neo4j) as database:
        yield database
        database.write("MATCH (s:GraphState) DELETE s")


def leases(database: Database) -> int:
    return int(database.rows("MATCH (s:GraphState {id: $id}) RETURN count(s) AS n", {"id": LEASE_ID})[0]["n"])


def test_another_machine_is_turned_away_while_it_is_held_and_not_after(database: Database) -> None:
    with lease(database, "here", "run 1"):
        with pytest.raises(BusyError, match="run 1 of another machine") as busy, lease(database, "there", "run 2"):
            raise AssertionError
        assert "Wait" in (busy.value.hint or "")
    assert leases(database) == 0
    with lease(database, "there", "run 2") as held:
        held.check()


def test_of_many_that_ask_at_once_one_gets_it(database: Database) -> None:
    barrier, holders, over = threading.Barrier(6), list[str](), threading.Event()

    def ask(name: str) -> None:
        barrier.wait()
        try:
            with lease(database, name, name):
                holders.append(name)
                over.wait(20)
        except BusyError:
            pass

    threads = [threading.Thread(target=ask, args=(f"machine {n}",)) for n in range(6)]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + 15
    while time.monotonic() < deadline and sum(thread.is_alive() for thread in threads) > 1:
        time.sleep(0.05)
    over.set()
    for thread in threads:
        thread.join()
    assert len(holders) == 1


def test_a_holder_that_died_lets_go_by_itself_and_may_come_back_at_once(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A kill: nothing is renewed and nothing given back.
    monkeypatch.setattr(module, "_RELEASE", "RETURN 1")
    with lease(database, "here", "run 1", seconds=1):
        pass
    with pytest.raises(BusyError), lease(database, "there", "run 2", seconds=1):
        pass
    with lease(database, "here", "run 3", seconds=1):
        pass
    time.sleep(1.1)
    with lease(database, "there", "run 4", seconds=1) as held:
        held.check()


def test_it_is_renewed_for_as_long_as_it_is_held(database: Database) -> None:
    with lease(database, "here", "run 1", seconds=0.6) as held:
        time.sleep(1.5)
        held.check()
        with pytest.raises(BusyError), lease(database, "there", "run 2"):
            pass


def test_a_holder_that_lost_it_does_not_go_on(database: Database) -> None:
    with ExitStack() as stack:
        held = stack.enter_context(lease(database, "here", "run 1", seconds=0.6))
        database.write("MATCH (s:GraphState {id: $id}) SET s.holder = 'there'", {"id": LEASE_ID})
        time.sleep(0.4)
        with pytest.raises(TargetError, match="was lost"):
            held.check()
    # What is another's now is not given back.
    assert leases(database) == 1


def test_a_holder_that_could_not_renew_it_in_time_does_not_go_on(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_RENEW", "this is no Cypher")
    with lease(database, "here", "run 1", seconds=0.3) as held:
        held.check()
        time.sleep(0.5)
        with pytest.raises(TargetError, match="was lost"):
            held.check()
