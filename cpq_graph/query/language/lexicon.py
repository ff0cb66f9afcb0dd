"""The words of questions by concept, read from lexicon.toml.

Arrives: tokens. Leaves: the concepts that a run of them may mean, with how many tokens it takes.
"""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal

from cpq_graph.query.language.tokens import Kind, Token

Language = Literal["en", "fi"]

# Finnish endings behind a stem: vowels, plural, case, possessive, clitic.
_INFLECTED = (
    "[aeiouy]{0,2}(?:n|a|ta|tta|ttain|tain|tan|ten|tten|den|iden|jen|ien|en|in|ssa|sta|lla|lta|lle|ksi|na|t|an|on|un|yn|een|hin|seen|siin|"
    "ihin|ja|ittain|s|sten|ineen|neen)?(?:ni|si|nsa|mme|nne|an)?(?:kin|kaan|ko|han|pa)?"
)


_ENDINGS = (
    "", "a", "ia", "ta", "ita", "ja", "n", "en", "in", "ien", "iden", "jen", "ten", "t", "et", "at", "it", "lla",
    "illa", "ella",    "alla", "lle", "ille", "elle", "lta", "ilta", "ssa", "issa", "essa", "assa", "sta", "ista",
    "esta", "asta", "ittain", "oittain", "eittain",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Pattern:
    concept: str
    words: tuple[re.Pattern[str], ...]


class Lexicon:
    """The concepts of one language."""

    def __init__(self, entries: dict[str, str]) -> None:
        self._by_start: dict[str, list[_Pattern]] = {}
        # The plain words, for near misses.
        self.plain: dict[str, str] = {}
        for concept, text in entries.items():
            for alternative in _split(text, "|"):
                words = tuple(re.compile(w.replace("~", _INFLECTED)) for w in _split(alternative, " "))
                pattern = _Pattern(concept, words)
                start = re.match(r"[a-z]{0,2}(?![?])", words[0].pattern)
                self._by_start.setdefault(start[0] if start else "", []).append(pattern)
                if len(words) == 1:
                    for form in _plain_forms(alternative):
                        self.plain.setdefault(form, concept)
                elif concept != "filler":
                    # "most offten": also the words that mean something together only.
                    for word in alternative.split():
                        if len(word) > 4 and word.isalpha():
                            self.plain.setdefault(word, concept)
        self._words: dict[str, tuple[_Pattern, ...]] = {}

    def at(self, tokens: tuple[Token, ...], i: int) -> list[tuple[str, int]]:
        """The concepts that start at token `i`, each with the token after its last."""
        found = []
        for pattern in self._starting(tokens[i].word):
            end = i + len(pattern.words)
            if end <= len(tokens) and all(
                tokens[k].kind in {Kind.WORD, Kind.MARK} and pattern.words[k - i].fullmatch(tokens[k].word)
                for k in range(i + 1, end)
            ):
                found.append((pattern.concept, end))
        return found

    def knows(self, word: str) -> bool:
        """Whether the word alone has a meaning."""
        return any(len(p.words) == 1 for p in self._starting(word))

    def _starting(self, word: str) -> tuple[_Pattern, ...]:
        if word not in self._words:
            keys = {word[:2], word[:1], ""}
            candidates = [p for key in keys for p in self._by_start.get(key, ())]
            if len(self._words) > 20_000:
                self._words.clear()
            self._words[word] = tuple(p for p in candidates if p.words[0].fullmatch(word))
        return self._words[word]


@cache
def lexicon(language: Language) -> Lexicon:
    """The lexicon of a language, read once."""
    return Lexicon(_read()[language])


@cache
def _read() -> dict[str, dict[str, str]]:
    text = resources.files(__package__).joinpath("lexicon.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _split(text: str, separator: str) -> list[str]:
    """The parts of `text` between separators that stand outside parentheses."""
    parts, depth, part = [], 0, ""
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == separator and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += character
    return [p.strip() for p in [*parts, part] if p.strip()]


def _plain_forms(pattern: str) -> list[str]:
    """The words that a simple pattern stands for, without inflection."""
    match = re.fullmatch(r"([a-z]+)(?:\(([a-z|]+)\))?([a-z]*)(\?|~)?", pattern)
    if not match:
        return []
    head, middle, tail, mark = match.groups()
    forms = [head + m + tail for m in (middle or "").split("|")]
    if mark == "?":
        return forms + [f[:-1] for f in forms]
    # Rough inflections, only to measure a misspelling by.
    return [f + e for f in forms for e in _ENDINGS] if mark == "~" else forms
