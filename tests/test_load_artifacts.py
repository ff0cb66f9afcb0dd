"""The artifacts say what is in the graph, fit their budget, and are the same bytes for the same graph."""

import json
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest
from small_graph import small_frames

from cpq_graph import manifest
from cpq_graph.catalog import Catalog, Family, Feature, FeatureName, FeatureValue, ValueKind
from cpq_graph.errors import ArtifactsError
from cpq_graph.manifest import Snapshot, read_manifest
from cpq_graph.servers import Address
from load.artifacts import build_artifacts
from load.bolt import load_over_bolt
from load.catalog import build_catalog, language, unit, value_kind
from load.catalog_page import cell
from load.database import Database, connect
from load.domain import domain_context, tokens
from load.live_schema import live_schema, quoted
from load.reconcile import count_graph, write_state

SNAPSHOT = Snapshot(taken_at=datetime(2024, 12, 31, tzinfo=UTC), name="00000003-1", database="cpq")


@pytest.fixture(scope="module")
def database(clean_neo4j: Address) -> Iterator[Database]:
    with connect(clean_neo4j) as connected:
        load_over_bolt(connected, small_frames())
        yield connected


def test_the_catalog_counts_what_was_loaded(database: Database) -> None:
    catalog = build_catalog(database)
    assert catalog.families == (
        Family(name="SNEP® MODE P", product_codes=("SN-1",), products=3, nested=0),
        Family(name="SNEP® MODE CR", product_codes=("SN-1",), products=1, nested=0),
        Family(name="Child {family}", product_codes=("SN-1",), products=0, nested=4),
    )
    length, colour = catalog.features
    assert length == Feature(
        ext_id="pituus",
        family=None,
        names=(
            FeatureName(text="Length", count=3, language="en"),
            FeatureName(text="Pituus", count=1, language="fi"),
        ),
        kind=ValueKind.NUMBER,
        unit="mm",
        low=800,
        high=2400,
        values=(
            FeatureValue(name="1200 mm", measure="1200", count=2),
            FeatureValue(name="2400 mm", measure="2400", count=1),
            FeatureValue(name="800 mm", measure="800", count=1),
        ),
        distinct_values=3,
        count=4,
    )
    assert (colour.ext_id, colour.kind, colour.count, colour.distinct_values) == ("vari", ValueKind.CHOICE, 4, 2)
    assert [(f.family, f.ext_id, f.count) for f in catalog.family_features] == [
        ("SNEP® MODE CR", "pituus", 1),
        ("SNEP® MODE CR", "vari", 1),
        ("SNEP® MODE P", "pituus", 3),
        ("SNEP® MODE P", "vari", 3),
    ]
    assert (catalog.first_day, catalog.last_day) == ("2024-01-31", "2024-12-31")
    assert catalog.languages == ("en", "fi")
    assert catalog.versions == ("", " 2 ", "1")


def test_the_folder_is_complete_and_the_same_graph_gives_the_same_bytes(database: Database, tmp_path: Path) -> None:
    write_state(database, fingerprint="abc", run="r1")
    folder = build_artifacts(database, tmp_path / "one", snapshot=SNAPSHOT)
    again = build_artifacts(database, tmp_path / "two", snapshot=SNAPSHOT)
    found = read_manifest(folder, verify=True)
    assert (found.fingerprint, found.counts, found.snapshot) == ("abc", count_graph(database), SNAPSHOT)
    assert set(found.checksums) == {
        manifest.SCHEMA_V2,
        manifest.SCHEMA_V1,
        manifest.DOMAIN,
        manifest.CATALOG_JSON,
        manifest.CATALOG_PARQUET,
        manifest.CATALOG_PAGE,
        manifest.NAMES,
    }
    assert found.checksums == read_manifest(again, verify=True).checksums
    catalog = Catalog.model_validate_json((folder / manifest.CATALOG_JSON).read_bytes())
    assert catalog == build_catalog(database)
    frame = pl.read_parquet(folder / manifest.CATALOG_PARQUET)
    assert frame.height == len(catalog.features) + len(catalog.family_features)
    assert frame.row(0, named=True)["values"][0] == {"name": "1200 mm", "measure": "1200", "count": 2}
    names = pl.read_parquet(folder / manifest.NAMES).rows()
    assert ("participant", "Maija Härmä", 2, None) in names
    assert ("user", "Åsa Öst", 1, "aost") in names
    assert ("company", "Valo Oy Åbo", 1, None) in names
    assert not any(text == "" for _, text, _, _ in names)


