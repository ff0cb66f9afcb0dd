"""What the parser gave → typed frames, as they are kept in a part.

Arrives: `Rows`. Leaves: one frame per table of `TABLES`: the elements of each label, the Attributes of each label's
elements, the distinct Attributes by document, and entries for what was left out or emptied. All are keyed by
`document`, with ids relative to it.
"""

import base64
import hashlib
from collections.abc import Callable, Iterable
from typing import Any

import polars as pl

from cpq_graph.model import (
    ATTRIBUTE,
    INDEXED_BYTES_MAX,
    MODEL,
    PARAMETER_VALUE,
    PROPERTY_BYTES_MAX,
    TAB,
    Property,
    PropertyType,
)
from transform.collected import (
    Place,
    Rows,
    render_place,
)
from transform.kinds import FIELDS, OWNERS, PATTERNS
from transform.numbers import NumberProblem, parse_float, parse_integer, parse_measure
from transform.rejects import DOCUMENT_SCHEMA, SAMPLE_LENGTH, Level, Outcome, Reason

Schema = dict[str, pl.DataType]

_TYPES = {PropertyType.STRING: pl.String(), PropertyType.FLOAT: pl.Float64(), PropertyType.INTEGER: pl.Int64()}
# Text that is a number, with or without a unit.
_MEASURE = PARAMETER_VALUE.property("measure")
_EXTRA = {TAB.label: "family", PARAMETER_VALUE.label: "parameterId"}
_RUN_SCHEMA: Schema = {
    "document": pl.UInt64(),
    "label": pl.String(),
    "serial": pl.Int64(),
    "owner": pl.String(),
    "fate": pl.String(),
    "name": pl.String(),
    "count": pl.Int64(),
    "position": pl.Int64(),
    "ordinal": pl.Int64(),
    "text": pl.Binary(),
}


def element_schema(label: str) -> Schema:
    """The columns of a label's elements: keys, what the label has besides, the place among its siblings, properties.
    `parent` is null for a root family."""
    extra: Schema = {_EXTRA[label]: pl.String()} if label in _EXTRA else {}
    fields: Schema = {name: _TYPES[MODEL.node(label).property(name).type] for name in FIELDS[label]}
    keys: Schema = {"document": pl.UInt64(), "id": pl.String(), "parent": pl.String()}
    return keys | extra | {"position": pl.Int64()} | fields


def attributes_table(label: str) -> str:
    """The name of the table that says which Attributes the elements of a label have."""
    return f"{label}-{ATTRIBUTE.label}"


ENTRIES = "entries"
_OWNED: Schema = {"document": pl.UInt64(), "owner": pl.String(), "key": pl.String(), "position": pl.Int64()}
# An Attribute that is too long for the graph has its key only.
_DISTINCT: Schema = {"document": pl.UInt64(), "key": pl.String(), "type": pl.String(), "value": pl.String()}
TABLES: dict[str, Schema] = {
    **{label: element_schema(label) for label in OWNERS},
    **{attributes_table(label): _OWNED for label in OWNERS},
    ATTRIBUTE.label: _DISTINCT,
    ENTRIES: DOCUMENT_SCHEMA,
}


class Framer:
    """Makes the frames of batch after batch. It remembers the Attributes of elements that are still open, so that one
    which is repeated in a later batch is seen, too."""

    def __init__(self) -> None:
        self._carried = pl.DataFrame(schema={"serial": pl.Int64, "key": pl.String})

    def frame(self, rows: Rows, open_serials: Iterable[int]) -> dict[str, pl.DataFrame]:
        """The frames of all that `rows` holds, by table."""
        rows.settle(at_least=0)
        tables: dict[str, pl.DataFrame] = {}
        entries = [pl.DataFrame(rows.entries, schema=DOCUMENT_SCHEMA, orient="row")]
        for label, columns in rows.elements.items():
            tables[label], emptied = _elements(label, columns)
            entries += emptied
        attributes, places = _attributes(rows), rows.runs["place"]
        entries.append(_attribute_entries(attributes.filter(pl.col("reason").is_not_null()), places))
        long = pl.col("reason") == Reason.TOO_LONG
        keyed = _with_keys(attributes.filter(pl.col("reason").is_null() | long)).with_columns(
            # What is too long has its key only, to be counted by.
            pl.when(pl.col("reason").is_null()).then(pl.col("type", "value"))
        )
        tables[ATTRIBUTE.label] = keyed.select(*_DISTINCT).unique(
            ["document", "key"], keep="first", maintain_order=True
        )
        kept, repeated = self._split_repeated(keyed.filter(pl.col("reason").is_null()), open_serials)
        repeated = repeated.with_columns(reason=pl.lit(Reason.REPEATED_ATTRIBUTE.value))
        entries.append(_attribute_entries(repeated, places))
        for label in OWNERS:
            tables[attributes_table(label)] = kept.filter(pl.col("label") == label).select(*_OWNED)
        tables[ENTRIES] = pl.concat(entries)
        return tables

    def _split_repeated(
        self, attributes: pl.DataFrame, open_serials: Iterable[int]
    ) -> tuple[pl.DataFrame, pl.DataFrame]:
        pairs = attributes.select("serial", "key")
        first = pairs.select(pl.struct("serial", "key").is_first_distinct()).to_series()
        if self._carried.height:
            seen = pairs.join(
                self._carried.with_columns(seen=True), on=["serial", "key"], how="left", maintain_order="left"
            )
            first &= seen["seen"].is_null()
        self._carried = pl.concat([self._carried, pairs.filter(first)]).filter(
            pl.col("serial").is_in(list(open_serials))
        )
        return attributes.filter(first), attributes.filter(~first)


