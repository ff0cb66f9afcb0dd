"""psycopg's exceptions → `SourceError`s that say what, where and what to do next."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg import errors as pg
from psycopg.conninfo import conninfo_to_dict
from pydantic import SecretStr

from cpq_graph.errors import ConfigurationError, SourceError

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


def check_url(url: SecretStr) -> None:
    """Raises ConfigurationError for a URL that libpq would take apart in another way than it was meant: its messages
    would then show a piece of the password as host, port or option."""
    text = url.get_secret_value()
    scheme, separator, rest = text.partition("://")
    before, _, after = rest.partition("@")
    try:
        if separator and (scheme not in ("postgresql", "postgres") or "@" in after or ("@" in rest and "/" in before)):
            raise ValueError
        parts = conninfo_to_dict(text)
        for name in ("port", "connect_timeout"):
            int(parts.get(name) or 0)
    except (ValueError, psycopg.Error):
        raise ConfigurationError(
            "CPQ_GRAPH_POSTGRES_URL is not a URL that PostgreSQL understands (it is not shown, for its password)",
            hint="Write postgresql://user:password@host:port/database, and @ : / ? # % and blanks in the "
            "password as %40 %3A %2F %3F %23 %25 %20.",
        ) from None


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
