"""What a delta compares with: the digest of each offer of the graphs that are kept.

One Parquet file for each graph, `<data>/offers/<fingerprint>.parquet`, written before its graph can serve. It says
nothing that the source does not: where it is lost, the next refresh is a full one.
"""

from io import BytesIO
from pathlib import Path

import polars as pl

from cpq_graph.manifest import Graph, Serving, write_atomically
from flows.reading import Reading
from transform.changes import SCHEMA, offer_digests


def _folder(data_dir: Path) -> Path:
    return data_dir / "offers"


def current_digests(reading: Reading) -> pl.DataFrame:
    """One row per offer that the reading loads: offer, digest."""
    return offer_digests(reading.checked, reading.digests, reading.store.folder.name)


def write_offer_digests(data_dir: Path, reading: Reading) -> None:
    """Keeps the digests of the graph that the reading makes."""
    buffer = BytesIO()
    current_digests(reading).write_parquet(buffer)
    write_atomically(_folder(data_dir) / f"{reading.assembled.fingerprint}.parquet", buffer.getvalue())


def read_offer_digests(data_dir: Path, graph: Graph) -> pl.DataFrame | None:
    """The digests of a graph, or None where they are not known."""
    path = _folder(data_dir) / f"{graph.fingerprint}.parquet"
    return pl.read_parquet(path, schema=SCHEMA) if path.exists() else None


def forget_offer_digests(data_dir: Path, serving: Serving) -> None:
    """Deletes the digests of graphs that are not kept any more."""
    kept = {graph.fingerprint for graph in (serving.current, serving.previous) if graph}
    for path in _folder(data_dir).glob("*.parquet"):
        if path.stem not in kept:
            path.unlink(missing_ok=True)
