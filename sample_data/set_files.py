"""A sample as a folder of files: rows, documents, ground truth.

Arrives: rows by table, lines of truth. Leaves, in the folder:
    <table>.jsonl        the rows of a table, one JSON array a line; in item_file.jsonl a document's size stands for it
    documents.xz         the documents, one after the other, in the order of item_file.jsonl
    dump.txt.xz          the canonical dump that the graph must give, sorted
    rejects.jsonl.xz     the rejects: table, key, place, reason, level, outcome, label; sorted
    summary.json         counts and totals
The same sample gives the same files, byte for byte, on the same versions of the compressors.
"""

import hashlib
import heapq
import json
import lzma
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from types import TracebackType
from typing import IO

from sample_data.rows import COLUMNS, DOCUMENTS, Row
from sample_data.truth import as_json

_BODY = COLUMNS[DOCUMENTS].index("body")


class SetWriter(AbstractContextManager["SetWriter"]):
    """Writes the rows and documents into a folder. `preset` is how hard to compress (0 to 9)."""

    def __init__(self, folder: Path, preset: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._stack = ExitStack()
        self._tables: dict[str, IO[str]] = {
            table: self._stack.enter_context((folder / f"{table}.jsonl").open("w", encoding="utf-8", newline="\n"))
            for table in COLUMNS
        }
        self._documents = lzma.LZMAFile(folder / "documents.xz", "wb", preset=preset)  # noqa: SIM115 - next line
        self._stack.enter_context(self._documents)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def add(self, table: str, row: Row) -> None:
        """Takes a row of a table, its values in the order of the table's columns."""
        values: list[object] = list(row)
        if table == DOCUMENTS:
            body = row[_BODY]
            if isinstance(body, bytes):
                self._documents.write(body)
                values[_BODY] = len(body)
        self._tables[table].write(as_json(values) + "\n")


def read_rows(folder: Path) -> Iterator[tuple[str, Row]]:
    """The rows of a folder, table by table, documents last and one at a time."""
    for table in COLUMNS:
        with (folder / f"{table}.jsonl").open(encoding="utf-8", newline="\n") as rows, ExitStack() as stack:
            documents = stack.enter_context(lzma.LZMAFile(folder / "documents.xz")) if table == DOCUMENTS else None
            for line in rows:
                values = json.loads(line)
                if documents is not None and values[_BODY] is not None:
                    values[_BODY] = documents.read(values[_BODY])
                yield table, tuple(values)


class SortedLines(AbstractContextManager["SortedLines"]):
    """Takes lines in any order and writes them sorted, in bounded memory."""

    def __init__(self, at_once: int = 300_000) -> None:
        self._at_once = at_once
        self._lines: list[str] = []
        self._stack = ExitStack()
        self._pieces: list[IO[str]] = []

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def add(self, line: str) -> None:
        """Takes a line, without its end."""
        self._lines.append(line)
        if len(self._lines) >= self._at_once:
            piece = tempfile.TemporaryFile("w+", encoding="utf-8", newline="\n")  # noqa: SIM115 - next line
            self._stack.enter_context(piece)
            piece.writelines(f"{kept}\n" for kept in sorted(self._lines))
            piece.seek(0)
            self._pieces.append(piece)
            self._lines.clear()

    def write(self, path: Path, preset: int) -> str:
        """Writes all lines, compressed, and gives the sha256 of their text."""
        digest = hashlib.sha256()
        last = (f"{line}\n" for line in sorted(self._lines))
        with lzma.open(path, "wb", preset=preset) as out:
            # With their ends on, lines would sort differently where one begins with another.
            for line in heapq.merge(*self._pieces, last, key=lambda text: text[:-1]):
                data = line.encode()
                digest.update(data)
                out.write(data)
        return digest.hexdigest()
