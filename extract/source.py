"""One consistent look at PostgreSQL.

Arrives: the database's URL and the folder of the site's .sql files. Leaves: the narrow tables as frames, a census of
the configurations, and their documents as streams of bytes. All are read in one read-only REPEATABLE READ
transaction, and parallel readers attach to its exported snapshot, so that a sale which is being written meanwhile is
wholly in or wholly out.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl
import psycopg
from psycopg import IsolationLevel
from psycopg import sql as pgsql
from pydantic import SecretStr

from cpq_graph.errors import SourceError
from cpq_graph.manifest import Snapshot
from extract.contract import CONFIGURATION, CONTRACTS
from extract.documents import Configuration, Document, stream_documents
from extract.errors import connect_failure, explained
from extract.query import SiteQuery, Statement, check_contract, read_query
from extract.url import check_url

APPLICATION = "cpq-graph"
# The statement timeout bounds a server that hangs, not a big table. The transaction that keeps the snapshot idles
# while others read, so a server's own idle timeout must not end it, but an abandoned one must.
_SESSION = {
    "statement_timeout": "30min",
    "lock_timeout": "10s",
    "idle_in_transaction_session_timeout": "6h",
    "timezone": "UTC",
    "datestyle": "ISO, YMD",
    "extra_float_digits": "1",
}
_BATCH = 5_000


def _connect(url: SecretStr) -> psycopg.Connection[tuple[Any, ...]]:
    """A connection whose transactions are read-only snapshots. What the URL's own `options` set stays as it is."""
    check_url(url)
    try:
        connection = psycopg.connect(
            url.get_secret_value(), application_name=APPLICATION, connect_timeout=10, keepalives_idle=30
        )
        for name, value in _SESSION.items():
            if f"{name}=" not in connection.info.options:
                connection.execute("SELECT set_config(%s, %s, false)", (name, value))
        connection.commit()
    except psycopg.Error as error:
        raise connect_failure(error) from None
    connection.isolation_level = IsolationLevel.REPEATABLE_READ
    connection.read_only = True
    return connection


