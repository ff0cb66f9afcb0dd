"""`stack`: the local servers, and what other commands need of them."""

from typing import TYPE_CHECKING

import click

from cpq_graph.cli.output import emit_json, ends_cleanly, json_option, line, stderr, table
from cpq_graph.manifest import serving_path
from cpq_graph.settings import Settings

if TYPE_CHECKING:
    from stack.local import StackStatus


@click.group()
def stack() -> None:
    """Start, stop and see the local servers."""


@stack.command()
@json_option
@click.pass_obj
@ends_cleanly
def up(settings: Settings, *, as_json: bool) -> None:
    """Start what is not running: PostgreSQL, and Neo4j with the graph that serves."""
    from stack import local

    _show(local.up(settings, stderr), as_json=as_json)


@stack.command()
@json_option
@click.pass_obj
@ends_cleanly
def down(settings: Settings, *, as_json: bool) -> None:
    """Stop every local server of this data folder, and whatever a killed run left running."""
    from stack import local

    stopped = local.down(settings)
    if as_json:
        emit_json({"stopped": stopped})
    else:
        line(f"Stopped: {', '.join(stopped)}." if stopped else "Nothing was running.")


@stack.command()
@json_option
@click.pass_obj
@ends_cleanly
def status(settings: Settings, *, as_json: bool) -> None:
    """Show which local servers run, where, and how much memory they take."""
    from stack import local

    _show(local.status(settings), as_json=as_json)


def _show(status: "StackStatus", *, as_json: bool) -> None:
    if as_json:
        emit_json(status)
        return
    table(
        None,
        ["server", "version", "address", "pid", "MB", "log"],
        [
            [
                server.name,
                server.version,
                server.url or "not running",
                str(server.pid or ""),
                server.memory_mb,
                str(server.log),
            ]
            for server in (*((status.postgres,) if status.postgres else ()), *status.neo4j, status.prefect)
        ],
    )
    line(f"Serving graph: {status.serving or 'none yet; run: cpq-graph refresh'}")


def ensure_serving(settings: Settings) -> None:
    """Sees that the serving graph can be asked: a server that is set is the user's, else the local one is started."""
    if settings.neo4j_uri is None and serving_path(settings.data_dir).exists():
        from stack.local import ensure_serving as start

        start(settings)


COMMANDS = (stack,)
