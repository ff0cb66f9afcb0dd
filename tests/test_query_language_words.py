# ruff: noqa: E501 - spellings stand on one line
"""The words below the grammar: tokens, base forms, numbers, days and periods."""

from datetime import date, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cpq_graph.query.language.dates import period_at
from cpq_graph.query.language.lexicon import Language, lexicon
from cpq_graph.query.language.morphology import Case, bases
from cpq_graph.query.language.numbers import number_at, ordinal_at
from cpq_graph.query.language.tokens import fold, number_of, tokenize, words_of
from cpq_graph.query.language.vocabulary import meanings

TODAY = date(2025, 2, 3)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("SNEP® MODE P", ("snep", "mode", "p")),
        ("snep mode-P:n", ("snep", "mode", "p")),
        ("SNEP MODE P -valaisin", ("snep", "mode", "p", "valaisin")),
        ("ÄLVÖ WALL", ("alvo", "wall")),
        ("57W", ("57", "w")),
        ("2 000 mm", ("2 000", "mm")),
        ("AC/DC-100", ("ac", "dc", "100")),
        ("Aalto & Kumppanit Oy:lle", ("aalto", "kumppanit", "oy")),
        ("John's", ("john",)),
        ("", ()),
    ],
)
def test_words(text: str, words: tuple[str, ...]) -> None:
    assert words_of(text) == words


@given(st.text())
def test_tokens_know_where_they_stood(text: str) -> None:
    tokens = tokenize(text)
    assert all(a.end <= b.start for a, b in pairwise(tokens))


@given(st.text(alphabet="aäoöåbcdABCÄÖÅé® "))
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [("1 234,50", 1234.5), ("1,234.50", 1234.5), ("2 000", 2000.0), ("2.5", 2.5), ("2,5", 2.5), ("1,234", None)],
)
def test_written_numbers(text: str, value: float | None) -> None:
    assert number_of(text) == value


@pytest.mark.parametrize(
    ("inflected", "base", "case"),
    [
        ("Virtasen", "Virtanen", Case.GENITIVE),
        ("Mäkiseltä", "Mäkinen", Case.ABLATIVE),
        ("Lahden", "Lahti", Case.GENITIVE),
        ("Aallolle", "Aalto", Case.ALLATIVE),
        ("suojausluokan", "suojausluokka", Case.GENITIVE),
        ("suojausluokittain", "suojausluokka", Case.DISTRIBUTIVE),
        ("pituuksia", "pituus", Case.PARTITIVE),
        ("pituudeltaan", "pituus", Case.ABLATIVE),
        ("leveydet", "leveys", None),
        ("valkoisten", "valkoinen", Case.GENITIVE),
        ("mustissa", "musta", Case.INESSIVE),
        ("teholla", "teho", Case.ADESSIVE),
        ("ripustimen", "ripustin", Case.GENITIVE),
        ("optiikoista", "optiikka", Case.ELATIVE),
        ("väreissäkin", "väri", Case.INESSIVE),
        ("kehyksessä", "kehys", Case.INESSIVE),
        ("asennustapoja", "asennustapa", None),
    ],
)
def test_finnish_base_forms(inflected: str, base: str, case: Case | None) -> None:
    found = {b.form: b.case for b in bases(fold(inflected))}
    assert fold(base) in found
    assert case is None or found[fold(base)] is case


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("musta", "black"),
        ("mustia", "blacks"),
        ("harmaan", "gray"),
        ("väri", "colour"),
        ("pituuden", "lengths"),
        ("kehysväri", "runkoväri"),
    ],
)
def test_words_of_one_meaning(one: str, other: str) -> None:
    assert meanings(fold(one))[0] == meanings(fold(other))[0]


@pytest.mark.parametrize(
    ("text", "language", "value"),
    [
        ("57", "en", 57.0),
        ("twenty five", "en", 25.0),
        ("two hundred", "en", 200.0),
        ("three thousand two hundred", "en", 3200.0),
        ("a dozen", "en", None),
        ("dozen", "en", 12.0),
        ("5,900", "en", 5900.0),
        ("5,900", "fi", None),
        ("kaksikymmentäviisi", "fi", 25.0),
        ("kolmea", "fi", 3.0),
        ("viidellä", "fi", 5.0),
        ("kaksi tuhatta", "fi", 2000.0),
        ("kolmetoista", "fi", 13.0),
        ("kaksisataa", "fi", 200.0),
        ("valaisin", "fi", None),
    ],
)
def test_number_words(text: str, language: Language, value: float | None) -> None:
    found = number_at(tokenize(text), 0, language)
    assert (found[0] if found else None) == value
    assert found is None or found[1] == len(tokenize(text))


@pytest.mark.parametrize(
    ("text", "language", "value"),
    [
        ("third", "en", 3),
        ("2nd half", "en", 2),
        ("kolmannella", "fi", 3),
        ("1. neljännes", "fi", 1),
        ("toisen", "fi", 2),
    ],
)
def test_ordinals(text: str, language: Language, value: int) -> None:
    found = ordinal_at(tokenize(text), 0, language)
    assert found is not None
    assert found[0] == value


