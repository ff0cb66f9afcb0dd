"""Parts: what documents gave, kept by what they are, so that the same document is never parsed twice.

Arrives: documents as streams of bytes, by digest. Leaves: folders `<data_dir>/parts/<version>/<part>/` of Parquet
files, one or more for each table, and `documents.parquet`, which says which documents are in the part and what became
of each. A part appears whole or not at all: it is written under another name, and renamed. `<version>` changes with
the mapping and with this code, and what another version wrote is never read.
"""

import gc
import hashlib
import json
import logging
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from cpq_graph.model import MODEL
from cpq_graph.site import XmlMapping
from transform.collected import Rows
from transform.documents import Undeclared, decode_document
from transform.frames import TABLES, Framer
from transform.kinds import read_kinds
from transform.parse import DocumentParser, Faulty, Flattener
from transform.rejects import Refused

log = logging.getLogger(__name__)

# Raise it when the same document would give other rows.
CODE_VERSION = 4
# Rows that are held before they are written: memory (about 1 kB each, in the end) against the number of files.
ROWS_MAX = 60_000
DOCUMENTS = "documents"
# What became of each document: `document` keys its rows in the other tables; `reason` is null when they count.
DOCUMENTS_SCHEMA: dict[str, type[pl.DataType]] = {
    "digest": pl.String,
    "document": pl.UInt64,
    "reason": pl.String,
    "detail": pl.String,
}
_MANIFEST = "part.json"

# A document's digest, and how to read its bytes: it may have to be read twice.
Document = tuple[str, Callable[[], Iterator[bytes]]]


