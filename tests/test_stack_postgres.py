"""The local PostgreSQL cluster, through what happens to servers on real machines."""

import os
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from nasty import FOLDER, QUOTED_FOLDER

from cpq_graph.errors import StackError
from stack import processes
from stack.postgres import Cluster


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder whose path is hard to write down, with a cluster that has a row."""
    folder = tmp_path_factory.mktemp(FOLDER) / "postgres"
    cluster = Cluster(folder, durable=False)
    with psycopg.connect(cluster.start()) as connection:
        # A throw-away cluster may lose its last moments, and a test may kill it in the next one.
        connection.execute("SET synchronous_commit = on")
        connection.execute("CREATE TABLE kept AS SELECT 1 AS one")
    yield folder
    cluster.remove()


def kept(url: str) -> int:
    with psycopg.connect(url) as connection:
        (count,) = connection.execute("SELECT count(*) FROM kept").fetchone() or (0,)
        return int(count)


def pid_of(folder: Path) -> int | None:
    process = Cluster(folder).process()
    return process.pid if process else None


def test_whoever_comes_next_finds_the_running_server(folder: Path) -> None:
    before = pid_of(folder)
    assert before is not None
    assert kept(Cluster(folder, durable=False).start()) == 1
    assert pid_of(folder) == before


def test_the_url_holds_no_secret_and_is_worth_nothing_without_its_file(folder: Path) -> None:
    url = Cluster(folder).start()
    password = (folder / "passfile").read_text().strip().split(":")[-1]
    assert len(password) > 20
    assert password not in url
    assert stat.S_IMODE((folder / "passfile").stat().st_mode) == 0o600
    assert not (folder / "password").exists()
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(url, passfile="/dev/null")


def test_it_is_a_utf8_database_that_only_this_machine_reaches(folder: Path) -> None:
    with psycopg.connect(Cluster(folder).start()) as connection:
        assert connection.execute("SHOW server_encoding").fetchone() == ("UTF8",)
        assert connection.execute("SHOW listen_addresses").fetchone() == ("127.0.0.1",)
        assert connection.execute("SHOW unix_socket_directories").fetchone() == ("",)
        assert connection.execute("SELECT current_database()").fetchone() == ("cpq",)
        connection.execute("CREATE EXTENSION pg_trgm")


def test_a_stop_cuts_connections_and_a_second_one_does_nothing(folder: Path) -> None:
    cluster = Cluster(folder, durable=False)
    connection = psycopg.connect(cluster.start())
    cluster.stop()
    assert cluster.process() is None
    with pytest.raises(psycopg.OperationalError):
        connection.execute("SELECT 1")
    cluster.stop()
    assert kept(cluster.start()) == 1


def test_after_kill_9_it_starts_with_all_that_was_committed(folder: Path) -> None:
    cluster = Cluster(folder, durable=False)
    # Its backend is still at work when the server has gone.
    connection = psycopg.connect(cluster.start())
    cursor = connection.cursor()
    server = cluster.process()
    assert server
    server.kill()
    assert kept(cluster.start()) == 1
    assert pid_of(folder) != server.pid
    with pytest.raises(psycopg.OperationalError):
        cursor.execute("SELECT 1")


def test_one_of_its_processes_killed_is_waited_for_while_it_recovers(folder: Path) -> None:
    cluster = Cluster(folder, durable=False)
    with psycopg.connect(cluster.start(), autocommit=True) as connection:
        # Something to recover, so that it takes a moment; and on disk, which a throw-away cluster does not wait for.
        connection.execute("SET synchronous_commit = on")
        connection.execute("CREATE TABLE filled AS SELECT n, repeat('x', 500) FROM generate_series(1, 40000) n")
    server = cluster.process()
    assert server
    for _ in range(3):
        next(each for each in server.children() if "checkpointer" in " ".join(each.cmdline())).kill()
        with psycopg.connect(cluster.start()) as connection:
            assert connection.execute("SELECT count(*) FROM filled").fetchone() == (40_000,)
    assert cluster.process() == server


def test_a_pid_file_that_means_another_program_is_no_hindrance(folder: Path) -> None:
    cluster = Cluster(folder, durable=False)
    cluster.start()
    pid_file = cluster.data / "postmaster.pid"
    lines = pid_file.read_text().splitlines()
    cluster.stop()
    pid_file.write_text("\n".join([str(os.getpid()), *lines[1:]]))
    assert kept(cluster.start()) == 1


def test_two_that_start_it_at_once_get_one_server(folder: Path) -> None:
    Cluster(folder).stop()
    with ThreadPoolExecutor(4) as pool:
        urls = set(pool.map(lambda _: Cluster(folder, durable=False).start(), range(4)))
    assert len(urls) == 1
    assert len(processes.running("-D", str(Cluster(folder).data))) == 1


def test_an_interrupted_first_start_is_done_again(tmp_path: Path) -> None:
    (tmp_path / "data.new").mkdir()
    (tmp_path / "data.new" / "half").touch()
    (tmp_path / "password").write_text("old")
    cluster = Cluster(tmp_path, durable=False)
    cluster.start()
    cluster.remove()
    assert not tmp_path.exists()


def test_a_folder_that_only_its_owner_may_enter(tmp_path: Path) -> None:
    """As root the server runs as another user, who cannot get there."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    cluster = Cluster(home / "checkout" / "postgres", durable=False)
    with psycopg.connect(cluster.start()) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert cluster.folder.is_relative_to(home) == (os.geteuid() != 0)
    cluster.remove()
    assert not cluster.folder.exists()


def test_a_path_that_a_shell_would_take_apart(tmp_path: Path) -> None:
    cluster = Cluster(tmp_path / QUOTED_FOLDER / "postgres", durable=False)
    with psycopg.connect(cluster.start()) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
    assert not cluster.folder.is_relative_to(tmp_path)
    assert Cluster(tmp_path / QUOTED_FOLDER / "postgres").process()
    cluster.remove()
    assert not cluster.folder.exists()
    assert not (tmp_path / QUOTED_FOLDER / "postgres").exists()


def test_a_damaged_cluster_is_explained_by_its_log(tmp_path: Path) -> None:
    cluster = Cluster(tmp_path / "pg", durable=False)
    cluster.start()
    cluster.stop()
    (cluster.data / "postgresql.conf").write_text("no_such_setting = 1\n")
    with pytest.raises(StackError, match="no_such_setting") as failure:
        cluster.start()
    assert str(cluster.data) in (failure.value.hint or "")
    cluster.remove()
