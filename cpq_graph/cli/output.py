"""How commands print: one JSON document or text for people on stdout, all else on stderr; and how they end."""

import errno
import functools
import json
import logging
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ParamSpec

import click
from pydantic import BaseModel
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from cpq_graph import logs
from cpq_graph.errors import CpqGraphError, StackError

P = ParamSpec("P")

log = logging.getLogger(__name__)

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")

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
            return printable(value)
        case _:
            return json.dumps(value, ensure_ascii=False, default=str)


def printable(text: str) -> str:
    """A text without what a terminal would obey: control characters but line breaks and tabs are spelled out."""
    return _CONTROLS.sub(lambda found: repr(found[0])[1:-1], text)


def shorten(text: str) -> str:
    """A text cut to one line of the terminal, with room for an indent."""
    width = stdout().width - 3
    return text if len(text) <= width else text[: width - 1] + "…"


def line(text: str = "") -> None:
    """Prints a line for people."""
    click.echo(printable(text))


def ends_cleanly(command: Callable[P, None]) -> Callable[P, None]:
    """Turns expected failures into their message and exit code 1, and Ctrl-C into 130, without a traceback."""

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except CpqGraphError as error:
            _say_failure(error, as_json=bool(kwargs.get("as_json")))
            sys.exit(1)
        except OSError as error:
            if (failure := of_this_machine(error)) is None:
                raise
            _say_failure(failure, as_json=bool(kwargs.get("as_json")))
            sys.exit(1)
        except KeyboardInterrupt:
            if logs.are_json():
                log.error("interrupted", extra={"fields": {"kind": "interrupted"}})
            else:
                stderr.print("Interrupted.")
            sys.exit(130)

    return wrapped


def _say_failure(error: CpqGraphError, *, as_json: bool) -> None:
    if as_json:
        emit_json({"status": "ERROR", "kind": error.kind, "reason": error.message, "hint": error.hint})
    if logs.are_json():
        hint = {"hint": error.hint} if error.hint else {}
        log.error(error.message, extra={"fields": {"kind": error.kind, **hint}})
        return
    stderr.print(f"[red]Error[/red] ({error.kind}): {escape(printable(error.message))}")
    if error.hint:
        stderr.print(escape(printable(error.hint)))


def of_this_machine(error: OSError) -> StackError | None:
    """What the machine refuses and a user can mend; None for what would be a fault of ours."""
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT:
            hint = "Free some space, or set CPQ_GRAPH_DATA_DIR to a folder on another disk."
        case errno.EACCES | errno.EPERM | errno.EROFS | errno.ENOTDIR | errno.EEXIST:
            hint = "Set CPQ_GRAPH_DATA_DIR to a folder that this user may write to."
        case errno.EMFILE | errno.ENFILE:
            hint = "Raise the limit of open files (ulimit -n)."
        case _:
            return None
    where = f": {error.filename}" if error.filename else ""
    return StackError(f"{error.strerror}{where}", hint=hint)
