"""Gold answers about products and their features. Each function is named by questions of the sets.

Arrives: the facts, what fills the question's placeholders, and its constants. Leaves: the gold answer. A product's
features are those of its root family; products that lack a feature are in no group of it, and are neither this nor
not this.
"""

import polars as pl

from cpq_graph.evaluation.facts import Facts
from cpq_graph.evaluation.gold import (
    CHOICE,
    QUARTER,
    Gold,
    Statistic,
    chosen,
    count,
    counts,
    distinct,
    during,
    grouped,
    listed,
    number,
    same,
    share,
    statistic_of,
    top,
    where,
)
from cpq_graph.evaluation.phrases import Choice, Name, Number, Span

_SHOWN = ("value", "measure", "number")
_QUARTER = ("quarter", "quarter_name", "quarter_number")


def _counts(frame: pl.DataFrame, *by: str) -> pl.DataFrame:
    return counts(frame, by, node="product")


def _choices(frame: pl.DataFrame, *by: str) -> pl.DataFrame:
    """Products by what is shown of a choice; its measure and number come along."""
    shown = [pl.col("measure").first(), pl.col("number").first()]
    return counts(frame, [*by, "value"], also=shown, node="product")


def _of(facts: Facts, ext_id: str, family: Name, period: Span) -> pl.DataFrame:
    """The choices of a feature in the products of a family and period."""
    return where(facts.chosen(ext_id), during(period), same("family", family))


def _family(facts: Facts, family: Name, period: Span) -> pl.DataFrame:
    return where(facts.products, during(period), same("family", family))


def count_family(facts: Facts, family: Name, period: Span) -> Gold:
    """The products of a family."""
    return count(_family(facts, family, period), "product")


def count_two_families(facts: Facts, family: Name, family2: Name, period: Span) -> Gold:
    """The products of each of two families."""
    products = where(facts.products, during(period), same("family", family) | same("family", family2))
    return listed(_counts(products, "family"), "family", "count")


def count_family_since(facts: Facts, family: Name, day: Span) -> Gold:
    """The products of a family from a day on."""
    return count(where(facts.products, pl.col("date") >= day.first, same("family", family)), "product")


def measures_in_offer(facts: Facts, offer: Name, ext_id: str) -> Gold:
    """The measure of each parameter with the ext_id."""
    return _each(facts, offer, ext_id, "measure|number")


def choice_of_each_product(facts: Facts, offer: Name, ext_id: str) -> Gold:
    """The choice of each product of an offer."""
    return _each(facts, offer, ext_id, CHOICE)


def _each(facts: Facts, offer: Name, ext_id: str, shown: str) -> Gold:
    """Clear when every product has the feature, and no nested family has it as well."""
    products = where(facts.products, same("offer", offer))
    found = where(facts.chosen(ext_id), same("offer", offer))
    nested = facts.nested.filter(pl.col("ext_id") == ext_id).join(products, on="product", how="semi")
    return listed(found, shown, clear=nested.is_empty() and found.height == products.height > 1)


def receivers_of_family_with_value(facts: Facts, family: Name, value: Choice, quarter: Span, ext_id: str) -> Gold:
    """The names of who received offers with such a product."""
    found = where(_of(facts, ext_id, family, quarter), chosen(value))
    return distinct(found, "received_name", "received_company")


def distinct_choices(facts: Facts, family: Name, ext_id: str) -> Gold:
    """The choices of a family's products."""
    return distinct(where(facts.chosen(ext_id), same("family", family)), "value")


def popular_choice(facts: Facts, family: Name, year: Span, ext_id: str, count: int) -> Gold:
    """The choices of most products."""
    return top(_choices(_of(facts, ext_id, family, year)), count, CHOICE)


def popular_choice_overall(facts: Facts, year: Span, ext_id: str, count: int) -> Gold:
    """The choices of most products over all families, by their stored names."""
    return top(_choices(where(facts.chosen(ext_id), during(year))), count, CHOICE)


def popular_choice_by_quarter(facts: Facts, family: Name, year: Span, ext_id: str, count: int) -> Gold:
    """The choices of most products in each quarter, with their number."""
    groups = _choices(_of(facts, ext_id, family, year), *_QUARTER)
    return top(groups, count, QUARTER, CHOICE, "count", within="quarter")


