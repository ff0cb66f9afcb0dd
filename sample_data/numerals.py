"""Numbers as people and programs write them, together with what they mean.

Arrives: a number, or a wish for one that cannot be read. Leaves: `Written`, the text and its meaning.
"""

import random
from dataclasses import dataclass

from sample_data.reasons import Reason
from sample_data.schedule import Schedule


@dataclass(frozen=True, slots=True)
class Written:
    """A text and what the graph shall hold of it: `value`, or nothing for `reason`."""

    raw: str
    value: str | int | float | None
    reason: Reason | None = None


_FAULTS = (
    Written("n/a", None, Reason.BAD_NUMBER),
    Written("1,234", None, Reason.AMBIGUOUS_NUMBER),
    Written("1e400", None, Reason.NUMBER_OUT_OF_RANGE),
    Written("NaN", None, Reason.BAD_NUMBER),
    Written("57 W", None, Reason.BAD_NUMBER),
    Written("-INF", None, Reason.BAD_NUMBER),
    Written("12,345", None, Reason.AMBIGUOUS_NUMBER),
    Written("9" * 400, None, Reason.NUMBER_OUT_OF_RANGE),
    Written("tbd", None, Reason.BAD_NUMBER),
)
_WHOLE_FAULTS = (
    Written("9223372036854775808", None, Reason.NUMBER_OUT_OF_RANGE),
    Written("2.5", None, Reason.BAD_NUMBER),
    Written("n/a", None, Reason.BAD_NUMBER),
    Written("1,000", None, Reason.AMBIGUOUS_NUMBER),
)
_MEASURE_FAULTS = (
    Written("n/a", None, Reason.BAD_NUMBER),
    Written("2,400", None, Reason.AMBIGUOUS_NUMBER),
    Written("three", None, Reason.BAD_NUMBER),
    Written("NaN", None, Reason.BAD_NUMBER),
)


def faulty(turn: int, *, whole: bool = False, measure: bool = False) -> Written:
    """A number that cannot be read, another kind with each turn."""
    faults = _MEASURE_FAULTS if measure else _WHOLE_FAULTS if whole else _FAULTS
    return faults[turn % len(faults)]


_SPACES = (" ", "\u00a0", "\u202f")


def _grouped(rng: random.Random, text: str) -> str:
    """The number in one of the ways it is written with grouped thousands or a decimal comma."""
    whole, _, decimals = text.partition(".")
    groups = f"{int(whole):,}"
    style = rng.randrange(3)
    if style == 0 or not decimals:
        groups = groups.replace(",", rng.choice(_SPACES))
        return groups + (f",{decimals}" if decimals else "")
    if style == 1:
        return f"{groups}.{decimals}"
    return f"{groups.replace(',', '.')},{decimals}"


def written(rng: random.Random, number: float, schedule: Schedule) -> Written:
    """The number in a way that can be read. Fractions have two decimals, so that no comma is ambiguous."""
    text = str(number) if isinstance(number, int) else f"{number:.2f}"
    if schedule.varied and rng.random() < 0.3:
        return Written(_grouped(rng, text), number)
    return Written(text, number)


def written_measure(rng: random.Random, number: str, unit: str | None, schedule: Schedule) -> Written:
    """A measure, perhaps with its unit behind it, a decimal comma, or a trailing zero."""
    if not schedule.varied or rng.random() < 0.7:
        return Written(number, number)
    raw = number
    if "." in number:
        raw = rng.choice((number.replace(".", ","), f"{number}0"))
    elif len(number.lstrip("-")) > 3:
        raw = f"{int(number):,}".replace(",", rng.choice(_SPACES))
    if unit and rng.random() < 0.5:
        raw += rng.choice(("", " ")) + unit
    return Written(raw, number)
