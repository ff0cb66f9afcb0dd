"""Texts and numbers that have broken loaders, and frames full of them."""

from datetime import date

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from cpq_graph.model import ATTRIBUTE, ATTRIBUTE_BYTES_MAX, OFFER, TAB, TAB_HAS_ATTRIBUTE
from load.frames import GraphFrames

# Names of folders, of whose characters each means something to a shell, to globs, to URLs, or to Neo4j's import: with
# and without those that mean something between double quotes, too.
FOLDER = "a, b'ä*[x]?{y};#%20=(1)&<z>|!~"
QUOTED_FOLDER = FOLDER + '"$HOME\\`'

NASTY = (
    "",
    " ",
    "  lead and trail  ",
    "\ufeff",
    "\ufeffid",
    '"',
    '""',
    'a"b',
    "\\",
    'ends with \\"',
    "\\n",
    "a\nb",
    "\n",
    "\r",
    "a\r\nb",
    "\t",
    "tab\tin",
    ",",
    ";",
    "a;b",
    "null",
    "NULL",
    "NaN",
    "0x10",
    "1e5",
    "\u0000",
    "\u0001\u001f\u007f\u0085",
    "\u2028\u2029",
    "\u00a0nbsp",
    "😀𝒜",
    "ä\u0308",
    "e\u0301",
    "ﬀ",
    "{x:1}",
    "${HOME}",
    "`whoami`",
    "'",
    "SNEP® MODE P",
    "\ufffe\uffff\ufdd0\U0001ffff",
    "\U0010ffff",
    "\u200b\u200d\ufeff",
    "\x85",
    "\u2028next",
    "\x00\x00",
    "a\x00b",
    '\\"',
    '",""\n"',
    "a,b\nc,d\n",
    "a|b\ta;b",
    "[a, b]",
    ":ID",
    ":LABEL",
    "true",
    "2024-01-01",
    "-0",
    " 1",
    "#",
    "\\u0041",
    "\\N",
    "x" * 8_000,
    "ä" * 4_000,
)
# Told apart by case, blanks or composition only.
NEAR = (
    "id", "Id", "ID", "id ", " id", "id  ", "id\t", "id\n", "id\r", "id\r\n", "id\u00a0", "id\u3000", "id\ufeff",
    "id\x00", "é", "e\u0301", "ff", "straße", "strasse", "STRASSE", "İ", "i\u0307", "Å", "\u212b", "A\u030a",
    "①", "1", "１", "¹",
)  # fmt: skip
LONG = ("x" * 100_000, 'ä€😀\n"\\' * 80_000, " " * 1_000_000)


def generated_texts() -> list[str]:
    """Three hundred texts that Hypothesis thinks of, to go through one import together."""
    found: list[str] = []

    @settings(max_examples=300, derandomize=True, database=None)
    @given(
        st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
        | st.text(st.sampled_from('"\\,;\n\r\t \ufeffa'), max_size=8)
    )
    def collect(text: str) -> None:
        found.append(text)

    collect()
    return found


def text_frames(values: list[str]) -> GraphFrames:
    """Each text as an id, as a property, beside a null, as an Attribute, and as both ends of a relationship; the long
    ones as names."""
    distinct = [value for value in dict.fromkeys(values) if value]
    # Type and value are one key, of some 8,100 bytes at most.
    types = [t if len((t + v).encode()) <= ATTRIBUTE_BYTES_MAX else "t" for t, v in zip(values, distinct, strict=False)]
    types, distinct = ["t" * 50, "t" * 4_050, *types], ["v" * 8_000, "v" * 4_050, *distinct]
    offers = pl.LazyFrame(
        {
            "id": distinct,
            "language_id": distinct[::-1],
            "status": [None if i % 3 == 0 else "" if i % 3 == 1 else value for i, value in enumerate(distinct)],
            "date": [date(2024, 7, 16) if i % 2 else None for i in range(len(distinct))],
            "version": distinct,
        }
    )
    attributes = pl.LazyFrame({"key": distinct, "type": types, "value": distinct})
    names = [*LONG, *distinct]
    tabs = pl.LazyFrame({"id": distinct, "name": names[: len(distinct)]})
    places = pl.LazyFrame({"start": distinct, "end": distinct, "position": list(range(len(distinct)))})
    return GraphFrames(
        {OFFER.label: offers, ATTRIBUTE.label: attributes, TAB.label: tabs}, {TAB_HAS_ATTRIBUTE.name: places}
    )


def number_frame() -> pl.LazyFrame:
    """Numbers at the edges of their types, as values' costs and quantities."""
    return pl.LazyFrame(
        {"id": [str(i) for i in range(len(FLOATS))], "quantity": INTEGERS, "cost": FLOATS},
        schema_overrides={"quantity": pl.Int64},
    ).with_columns(measure=pl.lit(None), name=pl.lit("57W"), parameterId=pl.lit(""))


FLOATS = [0.1, 1e-7, 1e20, 5e-324, 1.7976931348623157e308, -0.0, 123456789.123, None, 2.0]
INTEGERS = [0, -1, 2**63 - 1, -(2**63), 1, 2, 3, None, 10_000_000]
