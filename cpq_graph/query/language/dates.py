"""Days and periods in their usual spellings, English and Finnish.

Arrives: tokens and a position. Leaves: the `Period` that starts there and the token after its last, or None. A period
whose year is not said ("in July", "Q3") comes without one, and the grammar finds it or asks.
"""

import calendar
import re
from dataclasses import dataclass, replace
from datetime import date, timedelta

from cpq_graph.query.language.lexicon import Language, lexicon
from cpq_graph.query.language.numbers import number_at, ordinal_at
from cpq_graph.query.language.tokens import Kind, Token
from cpq_graph.query.plan import Unit


@dataclass(frozen=True, slots=True)
class Period:
    """A run of days within a year: `unit` and `index` say which (month 7, quarter 3; a day has month and day).
    `year` is None while unknown. `until` closes a range of months."""

    unit: Unit
    year: int | None
    index: int = 1
    day: int = 1
    until: int | None = None
    # Set for spans that are not calendar units ("last 30 days").
    span: tuple[date, date] | None = None

    def in_year(self, year: int) -> "Period":
        """The same part of `year`."""
        return replace(self, year=year)

    def bounds(self) -> tuple[date, date]:
        """First and last day, both inclusive. Raises ValueError when no such day exists or the year is unknown."""
        if self.span:
            return self.span
        if self.year is None:
            raise ValueError("the year is unknown")
        year, index = self.year, self.index
        if self.unit is Unit.DAY:
            return date(year, index, self.day), date(year, index, self.day)
        if self.unit is Unit.WEEK:
            return date.fromisocalendar(year, index, 1), date.fromisocalendar(year, index, 7)
        months = {Unit.MONTH: 1, Unit.QUARTER: 3, Unit.HALF: 6, Unit.YEAR: 12}[self.unit]
        first, last = (index - 1) * months + 1, index * months
        if self.until:
            last = self.until
        return date(year, first, 1), date(year, last, calendar.monthrange(year, last)[1])


_MONTHS_EN = {
    name.lower(): number for number, name in enumerate(calendar.month_name) if name
} | {name.lower(): number for number, name in enumerate(calendar.month_abbr) if name} | {"sept": 9}  # fmt: skip
_MONTH_STEMS_FI = (
    "tammi", "helmi", "maalis", "huhti", "touko", "kesa", "heina", "elo", "syys", "loka", "marras", "joulu",
)  # fmt: skip
_MONTH_FI = re.compile(
    r"(" + "|".join(_MONTH_STEMS_FI) + r")kuu(?:n|ta|ssa|sta|lta|lle|hun|t|kausi|kaudella|kauden|na|lla|ksi|ssakin)?"
)
_RELATIVE = {
    "last": -1, "previous": -1, "past": -1, "this": 0, "current": 0, "ongoing": 0,
    "viime": -1, "edellinen": -1, "edellisen": -1, "edellisena": -1, "edellisella": -1, "edellisessa": -1,
    "tana": 0, "tassa": 0, "tama": 0, "taman": 0, "talla": 0, "kuluva": 0, "kuluvan": 0, "kuluvana": 0,
    "kuluvalla": 0, "kuluvassa": 0, "kuluneen": 0,
}  # fmt: skip
_ROLLING = {"last", "past", "viimeisen", "viimeisten", "viimeisena", "edellisen", "edeltavan", "kuluneen"}
_YEAR_WORDS = re.compile(r"years?|vuosi|vuonna|vuoden|vuodelta|vuodelle|vuotta|vuodesta|vuoteen|vuosina|vuosien")
_DAY_WORDS = {"paivana", "paiva", "paivan", "paivalta", "p"}


def period_at(tokens: tuple[Token, ...], i: int, language: Language, today: date) -> tuple[Period, int] | None:
    """The longest period that starts at token `i`."""
    return (
        _written_day(tokens, i)
        or _relative(tokens, i, language, today)
        or _part_of_year(tokens, i, language, today)
        or _year_then_part(tokens, i, language, today)
    )


def _word(tokens: tuple[Token, ...], i: int) -> str:
    return tokens[i].word if i < len(tokens) else ""


