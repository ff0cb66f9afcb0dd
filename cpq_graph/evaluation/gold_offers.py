"""Gold answers about offers, people, prices and families. Each function is named by questions of the sets.

Arrives: the facts, what fills the question's placeholders, and its constants. Leaves: the gold answer.
"""

import polars as pl

from cpq_graph.evaluation.facts import Facts
from cpq_graph.evaluation.gold import (
    Gold,
    Statistic,
    count,
    distinct,
    during,
    grouped,
    listed,
    mean,
    number,
    same,
    share,
    statistic_of,
    summed,
    where,
)
from cpq_graph.evaluation.phrases import Name, Number, Span

_PRICE = pl.col("price").sum().alias("price")


def offer_property(facts: Facts, offer: Name, property: str) -> Gold:
    """One property of an offer."""
    return listed(where(facts.offers, same("offer", offer)), property)


def offer_properties(facts: Facts, offer: Name, properties: list[str]) -> Gold:
    """Several properties of an offer."""
    return listed(where(facts.offers, same("offer", offer)), *properties)


def party_of_offer(facts: Facts, offer: Name, role: str) -> Gold:
    """The name of an offer's participant."""
    return listed(where(facts.offers, same("offer", offer)), f"{role}_name")


def party_property(facts: Facts, offer: Name, role: str, property: str) -> Gold:
    """A property of an offer's participant."""
    return listed(where(facts.offers, same("offer", offer)), f"{role}_{property}")


def handler_of_offer(facts: Facts, offer: Name) -> Gold:
    """The user who handled an offer, by full name."""
    return listed(where(facts.offers, same("offer", offer)), "user|firstname+lastname|userid")


def companies_of_participant(facts: Facts, person: Name) -> Gold:
    """The companies of all participants of a name."""
    return distinct(where(facts.participants, same("name", person)), "company")


def participants_of_company(facts: Facts, company: Name) -> Gold:
    """The names of a company's participants, each once."""
    return distinct(where(facts.participants, same("company", company)), "name", "title", "id")


def user_name(facts: Facts, userid: Name) -> Gold:
    """The full name of a user."""
    return listed(where(facts.users, same("userid", userid)), "user|firstname+lastname")


def offers_of_day(facts: Facts, day: Span) -> Gold:
    """The offers of a day."""
    return listed(where(facts.offers, during(day)), "offer")


def offers_of_day_by_sender(facts: Facts, sender: Name, day: Span) -> Gold:
    """The offers of a day that a participant sent."""
    return listed(where(facts.offers, during(day), same("sent_name", sender)), "offer")


def offers_of_user_with_status(facts: Facts, userid: Name, status: Name, month: Span) -> Gold:
    """The offers of a month and status that a user handled."""
    return listed(where(facts.offers, during(month), same("userid", userid), same("status", status)), "offer")


def offers_above_price(facts: Facts, price: Number, month: Span) -> Gold:
    """The offers of a month whose price is over a bound."""
    return listed(where(facts.offers, during(month), pl.col("price") > price.value), "offer")


def distinct_statuses(facts: Facts) -> Gold:
    """The statuses of offers."""
    return distinct(facts.offers, "status")


def families_of_offer(facts: Facts, offer: Name) -> Gold:
    """The distinct families of an offer's products. Unclear where families are nested: they are in the offer, too."""
    products = where(facts.products, same("offer", offer))
    return distinct(products, "family", clear=not products["nested"].any() and products.height > 1)


def families_received(facts: Facts, company: Name, quarter: Span) -> Gold:
    """The distinct families that a company was offered in a quarter."""
    products = where(facts.products, during(quarter), same("received_company", company))
    return distinct(products, "family", clear=not products["nested"].any())


def codes_and_costs_of_offer(facts: Facts, offer: Name) -> Gold:
    """The code and cost of each product of an offer."""
    products = where(facts.products, same("offer", offer))
    return listed(products, "product_code", "total_cost", clear=not products["nested"].any())


def count_offers(facts: Facts, period: Span) -> Gold:
    """The offers of a period."""
    return count(where(facts.offers, during(period)), "offer")


def count_received(facts: Facts, company: Name, year: Span) -> Gold:
    """The offers that a company received."""
    return count(where(facts.offers, during(year), same("received_company", company)), "offer")


def count_received_by_either(facts: Facts, company: Name, company2: Name, period: Span) -> Gold:
    """The offers that either company received."""
    either = same("received_company", company) | same("received_company", company2)
    return count(where(facts.offers, during(period), either), "offer")


def count_delivered(facts: Facts, company: Name, period: Span) -> Gold:
    """The offers that a company delivered."""
    return count(where(facts.offers, during(period), same("delivered_company", company)), "offer")


def count_not_status(facts: Facts, status: Name, period: Span) -> Gold:
    """The offers of any other status."""
    return count(where(facts.offers, during(period), pl.col("status") != status.text), "offer")


def count_between_days(facts: Facts, first: Span, last: Span) -> Gold:
    """The offers from one day to another, both included."""
    return count(where(facts.offers, pl.col("date").is_between(first.first, last.last)), "offer")


