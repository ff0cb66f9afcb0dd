"""Documents of an open snapshot → streams of bytes.

Arrives: a connection on the snapshot and the configurations that are wanted. Leaves: (digest, open) pairs, in the
order of the reading; `open()` gives the document's bytes in pieces and may be called again, for a second look at the
whole. Small documents come in batches; one over `WHOLE_MAX` bytes is read in pieces, so that memory stays flat.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import psycopg

from extract.errors import explained
from extract.query import SiteQuery

# Documents up to this size are read whole, larger ones by the piece.
WHOLE_MAX = 8 << 20
PIECE = 4 << 20


@dataclass(frozen=True, slots=True)
class Configuration:
    """One document to read. `bytes` is its stored size."""

    id: str
    product_id: str
    bytes: int
    digest: str


Document = tuple[str, Callable[[], Iterator[bytes]]]


def stream_documents(
    connection: psycopg.Connection[tuple[Any, ...]], query: SiteQuery, wanted: Sequence[Configuration]
) -> Iterator[Document]:
    """Each of `wanted` once. Large ones come last. Raises SourceError."""
    small = {configuration.id: configuration for configuration in wanted if configuration.bytes <= WHOLE_MAX}
    statement = query.select("source.id, source.document", "WHERE source.product_id = ANY(%s) AND source.id = ANY(%s)")
    if small:
        products = [configuration.product_id for configuration in small.values()]
        with explained(query.path, statement.offset), connection.cursor(binary=True) as cursor:
            # One row at a time: a batch of rows would be a batch of documents in memory.
            for key, document in cursor.stream(statement.sql, (products, list(small)), binary=True):
                yield small[key].digest, partial(_whole, document)
    for configuration in wanted:
        if configuration.bytes > WHOLE_MAX:
            yield configuration.digest, partial(_pieces, connection, query, configuration)


def _whole(document: bytes) -> Iterator[bytes]:
    yield document


def _pieces(
    connection: psycopg.Connection[tuple[Any, ...]], query: SiteQuery, configuration: Configuration
) -> Iterator[bytes]:
    statement = query.select(
        "substring(source.document FROM %s FOR %s)", "WHERE source.product_id = %s AND source.id = %s"
    )
    for start in range(1, configuration.bytes + 1, PIECE):
        parameters = (start, PIECE, configuration.product_id, configuration.id)
        with explained(query.path, statement.offset), connection.cursor(binary=True) as cursor:
            row = cursor.execute(statement.sql, parameters).fetchone()
        yield row[0] if row else b""
