"""The schema of a live database in, `GraphSchema` out: the server's own catalogue, and a look at the relationships."""

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from neo4j import READ_ACCESS, Query

from cpq_graph.query.check.routes import quote
from cpq_graph.query.check.schema import GraphSchema, Triple

if TYPE_CHECKING:
    from neo4j import Driver, Session

_TIMEOUT_SECONDS = 60.0
# How many relationships of each type are looked at for the labels at their ends.
_SAMPLE = 50_000
_TYPES = {
    "String": "STRING", "Long": "INTEGER", "Integer": "INTEGER", "Double": "FLOAT", "Float": "FLOAT",
    "Boolean": "BOOLEAN", "Date": "DATE", "DateTime": "ZONED DATETIME", "LocalDateTime": "LOCAL DATETIME",
    "Time": "ZONED TIME", "LocalTime": "LOCAL TIME", "Duration": "DURATION", "Point": "POINT",
}  # fmt: skip


def live_schema(driver: "Driver", *, database: str | None = None, without: frozenset[str] = frozenset()) -> GraphSchema:
    """Labels, types and properties by db.schema.*, triples by looking at relationships of each type. Labels in
    `without` are left out. A property is required where the server finds it on every node of its label."""
    with driver.session(database=database, default_access_mode=READ_ACCESS) as session:
        labels, single = _labels(session, without)
        types = _types(session)
        triples = tuple(
            Triple(start, name, end)
            for name in sorted(types)
            for start, end in _ends(session, name)
            if start not in without and end not in without
        )
    for triple in triples:
        labels.setdefault(triple.start, {})
        labels.setdefault(triple.end, {})
    return GraphSchema(dict(sorted(labels.items())), dict(sorted(types.items())), triples, single, nulls_known=True)


def _rows(session: "Session", cypher: str, **parameters: Any) -> list[dict[str, Any]]:
    return session.run(Query(cypher, timeout=_TIMEOUT_SECONDS), parameters).data()


def _labels(session: "Session", without: frozenset[str]) -> tuple[dict[str, dict[str, str]], bool]:
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    optional: set[tuple[str, str]] = set()
    single = True
    for row in _rows(session, "CALL db.schema.nodeTypeProperties()"):
        labels = [label for label in row["nodeLabels"] if label not in without]
        single = single and len(row["nodeLabels"]) <= 1
        for label in labels:
            kinds = found[label]
            if row["propertyName"] is not None:
                kinds[row["propertyName"]] |= set(row["propertyTypes"] or ())
                if not row["mandatory"]:
                    optional.add((label, row["propertyName"]))
    return {
        label: {
            name: _type(kinds) + ("" if (label, name) in optional else " NOT NULL")
            for name, kinds in sorted(keys.items())
        }
        for label, keys in found.items()
    }, single


def _types(session: "Session") -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, set[str]]] = {
        row["relationshipType"]: {} for row in _rows(session, "CALL db.relationshipTypes()")
    }
    for row in _rows(session, "CALL db.schema.relTypeProperties()"):
        name = row["relType"].removeprefix(":").strip("`").replace("``", "`")
        keys = found.setdefault(name, {})
        if row["propertyName"] is not None:
            keys.setdefault(row["propertyName"], set()).update(row["propertyTypes"] or ())
    return {name: {key: _type(kinds) for key, kinds in sorted(keys.items())} for name, keys in found.items()}


def _type(kinds: set[str]) -> str:
    """One of Cypher's names, ANY when the property has several types."""
    if len(kinds) != 1:
        return "ANY"
    kind = next(iter(kinds))
    if kind.endswith("Array"):
        return f"LIST<{_TYPES.get(kind.removesuffix('Array'), 'ANY')}>"
    if kind.startswith("LIST"):
        return kind.removesuffix(" NOT NULL")
    return _TYPES.get(kind, kind.removesuffix(" NOT NULL"))


def _ends(session: "Session", name: str) -> list[tuple[str, str]]:
    cypher = (
        f"MATCH (a)-[:{quote(name)}]->(b) WITH a, b LIMIT $limit "
        "UNWIND labels(a) AS start UNWIND labels(b) AS end RETURN DISTINCT start, end ORDER BY start, end"
    )
    return [(row["start"], row["end"]) for row in _rows(session, cypher, limit=_SAMPLE)]
