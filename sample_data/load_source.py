"""The sample's rows into PostgreSQL, in a schema of its own.

Arrives: rows by table and the URL of a database. Leaves: schema `cpq`, made anew in one transaction, with the rows, and
with tables of no interest beside; or what another schema's script makes of it.
"""

from collections import defaultdict
from collections.abc import Iterable
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from types import TracebackType

import psycopg
from psycopg import sql
from pydantic import SecretStr

from cpq_graph.errors import SourceError
from extract.url import check_url
from sample_data.rows import COLUMNS, DOCUMENTS, Row

_SCHEMA = Path(__file__).with_name("source.sql")
# What is kept back before it is copied: rows of a narrow table, and bytes of documents.
_ROWS, _BYTES = 5_000, 8_000_000


class SourceLoader(AbstractContextManager["SourceLoader"]):
    """Takes rows one by one and copies them by the batch. Nothing is seen by others before the block ends well.
    `reshape` is a script that puts another schema in the place of `cpq`.

    Raises SourceError when the database cannot be reached or written to.
    """

    def __init__(self, url: str, reshape: Path | None = None) -> None:
        check_url(SecretStr(url))
        try:
            self._connection = psycopg.connect(url)
        except psycopg.Error as error:
            raise SourceError(
                f"the database for the sample cannot be reached: {error}",
                hint="Check the URL: postgresql://user:password@host:port/database.",
            ) from None
        self._reshape = reshape
        self._kept: dict[str, list[Row]] = defaultdict(list)
        self._bytes = 0

    def __enter__(self) -> "SourceLoader":
        self._run(_SCHEMA.read_text(encoding="utf-8"))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                for table in COLUMNS:
                    self._copy(table)
                self._run(_NOISE)
                if self._reshape is not None:
                    self._run(self._reshape.read_text(encoding="utf-8"))
                self._connection.commit()
                self._connection.autocommit = True
                self._run("ANALYZE")
        finally:
            self._connection.close()

    def add(self, table: str, row: Row) -> None:
        """Takes a row of a table, its values in the order of `COLUMNS`."""
        kept = self._kept[table]
        kept.append(row)
        if table == DOCUMENTS:
            self._bytes += sum(len(value) for value in row if value is not None)
        if len(kept) >= _ROWS or (table == DOCUMENTS and self._bytes >= _BYTES):
            self._copy(table)

    def add_all(self, rows: Iterable[tuple[str, Row]]) -> None:
        """Takes many rows with their tables."""
        for table, row in rows:
            self.add(table, row)

    def _run(self, statements: str) -> None:
        try:
            self._connection.execute(statements.encode())
        except psycopg.Error as error:
            raise SourceError(f"the sample's schema cannot be made: {error}") from None

    def _copy(self, table: str) -> None:
        columns = sql.SQL(", ").join(map(sql.Identifier, COLUMNS[table]))
        binary = table == DOCUMENTS
        statement = sql.SQL("COPY {}.{} ({}) FROM STDIN{}").format(
            sql.Identifier("cpq"), sql.Identifier(table), columns, sql.SQL(" (FORMAT binary)" if binary else "")
        )
        try:
            with self._connection.cursor().copy(statement) as copy:
                if binary:
                    copy.set_types(["int8", "text", "text", "bytea", "timestamptz"])
                    for number, item, name, body, changed in self._kept[table]:
                        copy.write_row((int(number or 0), item, name, body, _instant(changed)))
                else:
                    for row in self._kept[table]:
                        copy.write_row(row)
        except psycopg.Error as error:
            raise SourceError(f"cpq.{table} of the sample cannot be filled: {error}") from None
        self._kept[table].clear()
        if binary:
            self._bytes = 0


def _instant(text: str | bytes | None) -> datetime:
    return datetime.fromisoformat(str(text))


# A few rows where nobody should look: drafts and archived offers that must not be loaded.
_NOISE = """
INSERT INTO cpq.quote_archive SELECT * FROM cpq.quote ORDER BY quote_no LIMIT 20;
INSERT INTO cpq.item_file_draft SELECT * FROM cpq.item_file ORDER BY file_no LIMIT 5;
INSERT INTO cpq.translation (id, code, payload) SELECT n, 'T' || n, 'käännös' FROM generate_series(1, 500) n;
INSERT INTO cpq.price_list_row (id, code, payload) SELECT n, 'R' || n, (n * 1.1)::text FROM generate_series(1, 500) n;
INSERT INTO cpq.audit_log (id, code, payload) SELECT n, 'login', 'user ' || n % 7 FROM generate_series(1, 500) n;
"""