def popular_choice_with_share(facts: Facts, family: Name, year: Span, ext_id: str, count: int) -> Gold:
    """The choices of most products, with number and share: of those with a choice, or of all; the question
    leaves it open."""
    found, whole = _of(facts, ext_id, family, year), _family(facts, family, year)
    made, of = _choices(found), pl.col("count") * 100
    made = made.with_columns(share=of / found.drop_nulls("value")["product"].n_unique(), share_of_all=of / whole.height)
    return top(made, count, CHOICE, "count", "share|share_of_all")


def top_choice_by_family(facts: Facts, year: Span, ext_id: str) -> Gold:
    """Each family's choice of most products."""
    groups = _choices(where(facts.chosen(ext_id), during(year)), "family")
    return top(groups, 1, "family", CHOICE, within="family")


def count_by_choice(facts: Facts, family: Name, year: Span, ext_id: str) -> Gold:
    """Products by choice."""
    return listed(_choices(_of(facts, ext_id, family, year)), CHOICE, "count")


def count_by_company_and_choice(facts: Facts, family: Name, month: Span, ext_id: str) -> Gold:
    """Products by receiving company and choice."""
    groups = _choices(_of(facts, ext_id, family, month), "received_company")
    return listed(groups, "received_company", CHOICE, "count")


def count_by_seller_in_range(facts: Facts, family: Name, quarter: Span, ext_id: str, low: float, high: float) -> Gold:
    """Products in a range of a number, by the name of who sent the offer."""
    found = where(_of(facts, ext_id, family, quarter), pl.col("number").is_between(low, high))
    return grouped(found, ["sent_name"], "sent_name", "count", node="product")


def count_not_choice(facts: Facts, family: Name, value: Choice, year: Span, ext_id: str) -> Gold:
    """Products that have the feature and another choice."""
    return count(where(_of(facts, ext_id, family, year), chosen(value).not_()), "product")


def count_choice_or_choice(
    facts: Facts, family: Name, value: Choice, value2: Choice, period: Span, ext_id: str
) -> Gold:
    """Products with either choice."""
    return count(where(_of(facts, ext_id, family, period), chosen(value, value2)), "product")


def count_two_choices(
    facts: Facts, family: Name, value: Choice, value2: Choice, period: Span, ext_id: str, ext_id2: str
) -> Gold:
    """Products with both choices."""
    other = where(_of(facts, ext_id2, family, period), chosen(value2))
    found = where(_of(facts, ext_id, family, period), chosen(value))
    return count(found.join(other, on="product", how="semi"), "product")


def count_received_with_colour_over(
    facts: Facts, company: Name, value: Choice, bound: Number, colour_id: str, number_id: str
) -> Gold:
    """Products of one colour and at least so much that a company received."""
    coloured = where(facts.chosen(colour_id), same("received_company", company), chosen(value))
    large = where(facts.chosen(number_id), pl.col("number") >= bound.value)
    return count(coloured.join(large, on="product", how="semi"), "product")


def count_two_families_over(facts: Facts, family: Name, family2: Name, bound: Number, year: Span, ext_id: str) -> Gold:
    """Products of each of two families over a bound. Unclear where one has none."""
    either = same("family", family) | same("family", family2)
    groups = _counts(where(facts.chosen(ext_id), during(year), either, pl.col("number") > bound.value), "family")
    return listed(groups, "family", "count", clear=groups.height == 2)


def share_over(facts: Facts, family: Name, year: Span, bound: Number, ext_id: str) -> Gold:
    """Products over a bound, per cent of all of the family, those without the feature included."""
    found = where(_of(facts, ext_id, family, year), pl.col("number") > bound.value)
    return share(found, _family(facts, family, year), "product")


def share_with_choice(facts: Facts, family: Name, value: Choice, period: Span, ext_id: str) -> Gold:
    """Products with a choice, per cent of all of the family."""
    return share(where(_of(facts, ext_id, family, period), chosen(value)), _family(facts, family, period), "product")


