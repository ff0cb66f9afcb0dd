"""Small random sources full of what real ones lack or repeat, as frames and as a live graph of them.

Prices and measures are multiples of 1/4, so that sums come out the same in any order.
"""

import random
from datetime import date, timedelta

import neo4j
import polars as pl

from cpq_graph import model
from sample_data.frames import Frames

FAMILIES = ("SNEP® MODE P", "SNEP® MODE S", "Aura", None)
EXT_IDS = ("pituus", "vari", "teho")
VALUES = {
    "pituus": (("1200 mm", "1200"), ("2400 mm", "2400"), ("800 mm", "800"), ("1200 mm", "1200.5"), ("?", "n/a")),
    "vari": (("Black", None), ("White", None), ("musta", None), (None, None)),
    "teho": (("57W", "57"), ("30W", "30"), ("60W", "60"), ("57W", None), ("0,5 W", "0.5")),
}
COMPANIES = ("Härmä Oy", "Nordic Light", "Valo & Co", None)
NAMES = ("Aino Niemi", "Åke Öst", "Matti Harma")
STATUSES = ("SOLD", "CLOSED", None)
_TEXT, _DAY, _FLOAT, _INT = pl.String(), pl.Date(), pl.Float64(), pl.Int64()
# Days around the turn of years, weeks, quarters and halves.
DAYS = tuple(
    day + timedelta(days=shift)
    for day in (date(2023, 12, 31), date(2024, 3, 31), date(2024, 6, 30), date(2024, 9, 30), date(2024, 12, 30))
    for shift in (-1, 0, 1, 2)
)


class _Table:
    def __init__(self, **schema: pl.DataType) -> None:
        self.schema, self.rows = schema, []

    def add(self, *row: object) -> None:
        self.rows.append(row)

    def frame(self) -> pl.DataFrame:
        return pl.DataFrame(self.rows, schema=self.schema, orient="row")


def _text(names: str) -> dict[str, pl.DataType]:
    return dict.fromkeys(names.split(), _TEXT)


def random_frames(seed: int, offers: int = 14) -> Frames:
    """The frames of one random source."""
    rng = random.Random(seed)
    t = {
        "offers": _Table(
            **_text("id language_id status"), date=_DAY, **_text("version user_id sent_by delivered_by received_by"),
            content_id=_TEXT, content_total_price=_FLOAT, subcontent_id=_TEXT, subcontent_total_price=_FLOAT,
        ),
        "products": _Table(**_text("id offer_id family_id family product_code"), total_cost=_FLOAT),
        "families": _Table(**_text("id product_id parent_id name product_code"), total_cost=_FLOAT),
        "tabs": _Table(**_text("id product_id family_id parent_id name")),
        "parameters": _Table(
            **_text("id product_id family_id family tab_id tab name value_id value measure"),
            quantity=_INT, cost=_FLOAT,
        ),
        "attributes": _Table(**_text("owner owner_id product_id type value")),
        "participants": _Table(**_text("id title name company")),
        "users": _Table(**_text("id userid firstname lastname")),
    }  # fmt: skip

    def maybe(value: object, chance: float = 0.85) -> object:
        return value if rng.random() < chance else None

    def price() -> object:
        return maybe(rng.randrange(0, 4000) / 4)

    for number in range(6):
        t["participants"].add(
            f"N{number}", maybe("Dr", 0.3), rng.choice(NAMES), rng.choice(COMPANIES)
        )  # fmt: skip
    for number in range(3):
        t["users"].add(f"U{number}", f"user{number % 2}", maybe("Eeva"), maybe("Salo"))
    for number in range(offers):
        offer, content = f"O{number}", maybe(f"C{number}", 0.9)
        subcontent = maybe(f"S{number}", 0.9) if content else None
        people = [maybe(f"N{rng.randrange(5)}") for _ in range(3)]
        t["offers"].add(
            offer, rng.choice(("en", "fi", None)), rng.choice(STATUSES), maybe(rng.choice(DAYS), 0.95),
            rng.choice(("1", "2")), maybe(f"U{rng.randrange(2)}"), *people,
            content, price() if content else None, subcontent, price() if subcontent else None,
        )  # fmt: skip
        for index in range(rng.choice((0, 1, 1, 2, 3, 5)) if subcontent else 0):
            _product(rng, t, f"P{number}.{index}", offer, price, maybe)
    _product(rng, t, "P-alone", None, price, maybe)
    done = {name: table.frame() for name, table in t.items()}
    ext_ids = done["attributes"].filter(owner="Parameter", type="ext_id").select(id="owner_id", ext_id="value")
    return Frames(**done, features=done["parameters"].join(ext_ids, on="id"))


def _product(rng, t, product, offer, price, maybe) -> None:
    if rng.random() < 0.1:
        t["products"].add(product, offer, None, None, None, None)
        return
    family, name, code, cost = f"{product}/F", rng.choice(FAMILIES), maybe("SN-1"), price()
    t["products"].add(product, offer, family, name, code, cost)
    t["families"].add(family, product, None, name, code, cost)
    _parameters(rng, t, product, family, name, maybe, price)
    if rng.random() < 0.3:
        nested = f"{family}/N"
        t["families"].add(nested, product, family, "Driver", None, price())
        _parameters(rng, t, product, nested, "Driver", maybe, price)
    for owner in ("ProductFamily", "Tab"):
        for kind in ("ext_id", "style"):
            if rng.random() < 0.3:
                t["attributes"].add(owner, family if owner == "ProductFamily" else f"{family}.T0", product, kind, "x")


