"""psycopg's exceptions → `SourceError`s that say what, where and what to do next."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg import errors as pg

from cpq_graph.errors import SourceError

_CONNECT_HINTS = (
    ("certificate", "Is the host right, and its CA in the file that sslrootcert in CPQ_GRAPH_POSTGRES_URL names?"),
    ("password authentication failed", "Check the user and password in CPQ_GRAPH_POSTGRES_URL."),
    ("no password supplied", "CPQ_GRAPH_POSTGRES_URL names a user that needs a password."),
    ("pg_hba.conf", "The server's pg_hba.conf does not let this user in from here; ask its administrator."),
    ("does not exist", "Check the names of the user and the database in CPQ_GRAPH_POSTGRES_URL."),
    ("refused", "Is PostgreSQL running there? Check host and port in CPQ_GRAPH_POSTGRES_URL."),
    ("timeout expired", "Nothing answered at that host and port; check the address and the firewall."),
    ("resolve host", "Check the host in CPQ_GRAPH_POSTGRES_URL."),
    ("SSL", "Check sslmode and sslrootcert in CPQ_GRAPH_POSTGRES_URL."),
)
_QUERY_HINTS: tuple[tuple[type[psycopg.Error], str], ...] = (
    (pg.InsufficientPrivilege, "extract/source/grants.sql shows the GRANTs that the role needs."),
    (pg.UndefinedTable, "Correct the table's name in that file, or grant USAGE on its schema."),
    (pg.UndefinedColumn, "Correct the column's name in that file."),
    (pg.SyntaxError, "The file must hold a single SELECT."),
    (pg.QueryCanceled, "A statement took too long, or a standby had to cancel it. Run it again."),
    (pg.LockNotAvailable, "Somebody is altering the table; run it again."),
)


def connect_failure(error: psycopg.Error) -> SourceError:
    """What a failed connection means. The message never holds the password."""
    text = " ".join(str(error).split())
    hint = next((hint for sign, hint in _CONNECT_HINTS if sign in text), "Check CPQ_GRAPH_POSTGRES_URL.")
    return SourceError(f"cannot connect to PostgreSQL: {text}", hint=hint)


def query_failure(error: psycopg.Error, path: Path, offset: int) -> SourceError:
    """What a failed statement made of the file at `path` means. `offset` is where the file's text begins in it."""
    where, primary = str(path), error.diag.message_primary or " ".join(str(error).split())
    position = int(error.diag.statement_position or 0) - 1 - offset
    if position >= 0:
        text = path.read_text(encoding="utf-8")
        where += f", line {text.count(chr(10), 0, position) + 1}"
    hint = next((hint for kind, hint in _QUERY_HINTS if isinstance(error, kind)), None)
    if hint is None and isinstance(error, psycopg.OperationalError):
        hint = "The connection was lost. Run it again; what was parsed is kept."
    return SourceError(f"{where}: {primary}", hint=hint)


@contextmanager
def explained(path: Path, offset: int = 0) -> Iterator[None]:
    """Turns psycopg's exceptions inside the block into `SourceError`s about `path`."""
    try:
        yield
    except psycopg.Error as error:
        raise query_failure(error, path, offset) from None
