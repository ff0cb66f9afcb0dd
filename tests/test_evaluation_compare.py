"""Whether an answer agrees with a gold one: as values, order only where asked, duplicates counted."""

from datetime import date
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cpq_graph.evaluation.compare import agrees
from cpq_graph.evaluation.gold import Gold

TOP = Gold(
    pl.DataFrame(
        {
            "company": ["Aalto Oy", "Berg Ab", "Corpi Oy"],
            "count": [7, 5, 5],
            "price": [1234.5678901, 99.0, 0.25],
            "first": [date(2024, 1, 2), date(2024, 2, 1), None],
        }
    ),
    ("company",),
    order=("count",),
)


def rows(*values: tuple[Any, ...]) -> list[dict[str, Any]]:
    return [{f"column {n}": value for n, value in enumerate(row)} for row in values]


@pytest.mark.parametrize(
    "answer",
    [
        rows(("Aalto Oy",), ("Berg Ab",), ("Corpi Oy",)),
        rows(("Aalto Oy",), ("Corpi Oy",), ("Berg Ab",)),  # the two tie
        rows(("Aalto Oy", 7), ("Berg Ab", 5), ("Corpi Oy", 5.0)),
        rows((1234.567891, "Aalto Oy", 7), (99, "Berg Ab", 5), (0.25, "Corpi Oy", 5)),
        rows(("Aalto Oy", "2024-01-02"), ("Berg Ab", "2024-02-01"), ("Corpi Oy", None)),
        rows(("Aalto Oy", "2024-H1"), ("Berg Ab", "2024-H1"), ("Corpi Oy", "2024-H1")),  # repeats the question
    ],
)
def test_right_rows_agree(answer: list[dict[str, Any]]) -> None:
    assert agrees(TOP, answer, constants=("2024-H1",))


@pytest.mark.parametrize(
    "answer",
    [
        [],
        rows(("Aalto Oy",), ("Berg Ab",)),
        rows(("Aalto Oy",), ("Berg Ab",), ("Corpi Oy",), ("Corpi Oy",)),
        rows(("Aalto Oy",), ("Berg Ab",), ("Berg Ab",)),
        rows(("Berg Ab",), ("Aalto Oy",), ("Corpi Oy",)),  # order was asked
        rows(("Aalto OY",), ("Berg Ab",), ("Corpi Oy",)),
        rows(("Aalto Oy", 7), ("Berg Ab", 5), ("Corpi Oy", 6)),
        rows(("Aalto Oy", 5), ("Berg Ab", 7), ("Corpi Oy", 5)),  # right numbers in the wrong rows
        rows(("Aalto Oy", "7"), ("Berg Ab", "5"), ("Corpi Oy", "5")),  # text is no number
        rows(("Aalto Oy", 1234.57), ("Berg Ab", 99), ("Corpi Oy", 0.25)),  # beyond 1e-6
        rows((7,), (5,), (5,)),  # what was asked is not there
        rows(("Aalto Oy", 1), ("Berg Ab", 2), ("Corpi Oy", 3)),  # a number that nobody knows
        rows(("Aalto Oy", None), ("Berg Ab", None), ("Corpi Oy", None)),
        rows(("Aalto Oy", "2023-H1"), ("Berg Ab", "2023-H1"), ("Corpi Oy", "2023-H1")),
        rows(("Aalto Oy", float("nan")), ("Berg Ab", 5), ("Corpi Oy", 5)),
    ],
)
def test_wrong_rows_do_not(answer: list[dict[str, Any]]) -> None:
    assert not agrees(TOP, answer, constants=("2024-H1",))


def test_nothing_agrees_with_nothing_alone() -> None:
    none = Gold(pl.DataFrame({"company": []}, schema={"company": pl.String}), ("company",))
    assert agrees(none, [])
    assert not agrees(none, rows((0,)))


