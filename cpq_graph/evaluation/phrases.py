"""What fills the placeholders of questions, and how people write it in English and Finnish.

Arrives: a name, a number, a choice or a calendar period of the source. Leaves: an object that formats itself by the
format spec of a template: `{month:fi_in}` is "heinäkuussa 2024".
"""

import calendar
import unicodedata
from dataclasses import dataclass
from datetime import date
from typing import Self

_EN_ORDINALS = ("first", "second", "third", "fourth")
_FI_MONTHS = (
    "tammi", "helmi", "maalis", "huhti", "touko", "kesä", "heinä", "elo", "syys", "loka", "marras", "joulu",
)  # fmt: skip
# Finnish ordinals in the adessive, genitive and ablative: kolmannella neljänneksellä.
_FI_AT = ("ensimmäisellä", "toisella", "kolmannella", "neljännellä")
_FI_OF = ("ensimmäisen", "toisen", "kolmannen", "neljännen")
_FI_FROM = ("ensimmäiseltä", "toiselta", "kolmannelta", "neljänneltä")
# Words after which a Finnish ending follows a colon: Pohjolan Sähkö Oy:n.
_ABBREVIATIONS = ("Oy", "Ab", "Ltd", "Oyj", "Ky", "Tmi")
# Genitive and partitive of colours.
_FI_FORMS = {
    "musta": ("mustan", "mustaa"),
    "valkoinen": ("valkoisen", "valkoista"),
    "harmaa": ("harmaan", "harmaata"),
    "punainen": ("punaisen", "punaista"),
}


@dataclass(frozen=True, slots=True)
class Name:
    """A name as stored: of a company, person, family, offer, user or status.

    Formats: as is; `lower`; `plain` without ® and as people type it; `fi_gen`, the Finnish genitive of a company.
    """

    text: str

    def __format__(self, spec: str) -> str:
        match spec:
            case "":
                return self.text
            case "lower":
                return _plain(self.text).lower()
            case "plain":
                return _plain(self.text)
            case "fi_gen":
                if self.text.split()[-1] in _ABBREVIATIONS:
                    return f"{self.text}:n"
                return f"yrityksen {self.text}"
        raise ValueError(f"a name has no format {spec!r}")

    @property
    def constants(self) -> tuple[str | float, ...]:
        """What an answer's column may hold throughout, repeating the question."""
        return (self.text,)


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).replace("®", " ").split())


