"""A primary with a hot standby that would rather replay than let a query end.

Arrives: a folder. Leaves: a primary that can be written to, and the standby's URL.
"""

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

from stack.postgres import Cluster

_REPLICATION = "-c wal_level=replica -c max_wal_senders=4 -c hot_standby_feedback=off -c autovacuum=off"
_IMPATIENT = f"{_REPLICATION} -c max_standby_streaming_delay=0 -c max_standby_archive_delay=0"


@dataclass(frozen=True)
class Pair:
    """Both of them, by URL."""

    primary: str
    standby: str

    def follow(self) -> None:
        """Waits until the standby has all that the primary has."""
        with psycopg.connect(self.primary, autocommit=True) as primary, psycopg.connect(self.standby) as standby:
            row = primary.execute("SELECT pg_current_wal_lsn()").fetchone()
            for _ in range(600):
                found = standby.execute("SELECT pg_last_wal_replay_lsn() >= %s", row).fetchone()
                standby.rollback()
                if found and found[0]:
                    return
                threading.Event().wait(0.05)
        raise AssertionError("the standby does not follow")

    @contextmanager
    def conflicts(self, *, every_s: float = 0.1) -> Iterator[threading.Event]:
        """Removes rows over and over that older snapshots still see, until the event is set or the block ends."""
        over = threading.Event()

        def churn() -> None:
            with psycopg.connect(self.primary, autocommit=True) as connection:
                while not over.wait(every_s):
                    connection.execute("UPDATE cpq.quote SET remarks = clock_timestamp()::text")
                    connection.execute("VACUUM cpq.quote")

        thread = threading.Thread(target=churn, daemon=True)
        thread.start()
        try:
            yield over
        finally:
            over.set()
            thread.join()


@contextmanager
def standby_pair(folder: Path) -> Iterator[Pair]:
    """A primary and its standby for as long as the block lasts."""
    with ExitStack() as stack:
        first = Cluster(folder / "primary", durable=False, options=_REPLICATION)
        stack.callback(first.remove)
        primary = first.start()
        second = Cluster(folder / "standby", durable=False, options=_IMPATIENT)
        stack.callback(second.remove)
        second.copy(first)
        yield Pair(primary, second.start())
