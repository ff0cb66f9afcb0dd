"""How commands print: one JSON document or text for people on stdout, all else on stderr; and how they end."""

import functools
import json
import logging
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ParamSpec

import click
from pydantic import BaseModel
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from cpq_graph.errors import CpqGraphError

P = ParamSpec("P")

OWN_LOGGERS = ("cpq_graph", "extract", "transform", "load", "stack", "flows", "sample_data")

stderr = Console(stderr=True, highlight=False)

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout, nothing else.")


def stdout() -> Console:
    """A console on stdout: wide and without colour when it is piped, so that nothing is cut or folded."""
    piped = not sys.stdout.isatty()
    return Console(highlight=False, width=10_000 if piped else None, soft_wrap=piped)


def emit_json(document: BaseModel | Mapping[str, Any] | Sequence[Any]) -> None:
    """Prints one JSON document."""
    if isinstance(document, BaseModel):
        document = document.model_dump(mode="json")
    click.echo(json.dumps(document, ensure_ascii=False, indent=2, default=str))


def table(title: str | None, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Prints rows as a table; numbers are aligned right, null is empty."""
    rows = [list(row) for row in rows]
    drawn = Table(title=title, title_justify="left", show_edge=False, pad_edge=False)
    for index, column in enumerate(columns):
        numeric = bool(rows) and all(
            (isinstance(row[index], int | float) and not isinstance(row[index], bool)) or row[index] is None
            for row in rows
        )
        drawn.add_column(escape(column), justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        drawn.add_row(*(escape(cell(value)) for value in row))
    stdout().print(drawn)


def cell(value: object) -> str:
    """A value as a person reads it."""
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}".replace(",", " ")
        case float():
            return f"{value:,.2f}".replace(",", " ")
        case str():
            return value
        case _:
            return json.dumps(value, ensure_ascii=False, default=str)


def line(text: str = "") -> None:
    """Prints a line for people."""
    click.echo(text)


def ends_cleanly(command: Callable[P, None]) -> Callable[P, None]:
    """Turns expected failures into their message and exit code 1, and Ctrl-C into 130, without a traceback."""

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except CpqGraphError as error:
            if kwargs.get("as_json"):
                emit_json({"status": "ERROR", "kind": error.kind, "reason": error.message, "hint": error.hint})
            stderr.print(f"[red]Error[/red] ({error.kind}): {escape(error.message)}")
            if error.hint:
                stderr.print(escape(error.hint))
            sys.exit(1)
        except KeyboardInterrupt:
            stderr.print("Interrupted.")
            sys.exit(130)

    return wrapped


class _JsonLines(logging.Formatter):
    """One JSON object a line, for log collectors."""

    def format(self, record: logging.LogRecord) -> str:
        document = {
            "time": self.formatTime(record, "%Y-%m-%dT%H:%M:%S%z"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            document["exception"] = self.formatException(record.exc_info)
        return json.dumps(document, ensure_ascii=False)


def configure_logging(*, log_format: str, verbose: bool) -> None:
    """Sends log lines to stderr: ours from INFO (DEBUG when verbose), the libraries' from WARNING."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonLines() if log_format == "json" else logging.Formatter("%(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    for name in OWN_LOGGERS:
        logging.getLogger(name).setLevel(logging.DEBUG if verbose else logging.INFO)
    # A query on an empty graph draws a notification for each name it has not seen yet; the checker reports its own.
    logging.getLogger("neo4j.notifications").setLevel(logging.ERROR)
