"""Texts that try to write, to read files and addresses, to administer, or to hang; and what becomes of them.

Arrives: a seed, and a live graph that a fuzz may be tried on. Leaves: for every text the reason why it was refused, or
that it ran and changed nothing. The same seed gives the same texts.
"""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING

from neo4j import READ_ACCESS, Query
from neo4j.exceptions import Neo4jError

from cpq_graph.model import OFFER, PARTICIPANT, SENT_BY
from cpq_graph.query.check import Checked, GraphSchema, check
from cpq_graph.query.check.explain import explain

if TYPE_CHECKING:
    from neo4j import Driver

_BASE = f"MATCH (o:{OFFER.label})-[:{SENT_BY.type}]->(p:{PARTICIPANT.label}) "
_ENDS = ("RETURN p.name", "RETURN count(*)", "WITH o RETURN o.id", "RETURN o.id ORDER BY o.id LIMIT 3")

_WRITES = (
    "CREATE (:Hostile)", "MERGE (:Hostile {id: 1})", "SET o.hostile = 1", "SET o += {hostile: 1}", "SET o:Hostile",
    "REMOVE o.id", "DELETE o", "DETACH DELETE o", "NODETACH DELETE o", "FOREACH (x IN [1] | CREATE (:Hostile))",
    "INSERT (:Hostile)", "MERGE (o)-[:HOSTILE]->(p) ON CREATE SET p.hostile = 1", "SET o[$key] = 1",
    "SET o:$('Hostile')",
    "CREATE (o)-[:HOSTILE]->(p)", "CALL { CREATE (:Hostile) }", "CALL (o) { SET o.hostile = 1 }",
    "CALL { WITH o SET o.hostile = 1 } IN TRANSACTIONS OF 1 ROW", "CALL apoc.create.node(['Hostile'], {}) YIELD node",
    "CALL db.createLabel('Hostile')", "CALL db.createProperty('hostile')", "CALL db.createRelationshipType('HOSTILE')",
)  # fmt: skip
_READS = (
    "LOAD CSV FROM '{file}' AS line", "LOAD CSV WITH HEADERS FROM '{url}' AS line", "LOAD CSV FROM $file AS line",
    "CALL apoc.load.json('{url}') YIELD value", "CALL apoc.load.xml('{file}') YIELD value",
    "CALL apoc.load.csv('{file}') YIELD map", "CALL apoc.export.csv.all('{file}', {{}})",
    "WITH apoc.util.sleep(1) AS x", "UNWIND linenumber() AS x", "WITH file() AS x",
    "WITH genai.vector.encode('x', 'OpenAI', {{}}) AS x", "CALL apoc.cypher.run('CREATE (:Hostile)', {{}}) YIELD value",
    "CALL apoc.cypher.doIt('CREATE (:Hostile)', {{}}) YIELD value",
    "WITH apoc.cypher.runFirstColumn('CREATE ()', {{}}) AS x",
)  # fmt: skip
_ADMIN = (
    "SHOW DATABASES", "SHOW USERS", "SHOW TRANSACTIONS", "TERMINATE TRANSACTIONS 'x'", "SHOW FUNCTIONS",
    "SHOW SETTINGS", "CREATE INDEX hostile FOR (n:Hostile) ON (n.id)", "DROP INDEX hostile IF EXISTS",
    "CREATE CONSTRAINT hostile FOR (n:Hostile) REQUIRE n.id IS UNIQUE", "CREATE USER hostile SET PASSWORD 'hostile1'",
    "ALTER CURRENT USER SET PASSWORD FROM 'a' TO 'b'", "CREATE DATABASE hostile", "STOP DATABASE neo4j",
    "GRANT ALL ON DBMS TO hostile", "CALL dbms.listConfig() YIELD name", "CALL db.clearQueryCaches()",
    "CALL dbms.setConfigValue('a', 'b')", "CALL dbms.killQuery('x')", "USE system", "CALL tx.setMetaData({})",
    "CALL db.awaitIndexes(1)", "CALL db.index.fulltext.createNodeIndex('hostile', ['A'], ['b'])",
    "CALL dbms.components() YIELD name", "CALL db.checkpoint()", "ENABLE SERVER 'x'", "RENAME USER a TO b",
)  # fmt: skip
_HANGS = (
    "UNWIND range(1, 1000000000) AS x WITH sum(x) AS y",
    "UNWIND range(1, 100000) AS x UNWIND range(1, 100000) AS y WITH x",
    "WITH reduce(t = 0, x IN range(1, 100000000) | t + x) AS y", "MATCH (a), (b), (c), (d), (e), (f)",
    "MATCH q = (a)-[*]-(b)", "WITH size([x IN range(1, 50000000) | toString(x)]) AS y",
)  # fmt: skip
_GROUPS = {"write": _WRITES, "file or address": _READS, "administration": _ADMIN, "hang": _HANGS}

