"""What becomes of source rows: who is loaded, who not and why, and that nothing is lost."""

from datetime import date

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parsed import TEXT, source_tables

from cpq_graph.model import CONFIGURED_AS, HANDLED_BY, OFFER_CONTAINS, SENT_BY
from transform.rows import CheckedRows, check_rows

FINAL = ("FINALIZED", "ORDERED")


def offer(
    key: str | None, status: str | None = "FINALIZED", day: str | None = "2024-05-01", **roles: str
) -> tuple[object, ...]:
    parties = (roles.get(name) for name in ("user_id", "sent_by", "delivered_by", "received_by"))
    return (key, "fi", status, day, "1", *parties)


def found(checked: CheckedRows) -> list[tuple[str, ...]]:
    return sorted(checked.rejects.select("table", "key", "place", "reason", "outcome").rows())


def test_status_and_period_decide_about_offers() -> None:
    rows = [
        offer("final"), offer("ordered", "ORDERED"), offer("lower", "finalized"), offer("none", None),
        offer("before", day="2023-12-31"), offer("first", day="2024-01-01"), offer("last", day="2024-12-31"),
        offer("after", day="2025-01-01"), offer("undated", day=None), offer("endless", day="infinity"),
    ]  # fmt: skip
    checked = check_rows(source_tables(offer=rows), FINAL, (date(2024, 1, 1), date(2024, 12, 31)))
    assert checked.nodes["Offer"]["id"].to_list() == ["final", "first", "last", "ordered"]
    reasons = {key: reason for _, key, _, reason, _ in found(checked)}
    assert reasons == {
        "lower": "not_final", "none": "not_final", "before": "out_of_period", "after": "out_of_period",
        "undated": "out_of_period", "endless": "out_of_period",
    }  # fmt: skip
    open_ended = check_rows(source_tables(offer=rows), FINAL, (None, date(2023, 12, 31)))
    assert open_ended.nodes["Offer"]["id"].to_list() == ["before"]


@pytest.mark.parametrize("day", ["infinity", "-infinity", "0044-03-15 BC", "1850-03-01", "9999-12-31", "12024-01-01"])
def test_dates_out_of_range_are_emptied(day: str) -> None:
    checked = check_rows(source_tables(offer=[offer("O", day=day)]), FINAL)
    assert checked.nodes["Offer"]["date"].to_list() == [None]
    assert found(checked) == [("offer", "O", "date", "bad_date", "emptied")]
    assert checked.rejects["sample"].to_list() == [day]


def test_ids_that_are_missing_too_long_or_there_twice() -> None:
    rows = [offer(None), offer(""), offer("x" * 8001), offer("O"), offer("O", "OPEN"), offer("o"), offer(" O")]
    checked = check_rows(source_tables(offer=rows), FINAL)
    assert checked.nodes["Offer"]["id"].to_list() == [" O", "O", "o"]
    assert sorted(reason for *_, reason, _ in found(checked)) == [
        "duplicate_id", "missing_id", "missing_id", "too_long_key",
    ]  # fmt: skip
    assert checked.tables["offer"].rejected == 4


def test_what_hangs_on_a_row_shares_its_fate() -> None:
    tables = source_tables(
        offer=[offer("O"), offer("open", "OPEN")],
        content=[("2", "O", 1.0), ("10", "O", 2.0), ("3", "open", 1.0), ("4", "gone", 1.0), ("5", None, 1.0)],
        subcontent=[("s1", "10", None), ("s2", "2", None), ("s3", "3", None), ("s0", "10", None)],
        product=[("p1", "s0"), ("p2", "s1"), ("p3", "s3"), ("p4", "s0")],
        configuration=[("c1", "p1", 5), ("c0", "p1", None), ("c2", "p2", 5), ("c3", "p3", 5), ("c4", "gone", 5)],
    )
    checked = check_rows(tables, FINAL)
    # The first by its text, so "10" is before "2".
    assert checked.nodes["Content"]["id"].to_list() == ["10"]
    assert checked.configurations.rows() == [("c0", "p1", None)]
    assert found(checked) == [
        ("configuration", "c1", "", "second_configuration", "rejected"),
        ("configuration", "c2", "", "parent_rejected", "rejected"),
        ("configuration", "c3", "", "parent_filtered", "filtered"),
        ("configuration", "c4", "product_id", "dangling", "rejected"),
        ("content", "2", "", "second_content", "rejected"),
        ("content", "3", "", "parent_filtered", "filtered"),
        ("content", "4", "offer_id", "dangling", "rejected"),
        ("content", "5", "offer_id", "no_parent", "rejected"),
        ("offer", "open", "", "not_final", "filtered"),
        ("product", "p2", "", "parent_rejected", "rejected"),
        ("product", "p3", "", "parent_filtered", "filtered"),
        ("product", "p4", "", "product_without_configuration", "noted"),
        ("subcontent", "s1", "", "second_subcontent", "rejected"),
        ("subcontent", "s2", "", "parent_rejected", "rejected"),
        ("subcontent", "s3", "", "parent_filtered", "filtered"),
    ]
    assert checked.patterns[OFFER_CONTAINS.name].read == 4
    assert checked.patterns[CONFIGURED_AS.name].model_dump() == {"read": 5, "loaded": 1, "rejected": 3, "filtered": 1}