def _elements(label: str, columns: dict[str, list[Any]]) -> tuple[pl.DataFrame, list[pl.DataFrame]]:
    """The loaded elements of a label, and entries for the values that were left out of them."""
    texts = {name: items for name, items in columns.items() if name != "place"}
    schema = dict.fromkeys(texts, pl.String()) | {"document": pl.UInt64(), "position": pl.Int64()}
    raw = pl.DataFrame(texts, schema=schema)
    typed, entries = raw, []
    for name in FIELDS[label]:
        column = MODEL.node(label).property(name)
        values, reasons = _converted(raw[name], column, measure=column is _MEASURE)
        typed = typed.with_columns(values)
        if reasons is not None:
            found = raw.with_columns(reasons).with_row_index("row").filter(pl.col("reason").is_not_null())
            places = [columns["place"][row] for row in found["row"]]
            entries.append(_value_entries(found, places, label, name))
    return typed.select(*element_schema(label)), entries


def _converted(raw: pl.Series, column: Property, *, measure: bool) -> tuple[pl.Series, pl.Series | None]:
    """The values in the property's type, and why a text became no value, null where it did; None when all did."""
    if column.type is PropertyType.STRING and not measure:
        limit = INDEXED_BYTES_MAX if column.indexed else PROPERTY_BYTES_MAX
        long = raw.str.len_bytes() > limit
        if not long.any():
            return raw, None
        reasons = pl.select(pl.when(long).then(pl.lit(Reason.TOO_LONG.value)).alias("reason")).to_series()
        return raw.to_frame().select(pl.when(~long).then(pl.col(raw.name))).to_series(), reasons
    parse: Callable[[str], object] = parse_measure
    quick = pl.Series(raw.name, [None], dtype=pl.String).new_from_index(0, raw.len())
    if not measure:
        parse = parse_integer if column.type is PropertyType.INTEGER else parse_float
        quick = raw.cast(_TYPES[column.type], strict=False)
    if column.type is PropertyType.FLOAT:
        quick = quick.to_frame().select(pl.when(pl.col(raw.name).is_finite()).then(pl.col(raw.name))).to_series()
    # What the quick way does not read, or should not, goes the slow way, once for each distinct text.
    texts = raw.filter(quick.is_null() & raw.is_not_null() & (raw != "")).unique().to_list()
    results = {text: parse(text) for text in texts}
    good = {text: result for text, result in results.items() if not isinstance(result, NumberProblem)}
    bad = {text: result.value for text, result in results.items() if isinstance(result, NumberProblem)}
    if good:
        slow = raw.replace_strict(list(good), list(good.values()), default=None, return_dtype=quick.dtype)
        quick = quick.to_frame("quick").select(pl.coalesce("quick", slow).alias(raw.name)).to_series()
    if not bad:
        return quick, None
    return quick, raw.replace_strict(list(bad), list(bad.values()), default=None, return_dtype=pl.String).alias(
        "reason"
    )


