"""The steps from a question to its plan, in order, and the words for a decline."""

import re
import tomllib
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from importlib import resources
from itertools import islice, product

from cpq_graph.query.language.accounts import unaccounted
from cpq_graph.query.language.asides import asides
from cpq_graph.query.language.bounds import bounds
from cpq_graph.query.language.describe import assumptions, describe
from cpq_graph.query.language.exclusives import exclusives
from cpq_graph.query.language.families import families_apart
from cpq_graph.query.language.features import products
from cpq_graph.query.language.groups import combinations, groups, quantities
from cpq_graph.query.language.identifiers import identifiers
from cpq_graph.query.language.items import FamilyRef, Item, Unknown
from cpq_graph.query.language.lexicon import Language, lexicon
from cpq_graph.query.language.link import Linker
from cpq_graph.query.language.nouns import nouns
from cpq_graph.query.language.offers import properties
from cpq_graph.query.language.parties import parties
from cpq_graph.query.language.periods import periods
from cpq_graph.query.language.placing import frame
from cpq_graph.query.language.planning import plan_of
from cpq_graph.query.language.result import Declined, Problem, Understood
from cpq_graph.query.language.scan import concept, means, skip
from cpq_graph.query.language.shorthand import shorthand
from cpq_graph.query.language.strangers import strangers
from cpq_graph.query.language.tag import misspelt, parted, tag
from cpq_graph.query.language.tokens import Kind, Token, clean_text, tokenize
from cpq_graph.query.language.wording import written_out
from cpq_graph.query.plan import Plan

_LONGEST = 1_000
# How many ways of mending misspelt words are tried.
_MENDINGS = 8
# Endings that English words do not have.
_FINNISH_ENDING = re.compile("(?:uus|yys|ssa|lla|lta|sta|lle|inen|isen|ttain|ien|jen|ksi|itus)$")


def understand_on(question: str, linker: Linker, language: str | None, today: date) -> Understood | Declined:
    """The plan of a question asked on a day."""
    plain = written_out(clean_text(question[:_LONGEST]), "any")
    spoken: Language = "fi" if language == "fi" else "en" if language == "en" else language_of(tokenize(plain))
    text, tokens = _typed(plain, linker, spoken)
    if len(question) > _LONGEST:
        return _declined(Problem("no_question"), text, tokens, linker, spoken)
    found = _readings(text, tokens, linker, spoken, today)
    if isinstance(found, Problem) and found.key == "unknown" and language is None:
        # A short question full of names may be of the other language.
        other: Language = "en" if spoken == "fi" else "fi"
        retold = _readings(*_typed(plain, linker, other), linker, other, today)
        if isinstance(retold, _Reading):
            found, spoken = retold, other
    if isinstance(found, Problem):
        return _declined(found, text, tokens, linker, spoken)
    said = describe(found.plan, linker, spoken)
    said += assumptions(found.notes, linker, spoken)
    return Understood(plan=found.plan, understanding=said, language=spoken)


def _typed(plain: str, linker: Linker, language: Language) -> tuple[str, tuple[Token, ...]]:
    """A text read as one of a language: its shortenings written out, and its tokens."""
    text = written_out(plain, language)
    return text, parted(tokenize(text), linker, language)


@dataclass(frozen=True, slots=True)
class _Reading:
    plan: Plan
    # What was taken for something else, set aside or assumed, as `assumptions` says it.
    notes: tuple[tuple[str, str], ...]


