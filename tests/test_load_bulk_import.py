"""Any text survives CSV and import byte for byte, and a bad row ends the import with a message that says which."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cpq_graph.errors import TargetError
from cpq_graph.model import ATTRIBUTE, OFFER, PARAMETER, PARAMETER_VALUE, TAB, TAB_HAS_ATTRIBUTE
from cpq_graph.servers import StoreHost
from load.bulk_import import bulk_import, important_lines, parse_output
from load.csv_files import write_csv_files
from load.database import Database, connect
from load.frames import GraphFrames

NASTY = (
    "",
    " ",
    "  lead and trail  ",
    "\ufeff",
    "\ufeffid",
    '"',
    '""',
    'a"b',
    "\\",
    'ends with \\"',
    "\\n",
    "a\nb",
    "\n",
    "\r",
    "a\r\nb",
    "\t",
    "tab\tin",
    ",",
    ";",
    "a;b",
    "null",
    "NULL",
    "NaN",
    "0x10",
    "1e5",
    "\u0000",
    "\u0001\u001f\u007f\u0085",
    "\u2028\u2029",
    "\u00a0nbsp",
    "😀𝒜",
    "ä\u0308",
    "e\u0301",
    "ﬀ",
    "{x:1}",
    "${HOME}",
    "`whoami`",
    "'",
    "SNEP® MODE P",
    "x" * 100_000,
)


def generated_texts() -> list[str]:
    """Three hundred texts that Hypothesis thinks of, to go through one import together."""
    found: list[str] = []

    @settings(max_examples=300, derandomize=True, database=None)
    @given(
        st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
        | st.text(st.sampled_from('"\\,;\n\r\t \ufeffa'), max_size=8)
    )
    def collect(text: str) -> None:
        found.append(text)

    collect()
    return found


def text_frames(values: list[str]) -> GraphFrames:
    """Each text as an id, as a property, beside a null, as an Attribute, and as both ends of a relationship."""
    distinct = [value for value in dict.fromkeys(values) if value]
    offers = pl.LazyFrame(
        {
            "id": distinct,
            "language_id": distinct[::-1],
            "status": [None if i % 3 == 0 else "" if i % 3 == 1 else value for i, value in enumerate(distinct)],
            "date": [date(2024, 7, 16) if i % 2 else None for i in range(len(distinct))],
            "version": distinct,
        }
    )
    attributes = pl.LazyFrame({"key": distinct, "type": values[: len(distinct)], "value": distinct})
    tabs = pl.LazyFrame({"id": distinct, "name": distinct})
    places = pl.LazyFrame({"start": distinct, "end": distinct, "position": list(range(len(distinct)))})
    return GraphFrames(
        {OFFER.label: offers, ATTRIBUTE.label: attributes, TAB.label: tabs}, {TAB_HAS_ATTRIBUTE.name: places}
    )


FLOATS = [0.1, 1e-7, 1e20, 5e-324, 1.7976931348623157e308, -0.0, 123456789.123, None, 2.0]
INTEGERS = [0, -1, 2**63 - 1, -(2**63), 1, 2, 3, None, 10_000_000]
NUMBERS = pl.LazyFrame(
    {"id": [str(i) for i in range(len(FLOATS))], "quantity": INTEGERS, "cost": FLOATS},
    schema_overrides={"quantity": pl.Int64},
).with_columns(measure=pl.lit(None), name=pl.lit("57W"), parameterId=pl.lit(""))


@pytest.fixture(scope="module")
def frames() -> GraphFrames:
    texts = text_frames([*NASTY, *generated_texts()])
    return GraphFrames({**texts.nodes, PARAMETER_VALUE.label: NUMBERS}, texts.relationships)


@pytest.fixture(scope="module")
def imported(
    store_host: StoreHost, frames: GraphFrames, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Database]:
    """All of it through one import, from a folder whose name is hard to write down, too."""
    files = write_csv_files(frames, tmp_path_factory.mktemp("csv") / "c s+v (1) ä=")
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
    wanted = {(v, v, t, v, i) for i, (_, t, v) in enumerate(attributes.iter_rows())}
    assert {tuple(row.values()) for row in pairs} == wanted


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
