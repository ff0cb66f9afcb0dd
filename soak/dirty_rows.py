"""Source rows gone bad, and what must become of each, decided a second time in plain Python.

Arrives: a seed. Leaves: the seven tables as the extract stage reads them, with some of their rows mutated; `faults_of`
compares what the transform stage decided about every row with what is decided here, row by row.
"""

import math
import random
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import date
from functools import cache

import polars as pl

from cpq_graph.model import MODEL
from sample_data.generate import Spec, people, stream
from sample_data.rows import COLUMNS, ENTITIES, rows_of, rows_of_people
from transform.rejects import Level, Outcome
from transform.rows import CheckedRows, check_rows

Row = dict[str, object]
Tables = dict[str, list[Row]]

# The contract's columns, and the sample's they are read from.
_READ = {
    "user": {"id": "user_no", "userid": "login_name", "firstname": "given_name", "lastname": "family_name"},
    "participant": {"id": "contact_no", "title": "job_title", "name": "full_name", "company": "organisation"},
    "offer": {
        "id": "quote_no", "language_id": "lang", "status": "state", "date": "quote_date", "version": "revision",
        "user_id": "owner_no", "sent_by": "seller_no", "delivered_by": "supplier_no", "received_by": "customer_no",
    },
    "content": {"id": "body_no", "offer_id": "quote_no", "total_price": "grand_total"},
    "subcontent": {"id": "section_no", "content_id": "body_no", "total_price": "section_total"},
    "product": {"id": "item_no", "subcontent_id": "section_no"},
    "configuration": {"id": "file_no", "product_id": "item_no", "bytes": "body"},
}  # fmt: skip
_TYPES: dict[str, type[pl.DataType]] = {"total_price": pl.Float64, "bytes": pl.Int64}
_CHILDREN = (
    ("content", "offer", "offer_id", "second_content", "Offer_CONTAINS_Content"),
    ("subcontent", "content", "content_id", "second_subcontent", "Content_CONTAINS_Subcontent"),
    ("product", "subcontent", "subcontent_id", None, "Subcontent_CONTAINS_Product"),
    ("configuration", "product", "product_id", "second_configuration", "Product_CONFIGURED_AS_ProductFamily"),
)
_ROLES = {
    "user_id": ("user", "Offer_HANDLED_BY_User"),
    "sent_by": ("participant", "Offer_SENT_BY_Participant"),
    "delivered_by": ("participant", "Offer_DELIVERED_BY_Participant"),
    "received_by": ("participant", "Offer_RECEIVED_BY_Participant"),
}
_KEYS = {"offer": tuple(_ROLES)} | {entity: (key,) for entity, _, key, _, _ in _CHILDREN}
FINAL = ("FINALIZED", "ORDERED")
_FILTERED = {"not_final", "out_of_period", "not_named", "parent_filtered"}
_ODD_TEXTS = (
    "", " ", "\t", "null", "NULL", "\\N", '"', "a\nb", "\r\n", "\ufeff", "x\u0000y", "\u2028", "\u0085", "😀",
    "e\u0301", "\ufffe", "'; DROP TABLE offer; --", "x" * 8_001, "ä" * 4_001, "y" * 1_000_001,
)  # fmt: skip
_ODD_DATES = (
    None, "", "infinity", "-infinity", "0044-03-15 BC", "12345-01-01", "1850-06-01", "9999-12-31", "0001-01-01",
    "1900-01-01", "2199-12-31", "2200-12-31", "2201-01-01", "1899-12-31", "2024-02-29", "2024-02-30", "01.02.2024",
    "n/a",
)  # fmt: skip
_ODD_STATUSES = (
    None,
    "",
    "finalized",
    "FINALIZED ",
    " FINALIZED",
    "Finalized",
    "FINALISED",
    "ORDERED\u200b",
    "DRAFT",
    "ORDERED",
)
_ODD_PRICES = (math.nan, math.inf, -math.inf, -0.0, 1e308, 5e-324, -1.0, None)


@cache
def _base() -> Tables:
    spec = Spec(25, 23, "mixed", bulk=0.0, giant_text=0)
    tables: Tables = {entity: [] for entity in _READ}
    made = [*rows_of_people(people(spec)), *(row for each in stream(spec) for row in rows_of(each))]
    for table, values in made:
        named = dict(zip(COLUMNS[table], values, strict=True))
        entity = ENTITIES[table]
        row: Row = {column: named[source] for column, source in _READ[entity].items()}
        if entity == "configuration":
            body = named["body"]
            row["bytes"] = None if body is None else len(body)
        if "total_price" in row and row["total_price"] is not None:
            row["total_price"] = float(str(row["total_price"]))
        tables[entity].append(row)
    return tables


def mutated(seed: int, number: int) -> tuple[Tables, int]:
    """Tables of a source, a few dozen of whose rows are mutated, and how many."""
    rng = random.Random(f"{seed} rows {number}")  # noqa: S311 - seeded on purpose
    tables = {entity: [dict(row) for row in rows] for entity, rows in _base().items()}
    times = rng.randrange(5, 60)
    for _ in range(times):
        entity = rng.choice(
            ("offer", "offer", "content", "subcontent", "product", "configuration", "participant", "user")
        )
        rng.choice(_MUTATIONS)(rng, entity, tables)
    for rows in tables.values():
        rng.shuffle(rows)
    return tables, times


