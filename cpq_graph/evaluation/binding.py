"""Questions filled in: placeholders take values of the source, so that a template works on any sample.

Arrives: a question, facts. Leaves: what fills its placeholders and its gold answer, or `Asked`, one for each wording.
The values are those of products drawn by a generator that is seeded with the question's id: the first draw whose
answer is clear and not trivial is taken.
"""

import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from cpq_graph.errors import ConfigurationError
from cpq_graph.evaluation import gold_groups, gold_offers, gold_products
from cpq_graph.evaluation.facts import Facts
from cpq_graph.evaluation.gold import Gold
from cpq_graph.evaluation.phrases import Choice, Name, Number, Phrase, Span
from cpq_graph.evaluation.sets import Language, Part, Question

_DRAWS = 400
_NAMES = ("offer", "family", "userid", "status", "sent_name", "received_company", "delivered_company")
# Colours with plain names in both languages, of which the templates need the Finnish cases.
_COLOURS = ("White", "Black", "Grey", "Red")
_TYPEABLE = re.compile(r"\w[\w &.'’()/<>®-]*\w", re.UNICODE)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as asked. `key` is stable over runs; `gold` None means that it cannot be answered; `constants` are
    what an answer may repeat of the question."""

    key: str
    question: Question
    language: Language
    part: Part
    original: bool
    text: str
    gold: Gold | None
    constants: tuple[str | float, ...]


@dataclass(frozen=True, slots=True)
class Bound:
    """A question's placeholders filled, with the gold answer."""

    phrases: dict[str, Phrase]
    gold: Gold | None


def ask_all(questions: Iterable[Question], facts: Facts) -> Iterator[Asked]:
    """Every wording of every question, filled in. A question that the sample has nothing for is left out."""
    for question in questions:
        bound = bind(question, facts)
        if bound is None:
            continue
        constants = tuple(value for phrase in bound.phrases.values() for value in phrase.constants)
        for number, wording in enumerate(question.wordings):
            yield Asked(
                key=f"{question.id}/{wording.language}/{number}",
                question=question,
                language=wording.language,
                part=wording.part,
                original=wording.original,
                text=wording.template.format(**bound.phrases),
                gold=bound.gold,
                constants=constants,
            )


def bind(question: Question, facts: Facts) -> Bound | None:
    """The placeholders filled so that the answer is clear and not trivial; None where no draw gives such."""
    rng = random.Random(f"binding of {question.id}")  # noqa: S311 - the same draw every time is the point
    for _ in range(_DRAWS if question.bind else 1):
        phrases = _draw(question.bind, facts, rng)
        if phrases is None:
            continue
        if question.gold is None:
            return Bound(phrases, None)
        gold = _gold(question.gold)(facts, **phrases, **question.given)
        if gold.discriminating:
            return Bound(phrases, gold)
    return None


def _gold(name: str) -> Any:
    for module in (gold_offers, gold_groups, gold_products):
        if not name.startswith("_") and hasattr(module, name):
            return getattr(module, name)
    raise ConfigurationError(
        f"there is no gold answer {name!r}", hint="It is a function of cpq_graph.evaluation.gold_…."
    )


def _draw(kinds: dict[str, str], facts: Facts, rng: random.Random) -> dict[str, Phrase] | None:
    """What fills each placeholder, from one product, or another one for kinds that end in @…; None when one of them
    has nothing fit."""
    first, second = (facts.products.row(rng.randrange(facts.products.height), named=True) for _ in range(2))
    if first["date"] is None or second["date"] is None:
        return None
    earlier, later = sorted((first, second), key=lambda row: row["date"])
    rows = {"": first, "2": second, "earlier": earlier, "later": later}
    phrases: dict[str, Phrase] = {}
    for placeholder, kind in kinds.items():
        what, _, which = kind.partition("@")
        phrase = _phrase(what, rows[which], facts, rng)
        if phrase is None or phrase in phrases.values():
            return None
        phrases[placeholder] = phrase
    return phrases


def _phrase(kind: str, row: dict[str, Any], facts: Facts, rng: random.Random) -> Phrase | None:
    """What a row has of a kind; a feature's key asks for its choice, with .number for the number it stands for."""
    if kind in _NAMES:
        return _name(kind, row[kind], facts)
    if kind == "ambiguous_name":
        both = sorted(set(facts.participants["name"]) & set(facts.participants["company"]) - {None})
        return Name(rng.choice(both)) if both else None
    match kind:
        case "day" | "month" | "quarter" | "half" | "year":
            phrase: Phrase | None = Span.around(kind, row["date"])
        case "titled_offer":
            phrase = Name(row["offer"]) if row["delivered_title"] else None
        case "price":
            phrase = None if row["price"] is None else Number(row["price"] // 100 * 100)
        case "small_count":
            phrase = Number(rng.randrange(2, 40))
        case _:
            phrase = _feature(kind, row["product"], facts)
    return phrase


def _feature(kind: str, product: str, facts: Facts) -> Phrase | None:
    ext_id, _, number = kind.replace("colour", "vari").partition(".")
    choices = facts.choices.filter(product=product, ext_id=ext_id)
    if choices.is_empty():
        return None
    chosen = choices.row(0, named=True)
    if number:
        return None if chosen["number"] is None else Number(chosen["number"])
    names = facts.translations.get((ext_id, chosen["value"]), (chosen["value"], chosen["value"]))
    return None if kind == "colour" and names[0] not in _COLOURS else Choice(names)


def _name(kind: str, text: str | None, facts: Facts) -> Name | None:
    """A name that a person can type, and that is not a person's and a company's at once."""
    if text is None or not _TYPEABLE.fullmatch(text):
        return None
    other = {"sent_name": "company", "received_company": "name", "delivered_company": "name"}.get(kind)
    return None if other and text in set(facts.participants[other]) else Name(text)
