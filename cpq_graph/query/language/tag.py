"""A question into items: the cheapest way to read all of its words.

Arrives: tokens. Leaves: items that cover the question from left to right, fillers included, and the misspellings that
were taken for known words. What nothing explains is an item of `Unknown`.
"""

import re
from dataclasses import replace
from datetime import date

import simplemma

from cpq_graph.query.language.dates import period_at
from cpq_graph.query.language.items import Identifier, Item, Number, StoredRef, Unknown, When, Word
from cpq_graph.query.language.lexicon import Language, lexicon
from cpq_graph.query.language.link import Linker, Reading
from cpq_graph.query.language.morphology import Case, bases
from cpq_graph.query.language.numbers import number_at
from cpq_graph.query.language.tokens import Kind, Token, fold
from cpq_graph.query.language.vocabulary import vocabulary

# Heads of compounds, and the word that says the same.
_HEADS = {"keski": "keskimaarainen", "maksimi": "maksimi", "minimi": "minimi", "mediaani": "mediaani"}
_DROPPED = set("()[]…*'’\"`")
_KEPT_MARKS = {
    ",": "comma",
    "?": "stop",
    "!": "stop",
    ".": "stop",
    ":": "stop",
    ";": "stop",
    "-": "dash",
    "–": "dash",
    "—": "dash",
    "/": "slash",
    "+": "and",
}
# By place, what each word may have been meant as.
Misspelt = dict[int, tuple[str, ...]]
# Nouns in -e have the genitive that looks like another's illative.
_E_NOUN = re.compile("(?:tuottee|perhee|kalustee)n$")
_CASES = (
    (re.compile(r"(?:lle|llensa|lleni)(?:ko|kin)?"), Case.ALLATIVE),
    (re.compile(r"lta(?:ko|kin|nsa)?"), Case.ABLATIVE),
    (re.compile(r"lla(?:ko|kin|nsa)?"), Case.ADESSIVE),
    (re.compile(r"ssa(?:ko|kin|nsa)?"), Case.INESSIVE),
    (re.compile(r"sta(?:ko|kin|nsa)?"), Case.ELATIVE),
    (re.compile(r"(?:iin|een|seen|hin)"), Case.ILLATIVE),
    (re.compile(r"itt?ain"), Case.DISTRIBUTIVE),
    (re.compile(r"n"), Case.GENITIVE),
    (re.compile(r"(?:a|ia|ta|ja)"), Case.PARTITIVE),
)


def tag(text: str, tokens: tuple[Token, ...], linker: Linker, language: Language, today: date) -> tuple[Item, ...]:
    """The cheapest reading of all tokens of a text."""
    options = [_readings(text, tokens, i, linker, language, today) for i in range(len(tokens))]
    return tuple(
        replace(i, text=text[tokens[i.start].start : tokens[i.end - 1].end]) for i in _cheapest(tokens, options)
    )


def misspelt(items: tuple[Item, ...], tokens: tuple[Token, ...], linker: Linker, language: Language) -> Misspelt:
    """The words that nothing is known of, by place, with what they may have been meant as: nearest ones only.

    A word of the language is what it says, even when a known one is near ("returned" is not "return"), unless two of
    its letters have only changed places ("snet").
    """
    found: Misspelt = {}
    for item in items:
        token = tokens[item.start]
        if isinstance(item.means, Unknown) and token.kind is Kind.WORD:
            known = simplemma.is_known(token.text.lower(), lang=language)
            near = linker.nearest(token.word, language, swapped=known)
            if near:
                found[item.start] = near
    return found


def parted(tokens: tuple[Token, ...], linker: Linker, language: Language) -> tuple[Token, ...]:
    """Finnish compounds of an aggregate and a feature as two words: keskipituus, maksimiteho."""
    if language != "fi":
        return tokens
    found: list[Token] = []
    for token in tokens:
        head = next((h for h in _HEADS if token.word.startswith(h) and len(token.word) > len(h) + 3), None)
        if head and not lexicon("fi").knows(token.word) and linker.knows_feature(token.word[len(head) :]):
            cut = token.start + len(head)
            found.append(replace(token, text=token.text[: len(head)], word=_HEADS[head], end=cut, suffix=""))
            found.append(
                replace(token, text=token.text[len(head) :], word=token.word[len(head) :], start=cut, glued=False)
            )
        else:
            found.append(token)
    return tuple(found)


def ending_case(word: str) -> Case:
    """The Finnish case that a word's ending speaks for."""
    if _E_NOUN.search(word):
        return Case.GENITIVE
    for pattern, case in _CASES:
        if re.search(f"(?:{pattern.pattern})$", word):
            return case
    return Case.NOMINATIVE


def _cheapest(tokens: tuple[Token, ...], options: list[list[Reading]]) -> tuple[Item, ...]:
    n = len(tokens)
    best: list[tuple[float, Item | None]] = [(0.0, None)] * (n + 1)
    for i in range(n - 1, -1, -1):
        unknown = Item(i, i + 1, tokens[i].text, Unknown(), exact=False)
        choices = [Reading(unknown, 50.0), *options[i]]
        cost, item = min(
            ((r.cost + best[r.item.end][0], r.item) for r in choices), key=lambda pair: (pair[0], -pair[1].end)
        )
        same = [r for r in options[i] if item and r.item.end == item.end and r.item.means != item.means]
        others = tuple(r.item.means for r in sorted(same, key=lambda r: r.cost))
        best[i] = (cost, replace(item, others=others))
    items: list[Item] = []
    i = 0
    while i < n:
        chosen = best[i][1]
        assert chosen is not None  # noqa: S101 - every position has at least its unknown reading
        # A word of two concepts ("keskihinta": average, price) is two items.
        parts = chosen.concept.split("+")
        items += [replace(chosen, means=Word(p), others=()) for p in parts] if len(parts) > 1 else [chosen]
        i = chosen.end
    return tuple(items)


