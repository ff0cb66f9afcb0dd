"""Frames → the CSV files that `neo4j-admin database import` reads.

Arrives: `GraphFrames`. Leaves: for each label and pattern a header file and a data file. Any text survives byte for
byte: every string is quoted, so that "" (an empty string) differs from nothing (no property), and no blank, byte-order
mark, tab or line break at the edge of a field is ever part of the file's structure.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import polars as pl

from cpq_graph.errors import TargetError
from cpq_graph.model import MODEL, Model
from cpq_graph.render import node_header, relationship_header
from load.frames import GraphFrames


@dataclass(frozen=True, slots=True)
class CsvFile:
    """A header and its data. `group` is the label or the relationship type that all its rows have; `multiline` says
    whether a field of it holds a line break, which the import reads by a slower parser."""

    group: str
    header: Path
    data: Path
    rows: int
    multiline: bool


@dataclass(frozen=True, slots=True)
class CsvFiles:
    """All that one import reads, in one folder. `megabytes` is the size of the data."""

    folder: Path
    nodes: tuple[CsvFile, ...]
    relationships: tuple[CsvFile, ...]

    @property
    def megabytes(self) -> float:
        """Size of the data files, MB."""
        return sum(file.data.stat().st_size for file in (*self.nodes, *self.relationships)) / 1e6


def write_csv_files(frames: GraphFrames, folder: Path, model: Model = MODEL) -> CsvFiles:
    """Streams every frame into `folder`. Raises TargetError when the disk is full."""
    folder.mkdir(parents=True, exist_ok=True)
    nodes = [(n.label, n.label, node_header(n), frames.node(n)) for n in model.nodes]
    patterns = [(r.name, r.type, relationship_header(r), frames.relationship(r)) for r in model.relationships]
    try:
        return CsvFiles(folder, _write(nodes, folder), _write(patterns, folder))
    except OSError as error:
        raise TargetError(
            f"cannot write CSV files into {folder}: {error}", hint="Free some space, or set CPQ_GRAPH_DATA_DIR."
        ) from error


def _write(tables: Iterable[tuple[str, str, str, pl.LazyFrame]], folder: Path) -> tuple[CsvFile, ...]:
    files = []
    for name, group, header, frame in tables:
        header_file, data = folder / f"{name}.header.csv", folder / f"{name}.csv"
        header_file.write_text(header + "\n", encoding="utf-8")
        # "non_numeric" quotes each string and leaves null empty; "always" would write null as an empty string.
        frame.sink_csv(data, include_header=False, quote_style="non_numeric", maintain_order=True)
        rows = count_rows(data)
        files.append(CsvFile(group, header_file, data, rows, _has_breaks(data, rows)))
    return tuple(files)


def count_rows(data: Path) -> int:
    """Rows of a file without a header, however many lines they take."""
    if data.stat().st_size == 0:
        return 0
    rows = pl.scan_csv(data, has_header=False, infer_schema=False, glob=False).select(pl.len())
    return cast(int, rows.collect().item())


def _has_breaks(data: Path, rows: int) -> bool:
    lines = 0
    with data.open("rb") as file:
        while chunk := file.read(1 << 22):
            if b"\r" in chunk:
                return True
            lines += chunk.count(b"\n")
    return lines != rows