def _value_entries(found: pl.DataFrame, places: list[Place], label: str, name: str) -> pl.DataFrame:
    return found.select(
        "document",
        place=pl.Series([f"{render_place(place)}/@{name}" for place in places], dtype=pl.String),
        reason="reason",
        level=pl.lit(Level.VALUE.value),
        outcome=pl.lit(Outcome.EMPTIED.value),
        label=pl.lit(label),
        sample=pl.col(name).str.slice(0, SAMPLE_LENGTH),
        relationships=pl.lit([], dtype=pl.List(pl.String)),
        counts=pl.lit(True),
    )


def _attributes(rows: Rows) -> pl.DataFrame:
    """One row per Attribute element, in document order: document, label, serial, owner, fate, name, position, ordinal,
    run, type, value, and the reason why it is not loaded."""
    runs = pl.DataFrame({name: rows.runs[name] for name in _RUN_SCHEMA}, schema=_RUN_SCHEMA)
    elements = runs.drop("text").with_row_index("run").with_columns(offset=pl.int_ranges("count")).explode("offset")
    elements = elements.with_columns(pl.col("position", "ordinal") + pl.col("offset"), *_texts(rows, runs))
    long = (pl.col("type").str.len_bytes() > INDEXED_BYTES_MAX) | (pl.col("value").str.len_bytes() > INDEXED_BYTES_MAX)
    reason = (
        pl.when(pl.col("label") == "")
        .then(pl.lit(Reason.MISPLACED.value))
        .when(pl.col("fate").is_not_null())
        .then(pl.lit(Reason.PARENT_REJECTED.value))
        .when(pl.col("type").fill_null("") == "")
        .then(pl.lit(Reason.ATTRIBUTE_WITHOUT_TYPE.value))
        .when(pl.col("value").is_null())
        .then(pl.lit(Reason.ATTRIBUTE_WITHOUT_VALUE.value))
        .when(long)
        .then(pl.lit(Reason.TOO_LONG.value))
    )
    return elements.with_columns(reason=reason)


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


def _attribute_entries(found: pl.DataFrame, places: list[Place | None]) -> pl.DataFrame:
    """Entries for Attribute elements that are not loaded, for their `reason`. A repeated one loses a relationship only,
    and counts under that."""
    filtered = pl.col("reason").is_in([Reason.TOO_LONG.value, Reason.REPEATED_ATTRIBUTE.value])
    repeated = pl.col("reason") == Reason.REPEATED_ATTRIBUTE
    written = [
        f"{render_place(places[run])}/{name}[{ordinal + 1}]"
        for run, name, ordinal in found.select("run", "name", "ordinal").iter_rows()
    ]
    pattern = pl.col("label").replace_strict(_PATTERN_OF, default=None, return_dtype=pl.String)
    return found.select(
        "document",
        place=pl.Series(written, dtype=pl.String),
        reason="reason",
        level=pl.lit(Level.ELEMENT.value),
        outcome=pl.when(filtered).then(pl.lit(Outcome.FILTERED.value)).otherwise(pl.lit(Outcome.REJECTED.value)),
        label=pl.when(repeated).then(pattern).otherwise(pl.lit(ATTRIBUTE.label)),
        sample=pl.format("{}={}", pl.col("type").fill_null(""), pl.col("value").fill_null("")).str.slice(
            0, SAMPLE_LENGTH
        ),
        relationships=pl.when(pattern.is_null())
        .then(pl.lit([], dtype=pl.List(pl.String)))
        .otherwise(pl.concat_list(pattern)),
        counts=~filtered & (pl.col("reason") != Reason.PARENT_REJECTED),
    )


_PATTERN_OF = {owner: pattern.name for (owner, label), pattern in PATTERNS.items() if label == ATTRIBUTE.label}


def attribute_keys(pairs: pl.DataFrame) -> pl.Series:
    """A key for each (type, value): 96 bits of BLAKE2b of both, as 16 characters of URL-safe base64. XML has no NUL,
    so no two pairs give the same text."""
    texts = pairs.select(pl.concat_str("type", "value", separator="\0")).to_series().to_list()
    digests = b"".join([hashlib.blake2b(text.encode(), digest_size=12).digest() for text in texts])
    keys = base64.urlsafe_b64encode(digests).decode()
    return pl.Series("key", [keys[start : start + 16] for start in range(0, len(keys), 16)], dtype=pl.String)


def _with_keys(attributes: pl.DataFrame) -> pl.DataFrame:
    pairs = attributes.select("type", "value").unique()
    return attributes.join(
        pairs.with_columns(attribute_keys(pairs)), on=["type", "value"], how="left", maintain_order="left"
    )