def test_alternatives_stand_for_each_other() -> None:
    gold = Gold(
        pl.DataFrame(
            {
                "value": ["57W", "60W"],
                "measure": ["57", "60"],
                "number": [57.0, 60.0],
                "first": ["Ada", "Bo"],
                "last": ["Ek", "Lo"],
                "full": ["Ada Ek", "Bo Lo"],
            }
        ),
        ("value|measure|number", "full|first+last"),
    )
    for answer in (
        rows(("60W", "Bo Lo"), ("57W", "Ada Ek")),
        rows((57, "Ada", "Ek"), (60, "Bo", "Lo")),
        rows(("57", "Ek", "Ada"), ("60", "Lo", "Bo")),
        rows(("57W", "57", "Ada Ek"), ("60W", "60", "Bo Lo")),
    ):
        assert agrees(gold, answer)
    for answer in (
        rows((57, "Ada"), (60, "Bo")),
        rows((57, "Ada", "Lo"), (60, "Bo", "Ek")),
        rows(("57W", "60", "Ada Ek"), ("60W", "57", "Bo Lo")),
        rows(("Bo Lo", "57W"), ("Ada Ek", "60W")),
    ):
        assert not agrees(gold, answer)


def test_duplicates_count() -> None:
    gold = Gold(pl.DataFrame({"power": ["57W", "57W", "60W"]}), ("power",))
    assert agrees(gold, rows(("57W",), ("60W",), ("57W",)))
    assert not agrees(gold, rows(("57W",), ("60W",), ("60W",)))


CELLS = st.one_of(
    st.none(),
    st.text(max_size=3),
    st.integers(-5, 5),
    st.floats(-1e6, 1e6),
    st.dates(date(2024, 1, 1), date(2024, 1, 5)),
)


@st.composite
def tables(draw: st.DrawFn) -> list[tuple[Any, ...]]:
    """Rows of one to three columns, each of one kind, with few distinct values."""
    width, height = draw(st.integers(1, 3)), draw(st.integers(1, 6))
    kinds = [
        draw(st.sampled_from([st.sampled_from(["a", "b", "c"]), st.integers(0, 3), st.floats(1, 4), st.dates()]))
        for _ in range(width)
    ]
    return [tuple(draw(kind) for kind in kinds) for _ in range(height)]


def gold_of(table: list[tuple[Any, ...]], required: int) -> Gold:
    names = [f"c{n}" for n in range(len(table[0]))]
    return Gold(pl.DataFrame(table, schema=names, orient="row"), tuple(names[:required]))


@given(tables(), st.data())
def test_rows_and_columns_may_come_in_any_order(table: list[tuple[Any, ...]], data: st.DataObject) -> None:
    gold = gold_of(table, 1)
    columns = data.draw(st.permutations(range(len(table[0]))))
    shuffled = data.draw(st.permutations(table))
    assert agrees(gold, [{f"x{c}": row[c] for c in columns} for row in shuffled])


@given(tables(), st.data())
def test_floats_agree_to_a_millionth(table: list[tuple[Any, ...]], data: st.DataObject) -> None:
    def nudge(value: Any) -> Any:
        return value * (1 + data.draw(st.floats(-4e-7, 4e-7))) if isinstance(value, float) else value

    nudged = [{str(n): nudge(value) for n, value in enumerate(row)} for row in table]
    assert agrees(gold_of(table, len(table[0])), nudged)


@given(tables(), st.data())
def test_one_changed_cell_is_noticed(table: list[tuple[Any, ...]], data: st.DataObject) -> None:
    row = data.draw(st.integers(0, len(table) - 1))
    column = data.draw(st.integers(0, len(table[0]) - 1))
    before = table[row][column]
    after = data.draw(CELLS.filter(lambda value: not _same(value, before)))
    answer = [
        {str(c): after if (r, c) == (row, column) else v for c, v in enumerate(values)}
        for r, values in enumerate(table)
    ]
    assert not agrees(gold_of(table, len(table[0])), answer)


@given(tables(), st.data())
def test_a_lost_or_added_row_is_noticed(table: list[tuple[Any, ...]], data: st.DataObject) -> None:
    gold = gold_of(table, 1)
    row = data.draw(st.sampled_from(table))
    answer = [{str(n): value for n, value in enumerate(values)} for values in table]
    assert not agrees(gold, [*answer, {str(n): value for n, value in enumerate(row)}])
    assert not agrees(gold, answer[1:])


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, int | float) and isinstance(other, int | float):
        return abs(one - other) <= 2e-6 * max(abs(one), abs(other), 1e-3)
    return one == other or str(one) == str(other)