def parts_version(mapping: XmlMapping) -> str:
    """What a part must have been made by, to be good now."""
    return hashlib.sha256(f"{CODE_VERSION} {MODEL.version} {mapping.digest}".encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class PartResult:
    """One part that was written: its name, how many documents, stored bytes and rows went into it."""

    name: str
    documents: int
    refused: int
    bytes: int
    rows: int
    seconds: float


@dataclass(frozen=True, slots=True)
class PartStore:
    """The parts of one version."""

    folder: Path

    @classmethod
    def open(cls, data_dir: Path, mapping: XmlMapping) -> "PartStore":
        """The store for a mapping; made when it is not there."""
        folder = data_dir / "parts" / parts_version(mapping)
        folder.mkdir(parents=True, exist_ok=True)
        return cls(folder)

    def documents(self) -> pl.DataFrame:
        """All documents there are, one row per digest: digest, document, reason, detail, part. A damaged part is
        deleted, as if it had never been written."""
        frames = []
        for path in sorted(self.folder.iterdir()):
            if path.name.startswith("."):
                continue
            if not _is_whole(path):
                log.warning("part %s is damaged and will be parsed again", path.name)
                shutil.rmtree(path)
                continue
            frames.append(
                pl.read_parquet(path / f"{DOCUMENTS}.parquet", glob=False).with_columns(part=pl.lit(path.name))
            )
        schema = DOCUMENTS_SCHEMA | {"part": pl.String}
        found = pl.concat(frames) if frames else pl.DataFrame(schema=schema)
        return found.unique("digest", keep="first", maintain_order=True)

    def scan(self, table: str, parts: Iterable[str]) -> pl.LazyFrame:
        """A table over several parts. Rows of refused documents are among them: join with `documents`."""
        paths = [path for part in sorted(parts) for path in sorted((self.folder / part).glob(f"{table}.*.parquet"))]
        if not paths:
            return pl.LazyFrame(schema=TABLES[table])
        return pl.scan_parquet(paths, glob=False)

    def prune(self, wanted: Iterable[str]) -> int:
        """Deletes the parts that hold none of the digests `wanted`, what interrupted runs and other versions left.
        Returns how many."""
        used = set(self.documents().filter(pl.col("digest").is_in(list(wanted)))["part"])
        others = [path for path in self.folder.parent.iterdir() if path != self.folder]
        unused = [path for path in self.folder.iterdir() if path.name not in used] + others
        for path in unused:
            shutil.rmtree(path)
        return len(unused)


def _is_whole(part: Path) -> bool:
    try:
        sizes = json.loads((part / _MANIFEST).read_bytes())
        return all((part / name).stat().st_size == size for name, size in sizes.items())
    except (OSError, ValueError):
        return False


def missing_documents(store: PartStore, census: pl.DataFrame) -> pl.DataFrame:
    """One row per document of `census` (id, product_id, bytes, digest) that no part has: the first configuration that
    holds it."""
    known = store.documents().select("digest")
    return census.unique("digest", keep="first", maintain_order=True).join(known, on="digest", how="anti")


def partition(missing: pl.DataFrame, part_mb: int) -> list[pl.DataFrame]:
    """Cuts documents into pieces of work of about `part_mb`, in the order given; one larger than that stands alone."""
    size = part_mb << 20
    batch = (pl.col("bytes").cum_sum() - pl.col("bytes")) // size
    return missing.with_columns(batch=batch).partition_by("batch", include_key=False, maintain_order=True)


def parse_part(documents: Iterable[Document], mapping: XmlMapping, data_dir: Path) -> PartResult:
    """Parses documents into one new part. Raises nothing for what is wrong with a document."""
    started = time.perf_counter()
    store = PartStore.open(data_dir, mapping)
    writer = _PartWriter(store.folder / f".{os.getpid()}-{time.monotonic_ns()}")
    parser = DocumentParser(read_kinds(mapping), writer)
    # Rows make no cycles; looking for some in millions of them costs a tenth of the time.
    collecting = gc.isenabled()
    gc.disable()
    try:
        for digest, read in documents:
            writer.add(digest, read, parser)
        name = writer.finish()
    except BaseException:
        shutil.rmtree(writer.folder, ignore_errors=True)
        raise
    finally:
        if collecting:
            gc.enable()
    refused = sum(reason is not None for _, _, reason, _ in writer.documents)
    seconds = time.perf_counter() - started
    return PartResult(name, len(writer.documents), refused, writer.read, writer.written, seconds)


def document_key(digest: str, attempt: int) -> int:
    """A document's key in the tables of a part: 64 bits, other ones for each attempt at reading it."""
    return int.from_bytes(hashlib.sha256(f"{digest}:{attempt}".encode()).digest()[:8], "big")


@dataclass(slots=True)
class _PartWriter:
    folder: Path
    rows: Rows = field(default_factory=Rows)
    framer: Framer = field(default_factory=Framer)
    documents: list[tuple[str, int, str | None, str | None]] = field(default_factory=list)
    read: int = 0
    written: int = 0
    batches: int = 0

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True)

    def add(self, digest: str, read: Callable[[], Iterator[bytes]], parser: DocumentParser) -> None:
        """Parses one document, which may take several looks."""
        reason = detail = None
        attempt, undeclared, as_it_is = 0, "utf-8", False
        while True:
            key = document_key(digest, attempt)
            try:
                parser.parse(
                    key, decode_document(self._counted(read(), attempt), undeclared=undeclared), as_it_is=as_it_is
                )
            except Undeclared:
                undeclared = "cp1252"
            except Faulty:
                as_it_is = True
            except Refused as refused:
                reason, detail = refused.reason.value, refused.detail
                break
            else:
                break
            attempt += 1
        self.documents.append((digest, key, reason, detail))

    def relieve(self, target: Flattener) -> None:
        """Writes when much is held, in the middle of a document as well."""
        if self.rows.size >= ROWS_MAX:
            target.close_run()
            self._write(target.open_serials())

    def finish(self) -> str:
        """Writes the rest and lets the part appear. Returns its name, which follows from the documents in it."""
        self._write([])
        documents = pl.DataFrame(self.documents, schema=DOCUMENTS_SCHEMA, orient="row")
        documents.write_parquet(self.folder / f"{DOCUMENTS}.parquet")
        name = hashlib.sha256("".join(sorted(documents["digest"])).encode()).hexdigest()[:24]
        sizes = {path.name: path.stat().st_size for path in sorted(self.folder.iterdir())}
        (self.folder / _MANIFEST).write_text(json.dumps(sizes))
        for path in self.folder.iterdir():
            _sync(path)
        target = self.folder.with_name(name)
        if target.exists():
            shutil.rmtree(target)
        self.folder.rename(target)
        _sync(target.parent)
        return name

    def _counted(self, pieces: Iterator[bytes], attempt: int) -> Iterator[bytes]:
        for piece in pieces:
            self.read += len(piece) if attempt == 0 else 0
            yield piece

    def _write(self, open_serials: list[int]) -> None:
        if not self.rows.size:
            return
        self.written += self.rows.size
        for table, frame in self.framer.frame(self.rows, open_serials).items():
            if frame.height:
                frame.write_parquet(self.folder / f"{table}.{self.batches:04d}.parquet", compression="lz4")
        self.batches += 1
        self.rows.clear()


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