def count_two_periods(facts: Facts, first: Span, last: Span) -> Gold:
    """The offers of each of two quarters."""
    return grouped(where(facts.offers, during(first, last)), ["quarter"], "quarter", "count")


def total_price_two_periods(facts: Facts, first: Span, last: Span) -> Gold:
    """The price of the offers of each of two months."""
    return grouped(where(facts.offers, during(first, last)), ["month"], "month", "price", also=[_PRICE])


def count_receiving_companies(facts: Facts, period: Span) -> Gold:
    """The companies that received offers."""
    return count(where(facts.offers, during(period)), "received_company")


def count_products_of_offer(facts: Facts, offer: Name) -> Gold:
    """The products of an offer."""
    return count(where(facts.products, same("offer", offer)), "product")


def _product_counts(facts: Facts, offers: pl.DataFrame) -> pl.Series:
    """How many products each of the offers has, those without any included."""
    sizes = facts.products.group_by("offer").len("products")
    return offers.join(sizes, on="offer", how="left", validate="1:1")["products"].fill_null(0).cast(pl.Int64)


def count_offers_with_more_products(facts: Facts, period: Span, count: int) -> Gold:
    """The offers with more than so many products."""
    return number(int((_product_counts(facts, where(facts.offers, during(period))) > count).sum()))


def average_products(facts: Facts, period: Span) -> Gold:
    """Products per offer of a period."""
    return number(mean(_product_counts(facts, where(facts.offers, during(period)))))


def most_products(facts: Facts, period: Span) -> Gold:
    """The most products of an offer of a period."""
    return number(statistic_of(_product_counts(facts, where(facts.offers, during(period))), "max"))


def products_per_offer_received(facts: Facts, company: Name) -> Gold:
    """Products per offer that a company received."""
    return number(mean(_product_counts(facts, where(facts.offers, same("received_company", company)))))


def _having(facts: Facts, family: Name, period: Span) -> pl.DataFrame:
    """The offers of a period with a product of the family."""
    products = where(facts.products, same("family", family))
    return where(facts.offers, during(period)).join(products, on="offer", how="semi")


def _only(facts: Facts, offers: pl.DataFrame, family: Name) -> pl.DataFrame:
    """The offers with products, all of them of the family."""
    others = where(facts.products, pl.col("family").ne_missing(family.text))
    return offers.join(facts.products, on="offer", how="semi").join(others, on="offer", how="anti")


def count_offers_without_family(facts: Facts, family: Name, period: Span) -> Gold:
    """The offers without a product of the family."""
    whole = where(facts.offers, during(period))
    return number(whole.height - _having(facts, family, period).height)


def count_offers_with_both(facts: Facts, family: Name, family2: Name, period: Span) -> Gold:
    """The offers with products of both families."""
    return count(_having(facts, family, period).join(_having(facts, family2, period), on="offer", how="semi"), "offer")


def share_of_offers_with_family(facts: Facts, family: Name, period: Span) -> Gold:
    """The offers with a product of the family, per cent of all."""
    return share(_having(facts, family, period), where(facts.offers, during(period)), "offer")


def senders_of_family(facts: Facts, family: Name, period: Span) -> Gold:
    """The names of who sent offers with a product of the family."""
    return distinct(_having(facts, family, period), "sent_name", "sent_company", "offer")


def only_family_of_receiver(facts: Facts, company: Name, family: Name) -> Gold:
    """Number and price of the offers that a company received with nothing but products of the family."""
    offers = _only(facts, where(facts.offers, same("received_company", company)), family)
    made = offers.select(pl.len().cast(pl.Int64).alias("count"), _PRICE)
    return listed(made, "count", "price", clear=offers.height > 1)


def count_only_family(facts: Facts, family: Name, period: Span) -> Gold:
    """The offers with nothing but products of the family."""
    return count(_only(facts, where(facts.offers, during(period)), family), "offer")


def total_price_of_status(facts: Facts, status: Name, quarter: Span) -> Gold:
    """The price of the offers of a status."""
    return summed(where(facts.offers, during(quarter), same("status", status)), "price")


def total_received(facts: Facts, company: Name, period: Span) -> Gold:
    """The price of the offers that a company received."""
    return summed(where(facts.offers, during(period), same("received_company", company)), "price")


def section_total(facts: Facts, period: Span) -> Gold:
    """The subcontents' price of the offers of a period."""
    return summed(where(facts.offers, during(period)), "section_price")


def price_statistic(facts: Facts, period: Span, statistic: Statistic) -> Gold:
    """A statistic of the offers' prices; of an extreme, the offer may stand beside."""
    offers = where(facts.offers, during(period))
    value = statistic_of(offers["price"], statistic)
    if statistic in ("max", "min"):
        extreme = offers.filter(pl.col("price") == value)
        return listed(extreme, "price", clear=extreme.height == 1)
    return number(value)


def average_cost_received(facts: Facts, company: Name, year: Span) -> Gold:
    """The average cost of the products that a company was offered."""
    return number(mean(where(facts.products, during(year), same("received_company", company))["total_cost"]))


def share_of_status(facts: Facts, status: Name, period: Span) -> Gold:
    """The offers of a status, per cent of all."""
    whole = where(facts.offers, during(period))
    return share(where(whole, same("status", status)), whole, "offer")
