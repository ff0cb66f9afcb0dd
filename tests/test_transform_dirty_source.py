"""A source without keys: rows that come twice, ids that several rows have, ids that differ by case or blanks only."""

import shutil
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from transform_pipeline import SOURCE, dump, transform

from extract import documents as documents_module
from sample_data.create import create_from
from sample_data.generate import Spec

KEYS = {"app_user": "user_no", "contact": "contact_no", "quote": "quote_no", "quote_body": "body_no",
        "quote_section": "section_no", "line_item": "item_no", "item_file": "file_no"}  # fmt: skip


@pytest.fixture
def source(postgres_database: Callable[[], str]) -> str:
    """A clean sample whose tables have lost their primary keys."""
    url = postgres_database()
    create_from(Spec(offers=15, seed=9, defects="clean", bulk=0.1), into=url)
    with psycopg.connect(url) as connection:
        for table in KEYS:
            connection.execute(f"ALTER TABLE cpq.{table} DROP CONSTRAINT {table}_pkey")  # type: ignore[call-overload]
    return url


def run(url: str, *statements: str) -> None:
    with psycopg.connect(url) as connection:
        for statement in statements:
            connection.execute(statement)  # type: ignore[call-overload]


@pytest.mark.parametrize("large", [False, True])
def test_rows_that_a_query_doubles_are_rejected_and_change_nothing_else(
    large: bool, source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if large:
        monkeypatch.setattr(documents_module, "WHOLE_MAX", 1000)
    before = transform(source, tmp_path / "1")
    folder = Path(shutil.copytree(SOURCE, tmp_path / "source"))
    for path in folder.glob("*.sql"):
        if path.name != "grants.sql":
            path.write_text(f"{path.read_text()} CROSS JOIN generate_series(1, 2) AS twice")
    after = transform(source, tmp_path / "2", folder)
    assert dump(after.graph) == dump(before.graph)
    for entity, totals in after.graph.tables.items():
        once = before.graph.tables[entity]
        assert (totals.read, totals.loaded, totals.filtered) == (2 * once.read, once.loaded, once.filtered), entity
        assert totals.rejected == once.read
    assert set(after.graph.reasons["rejected"]) == {"duplicate_id"}


@pytest.mark.parametrize("large", [False, True])
def test_documents_of_one_id_are_never_mixed_up(
    large: bool, source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another configuration of the same id, of another product, of the same product, and of the same size as well: the
    first in order counts, and no document is kept as another's."""
    if large:
        monkeypatch.setattr(documents_module, "WHOLE_MAX", 10)
        monkeypatch.setattr(documents_module, "PIECE", 40)
    document = '<C><ProductFamily id="f" name="{}"/></C>'
    run(
        source,
        "DELETE FROM cpq.item_file",
        *(
            f"INSERT INTO cpq.item_file SELECT {number}, item_no, 'f', '{document.format(name)}'::bytea, now() FROM "
            f"(SELECT item_no FROM cpq.line_item WHERE section_no IS NOT NULL ORDER BY 1 LIMIT 1 OFFSET {row}) x"
            for number, row, name in (
                (1, 0, "one"), (1, 1, "other product"), (2, 1, "two"), (3, 2, "same size a"), (3, 2, "same size b"),
                (3, 2, "same size a"), (4, 3, "four"), (4, 3, "longer than four"),
            )
        ),
    )  # fmt: skip
    graph = transform(source, tmp_path / "data").graph
    loaded = graph.tables["configuration"].loaded
    names = graph.nodes["ProductFamily"].collect()["name"].to_list()
    assert graph.reasons["rejected"]["duplicate_id"] == 4
    assert loaded == len(names) <= 4
    assert graph.tables["configuration"].adds_up
    assert set(names) <= {"one", "two", "same size a", "same size b", "four"}
    assert dump(transform(source, tmp_path / "again").graph) == dump(graph)


def test_ids_that_differ_by_case_or_blanks_are_different(source: str, tmp_path: Path) -> None:
    run(source, "UPDATE cpq.quote SET state = 'ORDERED' WHERE quote_no = 'Q-000001'")
    before = transform(source, tmp_path / "1").graph
    run(
        source,
        *(
            f"INSERT INTO cpq.quote SELECT {new}, lang, state, quote_date, revision, owner_no, seller_no, supplier_no, "
            "customer_no, currency, margin, remarks, changed_at FROM cpq.quote WHERE quote_no = 'Q-000001'"
            for new in ("'q-000001'", "'Q-000001 '", "' Q-000001'", "E'Q-000001\\t'", "'Q-000001' || chr(160)")
        ),
    )
    after = transform(source, tmp_path / "2").graph
    ids = set(after.nodes["Offer"].collect()["id"]) - set(before.nodes["Offer"].collect()["id"])
    assert len(ids) == 5
    assert after.tables["offer"].read == before.tables["offer"].read + 5