@dataclass(frozen=True, slots=True)
class Source:
    """An open snapshot. Every method raises SourceError that names the file and what is wrong."""

    snapshot: Snapshot
    url: SecretStr
    folder: Path
    connection: psycopg.Connection[tuple[Any, ...]]
    queries: dict[str, SiteQuery]

    def table(self, entity: str) -> pl.DataFrame:
        """All rows of an entity, ordered by id. Columns are the contract's without `document`; dates are ISO text;
        `updated_at` is there when the site's file returns it."""
        query = self.queries[entity]
        columns = [column for column in query.columns if column.name != "document"]
        return self._frame(
            query,
            query.select(", ".join(c.selected for c in columns), "ORDER BY source.id"),
            {c.name: c.polars for c in columns},
        )

    def configurations(self) -> pl.DataFrame:
        """One row per configuration: id, product_id, bytes (of the stored document; null where it is NULL), ordered
        by id. The documents themselves are not read."""
        query = self.queries[CONFIGURATION.entity]
        schema: dict[str, Any] = {"id": pl.String, "product_id": pl.String, "bytes": pl.Int64}
        names = "source.id, source.product_id, octet_length(source.document)::bigint"
        if "updated_at" in query.names:
            schema["updated_at"] = pl.String
            names += ", source.updated_at::text"
        return self._frame(query, query.select(names, "ORDER BY source.id"), schema)

    def digests(self, configurations: pl.DataFrame, *, batch_bytes: int = 64 << 20) -> pl.DataFrame:
        """The rows of `configurations` (id, product_id, bytes) whose document is not NULL, with `digest`: SHA-256 as
        hex, computed by the server, so that a document which was parsed before never travels."""
        query = self.queries[CONFIGURATION.entity]
        statement = query.select(
            "source.id, source.product_id, octet_length(source.document)::bigint, "
            "encode(sha256(source.document), 'hex')",
            "WHERE source.product_id = ANY(%s) AND source.id = ANY(%s)",
        )
        key = ["id", "product_id", "bytes"]
        wanted = configurations.filter(pl.col("bytes").is_not_null()).sort("product_id", "id")
        schema = {"id": pl.String, "product_id": pl.String, "bytes": pl.Int64, "digest": pl.String}
        batches = wanted.with_columns(batch=pl.col("bytes").cum_sum() // batch_bytes).partition_by("batch")
        digests = [
            self._frame(query, statement, schema, [batch["product_id"].to_list(), batch["id"].to_list()])
            for batch in batches
        ]
        found = pl.concat(digests) if digests else pl.DataFrame(schema=schema)
        # A query may return an id twice. The row that counts is known by all but its document, so the first is taken.
        found = found.sort("digest").unique(key, keep="first")
        return wanted.select(key).join(found, on=key, how="inner", maintain_order="left", validate="1:1")

    def reader(self) -> "SnapshotReader":
        """What a worker process needs to read documents of this snapshot; it can be pickled."""
        return SnapshotReader(self.url, self.folder, self.snapshot.name)

    def _frame(
        self, query: SiteQuery, statement: Statement, schema: dict[str, Any], parameters: Sequence[object] = ()
    ) -> pl.DataFrame:
        frames = []
        with explained(query.path, statement.offset), self.connection.cursor(binary=True) as cursor:
            rows = cursor.stream(statement.sql, parameters, binary=True, size=_BATCH)
            while batch := list(islice(rows, 20_000)):
                frames.append(pl.DataFrame(dict(zip(schema, zip(*batch, strict=True), strict=True)), schema=schema))
        return pl.concat(frames) if frames else pl.DataFrame(schema=schema)


@contextmanager
def open_source(url: SecretStr, folder: Path) -> Iterator[Source]:
    """Opens the snapshot and checks every file's contract before anything is read. Raises SourceError."""
    connection = _connect(url)
    try:
        snapshot = _export_snapshot(connection)
        yield Source(snapshot, url, folder, connection, _checked_queries(connection, folder))
    finally:
        connection.close()


def _checked_queries(connection: psycopg.Connection[tuple[Any, ...]], folder: Path) -> dict[str, SiteQuery]:
    """The site's files by entity. Raises SourceError about all that are wrong, not the first alone."""
    queries: dict[str, SiteQuery] = {}
    errors: list[SourceError] = []
    for entity, contract in CONTRACTS.items():
        try:
            # A savepoint: what fails in it does not end the transaction that has the snapshot.
            with connection.transaction():
                queries[entity] = check_contract(connection, read_query(folder, contract))
        except SourceError as error:
            if error.transient:
                raise
            errors.append(error)
    if len(errors) > 1:
        hints = dict.fromkeys(error.hint for error in errors if error.hint)
        raise SourceError("\n".join(error.message for error in errors), hint="\n".join(hints) or None)
    if errors:
        raise errors[0]
    return queries


def _export_snapshot(connection: psycopg.Connection[tuple[Any, ...]]) -> Snapshot:
    try:
        row = connection.execute("SELECT pg_export_snapshot(), now(), current_database()").fetchone()
    except psycopg.Error as error:
        raise connect_failure(error) from None
    name, taken_at, database = row or ("", datetime.min, "")
    return Snapshot(taken_at=taken_at, name=name, database=database)


@dataclass(frozen=True, slots=True)
class SnapshotReader:
    """Reads documents in a process of its own, on the snapshot that another connection exported and keeps open."""

    url: SecretStr
    folder: Path
    snapshot: str

    def documents(self, wanted: Sequence[Configuration]) -> Iterator[Document]:
        """Streams the documents of `wanted` as (digest, open) pairs; see `extract.documents.stream_documents`."""
        query = read_query(self.folder, CONFIGURATION)
        connection = _connect(self.url)
        try:
            self._attach(connection)
            yield from stream_documents(connection, query, wanted)
        finally:
            connection.close()

    def _attach(self, connection: psycopg.Connection[tuple[Any, ...]]) -> None:
        try:
            connection.execute(pgsql.SQL("SET TRANSACTION SNAPSHOT {}").format(self.snapshot))
        except psycopg.Error as error:
            raise SourceError(
                f"the snapshot that all read from is gone: {' '.join(str(error).split())}",
                hint="The connection that kept it was ended. Run it again; what was parsed is kept.",
                transient=True,
            ) from None