_PLACES = (
    "{base}{payload} {end}", "{payload} {base}{end}", "{base}{end} {payload}", "{base}{end}; {payload}", "{payload}",
    "{base}WHERE EXISTS {{ {payload} }} {end}", "{base}WHERE COUNT {{ {base}{payload} RETURN o }} > 0 {end}",
    "{base}WITH o, p, COLLECT {{ {payload} RETURN 1 }} AS c {end}",
    "{base}CALL {{ {payload} }} {end}",
    "{base}CALL (*) {{ {payload} RETURN 1 AS one }} {end}", "{base}{end} UNION {base}{payload} {end}",
    "{base}// {payload}\n{end}", "{base}/* {payload} */ {end}", "{base}WITH o, p, '{payload}' AS text {end}",
    "{base}WITH o, p, [x IN [1] | {payload}] AS c {end}",
    "Here you are:\n```cypher\n{base}{payload}\n{end}\n```\nDone.",
    "```\n{base}{end}\n```\nThen run:\n```\n{payload}\n```", "EXPLAIN {base}{payload} {end}", "PROFILE {payload}",
    "CYPHER 25 {base}{payload} {end}", "CYPHER runtime=slotted {payload}",
    "{base}WHERE o.id = '\\u0027 {payload} //' {end}",
    "{base}WHERE o.id = 'a\\' {payload} //' {end}", "{base}WHERE o.id = \"a\" {payload} {end}",
    "{base}//\\u000a{payload}\n{end}",
    "{base}//\r{payload}\n{end}", "{base}/*\\u002a\\u002f{payload} */ {end}", "{base}WITH * {payload} {end}",
)  # fmt: skip
_SPACES = (
    " ",
    "\n",
    "\t",
    "\r",
    "/**/",
    "/* x */",
    "//x\n",
    "//x\r",
    "\u00a0",
    "\u2028",
    "\u3000",
    "\\u0020",
    "\\u000a",
)
_NOISE = ("'", '"', "`", "\\", "/*", "*/", "//", "\\u0027", "\\u002f", "\\u0060", "\\u005c", ";", "{", "}", "\x00",
          "\u200b", "\ufeff", "$", "\r", "\n", "|", "\\u", "\U0001f600")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Attempt:
    """A hostile text and what it tries."""

    aim: str
    text: str


def attempts(
    seed: int, *, file: str = "file:///hostile.csv", url: str = "http://127.0.0.1:9/hostile"
) -> Iterator[Attempt]:
    """Hostile texts without end: a payload at a place of a harmless query, disguised."""
    rng = random.Random(seed)  # noqa: S311 - texts to try, no secrets
    while True:
        aim = rng.choices(tuple(_GROUPS), (6, 4, 4, 1))[0]
        payload = rng.choice(_GROUPS[aim])
        if aim == "file or address":
            payload = payload.format(file=file, url=url)
        text = rng.choice(_PLACES).format(base=_BASE, payload=payload, end=rng.choice(_ENDS))
        for disguise in rng.sample((_cased, _escaped, _spaced, _noisy, _quoted), rng.choice((0, 0, 1, 1, 2, 3))):
            text = disguise(rng, text)
        yield Attempt(aim, text)


def _cased(rng: random.Random, text: str) -> str:
    return "".join(rng.choice((one.lower(), one.upper())) for one in text)


def _escaped(rng: random.Random, text: str) -> str:
    share = rng.choice((0.02, 0.1, 0.5))
    return "".join(f"\\u{ord(one):04x}" if rng.random() < share and ord(one) < 0x10000 else one for one in text)


def _spaced(rng: random.Random, text: str) -> str:
    return "".join(rng.choice(_SPACES) if one == " " and rng.random() < 0.4 else one for one in text)


def _noisy(rng: random.Random, text: str) -> str:
    for _ in range(rng.randint(1, 3)):
        place = rng.randrange(len(text) + 1)
        cut = rng.choice((0, 0, 1))
        text = text[:place] + rng.choice(_NOISE) + text[place + cut :]
    return text


