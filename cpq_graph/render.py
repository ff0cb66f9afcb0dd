"""Everything that is written from the graph model, as pure functions.

Arrives: a `Model`. Leaves: text: CSV headers for `neo4j-admin`, constraints and indexes, upsert statements, schema
texts V1 and V2, the tables and the drawing of the README. `python -m cpq_graph.render` writes what is kept in files.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path

from cpq_graph.model import MODEL, Cardinality, Model, Node, Property, PropertyType, Relationship

# How neo4j-admin calls a property type in a CSV header.
_CSV_TYPES = {
    PropertyType.STRING: "string",
    PropertyType.INTEGER: "long",
    PropertyType.FLOAT: "double",
    PropertyType.DATE: "date",
}

# The node label that is keyed by more than an id needs a single key inside the CSVs, which is not stored.
CSV_KEY = "key"

# A node with so many relationships is nobody's last one, and a lock on it would be in everybody's way.
CROWDED = 20_000


def snake(name: str) -> str:
    """`ParameterValue` → `parameter_value`, for names of constraints and indexes."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


# ---------------------------------------------------------------------------------------------------- CSV headers


def node_header(node: Node) -> str:
    """The header line of a label's CSV. Each label is an id space of its own, so that equal ids never meet."""
    space = f"ID({node.label})"
    if node.key == ("id",):
        fields = [f"id:{space}", *(_csv_field(p) for p in node.properties if p.name != "id")]
    else:
        fields = [f":{space}", *map(_csv_field, node.properties)]
    return ",".join(fields)


def relationship_header(relationship: Relationship) -> str:
    """The header line of a pattern's CSV."""
    ends = (f":START_ID({relationship.start.label})", f":END_ID({relationship.end.label})")
    return ",".join((*ends, *map(_csv_field, relationship.properties)))


def node_columns(node: Node) -> tuple[str, ...]:
    """The columns of a label's frame: its properties, after `key` where it has no id."""
    names = tuple(p.name for p in node.properties)
    return names if node.key == ("id",) else (CSV_KEY, *names)


def relationship_columns(relationship: Relationship) -> tuple[str, ...]:
    """The columns of a pattern's frame."""
    return ("start", "end", *(p.name for p in relationship.properties))


def _csv_field(prop: Property) -> str:
    return f"{prop.name}:{_CSV_TYPES[prop.type]}"


# ---------------------------------------------------------------------------------------- constraints and indexes


def constraints(model: Model = MODEL) -> dict[str, str]:
    """Uniqueness constraints by name: one for each label, of its key, the state label's included."""
    statements = {}
    for node in (*model.nodes, model.state):
        name = f"{snake(node.label)}_{'_'.join(node.key)}_unique"
        key = ", ".join(f"n.{part}" for part in node.key)
        key = f"({key})" if len(node.key) > 1 else key
        statements[name] = f"CREATE CONSTRAINT {name} IF NOT EXISTS FOR (n:{node.label}) REQUIRE {key} IS UNIQUE"
    return statements


def range_indexes(model: Model = MODEL) -> dict[str, str]:
    """Range indexes by name: one for each property marked as indexed."""
    return {
        (name := f"{snake(node.label)}_{prop.name}"): (
            f"CREATE RANGE INDEX {name} IF NOT EXISTS FOR (n:{node.label}) ON (n.{prop.name})"
        )
        for node in model.nodes
        for prop in node.properties
        if prop.indexed
    }


def full_text_indexes(model: Model = MODEL) -> dict[str, str]:
    """Full-text indexes by name."""
    statements = {}
    for index in model.full_texts:
        labels = "|".join(node.label for node in index.nodes)
        fields = ", ".join(f"n.{name}" for name in index.properties)
        statements[index.name] = (
            f"CREATE FULLTEXT INDEX {index.name} IF NOT EXISTS FOR (n:{labels}) ON EACH [{fields}] "
            f"OPTIONS {{indexConfig: {{`fulltext.analyzer`: '{index.analyzer}'}}}}"
        )
    return statements


