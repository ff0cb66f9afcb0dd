"""What each entity's .sql file must return: columns, in any order, and their PostgreSQL types.

Nothing arrives; what leaves are frozen descriptions, in `CONTRACTS`, which `extract.source` checks and reads by.
"""

from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a contract. `expression` is what is selected of it: dates are read as ISO text, because
    PostgreSQL's reach from 4713 BC to 'infinity' and Python's do not."""

    name: str
    types: tuple[str, ...]
    polars: type[pl.DataType]
    optional: bool = False
    expression: str | None = None

    @property
    def selected(self) -> str:
        """The SQL that reads it from a relation called `source`."""
        return f"{self.expression or f'source.{self.name}'} AS {self.name}"


@dataclass(frozen=True, slots=True)
class Contract:
    """One entity: one row per what its name says. `columns` are in the order of the frame."""

    entity: str
    columns: tuple[Column, ...]

    @property
    def file(self) -> str:
        """The site's file that keeps this contract."""
        return f"{self.entity}.sql"


def _text(name: str) -> Column:
    return Column(name, ("text", "character varying"), pl.String)


def _float(name: str) -> Column:
    return Column(name, ("double precision",), pl.Float64)


def _contract(entity: str, *columns: Column) -> Contract:
    updated_at = Column(
        "updated_at", ("timestamp with time zone",), pl.String, optional=True, expression="source.updated_at::text"
    )
    return Contract(entity, (*columns, updated_at))


DOCUMENT = Column("document", ("bytea",), pl.Binary)

OFFER = _contract(
    "offer",
    *map(_text, ("id", "language_id", "status")),
    Column("date", ("date",), pl.String, expression="source.date::text"),
    *map(_text, ("version", "user_id", "sent_by", "delivered_by", "received_by")),
)
PARTICIPANT = _contract("participant", *map(_text, ("id", "title", "name", "company")))
USER = _contract("user", *map(_text, ("id", "userid", "firstname", "lastname")))
CONTENT = _contract("content", *map(_text, ("id", "offer_id")), _float("total_price"))
SUBCONTENT = _contract("subcontent", *map(_text, ("id", "content_id")), _float("total_price"))
PRODUCT = _contract("product", *map(_text, ("id", "subcontent_id")))
CONFIGURATION = _contract("configuration", *map(_text, ("id", "product_id")), DOCUMENT)

CONTRACTS = {
    contract.entity: contract for contract in (OFFER, PARTICIPANT, USER, CONTENT, SUBCONTENT, PRODUCT, CONFIGURATION)
}
