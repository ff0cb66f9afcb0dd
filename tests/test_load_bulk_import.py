"""Any text survives CSV, import and Bolt byte for byte; a bad row ends the import with a message that says which."""

from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from nasty import FLOATS, INTEGERS, NASTY, NEAR, QUOTED_FOLDER, generated_texts, number_frame, text_frames
from small_graph import canonical_lines

from cpq_graph.errors import TargetError
from cpq_graph.model import ATTRIBUTE, OFFER, PARAMETER, PARAMETER_VALUE, TAB
from cpq_graph.servers import Address, StoreHost
from load.bolt import load_over_bolt
from load.bulk_import import bulk_import, important_lines, parse_output
from load.csv_files import write_csv_files
from load.database import Database, connect
from load.dump import dump_graph
from load.frames import GraphFrames
from load.schema import create_schema


@pytest.fixture(scope="module")
def frames() -> GraphFrames:
    texts = text_frames([*NASTY, *NEAR, *generated_texts()])
    return GraphFrames({**texts.nodes, PARAMETER_VALUE.label: number_frame()}, texts.relationships)


@pytest.fixture(scope="module")
def imported(
    store_host: StoreHost, frames: GraphFrames, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Database]:
    """All of it through one import, from a folder whose name is hard to write down, too."""
    files = write_csv_files(frames, tmp_path_factory.mktemp("csv") / QUOTED_FOLDER)
    store = store_host.create("imported")
    done = bulk_import(store, files)
    assert done.nodes == sum(file.rows for file in files.nodes)
    assert done.relationships == sum(file.rows for file in files.relationships)
    with connect(store.start()) as database:
        yield database
    store_host.delete("imported")


def test_any_text_survives(imported: Database, frames: GraphFrames) -> None:
    got = imported.rows("MATCH (n:Offer) RETURN n.id, n.language_id, n.status, toString(n.date), n.version")
    want = frames.node(OFFER).collect().with_columns(pl.col("date").dt.to_string("%Y-%m-%d"))
    assert sorted(map(repr, (tuple(row.values()) for row in got))) == sorted(map(repr, want.iter_rows()))
    pairs = imported.rows("MATCH (t:Tab)-[r]->(a:Attribute) RETURN t.id, t.name, a.type, a.value, r.position")
    attributes = frames.node(ATTRIBUTE).collect()
    names = frames.node(TAB).collect()["name"]
    wanted = {(v, names[i], t, v, i) for i, (_, t, v) in enumerate(attributes.iter_rows())}
    assert {tuple(row.values()) for row in pairs} == wanted


def test_bolt_gives_the_very_same_values(
    imported: Database, frames: GraphFrames, clean_neo4j: Address, tmp_path: Path
) -> None:
    """Both ways against the frames, and with every constraint and index on top."""
    create_schema(imported)
    with connect(clean_neo4j) as database:
        load_over_bolt(database, frames, batch=150)
        dump_graph(database, tmp_path / "bolt.txt")
    dump_graph(imported, tmp_path / "bulk.txt")
    wanted = canonical_lines(frames)
    for way in ("bolt", "bulk"):
        found = (tmp_path / f"{way}.txt").read_bytes().decode().split("\n")[:-1]
        assert [line for line in found if line not in set(wanted)] == [], way
        assert found == wanted, way


def test_numbers_keep_their_value_and_type(imported: Database) -> None:
    rows = imported.rows("MATCH (n:ParameterValue) RETURN n ORDER BY toInteger(n.id)")
    assert [repr(row["n"].get("cost")) for row in rows] == [repr(value) for value in FLOATS]
    assert [row["n"].get("quantity") for row in rows] == INTEGERS
    assert all("measure" not in row["n"] and row["n"]["parameterId"] == "" for row in rows)
    types = imported.rows("MATCH (n:ParameterValue {id: '8'}) RETURN valueType(n.cost), valueType(n.quantity)")
    assert list(types[0].values()) == ["FLOAT NOT NULL", "INTEGER NOT NULL"]


@pytest.mark.parametrize(
    ("nodes", "relationships", "telling"),
    [
        ({"Parameter": {"id": ["same-id", "same-id"], "name": ["x", "y"]}}, {}, "same-id"),
        (
            {"Tab": {"id": ["t"], "name": ["x"]}, "Parameter": {"id": ["p"], "name": ["x"]}},
            {"Tab_HAS_PARAMETER_Parameter": {"start": ["t"], "end": ["nowhere"], "position": [0]}},
            "nowhere",
        ),
    ],
)
def test_a_bad_row_ends_the_import(
    store_host: StoreHost,
    tmp_path: Path,
    nodes: dict[str, dict[str, list[str]]],
    relationships: dict[str, dict[str, list[str]]],
    telling: str,
) -> None:
    frames = GraphFrames(
        {label: pl.LazyFrame(data) for label, data in nodes.items()},
        {name: pl.LazyFrame(data) for name, data in relationships.items()},
    )
    store = store_host.create("bad")
    with pytest.raises(TargetError, match=telling) as raised:
        bulk_import(store, write_csv_files(frames, tmp_path))
    assert len(str(raised.value).splitlines()) < 20
    assert "\tat " not in str(raised.value)
    store_host.delete("bad")


def test_only_files_with_line_breaks_are_read_slowly(tmp_path: Path) -> None:
    frames = GraphFrames(
        {
            TAB.label: pl.LazyFrame({"id": ["a", "b"], "name": ["one", 'quo"te']}),
            PARAMETER.label: pl.LazyFrame({"id": ["a", "b"], "name": ["one", "two\nlines"]}),
            OFFER.label: pl.LazyFrame({"id": ["a\rb"]}).with_columns(
                language_id=None, status=None, date=None, version=None
            ),
        },
        {},
    )
    files = {file.group: file for file in write_csv_files(frames, tmp_path).nodes}
    assert [label for label, file in files.items() if file.multiline] == ["Offer", "Parameter"]
    assert {label: file.rows for label, file in files.items() if file.rows} == {"Offer": 1, "Tab": 2, "Parameter": 2}


def test_output_without_its_end_is_an_error() -> None:
    assert parse_output("IMPORT DONE in 7s.\nImported:\n  12 nodes\n  7 relationships\n  1 properties\n").nodes == 12
    with pytest.raises(TargetError):
        parse_output("..... 5% ∆1s\n")
    noise = ".......... ..........   5% ∆1s 8ms\n\tat a.b.Foo(Foo.java)\nCaused by: java.io.IOException: No space left"
    assert important_lines(noise) == ["No space left"]