def _whole(tokens: tuple[Token, ...], i: int, low: int, high: int) -> int | None:
    """The whole number at `i`, within bounds."""
    if i < len(tokens) and tokens[i].kind is Kind.NUMBER and tokens[i].text.isdigit():
        value = int(tokens[i].text)
        return value if low <= value <= high else None
    return None


def _written_day(tokens: tuple[Token, ...], i: int) -> tuple[Period, int] | None:
    token = tokens[i]
    if token.kind is Kind.DATE:
        parts = [int(p) for p in re.split(r"[-./]", token.text)]
        year, month, day = parts if "-" in token.text else parts[::-1]
        if "/" in token.text and month > 12:
            month, day = day, month
        return _day(year, month, day, i + 1)
    # "16.7." without a year, and "7.2024", "7/2024"
    if match := re.fullmatch(r"(\d{1,2})\.(\d{1,2})", token.text):
        if _word(tokens, i + 1) == "." and tokens[i + 1].glued:
            return _day(None, int(match[2]), int(match[1]), i + 2)
    elif (match := re.fullmatch(r"(\d{1,2})\.(\d{4})", token.text)) and 1 <= int(match[1]) <= 12:
        return Period(Unit.MONTH, int(match[2]), int(match[1])), i + 1
    if (month_ := _whole(tokens, i, 1, 12)) and _word(tokens, i + 1) == "/" and tokens[i + 1].glued:
        year_ = _whole(tokens, i + 2, 1990, 2100)
        if year_:
            return Period(Unit.MONTH, year_, month_), i + 3
    year_ = _whole(tokens, i, 1990, 2100)
    if year_ and _word(tokens, i + 1) in {"-", "/"} and tokens[i + 1].glued and len(_word(tokens, i + 2)) == 2:
        month_ = _whole(tokens, i + 2, 1, 12)
        if month_ and tokens[i + 2].glued:
            return Period(Unit.MONTH, year_, month_), i + 3
    return None


def _day(year: int | None, month: int, day: int, end: int) -> tuple[Period, int] | None:
    try:
        date(year or 2024, month, day)
    except ValueError:
        return None
    return Period(Unit.DAY, year, month, day), end


def _year_at(tokens: tuple[Token, ...], i: int, language: Language, today: date) -> tuple[int, int] | None:
    """A year, with the words that introduce it."""
    end = i
    while _word(tokens, end) in {"the", "calendar", "of", "in", ",", "/", "'"} or _YEAR_WORDS.fullmatch(
        _word(tokens, end)
    ):
        end += 1
    if year := _whole(tokens, end, 1990, 2100):
        return year, end + 1
    if end > i and not _YEAR_WORDS.fullmatch(_word(tokens, end - 1)):
        relative = _RELATIVE.get(_word(tokens, end))
        if relative is not None and _YEAR_WORDS.fullmatch(_word(tokens, end + 1)):
            return today.year + relative, end + 2
    relative = _RELATIVE.get(_word(tokens, i))
    if relative is not None and _YEAR_WORDS.fullmatch(_word(tokens, i + 1)):
        return today.year + relative, i + 2
    return None


def _part_of_year(tokens: tuple[Token, ...], i: int, language: Language, today: date) -> tuple[Period, int] | None:
    """A month, quarter, half, week or day, with its year where one follows."""
    found = _english_day(tokens, i) if language == "en" else _finnish_day(tokens, i)
    found = found or _month(tokens, i, language) or _numbered(tokens, i, language)
    if not found:
        return None
    period, end = found
    if year := _year_at(tokens, end, language, today):
        return period.in_year(year[0]), year[1]
    return period, end


def _month_number(word: str, language: Language) -> int | None:
    if language == "en":
        return _MONTHS_EN.get(word)
    match = _MONTH_FI.fullmatch(word)
    return _MONTH_STEMS_FI.index(match[1]) + 1 if match else None


