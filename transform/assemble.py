"""Checked rows and parsed parts → the frames of the whole graph, the reject report and totals that add up.

Arrives: `CheckedRows`, the census of the wanted documents, the store of parts. Leaves: `Assembled`. Big frames are
lazy: they are read from the parts when they are written, piece by piece.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO

import polars as pl

from cpq_graph.errors import DataError
from cpq_graph.model import (
    ATTRIBUTE,
    CONFIGURED_AS,
    FAMILY_HAS_CHILD,
    HAS_ATTRIBUTE,
    HAS_PARAMETER,
    HAS_TAB,
    HAS_VALUE,
    INDEXED_BYTES_MAX,
    MODEL,
    PARAMETER,
    PARAMETER_VALUE,
    PRODUCT_FAMILY,
    TAB,
    TAB_HAS_CHILD,
)
from cpq_graph.report import Totals
from transform.frames import ENTRIES, attributes_table
from transform.kinds import OWNERS
from transform.parse import ID_BYTES_MAX, escape_id
from transform.parts import PartStore
from transform.rejects import SCHEMA, Level, Outcome, Reason
from transform.rows import CheckedRows


@dataclass(frozen=True, slots=True)
class Assembled:
    """A whole graph, ready to be loaded, and what was not. `nodes` are by label, `relationships` by pattern name; a
    relationship's `start` and `end` are ids, or an Attribute's `key`. `reasons` counts the entries of `rejects` by
    outcome and reason."""

    nodes: Mapping[str, pl.LazyFrame]
    relationships: Mapping[str, pl.LazyFrame]
    rejects: pl.LazyFrame
    tables: Mapping[str, Totals]
    labels: Mapping[str, Totals]
    patterns: Mapping[str, Totals]
    reasons: Mapping[Outcome, Mapping[str, int]]
    fingerprint: str


def assemble(checked: CheckedRows, digests: pl.DataFrame, store: PartStore) -> Assembled:
    """Puts the graph together. `digests` (id, digest) are those of `checked.configurations`; every one must have been
    parsed. Raises DataError when one was not."""
    fates = _document_fates(checked.configurations, digests, store)
    loaded = fates.filter(pl.col("reason").is_null())
    documents = loaded.select("document", "product_id", "prefix", "id").lazy()
    parts = loaded["part"].unique().to_list()
    elements = _Elements(store, parts, documents)
    nodes = {label: frame.lazy() for label, frame in checked.nodes.items()} | elements.nodes()
    relationships = {name: frame.lazy() for name, frame in checked.relationships.items()} | elements.relationships()
    entries = store.scan(ENTRIES, parts).join(documents.select("document", "id"), on="document", how="inner")
    rejects = [checked.rejects.lazy(), _configuration_entries(fates).lazy(), _element_entries(entries)]
    totals = _Totals(checked, fates, entries=entries, nodes=nodes, relationships=relationships, elements=elements)
    all_rejects = pl.concat(rejects)
    return Assembled(
        nodes={node.label: nodes[node.label] for node in MODEL.nodes},
        relationships={pattern.name: relationships[pattern.name] for pattern in MODEL.relationships},
        rejects=all_rejects,
        tables=totals.tables(),
        labels=totals.labels(),
        patterns=totals.patterns(),
        reasons=_reasons(all_rejects),
        fingerprint=_fingerprint(checked, loaded, store),
    )


def _document_fates(configurations: pl.DataFrame, digests: pl.DataFrame, store: PartStore) -> pl.DataFrame:
    """One row per wanted configuration: id, product_id, prefix of its elements' ids, digest, document, part, and reason
    and detail where its document gives nothing."""
    known = store.documents()
    fates = (
        configurations.join(digests.select("id", "digest"), on="id", how="left", maintain_order="left", validate="1:1")
        .join(known, on="digest", how="left", maintain_order="left", validate="m:1")
        .with_columns(prefix=pl.col("product_id").map_elements(escape_id, return_dtype=pl.String))
    )
    unparsed = fates.filter(pl.col("bytes").is_not_null() & pl.col("document").is_null())
    if unparsed.height:
        raise DataError(
            f"{unparsed.height} documents were not parsed, the first of configuration {unparsed['id'][0]}",
            hint="Run the refresh again: it parses what is missing.",
        )
    # Keys are 64 bits of a hash. Two documents of one key have never been seen, but must not be mixed up.
    if fates.select("digest", "document").unique().drop_nulls()["document"].is_duplicated().any():
        raise DataError("two documents have the same key", hint="Raise CODE_VERSION in transform/parts.py.")
    too_long = pl.col("prefix").str.len_bytes() > INDEXED_BYTES_MAX - ID_BYTES_MAX
    reason = (
        pl.when(pl.col("bytes").is_null())
        .then(pl.lit(Reason.NULL_DOCUMENT.value))
        .when(pl.col("reason").is_not_null())
        .then("reason")
        .when(too_long)
        .then(pl.lit(Reason.TOO_LONG_KEY.value))
    )
    return fates.with_columns(reason=reason)


class _Elements:
    """The frames of what documents hold. `documents` has one row per loaded configuration: document, product_id,
    prefix, id. The same document may be of several products."""

    def __init__(self, store: PartStore, parts: list[str], documents: pl.LazyFrame) -> None:
        self.store = store
        self.parts = parts
        self.documents = documents

    def nodes(self) -> dict[str, pl.LazyFrame]:
        """By label, in the model's columns; an Attribute has its `key` before them."""
        frames = {}
        for label in OWNERS:
            columns = [p.name for p in MODEL.node(label).properties]
            frames[label] = self._of(label).with_columns(id=_id("id")).select(columns)
        frames[ATTRIBUTE.label] = self.attributes().filter(pl.col("type").is_not_null())
        return frames

    def attributes(self) -> pl.LazyFrame:
        """One row per distinct Attribute of loaded elements: key, type, value. Type and value are null where they are
        too long for the graph."""
        documents = self.documents.select("document").unique()
        found = self.store.scan(ATTRIBUTE.label, self.parts).join(documents, on="document", how="semi")
        return found.select("key", "type", "value").unique("key")

    def relationships(self) -> dict[str, pl.LazyFrame]:
        """By pattern name: start, end, and position but for CONFIGURED_AS."""
        families, tabs = self._of(PRODUCT_FAMILY.label), self._of(TAB.label)
        root = pl.col("parent").is_null()
        nested = pl.col("parent") != pl.col("family")
        frames = {
            CONFIGURED_AS.name: families.filter(root).select(start="product_id", end=_id("id")),
            FAMILY_HAS_CHILD.name: _linked(families.filter(~root), "parent"),
            HAS_TAB.name: _linked(tabs, "family"),
            TAB_HAS_CHILD.name: _linked(tabs.filter(nested), "parent"),
            HAS_PARAMETER.name: _linked(self._of(PARAMETER.label), "parent"),
            HAS_VALUE.name: _linked(self._of(PARAMETER_VALUE.label), "parent"),
        }
        for pattern in HAS_ATTRIBUTE:
            owned = self._of(attributes_table(pattern.start.label))
            frames[pattern.name] = owned.select(start=_id("owner"), end="key", position="position")
        return frames

    def _of(self, table: str) -> pl.LazyFrame:
        return self.store.scan(table, self.parts).join(
            self.documents.select("document", "product_id", "prefix"), on="document", how="inner"
        )


