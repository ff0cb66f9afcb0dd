"""Why a row, an element or a value of the source is not in the graph as it stands: the words of the reject report.

Nothing arrives; what leaves are the identifiers that the ground truth uses. They equal those of the transform stage,
written down a second time on purpose: the truth owes nothing to the code that it judges.
"""

from enum import StrEnum


class Outcome(StrEnum):
    """What became of it. NOTED lost nothing."""

    REJECTED = "rejected"
    FILTERED = "filtered"
    EMPTIED = "emptied"
    NOTED = "noted"


class Reason(StrEnum):
    """The identifier of each reason, by what it is about."""

    # Rows
    NOT_FINAL = "not_final"
    OUT_OF_PERIOD = "out_of_period"
    NOT_NAMED = "not_named"
    PARENT_FILTERED = "parent_filtered"
    PARENT_REJECTED = "parent_rejected"
    NO_PARENT = "no_parent"
    DANGLING = "dangling"
    SECOND_CONTENT = "second_content"
    SECOND_SUBCONTENT = "second_subcontent"
    SECOND_CONFIGURATION = "second_configuration"
    BAD_DATE = "bad_date"
    PRODUCT_WITHOUT_CONFIGURATION = "product_without_configuration"
    # Documents
    NULL_DOCUMENT = "null_document"
    EMPTY_DOCUMENT = "empty_document"
    DAMAGED_GZIP = "damaged_gzip"
    DOCTYPE = "doctype"
    TOO_DEEP = "too_deep"
    LYING_ENCODING = "lying_encoding"
    NOT_WELL_FORMED = "not_well_formed"
    NO_FAMILY = "no_family"
    # Elements
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
    # Values
    BAD_NUMBER = "bad_number"
    AMBIGUOUS_NUMBER = "ambiguous_number"
    NUMBER_OUT_OF_RANGE = "number_out_of_range"


DOCUMENT_REASONS = (
    Reason.NULL_DOCUMENT,
    Reason.EMPTY_DOCUMENT,
    Reason.DAMAGED_GZIP,
    Reason.DOCTYPE,
    Reason.TOO_DEEP,
    Reason.LYING_ENCODING,
    Reason.NOT_WELL_FORMED,
    Reason.NO_FAMILY,
)