def _month(tokens: tuple[Token, ...], i: int, language: Language) -> tuple[Period, int] | None:
    word = _word(tokens, i)
    if language == "fi" and word in _MONTH_STEMS_FI:
        # tammi-maaliskuu, tammi–maaliskuussa
        j = i + 1 + (_word(tokens, i + 1) in {"-", "–", "—"})
        last = _month_number(_word(tokens, j), language)
        first = _MONTH_STEMS_FI.index(word) + 1
        if last and last > first and (j > i + 1 or tokens[j].text):
            return Period(Unit.MONTH, None, first, until=last), j + 1
        return None
    if language == "en" and word == "may" and tokens[i].text != "May":
        return None
    number = _month_number(word, language)
    if number is None:
        return None
    end = i + 1
    if language == "en" and _word(tokens, end) == "." and tokens[end].glued and len(word) <= 4:
        end += 1
    return Period(Unit.MONTH, None, number), end


def _english_day(tokens: tuple[Token, ...], i: int) -> tuple[Period, int] | None:
    """16 July, the 16th of July, July 16th."""
    start = i + (_word(tokens, i) == "the")
    day = _whole(tokens, start, 1, 31)
    ordinal = ordinal_at(tokens, start, "en") if start < len(tokens) else None
    if ordinal and ordinal[0] <= 31:
        day, after = ordinal
    else:
        after = start + 1
    if day:
        after += _word(tokens, after) == "of"
        month = _month_number(_word(tokens, after), "en")
        return _day(None, month, day, after + 1) if month else None
    month = _month_number(_word(tokens, i), "en")
    if not month:
        return None
    after = i + 1 + (_word(tokens, i + 1) == "the")
    if after >= len(tokens):
        return None
    ordinal = ordinal_at(tokens, after, "en")
    if ordinal and ordinal[0] <= 31:
        return _day(None, month, ordinal[0], ordinal[1])
    day = _whole(tokens, after, 1, 31)
    return _day(None, month, day, after + 1) if day else None


def _finnish_day(tokens: tuple[Token, ...], i: int) -> tuple[Period, int] | None:
    """16. heinäkuuta, heinäkuun 16. päivänä."""
    day = _whole(tokens, i, 1, 31)
    if day:
        after = i + 1 + (_word(tokens, i + 1) == ".")
        after += _word(tokens, after) in _DAY_WORDS
        month = _month_number(_word(tokens, after), "fi")
        if not month:
            return None
        after += 1
        return _day(None, month, day, after)
    month = _month_number(_word(tokens, i), "fi")
    day = _whole(tokens, i + 1, 1, 31)
    if month and day and (_word(tokens, i + 2) == "." or _word(tokens, i + 2) in _DAY_WORDS):
        after = i + 2 + (_word(tokens, i + 2) == ".")
        after += _word(tokens, after) in _DAY_WORDS
        return _day(None, month, day, after)
    return None


def _unit_at(tokens: tuple[Token, ...], i: int, language: Language) -> tuple[Unit, int] | None:
    if i >= len(tokens):
        return None
    for concept, end in sorted(lexicon(language).at(tokens, i), key=lambda c: -c[1]):
        if concept.startswith("unit."):
            return Unit(concept[5:]), end
    return None


_HIGHEST = {Unit.QUARTER: 4, Unit.HALF: 2, Unit.WEEK: 53, Unit.MONTH: 12}


