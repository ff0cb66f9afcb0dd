"""Which families, features, values, people and companies the words of a question name.

Arrives: the catalog and the names of one version of the artifacts, once; then the tokens of each question. Leaves: the
readings of runs of tokens, with what each costs: an exact name is cheap, a part of one dearer, a near miss dearest.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from rapidfuzz import process

from cpq_graph.catalog import Catalog, Feature, PartyName
from cpq_graph.query.language.items import (
    Choice,
    FamilyRef,
    FeatureRef,
    Item,
    Meaning,
    PartyRef,
    StoredRef,
    ValueRef,
)  # fmt: skip
from cpq_graph.query.language.lexicon import Language, lexicon
from cpq_graph.query.language.morphology import Case, bases
from cpq_graph.query.language.phrases import Phrases
from cpq_graph.query.language.spelling import Spelling
from cpq_graph.query.language.tokens import Kind, Token, fold, tokenize, words_of
from cpq_graph.query.language.vocabulary import meanings, vocabulary

T = TypeVar("T")

EXACT, PARTIAL = 0.9, 1.7
# Words of a feature's name that say nothing of the feature: "Luminaire length" is a length.
_GENERIC = {"luminaire", "valaisin", "valaisimen", "product", "tuote", "tuotteen", "of", "the", "a", "an"}
_GENERIC_FORMS = {
    "luminaire",
    "luminaires",
    "product",
    "products",
    "valaisimen",
    "valaisinten",
    "tuotteen",
    "tuotteiden",
}
_LEGAL = {"oy", "ab", "oyj", "ky", "ltd", "inc", "gmbh", "tmi", "group", "llc", "plc", "as", "corp", "co", "abp", "lt"}


@dataclass(frozen=True, slots=True)
class Reading:
    """A run of tokens read as an item, at a cost."""

    item: Item
    cost: float


class Linker:
    """Finds names in tokens. Built once for a version of the artifacts; reading it from several threads is safe."""

    def __init__(self, catalog: Catalog, names: Sequence[PartyName]) -> None:
        self.catalog = catalog
        self.features = {f.ext_id: f for f in catalog.features}
        self.by_family: dict[str, dict[str, Feature]] = defaultdict(dict)
        for feature in catalog.family_features:
            self.by_family[feature.family or ""][feature.ext_id] = feature
        self.parties = tuple(names)
        # Units as the catalog writes them, folded, beside the known ones.
        self.units = frozenset(fold(f.unit) for f in catalog.features if f.unit)
        self._families: Phrases[str] = Phrases()
        self._parties: Phrases[PartyName] = Phrases()
        self._values: Phrases[tuple[str, str]] = Phrases(canonical=True)
        self._stored: Phrases[tuple[str, str]] = Phrases()
        self._feature_keys: dict[frozenset[str], dict[str, bool]] = defaultdict(dict)
        self._feature_words: set[str] = set()
        self._index_families()
        self._index_features()
        self._index_values()
        self._index_parties()
        self._index_stored()
        texts = dict.fromkeys([*(f.name for f in catalog.families), *(p.text for p in self.parties)])
        self._folded = {text: fold(text) for text in texts}
        own = {w for w in vocabulary().meanings if len(w) > 3 and w.isalpha()} | self._feature_words
        named = {w for index in (self._families, self._parties, self._values) for w in index.words if w.isalpha()}
        told = {w for f in catalog.features for n in f.names for w in words_of(n.text)}
        self._spelling = Spelling(own, named | self._feature_words | told)

    # -- building ------------------------------------------------------------------------------------------------

    def _index_families(self) -> None:
        for family in self.catalog.families:
            words = words_of(family.name)
            self._families.add(words, family.name, exact=True)
            self._families.add(("".join(words),), family.name, exact=True)
            for i in range(len(words)):
                for j in range(i + 1, len(words) + 1):
                    part = words[i:j]
                    if part != words and _telling(part):
                        self._families.add(part, family.name, exact=False)
                        if len(part) > 1:
                            self._families.add(("".join(part),), family.name, exact=False)
            for code in family.product_codes:
                self._stored.add(words_of(code), ("product_code", code), exact=True)

    def _index_features(self) -> None:
        for feature in self.catalog.features:
            texts = [feature.ext_id, *(n.text for n in feature.names)]
            for text in texts:
                for key in _feature_keys(text):
                    self._feature_keys[key][feature.ext_id] = True
                    self._feature_words |= key
        for key, owners in list(self._feature_keys.items()):
            for ext_id, exact in list(owners.items()):
                if exact and len(key) > 1:
                    for word in key:
                        if len(word) > 2 and not any(lexicon(lang).knows(word) for lang in ("en", "fi")):
                            self._feature_keys[frozenset({word})].setdefault(ext_id, False)

    def _index_values(self) -> None:
        for feature in self.catalog.features:
            for value in feature.values:
                if value.name:
                    words = words_of(value.name)
                    self._values.add(words, (feature.ext_id, value.name), exact=True)
                    for word in words if len(words) > 1 else ():
                        # A part of a value is a word that values are called by, or what it begins with.
                        if len(word) > 3 and word.isalpha() and (word == words[0] or word in vocabulary().meanings):
                            self._values.add((word,), (feature.ext_id, value.name), exact=False)

    def _index_parties(self) -> None:
        for party in self.parties:
            words = words_of(party.text)
            self._parties.add(words, party, exact=True)
            if party.userid:
                self._parties.add(words_of(party.userid), party, exact=True)
            core = tuple(w for w in words if w not in _LEGAL)
            if core != words and core:
                self._parties.add(core, party, exact=False)
            if party.kind == "company":
                for end in range(1, len(core)):
                    if _telling(core[:end]):
                        self._parties.add(core[:end], party, exact=False)
            else:
                if len(words) == 2:
                    self._parties.add(words[::-1], party, exact=True)
                for word in words if len(words) > 1 else ():
                    if len(word) > 2:
                        self._parties.add((word,), party, exact=False)

    def _index_stored(self) -> None:
        for status in self.catalog.statuses:
            self._stored.add(words_of(status), ("status", status), exact=True)
        codes = {c[:2].casefold(): c for c in self.catalog.languages}
        for name, code in vocabulary().languages.items():
            if code in codes:
                for word, parts in vocabulary().meanings.items():
                    if parts == (name,) and (word == name or word.endswith(("ksi", "kielinen"))):
                        self._stored.add((word,), ("language_id", codes[code]), exact=True)
        for title in self.catalog.titles:
            self._stored.add(words_of(title), ("title", title), exact=True)

    # -- reading -------------------------------------------------------------------------------------------------

    def readings(self, tokens: tuple[Token, ...], i: int) -> list[Reading]:
        """The names that start at token `i`."""
        if tokens[i].kind is Kind.MARK:
            return []
        if tokens[i].kind is Kind.QUOTED:
            return self._quoted(tokens[i], i)
        found: list[Reading] = []
        for end, case, names, exact in self._families.at(tokens, i):
            found.append(self._reading(tokens, i, end, FamilyRef(_unique(names)), case, exact))
        for end, case, parties, exact in self._parties.at(tokens, i):
            found.append(self._reading(tokens, i, end, PartyRef(_spelt(_unique(parties), tokens[i:end])), case, exact))
        for end, case, pairs, exact in self._values.at(tokens, i):
            found.append(self._reading(tokens, i, end, ValueRef(_choices(pairs)), case, exact))
        for end, case, stored, exact in self._stored.at(tokens, i):
            for kind in ("status", "title", "product_code", "language_id"):
                values = tuple(v for k, v in stored if k == kind)
                if values:
                    found.append(self._reading(tokens, i, end, StoredRef(kind, _unique(values)), case, exact))
        found += self._feature_readings(tokens, i)
        return found

    def nearest(self, word: str, language: Language, *, swapped: bool = False) -> tuple[str, ...]:
        """The known words that a misspelt one is nearest to; see `Spelling.nearest`."""
        return self._spelling.nearest(word, language, swapped=swapped)

    def similar_names(self, text: str, limit: int = 3) -> tuple[str, ...]:
        """Names of families, features, people and companies that look most like `text`, for suggestions."""
        near = process.extract(fold(text), self._folded, score_cutoff=75, limit=limit)
        return tuple(n[2] for n in near)

    def _reading(self, tokens: tuple[Token, ...], i: int, end: int, means: Meaning, case: Case, exact: bool) -> Reading:
        text = " ".join(t.text for t in tokens[i:end])
        cost = EXACT if exact else PARTIAL
        if exact and end == i + 1 and any(lexicon(language).knows(tokens[i].word) for language in ("en", "fi")):
            cost = 1.3
        if exact and end == i + 1 and tokens[i].kind is Kind.NUMBER:
            # "3" is a number first, though some feature has that choice.
            cost = 1.5
        return Reading(Item(i, end, text, means, case, exact=exact), cost - 0.01 * (end - i))

    def _quoted(self, token: Token, i: int) -> list[Reading]:
        found: list[Reading] = []
        words = words_of(token.text)
        for index, make in (
            (self._families, lambda refs: FamilyRef(_unique(refs))),
            (self._parties, lambda refs: PartyRef(_unique(refs))),
            (self._values, lambda refs: ValueRef(_choices(refs))),
        ):
            refs = index.exactly(words)
            if refs:
                found.append(Reading(Item(i, i + 1, token.text, make(refs)), EXACT))
        owners = self._feature_keys.get(frozenset(words), {})
        features = tuple(e for e, exact in owners.items() if exact)
        if features:
            found.append(Reading(Item(i, i + 1, token.text, FeatureRef(features)), EXACT))
        return found

    def _feature_readings(self, tokens: tuple[Token, ...], i: int) -> list[Reading]:
        if tokens[i].word in {"of", "the", "a", "an"}:
            return []
        states: list[tuple[frozenset[str], Case]] = [(frozenset(), Case.NOMINATIVE)]
        best: dict[int, tuple[frozenset[str], Case]] = {}
        k = i
        while k < min(len(tokens), i + 6) and states:
            token = tokens[k]
            if token.word in {"of", "the"} and k > i:
                k += 1
                continue
            if token.kind not in {Kind.WORD, Kind.NUMBER}:
                break
            case = bases(token.word, token.suffix)[0].case
            following = []
            for key, _ in states:
                for parts in meanings(token.word, token.suffix):
                    if all(p in self._feature_words or p in _GENERIC for p in parts) and not key.issuperset(parts):
                        added = key | {p for p in parts if p not in _GENERIC}
                        if added:
                            following.append((added, _case_of(token)))
            k += 1
            for key, case in following:
                if key in self._feature_keys and (k not in best or _exact(self._feature_keys[key])):
                    best.setdefault(k, (key, case))
                    if _exact(self._feature_keys[key]):
                        best[k] = (key, case)
            states = list(dict.fromkeys(following))[:12]
        found = []
        for end, (key, case) in best.items():
            owners = self._feature_keys[key]
            exact = _exact(owners)
            if not exact and tokens[end - 1].word in _GENERIC_FORMS:
                continue
            ext_ids = tuple(e for e, whole in owners.items() if whole) or tuple(owners)
            reading = self._reading(tokens, i, end, FeatureRef(ext_ids), case, exact)
            if end > i + 1 and all(any(lexicon(n).knows(t.word) for n in ("en", "fi")) for t in tokens[i:end]):
                # "number of luminaires" is a count first, though some feature is called so.
                reading = Reading(reading.item, 1.3 * (end - i))
            found.append(reading)
        return found

    def knows_feature(self, word: str) -> bool:
        """Whether a word alone names a feature."""
        return any(_exact(self._feature_keys.get(frozenset(parts), {})) for parts in meanings(word))

    # -- knowledge -----------------------------------------------------------------------------------------------

    def unit_features(self, unit: str) -> tuple[str, ...]:
        """The features measured in a base unit."""
        table = vocabulary().units
        return tuple(
            f.ext_id for f in self.catalog.features
            if f.unit and (table[fold(f.unit)].base if fold(f.unit) in table else fold(f.unit)) == unit
        )  # fmt: skip

    def named(self, *words: str) -> tuple[str, ...]:
        """The features whose name is exactly these meanings: named("length")."""
        return tuple(e for e, exact in self._feature_keys.get(frozenset(words), {}).items() if exact)

    def factor(self, ext_id: str) -> float:
        """What a number in the base unit is divided by to be in the feature's own unit (metres: 1000)."""
        unit = self.features[ext_id].unit
        known = vocabulary().units.get(fold(unit)) if unit else None
        return known.factor if known else 1.0

    def label(self, ext_id: str, language: str) -> str:
        """The name that a feature is most shown under, in the language where it has one."""
        names = self.features[ext_id].names if ext_id in self.features else ()
        chosen = [n for n in names if n.language == language] or list(names)
        return chosen[0].text if chosen else ext_id