# ------------------------------------------------------------------------------------------------ batched writing


def node_upsert(node: Node) -> str:
    """Merges `$rows` (one map of properties each) into a label."""
    key = ", ".join(f"{part}: row.{part}" for part in node.key)
    rest = ", ".join(f"n.{p.name} = row.{p.name}" for p in node.properties if p.name not in node.key)
    return f"UNWIND $rows AS row\nMERGE (n:{node.label} {{{key}}})" + (f"\nSET {rest}" if rest else "")


def end_columns(side: str, node: Node) -> tuple[str, ...]:
    """The names under which a row of `relationship_upsert` holds the key of its `start` or `end` node."""
    return tuple(f"{side}_{part}" for part in node.key)


def relationship_upsert(relationship: Relationship) -> str:
    """Merges `$rows` (keys of both ends as `end_columns` names them, then properties) into a pattern. A row whose ends
    do not both exist does nothing: compare the counter with the rows sent."""
    lines = [_match_ends(relationship), f"MERGE (a)-[r:{relationship.type}]->(b)"]
    if relationship.properties:
        lines.append("SET " + ", ".join(f"r.{p.name} = row.{p.name}" for p in relationship.properties))
    return "\n".join(lines)


def relationship_create(relationship: Relationship) -> str:
    """Creates the relationships of `$rows`, as for `relationship_upsert`, where there are none of the pattern."""
    values = ", ".join(f"{p.name}: row.{p.name}" for p in relationship.properties)
    properties = f" {{{values}}}" if values else ""
    return f"{_match_ends(relationship)}\nCREATE (a)-[:{relationship.type}{properties}]->(b)"


def node_delete(node: Node, *, orphan: bool = False) -> str:
    """Deletes the nodes of a label that `$rows` hold the keys of; with `orphan` only those that nothing leads to. One
    is locked before it is looked at: two writers that take its last relationships would each see the other's."""
    key = ", ".join(f"{part}: row.{part}" for part in node.key)
    match = f"UNWIND $rows AS row\nMATCH (n:{node.label} {{{key}}})"
    if orphan:
        first = node.key[0]
        match += f"\nWHERE COUNT {{ (n)<--() }} < {CROWDED}\nSET n.{first} = n.{first}"
        match += "\nWITH n WHERE NOT EXISTS { (n)<--() }"
    return f"{match}\nDETACH DELETE n"


def relationship_delete(relationship: Relationship) -> str:
    """Deletes the relationships of a pattern between the ends that `$rows` hold the keys of."""
    return f"{_match_ends(relationship)}\nMATCH (a)-[r:{relationship.type}]->(b)\nDELETE r"


def _match_ends(relationship: Relationship) -> str:
    start, end = relationship.start, relationship.end
    return (
        f"UNWIND $rows AS row\nMATCH (a:{start.label} {{{_row_key('start', start)}}})\n"
        f"MATCH (b:{end.label} {{{_row_key('end', end)}}})"
    )


def _row_key(side: str, node: Node) -> str:
    return ", ".join(f"{part}: row.{column}" for part, column in zip(node.key, end_columns(side, node), strict=True))


# --------------------------------------------------------------------------------------------------- schema texts


def schema_v2(model: Model = MODEL) -> str:
    """The public schema: labels with typed properties, then patterns with cardinalities, and nothing else."""
    nodes = [
        f"{node.label} {{{', '.join(f'{p.name}: {p.type}' for p in node.properties)}}}"
        for node in model.nodes
        if node.public
    ]
    patterns = [f"{pattern(r)} {r.cardinality}" for r in model.relationships if r.public]
    return "\n".join(("Nodes:", *nodes, "", "Relationships:", *patterns)) + "\n"


def pattern(relationship: Relationship) -> str:
    """(:Offer)-[:SENT_BY]->(:Participant)."""
    return f"(:{relationship.start.label})-[:{relationship.type}]->(:{relationship.end.label})"


