"""What the query checker does and costs, in three measurements, each a table in Markdown:

    python bench/check.py statements FILE [--schemas CSV]   accepted and rejected, milliseconds, what a schema changes
    python bench/check.py faults --uri URI                  fault injection over the gold queries, on a live CPQ graph
    python bench/check.py fuzz --uri URI [--attempts N]     hostile texts sent to a live graph that may be tried on

FILE is a JSON list of [statement, verdict of the server's EXPLAIN (ok, syntax, semantic), error, type]; CSV has the
columns database and structured_schema, as published with such statements. Neither is part of this repository.
"""

import argparse
import ast
import csv
import json
import logging
import re
import socket
import statistics
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import neo4j

from cpq_graph.evaluation.fault_kinds import Gold
from cpq_graph.evaluation.faults import Row, fault_report
from cpq_graph.evaluation.hostile import attempts, fuzz
from cpq_graph.model import MODEL
from cpq_graph.query.check import GraphSchema, Triple, check, schema_of
from cpq_graph.query.check.lookup import GraphLookup
from cpq_graph.query.check.parser import Parsed, parse
from cpq_graph.query.check.tree import Name, Property, walk
from cpq_graph.settings import CHECKOUT

GOLD = CHECKOUT / "tests" / "cases" / "gold"


def statements(file: Path, schemas: Path | None) -> None:
    """Reads, and with schemas checks, every statement; CPU milliseconds of this process."""
    given = json.loads(file.read_text())
    verdicts: Counter[tuple[str, bool]] = Counter()
    reading: list[float] = []
    for text, verdict, *_ in given:
        started = time.process_time()
        parsed = parse(text)
        reading.append(time.process_time() - started)
        verdicts[verdict, parsed.error is None and not parsed.deviations] += 1
    print("| EXPLAIN said | statements | read | not read |\n|---|---:|---:|---:|")
    for verdict in ("ok", "semantic", "syntax"):
        read, unread = verdicts[verdict, True], verdicts[verdict, False]
        print(f"| {verdict} | {read + unread} | {read} | {unread} |")
    print(f"\nReading: {_times(reading)}")
    if schemas is not None:
        _with_schemas(given, _schemas(schemas))


def _with_schemas(given: list[list[str]], schemas: Mapping[str, GraphSchema]) -> None:
    outcomes: Counter[str] = Counter()
    rules: Counter[str] = Counter()
    checking: list[float] = []
    for text, verdict, *_ in given:
        schema = _best(parse(text), schemas)
        started = time.process_time()
        checked = check(text, schema)
        checking.append(time.process_time() - started)
        if verdict != "ok":
            continue
        repaired = {finding.rule for finding in checked.findings if finding.repaired}
        refused = {finding.rule for finding in checked.findings if not finding.repaired and not finding.note}
        if checked.status == "OK":
            outcomes["untouched"] += 1
        elif checked.status == "REFUSED":
            outcomes["refused: the schema lacks something"] += 1
            rules.update(f"{rule}, refused" for rule in refused)
        else:
            outcomes["repaired: only a returned node named" if repaired == {"returned"} else "repaired"] += 1
            rules.update(f"{rule}, repaired" for rule in repaired)
    print(f"\nChecking with a schema: {_times(checking)}\n\n| valid statements | number |\n|---|---:|")
    for name, number in outcomes.most_common():
        print(f"| {name} | {number} |")
    print("\n| rule | findings' statements |\n|---|---:|")
    for name, number in rules.most_common():
        print(f"| {name} | {number} |")


def _times(seconds: list[float]) -> str:
    return (
        f"mean {statistics.mean(seconds) * 1e3:.2f} ms, median {statistics.median(seconds) * 1e3:.2f} ms, "
        f"99 % below {statistics.quantiles(seconds, n=100)[98] * 1e3:.1f} ms"
    )


def _schemas(file: Path) -> dict[str, GraphSchema]:
    csv.field_size_limit(10**9)
    found: dict[str, GraphSchema] = {}
    with file.open(newline="") as rows:
        for row in csv.DictReader(rows):
            text = re.sub(r"neo4j\.time\.\w+\([^)]*\)|datetime\.\w+\([^)]*\)|\bnan\b", "None", row["structured_schema"])
            document = ast.literal_eval(text)
            owners = [
                {name: {one["property"]: _type(one["type"]) for one in properties} for name, properties in part.items()}
                for part in (document["node_props"], document["rel_props"])
            ]
            triples = tuple(Triple(one["start"], one["type"], one["end"]) for one in document["relationships"])
            for triple in triples:
                owners[1].setdefault(triple.type, {})
                for label in (triple.start, triple.end):
                    owners[0].setdefault(label, {})
            found[row["database"]] = GraphSchema(owners[0], owners[1], triples)
    return found


def _type(name: str) -> str:
    return {"DATE_TIME": "ZONED DATETIME", "LIST": "LIST<ANY>"}.get(name, name)


def _best(parsed: Parsed, schemas: Mapping[str, GraphSchema]) -> GraphSchema:
    """The schema that knows most of a statement's names; the statements do not say which database they are of."""
    if parsed.query is None:
        return next(iter(schemas.values()))
    names = {part.text for part in walk(parsed.query) if isinstance(part, Name)}
    keys = {part.key.text for part in walk(parsed.query) if isinstance(part, Property)}

    def known(schema: GraphSchema) -> tuple[int, int]:
        return len(names & (set(schema.labels) | set(schema.pairs))), len(keys & schema.property_names)

    return max(schemas.values(), key=known)


def faults(uri: str) -> None:
    """Fault injection over the gold queries of the tests."""
    golds = []
    for file in sorted(GOLD.glob("*.cypher")):
        text = file.read_text()
        given = re.search(r"// params: (.*)", text)
        golds.append(Gold(file.stem, text, json.loads(given[1]) if given else {}))
    schema = schema_of(MODEL)
    with neo4j.GraphDatabase.driver(uri) as driver:

        def run(cypher: str, parameters: Mapping[str, Any]) -> list[Row]:
            with driver.session(default_access_mode=neo4j.READ_ACCESS) as session:
                return [tuple(row) for row in session.run(neo4j.Query(cypher, timeout=60), dict(parameters)).values()]

        print(fault_report(golds, schema, run, lookup=GraphLookup(driver, schema)).to_markdown())


def hostile(uri: str, count: int, seed: int) -> None:
    """Hostile texts against a live graph, with a listener that no text may reach."""
    with neo4j.GraphDatabase.driver(uri) as driver, socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/hostile"
        started = time.perf_counter()
        report = fuzz(driver, schema_of(MODEL), attempts(seed, url=url), count)
        print(report.to_markdown())
        try:
            listener.accept()
            print("The listener was REACHED.")
        except BlockingIOError:
            print(f"The listener was not reached. {time.perf_counter() - started:.0f} s, seed {seed}.")
    for attempt in [*report.leaks, *report.silent][:10]:
        print(repr(attempt.text))


def main() -> None:
    """Reads the command line."""
    logging.getLogger("neo4j").setLevel(logging.ERROR)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("statements")
    command.add_argument("file", type=Path)
    command.add_argument("--schemas", type=Path)
    command = commands.add_parser("faults")
    command.add_argument("--uri", required=True)
    command = commands.add_parser("fuzz")
    command.add_argument("--uri", required=True)
    command.add_argument("--attempts", type=int, default=30_000)
    command.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if given.command == "statements":
        statements(given.file, given.schemas)
    elif given.command == "faults":
        faults(given.uri)
    else:
        hostile(given.uri, given.attempts, given.seed)


if __name__ == "__main__":
    main()