def _odd_id(rng: random.Random, entity: str, tables: Tables) -> None:
    row = rng.choice(tables[entity])
    row["id"] = rng.choice(
        (None, "", " ", f"{row['id']} ", f" {row['id']}", str(row["id"]).lower(), "z" * 8_001, "z" * 8_000)
    )


def _twin(rng: random.Random, entity: str, tables: Tables) -> None:
    twin = dict(rng.choice(tables[entity]))
    if rng.random() < 0.6:
        column = rng.choice([name for name in twin if name != "id"] or ["id"])
        twin[column] = rng.choice(tables[entity])[column]
    tables[entity].append(twin)


def _variant(rng: random.Random, entity: str, tables: Tables) -> None:
    """A row whose id differs from another's by case or blanks only."""
    variant = dict(rng.choice(tables[entity]))
    own = str(variant["id"])
    variant["id"] = rng.choice((own + " ", " " + own, own.lower(), own.upper(), own + "\u00a0", own + "\t"))
    tables[entity].append(variant)


def _odd_key(rng: random.Random, entity: str, tables: Tables) -> None:
    keys = _KEYS.get(entity)
    if keys:
        row, key = rng.choice(tables[entity]), rng.choice(keys)
        others = [other[key] for other in tables[entity]]
        row[key] = rng.choice((None, "", "no-such", f"{row[key]} ", str(row[key]).lower(), rng.choice(others)))


def _lost(rng: random.Random, entity: str, tables: Tables) -> None:
    """A row that others may point at is gone."""
    rows = tables[entity]
    if len(rows) > 1:
        rows.pop(rng.randrange(len(rows)))


def _odd_value(rng: random.Random, entity: str, tables: Tables) -> None:
    row = rng.choice(tables[entity])
    column = rng.choice([name for name in row if name != "id" and name not in _KEYS.get(entity, ())] or ["id"])
    if column == "total_price":
        row[column] = rng.choice(_ODD_PRICES)
    elif column == "bytes":
        row[column] = rng.choice((None, 0, 1))
    elif column == "date":
        row[column] = rng.choice(_ODD_DATES)
    elif column == "status":
        row[column] = rng.choice(_ODD_STATUSES)
    elif column != "id":
        row[column] = rng.choice((None, *_ODD_TEXTS))


_MUTATIONS: tuple[Callable[[random.Random, str, Tables], None], ...] = (
    _odd_id, _twin, _variant, _odd_key, _lost, _odd_value, _odd_value,
)  # fmt: skip


def frames(tables: Tables) -> dict[str, pl.DataFrame]:
    """The tables as the extract stage reads them."""
    return {
        entity: pl.DataFrame(rows, schema={column: _TYPES.get(column, pl.String) for column in columns}, orient="row")
        for entity, (columns, rows) in ((e, (_READ[e], tables[e])) for e in tables)
    }


def check(tables: Tables, period: tuple[date | None, date | None]) -> list[str]:
    """What the transform stage decides otherwise than it is decided here."""
    return faults_of(check_rows(frames(tables), FINAL, period), tables, period)


def faults_of(checked: CheckedRows, tables: Tables, period: tuple[date | None, date | None]) -> list[str]:
    """Every difference."""
    fates = _decided(tables, period)
    labels = {
        "offer": "Offer",
        "content": "Content",
        "subcontent": "Subcontent",
        "product": "Product",
        "user": "User",
        "participant": "Participant",
    }
    faults = []
    rejects = checked.rejects
    for entity, rows in fates.items():
        totals = Counter("loaded" if f is None else "filtered" if f in _FILTERED else "rejected" for _, f in rows)
        found = checked.tables[entity]
        if (found.loaded, found.rejected, found.filtered) != (totals["loaded"], totals["rejected"], totals["filtered"]):
            faults.append(f"{entity}: {found} instead of {dict(totals)}")
        if found.read != len(tables[entity]) or not found.adds_up:
            faults.append(f"{entity}: {found.read} of {len(tables[entity])} rows are accounted for")
        lost = rejects.filter(
            pl.col("outcome").is_in([Outcome.REJECTED.value, Outcome.FILTERED.value]),
            table=entity,
            level=Level.ROW.value,
        )
        lost = lost.filter(~pl.col("place").is_in(list(_ROLES)))
        said = Counter(lost.select("key", "reason").rows())
        meant = Counter((str(row["id"] or ""), fate) for row, fate in rows if fate is not None)
        if said != meant:
            faults.append(
                f"{entity}: reasons differ: {list((said - meant).items())[:3]} {list((meant - said).items())[:3]}"[:300]
            )
        if entity in labels:
            loaded = set(checked.nodes[labels[entity]]["id"])
            if loaded != {row["id"] for row, fate in rows if fate is None}:
                faults.append(f"{entity}: other rows are loaded")
            faults += _values(checked.nodes[labels[entity]], [row for row, fate in rows if fate is None])
    return faults + _links(checked, fates)