def _id(column: str) -> pl.Expr:
    return pl.concat_str("prefix", column)


def _linked(frame: pl.LazyFrame, parent: str) -> pl.LazyFrame:
    return frame.select(start=_id(parent), end=_id("id"), position="position")


def _configuration_entries(fates: pl.DataFrame) -> pl.DataFrame:
    lost = fates.filter(pl.col("reason").is_not_null())
    return lost.select(
        table=pl.lit("configuration"),
        key="id",
        place=pl.lit(""),
        reason="reason",
        level=pl.lit(Level.ROW.value),
        outcome=pl.lit(Outcome.REJECTED.value),
        label=pl.lit(""),
        sample=pl.col("detail").fill_null(""),
    )


def _element_entries(entries: pl.LazyFrame) -> pl.LazyFrame:
    return entries.with_columns(table=pl.lit("configuration"), key="id").select(*SCHEMA)


class _Totals:
    """Adds up what rows and elements came to: read = loaded + rejected + filtered."""

    def __init__(
        self,
        checked: CheckedRows,
        fates: pl.DataFrame,
        *,
        entries: pl.LazyFrame,
        nodes: Mapping[str, pl.LazyFrame],
        relationships: Mapping[str, pl.LazyFrame],
        elements: _Elements,
    ) -> None:
        self.checked = checked
        self.unusable = fates["reason"].count()
        names = [*OWNERS, *(name for name in relationships if name not in checked.relationships)]
        frames = {**nodes, **relationships}
        counts = [frames[name].select(pl.len()) for name in names]
        attributes = elements.attributes().group_by(kept=pl.col("type").is_not_null()).len()
        by_label = entries.filter("counts", outcome=Outcome.REJECTED.value, level=Level.ELEMENT.value)
        by_pattern = entries.explode("relationships").filter(pl.col("relationships").is_not_null())
        *lengths, attribute_counts, rejected, lost = pl.collect_all(
            [
                *counts,
                attributes,
                by_label.group_by("label").len(),
                by_pattern.group_by("relationships", "outcome").len(),
            ],
            engine="streaming",
        )
        self.loaded: dict[str, int] = {name: frame.item() for name, frame in zip(names, lengths, strict=True)}
        self.attributes: dict[bool, int] = dict(attribute_counts.iter_rows())
        self.rejected: dict[str, int] = dict(rejected.iter_rows())
        self.lost: dict[tuple[str, str], int] = {(name, outcome): n for name, outcome, n in lost.iter_rows()}

    def tables(self) -> dict[str, Totals]:
        configurations = _less(self.checked.tables["configuration"], self.unusable)
        return dict(self.checked.tables) | {"configuration": configurations}

    def labels(self) -> dict[str, Totals]:
        elements = {label: _totals(self.loaded[label], self.rejected.get(label, 0), 0) for label in OWNERS}
        elements[ATTRIBUTE.label] = _totals(
            self.attributes.get(True, 0), self.rejected.get(ATTRIBUTE.label, 0), self.attributes.get(False, 0)
        )
        found = dict(self.checked.labels) | elements
        return {node.label: found[node.label] for node in MODEL.nodes}

    def patterns(self) -> dict[str, Totals]:
        found = dict(self.checked.patterns)
        found[CONFIGURED_AS.name] = _less(found[CONFIGURED_AS.name], self.unusable)
        for pattern in MODEL.relationships:
            if pattern.name not in found:
                rejected = self.lost.get((pattern.name, Outcome.REJECTED.value), 0)
                filtered = self.lost.get((pattern.name, Outcome.FILTERED.value), 0)
                found[pattern.name] = _totals(self.loaded[pattern.name], rejected, filtered)
        return {pattern.name: found[pattern.name] for pattern in MODEL.relationships}


