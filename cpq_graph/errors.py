"""The error tree. Each class says whose turn it is, and carries the exit code of a command that ends with it.

    CpqGraphError            what every expected failure is; printed without a traceback, exit code 1
    ├── ConfigurationError   a setting, file or argument is wrong; the user mends it
    ├── SourceError          PostgreSQL cannot be read, or does not keep an entity's contract
    ├── DataError            the data is worse than allowed (too many rejects, totals that do not add up)
    ├── TargetError          Neo4j cannot be reached, imported into, checked or switched
    ├── StackError           a local server cannot be installed, started or stopped
    ├── ArtifactsError       context artifacts are missing, damaged, or of another graph
    └── BusyError            another run is under way

A message says what failed, where, and what to do next; `hint` is that last part, on a line of its own.
"""


class CpqGraphError(Exception):
    """An expected failure. `kind` is the word that reports and exit messages use for it."""

    kind = "failure"

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message}\n{self.hint}"


class ConfigurationError(CpqGraphError):
    """A setting, file or argument is wrong."""

    kind = "configuration"


class SourceError(CpqGraphError):
    """PostgreSQL cannot be read as agreed."""

    kind = "source"


class DataError(CpqGraphError):
    """The data is worse than allowed."""

    kind = "data"


class TargetError(CpqGraphError):
    """Neo4j cannot be loaded or read."""

    kind = "target"


class StackError(CpqGraphError):
    """A local server cannot be run."""

    kind = "stack"


class ArtifactsError(CpqGraphError):
    """Context artifacts cannot be used with this graph."""

    kind = "artifacts"


class BusyError(CpqGraphError):
    """Another run is under way."""

    kind = "busy"