_PERIODS: dict[tuple[str, str], dict[Language, str]] = {
    ("2024-07-16", "2024-07-16"): {
        "en": "2024-07-16 | 16.7.2024 | July 16th 2024 | July 16, 2024 | 16 July 2024 | the 16th of July 2024 | 16th July 2024",
        "fi": "2024-07-16 | 16.7.2024 | 16. heinäkuuta 2024 | heinäkuun 16. päivänä 2024 | 16 päivänä heinäkuuta 2024",
    },
    ("2024-07-01", "2024-09-30"): {
        "en": "Q3 2024 | Q3/2024 | 2024 Q3 | third quarter of 2024 | the 3rd quarter of 2024 | 2024's third quarter",
        "fi": "Q3 2024 | Q3:lla 2024 | vuoden 2024 kolmas neljännes | 3. neljännes 2024 | kolmannella kvartaalilla vuonna 2024 | "
        "kvartaali 3/2024 | vuoden 2024 kolmannella vuosineljänneksellä",
    },
    ("2024-01-01", "2024-06-30"): {
        "en": "H1 2024 | first half of 2024 | the first half-year of 2024 | 2024 H1",
        "fi": "vuoden 2024 ensimmäinen puolisko | alkupuoliskolla 2024 | vuoden 2024 ensimmäisellä vuosipuoliskolla | H1/2024",
    },
    ("2024-07-01", "2024-07-31"): {
        "en": "July 2024 | Jul 2024 | July of 2024 | 7/2024 | 2024-07",
        "fi": "heinäkuu 2024 | heinäkuussa 2024 | vuoden 2024 heinäkuussa | heinäkuulle 2024 | 7/2024",
    },
    ("2024-01-01", "2024-12-31"): {
        "en": "2024 | the year 2024 | last year | the previous year",
        "fi": "2024 | vuonna 2024 | vuoden 2024 | vuodelta 2024 | viime vuonna | edellisenä vuonna",
    },
    ("2024-01-01", "2024-03-31"): {"fi": "tammi-maaliskuussa 2024 | tammi–maaliskuu 2024"},
    ("2024-07-15", "2024-07-21"): {"en": "week 29 of 2024", "fi": "viikko 29/2024 | viikolla 29 vuonna 2024"},
    ("2025-01-01", "2025-03-31"): {"en": "this quarter", "fi": "tällä neljänneksellä | kuluvalla neljänneksellä"},
    ("2025-01-01", "2025-01-31"): {"en": "last month", "fi": "viime kuussa"},
    ("2025-02-02", "2025-02-02"): {"en": "yesterday", "fi": "eilen"},
    ("2025-01-05", "2025-02-03"): {"en": "last 30 days | the past 30 days"},
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "language", "bounds"),
    [
        (text.strip(), language, bounds)
        for bounds, texts in _PERIODS.items()
        for language, spellings in texts.items()
        for text in spellings.split("|")
    ],
)
def test_periods(text: str, language: Language, bounds: tuple[str, str]) -> None:
    tokens = tokenize(text)
    found = period_at(tokens, 0, language, TODAY)
    assert found is not None
    assert tuple(day.isoformat() for day in found[0].bounds()) == bounds
    assert found[1] == len(tokens)


@given(st.dates(date(1995, 1, 1), date(2099, 12, 31)))
def test_every_day_in_every_spelling(day: date) -> None:
    months = ["tammi", "helmi", "maalis", "huhti", "touko", "kesä", "heinä", "elo", "syys", "loka", "marras", "joulu"]
    for text, language in (
        (day.isoformat(), "en"),
        (f"{day.day}.{day.month}.{day.year}", "fi"),
        (f"{day:%B} {day.day}, {day.year}", "en"),
        (f"{day.day}. {months[day.month - 1]}kuuta {day.year}", "fi"),
    ):
        found = period_at(tokenize(text), 0, "en" if language == "en" else "fi", TODAY)
        assert found is not None, text
        assert found[0].bounds() == (day, day)


@given(st.dates(date(2000, 1, 1), date(2050, 1, 1)), st.integers(1, 53))
def test_periods_end_after_they_begin(today: date, week: int) -> None:
    for text in ("last month", "this quarter", "last year", "previous week", "last 12 months"):
        found = period_at(tokenize(text), 0, "en", today)
        assert found is not None
        low, high = found[0].bounds()
        assert low <= high <= today + timedelta(days=366)


@pytest.mark.parametrize("text", ["30 February 2024", "31.4.2024", "2024-13-01"])
def test_days_that_are_not(text: str) -> None:
    found = period_at(tokenize(text), 0, "en", TODAY)
    assert found is None or found[1] < len(tokenize(text))


def test_no_word_of_the_lexicon_names_a_thing_of_a_catalog() -> None:
    """What a maker's families and features are called is data, in whatever language."""
    for language in ("en", "fi"):
        for word in ("snep", "mode", "dali", "opal", "pituus", "teho", "musta", "black", "frame"):
            assert not lexicon("fi" if language == "fi" else "en").knows(word), word
