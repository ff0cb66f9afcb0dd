"""Numbers as people write them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transform.numbers import NumberProblem, parse_float, parse_integer, parse_measure

BAD, AMBIGUOUS, RANGE = NumberProblem.BAD, NumberProblem.AMBIGUOUS, NumberProblem.RANGE


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("57", 57.0), ("-5", -5.0), ("+5", 5.0), (" 5 ", 5.0), ("57.", 57.0), (".5", 0.5), ("1e3", 1000.0),
        ("1 234,50", 1234.5), ("1\u00a0234,50", 1234.5), ("1\u202f234.5", 1234.5), ("1,234.50", 1234.5),
        ("1.234,50", 1234.5), ("1.234", 1.234), ("12,5", 12.5), ("1,2345", 1.2345), ("0,125", 0.125),
        ("-0,125", -0.125),
        ("1,234,567", 1234567.0), ("1.234.567", 1234567.0), ("1.234.567,5", 1234567.5), ("12 345", 12345.0),
        ("1,234", AMBIGUOUS), ("-12,345", AMBIGUOUS), ("n/a", BAD), ("NaN", BAD), ("inf", BAD),
        ("-INF", BAD), ("", BAD),
        ("57 W", BAD), ("1 23", BAD), ("12,345,67", BAD), ("1,23.4", BAD), ("1_000", BAD), ("0x10", BAD), ("٣", BAD),
        ("²", BAD), ("- 5", BAD), ("1 234 56", BAD), ("1e400", RANGE), ("9" * 400, RANGE), ("1.7e308", 1.7e308),
    ],
)  # fmt: skip
def test_floats(text: str, number: float | NumberProblem) -> None:
    assert parse_float(text) == number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("2", 2), ("2.0", 2), ("-3", -3), ("1 200", 1200), ("1,200,000", 1200000), ("2.5", BAD), ("1e3", BAD),
        ("1,200", AMBIGUOUS), ("n/a", BAD), ("9223372036854775807", 2**63 - 1), ("9223372036854775808", RANGE),
        ("-9223372036854775808", -(2**63)), ("0" * 5000 + "7", 7), ("1" * 5000, RANGE),
    ],
)  # fmt: skip
def test_integers(text: str, number: int | NumberProblem) -> None:
    assert parse_integer(text) == number


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        ("57", "57"), ("57 W", "57"), ("57W", "57"), ("1 234,50", "1234.5"), ("2.10", "2.1"), ("0.5", "0.5"),
        ("4000 K", "4000"), ("1 234,5 mm", "1234.5"), ("100 lm/W", "100"), ("-20 °C", "-20"), ("1,234 W", AMBIGUOUS),
        ("2,400", AMBIGUOUS), ("n/a", BAD), ("three", BAD), ("NaN", BAD), ("57 and much more", BAD), ("5 x 3", BAD),
        ("1e400 W", RANGE),
    ],
)  # fmt: skip
def test_measures(text: str, measure: str | NumberProblem) -> None:
    assert parse_measure(text) == measure


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_what_a_program_writes_is_read_back(number: float) -> None:
    assert parse_float(repr(number)) == number


@given(st.text())
def test_any_text_gives_a_number_or_a_reason(text: str) -> None:
    for parse in (parse_float, parse_integer, parse_measure):
        found = parse(text)
        if isinstance(found, float):
            assert math.isfinite(found)
        elif isinstance(found, str) and not isinstance(found, NumberProblem):
            assert math.isfinite(float(found))
