"""`sample create`: a source of the invented maker, with its ground truth."""

from pathlib import Path
from typing import Literal

import click

from cpq_graph.cli.output import emit_json, ends_cleanly, json_option, line, table
from cpq_graph.errors import ConfigurationError
from cpq_graph.settings import Settings


@click.group()
def sample() -> None:
    """Make sample sources."""


@sample.command()
@click.option("--offers", type=click.IntRange(min=1), required=True, help="How many offers; 300 is a small source.")
@click.option("--seed", type=int, default=1, show_default=True, help="Same seed and size, same source.")
@click.option(
    "--defects", type=click.Choice(["clean", "mixed"]), default="clean", show_default=True,
    help="Clean data, or a share of each kind of defect.",
)  # fmt: skip
@click.option(
    "--schema", type=click.Choice(["cpq", "vertrieb"]), default="cpq", show_default=True,
    help="cpq is read by extract/source/; vertrieb has the same offers under quite other names, read by "
    "sample_data/vertrieb/source/.",
)  # fmt: skip
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Write rows, documents and truth here.")
@click.option("--into", metavar="URL", help="Load it into this PostgreSQL; 'stack' is the local one.")
@json_option
@click.pass_obj
@ends_cleanly
def create(
    settings: Settings, *, offers: int, seed: int, defects: Literal["clean", "mixed"],
    schema: Literal["cpq", "vertrieb"], out: Path | None, into: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Make a source of any size, with its ground truth.

    The truth says what a refresh must make of it: every node, relationship and reject. Give --out, --into or both.
    """
    from sample_data.create import create as make

    if out is None and into is None:
        raise ConfigurationError("nowhere to put the sample", hint="Give --out DIR, --into URL, or both.")
    if into == "stack":
        from stack.local import ensure_postgres

        into = ensure_postgres(settings).get_secret_value()
    summary = make(offers=offers, seed=seed, defects=defects, out=out, into=into, schema=schema)
    if as_json:
        emit_json(summary)
        return
    for title, counts in (
        ("Source rows", summary.rows),
        ("Nodes to come", summary.nodes),
        ("Rejects to come", summary.rejects),
    ):
        table(title, ["", "count"], counts.items())
        line()
    line(f"{summary.document_bytes / 1e6:.1f} MB of XML")


COMMANDS = (sample,)
