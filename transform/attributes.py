"""Runs of Attributes → typed frames.

Arrives: `Rows`. Leaves: for each label, which Attributes its elements have; the distinct Attributes by document; and
entries for those that are left out. There are many: a row of the frame in between holds its text, the number of its
run and its number in it; all else is looked up by the run when it is needed.
"""

import base64
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from cpq_graph.model import ATTRIBUTE, ATTRIBUTE_BYTES_MAX, INDEXED_BYTES_MAX
from transform.collected import RUN_COLUMNS, Place, Rows, by_column, render_place
from transform.kinds import OWNERS, PATTERNS
from transform.rejects import DOCUMENT_SCHEMA, SAMPLE_LENGTH, Level, Outcome, Reason

_RUN_SCHEMA = {
    "document": pl.UInt64(),
    "label": pl.String(),
    "serial": pl.Int64(),
    "owner": pl.String(),
    "fate": pl.String(),
    "name": pl.String(),
    "count": pl.UInt32(),
    "position": pl.Int64(),
    "ordinal": pl.Int64(),
    "text": pl.Binary(),
}
_PATTERN_OF = {owner: pattern.name for (owner, label), pattern in PATTERNS.items() if label == ATTRIBUTE.label}
_NO_NAMES = pl.lit([], dtype=pl.List(pl.String))


@dataclass(frozen=True, slots=True)
class AttributeFrames:
    """`owned` by label: document, owner, key, position. `distinct`: document, key, type, value, the last two null where
    they are too long for the graph. `entries` as the ledger of a document has them."""

    owned: dict[str, pl.DataFrame]
    distinct: pl.DataFrame
    entries: list[pl.DataFrame]


class AttributeFramer:
    """Makes the frames of batch after batch. It remembers the Attributes of elements that are still open, so that one
    which is repeated in a later batch is seen, too."""

    def __init__(self) -> None:
        self._carried = pl.DataFrame(schema={"serial": pl.Int64, "key": pl.String})

    def frame(self, rows: Rows, open_serials: Iterable[int]) -> AttributeFrames:
        """The frames of all runs that `rows` holds."""
        columns = by_column(rows.runs, RUN_COLUMNS)
        places = columns.pop("place")
        runs = pl.DataFrame(columns, schema=_RUN_SCHEMA)
        attributes = _attributes(rows, runs)
        refused = attributes.filter(pl.col("reason").is_not_null())
        entries = [_entries(refused, runs, places)]
        if refused.height:
            attributes = attributes.filter(pl.col("reason").is_null() | (pl.col("reason") == Reason.TOO_LONG))
        attributes = _with_keys(attributes)
        text = pl.when(pl.col("reason").is_null()).then(pl.col("type", "value"))
        distinct = attributes.select(runs["document"].gather(attributes["run"]), "key", text)
        distinct = distinct.unique(["document", "key"], keep="first", maintain_order=True)
        kept = attributes.filter(pl.col("reason").is_null()) if refused.height else attributes
        first = self._first(runs["serial"].gather(kept["run"]), kept["key"], open_serials)
        if not first.all():
            repeated = kept.filter(~first).with_columns(reason=pl.lit(Reason.REPEATED_ATTRIBUTE.value))
            entries.append(_entries(repeated, runs, places))
            kept = kept.filter(first)
        labels = runs["label"].gather(kept["run"])
        owned = {label: _owned(kept.filter(labels == label), runs) for label in OWNERS}
        return AttributeFrames(owned, distinct, entries)

    def _first(self, serials: pl.Series, keys: pl.Series, open_serials: Iterable[int]) -> pl.Series:
        """Whether each Attribute is the first of its owner with its key."""
        pairs = pl.DataFrame({"serial": serials, "key": keys})
        first = pairs.select(pl.struct("serial", "key").is_first_distinct()).to_series()
        if self._carried.height:
            seen = self._carried.with_columns(seen=True)
            first &= pairs.join(seen, on=["serial", "key"], how="left", maintain_order="left")["seen"].is_null()
        still_open = pl.col("serial").is_in(list(open_serials))
        self._carried = pl.concat([self._carried, pairs.filter(first)]).filter(still_open)
        return first


def _attributes(rows: Rows, runs: pl.DataFrame) -> pl.DataFrame:
    """One row per Attribute element, in document order: run, offset (its number in the run), type, value, and the
    reason why it is not loaded."""
    numbers = pl.int_range(pl.len(), dtype=pl.UInt32).repeat_by("count").explode(empty_as_null=False)
    run = runs.select(run=numbers).to_series()
    offset = runs.select(offset=pl.int_ranges(0, "count").explode(empty_as_null=False)).to_series()
    type_bytes, value_bytes = pl.col("type").str.len_bytes(), pl.col("value").str.len_bytes()
    long = (type_bytes + value_bytes > ATTRIBUTE_BYTES_MAX) | (
        pl.max_horizontal(type_bytes, value_bytes) > INDEXED_BYTES_MAX
    )
    blocked = runs.select(
        pl.when(pl.col("label") == "")
        .then(pl.lit(Reason.MISPLACED.value))
        .when(pl.col("fate").is_not_null())
        .then(pl.lit(Reason.PARENT_REJECTED.value))
    ).to_series()
    reason: pl.Expr = (
        pl.when(pl.col("type").fill_null("") == "")
        .then(pl.lit(Reason.ATTRIBUTE_WITHOUT_TYPE.value))
        .when(pl.col("value").is_null())
        .then(pl.lit(Reason.ATTRIBUTE_WITHOUT_VALUE.value))
        .when(long)
        .then(pl.lit(Reason.TOO_LONG.value))
    )
    if blocked.null_count() < len(blocked):
        reason = pl.coalesce(blocked.gather(run), reason)
    return pl.DataFrame([run, offset, *_texts(rows, runs)]).with_columns(reason=reason)