def schema_v1(counts: Mapping[str, int], model: Model = MODEL) -> str:
    """The verbose schema, JSON in the shape that `apoc.meta.schema` gives: each label with its count, its properties
    and its relationships in both directions, then each relationship type. `counts` is by label and by pattern name."""
    entries: dict[str, object] = {}
    for node in model.nodes:
        entries[node.label] = {
            "type": "node",
            "count": counts[node.label],
            "labels": [],
            "properties": {p.name: _v1_property(p, node) for p in node.properties},
            "relationships": _v1_relationships(node, counts, model),
        }
    for name in dict.fromkeys(r.type for r in model.relationships):
        patterns = [r for r in model.relationships if r.type == name]
        entries[name] = {
            "type": "relationship",
            "count": sum(counts[r.name] for r in patterns),
            "properties": {p.name: _v1_property(p) for r in patterns for p in r.properties},
        }
    return json.dumps(entries, indent=1, ensure_ascii=False) + "\n"


def _v1_property(prop: Property, node: Node | None = None) -> dict[str, object]:
    key = node.key if node else ()
    return {
        "type": prop.type.value,
        "indexed": prop.indexed or prop.name in key,
        "unique": key == (prop.name,),
        "existence": False,
    }


def _v1_relationships(node: Node, counts: Mapping[str, int], model: Model) -> dict[str, object]:
    sides = [("out", r, r.end) for r in model.relationships if r.start == node]
    sides += [("in", r, r.start) for r in model.relationships if r.end == node]
    entries: dict[str, object] = {}
    for name, direction in dict.fromkeys((r.type, direction) for direction, r, _ in sides):
        group = [(r, other) for side, r, other in sides if (r.type, side) == (name, direction)]
        # apoc.meta.schema shows a type that both leaves and enters a label (HAS_CHILD) in one direction only.
        entries[f"{name} ({direction})" if name in entries else name] = {
            "direction": direction,
            "count": sum(counts[r.name] for r, _ in group),
            "labels": [other.label for _, other in group],
            "properties": {p.name: _v1_property(p) for r, _ in group for p in r.properties},
        }
    return entries


# --------------------------------------------------------------------------------------------------- for people


def node_table(model: Model = MODEL) -> str:
    """Markdown: one row for each label."""
    rows = ["| label | properties | what it is |", "|---|---|---|"]
    for node in model.nodes:
        properties = ", ".join(f"{p.name} {p.type}" for p in node.properties)
        rows.append(f"| {node.label} | {properties} | {node.description} |")
    return "\n".join(rows) + "\n"


def relationship_table(model: Model = MODEL) -> str:
    """Markdown: one row for each pattern."""
    rows = ["| pattern | cardinality | what it is |", "|---|---|---|"]
    rows += [f"| `{pattern(r)}` | {r.cardinality} | {r.description} |" for r in model.relationships]
    return "\n".join(rows) + "\n"


def mermaid(model: Model = MODEL) -> str:
    """A Mermaid flowchart of the model; a thick arrow leads to many."""
    lines = ["flowchart LR"]
    for r in model.relationships:
        arrow = "==>" if r.cardinality is Cardinality.MANY else "-->"
        lines.append(f"    {r.start.label} {arrow}|{r.type}| {r.end.label}")
    return "\n".join(lines) + "\n"


# ------------------------------------------------------------------------------------------------ generated files


def generated(model: Model = MODEL) -> dict[str, str]:
    """The files made from the model and kept for people to read, by their path in the checkout."""
    note = "// Generated from cpq_graph/model.py by: python -m cpq_graph.render\n"
    ddl = {**constraints(model), **range_indexes(model), **full_text_indexes(model)}
    upserts = [node_upsert(node) for node in model.nodes] + [relationship_upsert(r) for r in model.relationships]
    return {
        "cypher/generated/schema.cypher": note + "".join(f"{statement};\n" for statement in ddl.values()),
        "cypher/generated/upserts.cypher": note + "".join(f"\n{statement};\n" for statement in upserts),
    }


def write_generated(checkout: Path) -> None:
    """Writes the generated files."""
    for name, text in generated().items():
        path = checkout / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_generated(Path(__file__).resolve().parent.parent)
