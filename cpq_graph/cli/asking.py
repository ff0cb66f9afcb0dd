"""`ask`, `check` and `query`: questions and Cypher."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cpq_graph.cli.output import emit_json, ends_cleanly, json_option, line, stderr, table
from cpq_graph.errors import ConfigurationError
from cpq_graph.settings import Settings

if TYPE_CHECKING:
    from cpq_graph.query.check import Checked, Finding


@click.command()
@click.argument("question")
@click.option("--engine", default="compiled", show_default=True, help="Which engine answers.")
@click.option("--lang", "language", type=click.Choice(["en", "fi"]), help="Language; detected when not given.")
@json_option
@click.pass_obj
@ends_cleanly
def ask(settings: Settings, *, question: str, engine: str, language: str | None, as_json: bool) -> None:
    """Answer a question in English or Finnish.

    The answer comes with how the question was understood, its rows and its Cypher. A question that cannot be answered
    with certainty is declined, with the reason (exit code 1).
    """
    from cpq_graph.cli.stack import ensure_serving
    from cpq_graph.query.engine import Engine

    ensure_serving(settings)
    with Engine(settings) as opened:
        answer = opened.ask(question, engine=engine, language=language)
    if as_json:
        emit_json(answer)
    elif answer.status == "OK":
        line(answer.answer or "")
        if len(answer.rows) > 1 or len(answer.columns) > 1:
            line()
            table(None, answer.columns, [[row[column] for column in answer.columns] for row in answer.rows])
            if answer.truncated:
                stderr.print(f"Cut after {len(answer.rows)} rows (CPQ_GRAPH_MAX_ROWS).")
        line()
        line(f"Understood as: {answer.understanding}")
        stderr.print(f"{answer.timings_ms['total']:.0f} ms. With --json: the Cypher, its parameters and all timings.")
    else:
        line(answer.reason or "")
        for suggestion in answer.suggestions:
            line(f"  • {suggestion}")
    if answer.status != "OK":
        sys.exit(1)


@click.command()
@click.argument("cypher")
@click.option(
    "--schema", "schema_file", type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="JSON of another graph's labels, properties and relationships.",
)  # fmt: skip
@click.option("--live", "uri", metavar="URI", help="Check for this Neo4j: its own schema, values and EXPLAIN.")
@json_option
@click.pass_obj
@ends_cleanly
def check(settings: Settings, *, cypher: str, schema_file: Path | None, uri: str | None, as_json: bool) -> None:
    """Check a Cypher query, repair what has only one repair.

    By default for this graph's model, without a server. Give "-" to read the query from stdin. Exit code 1 when it is
    refused.
    """
    if uri and schema_file:
        raise click.UsageError("--live and --schema exclude each other.")
    checked = _check_live(settings, _text(cypher), uri) if uri else _check(_text(cypher), schema_file)
    if as_json:
        emit_json(checked)
    else:
        line(checked.cypher)
        _findings(checked.findings)
        stderr.print(checked.status)
    if checked.status == "REFUSED":
        sys.exit(1)


@click.command()
@click.argument("cypher")
@click.option("--parameters", default="{}", help="Values of the query's parameters, as a JSON object.")
@json_option
@click.pass_obj
@ends_cleanly
def query(settings: Settings, *, cypher: str, parameters: str, as_json: bool) -> None:
    """Run a checked, read-only Cypher query on the graph.

    Give "-" to read the query from stdin. Exit code 1 when it is refused.
    """
    from cpq_graph.cli.stack import ensure_serving
    from cpq_graph.query.engine import Engine

    try:
        values: Any = json.loads(parameters)
    except json.JSONDecodeError as error:
        raise ConfigurationError(f"--parameters is not JSON: {error}") from None
    if not isinstance(values, dict):
        raise ConfigurationError("--parameters is not a JSON object", hint="""As: --parameters '{"id": "1042"}'""")
    ensure_serving(settings)
    with Engine(settings) as opened:
        result = opened.query(_text(cypher), values)
    if as_json:
        emit_json(result)
    else:
        if result.status in ("OK", "REPAIRED"):
            table(None, result.columns, [[row[column] for column in result.columns] for row in result.rows])
        if result.truncated:
            stderr.print(f"Cut after {len(result.rows)} rows (CPQ_GRAPH_MAX_ROWS).")
        _findings(result.findings)
        if result.status != "OK":
            stderr.print(result.status, result.reason or "")
    if result.status in ("REFUSED", "ERROR"):
        sys.exit(1)


def _check(cypher: str, schema_file: Path | None) -> "Checked":
    from cpq_graph.model import MODEL
    from cpq_graph.query.check import GraphSchema, schema_of
    from cpq_graph.query.check import check as check_cypher

    if schema_file is None:
        return check_cypher(cypher, schema_of(MODEL))
    schema = GraphSchema.from_json(schema_file.read_text(encoding="utf-8"))
    return check_cypher(cypher, schema)


def _check_live(settings: Settings, cypher: str, uri: str) -> "Checked":
    from cpq_graph.query.live_check import check_live
    from cpq_graph.servers import Address

    address = Address(uri, settings.neo4j_user, settings.neo4j_database, settings.neo4j_ca_file)
    return check_live(cypher, address, settings.neo4j_password.get_secret_value())


def _text(argument: str) -> str:
    return sys.stdin.read() if argument == "-" else argument


def _findings(findings: "tuple[Finding, ...]") -> None:
    for finding in findings:
        verb = "repaired" if finding.repaired else "found"
        stderr.print(f"{finding.line}:{finding.column} {finding.rule} ({verb}): {finding.message}", markup=False)
        if finding.highlight:
            stderr.print(finding.highlight, markup=False)
        if finding.hint:
            stderr.print(f"  {finding.hint}", markup=False)


COMMANDS = (ask, check, query)
