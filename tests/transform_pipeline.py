"""Extract and transform in one go, for tests: a database → the assembled graph, and its canonical dump."""

import json
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import polars as pl
from pydantic import SecretStr

from cpq_graph.model import ATTRIBUTE, MODEL
from cpq_graph.settings import CHECKOUT
from cpq_graph.site import Site, read_site
from extract.documents import Configuration
from extract.source import open_source
from transform.assemble import Assembled, assemble
from transform.parts import PartResult, PartStore, missing_documents, parse_part, partition
from transform.rows import check_rows

SOURCE = CHECKOUT / "extract" / "source"
ENTITIES = ("offer", "participant", "user", "content", "subcontent", "product")


@dataclass(frozen=True, slots=True)
class Transformed:
    """What a run gave, and the parts that it had to write."""

    graph: Assembled
    parts: tuple[PartResult, ...]
    site: Site


def transform(
    url: str,
    data_dir: Path,
    folder: Path = SOURCE,
    period: tuple[date | None, date | None] = (None, None),
    part_mb: int = 32,
) -> Transformed:
    """The whole way, in this process."""
    site = read_site(folder)
    store = PartStore.open(data_dir, site.xml)
    with open_source(SecretStr(url), folder) as source:
        tables = {entity: source.table(entity) for entity in ENTITIES}
        checked = check_rows(tables | {"configuration": source.configurations()}, site.final_statuses, period)
        digests = source.digests(checked.configurations)
        parts = [
            parse_part(
                source.reader().documents([Configuration(**row) for row in batch.iter_rows(named=True)]),
                site.xml,
                data_dir,
            )
            for batch in partition(missing_documents(store, digests), part_mb)
        ]
    return Transformed(assemble(checked, digests, store), tuple(parts), site)


def dump(graph: Assembled) -> list[str]:
    """The graph's canonical dump, line by line, sorted."""
    lines = []
    attributes = {
        key: [type_, value]
        for key, type_, value in graph.nodes[ATTRIBUTE.label].select("key", "type", "value").collect().iter_rows()
    }
    for node in MODEL.nodes:
        columns = [p.name for p in node.properties]
        rows = graph.nodes[node.label].select(columns).collect().iter_rows(named=True)
        lines += [f"N\t{node.label}\t{_json({n: v for n, v in row.items() if v is not None})}" for row in rows]
    for pattern in MODEL.relationships:
        columns = ["start", "end", *(p.name for p in pattern.properties)]
        for start, end, *rest in graph.relationships[pattern.name].select(columns).collect().iter_rows():
            key = attributes[end] if pattern.end is ATTRIBUTE else [end]
            properties = _json(dict(zip(columns[2:], rest, strict=True)))
            ends = (pattern.type, pattern.start.label, _json([start]), pattern.end.label, _json(key))
            lines.append("\t".join(("R", *ends, properties)))
    return sorted(lines)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str)


def entries(rejects: pl.LazyFrame) -> list[tuple[str, ...]]:
    """The reject report without its samples, sorted."""
    columns = ("table", "key", "place", "reason", "level", "outcome", "label")
    return sorted(rejects.select(columns).collect().iter_rows())
