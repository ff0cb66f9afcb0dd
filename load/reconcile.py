"""Is the graph what it should be? Counts against totals, then questions that must have no answer.

Arrives: a database and the expected counts. Leaves: the counts found, or a TargetError that lists every difference; and
the node that says what the graph was made from.
"""

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from cpq_graph.errors import TargetError
from cpq_graph.model import MODEL, Model
from load.database import Database

CHECKS = Path(__file__).resolve().parent.parent / "cypher" / "checks"
STATE_ID = "graph"


def count_graph(database: Database, model: Model = MODEL) -> dict[str, int]:
    """Counts by label and by pattern name. The store keeps counts by type and one end's label, which is enough to tell
    the patterns apart, so this takes no time however large the graph is."""
    queries = {node.label: f"(n:{node.label})" for node in model.nodes}
    queries |= {r.name: f"(:{r.start.label})-[n:{r.type}]->()" for r in model.relationships}
    return _count(database, queries)


def reconcile(
    database: Database, expected: Mapping[str, int], *, checks: bool = True, model: Model = MODEL
) -> dict[str, int]:
    """Compares the graph with `expected` (by label and pattern name; a name left out is expected to be 0) and runs the
    checks of cypher/checks/. Returns the counts. Raises TargetError with every difference found."""
    found = count_graph(database, model)
    problems = [
        f"{name}: {expected.get(name, 0)} expected, {number} in the graph"
        for name, number in found.items()
        if number != expected.get(name, 0)
    ]
    problems += _strangers(database, found, model)
    if checks:
        problems += _failed_checks(database)
    if problems:
        raise TargetError(
            "the graph is not what was loaded:\n" + "\n".join(problems),
            hint="It is not served. Run the refresh again; if it fails again, report a bug with these lines.",
        )
    return found


def write_state(database: Database, *, fingerprint: str, run: str, model: Model = MODEL) -> None:
    """Says in the graph itself what it was made from, and that nothing is pending (see `load.delta`)."""
    database.write(
        f"MERGE (s:{model.state.label} {{id: $id}}) SET s.fingerprint = $fingerprint, s.run = $run REMOVE s.pending",
        {"id": STATE_ID, "fingerprint": fingerprint, "run": run},
    )


def read_state(database: Database, model: Model = MODEL) -> tuple[str, str] | None:
    """The fingerprint and run of the graph, or None when it was never finished."""
    rows = database.rows(
        f"MATCH (s:{model.state.label} {{id: $id}}) RETURN s.fingerprint AS fingerprint, s.run AS run", {"id": STATE_ID}
    )
    return (str(rows[0]["fingerprint"]), str(rows[0]["run"])) if rows else None


def _strangers(database: Database, found: Mapping[str, int], model: Model) -> list[str]:
    """Nodes and relationships that belong to no label and no pattern of the model."""
    ends: dict[tuple[str, str], list[str]] = defaultdict(list)
    for r in model.relationships:
        ends[r.type, r.end.label].append(r.name)
    # All are in the store's counts; a filter on nodes would look at every one of them.
    queries = {"nodes": "(n)", "states": f"(n:{model.state.label})", "relationships": "()-[n]->()"}
    into = {f"{kind} into {end}": f"()-[n:{kind}]->(:{end})" for kind, end in ends}
    there = _count(database, queries | into)
    problems = []
    nodes, known = there["nodes"] - there["states"], sum(found[node.label] for node in model.nodes)
    if nodes != known:
        problems.append(f"{nodes} nodes in the graph, {known} with a label of the model")
    for name, patterns in zip(into, ends.values(), strict=True):
        ours = sum(found[pattern] for pattern in patterns)
        if there[name] != ours:
            problems.append(f"{name}: {there[name]} in the graph, {ours} from where the model allows")
    ours = sum(found[r.name] for r in model.relationships)
    if there["relationships"] != ours:
        problems.append(f"{there['relationships']} relationships in the graph, {ours} of a pattern of the model")
    return problems


def _failed_checks(database: Database) -> list[str]:
    problems = []
    for path in sorted(CHECKS.glob("*.cypher")):
        rows = database.rows(path.read_text(encoding="utf-8"))
        if rows:
            problems.append(f"check {path.stem} found: {rows[:3]}{' …' if len(rows) > 3 else ''}")
    return problems


def _count(database: Database, patterns: Mapping[str, str]) -> dict[str, int]:
    """How many `n` each pattern finds, by its name, in one statement."""
    parts = (f"MATCH {pattern} WITH count(n) AS n RETURN '{name}' AS name, n" for name, pattern in patterns.items())
    return {row["name"]: row["n"] for row in database.rows("\nUNION ALL ".join(parts))}
