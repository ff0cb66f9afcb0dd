"""The error tree. Each class says whose turn it is, and carries the exit code of a command that ends with it.

    CpqGraphError            what every expected failure is; printed without a traceback, exit code 1
    ├── ConfigurationError   a setting, file or argument is wrong; the user mends it
    ├── SourceError          PostgreSQL cannot be read, or does not keep an entity's contract
    ├── DataError            the data is worse than allowed (too many rejects, totals that do not add up)
    ├── TargetError          Neo4j cannot be reached, imported into, checked or switched
    ├── StackError           this machine cannot do it: a local server does not start, a disk is full
    ├── ArtifactsError       context artifacts are missing, damaged, or of another graph
    ├── BusyError            another run is under way
    ├── PlanError            a plan of a question means nothing on this model
    └── QueryError           Neo4j refuses a query or gives it up
        ├── QueryTimeoutError   it ran longer than allowed
        ├── QueryMemoryError   it needed more memory than allowed
        └── QuerySyntaxError   it is not valid Cypher, or names what is not there

A message says what failed, where, and what to do next; `hint` is that last part, on a line of its own. `transient` ones
may be gone in a moment (a connection cut, a server that restarts, a deadlock), so they are worth another try.
"""


class CpqGraphError(Exception):
    """An expected failure. `kind` is the word that reports and exit messages use for it."""

    kind = "failure"

    def __init__(self, message: str, *, hint: str | None = None, transient: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.transient = transient

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
    """This machine cannot do what is asked: run a local server, write a file."""

    kind = "stack"


class ArtifactsError(CpqGraphError):
    """Context artifacts cannot be used with this graph."""

    kind = "artifacts"


class BusyError(CpqGraphError):
    """Another run is under way."""

    kind = "busy"


class PlanError(CpqGraphError):
    """A plan is ill-formed: a field that its rows do not have, a missing role, a comparison of unlike types."""

    kind = "plan"


class QueryError(CpqGraphError):
    """Neo4j refuses a query or gives it up."""

    kind = "query"


class QueryTimeoutError(QueryError):
    """A query ran longer than allowed."""


class QueryMemoryError(QueryError):
    """A query needed more memory than the server gives it."""


class QuerySyntaxError(QueryError):
    """A query is not valid Cypher. `line` and `column` (from 1) say where, when the server does."""

    def __init__(
        self, message: str, *, line: int | None = None, column: int | None = None, hint: str | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.line = line
        self.column = column
