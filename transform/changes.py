"""Which offers changed since a graph was made.

Arrives: checked rows and the digests of their documents, then and now. Leaves: a digest of each offer with all that is
below it, and the rows of some offers alone. What changed is found by content; where a document has an `updated_at`,
the same one is trusted to mean the same content.
"""

import hashlib
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import polars as pl

from cpq_graph.model import (
    CONTENT,
    CONTENT_CONTAINS,
    OFFER,
    OFFER_CONTAINS,
    PARTICIPANT,
    PRODUCT,
    SUBCONTENT,
    SUBCONTENT_CONTAINS,
    USER,
)
from transform.rows import CheckedRows

# A change that the last snapshot did not see may carry a time from before it: of a transaction that was open, of a
# clock that is slow, of a column that keeps days only. What changed that shortly before is looked at again.
MARGIN = timedelta(days=1)
SCHEMA = {"offer": pl.String, "digest": pl.String}
# What an offer is found below, from the top.
_LEVELS = ((CONTENT, OFFER_CONTAINS), (SUBCONTENT, CONTENT_CONTAINS), (PRODUCT, SUBCONTENT_CONTAINS))


@dataclass(frozen=True, slots=True)
class Known:
    """The documents of an earlier snapshot: id, product_id, bytes, digest, and updated_at where the source has it."""

    documents: pl.DataFrame
    taken_at: datetime


@dataclass(frozen=True, slots=True)
class Changes:
    """Offers by what became of them."""

    changed: frozenset[str]
    gone: frozenset[str]


def offer_digests(checked: CheckedRows, digests: pl.DataFrame, version: str) -> pl.DataFrame:
    """One row per loaded offer, by id: the SHA-256 of its row, its roles, and every row and document below it.
    `digests` are of documents (id, product_id, digest); `version` is the parts', by which documents were parsed."""
    owners = _owners(checked)
    below = [checked.nodes[OFFER.label].select(offer="id", text=_text(checked.nodes[OFFER.label]))]
    for name, frame in checked.relationships.items():
        label = name.partition("_")[0]
        owned = frame.with_columns(text=_text(frame), name=pl.lit(name))
        owned = owned.join(owners[label], left_on="start", right_on="id", how="inner")
        below.append(owned.select("offer", text=pl.concat_str("name", "text", separator=" ")))
    for node, _ in _LEVELS:
        frame = checked.nodes[node.label]
        owned = frame.with_columns(text=_text(frame)).join(owners[node.label], on="id", how="inner")
        below.append(owned.select("offer", "text"))
    documents = digests.select("product_id", "digest").join(
        owners[PRODUCT.label], left_on="product_id", right_on="id", how="inner"
    )
    below.append(documents.select("offer", text=pl.concat_str("product_id", "digest", separator=" ")))
    texts = pl.concat(below).group_by("offer").agg(pl.col("text").sort()).sort("offer")
    found = [hashlib.sha256("\n".join([version, *lines]).encode()).hexdigest() for lines in texts["text"].to_list()]
    return pl.DataFrame({"offer": texts["offer"], "digest": found}, schema=SCHEMA)


def compare(before: pl.DataFrame, now: pl.DataFrame) -> Changes:
    """What changed between two results of `offer_digests`; what is new counts as changed."""
    same = now.join(before, on=["offer", "digest"], how="semi")["offer"]
    changed = set(now["offer"]) - set(same)
    return Changes(frozenset(changed), frozenset(set(before["offer"]) - set(now["offer"])))


def unchanged_documents(configurations: pl.DataFrame, known: Known) -> pl.DataFrame:
    """The rows of `configurations` (id, product_id, bytes, updated_at) whose document is as it was, with its `digest`:
    those that have the time of change that they had, and had it for some time. None where the source has no such time.
    """
    key = ["id", "product_id", "bytes", "updated_at"]
    columns = ["id", "product_id", "bytes", "digest"]
    if "updated_at" not in configurations.columns or "updated_at" not in known.documents.columns:
        return known.documents.select(columns).clear()
    changed_at = pl.col("updated_at").str.to_datetime("%Y-%m-%d %H:%M:%S%.f%#z", time_zone="UTC", strict=False)
    settled = configurations.filter(changed_at < known.taken_at - MARGIN)
    return settled.join(known.documents, on=key, how="inner", validate="1:1").select(columns)


def rows_of(checked: CheckedRows, offers: Collection[str]) -> CheckedRows:
    """The rows of these offers, with all people. Its totals and rejects are those of the whole source."""
    wanted = pl.Series("offer", sorted(offers), dtype=pl.String)
    kept = {
        label: frame.filter(pl.col("offer").is_in(wanted.implode())).select("id")
        for label, frame in _owners(checked).items()
    }
    people = {USER.label, PARTICIPANT.label}
    nodes = {
        label: frame if label in people else frame.join(kept[label], on="id", how="semi", maintain_order="left")
        for label, frame in checked.nodes.items()
    }
    relationships = {
        name: frame.join(
            kept[name.partition("_")[0]], left_on="start", right_on="id", how="semi", maintain_order="left"
        )
        for name, frame in checked.relationships.items()
    }
    configurations = checked.configurations.join(
        kept[PRODUCT.label], left_on="product_id", right_on="id", how="semi", maintain_order="left"
    )
    return replace(checked, nodes=nodes, relationships=relationships, configurations=configurations)


def _owners(checked: CheckedRows) -> dict[str, pl.DataFrame]:
    """By label: one row per node below an offer, id and offer."""
    offers = checked.nodes[OFFER.label].select("id", offer="id")
    owners = {OFFER.label: offers}
    above = offers
    for node, pattern in _LEVELS:
        links = checked.relationships[pattern.name]
        above = links.join(above, left_on="start", right_on="id", how="inner").select("offer", id="end")
        owners[node.label] = above
    return owners


def _text(frame: pl.DataFrame) -> pl.Series:
    """Each row as one text."""
    return frame.select(pl.struct(pl.all()).struct.json_encode()).to_series().rename("text")
