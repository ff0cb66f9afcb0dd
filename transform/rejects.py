"""The ledger of what is not in the graph as it stood in the source.

Nothing arrives; what leaves are the words of the reject report and the schema of its frame: one row per source row,
element or value, with where it was, why, and what became of it.
"""

from enum import StrEnum

import polars as pl

SAMPLE_LENGTH = 200


class Level(StrEnum):
    """What an entry is about."""

    ROW = "row"
    ELEMENT = "element"
    VALUE = "value"


class Outcome(StrEnum):
    """What became of it: NOTED lost nothing, EMPTIED lost one property of a node that is loaded."""

    REJECTED = "rejected"
    FILTERED = "filtered"
    EMPTIED = "emptied"
    NOTED = "noted"


class Reason(StrEnum):
    """Why. Rows first, then documents, elements and values."""

    MISSING_ID = "missing_id"
    DUPLICATE_ID = "duplicate_id"
    NOT_FINAL = "not_final"
    OUT_OF_PERIOD = "out_of_period"
    NOT_NAMED = "not_named"
    NO_PARENT = "no_parent"
    DANGLING = "dangling"
    PARENT_REJECTED = "parent_rejected"
    PARENT_FILTERED = "parent_filtered"
    SECOND_CONTENT = "second_content"
    SECOND_SUBCONTENT = "second_subcontent"
    SECOND_CONFIGURATION = "second_configuration"
    BAD_DATE = "bad_date"
    PRODUCT_WITHOUT_CONFIGURATION = "product_without_configuration"

    NULL_DOCUMENT = "null_document"
    EMPTY_DOCUMENT = "empty_document"
    DAMAGED_GZIP = "damaged_gzip"
    TOO_LARGE = "too_large"
    DOCTYPE = "doctype"
    TOO_DEEP = "too_deep"
    LYING_ENCODING = "lying_encoding"
    NOT_WELL_FORMED = "not_well_formed"
    NO_FAMILY = "no_family"
    ID_AFTER_CHILDREN = "id_after_children"

    SECOND_FAMILY = "second_family"
    SECOND_VALUE = "second_value"
    ATTRIBUTE_WITHOUT_TYPE = "attribute_without_type"
    ATTRIBUTE_WITHOUT_VALUE = "attribute_without_value"
    MISPLACED = "misplaced"
    TOO_LONG_KEY = "too_long_key"
    REPEATED_ATTRIBUTE = "repeated_attribute"
    TOO_LONG = "too_long"
    PARAMETER_WITHOUT_VALUE = "parameter_without_value"
    REPEATED_ID = "repeated_id"
    MISSING_OWN_ID = "missing_own_id"

    BAD_NUMBER = "bad_number"
    AMBIGUOUS_NUMBER = "ambiguous_number"
    NUMBER_OUT_OF_RANGE = "number_out_of_range"


# `key` is the row's id (for elements and values: the configuration's); `place` the path in the document, the column,
# or "" for the whole; `label` the label or pattern that the entry counts under.
SCHEMA: dict[str, type[pl.DataType]] = {
    "table": pl.String,
    "key": pl.String,
    "place": pl.String,
    "reason": pl.String,
    "level": pl.String,
    "outcome": pl.String,
    "label": pl.String,
    "sample": pl.String,
}

# What one document gave: `document` instead of table and key, and the patterns of which it lost one each. Whether an
# Attribute counts under its label as well depends on its owner, hence `counts`.
DOCUMENT_SCHEMA: dict[str, pl.DataType] = {
    "document": pl.UInt64(),
    "place": pl.String(),
    "reason": pl.String(),
    "level": pl.String(),
    "outcome": pl.String(),
    "label": pl.String(),
    "sample": pl.String(),
    "relationships": pl.List(pl.String),
    "counts": pl.Boolean(),
}


class Refused(Exception):  # noqa: N818 - it is an outcome, not an error
    """A document of which nothing is loaded."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail[:SAMPLE_LENGTH]