def count_between(facts: Facts, period: Span, ext_id: str, low: float, high: float) -> Gold:
    """Products in a range of a number, both ends included."""
    return count(where(facts.chosen(ext_id), during(period), pl.col("number").is_between(low, high)), "product")


def count_at_least(facts: Facts, bound: Number, period: Span, ext_id: str) -> Gold:
    """Products with at least so much."""
    return count(where(facts.chosen(ext_id), during(period), pl.col("number") >= bound.value), "product")


def count_offers_with_one_over(facts: Facts, family: Name, bound: Number, period: Span, ext_id: str) -> Gold:
    """Offers with a product of the family over a bound."""
    return count(where(_of(facts, ext_id, family, period), pl.col("number") > bound.value), "offer")


def count_with_feature(facts: Facts, family: Name, period: Span, ext_id: str) -> Gold:
    """Products that have the feature, whatever the choice. Unclear where all or none have it."""
    return number(
        _of(facts, ext_id, family, period)["product"].n_unique(), clear=_some_lack(facts, family, period, ext_id)
    )


def count_without_feature(facts: Facts, family: Name, period: Span, ext_id: str) -> Gold:
    """Products that lack the feature. Unclear where all or none have it."""
    found = _of(facts, ext_id, family, period)
    lacking = _family(facts, family, period).join(found, on="product", how="anti")
    return number(lacking.height, clear=_some_lack(facts, family, period, ext_id))


def _some_lack(facts: Facts, family: Name, period: Span, ext_id: str) -> bool:
    """Whether some have the feature and some lack it, and none has it without a choice: is that one set, or not?"""
    having = _of(facts, ext_id, family, period)
    complete = having["value"].null_count() == 0
    return complete and 0 < having["product"].n_unique() < _family(facts, family, period).height


def feature_statistic(facts: Facts, family: Name, period: Span, ext_id: str, statistic: Statistic) -> Gold:
    """A statistic of a feature's number."""
    return number(statistic_of(_of(facts, ext_id, family, period)["number"], statistic))


def feature_statistic_by_family(
    facts: Facts, family: Name, family2: Name, period: Span, ext_id: str, statistic: Statistic
) -> Gold:
    """A statistic of a feature's number in each of two families."""
    found = where(facts.chosen(ext_id), during(period), same("family", family) | same("family", family2))
    made = getattr(pl.col("number"), statistic)().alias("statistic")
    groups = counts(found.drop_nulls("number"), ["family"], also=[made], node="product")
    return listed(groups, "family", "statistic", clear=groups.height == 2)


def count_by_choices(facts: Facts, family: Name, period: Span, ext_ids: list[str]) -> Gold:
    """Products by a combination of choices."""
    return listed(_combinations(facts, family, period, ext_ids), *_shown(ext_ids), "count")


def popular_combinations(facts: Facts, family: Name, year: Span, ext_ids: list[str], count: int) -> Gold:
    """The combinations of most products."""
    return top(_combinations(facts, family, year, ext_ids), count, *_shown(ext_ids))


def popular_combinations_by_quarter(facts: Facts, family: Name, year: Span, ext_ids: list[str], count: int) -> Gold:
    """The combinations of most products in each quarter."""
    groups = _combinations(facts, family, year, ext_ids, *_QUARTER)
    return top(groups, count, QUARTER, *_shown(ext_ids), within="quarter")


def _shown(ext_ids: list[str]) -> list[str]:
    return ["|".join(f"{ext_id}_{way}" for way in _SHOWN) for ext_id in ext_ids]


def _combinations(facts: Facts, family: Name, period: Span, ext_ids: list[str], *by: str) -> pl.DataFrame:
    """Products by the choices of several features, all of which they have."""
    rows = _family(facts, family, period)
    for ext_id in ext_ids:
        shown = facts.choices.filter(pl.col("ext_id") == ext_id).select(
            "product", *(pl.col(way).alias(f"{ext_id}_{way}") for way in _SHOWN)
        )
        rows = rows.join(shown, on="product", how="inner")
    also = [pl.col(f"{e}_{way}").first() for e in ext_ids for way in ("measure", "number")]
    return counts(rows, [*by, *(f"{e}_value" for e in ext_ids)], also=also, node="product")
