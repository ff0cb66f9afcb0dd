"""`demo`: from an empty machine to a graph that answers, as `make demo` runs it."""

import time

import click

from cpq_graph.catalog import Catalog, Family, ValueKind
from cpq_graph.cli.output import ends_cleanly, line, stderr, table
from cpq_graph.cli.pipeline import run_refresh, show_report
from cpq_graph.errors import DataError
from cpq_graph.manifest import CATALOG_JSON, read_serving
from cpq_graph.settings import Settings


@click.command()
@click.pass_obj
@ends_cleanly
def demo(settings: Settings) -> None:
    """Load a sample into local servers, refresh, ask five questions.

    A PostgreSQL or Neo4j that the settings name is used instead of the local one; its source is read, never written.
    """
    from cpq_graph.query.engine import Engine
    from stack import local

    started = time.perf_counter()
    status = local.up(settings, stderr)
    if status.postgres is not None and status.postgres.url is not None:
        from sample_data.create import load_small

        stderr.print("Loading the sample source into the local PostgreSQL …")
        load_small(status.postgres.url)
    report = run_refresh(settings)
    show_report(report)
    line()
    with Engine(settings) as engine:
        for question in demo_questions(settings):
            answer = engine.ask(question)
            if answer.status != "OK":
                raise DataError(f"{question!r} was not answered: {answer.reason}")
            line(f"▸ {question}")
            line(f"  {answer.answer}")
            line(f"  ({(answer.understanding or '').rstrip('.')}; {answer.timings_ms['total']:.0f} ms)")
    line()
    serving = read_serving(settings.data_dir).current
    table(
        "Where things are",
        ["what", "where"],
        [
            ["graph", serving.uri],
            ["source", status.postgres.url if status.postgres else "CPQ_GRAPH_POSTGRES_URL"],
            ["artifacts", str(settings.data_dir / serving.artifacts)],
            ["report of this run", str(settings.data_dir / "runs" / report.run)],
        ],
    )
    line()
    line("Next:")
    line('  .venv/bin/cpq-graph ask "Which company received most offers in 2024?"')
    line("  .venv/bin/cpq-graph rejects          what was not loaded, and why")
    line("  .venv/bin/cpq-graph context show catalog")
    line("  .venv/bin/cpq-graph stack down       stop the servers; `stack up` starts them again")
    line(f"Done in {time.perf_counter() - started:.0f} s.")


def demo_questions(settings: Settings) -> list[str]:
    """Five questions about whatever is loaded, made from its catalog: three in English, two in Finnish."""
    folder = settings.data_dir / read_serving(settings.data_dir).current.artifacts
    catalog = Catalog.model_validate_json((folder / CATALOG_JSON).read_bytes())
    family = max(catalog.families, key=lambda one: one.products)
    other = _second(catalog, family)
    # A number that people have a name for in both languages, in whichever family.
    named = {f.ext_id: {n.language: n.text for n in reversed(f.names)} for f in catalog.features}
    numbers = [f for f in catalog.family_features if f.family == family.name and f.kind is ValueKind.NUMBER]
    chosen = next((f for f in numbers if {"en", "fi"} <= named[f.ext_id].keys()), catalog.family_features[0])
    english = named[chosen.ext_id].get("en", chosen.names[0].text).lower()
    finnish = named[chosen.ext_id].get("fi", chosen.names[0].text).lower()
    year = (catalog.last_day or "2024")[:4]
    return [
        f"How many offers are there from {year}?",
        f"What are the three most popular values of {english} for {family.name}?",
        f"How many products were configured as {family.name} or {other.name}?",
        f"Mikä on {family.name} -tuotteiden yleisin {finnish}?",
        f"Montako tarjousta on vuodelta {year}?",
    ]


def _second(catalog: Catalog, family: Family) -> Family:
    return max((one for one in catalog.families if one != family), key=lambda one: one.products, default=family)


COMMANDS = (demo,)