def test_a_folder_that_is_current_is_kept_and_a_damaged_one_replaced(database: Database, tmp_path: Path) -> None:
    write_state(database, fingerprint="abc", run="r1")
    folder = build_artifacts(database, tmp_path, snapshot=SNAPSHOT)
    before = (folder / "manifest.json").read_bytes()
    build_artifacts(database, tmp_path, snapshot=SNAPSHOT)
    assert (folder / "manifest.json").read_bytes() == before
    (folder / manifest.DOMAIN).write_text("damaged")
    build_artifacts(database, tmp_path, snapshot=SNAPSHOT)
    read_manifest(folder, verify=True)
    (folder / "manifest.json").unlink()
    build_artifacts(database, tmp_path, snapshot=SNAPSHOT)
    read_manifest(folder, verify=True)
    assert [path.name for path in folder.parent.iterdir()] == ["abc"]


def test_an_unfinished_graph_has_no_artifacts(database: Database, tmp_path: Path) -> None:
    database.write("MATCH (s:GraphState) DELETE s")
    with pytest.raises(ArtifactsError, match="not complete"):
        build_artifacts(database, tmp_path, snapshot=SNAPSHOT)


def test_the_domain_context_shows_how_features_are_found(database: Database) -> None:
    text = domain_context(build_catalog(database))
    assert '- "SNEP® MODE P"' in text
    assert '- "pituus": "Length" | "Pituus"; number 800 to 2400 mm: "1200 mm"="1200"' in text
    assert 'musta, \\"matta\\"\\n2' in text
    assert "Left out" not in text
    query = text.split("```cypher\n")[1].split("```")[0]
    assert database.rows(query) == [{"length": "1200 mm", "products": 2}, {"length": "2400 mm", "products": 1}]


def test_the_domain_context_keeps_its_budget_and_says_what_it_left_out() -> None:
    features = tuple(
        Feature(
            ext_id=f"feature_{i}",
            family=None,
            names=tuple(FeatureName(text=f"Name {i} {j}", count=9 - j) for j in range(9)),
            kind=ValueKind.CHOICE,
            unit=None,
            low=None,
            high=None,
            values=tuple(FeatureValue(name=f"value {j} {'x' * 40}", measure=None, count=99 - j) for j in range(99)),
            distinct_values=500,
            count=1000 - i,
        )
        for i in range(200)
    )
    empty = {"families": (), "family_features": (), "statuses": (), "languages": (), "versions": (), "titles": ()}
    catalog = Catalog(features=features, first_day=None, last_day=None, **empty)
    sizes = []
    for budget in (23_000, 9_000, 3_000, 1_000):
        text = domain_context(catalog, budget)
        assert tokens(text) <= budget
        assert "values beyond the" in text
        sizes.append(tokens(text))
    assert sizes[0] > 15_000
    assert "features, the least used" in text


@pytest.mark.parametrize(
    ("values", "kind", "found"),
    [
        ({("57W", "57"): 3, ("60 W", "60"): 1}, ValueKind.NUMBER, "W"),
        ({("2 000 mm", "2000"): 2, ("No", None): 1}, ValueKind.NUMBER, "mm"),
        ({("3", "3"): 2}, ValueKind.NUMBER, None),
        ({("Black", None): 2, ("RAL 9005", None): 9}, ValueKind.CHOICE, None),
        ({(f"text {i}", None): 1 for i in range(30)}, ValueKind.TEXT, None),
        ({}, ValueKind.CHOICE, None),
    ],
)
def test_kind_and_unit(values: dict[tuple[str | None, str | None], int], kind: ValueKind, found: str | None) -> None:
    assert value_kind(Counter(values)) is kind
    assert unit(Counter(values)) == found


@pytest.mark.parametrize(
    ("text", "guess"),
    [("Frame color", "en"), ("Kehyksen väri", "fi"), ("Värilämpötila", "fi"), ("IP", None), ("", None)],
)
def test_language(text: str, guess: str | None) -> None:
    assert language(text) == guess


def test_texts_of_the_graph_stay_in_their_cell() -> None:
    assert cell("a|b\n# c <script>") == "a\\|b \\# c \\<script\\>"


def test_the_schema_of_any_database_is_read_from_it(database: Database) -> None:
    database.write("MATCH (s:GraphState) DELETE s")
    database.write(
        "CREATE (:`Odd ``label` {`two words`: [1, 2], when: date('2024-01-01')})"
        "-[:`ODD TYPE` {weight: 1.5}]->(:Other:Another {x: 'y'}), (:Other {x: 1})"
    )
    text = live_schema(database)
    assert '`Odd ``label` {`two words`: LIST<INTEGER NOT NULL> (as [1, 2]), when: DATE (as "2024-01-01")}' in text
    assert "(:`Odd ``label`)-[:`ODD TYPE`]->(:Another)" in text
    assert "`ODD TYPE` {weight: FLOAT (as 1.5)}" in text
    assert "(:Offer)-[:SENT_BY]->(:Participant)" in text
    assert "(:Participant)-[:SENT_BY]->" not in text
    assert "x: INTEGER | STRING" in text
    assert text == live_schema(database)
    assert json.dumps(text)
    assert quoted("A_b1") == "A_b1"
    database.write("MATCH (n) WHERE n:Other OR n:`Odd ``label` DETACH DELETE n")