def _totals(loaded: int, rejected: int, filtered: int) -> Totals:
    return Totals(read=loaded + rejected + filtered, loaded=loaded, rejected=rejected, filtered=filtered)


def _less(totals: Totals, rejected: int) -> Totals:
    return totals + Totals(loaded=-rejected, rejected=rejected)


def _reasons(rejects: pl.LazyFrame) -> dict[Outcome, dict[str, int]]:
    counted = rejects.group_by("outcome", "reason").len().collect(engine="streaming")
    by_outcome: dict[Outcome, Counter[str]] = {outcome: Counter() for outcome in Outcome}
    for outcome, reason, number in counted.iter_rows():
        by_outcome[Outcome(outcome)][reason] = number
    return {outcome: dict(sorted(counts.items())) for outcome, counts in by_outcome.items()}


def _fingerprint(checked: CheckedRows, loaded: pl.DataFrame, store: PartStore) -> str:
    """Names the content of the graph: what it was made by, every loaded row, every document and whose it is."""
    digest = hashlib.sha256(store.folder.name.encode())
    frames = {**checked.nodes, **checked.relationships, "documents": loaded.select("product_id", "digest")}
    for name in sorted(frames):
        frame = frames[name]
        buffer = BytesIO()
        frame.sort(frame.columns).write_ndjson(buffer)
        digest.update(f"\n{name}\n".encode())
        digest.update(buffer.getbuffer())
    return digest.hexdigest()
