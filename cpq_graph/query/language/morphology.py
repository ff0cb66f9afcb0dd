"""A word into the base forms it may be of, with the grammatical case it stands in.

Arrives: a folded word. Leaves: `Base`s, likeliest first. Finnish names and compounds are in no dictionary, so endings
are undone by rule (with consonant gradation and stem vowels); what no index or lexicon knows is dropped there, so that
generous guesses cost nothing.
"""

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache


class Case(StrEnum):
    """The Finnish cases that decide who does what; everything else is OTHER."""

    NOMINATIVE = "nominative"
    GENITIVE = "genitive"
    PARTITIVE = "partitive"
    ALLATIVE = "allative"
    ABLATIVE = "ablative"
    ADESSIVE = "adessive"
    INESSIVE = "inessive"
    ELATIVE = "elative"
    ILLATIVE = "illative"
    DISTRIBUTIVE = "distributive"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Base:
    """A base form and the case of the word that it was read from."""

    form: str
    case: Case


# Ending (folded), its case, whether the stem before it is in the weak grade. Longest first.
_ENDINGS: tuple[tuple[str, Case], ...] = tuple(
    sorted(
        (
            ("n", Case.GENITIVE), ("en", Case.GENITIVE), ("in", Case.GENITIVE), ("jen", Case.GENITIVE),
            ("ien", Case.GENITIVE), ("iden", Case.GENITIVE), ("itten", Case.GENITIVE), ("ten", Case.GENITIVE),
            ("a", Case.PARTITIVE), ("ta", Case.PARTITIVE), ("tta", Case.PARTITIVE), ("ia", Case.PARTITIVE),
            ("ja", Case.PARTITIVE), ("ita", Case.PARTITIVE),
            ("lle", Case.ALLATIVE), ("ille", Case.ALLATIVE), ("lta", Case.ABLATIVE), ("ilta", Case.ABLATIVE),
            ("lla", Case.ADESSIVE), ("illa", Case.ADESSIVE), ("ssa", Case.INESSIVE), ("issa", Case.INESSIVE),
            ("sta", Case.ELATIVE), ("ista", Case.ELATIVE), ("an", Case.ILLATIVE), ("on", Case.ILLATIVE),
            ("un", Case.ILLATIVE), ("een", Case.ILLATIVE), ("iin", Case.ILLATIVE), ("seen", Case.ILLATIVE),
            ("hin", Case.ILLATIVE), ("ihin", Case.ILLATIVE), ("yn", Case.ILLATIVE),
            ("t", Case.NOMINATIVE), ("et", Case.NOMINATIVE), ("it", Case.NOMINATIVE),
            ("ksi", Case.OTHER), ("iksi", Case.OTHER), ("na", Case.OTHER), ("ina", Case.OTHER), ("itta", Case.OTHER),
            ("ittain", Case.DISTRIBUTIVE), ("eittain", Case.DISTRIBUTIVE), ("itain", Case.DISTRIBUTIVE),
        ),
        key=lambda pair: -len(pair[0]),
    )
)  # fmt: skip
_CASE_OF_SUFFIX = dict(_ENDINGS) | {
    "s": Case.GENITIVE,
    "'s": Case.GENITIVE,
    "": Case.NOMINATIVE,
}
_CLITICS = ("kin", "kaan", "ko", "han", "pa")
_POSSESSIVES = ("nsa", "mme", "nne", "ni", "si")
_WEAK_TO_STRONG = (
    ("ng", "nk"), ("mm", "mp"), ("nn", "nt"), ("ll", "lt"), ("rr", "rt"), ("lj", "lk"), ("rj", "rk"), ("hj", "hk"),
    ("k", "kk"), ("p", "pp"), ("t", "tt"), ("d", "t"), ("v", "p"), ("uv", "uk"),
)  # fmt: skip
# Stem endings and what the nominative has in their place: pituude- → pituus, Virtase- → Virtanen.
_OF_STEM = (
    ("se", "nen"), ("s", "nen"), ("kse", "s"), ("ks", "s"), ("ude", "us"), ("uks", "us"), ("yde", "ys"),
    ("yks", "ys"), ("yd", "ys"), ("te", "si"), ("de", "si"), ("ime", "in"), ("im", "in"), ("ime", "im"),
    ("aa", "as"), ("ii", "is"), ("ee", "e"), ("e", "i"), ("e", ""), ("i", ""), ("i", "e"), ("o", "a"),
    ("tta", "ton"), ("ut", "us"), ("ud", "us"), ("mma", "mpi"), ("oi", "o"), ("oi", "a"), ("ui", "u"), ("ei", "i"),
    ("ei", "e"), ("ai", "a"), ("oj", "o"), ("ioi", "io"), ("ioi", "ia"),
)  # fmt: skip
_VOWELS = "aeiouy"


