"""Which documents a delta need not look at."""

from datetime import UTC, datetime

import polars as pl
import pytest

from transform.changes import Known, unchanged_documents

TAKEN_AT = datetime(2024, 6, 10, 2, tzinfo=UTC)
OLD, FRESH, AHEAD = "2024-06-01 10:00:00.25+00", "2024-06-09 10:00:00+00", "2031-01-01 00:00:00+00"


def configurations(updated_at: str | None, size: int | None = 10, product: str = "P") -> pl.DataFrame:
    schema = {"id": pl.String, "product_id": pl.String, "bytes": pl.Int64, "updated_at": pl.String}
    return pl.DataFrame([("1", product, size, updated_at)], schema=schema, orient="row")


def known(updated_at: str | None) -> Known:
    return Known(configurations(updated_at).with_columns(digest=pl.lit("d")), TAKEN_AT)


def test_a_document_with_its_time_of_change_is_as_it_was() -> None:
    found = unchanged_documents(configurations(OLD), known(OLD))

    assert found.rows() == [("1", "P", 10, "d")]
    assert found.columns == ["id", "product_id", "bytes", "digest"]


@pytest.mark.parametrize(
    ("now", "then"),
    [
        (configurations("2024-06-01 10:00:00.26+00"), OLD),
        (configurations(OLD, size=11), OLD),
        (configurations(OLD, size=None), OLD),
        (configurations(OLD, product="Q"), OLD),
        (configurations(None), None),
        # Another transaction may have had the same time, and ended after the snapshot.
        (configurations(FRESH), FRESH),
        (configurations(AHEAD), AHEAD),
        (configurations("infinity"), "infinity"),
        (configurations("0044-03-15 00:00:00+00 BC"), "0044-03-15 00:00:00+00 BC"),
    ],
)
def test_any_other_is_looked_at(now: pl.DataFrame, then: str | None) -> None:
    assert unchanged_documents(now, known(then)).is_empty()


def test_a_source_that_keeps_no_time_has_all_looked_at() -> None:
    bare = known(OLD).documents.drop("updated_at")

    assert unchanged_documents(configurations(OLD).drop("updated_at"), known(OLD)).is_empty()
    assert unchanged_documents(configurations(OLD), Known(bare, TAKEN_AT)).is_empty()