def _decided(tables: Tables, period: tuple[date | None, date | None]) -> dict[str, list[tuple[Row, str | None]]]:
    fates: dict[str, list[tuple[Row, str | None]]] = {"offer": []}
    for row, own in _own(tables["offer"]):
        day = _day(row["date"])
        inside = day is not None and (period[0] or date.min) <= day <= (period[1] or date.max)
        fate = own or ("not_final" if row["status"] not in FINAL else None)
        fates["offer"].append((row, fate or ("out_of_period" if period != (None, None) and not inside else None)))
    for entity, above, key, second, _ in _CHILDREN:
        parents: dict[object, str | None] = {}
        for row, fate in fates[above]:
            parents.setdefault(row["id"], fate)
        fates[entity], taken = [], set()
        for row, own in _own(tables[entity]):
            fate = own
            if fate is None and row[key] is None:
                fate = "no_parent"
            elif fate is None and row[key] not in parents:
                fate = "dangling"
            elif fate is None and parents[row[key]] is not None:
                fate = "parent_filtered" if parents[row[key]] in _FILTERED else "parent_rejected"
            elif fate is None and second and row[key] in taken:
                fate = second
            if fate is None:
                taken.add(row[key])
            fates[entity].append((row, fate))
    for entity in ("user", "participant"):
        named = {
            row[role]
            for row, fate in fates["offer"]
            if fate is None
            for role, (of, _) in _ROLES.items()
            if of == entity
        }
        fates[entity] = [
            (row, own or (None if row["id"] in named else "not_named")) for row, own in _own(tables[entity])
        ]
    return fates


def _own(rows: list[Row]) -> list[tuple[Row, str | None]]:
    """The rows in their order, with what is wrong with their ids."""
    seen: set[object] = set()
    found: list[tuple[Row, str | None]] = []
    for row in sorted(rows, key=lambda row: [_sortable(value) for value in row.values()]):
        own = str(row["id"] or "")
        fate = "missing_id" if not own else "too_long_key" if len(own.encode()) > 8_000 else None
        found.append((row, fate or ("duplicate_id" if row["id"] in seen else None)))
        seen.add(row["id"])
    return found


def _sortable(value: object) -> tuple[int, object]:
    if value is None:
        return (0, 0)
    return (2, 0) if isinstance(value, float) and math.isnan(value) else (1, value)


def _day(text: object) -> date | None:
    try:
        day = date.fromisoformat(str(text))
    except ValueError:
        return None
    return day if len(str(text)) == 10 and 1900 <= day.year <= 2200 else None


def _values(found: pl.DataFrame, rows: list[Row]) -> list[str]:
    """Properties that are not what the row says, or nothing where a property cannot hold it."""
    by_id = {row["id"]: row for row in rows}
    faults = []
    for node in found.iter_rows(named=True):
        for name, value in node.items():
            meant = by_id[node["id"]][name]
            if name == "date":
                meant = _day(meant)
            elif isinstance(meant, float):
                meant = meant if math.isfinite(meant) else None
            elif meant is not None and len(str(meant).encode()) > (8_000 if _is_indexed(name) else 1_000_000):
                meant = None
            if value != meant:
                faults.append(f"{node['id']!r}: {name} is {str(value)[:50]!r} instead of {str(meant)[:50]!r}")
    return faults[:3]


def _is_indexed(name: str) -> bool:
    return name in {"status", "name", "company", "userid", "id"}


def _links(checked: CheckedRows, fates: Mapping[str, list[tuple[Row, str | None]]]) -> list[str]:
    """Relationships that are not those of the loaded rows, and totals that do not count every key that is there."""
    meant: dict[str, set[tuple[object, object]]] = {}
    keys: dict[str, int] = {}
    for entity, _, key, _, pattern in _CHILDREN:
        keys[pattern] = sum(row[key] is not None for row, _ in fates[entity])
        if entity != "configuration":
            meant[pattern] = {(row[key], row["id"]) for row, fate in fates[entity] if fate is None}
    for role, (entity, pattern) in _ROLES.items():
        there = {row["id"] for row, fate in fates[entity] if fate in {None, "not_named"}}
        loaded = [(row["id"], row[role]) for row, fate in fates["offer"] if fate is None and row[role] in there]
        meant[pattern] = set(loaded)
        keys[pattern] = sum(row[role] is not None for row, _ in fates["offer"])
    faults = []
    for pattern, pairs in meant.items():
        found = checked.relationships[pattern].select("start", "end").rows()
        if len(found) != len(set(found)) or set(found) != pairs:
            faults.append(f"{pattern}: {len(found)} relationships instead of {len(pairs)}")
    for pattern, number in keys.items():
        totals = checked.patterns[pattern]
        if totals.read != number or not totals.adds_up:
            faults.append(f"{pattern}: {totals} of {number} keys")
    indexed = {p.name for node in MODEL.nodes for p in node.properties if p.indexed}
    return faults + [f"{name} is indexed" for name in indexed - {"status", "name", "company", "userid", "date"}]
