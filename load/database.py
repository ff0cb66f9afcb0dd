"""One Neo4j database over Bolt, as the stages of the load use it.

Arrives: an address. Leaves: a `Database`, whose methods run a statement and whose errors are TargetErrors that say
what was asked of whom.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import neo4j
from neo4j import READ_ACCESS, WRITE_ACCESS, Driver, ManagedTransaction, Record
from neo4j.exceptions import DriverError, Neo4jError

from cpq_graph.bolt import open_driver, unreachable
from cpq_graph.errors import TargetError
from cpq_graph.servers import Address

Parameters = Mapping[str, Any]
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Database:
    """A database that answers. Not safe to share between threads, except for `driver`."""

    driver: Driver = field(repr=False)
    name: str
    uri: str

    def stream(self, cypher: str, parameters: Parameters | None = None) -> Iterator[Record]:
        """The rows of a reading statement as they arrive, so that a result may be larger than memory."""
        with self._session(READ_ACCESS) as session, self._explained(cypher):
            yield from session.run(cypher, dict(parameters or {}))

    def rows(self, cypher: str, parameters: Parameters | None = None) -> list[dict[str, Any]]:
        """All rows of a reading statement."""
        return [record.data() for record in self.stream(cypher, parameters)]

    def write(self, cypher: str, parameters: Parameters | None = None) -> neo4j.ResultSummary:
        """Runs a writing statement in a managed transaction, which the driver repeats after transient errors."""
        with self._session(WRITE_ACCESS) as session, self._explained(cypher):
            return session.execute_write(lambda tx: tx.run(cypher, dict(parameters or {})).consume())

    def transact(self, work: Callable[[ManagedTransaction], Result]) -> Result:
        """Runs several statements in one managed transaction, which the driver repeats after transient errors."""
        with self._session(WRITE_ACCESS) as session, self._explained("(a transaction)"):
            return session.execute_write(work)

    def run(self, cypher: str, parameters: Parameters | None = None) -> list[dict[str, Any]]:
        """Runs a statement that manages its own transactions (schema changes, CALL … IN TRANSACTIONS)."""
        with self._session(WRITE_ACCESS) as session, self._explained(cypher):
            return [record.data() for record in session.run(cypher, dict(parameters or {}))]

    def _session(self, mode: str) -> neo4j.Session:
        return self.driver.session(database=self.name, default_access_mode=mode, fetch_size=10_000)

    @contextmanager
    def _explained(self, cypher: str) -> Iterator[None]:
        try:
            yield
        except (Neo4jError, DriverError) as error:
            raise TargetError(
                f"{self.uri} (database {self.name}): {error}\nwhile running: {cypher.strip().splitlines()[0][:200]}",
                hint=_hint(error),
                transient=error.is_retryable(),
            ) from error


@contextmanager
def connect(address: Address, password: str = "") -> Iterator[Database]:
    """Connects and checks that the server answers. Raises TargetError when it does not."""
    try:
        with open_driver(address, password, user_agent="cpq-graph", notifications_min_severity="OFF") as driver:
            driver.verify_connectivity()
            yield Database(driver, address.database, address.uri)
    except (Neo4jError, DriverError) as error:
        failure = unreachable(address, error)
        failure.transient = error.is_retryable()
        raise failure from error


def _hint(error: Neo4jError | DriverError) -> str:
    if error.is_retryable():
        return "The connection was lost, or the server is restarting or busy. Run it again: it goes on from there."
    return "Run it again; the same again: look into the server's log."