def _texts(rows: Rows, runs: pl.DataFrame) -> tuple[pl.Series, pl.Series]:
    """Type and value of every Attribute, in the order of the runs."""
    one_by_one = pl.Series("type", rows.types, dtype=pl.String), pl.Series("value", rows.values, dtype=pl.String)
    # `<Attribute type="x" value="y` split at its quotes: x and y are the second and the fourth of each four pieces.
    texts = runs["text"].drop_nulls().cast(pl.String)
    pieces = texts.str.strip_suffix('"/>').str.split('"').explode(empty_as_null=False)
    plain = pieces.gather_every(4, 1).rename("type"), pieces.gather_every(4, 3).rename("value")
    if not rows.types:
        return plain
    # Where each of the two kinds of runs has its Attributes.
    is_plain = runs.select(pl.col("text").is_not_null().repeat_by("count").explode(empty_as_null=False)).to_series()
    order = pl.concat([is_plain.arg_true(), (~is_plain).arg_true()]).arg_sort()
    types, values = (pl.concat(both).gather(order) for both in zip(plain, one_by_one, strict=True))
    return types, values


def _owned(attributes: pl.DataFrame, runs: pl.DataFrame) -> pl.DataFrame:
    run = attributes["run"]
    return attributes.select(
        runs["document"].gather(run),
        runs["owner"].gather(run),
        "key",
        (runs["position"].gather(run) + attributes["offset"]).alias("position"),
    )


def _entries(found: pl.DataFrame, runs: pl.DataFrame, places: list[Place | None]) -> pl.DataFrame:
    """Entries for Attribute elements that are not loaded, for their `reason`. A repeated one loses a relationship only,
    and counts under that."""
    if not found.height:
        return pl.DataFrame(schema=DOCUMENT_SCHEMA)
    owners = runs.select("document", "label", "name", "ordinal")[found["run"]]
    written = [
        f"{render_place(places[run])}/{name}[{ordinal + offset + 1}]"
        for run, offset, name, ordinal in zip(
            found["run"], found["offset"], owners["name"], owners["ordinal"], strict=True
        )
    ]
    filtered = pl.col("reason").is_in([Reason.TOO_LONG.value, Reason.REPEATED_ATTRIBUTE.value])
    pattern = pl.col("label").replace_strict(_PATTERN_OF, default=None, return_dtype=pl.String)
    sample = pl.format("{}={}", pl.col("type").fill_null(""), pl.col("value").fill_null(""))
    return pl.concat([found, owners], how="horizontal").select(
        "document",
        place=pl.Series(written, dtype=pl.String),
        reason="reason",
        level=pl.lit(Level.ELEMENT.value),
        outcome=pl.when(filtered).then(pl.lit(Outcome.FILTERED.value)).otherwise(pl.lit(Outcome.REJECTED.value)),
        label=pl.when(reason=Reason.REPEATED_ATTRIBUTE.value).then(pattern).otherwise(pl.lit(ATTRIBUTE.label)),
        sample=sample.str.slice(0, SAMPLE_LENGTH),
        relationships=pl.when(pattern.is_null()).then(_NO_NAMES).otherwise(pl.concat_list(pattern)),
        counts=~filtered & (pl.col("reason") != Reason.PARENT_REJECTED),
    )


def attribute_keys(pairs: pl.DataFrame) -> pl.Series:
    """A key for each (type, value): 96 bits of BLAKE2b of both, as 16 characters of URL-safe base64. XML has no NUL,
    so no two pairs give the same text."""
    texts = pairs.select(pl.concat_str("type", "value", separator="\0")).to_series().to_list()
    digests = b"".join([hashlib.blake2b(text.encode(), digest_size=12).digest() for text in texts])
    keys = base64.urlsafe_b64encode(digests).decode()
    return pl.Series("key", [keys[start : start + 16] for start in range(0, len(keys), 16)], dtype=pl.String)


def _with_keys(attributes: pl.DataFrame) -> pl.DataFrame:
    pairs = attributes.select("type", "value").unique()
    keyed = pairs.with_columns(attribute_keys(pairs))
    return attributes.join(keyed, on=["type", "value"], how="left", maintain_order="left")
