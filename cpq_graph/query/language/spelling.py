"""What misspelt words may have been meant as.

Arrives: the words of a catalog. Leaves: for a word that nothing is known of, the nearest known ones of its language and
of the catalog, by optimal string alignment: letters left out, put in, exchanged or swapped.
"""

from collections import defaultdict
from collections.abc import Iterable
from functools import cache

from rapidfuzz import process
from rapidfuzz.distance import OSA

from cpq_graph.query.language.lexicon import Language, lexicon
from cpq_graph.query.language.numbers import number_words

# Words of every sentence, which may be misspelt and still say nothing.
_EVERYWHERE = frozenset(
    "there their these those this that they them have been were with from please could would should does tell "
    "minulle meille niita niiden jotka siita olisi voisitko kiitos haluaisin".split()
)


class Spelling:
    """The words of one catalog: `words` of its features and their kind, `names` that only longer words are near to."""

    def __init__(self, words: Iterable[str], names: Iterable[str]) -> None:
        self._words = _by_start(sorted(words))
        self._names = _by_start(sorted(names))

    def nearest(self, word: str, language: Language, *, swapped: bool = False) -> tuple[str, ...]:
        """The known words that a misspelt one is nearest to: several when equally near, none when all are far or more
        than three. `swapped`: only those that have the same letters."""
        if len(word) < 4 or not word.isalpha():
            return ()
        far = 1 if len(word) <= 8 else 2
        near = process.extract(word, _alike(word, _mendable(language)), scorer=OSA.distance, score_cutoff=far, limit=12)
        near += process.extract(word, _alike(word, self._words), scorer=OSA.distance, score_cutoff=far, limit=5)
        if len(word) > 5:
            # A short word is near too many names.
            near += process.extract(word, _alike(word, self._names), scorer=OSA.distance, score_cutoff=far, limit=5)
        if swapped:
            near = [n for n in near if sorted(n[0]) == sorted(word)]
        if not near:
            return ()
        best = min(n[1] for n in near)
        # Inflections of one word of the language are one choice.
        plain = lexicon(language).plain
        choices: dict[str, str] = {}
        for found in sorted({n[0] for n in near if n[1] == best}):
            choices.setdefault(plain.get(found, found), found)
        # Of the words that are passed over only those that are in every sentence: "lost" is not "lots".
        told = [w for concept, w in choices.items() if concept != "filler"]
        told = told or [w for w in choices.values() if w in _EVERYWHERE]
        # A word's ends are seldom typed wrong: "orderd" is ordered rather than order.
        told = [w for w in told if w[-1] == word[-1]] or told
        return tuple(told) if len(told) <= 3 else ()


@cache
def _mendable(language: Language) -> dict[str, list[str]]:
    """The words of a language that a misspelling may be taken for, by how they start."""
    words = (w for w, concept in lexicon(language).plain.items() if concept != "danger")
    return _by_start((*words, *number_words(language)))


def _by_start(words: Iterable[str]) -> dict[str, list[str]]:
    """Words of more than three letters by their first letter, and by their first two."""
    found: dict[str, list[str]] = defaultdict(list)
    for word in words:
        if len(word) > 3:
            found[word[0]].append(word)
            found[word[:2]].append(word)
    return dict(found)


def _alike(word: str, by_start: dict[str, list[str]]) -> list[str]:
    """The words that start with the same letter, or with the same two swapped."""
    swapped = by_start.get(word[1::-1], []) if word[0] != word[1] else []
    return by_start.get(word[0], []) + swapped
