"""The switch is one file; the way back needs the store and the artifacts of the graph before; the rest is deleted."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cpq_graph.errors import ArtifactsError, TargetError
from cpq_graph.manifest import Graph, Snapshot, read_serving, serving_path
from cpq_graph.servers import Address
from load.database import connect
from load.switch import artifacts_dir, clear_leftovers, publish, rollback, serving_or_none, stop_previous
from stack.neo4j import Host


def graph(data_dir: Path, name: str, *, store: str | None = None, uri: str = "bolt://127.0.0.1:1") -> Graph:
    folder = artifacts_dir(data_dir) / name
    folder.mkdir(parents=True, exist_ok=True)
    snapshot = Snapshot(taken_at=datetime(2024, 12, 31, tzinfo=UTC), name="s", database="cpq")
    return Graph(
        store=store,
        uri=uri,
        database="neo4j",
        fingerprint=name,
        artifacts=str(folder),
        run=f"run-{name}",
        snapshot=snapshot,
    )


@pytest.fixture
def host(store_host: Host, tmp_path: Path) -> Iterator[Host]:
    """A machine of our own, as clearing left-overs would delete the stores of other tests."""
    own = Host(tmp_path, version=store_host.version, cache=store_host.cache, heap_mb=store_host.heap_mb)
    yield own
    for name in own.names():
        own.delete(name)


def test_publishing_keeps_the_graph_before(tmp_path: Path) -> None:
    assert serving_or_none(tmp_path) is None
    one, two, three = (graph(tmp_path, name, store=name) for name in ("one", "two", "three"))
    assert publish(tmp_path, one).previous is None
    assert publish(tmp_path, two).previous == one
    moved = two.model_copy(update={"uri": "bolt://127.0.0.1:2"})
    assert publish(tmp_path, moved).previous == one
    assert publish(tmp_path, three).previous == moved
    assert read_serving(tmp_path).current == three


def test_there_is_a_way_back_and_forth(host: Host, tmp_path: Path) -> None:
    for name in ("one", "two"):
        address = host.create(name).start()
        with connect(address) as database:
            database.write("CREATE (:Product {id: $id})", {"id": name})
        publish(tmp_path, graph(tmp_path, name, store=name, uri=address.uri))
    serving = read_serving(tmp_path)
    stop_previous(serving, host)
    assert host.open("one").process() is None
    host.create("left-over")
    (artifacts_dir(tmp_path) / "left-over").mkdir()
    (artifacts_dir(tmp_path) / ".draft").mkdir()
    deleted = clear_leftovers(tmp_path, host)
    assert "left-over" in deleted
    assert len(deleted) == 3
    assert host.names() == ["one", "two"]
    assert sorted(path.name for path in artifacts_dir(tmp_path).iterdir()) == ["one", "two"]
    back = rollback(tmp_path, host)
    assert (back.current.store, back.previous and back.previous.store) == ("one", "two")
    with connect(Address(back.current.uri, "neo4j", back.current.database)) as database:
        assert database.rows("MATCH (p:Product) RETURN p.id AS id") == [{"id": "one"}]
    assert rollback(tmp_path, host).current.store == "two"


def test_no_way_back_is_explained_and_changes_nothing(host: Host, tmp_path: Path) -> None:
    with pytest.raises(ArtifactsError, match="no graph"):
        rollback(tmp_path, host)
    publish(tmp_path, graph(tmp_path, "one", store="gone"))
    with pytest.raises(TargetError, match="no graph before"):
        rollback(tmp_path, host)
    publish(tmp_path, graph(tmp_path, "two", store="two"))
    before = serving_path(tmp_path).read_bytes()
    with pytest.raises(TargetError, match="store of the graph before is gone: gone"):
        rollback(tmp_path, host)
    (artifacts_dir(tmp_path) / "one").rmdir()
    with pytest.raises(ArtifactsError, match="artifacts of the graph before are gone"):
        rollback(tmp_path, host)
    assert serving_path(tmp_path).read_bytes() == before


def test_a_graph_loaded_in_place_has_no_way_back(tmp_path: Path) -> None:
    publish(tmp_path, graph(tmp_path, "one"))
    serving = publish(tmp_path, graph(tmp_path, "two"))
    assert serving.previous is None or serving.previous.fingerprint != "two"
    with pytest.raises(TargetError):
        rollback(tmp_path, None)


def test_nothing_loaded_means_everything_is_left_over(host: Host, tmp_path: Path) -> None:
    host.create("interrupted")
    assert clear_leftovers(tmp_path, host) == ["interrupted"]
    assert clear_leftovers(tmp_path, None) == []