def _parameters(rng, t, product, family, name, maybe, price) -> None:
    tabs = [f"{family}.T{index}" for index in range(2)]
    for index, tab in enumerate(tabs):
        t["tabs"].add(tab, product, family, tabs[0] if index else None, f"Tab {index}")
    for index in range(rng.choice((0, 2, 3, 4))):
        parameter, tab = f"{family}:Q{index}", tabs[rng.choice((0, 0, 1))]
        ext_id = rng.choice(EXT_IDS)
        value = maybe(f"{parameter}=V", 0.9)
        shown, measure = rng.choice(VALUES[ext_id]) if value else (None, None)
        t["parameters"].add(
            parameter, product, family, name, tab, f"Tab {tabs.index(tab)}", rng.choice(("Length", "Pituus", None)),
            value, shown, measure, maybe(rng.randrange(1, 5)) if value else None, price() if value else None,
        )  # fmt: skip
        for extra in {ext_id, rng.choice(EXT_IDS) if rng.random() < 0.1 else ext_id}:
            if rng.random() < 0.9:
                t["attributes"].add("Parameter", parameter, product, "ext_id", extra)
        if rng.random() < 0.3:
            t["attributes"].add("Parameter", parameter, product, "unit", rng.choice(("mm", "W")))


_NODES = {
    "offers": (model.OFFER, {}),
    "products": (model.PRODUCT, {}),
    "families": (model.PRODUCT_FAMILY, {}),
    "tabs": (model.TAB, {}),
    "parameters": (model.PARAMETER, {}),
    "participants": (model.PARTICIPANT, {}),
    "users": (model.USER, {}),
}


def create(driver: neo4j.Driver, database: str, frames: Frames) -> None:
    """Makes the graph of the frames in an empty database, by plain CREATE."""
    with driver.session(database=database) as session:
        for node in model.MODEL.nodes:
            for key in (node.key,):
                keys = ", ".join(f"n.{name}" for name in key)
                session.run(f"CREATE CONSTRAINT FOR (n:{node.label}) REQUIRE ({keys}) IS UNIQUE").consume()
            for of in node.properties:
                if of.indexed:
                    session.run(f"CREATE INDEX FOR (n:{node.label}) ON (n.{of.name})").consume()
        for table, (node, _) in _NODES.items():
            names = ", ".join(f"{of.name}: row.{of.name}" for of in node.properties)
            _run(session, f"CREATE (:{node.label} {{{names}}})", getattr(frames, table))
        _run(session, "MATCH (o:Offer {id: row.id}) CREATE (o)-[:CONTAINS]->(:Content {id: row.content_id, "
             "total_price: row.content_total_price})", frames.offers.drop_nulls("content_id"))  # fmt: skip
        _run(session, "MATCH (c:Content {id: row.content_id}) CREATE (c)-[:CONTAINS]->(:Subcontent {id: "
             "row.subcontent_id, total_price: row.subcontent_total_price})",
             frames.offers.drop_nulls("subcontent_id"))  # fmt: skip
        for column, kind, label in (("user_id", "HANDLED_BY", "User"), ("sent_by", "SENT_BY", "Participant"),
                                    ("delivered_by", "DELIVERED_BY", "Participant"),
                                    ("received_by", "RECEIVED_BY", "Participant")):  # fmt: skip
            _run(session, f"MATCH (o:Offer {{id: row.id}}), (x:{label} {{id: row.{column}}}) "
                 f"CREATE (o)-[:{kind}]->(x)", frames.offers)  # fmt: skip
        placed = frames.products.join(frames.offers.select(offer_id="id", subcontent_id="subcontent_id"), on="offer_id")
        _run(session, "MATCH (s:Subcontent {id: row.subcontent_id}), (p:Product {id: row.id}) "
             "CREATE (s)-[:CONTAINS]->(p)", placed)  # fmt: skip
        _run(session, "MATCH (p:Product {id: row.id}), (f:ProductFamily {id: row.family_id}) "
             "CREATE (p)-[:CONFIGURED_AS]->(f)", frames.products)  # fmt: skip
        for table, label in (("families", "ProductFamily"), ("tabs", "Tab")):
            _run(session, f"MATCH (a:{label} {{id: row.parent_id}}), (b:{label} {{id: row.id}}) "
                 "CREATE (a)-[:HAS_CHILD]->(b)", getattr(frames, table))  # fmt: skip
        _run(session, "MATCH (f:ProductFamily {id: row.family_id}), (t:Tab {id: row.id}) CREATE (f)-[:HAS_TAB]->(t)",
             frames.tabs)  # fmt: skip
        _run(session, "MATCH (t:Tab {id: row.tab_id}), (q:Parameter {id: row.id}) CREATE (t)-[:HAS_PARAMETER]->(q)",
             frames.parameters)  # fmt: skip
        _run(session, "MATCH (q:Parameter {id: row.id}) CREATE (q)-[:HAS_VALUE]->(:ParameterValue {id: row.value_id, "
             "name: row.value, measure: row.measure, quantity: row.quantity, cost: row.cost})",
             frames.parameters.drop_nulls("value_id"))  # fmt: skip
        for owner in frames.attributes["owner"].unique(maintain_order=True):
            _run(session, f"MATCH (n:{owner} {{id: row.owner_id}}) MERGE (a:Attribute {{type: row.type, "
                 "value: row.value}) CREATE (n)-[:HAS_ATTRIBUTE]->(a)",
                 frames.attributes.filter(owner=owner))  # fmt: skip
        session.run("CALL db.awaitIndexes()").consume()


def _run(session: neo4j.Session, statement: str, frame: pl.DataFrame) -> None:
    session.run(f"UNWIND $rows AS row {statement}", rows=frame.to_dicts()).consume()