def _readings(
    text: str, tokens: tuple[Token, ...], linker: Linker, language: Language, today: date
) -> _Reading | Problem:
    """The one reading of a question: as typed; else with its misspelt words mended and its stories set aside, if all
    ways of mending mean the same."""
    items = tag(text, tokens, linker, language, today)
    first = _read(items, (), linker, language)
    if isinstance(first, _Reading) or not any(isinstance(i.means, Unknown) for i in items):
        return first
    choices = misspelt(items, tokens, linker, language)
    found: list[_Reading] = []
    problem = first
    for mended in islice(product(*choices.values()), _MENDINGS):
        by_place = dict(zip(choices, mended, strict=True))
        typed = tuple(replace(t, word=by_place.get(i, t.word)) for i, t in enumerate(tokens))
        notes = tuple((tokens[i].text, f"taken:{word}") for i, word in by_place.items())
        reading = _read(tag(text, typed, linker, language, today), notes, linker, language)
        if isinstance(reading, _Reading):
            found.append(reading)
        elif choices and problem is first:
            problem = reading
    if not found:
        return problem
    return found[0] if all(r.plan == found[0].plan for r in found) else first


def _read(
    tagged: tuple[Item, ...], notes: tuple[tuple[str, str], ...], linker: Linker, language: Language
) -> _Reading | Problem:
    kept, told = asides(list(tagged), language)
    items = [i for i in kept if i.concept != "filler" or i.text.lower() in {"one", "a", "an"}]
    try:
        # Also what a story says: an instruction in disguise stays one.
        _refuse(tagged, kept)
        items = shorthand(identifiers(items, linker))
        steps, compared = _steps(items, linker, language)
        plan = plan_of(frame(steps, language, compared=compared))
        if lost := unaccounted(items, plan):
            raise Problem("not_placed", words=tuple(i.text for i in lost))
    except Problem as problem:
        return problem
    return _Reading(plan, (*notes, *((t, "aside:") for t in told), *_notes(steps)))


def language_of(tokens: tuple[Token, ...]) -> Language:
    """The language that more of the words are of."""
    words = [t for t in tokens if t.kind is Kind.WORD]
    finnish = sum(lexicon("fi").knows(t.word) for t in words) + sum(bool(set(t.text) & set("äöÄÖ")) for t in words)
    finnish += sum(t.suffix not in {"", "'s", "s"} for t in tokens)
    english = sum(lexicon("en").knows(t.word) for t in words)
    finnish += sum(bool(_FINNISH_ENDING.search(t.word)) and not lexicon("en").knows(t.word) for t in words)
    return "fi" if finnish > english else "en"


def _refuse(tagged: tuple[Item, ...], items: list[Item]) -> None:
    dangerous = tuple(i.text for i in tagged if i.concept == "danger")
    if dangerous:
        raise Problem("danger", (("words", ", ".join(dangerous)),), words=dangerous)
    unknown = tuple(i.text for i in items if isinstance(i.means, Unknown)) or strangers(items)
    if unknown:
        raise Problem("unknown", words=unknown)


def _steps(items: list[Item], linker: Linker, language: Language) -> tuple[list[Item], bool]:
    """The rewriting of items, from nouns up to groups; and whether things are set side by side."""
    if not items:
        raise Problem("no_question")
    # "How many A and how many B"
    asked = sum(i.concept in {"count", "howmuch"} for i in items)
    told_apart = asked > 1 and len(_between_counts(items)) > 1
    compared = any(i.concept == "compare" for i in items) or told_apart or _of_each(items)
    if any(i.concept == "more" for i in items) and any(i.concept == "or" for i in items):
        # "Did we sell more A or B": both counts are told.
        items, compared = [i for i in items if i.concept not in {"more", "ask"}], True
    first, last = linker.catalog.first_day, linker.catalog.last_day
    items = nouns(items, language)
    items = [i for i in bounds(items, linker) if i.concept != "filler"]
    items = periods(items, date.fromisoformat(first) if first else None, date.fromisoformat(last) if last else None)
    items = properties(items, linker)
    items = products(items, linker, language)
    items = families_apart(items) if told_apart else items
    items = parties(items, language)
    items = quantities(items)
    items = exclusives(items)
    items = combinations(items)
    return groups(items), compared


