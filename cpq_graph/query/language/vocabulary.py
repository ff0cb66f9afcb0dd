"""General words of features and values in two languages, and units: read from vocabulary.toml.

Arrives: a folded word. Leaves: the meanings it stands for, so that "kehyksen väri", "frame colour" and "runkoväri"
meet.
"""

import tomllib
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources

from cpq_graph.query.language.morphology import bases


@dataclass(frozen=True, slots=True)
class UnitWord:
    """A unit by its base ("mm") and the factor that brings a number to it (metres: 1000)."""

    base: str
    factor: float


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """`meanings` by word, `kinds` of meanings (black is a colour), units by word, and what a unit measures."""

    meanings: dict[str, tuple[str, ...]]
    kinds: dict[str, str]
    units: dict[str, UnitWord]
    unit_kinds: dict[str, frozenset[str]]
    languages: dict[str, str]


@cache
def vocabulary() -> Vocabulary:
    """The vocabulary, read once."""
    data = tomllib.loads(resources.files(__package__).joinpath("vocabulary.toml").read_text(encoding="utf-8"))
    meanings: dict[str, tuple[str, ...]] = {
        word: (meaning,) for meaning, words in data["words"].items() for word in (meaning, *words.split())
    }
    meanings |= {word: tuple(parts.split()) for word, parts in data["compounds"].items()}
    units = {
        word: UnitWord(base, float(factor))
        for base, words in data["units"].items()
        for word, _, factor in (entry.rpartition(":")[0:3] for entry in words.split())
    }
    return Vocabulary(
        meanings,
        {value: kind for kind, values in data["kinds"].items() for value in values.split()},
        units,
        {unit: frozenset(kind.split()) for unit, kind in data["unit_kinds"].items()},
        data["languages"],
    )


@lru_cache(maxsize=50_000)
def meanings(word: str, suffix: str = "") -> tuple[tuple[str, ...], ...]:
    """The sequences of meanings that a folded word may stand for; an unknown word stands for itself and its bases."""
    table = vocabulary().meanings
    found: dict[tuple[str, ...], None] = {}
    forms = [b.form for b in (*bases(word, suffix), *bases(word, suffix, finnish=False))]
    for form in forms:
        if form in table:
            found[table[form]] = None
    for form in forms:
        if form not in table and (parts := _compound(form)):
            found[parts] = None
    for form in forms:
        found[(form,)] = None
    return tuple(found)


def _compound(word: str) -> tuple[str, ...] | None:
    """A Finnish compound of two known words, the first bare or in the genitive: kehysväri, valaisinteho."""
    table = vocabulary().meanings
    for cut in range(len(word) - 3, 3, -1):
        head, tail = word[:cut], word[cut:]
        if tail not in table:
            continue
        for form in (head, *(b.form for b in bases(head) if head.endswith("n"))):
            if form in table:
                return (*table[form], *table[tail])
    return None
