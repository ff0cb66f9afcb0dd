"""Which of the names that exist a misspelt one must mean, if only one can be meant."""

import re
from collections.abc import Iterable

from rapidfuzz.distance import DamerauLevenshtein

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")


def nearest(name: str, candidates: Iterable[str]) -> str | None:
    """The one candidate that `name` is a near miss of: the same letters, else a slip of a letter or two, else the same
    words or a part of them. None when there is none, or more than one."""
    names = sorted(set(candidates))
    slips = [(distance, one) for one in names if (distance := _slip(name, one)) is not None]
    least = min((distance for distance, _ in slips), default=0)
    for found in (
        [candidate for candidate in names if _same_letters(name, candidate)],
        [candidate for distance, candidate in slips if distance == least],
        [candidate for candidate in names if _words_shared(name, candidate)],
    ):
        if found:
            return found[0] if len(found) == 1 else None
    return None


def suggestions(name: str, candidates: Iterable[str], most: int = 5) -> str:
    """The candidates that look most like `name`, for a hint."""
    ranked = sorted(
        set(candidates), key=lambda one: (DamerauLevenshtein.normalized_distance(_key(name), _key(one)), one)
    )
    return ", ".join(ranked[:most])


def _key(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())


def _same_letters(name: str, candidate: str) -> bool:
    first, second = _key(name), _key(candidate)
    return first == second or first in _plurals(second) or second in _plurals(first)


def _plurals(word: str) -> tuple[str, ...]:
    return (f"{word}s", f"{word}es", f"{word[:-1]}ies" if word.endswith("y") else f"{word}s")


def _slip(name: str, candidate: str) -> int | None:
    """How many letters were mistyped, when they are few enough for a slip."""
    first, second = _key(name), _key(candidate)
    if [one for one in first if one.isdigit()] != [one for one in second if one.isdigit()]:
        return None  # INTERACTS1 is no slip for INTERACTS2
    longer = max(len(first), len(second))
    allowed = 0 if longer < 4 else 1 if longer < 8 else 2
    distance = DamerauLevenshtein.distance(first, second, score_cutoff=allowed)
    return distance if distance <= allowed else None


# Words that names of relationships carry without meaning much.
_FILLERS = frozenset({"has", "is", "a", "an", "the", "as", "with"})
# Words by which people name a relationship that they know nothing of but its ends.
_STRUCTURAL = _FILLERS | {"contain", "include", "have", "of", "to", "belong", "in", "part", "related", "linked", "link"}


def words(name: str) -> frozenset[str]:
    """The words of a name in lower case and singular: totalPrices → total, price."""
    return frozenset(_singular(word.casefold()) for word in _WORDS.findall(name))


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    return word.removesuffix("s") if len(word) > 3 else word


def _words_shared(name: str, candidate: str) -> bool:
    """`price` for total_price, CONFIGURED_WITH for CONFIGURED_AS; but not former_name for name."""
    first, second = words(name), words(candidate)
    if first - _FILLERS and first - _FILLERS == second - _FILLERS:
        return True
    return bool(first - _FILLERS) and first <= second


def says_nothing_more(name: str, known: Iterable[str]) -> bool:
    """Whether a name holds no word but those of `known` names and of structure: HAS_FAMILY to a ProductFamily."""
    return words(name) <= _STRUCTURAL.union(*(words(one) for one in known))
