"""What the load needs of a machine that keeps Neo4j stores: the only face of `stack` that a stage knows.

A store is one graph on disk. It can be imported into while nothing serves it, then be served at an address of its own,
beside others.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Address:
    """Where a graph answers over Bolt. The password is kept elsewhere. `ca_file` holds the certificates that a server
    with TLS is checked against; None for the system's."""

    uri: str
    user: str
    database: str
    ca_file: Path | None = None


class Store(Protocol):
    """One store. Every method raises StackError or TargetError with what to do next."""

    @property
    def name(self) -> str:
        """Its name, unique on this machine."""
        ...

    @property
    def log_dir(self) -> Path:
        """Where its server and imports log."""
        ...

    def admin(self, arguments: Sequence[str], folder: Path) -> str:
        """Runs `neo4j-admin` with arguments on this store, with `folder` as its working directory, and returns what it
        printed. Raises TargetError with the end of its output when it fails."""
        ...

    def start(self) -> Address:
        """Serves it (or finds it served) and waits until Bolt answers."""
        ...

    def stop(self) -> None:
        """Ends its server, if one runs, and waits until it is gone."""
        ...


class StoreHost(Protocol):
    """The machine that keeps stores."""

    def create(self, name: str) -> Store:
        """A new empty store; one of this name that is left from an interrupted run is cleared away first."""
        ...

    def open(self, name: str) -> Store:
        """An existing store."""
        ...

    def names(self) -> list[str]:
        """The stores there are, sorted."""
        ...

    def delete(self, name: str) -> None:
        """Stops and removes a store."""
        ...