@lru_cache(maxsize=50_000)
def bases(word: str, suffix: str = "", *, finnish: bool = True) -> tuple[Base, ...]:
    """The base forms that a folded `word` may be of, the word itself first. `suffix` is what stood after a colon."""
    if suffix == "tta":
        # The abessive says "without": what it hangs on must not be read as if it were there.
        return (Base(f"{word} {suffix}", Case.OTHER),)
    if suffix:
        return (Base(word, _CASE_OF_SUFFIX.get(suffix, Case.OTHER)),)
    found: dict[str, Case] = {word: Case.NOMINATIVE}
    if not word.isalpha() or len(word) < 3:
        return (Base(word, Case.NOMINATIVE),)
    if finnish:
        for stem in (word, *_without_clitics(word)):
            for form, case in _finnish(stem):
                found.setdefault(form, case)
    else:
        for form in _english(word):
            found.setdefault(form, Case.NOMINATIVE)
    return tuple(Base(form, case) for form, case in found.items())


def _english(word: str) -> tuple[str, ...]:
    forms = []
    if word.endswith("ies") and len(word) > 4:
        forms.append(word[:-3] + "y")
    if word.endswith("es") and len(word) > 4:
        forms.append(word[:-2])
    if word.endswith("s") and not word.endswith("ss"):
        forms.append(word[:-1])
    if word.endswith("ed") and len(word) > 4:
        forms += [word[:-1], word[:-2]]
    if word.endswith("ing") and len(word) > 5:
        forms += [word[:-3], word[:-3] + "e"]
    return tuple(forms)


def _without_clitics(word: str) -> tuple[str, ...]:
    found = [word[: -len(e)] for e in _CLITICS if word.endswith(e) and len(word) - len(e) >= 4]
    # väriltään, teholtaan: the third person's possessive only lengthens the vowel.
    if word.endswith(("taan", "saan", "llaan")):
        found.append(word[:-2])
    for stem in (word, *found):
        for ending in _POSSESSIVES:
            if stem.endswith(ending) and len(stem) - len(ending) >= 4:
                found += [stem[: -len(ending)], stem[: -len(ending)] + "n"]
    return tuple(found)


def _finnish(word: str) -> list[tuple[str, Case]]:
    found: list[tuple[str, Case]] = [(word, Case.NOMINATIVE)]
    for ending, case in _ENDINGS:
        if not word.endswith(ending) or len(word) - len(ending) < 2:
            continue
        stem = word[: -len(ending)]
        # "in" after a consonant is a genitive of a foreign name with its stem vowel; "een" leaves the e to the stem.
        found += [(form, case) for form in _stem_forms(stem, ending)]
    return found


def _stem_forms(stem: str, ending: str) -> list[str]:
    """The nominatives that a stem may be of: talo-, kaupa- → kauppa, Virtase- → Virtanen, vaisime- → vaisin."""
    forms = [stem]
    plural = ending.startswith("i") and ending not in {"in"}
    if plural:
        # The plural's i swallows a stem vowel: must-i-a → musta, pituuks-i-a → pituus.
        forms += [stem + "a", stem + "i", stem + "e", stem + "s", stem + "nen"]
    if ending == "in":
        forms.append(stem + "i")
    if ending in {"ja", "jen"}:
        forms += [stem + "i", stem + "a"]
    for old, new in _OF_STEM:
        if stem.endswith(old) and len(stem) > len(old):
            forms.append(stem[: -len(old)] + new)
    strong = []
    for form in forms:
        strong += _stronger(form)
    return [f for f in dict.fromkeys((*forms, *strong)) if len(f) >= 2]


def _stronger(form: str) -> list[str]:
    """The strong grades of a form whose last syllable opens with a weak one: kaupa → kauppa, Lahde → Lahte."""
    end = len(form)
    while end > 0 and form[end - 1] not in _VOWELS:
        end -= 1
    while end > 0 and form[end - 1] in _VOWELS:
        end -= 1
    head, tail = form[:end], form[end:]
    found = [head[: -len(weak)] + strong + tail for weak, strong in _WEAK_TO_STRONG if head.endswith(weak)]
    if len(tail) >= 2 and tail[0] in _VOWELS:
        found.append(head + tail[0] + "k" + tail[1:])
    return [*found, *(f[:-1] + "i" for f in found if f.endswith("e"))]
