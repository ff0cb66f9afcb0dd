"""Gold answers that group or rank offers. Each function is named by questions of the sets.

Arrives: the facts, what fills the question's placeholders, and its constants. Leaves: the gold answer.
"""

import polars as pl

from cpq_graph.evaluation.facts import Facts
from cpq_graph.evaluation.gold import (
    MONTH,
    QUARTER,
    USER,
    Gold,
    counts,
    during,
    grouped,
    listed,
    top,
    where,
)
from cpq_graph.evaluation.phrases import Number, Span

_PRICE = pl.col("price").sum().alias("price")


def count_by_status(facts: Facts, period: Span) -> Gold:
    """Offers by status."""
    return grouped(where(facts.offers, during(period)), ["status"], "status", "count")


def count_by_language(facts: Facts, period: Span) -> Gold:
    """Offers by language."""
    return grouped(where(facts.offers, during(period)), ["language"], "language", "count")


def count_by_month(facts: Facts, period: Span) -> Gold:
    """Offers by month."""
    return grouped(where(facts.offers, during(period)), ["month", "month_number"], MONTH, "count")


def count_by_day(facts: Facts, period: Span) -> Gold:
    """Offers by day, days with some."""
    return grouped(where(facts.offers, during(period)), ["date"], "date", "count")


def count_by_user(facts: Facts, period: Span) -> Gold:
    """Offers by the user who handled them."""
    return Gold(_by_user(where(facts.offers, during(period))), (USER, "count"))


def _by_user(offers: pl.DataFrame) -> pl.DataFrame:
    """Groups by user, who may lack a first name."""
    named = offers.select("user_id", "userid", "user", "firstname", "lastname").unique("user_id").drop_nulls("user_id")
    return counts(offers, ["user_id"]).join(named, on="user_id", maintain_order="left", validate="m:1")


def count_by_family(facts: Facts, period: Span) -> Gold:
    """Products by family."""
    return grouped(where(facts.products, during(period)), ["family"], "family", "count", node="product")


def quarters_of_year(facts: Facts, year: Span) -> Gold:
    """Number and average price of offers in each quarter."""
    by = ["quarter", "quarter_name", "quarter_number"]
    average = pl.col("price").mean().alias("average")
    return grouped(where(facts.offers, during(year)), by, QUARTER, "count", "average", also=[average])


def top_receiving_companies(facts: Facts, half: Span, count: int) -> Gold:
    """The companies that received most offers, with number and price."""
    groups = counts(where(facts.offers, during(half)), ["received_company"], also=[_PRICE])
    return top(groups, count, "received_company", "count", "price")


def top_companies_by_price(facts: Facts, year: Span, count: int) -> Gold:
    """The companies that received most by price."""
    groups = counts(where(facts.offers, during(year)), ["received_company"], also=[_PRICE])
    return top(groups, count, "received_company", by="price")


def top_senders(facts: Facts, quarter: Span, count: int) -> Gold:
    """The participants' names with most offers sent."""
    return top(counts(where(facts.offers, during(quarter)), ["sent_name"]), count, "sent_name")


def top_company_by_quarter(facts: Facts, year: Span) -> Gold:
    """In each quarter, the company that received most offers."""
    by = ["quarter", "quarter_name", "quarter_number", "received_company"]
    return top(counts(where(facts.offers, during(year)), by), 1, QUARTER, "received_company", within="quarter")


def top_sender_by_quarter(facts: Facts, year: Span) -> Gold:
    """In each quarter, the participant's name with most offers sent."""
    by = ["quarter", "quarter_name", "quarter_number", "sent_name"]
    return top(counts(where(facts.offers, during(year)), by), 1, QUARTER, "sent_name", within="quarter")


def companies_with_more_offers(facts: Facts, count: Number, period: Span) -> Gold:
    """The companies that received more than so many offers."""
    groups = counts(where(facts.offers, during(period)), ["received_company"])
    return listed(groups.filter(pl.col("count") > count.value), "received_company")


def users_with_at_least(facts: Facts, count: Number, period: Span) -> Gold:
    """The users who handled at least so many offers."""
    groups = _by_user(where(facts.offers, during(period)))
    kept = groups.filter(pl.col("count") >= count.value)
    return listed(kept, USER, clear=kept.height < groups.height)