def test_people_whom_no_loaded_offer_names_are_filtered() -> None:
    tables = source_tables(
        offer=[
            offer("O", user_id="u1", sent_by="a", received_by="gone"),
            offer("open", "OPEN", user_id="u2", sent_by="b"),
        ],
        user=[("u1", None, "", "Öhman"), ("u2", None, None, None)],
        participant=[("a", "", "x" * 8001, None), ("b", None, None, None)],
    )
    checked = check_rows(tables, FINAL)
    assert checked.nodes["User"].rows() == [("u1", None, "", "Öhman")]
    assert checked.nodes["Participant"].rows() == [("a", "", None, None)]
    assert checked.relationships[HANDLED_BY.name].rows() == [("O", "u1")]
    assert found(checked) == [
        ("offer", "O", "received_by", "dangling", "rejected"),
        ("offer", "open", "", "not_final", "filtered"),
        ("participant", "a", "name", "too_long", "emptied"),
        ("participant", "b", "", "not_named", "filtered"),
        ("user", "u2", "", "not_named", "filtered"),
    ]
    assert checked.patterns[SENT_BY.name].model_dump() == {"read": 2, "loaded": 1, "rejected": 0, "filtered": 1}


@pytest.mark.parametrize("price", [float("nan"), float("inf"), float("-inf")])
def test_prices_that_are_no_numbers_are_emptied(price: float) -> None:
    checked = check_rows(source_tables(offer=[offer("O")], content=[("C", "O", price)]), FINAL)
    assert checked.nodes["Content"].rows() == [("C", None)]
    assert found(checked) == [("content", "C", "total_price", "bad_number", "emptied")]


def test_an_empty_source_gives_an_empty_graph() -> None:
    checked = check_rows(source_tables(), FINAL)
    assert all(frame.height == 0 for frame in (*checked.nodes.values(), *checked.relationships.values()))


KEYS = st.one_of(st.none(), st.sampled_from(["", "a", "b", "A", " a", "1", "10", "2"]))
EXTRA = {"content": st.floats(), "subcontent": st.floats(), "configuration": st.one_of(st.none(), st.integers(0, 99))}
STATUS = st.sampled_from(["FINALIZED", "OPEN", None])
DAYS = st.sampled_from(["2024-05-01", "infinity", "2023-01-01", None])


def rows_of(entity: str) -> st.SearchStrategy[list[tuple[object, ...]]]:
    columns = [{"status": STATUS, "date": DAYS}.get(name, KEYS) for name in TEXT[entity]]
    return st.lists(st.tuples(*columns, *([EXTRA[entity]] if entity in EXTRA else [])), max_size=6)


@settings(max_examples=150, deadline=None)
@given(st.fixed_dictionaries({entity: rows_of(entity) for entity in TEXT}), st.booleans())
def test_totals_add_up_whatever_the_rows_are(rows: dict[str, list[tuple[object, ...]]], limited: bool) -> None:
    period = (date(2024, 1, 1), date(2024, 12, 31)) if limited else (None, None)
    checked = check_rows(source_tables(**rows), FINAL, period)
    for entity, total in checked.tables.items():
        assert total.read == len(rows[entity])
        assert total.adds_up
        entries = checked.rejects.filter(
            (pl.col("table") == entity) & (pl.col("level") == "row") & ~pl.col("label").str.contains("_BY_")
        )
        for outcome in ("rejected", "filtered"):
            assert entries.filter(outcome=outcome).height == getattr(total, outcome)
    for frame in checked.nodes.values():
        assert frame["id"].is_unique().all()
        assert frame["id"].null_count() == 0
    ids = {label: set(frame["id"]) for label, frame in checked.nodes.items()}
    for name, frame in checked.relationships.items():
        start, end = name.split("_")[0], name.split("_")[-1]
        assert set(frame["start"]) <= ids[start]
        assert set(frame["end"]) <= ids[end]
        assert frame["start"].is_unique().all() or name.startswith("Subcontent")
