"""What the parser gave → typed frames, as they are kept in a part.

Arrives: `Rows`. Leaves: one frame per table of `TABLES`: the elements of each label, the Attributes of each label's
elements, the distinct Attributes by document, and entries for what was left out or emptied. All are keyed by
`document`, with ids relative to it.
"""

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
from transform.attributes import AttributeFramer
from transform.collected import Place, Rows, by_column, element_columns, render_place
from transform.kinds import FIELDS, OWNERS
from transform.numbers import NumberProblem, parse_float, parse_integer, parse_measure
from transform.rejects import DOCUMENT_SCHEMA, SAMPLE_LENGTH, Level, Outcome, Reason

Schema = dict[str, pl.DataType]

_TYPES = {PropertyType.STRING: pl.String(), PropertyType.FLOAT: pl.Float64(), PropertyType.INTEGER: pl.Int64()}
# Text that is a number, with or without a unit.
_MEASURE = PARAMETER_VALUE.property("measure")
_EXTRA = {TAB.label: "family", PARAMETER_VALUE.label: "parameterId"}


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
    """Makes the frames of batch after batch."""

    def __init__(self) -> None:
        self._attributes = AttributeFramer()

    def frame(self, rows: Rows, open_serials: Iterable[int]) -> dict[str, pl.DataFrame]:
        """The frames of all that `rows` holds, by table. `open_serials` are the elements that may get more."""
        tables: dict[str, pl.DataFrame] = {}
        entries = [pl.DataFrame(rows.entries, schema=DOCUMENT_SCHEMA, orient="row")]
        for label, cells in rows.elements.items():
            tables[label], emptied = _elements(label, by_column(cells, element_columns(label)))
            entries += emptied
        attributes = self._attributes.frame(rows, open_serials)
        tables |= {attributes_table(label): frame for label, frame in attributes.owned.items()}
        tables[ATTRIBUTE.label] = attributes.distinct
        tables[ENTRIES] = pl.concat([*entries, *attributes.entries])
        return tables


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
