"""The rows of the sample's tables, in the columns of its own schema (source.sql).

Arrives: people, offers and orphans. Leaves: rows by table, as text (documents as bytes), ready to be copied or kept.
"""

from collections.abc import Iterator
from datetime import UTC, datetime

from sample_data.dialects import CPQ, Dialect
from sample_data.generate import Configuration, Content, Offer, Orphan, People, Product, Subcontent

Row = tuple[str | bytes | None, ...]

# The columns that are filled, by table; the documents' table is the only one with bytes.
COLUMNS: dict[str, tuple[str, ...]] = {
    "app_user": ("user_no", "login_name", "given_name", "family_name", "is_active", "changed_at"),
    "contact": ("contact_no", "job_title", "full_name", "organisation", "phone", "changed_at"),
    "quote": (
        "quote_no",
        "lang",
        "state",
        "quote_date",
        "revision",
        "owner_no",
        "seller_no",
        "supplier_no",
        "customer_no",
        "currency",
        "margin",
        "changed_at",
    ),
    "quote_body": ("body_no", "quote_no", "grand_total", "vat_percent", "changed_at"),
    "quote_section": ("section_no", "body_no", "section_total", "heading", "changed_at"),
    "line_item": ("item_no", "section_no", "row_height", "changed_at"),
    "item_file": ("file_no", "item_no", "file_name", "body", "changed_at"),
}
DOCUMENTS = "item_file"
# The entity of the contract that each table holds.
ENTITIES = {
    "app_user": "user",
    "contact": "participant",
    "quote": "offer",
    "quote_body": "content",
    "quote_section": "subcontent",
    "line_item": "product",
    "item_file": "configuration",
}
_LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC).isoformat()


def _text(value: float | str | None) -> str | None:
    return None if value is None else str(value)


def rows_of_people(people: People) -> Iterator[tuple[str, Row]]:
    """The rows of users and participants, with their table."""
    for user in people.users:
        yield "app_user", (str(user.id), user.userid, user.firstname, user.lastname, "true", _LONG_AGO)
    for person in people.participants:
        phone = f"+358 00 {person.id:07d}"
        yield "contact", (str(person.id), person.title, person.name, person.company, phone, _LONG_AGO)


def rows_of(made: Offer | Orphan, dialect: Dialect = CPQ) -> Iterator[tuple[str, Row]]:
    """The rows of an offer or orphan and of all that hangs on it, with their table; documents in a dialect."""
    changed = made.changed_at.isoformat()
    if isinstance(made, Offer):
        day = made.bad_date if made.date is None else made.date.isoformat()
        parties = (_text(made.parties[c]) for c in ("user_id", "sent_by", "delivered_by", "received_by"))
        row = (made.id, made.language_id, made.status, day, made.version, *parties, "EUR", "12.500", changed)
        yield "quote", row
        for content in made.contents:
            yield from _content(content, made.id, changed, dialect)
        return
    parent = _text(made.parent)
    match made.row:
        case Content():
            yield from _content(made.row, parent, changed, dialect)
        case Subcontent():
            yield from _subcontent(made.row, parent, changed, dialect)
        case Product():
            yield from _product(made.row, parent, changed, dialect)
        case Configuration():
            yield _configuration(made.row, parent, changed, dialect)


def _content(content: Content, parent: str | None, changed: str, dialect: Dialect) -> Iterator[tuple[str, Row]]:
    yield "quote_body", (str(content.id), parent, _text(content.total_price), "25.5", changed)
    for subcontent in content.subcontents:
        yield from _subcontent(subcontent, str(content.id), changed, dialect)


def _subcontent(
    subcontent: Subcontent, parent: str | None, changed: str, dialect: Dialect
) -> Iterator[tuple[str, Row]]:
    yield "quote_section", (str(subcontent.id), parent, _text(subcontent.total_price), "Luminaires", changed)
    for product in subcontent.products:
        yield from _product(product, str(subcontent.id), changed, dialect)


def _product(product: Product, parent: str | None, changed: str, dialect: Dialect) -> Iterator[tuple[str, Row]]:
    yield "line_item", (product.id, parent, "24", changed)
    for configuration in product.configurations:
        yield _configuration(configuration, product.id, changed, dialect)


def _configuration(configuration: Configuration, parent: str | None, changed: str, dialect: Dialect) -> tuple[str, Row]:
    name = f"{configuration.id}.xml"
    return DOCUMENTS, (str(configuration.id), parent, name, configuration.document.render(dialect), changed)
