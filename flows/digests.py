"""What a delta compares with, and what it goes on from: kept for each graph that can be served.

One folder for each, `<data>/offers/<fingerprint>/`, complete before its graph can serve: the digest of each offer, the
digest of each document, and the choices that its catalog was counted from. It says nothing that source and graph do
not: where it is lost, the next refresh is a full one.
"""

import shutil
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import polars as pl

from cpq_graph.manifest import Graph, Serving, write_atomically
from flows.reading import Reading
from transform.changes import offer_digests


@dataclass(frozen=True, slots=True)
class Kept:
    """`offers` as `transform.changes.offer_digests` gives them, `documents` as `flows.reading.Reading` has them, and
    `choices` as `load.catalog.read_choices` does."""

    offers: pl.DataFrame
    documents: pl.DataFrame
    choices: pl.DataFrame


def current_digests(reading: Reading) -> pl.DataFrame:
    """One row per offer that the reading loads: offer, digest."""
    return offer_digests(reading.checked, reading.digests, reading.store.folder.name)


def keep(data_dir: Path, reading: Reading, choices: pl.DataFrame) -> None:
    """Keeps it of the graph that the reading makes."""
    frames = {"offers": current_digests(reading), "documents": reading.digests, "choices": choices}
    for name, frame in frames.items():
        buffer = BytesIO()
        frame.write_parquet(buffer)
        write_atomically(_folder(data_dir) / reading.assembled.fingerprint / f"{name}.parquet", buffer.getvalue())


def read_kept(data_dir: Path, graph: Graph) -> Kept | None:
    """What is kept of a graph, or None where something is missing."""
    folder = _folder(data_dir) / graph.fingerprint
    try:
        names = ("offers", "documents", "choices")
        return Kept(*(pl.read_parquet(folder / f"{name}.parquet", glob=False) for name in names))
    except FileNotFoundError:
        return None


def forget(data_dir: Path, serving: Serving) -> None:
    """Deletes what is kept of graphs that are not kept any more."""
    kept = {graph.fingerprint for graph in (serving.current, serving.previous) if graph}
    for path in _folder(data_dir).glob("*"):
        if path.name not in kept:
            shutil.rmtree(path, ignore_errors=True)


def _folder(data_dir: Path) -> Path:
    return data_dir / "offers"
