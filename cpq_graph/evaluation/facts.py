"""The source's rows as gold answers need them: a few wide frames, in a question's terms.

Arrives: the flat frames of the source, made from its rows, never from a graph. Leaves: `Facts`.
"""

from dataclasses import dataclass

import polars as pl

from sample_data.features import FEATURES
from sample_data.frames import Frames

_ROLES = {"sent": "sent_by", "delivered": "delivered_by", "received": "received_by"}


@dataclass(frozen=True, slots=True)
class Facts:
    """What is loaded. Missing values are null.

    offers: one row an offer: offer (id), language, status, date, version, price (its content's), section_price,
        user_id, userid, firstname, lastname, user (full name), for each role {role}_id, _title, _name, _company, and
        of its date: quarter (2024-Q3), quarter_name (Q3), quarter_number, month (2024-07), month_number.
    products: one row a product: product (id), family (its root's name), product_code, total_cost, nested (whether
        families hang below the root), and the columns of its offer.
    choices: one row a parameter of a root family and ext_id that it carries: product, ext_id, feature (its name),
        value (as shown), measure (text), number (the measure's), cost, quantity.
    nested: the same of the families below the roots; they belong to no product's features.
    participants, users: one row a person that some offer names.
    translations: of a choice as stored, by ext_id: (English, Finnish).
    """

    offers: pl.DataFrame
    products: pl.DataFrame
    choices: pl.DataFrame
    nested: pl.DataFrame
    participants: pl.DataFrame
    users: pl.DataFrame
    translations: dict[tuple[str, str], tuple[str, str]]

    def chosen(self, ext_id: str) -> pl.DataFrame:
        """One row a product and choice of the feature: the columns of products, value, measure and number."""
        choices = self.choices.filter(pl.col("ext_id") == ext_id).select("product", "value", "measure", "number")
        return self.products.join(choices, on="product", how="inner", validate="1:m")


def facts_of(frames: Frames) -> Facts:
    """The facts of a sample's frames."""
    people = frames.participants
    offers = frames.offers.rename(
        {
            "id": "offer",
            "language_id": "language",
            "content_total_price": "price",
            "subcontent_total_price": "section_price",
        }
    )
    for role, key in _ROLES.items():
        named = people.rename({"id": key} | {name: f"{role}_{name}" for name in ("title", "name", "company")})
        offers = offers.join(named, on=key, how="left", validate="m:1").rename({key: f"{role}_id"})
    users = frames.users.rename({"id": "user_id"}).with_columns(
        user=pl.concat_str("firstname", "lastname", separator=" ", ignore_nulls=True).str.strip_chars()
    )
    offers = offers.join(users, on="user_id", how="left", validate="m:1").with_columns(*_periods())
    nested = frames.families.filter(pl.col("parent_id").is_not_null())["product_id"].unique()
    products = (
        frames.products.with_columns(nested=pl.col("id").is_in(nested.implode()))
        .rename({"id": "product"})
        .join(offers, left_on="offer_id", right_on="offer", how="inner", validate="m:1", maintain_order="left")
        .rename({"offer_id": "offer"})
    )
    choices = frames.features.rename({"product_id": "product", "name": "feature"}).with_columns(
        number=pl.col("measure").cast(pl.Float64, strict=False)
    )
    columns = ("product", "ext_id", "feature", "value", "measure", "number", "cost", "quantity")
    roots = frames.products.select(product="id", family_id="family_id")
    return Facts(
        offers=offers,
        products=products,
        choices=choices.join(roots, on=("product", "family_id"), how="semi", maintain_order="left").select(columns),
        nested=choices.join(roots, on=("product", "family_id"), how="anti", maintain_order="left").select(columns),
        participants=people,
        users=users,
        translations={
            (ext_id, stored): choice.names
            for ext_id, feature in FEATURES.items()
            for choice in feature.choices
            for stored in choice.names
        },
    )


def _periods() -> tuple[pl.Expr, ...]:
    date, year = pl.col("date"), pl.col("date").dt.year().cast(pl.String)
    quarter = "Q" + date.dt.quarter().cast(pl.String)
    return (
        (year + "-" + quarter).alias("quarter"),
        quarter.alias("quarter_name"),
        date.dt.quarter().cast(pl.Int64).alias("quarter_number"),
        date.dt.strftime("%Y-%m").alias("month"),
        date.dt.month().cast(pl.Int64).alias("month_number"),
    )
