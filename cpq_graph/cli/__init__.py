"""The command line: the composition root, and the only place that knows everything.

Results go to stdout, logs and progress to stderr. Exit codes: 0 success, 1 a failure that is explained, 2 wrong usage.
"""

import click

from cpq_graph.cli import alerts, asking, context, demo, doctor, evaluation, outline, pipeline, sample, stack
from cpq_graph.cli.output import ends_cleanly
from cpq_graph.logs import configure_logging
from cpq_graph.settings import load_settings


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="cpq-graph")
@click.option("-v", "--verbose", is_flag=True, help="Log what happens in detail, on stderr.")
@click.pass_context
@ends_cleanly
def main(ctx: click.Context, *, verbose: bool) -> None:
    """A Neo4j knowledge graph of finalized CPQ offers, refreshed nightly, that answers questions.

    Start with `make demo`. Settings are environment variables CPQ_GRAPH_… or a .env file.
    """
    settings = load_settings()
    configure_logging(log_format=settings.log_format, verbose=verbose)
    ctx.obj = settings


for module in (stack, sample, doctor, outline, pipeline, context, asking, evaluation, alerts, demo):
    for command in module.COMMANDS:
        main.add_command(command)
