"""The same frames make the same graph by bulk import and over Bolt."""

from pathlib import Path

import pytest
from small_graph import canonical_lines, small_frames

from cpq_graph.errors import TargetError
from cpq_graph.servers import Address, StoreHost
from load.bolt import INCOMPLETE, load_over_bolt, wipe
from load.bulk_import import bulk_import
from load.csv_files import write_csv_files
from load.database import connect
from load.dump import dump_graph
from load.frames import count
from load.reconcile import read_state, reconcile, write_state


def test_bulk_import_and_bolt_make_the_same_graph(store_host: StoreHost, clean_neo4j: Address, tmp_path: Path) -> None:
    frames = small_frames()
    store = store_host.create("bulk")
    bulk_import(store, write_csv_files(frames, tmp_path / "csv"))
    with connect(store.start()) as database:
        bulk = dump_graph(database, tmp_path / "bulk.txt")
    store_host.delete("bulk")
    with connect(clean_neo4j) as database:
        load_over_bolt(database, frames, batch=7)
        bolt = dump_graph(database, tmp_path / "bolt.txt")
        reconcile(database, count(frames))
    assert (tmp_path / "bolt.txt").read_text(encoding="utf-8").split("\n")[:-1] == canonical_lines(frames)
    assert bulk == bolt


def test_a_load_replaces_the_graph_and_is_repeatable(clean_neo4j: Address, tmp_path: Path) -> None:
    small = small_frames(1)
    with connect(clean_neo4j) as database:
        load_over_bolt(database, small_frames())
        assert read_state(database) == (INCOMPLETE, "")
        write_state(database, fingerprint="f", run="r")
        load_over_bolt(database, small, batch=3)
        first = dump_graph(database, tmp_path / "1.txt")
        load_over_bolt(database, small)
        assert dump_graph(database, tmp_path / "2.txt") == first
        reconcile(database, count(small))


def test_what_is_not_ours_is_never_deleted(clean_neo4j: Address) -> None:
    with connect(clean_neo4j) as database:
        wipe(database)
        database.write("MATCH (n) DETACH DELETE n")
        database.write("CREATE (:Movie {title: 'x'})")
        with pytest.raises(TargetError, match="not of cpq-graph"):
            load_over_bolt(database, small_frames())
        assert database.rows("MATCH (n) RETURN count(n) AS n") == [{"n": 1}]
        database.write("MATCH (n) DETACH DELETE n")