@dataclass(frozen=True, slots=True)
class Number:
    """A bound or an amount. Formats: as is; `en` 12,500; `fi` 12 500."""

    value: float

    def __format__(self, spec: str) -> str:
        plain = f"{self.value:g}" if self.value < 1_000_000 else f"{self.value:.0f}"
        match spec:
            case "":
                return plain
            case "en":
                return f"{self.value:,}".removesuffix(".0")
            case "fi":
                return f"{self.value:,}".removesuffix(".0").replace(",", " ").replace(".", ",")
        raise ValueError(f"a number has no format {spec!r}")

    @property
    def constants(self) -> tuple[str | float, ...]:
        """See Name."""
        return (self.value,)


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice of a feature: all names that it is stored under, in English and Finnish screens.

    Formats: the English name; `en` and `fi` as within a sentence; `fi_gen`, `fi_part` Finnish cases of a colour.
    """

    names: tuple[str, str]

    def __format__(self, spec: str) -> str:
        english, finnish = self.names
        match spec:
            case "":
                return english
            case "en":
                return _in_sentence(english)
            case "fi":
                return _in_sentence(finnish)
            case "fi_gen" | "fi_part":
                return _FI_FORMS[finnish.lower()][spec == "fi_part"]
        raise ValueError(f"a choice has no format {spec!r}")

    @property
    def constants(self) -> tuple[str | float, ...]:
        """See Name."""
        return self.names


def _in_sentence(text: str) -> str:
    return text[0].lower() + text[1:] if text[1:] == text[1:].lower() else text


@dataclass(frozen=True, slots=True)
class Span:
    """A calendar period, both days included. `unit` is day, month, quarter, half or year."""

    unit: str
    first: date
    last: date

    @classmethod
    def around(cls, unit: str, day: date) -> Self:
        """The period of that unit that the day falls in."""
        if unit == "day":
            return cls(unit, day, day)
        months = {"month": 1, "quarter": 3, "half": 6, "year": 12}[unit]
        start = (day.month - 1) // months * months + 1
        end = start + months - 1
        return cls(unit, date(day.year, start, 1), date(day.year, end, calendar.monthrange(day.year, end)[1]))

    @property
    def number(self) -> int:
        """Which of its year's: 3 for a third quarter."""
        months = {"month": 1, "quarter": 3, "half": 6}.get(self.unit, 12)
        return (self.first.month - 1) // months + 1

    @property
    def label(self) -> str:
        """As text that sorts: 2024-07-16, 2024-07, 2024-Q3, 2024-H2, 2024."""
        year = f"{self.first.year}"
        match self.unit:
            case "day":
                return self.first.isoformat()
            case "month":
                return f"{year}-{self.number:02}"
            case "quarter":
                return f"{year}-Q{self.number}"
            case "half":
                return f"{year}-H{self.number}"
        return year

    @property
    def constants(self) -> tuple[str | float, ...]:
        """See Name."""
        return (self.label, self.first.isoformat(), float(self.first.year))

    def __format__(self, spec: str) -> str:
        if spec in ("months_en", "months_fi"):
            return self._months(spec == "months_fi")
        return {"day": self._day, "month": self._month, "year": self._year}.get(self.unit, self._part)(spec)

    def _year(self, spec: str) -> str:
        if spec:
            raise ValueError(f"a year has no format {spec!r}")
        return f"{self.first.year}"

    def _day(self, spec: str) -> str:
        day, english = self.first, calendar.month_name[self.first.month]
        return {
            "iso": day.isoformat(),
            "en": f"{day.day} {english} {day.year}",
            "us": f"{english} {day.day}, {day.year}",
            "fi": f"{day.day}.{day.month}.{day.year}",
            "fi_long": f"{day.day}. {_FI_MONTHS[day.month - 1]}kuuta {day.year}",
        }[spec]

    def _month(self, spec: str) -> str:
        year, finnish = self.first.year, f"{_FI_MONTHS[self.first.month - 1]}kuu"
        english = calendar.month_name[self.first.month]
        return {
            "en": f"{english} {year}",
            "short": f"{english[:3]} {year}",
            "fi": f"{finnish} {year}",
            "fi_in": f"{finnish}ssa {year}",
            "fi_gen": f"{finnish}n {year}",
        }[spec]

    def _part(self, spec: str) -> str:
        """A quarter or half."""
        year, n, quarter = self.first.year, self.number, self.unit == "quarter"
        noun = ("puolisko", "neljännekse")[quarter]
        return {
            "q": f"Q{n} {year}",
            "h": f"H{n} {year}",
            "en": f"the {_EN_ORDINALS[n - 1]} {self.unit} of {year}",
            "fi_in": f"vuoden {year} {_FI_AT[n - 1]} {noun}ll{'ä' if quarter else 'a'}",
            "fi_gen": f"vuoden {year} {_FI_OF[n - 1]} {noun}n",
            "fi_from": f"vuoden {year} {_FI_FROM[n - 1]} {noun}lt{'ä' if quarter else 'a'}",
        }[spec]

    def _months(self, finnish: bool) -> str:
        first, last, year = self.first.month, self.last.month, self.first.year
        if finnish:
            return f"{_FI_MONTHS[first - 1]}–{_FI_MONTHS[last - 1]}kuussa {year}"
        return f"from {calendar.month_name[first]} to {calendar.month_name[last]} {year}"


Phrase = Name | Number | Choice | Span
