"""An index of names by their words, which finds them inflected and in the middle of a question.

Arrives: names as word tuples with what they refer to. Leaves: for a position in a question, the referents that start
there. With `canonical`, words meet by meaning (black, musta), else by form.
"""

from collections.abc import Iterator
from typing import Generic, TypeVar

from cpq_graph.query.language.morphology import Base, Case, bases
from cpq_graph.query.language.tokens import Kind, Token
from cpq_graph.query.language.vocabulary import meanings, vocabulary

T = TypeVar("T")

_WORDS_MAX = 8


class Phrases(Generic[T]):
    """Names by their words."""

    def __init__(self, *, canonical: bool = False) -> None:
        self._canonical = canonical
        self._exact: dict[str, list[T]] = {}
        self._partial: dict[str, list[T]] = {}
        self._prefixes: set[str] = set()
        self.words: set[str] = set()

    def add(self, words: tuple[str, ...], referent: T, *, exact: bool) -> None:
        """Adds a name, or a part of one."""
        if not words:
            return
        self.words.update(words)
        for keys in self._keys(words):
            key = " ".join(keys)
            (self._exact if exact else self._partial).setdefault(key, []).append(referent)
            for end in range(1, len(keys)):
                self._prefixes.add(" ".join(keys[:end]))

    def exactly(self, words: tuple[str, ...]) -> list[T]:
        """The referents of exactly this name."""
        return [r for keys in self._keys(words) for r in self._exact.get(" ".join(keys), ())]

    def at(self, tokens: tuple[Token, ...], i: int) -> Iterator[tuple[int, Case, list[T], bool]]:
        """The names that start at token `i`: where they end, the case of the last word, the referents, if whole."""
        states: list[tuple[str, Case]] = [("", Case.NOMINATIVE)]
        k = i
        while k < min(len(tokens), i + _WORDS_MAX) and states:
            token = tokens[k]
            k += 1
            if token.kind is Kind.MARK:
                if (
                    token.text in {"&", "/", "<", ">", "-", "–", ".", ",", "+"}
                    and k - 1 > i
                    and (token.glued or token.text == "&")
                ):
                    continue
                return
            following: dict[str, Case] = {}
            for start, _ in states:
                for form, case in self._forms(token):
                    key = f"{start} {form}" if start else form
                    if key in self._prefixes or key in self._exact or key in self._partial:
                        following.setdefault(key, case)
            exact = [(case, self._exact[key]) for key, case in following.items() if key in self._exact]
            partial = [(case, self._partial[key]) for key, case in following.items() if key in self._partial]
            if exact:
                # The form as typed comes first; a guess of another base must not add to it.
                chosen = exact if self._canonical else exact[:1]
                yield k, exact[0][0], [r for _, refs in chosen for r in refs], True
            elif partial:
                yield k, partial[0][0], [r for _, rs in partial[:1] for r in rs], False
            states = [(key, case) for key, case in following.items() if key in self._prefixes]

    def _keys(self, words: tuple[str, ...]) -> list[tuple[str, ...]]:
        if not self._canonical:
            return [words]
        key: tuple[str, ...] = ()
        for word in words:
            key += meanings(word)[0]
        return list(dict.fromkeys([words, key]))

    def _forms(self, token: Token) -> Iterator[tuple[str, Case]]:
        found: tuple[Base, ...] = bases(token.word, token.suffix)
        # "euroissa" is of euro, whatever else would inflect the same.
        known = next((k for k, b in enumerate(found) if b.form in vocabulary().units), None)
        found = (found[0], found[known]) if known else found
        for base in found:
            yield base.form, base.case
        if not self._canonical:
            for base in bases(token.word, token.suffix, finnish=False)[1:]:
                yield base.form, base.case
            return
        case = found[0].case
        if known:
            return
        for parts in meanings(token.word, token.suffix):
            yield " ".join(parts), case
