"""The source as flat tables, to compute answers to questions from: what a graph of the sample may be asked for.

Arrives: a `Spec` or the stream of its offers. Leaves: Polars frames of what is loaded, made from the rows as generated,
never from a graph or the XML.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import polars as pl

from cpq_graph.model import EXT_ID, PARAMETER, PARAMETER_VALUE, PRODUCT_FAMILY, TAB
from sample_data.elements import Attr
from sample_data.generate import NOWHERE, Offer, Orphan, People, Product, Spec, people, stream
from sample_data.places import Placed, escaped, walk
from sample_data.truth import ALL_TIME, Period, Truth


@dataclass(frozen=True, slots=True)
class Frames:
    """What is loaded, flat. All ids are those of the graph; a key that points at nothing is null.

    offers: one row an offer: id, language_id, status, date (Date), version, user_id, sent_by, delivered_by,
        received_by, content_id, content_total_price, subcontent_id, subcontent_total_price.
    products: one row a product: id, offer_id, family_id, family (name), product_code, total_cost, all of its root
        family; null where it has no configuration that is loaded.
    families: one row a family: id, product_id, parent_id (null: the root), name, product_code, total_cost.
    tabs: one row a tab: id, product_id, family_id, parent_id (the tab it is nested in, or null), name.
    parameters: one row a parameter: id, product_id, family_id, family (name of the family it belongs to), tab_id, tab
        (name), name, value_id, value (name as shown), measure (text), quantity, cost; null where it has no value.
    attributes: one row a relationship to an Attribute: owner (label), owner_id, product_id, type, value.
    features: one row a parameter and ext_id that it carries: the columns of parameters, and ext_id.
    participants, users: one row a person that some loaded offer names, with the properties of the graph.
    """

    offers: pl.DataFrame
    products: pl.DataFrame
    families: pl.DataFrame
    tabs: pl.DataFrame
    parameters: pl.DataFrame
    attributes: pl.DataFrame
    features: pl.DataFrame
    participants: pl.DataFrame
    users: pl.DataFrame


_TEXT, _FLOAT, _INTEGER = pl.String(), pl.Float64(), pl.Int64()
_PERSON = ("user_id", "sent_by", "delivered_by", "received_by")
_OFFERS = {
    "id": _TEXT,
    "language_id": _TEXT,
    "status": _TEXT,
    "date": pl.Date(),
    "version": _TEXT,
    **dict.fromkeys(_PERSON, _TEXT),
    "content_id": _TEXT,
    "content_total_price": _FLOAT,
    "subcontent_id": _TEXT,
    "subcontent_total_price": _FLOAT,
}
_PRODUCTS = dict.fromkeys(("id", "offer_id", "family_id", "family", "product_code"), _TEXT) | {"total_cost": _FLOAT}
_FAMILIES = dict.fromkeys(("id", "product_id", "parent_id", "name", "product_code"), _TEXT) | {"total_cost": _FLOAT}
_TABS = dict.fromkeys(("id", "product_id", "family_id", "parent_id", "name"), _TEXT)
_PARAMETERS = {
    **dict.fromkeys(
        ("id", "product_id", "family_id", "family", "tab_id", "tab", "name", "value_id", "value", "measure"), _TEXT
    ),
    "quantity": _INTEGER,
    "cost": _FLOAT,
}
_ATTRIBUTES = dict.fromkeys(("owner", "owner_id", "product_id", "type", "value"), _TEXT)


class _Table:
    """Columns that grow by rows."""

    def __init__(self, schema: Mapping[str, pl.DataType]) -> None:
        self._schema = schema
        self._columns: list[list[object]] = [[] for _ in schema]

    def add(self, *values: object) -> None:
        for column, value in zip(self._columns, values, strict=True):
            column.append(value)

    def frame(self) -> pl.DataFrame:
        return pl.DataFrame(dict(zip(self._schema, self._columns, strict=True)), schema=self._schema)


def frames(spec: Spec, period: Period = ALL_TIME) -> Frames:
    """The frames of a sample, of the offers of a period (both days included)."""
    return frames_of(people(spec), stream(spec), period)


def frames_of(named: People, made: Iterable[Offer | Orphan], period: Period = ALL_TIME) -> Frames:
    """The frames of a stream of offers."""
    tables = {
        "offers": _Table(_OFFERS),
        "products": _Table(_PRODUCTS),
        "families": _Table(_FAMILIES),
        "tabs": _Table(_TABS),
        "parameters": _Table(_PARAMETERS),
        "attributes": _Table(_ATTRIBUTES),
    }
    truth = Truth(named, period)
    for offer in made:
        if isinstance(offer, Offer) and truth.fate(offer) is None:
            _offer(offer, tables)
    done = {name: table.frame() for name, table in tables.items()}
    ext_ids = done["attributes"].filter(owner=PARAMETER.label, type=EXT_ID).select(id="owner_id", ext_id="value")
    features = done["parameters"].join(ext_ids, on="id", how="inner", maintain_order="left", validate="1:m")
    seen = {column: set(done["offers"][column].drop_nulls()) for column in _PERSON}
    buyers = seen["sent_by"] | seen["delivered_by"] | seen["received_by"]
    participants = _Table(dict.fromkeys(("id", "title", "name", "company"), _TEXT))
    for person in named.participants:
        if str(person.id) in buyers:
            participants.add(str(person.id), person.title, person.name, person.company)
    users = _Table(dict.fromkeys(("id", "userid", "firstname", "lastname"), _TEXT))
    for user in named.users:
        if str(user.id) in seen["user_id"]:
            users.add(str(user.id), user.userid, user.firstname, user.lastname)
    return Frames(**done, features=features, participants=participants.frame(), users=users.frame())


def _offer(offer: Offer, tables: dict[str, _Table]) -> None:
    content = min(offer.contents, key=lambda c: str(c.id), default=None)
    subcontent = None if content is None else min(content.subcontents, key=lambda s: str(s.id), default=None)
    parties = [offer.parties[column] for column in _PERSON]
    tables["offers"].add(
        offer.id,
        offer.language_id,
        offer.status,
        offer.date,
        offer.version,
        *(None if p is None or p >= NOWHERE else str(p) for p in parties),
        None if content is None else str(content.id),
        None if content is None else _finite(content.total_price),
        None if subcontent is None else str(subcontent.id),
        None if subcontent is None else _finite(subcontent.total_price),
    )
    for product in () if subcontent is None else subcontent.products:
        _product(product, offer.id, tables)


def _finite(price: float | None) -> float | None:
    return price if price is not None and abs(price) < float("inf") else None


def _product(product: Product, offer_id: str, tables: dict[str, _Table]) -> None:
    configuration = min(product.configurations, key=lambda c: str(c.id), default=None)
    if configuration is None or configuration.document.trouble is not None:
        tables["products"].add(product.id, offer_id, None, None, None, None)
        return
    prefix = escaped(product.id)
    loaded = [placed for placed in walk(configuration.document.roots) if placed.fate is None]
    values = {p.parent.id: p for p in loaded if p.parent is not None and p.label == PARAMETER_VALUE.label}
    for placed in loaded:
        element, parent = placed.element, placed.parent
        if isinstance(element, Attr):
            if parent is not None:
                owner = prefix + parent.id
                tables["attributes"].add(parent.label, owner, product.id, element.type, element.value)
            continue
        identity, truth = prefix + placed.id, element.truth
        if element.node is PRODUCT_FAMILY:
            fields = (truth.get("name"), truth.get("product_code"), truth.get("total_cost"))
            above = None if parent is None else prefix + parent.id
            tables["families"].add(identity, product.id, above, *fields)
            if parent is None:
                tables["products"].add(product.id, offer_id, identity, *fields)
        elif element.node is TAB and placed.family is not None and parent is not None:
            above = prefix + parent.id if parent.label == TAB.label else None
            tables["tabs"].add(identity, product.id, prefix + placed.family.id, above, truth.get("name"))
        elif element.node is PARAMETER and parent is not None:
            _parameter(placed, values.get(placed.id), prefix, product.id, tables["parameters"])


def _parameter(placed: Placed, choice: Placed | None, prefix: str, product_id: str, table: _Table) -> None:
    tab = placed.parent
    if tab is None or tab.family is None:
        raise ValueError("a parameter that is loaded stands in a tab of a family")
    value = {} if choice is None else _truth(choice)
    table.add(
        prefix + placed.id,
        product_id,
        prefix + tab.family.id,
        _truth(tab.family).get("name"),
        prefix + tab.id,
        _truth(tab).get("name"),
        _truth(placed).get("name"),
        None if choice is None else prefix + choice.id,
        value.get("name"),
        value.get("measure"),
        value.get("quantity"),
        value.get("cost"),
    )


def _truth(placed: Placed) -> dict[str, str | int | float]:
    return {} if isinstance(placed.element, Attr) else placed.element.truth
