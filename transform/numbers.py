"""Numbers as people and systems write them → plain decimal text, or the reason why not.

Arrives: the text of one value. Leaves: text that `float()` reads and means the same everywhere ("1 234,50" →
"1234.50"), or `NumberProblem`. What could be read in two ways is not guessed: "1,234" is ambiguous, "0,125" and
"1,23" are not.
"""

import re
from enum import StrEnum


class NumberProblem(StrEnum):
    """Why a text gives no number; the values are reasons of the reject report."""

    BAD = "bad_number"
    AMBIGUOUS = "ambiguous_number"
    RANGE = "number_out_of_range"


# A dot alone is always decimal; a comma alone is, unless it could as well set thousands apart.
PLAIN = r"[+-]?(?:\d+\.?\d*|\.\d+)"
_PLAIN = re.compile(rf"{PLAIN}(?:[eE][+-]?\d+)?")
_COMMA = re.compile(r"([+-]?\d+),(\d+)")
_AMBIGUOUS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
# Groups of three, set apart by one and the same mark (blank, no-break blank, narrow no-break blank, comma or dot),
# with the other mark, if any, before the decimals.
_GROUPED = re.compile(
    r"""([+-]?\d{1,3})(?:
          (?P<blank>(?:[ \u00a0\u202f]\d{3})+)(?:[.,](?P<after_blank>\d*))?
        | (?P<commas>(?:,\d{3})+)(?:\.(?P<after_commas>\d*))?
        | (?P<dots>(?:\.\d{3})+)(?:,(?P<after_dots>\d*))?
    )""",
    re.VERBOSE,
)
_NOT_DIGITS = re.compile(r"\D")
# A measure may carry its unit: "57 W", "1 234,5 mm", "4000K".
_UNIT = re.compile(r"(?P<number>.*?[\d.])\s?(?P<unit>[^\d\s.,+-][^\d]{0,7})", re.DOTALL)


def normalise(text: str) -> str | NumberProblem:
    """The number in plain notation, digits as they were given. Blanks around it don't count."""
    text = text.strip()
    if not text.isascii() and any(c.isdigit() and not "0" <= c <= "9" for c in text):
        return NumberProblem.BAD
    if _PLAIN.fullmatch(text):
        return text
    if _AMBIGUOUS.fullmatch(text):
        return NumberProblem.AMBIGUOUS
    if match := _COMMA.fullmatch(text):
        return f"{match[1]}.{match[2]}"
    if match := _GROUPED.fullmatch(text):
        groups = match["blank"] or match["commas"] or match["dots"]
        decimals = match["after_blank"] or match["after_commas"] or match["after_dots"]
        whole = match[1] + _NOT_DIGITS.sub("", groups)
        return f"{whole}.{decimals}" if decimals else whole
    return NumberProblem.BAD


def parse_float(text: str) -> float | NumberProblem:
    """A finite 64-bit float."""
    plain = normalise(text)
    if isinstance(plain, NumberProblem):
        return plain
    number = float(plain)
    return NumberProblem.RANGE if number in (float("inf"), float("-inf")) else number


def parse_integer(text: str) -> int | NumberProblem:
    """A whole 64-bit number; "2.0" is one, "2.5" is none."""
    plain = normalise(text)
    if isinstance(plain, NumberProblem):
        return plain
    whole, _, decimals = plain.partition(".")
    if "e" in plain.lower() or decimals.strip("0"):
        return NumberProblem.BAD
    digits = whole.lstrip("+-").lstrip("0") or "0"
    # Python refuses to read more than 4300 digits.
    if len(digits) > 19:
        return NumberProblem.RANGE
    number = -int(digits) if whole.startswith("-") else int(digits)
    return number if -(2**63) <= number < 2**63 else NumberProblem.RANGE


def parse_measure(text: str) -> str | NumberProblem:
    """The bare number of a measure as its shortest text, without its unit: "57 W" → "57", "1 234,50" → "1234.5"."""
    text = text.strip()
    plain = normalise(text)
    if plain is NumberProblem.BAD and (match := _UNIT.fullmatch(text)):
        plain = normalise(match["number"])
    if isinstance(plain, NumberProblem):
        return plain
    number = float(plain)
    if number in (float("inf"), float("-inf")):
        return NumberProblem.RANGE
    if number.is_integer() and abs(number) < 1e15:
        return str(int(number))
    return repr(number)
