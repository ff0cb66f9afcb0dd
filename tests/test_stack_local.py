"""The local stack as commands use it: up, status, down, and what is left by commands that were killed."""

import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest
from pydantic import SecretStr

from cpq_graph.errors import StackError
from cpq_graph.manifest import Graph, Serving, Snapshot, read_serving, write_serving
from cpq_graph.servers import Address
from cpq_graph.settings import Settings
from stack import local, processes
from stack.neo4j import Host
from stack.postgres import Cluster


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory, store_host: Host) -> Iterator[Settings]:
    made = Settings(
        _env_file=None,
        postgres_url=None,
        neo4j_uri=None,
        data_dir=tmp_path_factory.mktemp("data"),
        neo4j_version=store_host.version,
        neo4j_heap_mb=store_host.heap_mb,
    )
    yield made
    local.remove(made)


def serve(settings: Settings, store: str, uri: str) -> None:
    taken = Snapshot(taken_at=datetime(2026, 1, 1, tzinfo=UTC), name="1", database="cpq")
    graph = Graph(store=store, uri=uri, database="neo4j", fingerprint="f", artifacts="a", run="r", snapshot=taken)
    write_serving(settings.data_dir, Serving(current=graph, switched_at=taken.taken_at))


def test_servers_stay_up_when_the_command_ends_and_the_next_one_finds_them(settings: Settings) -> None:
    code = f"""
from pathlib import Path
from cpq_graph.settings import Settings
from stack import local
settings = Settings(_env_file=None, postgres_url=None, neo4j_uri=None, data_dir=Path({str(settings.data_dir)!r}),
                    neo4j_version={settings.neo4j_version!r}, neo4j_heap_mb={settings.neo4j_heap_mb})
print(local.up(settings).model_dump_json())
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, timeout=250)
    told = local.StackStatus.model_validate_json(done.stdout)
    now = local.status(settings)
    assert told.postgres and now.postgres
    assert told.postgres.pid == now.postgres.pid
    assert now.postgres.running and (now.postgres.memory_mb or 0) > 10
    (empty,) = now.neo4j
    assert empty.pid == told.neo4j[0].pid
    assert (empty.name, empty.version) == ("neo4j empty", settings.neo4j_version)
    assert (empty.memory_mb or 0) > 100
    assert now.serving is None
    with psycopg.connect(local.ensure_postgres(settings).get_secret_value()) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_the_serving_store_is_started_and_its_pointer_follows_its_port(settings: Settings) -> None:
    host = Host.of(settings)
    host.create("night-1")
    serve(settings, "night-1", "bolt://127.0.0.1:1")
    address = local.ensure_serving(settings)
    assert read_serving(settings.data_dir).current.uri == address.uri
    assert local.status(settings).serving == "night-1"
    # Nobody asks the empty graph any more.
    assert host.names() == ["night-1"]


def test_down_ends_all_servers_also_those_without_a_store(settings: Settings, tmp_path: Path) -> None:
    host = Host.of(settings)
    host.create("abandoned")
    folder = host.folder / "forgotten"
    at_work = [sys.executable, "-c", "import time; time.sleep(60)", f"-Dcpq_graph.store={folder}"]
    processes.spawn(at_work, log=tmp_path / "log", environment={})
    ended = local.down(settings)
    assert {"neo4j forgotten", "postgresql"} <= set(ended)
    assert "neo4j abandoned" not in ended
    assert not [line for _, line in processes.command_lines() if str(host.folder) in " ".join(line)]
    assert Cluster.of(settings).process() is None
    assert local.down(settings) == []


def test_a_serving_store_that_is_gone_says_what_to_do(settings: Settings) -> None:
    serve(settings, "lost", "bolt://127.0.0.1:1")
    with pytest.raises(StackError, match="store lost is gone") as failure:
        local.ensure_serving(settings)
    assert "refresh" in (failure.value.hint or "")


def test_servers_that_the_settings_name_are_used_as_they_are(settings: Settings) -> None:
    given = settings.model_copy(
        update={"postgres_url": SecretStr("postgresql://elsewhere/db"), "neo4j_uri": "bolt://elsewhere:7687"}
    )
    assert local.ensure_postgres(given).get_secret_value() == "postgresql://elsewhere/db"
    assert local.ensure_serving(given) == Address(uri="bolt://elsewhere:7687", user="neo4j", database="neo4j")
    status = local.up(given)
    assert (status.postgres, status.neo4j, status.serving) == (None, (), None)


def test_remove_leaves_nothing(settings: Settings) -> None:
    local.remove(settings)
    assert Host.of(settings).names() == []
    assert not Cluster.of(settings).folder.exists()