def _between_counts(items: list[Item]) -> set[int]:
    """How many counts stand in front of each family: different ones where each has its own."""
    places, counts = set(), 0
    for item in items:
        counts += item.concept in {"count", "howmuch"}
        if isinstance(item.means, FamilyRef):
            places.add(counts)
    return places


def _of_each(items: list[Item]) -> bool:
    """ "The mean power of A, and of B": said of each by itself."""
    for k, item in enumerate(items):
        after = skip(items, k + 1, {"comma", "and"})
        if isinstance(item.means, FamilyRef) and after > k + 1 and concept(items, after) == "of":
            return isinstance(means(items, after + 1), FamilyRef) and any(i.concept.startswith("agg.") for i in items)
    return False


def _notes(steps: list[Item]) -> list[tuple[str, str]]:
    notes = dict.fromkeys(note for i in steps for note in i.note.split("; ") if note)
    return [(text, kind) for kind, _, text in (note.partition("|") for note in notes)]


# -- declining -----------------------------------------------------------------------------------------------------


@cache
def _messages() -> dict[str, dict[str, str]]:
    return tomllib.loads(resources.files(__package__).joinpath("messages.toml").read_text(encoding="utf-8"))


def _declined(
    problem: Problem, question: str, tokens: tuple[Token, ...], linker: Linker, language: Language
) -> Declined:
    messages = _messages()[language]
    values = dict(problem.values)
    quotes = "“{}”" if language == "en" else "”{}”"
    quoted = quotes.format("{words}") in messages[problem.key]
    said = problem.words if quoted else tuple(map(quotes.format, problem.words))
    values.setdefault("words", ", ".join(said))
    reason = messages[problem.key].format(**values)
    suggestions = _choices(problem, question, tokens, messages)
    if problem.key == "unknown":
        names = tuple(n for w in _runs(problem.words, tokens) for n in linker.similar_names(w))
        if names:
            reason += " " + messages["nearest"].format(names=", ".join(dict.fromkeys(names)))
    if not suggestions:
        suggestions = _examples(linker, messages, language)
    return Declined(reason=reason, not_understood=problem.words, suggestions=suggestions, language=language)


def _runs(words: tuple[str, ...], tokens: tuple[Token, ...]) -> list[str]:
    """Neighbouring words that were not understood, as one."""
    texts = [t.text for t in tokens]
    return [" ".join(words)] if " ".join(words) in " ".join(texts) else list(words)


def _choices(problem: Problem, question: str, tokens: tuple[Token, ...], messages: dict[str, str]) -> tuple[str, ...]:
    """The question with each choice put in the place of the ambiguous words."""
    if not problem.choices or problem.span is None:
        return ()
    start, end = problem.span
    choices = problem.choices[:8]
    if choices[0] in {"role", "role?"}:
        said = dict(problem.values)["words"]
        kind = "role" if choices[0] == "role?" else "listed"
        choices = tuple(messages[f"{kind}_{r}"].format(words=said) for r in ("sent", "received", "delivered"))
    found = []
    for choice in choices:
        text = re.sub(r"\{(\w+)\}", lambda m: messages[m[1]], choice)
        if start == end:
            at = tokens[start - 1].end if start else 0
            found.append(f"{question[:at]} {text}{question[at:]}")
        else:
            found.append(question[: tokens[start].start] + text + question[tokens[end - 1].end :])
    return tuple(found)


def _examples(linker: Linker, messages: dict[str, str], language: Language) -> tuple[str, ...]:
    catalog = linker.catalog
    year = (catalog.last_day or "2024")[:4]
    families = sorted(catalog.families, key=lambda f: (-f.products, f.name))
    features = sorted(catalog.features, key=lambda f: (-f.count, f.ext_id))
    found = [messages["example_offers"].format(year=year)]
    if families:
        found.append(messages["example_count"].format(family=families[0].name, year=year))
    if families and features:
        label = linker.label(features[0].ext_id, language).lower()
        found.append(messages["example_popular"].format(feature=label, family=families[0].name, year=year))
    return tuple(found)
