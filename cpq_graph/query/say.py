"""Rows → the answer in words, in the question's language.

Arrives: the plan, its columns and its rows. Leaves: a sentence or two; the rows themselves are the evidence beside it.
An empty result says which condition left nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cpq_graph.query.compile import Column
from cpq_graph.query.execute import Rows
from cpq_graph.query.plan import Aggregate, Condition, Grain, Measure, Plan

# How many rows a sentence names; the table has them all.
_NAMED = 5

_NOUNS: Mapping[str, Mapping[Grain, tuple[str, str, str]]] = {
    # One, counted, and (Finnish) the partitive plural of "there are no …".
    "en": {
        Grain.OFFER: ("offer", "offers", "offers"),
        Grain.PRODUCT: ("product", "products", "products"),
        Grain.PARAMETER: ("parameter", "parameters", "parameters"),
        Grain.PARTICIPANT: ("participant", "participants", "participants"),
        Grain.USER: ("user", "users", "users"),
    },
    "fi": {
        Grain.OFFER: ("tarjous", "tarjousta", "tarjouksia"),
        Grain.PRODUCT: ("tuote", "tuotetta", "tuotteita"),
        Grain.PARAMETER: ("parametri", "parametria", "parametreja"),
        Grain.PARTICIPANT: ("osapuoli", "osapuolta", "osapuolia"),
        Grain.USER: ("käyttäjä", "käyttäjää", "käyttäjiä"),
    },
}

# Words that columns are named with (`query.compile.columns`), in Finnish. What is not here is data and stays.
_FINNISH = {
    "offers": "tarjouksia",
    "products": "tuotteita",
    "parameters": "parametreja",
    "participants": "osapuolia",
    "users": "käyttäjiä",
    "offer": "tarjous",
    "product": "tuote",
    "parameter": "parametri",
    "participant": "osapuoli",
    "user": "käyttäjä",
    "total": "yhteensä",
    "average": "keskimäärin",
    "lowest": "pienin",
    "highest": "suurin",
    "median": "mediaani",
    "distinct": "eri",
    "total price": "kokonaishinta",
    "subcontent price": "osasisällön hinta",
    "company": "yritys",
    "sender": "lähettäjä",
    "receiver": "vastaanottaja",
    "deliverer": "toimittaja",
    "family": "tuoteperhe",
    "share %": "osuus %",
    "per": "/",
    "date": "päivä",
    "language": "kieli",
    "version": "versio",
    "status": "tila",
    "value": "arvo",
    "measure": "mitta",
    "name": "nimi",
    "title": "titteli",
    "tab": "välilehti",
    "day": "päivä",
    "week": "viikko",
    "month": "kuukausi",
    "quarter": "neljännes",
    "half": "puolivuosi",
    "year": "vuosi",
    "quantity": "määrä",
    "cost": "kustannus",
    "total cost": "kokonaiskustannus",
}


def say(
    plan: Plan, columns: Sequence[Column], rows: Rows, language: str, *,
    count: Callable[[Plan], int], name: Callable[[Condition], str],
) -> str:  # fmt: skip
    """The answer in words. Only for an empty result is `count` asked how many rows a plan leaves, and `name` what a
    condition is in words."""
    if _is_empty(plan, rows):
        return _nothing(plan, language, count, name)
    if plan.measures and not plan.group_by:
        return _numbers(columns, rows.rows[0], language)
    if len(rows.rows) == 1:
        return _one(columns, rows.rows[0], language)
    named = [_short(columns, row, language) for row in rows.rows[:_NAMED]]
    number = f"{len(rows.rows)}+" if rows.truncated else _number(len(rows.rows), language)
    if len(rows.rows) <= _NAMED:
        return "; ".join(named) + "."
    first = "first" if language == "en" else "ensimmäiset"
    lines = "rows" if language == "en" else "riviä"
    return f"{number} {lines}, {first}: {'; '.join(named)} …"


def _is_empty(plan: Plan, rows: Rows) -> bool:
    if not rows.rows:
        return True
    if plan.measures and not plan.group_by:
        return all(value in (0, None) for value in rows.rows[0].values())
    return False


def _nothing(plan: Plan, language: str, count: Callable[[Plan], int], name: Callable[[Condition], str]) -> str:
    nouns = _NOUNS[language][plan.grain]
    none = f"There are no such {nouns[2]}" if language == "en" else f"Sellaisia {nouns[2]} ei ole"
    for index in range(len(plan.where)):
        kept = Plan(
            grain=plan.grain,
            where=plan.where[: index + 1],
            measures=(Measure(aggregate=Aggregate.COUNT, of=plan.grain),),
        )
        if count(kept) == 0:
            condition = name(plan.where[index])
            if index == 0:
                return (
                    f"{none}: {condition} leaves none."
                    if language == "en"
                    else f"{none}: ehto {condition} ei jätä yhtään."
                )
            before = count(kept.model_copy(update={"where": plan.where[:index]}))
            shown = _number(before, language)
            if language == "en":
                return f"{none}: of the {shown} before it, {condition} leaves none."
            return f"{none}: ehto {condition} ei jätä yhtään {shown} {nouns[1]} joukosta."
    lacking = "what was asked for is not recorded for them" if language == "en" else "kysyttyä tietoa ei ole niistä"
    found = count(
        Plan(grain=plan.grain, where=plan.where, measures=(Measure(aggregate=Aggregate.COUNT, of=plan.grain),))
    )
    if found == 0:
        return f"{none}."
    return f"{_number(found, language)} {nouns[1] if found != 1 else nouns[0]}: {lacking}."


def _numbers(columns: Sequence[Column], row: Mapping[str, Any], language: str) -> str:
    parts = []
    for column in columns:
        measure, value = column.source, row[column.name]
        if (
            isinstance(measure, Measure)
            and measure.aggregate is Aggregate.COUNT
            and measure.field is None
            and measure.of
        ):
            one, many, _ = _NOUNS[language][measure.of]
            parts.append(f"{_number(value, language)} {one if value == 1 else many}")
        elif isinstance(measure, Measure) and measure.aggregate is Aggregate.SHARE:
            parts.append(f"{_number(value, language)} %")
        else:
            parts.append(f"{_label(column.name, language)}: {_number(value, language)}")
    return "; ".join(parts) + "."


def _one(columns: Sequence[Column], row: Mapping[str, Any], language: str) -> str:
    if len(columns) == 1:
        return f"{_number(row[columns[0].name], language)}."
    return (
        "; ".join(f"{_label(column.name, language)}: {_number(row[column.name], language)}" for column in columns) + "."
    )


def _short(columns: Sequence[Column], row: Mapping[str, Any], language: str) -> str:
    keys = [_number(row[c.name], language) for c in columns if not isinstance(c.source, Measure)]
    numbers = [
        f"{_number(row[c.name], language)}{' %' if c.source.aggregate is Aggregate.SHARE else ''}"
        for c in columns
        if isinstance(c.source, Measure)
    ]
    text = ", ".join(keys)
    return f"{text} ({', '.join(numbers)})" if numbers else text


def _number(value: Any, language: str) -> str:
    """A value as a reader of the language writes it: 1,234.5 or 1 234,5."""
    match value:
        case None:
            return "–"
        case bool():
            return str(value)
        case int():
            text = f"{value:,}"
        case float():
            text = f"{value:,.2f}".rstrip("0").rstrip(".")
        case list():
            return ", ".join(_number(each, language) for each in value)
        case _:
            return str(value)
    if language == "fi":
        # A no-break space, as Finnish groups digits.
        text = text.replace(",", "\u00a0").replace(".", ",")
    return text


def _label(name: str, language: str) -> str:
    if language == "en":
        return name
    if name in _FINNISH:
        return _FINNISH[name]
    first, _, rest = name.partition(" ")
    if rest and first in _FINNISH:
        return f"{_FINNISH[first]} {_label(rest, language)}"
    head, _, last = name.rpartition(" ")
    if head and last in _FINNISH:
        return f"{_label(head, language)} {_FINNISH[last]}"
    return name
