"""A source that is hostile in every text and id, read and loaded over Bolt: values stay values."""

import socket
from collections.abc import Callable
from pathlib import Path

import hostile_source
import pytest
from transform_pipeline import dump, transform

from cpq_graph.servers import Address
from load.bolt import load_over_bolt
from load.database import connect
from load.dump import dump_graph
from load.frames import GraphFrames


def test_hostile_texts_become_themselves_and_nothing_else(
    postgres_database: Callable[[], str], clean_neo4j: Address, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cwd").mkdir()
    monkeypatch.chdir(tmp_path / "cwd")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.2)
        texts = hostile_source.texts(listener.getsockname()[1])
        url = postgres_database()
        hostile_source.load(url, texts)
        graph = transform(url, tmp_path / "data").graph
        assert {name: totals.loaded for name, totals in graph.tables.items()} == dict.fromkeys(graph.tables, len(texts))
        assert set(graph.nodes["ProductFamily"].collect()["name"]) == set(texts)
        with connect(clean_neo4j) as database:
            load_over_bolt(database, GraphFrames(graph.nodes, graph.relationships))
            dump_graph(database, tmp_path / "dump.txt")
        with pytest.raises(TimeoutError):
            listener.accept()
    assert (tmp_path / "dump.txt").read_text(encoding="utf-8").split("\n")[:-1] == dump(graph)
    assert list((tmp_path / "cwd").iterdir()) == []
    assert all(path.name.isascii() and " " not in path.name for path in (tmp_path / "data").rglob("*"))
