"""psycopg's exceptions → `SourceError`s that say what, where and what to do next."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg import errors as pg

from cpq_graph.errors import SourceError

# What a message of a failed connection says, and what to do. These may be over soon: the server restarts, is full of
# connections, or the network has a bad moment.
_AWAY_HINTS = (
    ("refused", "Is PostgreSQL running there? Check host and port in CPQ_GRAPH_POSTGRES_URL."),
    ("timeout expired", "Nothing answered at that host and port; check the address and the firewall."),
    ("starting up", "The server is starting. Run it again in a minute."),
    ("shutting down", "The server is being stopped. Run it again when it is back."),
    ("recovery mode", "The server recovers from a crash. Run it again when it is back."),
    ("too many", "The server has no connection to spare. Run it again later."),
    ("SYSCALL", "The connection was cut. Run it again."),
    ("closed the connection", "The server is there but ended the connection; its log says why. Run it again."),
    ("reset by peer", "The server is there but ended the connection; its log says why. Run it again."),
)
# These stay as they are until somebody acts.
_CONNECT_HINTS = (
    ("certificate", "Is the host right, and its CA in the file that sslrootcert in CPQ_GRAPH_POSTGRES_URL names?"),
    ("password authentication failed", "Check the user and password in CPQ_GRAPH_POSTGRES_URL."),
    ("no password supplied", "CPQ_GRAPH_POSTGRES_URL names a user that needs a password."),
    ("pg_hba.conf", "The server's pg_hba.conf does not let this user in from here; ask its administrator."),
    ("does not exist", "Check the names of the user and the database in CPQ_GRAPH_POSTGRES_URL."),
    ("resolve host", "Check the host in CPQ_GRAPH_POSTGRES_URL."),
    ("SSL", "Check sslmode and sslrootcert in CPQ_GRAPH_POSTGRES_URL."),
)
_TIMEOUT = (
    "A statement may take 30 minutes, or what options=-c statement_timeout=… in CPQ_GRAPH_POSTGRES_URL says. Is the "
    "server busy, or does the file join without an index?"
)
_CONFLICT = (
    "The standby cancelled it to go on replaying. There, raise max_standby_streaming_delay or set hot_standby_feedback "
    "= on; or read from the primary."
)
_IDLE = (
    "The server ended the connection that keeps the snapshot. It may idle for 6 hours, or what options=-c "
    "idle_in_transaction_session_timeout=… in CPQ_GRAPH_POSTGRES_URL says: raise that."
)
# What may end any statement, also those that set a session up.
_LIMIT_HINTS: tuple[tuple[type[psycopg.Error], str], ...] = (
    (pg.QueryCanceled, _TIMEOUT),
    (pg.IdleInTransactionSessionTimeout, _IDLE),
)
_QUERY_HINTS: tuple[tuple[type[psycopg.Error], str], ...] = (
    *_LIMIT_HINTS,
    (pg.InsufficientPrivilege, "extract/source/grants.sql shows the GRANTs that the role needs."),
    (pg.UndefinedTable, "Correct the table's name in that file, or grant USAGE on its schema."),
    (pg.UndefinedColumn, "Correct the column's name in that file."),
    (pg.SyntaxError, "The file must hold a single SELECT."),
    (pg.LockNotAvailable, "Somebody is altering the table; run it again."),
    (pg.SerializationFailure, _CONFLICT),
    (pg.DiskFull, "The disk of the database server is full; ask its administrator."),
)
# Connections, restarts, conflicts with the standby's replay, deadlocks, locks and resources that others hold.
_TRANSIENT = ("08", "57P0", "25P03", "40", "53", "55P03")
# A standby says why it ends a session, but who is about to write then may see the connection's end only.
_LOST = (
    "The connection was lost. Run it again; what was parsed is kept. A hot standby ends sessions that are in the way "
    "of its replay: if it is one, raise max_standby_streaming_delay there."
)


def connect_failure(error: psycopg.Error) -> SourceError:
    """What a failed connection means. The message never holds the password."""
    text = " ".join(str(error).split())
    for hints, transient in ((_AWAY_HINTS, True), (_CONNECT_HINTS, False)):
        if hint := next((hint for sign, hint in hints if sign in text), None):
            return SourceError(f"cannot connect to PostgreSQL: {text}", hint=hint, transient=transient)
    hint = next((hint for kind, hint in _LIMIT_HINTS if isinstance(error, kind)), "Check CPQ_GRAPH_POSTGRES_URL.")
    return SourceError(f"cannot connect to PostgreSQL: {text}", hint=hint, transient=is_transient(error))


def query_failure(error: psycopg.Error, path: Path, offset: int) -> SourceError:
    """What a failed statement made of the file at `path` means. `offset` is where the file's text begins in it."""
    where, primary = str(path), error.diag.message_primary or " ".join(str(error).split())
    position = int(error.diag.statement_position or 0) - 1 - offset
    if position >= 0:
        text = path.read_text(encoding="utf-8")
        where += f", line {text.count(chr(10), 0, position) + 1}"
    hint = next((hint for kind, hint in _QUERY_HINTS if isinstance(error, kind)), None)
    if hint is None and isinstance(error, psycopg.OperationalError):
        hint = _LOST
    return SourceError(f"{where}: {primary}", hint=hint, transient=is_transient(error))


def is_transient(error: psycopg.Error) -> bool:
    """Whether the same may go well in a moment, on a new connection."""
    if error.sqlstate is None:
        # The connection broke before the server could say why.
        return isinstance(error, psycopg.OperationalError)
    return error.sqlstate.startswith(_TRANSIENT)


@contextmanager
def explained(path: Path, offset: int = 0) -> Iterator[None]:
    """Turns psycopg's exceptions inside the block into `SourceError`s about `path`."""
    try:
        yield
    except psycopg.Error as error:
        raise query_failure(error, path, offset) from None
