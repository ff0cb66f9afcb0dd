"""A gold answer: rows computed from the source, and what an answer may look like that agrees with them.

Arrives: frames of facts. Leaves: `Gold`, made by the small functions here and in `gold_offers` and `gold_products`.
"""

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Literal

import polars as pl

from cpq_graph.evaluation.phrases import Choice, Name, Span

# Several ways to show the same: a choice by its name or number, a period with or without its year, a user by any name.
CHOICE = "value|measure|number"
QUARTER = "quarter|quarter_name|quarter_number"
MONTH = "month|month_number"
Statistic = Literal["mean", "median", "max", "min"]
USER = "userid|user|firstname+lastname|user_id"


@dataclass(frozen=True, slots=True)
class Gold:
    """The right rows.

    `columns` are those that an answer must show: "a|b" stands for either of two ways to show the same, "a+b" for both
    together. Any other column of `frame` may be shown too, if it is right. Rows must come in the order of the
    `order` columns where the question asks for one; rows that are equal in them may swap. `clear` is False where the
    question has no single right answer on this data (a tie at a cut, two readings): such bindings are not asked.
    """

    frame: pl.DataFrame
    columns: tuple[str, ...]
    order: tuple[str, ...] = ()
    clear: bool = True

    @property
    def required(self) -> list[str]:
        """The columns of the frame that the first way to show each needs."""
        return [name for column in self.columns for name in column.split("|")[0].split("+")]

    @property
    def discriminating(self) -> bool:
        """Whether the answer is clear, not empty, and hard to hit by chance: no missing value; a single number is
        none of 0, 1 and 100."""
        rows = self.frame.select(self.required)
        if not self.clear or rows.is_empty() or rows.height > 500 or any(rows.null_count().row(0)):
            return False
        single = rows.height == 1 and all(dtype.is_numeric() for dtype in rows.dtypes)
        return not (single and any(value in (0, 1, 100) for value in rows.row(0)))


def where(frame: pl.DataFrame, *conditions: pl.Expr) -> pl.DataFrame:
    """The rows that satisfy all conditions; what is missing satisfies none."""
    return frame.filter(reduce(operator.and_, conditions)) if conditions else frame


def during(*periods: Span) -> pl.Expr:
    """The offer's date falls in one of the periods."""
    return reduce(operator.or_, [pl.col("date").is_between(period.first, period.last) for period in periods])


def same(column: str, name: Name) -> pl.Expr:
    """The column is that name."""
    return pl.col(column) == name.text


def chosen(*values: Choice) -> pl.Expr:
    """The choice is one of these, under either of its names."""
    return pl.col("value").is_in([name for value in values for name in value.names])


def listed(frame: pl.DataFrame, *columns: str, clear: bool = True) -> Gold:
    """The rows as they are, each shown by these columns."""
    return Gold(frame, columns, clear=clear)


def distinct(frame: pl.DataFrame, column: str, *also: str, clear: bool = True) -> Gold:
    """The distinct values of a column, none missing. Other columns may stand beside where each value has one of them;
    where some have several, it is not clear how many rows there are."""
    rows = frame.select(column, *also).drop_nulls(column).unique(maintain_order=True)
    return Gold(rows, (column,), clear=clear and rows[column].is_unique().all())


def number(value: float | None, *, clear: bool = True) -> Gold:
    """One number."""
    return Gold(pl.DataFrame({"number": [value]}), ("number",), clear=clear)


def summed(frame: pl.DataFrame, column: str) -> Gold:
    """The sum of a column; how many rows there are may stand beside it."""
    made = frame.select(pl.col(column).sum().cast(pl.Float64), pl.len().cast(pl.Int64).alias("count"))
    return Gold(made, (column,))


def count(frame: pl.DataFrame, node: str) -> Gold:
    """How many distinct nodes the rows have."""
    return number(frame[node].drop_nulls().n_unique())


def share(part: pl.DataFrame, whole: pl.DataFrame, node: str) -> Gold:
    """The part's distinct nodes, per cent of the whole's."""
    of = whole[node].n_unique()
    return number(100 * part[node].n_unique() / of if of else None)


def grouped(
    frame: pl.DataFrame, by: Sequence[str], *columns: str, also: Sequence[pl.Expr] = (), node: str = "offer"
) -> Gold:
    """One row for each combination of `by` that has every one, with `count` of distinct nodes and what else is made."""
    return Gold(counts(frame, by, also=also, node=node), columns)


def counts(
    frame: pl.DataFrame, by: Sequence[str], *, also: Sequence[pl.Expr] = (), node: str = "offer"
) -> pl.DataFrame:
    """The groups of `grouped`, most first."""
    present = frame.filter(pl.all_horizontal(pl.col(name).is_not_null() for name in by))
    made = present.group_by(by).agg(pl.col(node).n_unique().cast(pl.Int64).alias("count"), *also)
    return made.sort("count", *by, descending=[True] + [False] * len(by))


def top(
    groups: pl.DataFrame, amount: int, *columns: str, by: str = "count", within: str | None = None, ordered: bool = True
) -> Gold:
    """The first so many groups by a number, overall or within each value of a column; clear when no tie is cut."""
    rank = pl.col(by).rank("min", descending=True)
    ranked = groups.with_columns(rank=rank.over(within) if within else rank)
    kept = ranked.filter(pl.col("rank") <= amount).drop("rank")
    most = kept.group_by(within).len()["len"].max() if within else kept.height
    clear = isinstance(most, int) and most <= amount and (within is None or kept[within].n_unique() > 1)
    kept = kept.sort(*([within] if within else []), by, descending=[False, True] if within else True)
    return Gold(kept, columns, (by,) if ordered and not within else (), clear)


def mean(values: pl.Series) -> float | None:
    """The mean of the values that are there; None of none."""
    return statistic_of(values, "mean")


def statistic_of(values: pl.Series, statistic: Statistic) -> float | None:
    """A statistic of the values that are there; None of none."""
    value = getattr(values.drop_nulls(), statistic)()
    return None if value is None else float(value)