def _numbered(tokens: tuple[Token, ...], i: int, language: Language) -> tuple[Period, int] | None:
    """Q3, H1, third quarter, quarter 3, week 29, alkupuolisko."""
    word = _word(tokens, i)
    if word in {"q", "h"} and i + 1 < len(tokens) and tokens[i + 1].glued and len(tokens[i + 1].text) == 1:
        unit = Unit.QUARTER if word == "q" else Unit.HALF
        if index := _whole(tokens, i + 1, 1, _HIGHEST[unit]):
            return Period(unit, None, index), i + 2
    if word in {"wk", "vko", "w"} and (index := _whole(tokens, i + 1, 1, 53)):
        return Period(Unit.WEEK, None, index), i + 2
    if match := re.fullmatch(r"(alku|loppu)(?:puolisko|vuosipuolisko|puoliskolla|puoliskon)(?:lla|n|ssa|lta)?", word):
        return Period(Unit.HALF, None, 1 if match[1] == "alku" else 2), i + 1
    start = i + (word == "the")
    if start >= len(tokens):
        return None
    ordinal = ordinal_at(tokens, start, language)
    unit_found = _unit_at(tokens, ordinal[1], language) if ordinal else None
    if ordinal and unit_found and unit_found[0] in _HIGHEST and 1 <= ordinal[0] <= _HIGHEST[unit_found[0]]:
        return Period(unit_found[0], None, ordinal[0]), unit_found[1]
    unit_found = _unit_at(tokens, i, language)
    if unit_found and unit_found[0] in _HIGHEST:
        after = unit_found[1] + (_word(tokens, unit_found[1]) in {"number", "no", "nro", "#"})
        if index := _whole(tokens, after, 1, _HIGHEST[unit_found[0]]):
            if _word(tokens, after + 1) in {"-", "–", ":"} or _unit_or_percent(tokens, after + 1):
                return None
            return Period(unit_found[0], None, index), after + 1
    return None


def _unit_or_percent(tokens: tuple[Token, ...], i: int) -> bool:
    return _word(tokens, i) in {"%", "mm", "w", "k"}


def _relative(tokens: tuple[Token, ...], i: int, language: Language, today: date) -> tuple[Period, int] | None:
    """Last year, viime kuussa, yesterday, the last 30 days."""
    start = i + (_word(tokens, i) == "the")
    word = _word(tokens, start)
    days = {"today": 0, "tanaan": 0, "yesterday": 1, "eilen": 1, "eilisen": 1}.get(word)
    if days is not None:
        day = today - timedelta(days=days)
        return Period(Unit.DAY, day.year, day.month, day.day), start + 1
    if word in _ROLLING and start + 1 < len(tokens) and (number := number_at(tokens, start + 1, language)):
        unit = _unit_at(tokens, number[1], language)
        count = int(number[0])
        if unit and count:
            months = {Unit.MONTH: 1, Unit.QUARTER: 3, Unit.HALF: 6, Unit.YEAR: 12}.get(unit[0])
            first = (
                _months_before(today, months * count)
                if months
                else today - timedelta(days=count * (7 if unit[0] is Unit.WEEK else 1))
            )
            return Period(unit[0], today.year, span=(first + timedelta(days=1), today)), unit[1]
    if word not in _RELATIVE:
        return None
    step, unit = _RELATIVE[word], _unit_at(tokens, start + 1, language)
    if not unit:
        return None
    if unit[0] is Unit.DAY:
        return None
    if unit[0] is Unit.WEEK:
        iso = (today + timedelta(weeks=step)).isocalendar()
        return Period(Unit.WEEK, iso.year, iso.week), unit[1]
    months = {Unit.MONTH: 1, Unit.QUARTER: 3, Unit.HALF: 6, Unit.YEAR: 12}[unit[0]]
    there = _months_before(today.replace(day=1), -step * months)
    return Period(unit[0], there.year, (there.month - 1) // months + 1), unit[1]


def _months_before(day: date, months: int) -> date:
    index = day.year * 12 + day.month - 1 - months
    year, month = divmod(index, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def _year_then_part(tokens: tuple[Token, ...], i: int, language: Language, today: date) -> tuple[Period, int] | None:
    """A year, and the part of it that follows: 2024 Q3, vuoden 2024 ensimmäinen neljännes."""
    if _word(tokens, i) in {"of", "in", ",", "/", "'"}:
        return None
    year = _year_at(tokens, i, language, today)
    if not year:
        return None
    after = year[1] + (_word(tokens, year[1]) in {"'s", "/", ",", "-"})
    part = None
    if after < len(tokens):
        part = (
            _month(tokens, after, language)
            or _numbered(tokens, after, language)
            or (_finnish_day(tokens, after) if language == "fi" else _english_day(tokens, after))
        )
    if part and not (_year_at(tokens, part[1], language, today)):
        return part[0].in_year(year[0]), part[1]
    return Period(Unit.YEAR, year[0]), year[1]