def _case_of(token: Token) -> Case:
    found = bases(token.word, token.suffix)
    if token.suffix or len(found) == 1:
        return found[0].case
    table = vocabulary().meanings
    return next((b.case for b in found if b.form in table), Case.NOMINATIVE)


def _exact(owners: dict[str, bool]) -> bool:
    return any(owners.values())


def _feature_keys(text: str) -> set[frozenset[str]]:
    """The sets of meanings that a feature's name may be said by."""
    options: list[set[str]] = [set()]
    words = [w for w in words_of(text) if w not in _GENERIC]
    for word in words:
        parts = meanings(word)[0] if meanings(word)[0] != (word,) else (word,)
        options = [o | set(parts) for o in options]
    keys = {frozenset(o) for o in options if o}
    if words:
        keys.add(frozenset(words))
    return keys


def _telling(part: tuple[str, ...]) -> bool:
    """Whether a part of a name is enough to mean it: not a lone letter, a number or a word of the language."""
    joined = "".join(part)
    if len(joined) < 3 or joined.isdigit():
        return False
    return not all(len(w) < 3 or w.isdigit() or any(lexicon(lang).knows(w) for lang in ("en", "fi")) for w in part)


def _unique(things: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(things))


def _spelt(parties: tuple[PartyName, ...], tokens: tuple[Token, ...]) -> tuple[PartyName, ...]:
    """Of names that differ by diacritics alone, those written as typed."""
    if len({p.text for p in parties}) < 2:
        return parties
    typed = [t.text.casefold() for t in tokens if t.kind is not Kind.MARK]
    alike = [
        sum(
            a == b
            for a, b in zip(
                typed, (t.text.casefold() for t in tokenize(p.text) if t.kind is not Kind.MARK), strict=False
            )
        )
        for p in parties
    ]
    return tuple(p for p, n in zip(parties, alike, strict=True) if n == max(alike))


def _choices(pairs: Iterable[tuple[str, str]]) -> tuple[Choice, ...]:
    names: dict[str, list[str]] = {}
    for ext_id, name in dict.fromkeys(pairs):
        names.setdefault(ext_id, []).append(name)
    return tuple(Choice(ext_id, tuple(values)) for ext_id, values in names.items())