def _quoted(rng: random.Random, text: str) -> str:
    words = text.split(" ")
    place = rng.randrange(len(words))
    words[place] = f"`{words[place]}`"
    return " ".join(words)


@dataclass(slots=True)
class FuzzReport:
    """What became of the attempts: how many by aim and outcome, and those that went wrong."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    # Let through by the checker, but no read for the server: the checker's own leaks.
    leaks: list[Attempt] = field(default_factory=list)
    # Refused without a reason.
    silent: list[Attempt] = field(default_factory=list)
    state_before: str = ""
    state_after: str = ""

    @property
    def clean(self) -> bool:
        """Whether nothing was written, nothing leaked, and every refusal said why."""
        return not self.leaks and not self.silent and self.state_before == self.state_after

    def to_markdown(self) -> str:
        """A table, one row an aim."""
        outcomes = ("refused", "refused by EXPLAIN", "stopped by the server", "ran, read only")
        lines = [f"| aim | attempts | {' | '.join(outcomes)} |", f"|---|{'---:|' * (len(outcomes) + 1)}"]
        for aim in _GROUPS:
            row = [self.counts[aim, outcome] for outcome in outcomes]
            lines.append(f"| {aim} | {sum(row)} | {' | '.join(map(str, row))} |")
        same = "unchanged" if self.state_before == self.state_after else "CHANGED"
        lines += [
            "",
            f"Graph and schema {same}; leaks {len(self.leaks)}; refusals without a reason {len(self.silent)}.",
        ]
        return "\n".join(lines) + "\n"


def fuzz(
    driver: "Driver",
    schema: GraphSchema,
    hostile: Iterator[Attempt],
    count: int,
    *,
    database: str | None = None,
    timeout_s: float = 1.0,
) -> FuzzReport:
    """Sends `count` hostile texts the way every query goes: check, EXPLAIN, a read transaction with a timeout."""
    report = FuzzReport(state_before=fingerprint(driver, database))
    for _ in range(count):
        attempt = next(hostile)
        checked = check(attempt.text, schema)
        report.counts[attempt.aim, _outcome(driver, database, attempt, checked, report, timeout_s)] += 1
    report.state_after = fingerprint(driver, database)
    return report


def _outcome(
    driver: "Driver", database: str | None, attempt: Attempt, checked: Checked, report: FuzzReport, timeout_s: float
) -> str:
    if not checked.runnable:
        if not any(finding.message and not finding.note and not finding.repaired for finding in checked.findings):
            report.silent.append(attempt)
        return "refused"
    found = [finding for finding in explain(driver, checked.cypher, database=database) if not finding.note]
    if found:
        if any("more than read" in finding.message for finding in found):
            report.leaks.append(attempt)
        return "refused by EXPLAIN"
    try:
        with driver.session(database=database, default_access_mode=READ_ACCESS, fetch_size=100) as session:
            summary = session.run(Query(checked.cypher, timeout=timeout_s)).consume()
    except Neo4jError:
        return "stopped by the server"
    if summary.query_type != "r" or summary.counters.contains_updates or summary.counters.contains_system_updates:
        report.leaks.append(attempt)
    return "ran, read only"


def fingerprint(driver: "Driver", database: str | None) -> str:
    """A digest of every node, relationship, constraint, index and user-defined name of a small graph."""
    statements = (
        "MATCH (n) RETURN elementId(n) AS id, labels(n) AS labels, properties(n) AS properties ORDER BY id",
        "MATCH ()-[r]->() RETURN elementId(r) AS id, type(r) AS type, properties(r) AS properties ORDER BY id",
        "SHOW CONSTRAINTS YIELD name RETURN name ORDER BY name",
        "SHOW INDEXES YIELD name RETURN name ORDER BY name",
        "CALL db.labels() YIELD label RETURN label ORDER BY label",
        "CALL db.propertyKeys() YIELD propertyKey RETURN propertyKey ORDER BY propertyKey",
    )
    digest = sha256()
    with driver.session(database=database, default_access_mode=READ_ACCESS) as session:
        for statement in statements:
            for record in session.run(Query(statement)):
                digest.update(repr([_plain(value) for value in record.values()]).encode())
    return digest.hexdigest()


def _plain(value: object) -> object:
    return sorted(value.items()) if isinstance(value, dict) else value
