"""A site's .sql file → a relation that others select from, with its contract checked.

Arrives: the folder of .sql files. Leaves: `SiteQuery`. Checking a contract asks the server to describe the statement
and returns no row.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psycopg

from cpq_graph.errors import SourceError
from extract.contract import Column, Contract
from extract.errors import explained


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement made of a site's file, whose text begins at `offset` in it."""

    sql: bytes
    offset: int


@dataclass(frozen=True, slots=True)
class SiteQuery:
    """One entity's file. `columns` are those of the contract that it returns."""

    contract: Contract
    path: Path
    text: str
    columns: tuple[Column, ...]

    @property
    def relation(self) -> str:
        """The file as a relation called `source`. A per cent sign is doubled, as the driver reads it as a
        parameter; the newline keeps a comment on the last line from swallowing the bracket."""
        return f"({self.text.replace('%', '%%')}\n) AS source"

    def select(self, what: str, rest: str = "") -> "Statement":
        """A statement that selects from it."""
        before = f"SELECT {what} FROM"
        return Statement(" ".join((before, self.relation, rest)).encode(), len(before) + 2)

    @property
    def names(self) -> frozenset[str]:
        """The names of its columns."""
        return frozenset(column.name for column in self.columns)


def read_query(folder: Path, contract: Contract) -> SiteQuery:
    """The file of an entity, its contract not yet checked. Raises SourceError when it is missing or no text."""
    path = folder / contract.file
    try:
        text = path.read_text(encoding="utf-8").rstrip()
    except FileNotFoundError:
        raise SourceError(
            f"{path} is missing", hint="Copy extract/source/ and set CPQ_GRAPH_SOURCE_DIR to your copy."
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"{path} cannot be read: {error}", hint="It must be a text file in UTF-8.") from None
    text = text.removesuffix(";").rstrip()
    return SiteQuery(contract, path, text, tuple(c for c in contract.columns if not c.optional))


def check_contract(connection: psycopg.Connection[tuple[Any, ...]], query: SiteQuery) -> SiteQuery:
    """The query with the columns that it really returns. Raises SourceError that names the file, every column that is
    missing, extra or of another type, what was expected and what came."""
    statement = query.select("*", "LIMIT 0")
    with explained(query.path, statement.offset):
        cursor = connection.execute(statement.sql, ())
        found = [(column.name, column.type_code) for column in cursor.description or ()]
        types = dict(
            connection.execute(
                "SELECT oid::bigint, format_type(oid, NULL) FROM pg_type WHERE oid = ANY(%s)",
                ([oid for _, oid in found],),
            ).fetchall()
        )
    names = [name for name, _ in found]
    returned = {name: types[oid] for name, oid in found}
    expected = {column.name: column for column in query.contract.columns}
    problems = [f"column {name}: not expected, got {returned[name]}" for name in names if name not in expected]
    problems += [f"column {name}: returned {names.count(name)} times" for name in expected if names.count(name) > 1]
    for name, column in expected.items():
        wanted = " or ".join(column.types)
        if name not in returned and not column.optional:
            problems.append(f"column {name}: expected {wanted}, got no such column")
        elif name in returned and returned[name] not in column.types:
            problems.append(f"column {name}: expected {wanted}, got {returned[name]}")
    if problems:
        raise SourceError(
            f"{query.path} does not keep the contract of {query.contract.entity}: " + "; ".join(problems),
            hint="Rename columns with AS and cast types with ::, as the files in extract/source/ do.",
        )
    return replace(query, columns=tuple(column for name, column in expected.items() if name in returned))
