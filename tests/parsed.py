"""Documents → the assembled graph without a database, for tests of the transform stage."""

import hashlib
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import polars as pl

from cpq_graph.settings import CHECKOUT
from cpq_graph.site import XmlMapping, read_site
from transform.assemble import Assembled, assemble
from transform.parts import Document, PartStore, missing_documents, parse_part
from transform.rows import CheckedRows, check_rows

MAPPING = read_site(CHECKOUT / "extract" / "source").xml
TEXT = {
    "offer": ("id", "language_id", "status", "date", "version", "user_id", "sent_by", "delivered_by", "received_by"),
    "participant": ("id", "title", "name", "company"),
    "user": ("id", "userid", "firstname", "lastname"),
    "content": ("id", "offer_id"),
    "subcontent": ("id", "content_id"),
    "product": ("id", "subcontent_id"),
    "configuration": ("id", "product_id"),
}
FURTHER = {"content": "total_price", "subcontent": "total_price", "configuration": "bytes"}


def source_tables(**rows: Sequence[Sequence[object]]) -> dict[str, pl.DataFrame]:
    """The seven tables with the rows given, as the extract stage reads them."""
    tables = {}
    for entity, names in TEXT.items():
        schema: dict[str, type[pl.DataType]] = dict.fromkeys(names, pl.String)
        if entity in FURTHER:
            schema[FURTHER[entity]] = pl.Int64 if entity == "configuration" else pl.Float64
        tables[entity] = pl.DataFrame(list(rows.get(entity, ())), schema=schema, orient="row")
    return tables


def one_offer(documents: dict[str, bytes]) -> CheckedRows:
    """One final offer with a product for each document; its configuration's id is `C-` and the product's."""
    tables = source_tables(
        offer=[("O", "en", "FINALIZED", "2024-05-01", "1", None, None, None, None)],
        content=[("C", "O", 1.0)],
        subcontent=[("S", "C", 1.0)],
        product=[(product, "S") for product in documents],
        configuration=[(f"C-{product}", product, len(document)) for product, document in documents.items()],
    )
    return check_rows(tables, ("FINALIZED",))


def pieces_of(document: bytes, size: int) -> Iterator[bytes]:
    """The document in pieces."""
    for start in range(0, len(document), size):
        yield document[start : start + size]


def graph_of(
    documents: dict[str, bytes], data_dir: Path, mapping: XmlMapping = MAPPING, piece: int = 16 << 20
) -> Assembled:
    """The graph of one offer whose products have these documents."""
    checked = one_offer(documents)
    digests = {product: hashlib.sha256(document).hexdigest() for product, document in documents.items()}
    census = checked.configurations.with_columns(
        digest=pl.col("product_id").replace_strict(digests, return_dtype=pl.String)
    )
    store = PartStore.open(data_dir, mapping)
    by_digest = dict(zip(digests.values(), documents.values(), strict=True))
    wanted: list[Document] = [
        (digest, partial(pieces_of, by_digest[digest], piece)) for digest in missing_documents(store, census)["digest"]
    ]
    if wanted:
        parse_part(wanted, mapping, data_dir)
    return assemble(checked, census, store)


def rejects_of(graph: Assembled) -> list[tuple[str, str, str]]:
    """Reason, outcome and place of each entry, sorted."""
    return sorted(graph.rejects.select("reason", "outcome", "place").collect().rows())


def family(inner: str = "", attributes: str = 'id="f" name="Family"') -> str:
    """A configuration with one family."""
    return f"<Configuration><ProductFamily {attributes}>{inner}</ProductFamily></Configuration>"
