"""Numbers over attempts: accuracies with intervals, means, paired tests.

Arrives: attempts. Leaves: Polars frames, one row for each group.

Repeats of one wording are not independent (a compiled engine repeats itself), so intervals and tests count wordings:
a wording is right when it is right in every repeat.
"""

from collections.abc import Sequence
from itertools import combinations

import polars as pl
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from cpq_graph.evaluation.harness import Attempt

STATUSES = ("OK", "WRONG_RESULT", "SYNTAX_ERROR", "NO_ATTEMPT")


def frame_of(attempts: Sequence[Attempt]) -> pl.DataFrame:
    """One row an attempt."""
    return pl.DataFrame([attempt.model_dump() for attempt in attempts], infer_schema_length=None)


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """The 95 % interval of a share, as shares; everything possible where nothing was tried."""
    if not trials:
        return 0.0, 1.0
    low, high = proportion_confint(successes, trials, alpha=0.05, method="wilson")
    return float(low), float(high)


def wordings(attempts: pl.DataFrame, *also: str) -> pl.DataFrame:
    """One row a configuration and wording: right (in every repeat), wrong (in any), and columns of its question."""
    return attempts.group_by("configuration", "key", maintain_order=True).agg(
        pl.col(also).first(),
        pl.col("right").all(),
        (pl.col("status") == "WRONG_RESULT").any().alias("wrong"),
    )


def accuracy(attempts: pl.DataFrame, *by: str) -> pl.DataFrame:
    """One row a configuration and group: wordings, right, accuracy with its interval in per cent, wrong."""
    rows = wordings(attempts, *by)
    if "tags" in by:
        rows = rows.explode("tags").drop_nulls("tags")
    groups = rows.group_by("configuration", *by, maintain_order=True).agg(
        pl.len().alias("wordings"), pl.col("right").sum(), pl.col("wrong").sum()
    )
    intervals = [wilson(right, total) for right, total in groups.select("right", "wordings").iter_rows()]
    return groups.with_columns(
        accuracy=100 * pl.col("right") / pl.col("wordings"),
        low=pl.Series([100 * low for low, _ in intervals], dtype=pl.Float64),
        high=pl.Series([100 * high for _, high in intervals], dtype=pl.Float64),
    )


def outcomes(attempts: pl.DataFrame, *by: str) -> pl.DataFrame:
    """One row a configuration and group: attempts by status."""
    return attempts.group_by("configuration", *by, maintain_order=True).agg(
        *((pl.col("status") == status).sum().alias(status) for status in STATUSES)
    )


def macro_averages(attempts: pl.DataFrame, *by: str) -> pl.DataFrame:
    """One row a configuration and group: means over the successful attempts of each question, then over questions:
    accuracy (per cent of its attempts), times in ms, tokens."""
    right = pl.col("right")
    means = [pl.col(name).filter(right).mean() * scale for name, scale in _MEANS]
    each = attempts.group_by("configuration", *by, "question", maintain_order=True).agg(
        (100 * right.mean()).alias("accuracy"), *means
    )
    return each.group_by("configuration", *by, maintain_order=True).agg(
        pl.len().alias("questions"), pl.col("accuracy", *(name for name, _ in _MEANS)).mean()
    )


_MEANS = (("t1", 1000), ("t2", 1000), ("t3", 1000), ("prompt_tokens", 1), ("completion_tokens", 1))


def pairs(attempts: pl.DataFrame) -> pl.DataFrame:
    """One row a pair of configurations, over the wordings that both were asked: wordings right only by the first, only
    by the second, p of McNemar's exact test, and p adjusted by Holm."""
    right = wordings(attempts).pivot("configuration", index="key", values="right")
    names = [name for name in right.columns if name != "key"]
    rows = []
    for one, other in combinations(names, 2):
        both = right.select(one, other).drop_nulls()
        table = [
            [both.filter(pl.col(one) == mine, pl.col(other) == theirs).height for theirs in (True, False)]
            for mine in (True, False)
        ]
        p = float(mcnemar(table, exact=True).pvalue)
        rows.append({"first": one, "second": other, "only_first": table[0][1], "only_second": table[1][0], "p": p})
    if not rows:
        return pl.DataFrame()
    return pl.DataFrame(rows).with_columns(
        p_holm=pl.Series(multipletests([row["p"] for row in rows], method="holm")[1])
    )