def _readings(
    text: str, tokens: tuple[Token, ...], i: int, linker: Linker, language: Language, today: date
) -> list[Reading]:
    token = tokens[i]
    found = linker.readings(tokens, i)
    if token.kind is Kind.QUOTED:
        return [*found, Reading(_item(tokens, i, i + 1, Identifier(token.text)), 1.0)]
    status = any(isinstance(r.item.means, StoredRef) and r.item.means.property == "status" for r in found)
    for concept, end in lexicon(language).at(tokens, i):
        if status and token.text.isupper() and len(token.text) > 3 and end > i + 1:
            # "have ORDERED as their status": a status in capitals is no verb of a phrase.
            continue
        case = ending_case(tokens[end - 1].word) if language == "fi" else Case.NOMINATIVE
        if tokens[end - 1].suffix:
            case = bases("x", tokens[end - 1].suffix)[0].case
        # "myydyin" is the best sold before it is anything that was sold.
        first = 0.005 if concept in {"popular", "unpopular"} else 0.0
        means = Unknown() if concept == "alien" else Word(concept)
        found.append(Reading(Item(i, end, _text(tokens, i, end), means, case), 1.0 - first - 0.02 * (end - i)))
    if token.kind is Kind.MARK:
        if token.text in _DROPPED:
            found.append(Reading(_item(tokens, i, i + 1, Word("filler")), 0.1))
        elif token.text in _KEPT_MARKS:
            found.append(Reading(_item(tokens, i, i + 1, Word(_KEPT_MARKS[token.text])), 0.5))
    if period := period_at(tokens, i, language, today):
        found.append(Reading(_item(tokens, i, period[1], When(period[0])), 0.8 - 0.01 * (period[1] - i)))
    if number := number_at(tokens, i, language):
        found.append(_number(tokens, i, number[1], number[0], linker))
    if identifier := _identifier(text, tokens, i):
        found.append(identifier)
    return found


def _item(tokens: tuple[Token, ...], i: int, end: int, means: Number | When | Word | Identifier) -> Item:
    suffix = tokens[end - 1].suffix
    case = bases("x", suffix)[0].case if suffix else Case.NOMINATIVE
    return Item(i, end, _text(tokens, i, end), means, case)


def _text(tokens: tuple[Token, ...], i: int, end: int) -> str:
    return "".join(("" if t.glued or k == 0 else " ") + t.text for k, t in enumerate(tokens[i:end]))


def _number(tokens: tuple[Token, ...], i: int, end: int, value: float, linker: Linker) -> Reading:
    """A number with its unit, where one follows."""
    table = vocabulary().units
    if end < len(tokens) and tokens[end].kind is not Kind.NUMBER:
        # Units of several marks first: lm/W, °C.
        for width in (3, 2, 1):
            parts = tokens[end : end + width]
            if len(parts) < width or not all(p.glued for p in parts[1:]):
                continue
            joined = "".join(p.word for p in parts)
            forms = [joined] if width > 1 else [b.form for b in bases(joined, parts[0].suffix)]
            if width == 1:
                forms += [b.form for b in bases(joined, finnish=False)]
            for form in forms:
                if form in table:
                    unit = table[form]
                    if unit.base == "pcs" and 1990 <= value <= 2100:
                        # "2024 kpl": of that year, how many
                        continue
                    means = Number(value * unit.factor, unit.base)
                    return Reading(_item(tokens, i, end + width, means), 0.7)
                if form in linker.units:
                    return Reading(_item(tokens, i, end + width, Number(value, form)), 0.7)
    return Reading(_item(tokens, i, end, Number(value)), 1.0)


def _identifier(text: str, tokens: tuple[Token, ...], i: int) -> Reading | None:
    """A run without spaces that looks like an id: T-2024-0017, OFF_12, 1042-2."""
    if tokens[i].text == "#":
        return None
    end = i + 1
    while (
        end < len(tokens) and tokens[end].glued and (tokens[end].kind is not Kind.MARK or tokens[end].text in "-/_#.")
    ):
        end += 1
    while end > i + 1 and tokens[end - 1].kind is Kind.MARK:
        end -= 1
    text = text[tokens[i].start : tokens[end - 1].end]
    if tokens[end - 1].suffix and ":" in text:
        text = text[: text.rindex(":")]
    text = re.sub("['’]s$", "", text)
    if not any(c.isdigit() for c in text) or (i and tokens[i].glued and tokens[i - 1].text != "#"):
        return None
    if (ranged := re.fullmatch(r"[\d.,]+[-–][\d.,]+([a-zA-Z°%]{1,3})", text)) and fold(ranged[1]) in vocabulary().units:
        # "30-60W"
        return None
    lettered, parted = any(c.isalpha() for c in text), any(c in "-_/" for c in text)
    cost = 1.0 if lettered and parted else 1.6 if end == i + 1 else 1.2 + 0.35 * (end - i)
    return Reading(_item(tokens, i, end, Identifier(text)), cost)
