"""Documents of an open snapshot → streams of bytes.

Arrives: a connection on the snapshot and the configurations that are wanted. Leaves: (digest, open) pairs, in the
order of the reading; `open()` gives the document's bytes in pieces and may be called again, for a second look at the
whole. Small documents come in batches; one over `WHOLE_MAX` bytes is read in pieces, so that memory stays flat.
"""

import hashlib
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
    where = "WHERE source.product_id = ANY(%s) AND source.id = ANY(%s)"
    keys = [[configuration.product_id for configuration in wanted], [configuration.id for configuration in wanted]]
    twins = _twins(connection, query, where, keys)
    statement = query.select("source.id, source.product_id, source.document", where)
    if small:
        products = [configuration.product_id for configuration in small.values()]
        with explained(query.path, statement.offset), connection.cursor(binary=True) as cursor:
            # One row at a time: a batch of rows would be a batch of documents in memory.
            for key, product, document in cursor.stream(statement.sql, (products, list(small)), binary=True):
                if key in small and _is_of(small[key], product, document, has_twins=key in twins):
                    yield small.pop(key).digest, partial(_whole, document)
    for configuration in wanted:
        if configuration.bytes > WHOLE_MAX:
            read = partial(_pieces, connection, query, configuration, has_twins=configuration.id in twins)
            yield configuration.digest, read


def _twins(
    connection: psycopg.Connection[tuple[Any, ...]], query: SiteQuery, where: str, keys: list[list[str]]
) -> set[str]:
    """Ids that the query returns more than once: their documents have to be told apart by what they are."""
    statement = query.select("source.id", f"{where} GROUP BY source.id HAVING count(*) > 1")
    with explained(query.path, statement.offset), connection.cursor() as cursor:
        return {key for (key,) in cursor.execute(statement.sql, keys)}


def _is_of(configuration: Configuration, product: str, document: bytes | None, *, has_twins: bool) -> bool:
    if document is None or (product, len(document)) != (configuration.product_id, configuration.bytes):
        return False
    return not has_twins or hashlib.sha256(document).hexdigest() == configuration.digest


def _whole(document: bytes) -> Iterator[bytes]:
    yield document


def _pieces(
    connection: psycopg.Connection[tuple[Any, ...]], query: SiteQuery, configuration: Configuration, *, has_twins: bool
) -> Iterator[bytes]:
    where = "WHERE source.product_id = %s AND source.id = %s"
    which: list[str | int] = [configuration.product_id, configuration.id]
    if has_twins:
        # Hashed anew for each piece, but only there.
        where += " AND octet_length(source.document) = %s AND encode(sha256(source.document), 'hex') = %s LIMIT 1"
        which += [configuration.bytes, configuration.digest]
    statement = query.select("substring(source.document FROM %s FOR %s)", where)
    for start in range(1, configuration.bytes + 1, PIECE):
        with explained(query.path, statement.offset), connection.cursor(binary=True) as cursor:
            row = cursor.execute(statement.sql, (start, PIECE, *which)).fetchone()
        yield row[0] if row else b""
