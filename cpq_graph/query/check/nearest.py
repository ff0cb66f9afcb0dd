"""Which of the names that exist a misspelt one must mean, if only one can be meant."""

import re
from collections.abc import Iterable

from rapidfuzz.distance import DamerauLevenshtein

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")


def nearest(name: str, candidates: Iterable[str]) -> str | None:
    """The one candidate that `name` is a near miss of: the same letters, else a slip of a letter or two, else the same
    words or a part of them. None when there is none, or more than one."""
    names = sorted(set(candidates))
    for is_near in (_same_letters, _slip, _words_shared):
        found = [candidate for candidate in names if is_near(name, candidate)]
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
    return first == second or first in (f"{second}s", f"{second}es") or second in (f"{first}s", f"{first}es")


def _slip(name: str, candidate: str) -> bool:
    first, second = _key(name), _key(candidate)
    if [one for one in first if one.isdigit()] != [one for one in second if one.isdigit()]:
        return False  # INTERACTS1 is no slip for INTERACTS2
    shorter = min(len(first), len(second))
    allowed = 0 if shorter < 4 else 1 if shorter < 8 else 2
    return DamerauLevenshtein.distance(first, second, score_cutoff=allowed) <= allowed


def _words(name: str) -> frozenset[str]:
    return frozenset(word.casefold().removesuffix("s") or word for word in _WORDS.findall(name))


def _words_shared(name: str, candidate: str) -> bool:
    first, second = _words(name), _words(candidate)
    return bool(first and second) and (first <= second or second <= first)
