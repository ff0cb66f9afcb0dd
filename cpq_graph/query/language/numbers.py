"""Numbers and ordinals, in digits and in English and Finnish words with their inflection.

Arrives: tokens and a position. Leaves: the number that starts there and the token after its last, or None.
"""

import re

from cpq_graph.query.language.lexicon import Language
from cpq_graph.query.language.tokens import Kind, Token

_ENGLISH = {
    word: value
    for value, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        ]
    )
} | {
    word: (position + 2) * 10
    for position, word in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"])
}
_ENGLISH_SCALES = {"hundred": 100, "thousand": 1000, "dozen": 12, "million": 1_000_000}
_ENGLISH_ORDINALS = {
    w: n
    for n, w in enumerate(
        ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"], 1
    )
}

_END = "(?:a|ta|tta|n|en|lla|lle|lta|ssa|sta|ksi|in|na|t)?"
_FINNISH_UNITS = (
    (1, "yksi|yhden|yhta|yhdella|yhdessa|yhdelle|yhdelta|yhdesta"),
    (2, "kaksi|kahden|kahta|kahdella|kahdessa|kahdelle|kahdelta|kahdesta"),
    (3, f"kolme{_END}|kolmea|kolmi"),
    (4, f"nelja{_END}"),
    (5, "viisi|viiden|viitta|viidella|viidessa|viidelle|viidelta|viidesta|viitena|viideksi|viiteen"),
    (6, "kuusi|kuuden|kuutta|kuudella|kuudessa|kuudelle|kuudelta|kuudesta"),
    (7, f"seitseman|seitsem[aä]{_END}"),
    (8, f"kahdeksan|kahdeksa{_END}"),
    (9, f"yhdeksan|yhdeksa{_END}"),
    (10, "kymmenen|kymmenta|kymmenella|kymmenessa|kymmenelle"),
)
_FINNISH_UNIT = [(value, re.compile(pattern)) for value, pattern in _FINNISH_UNITS]
_FINNISH_ORDINALS = [
    (n, re.compile(p))
    for n, p in (
        (1, "ensimmai(?:nen|sen|sella|sessa|sta|set|sena|selta|sten)|alku|eka(?:lla|n)?"),
        (2, "toi(?:nen|sen|sella|sessa|sta|sena|set|selta)|jalkimmai(?:nen|sen|sella|sta)|loppu|toka(?:lla|n)?"),
        (3, "kolma(?:s|nnen|nnella|nnessa|tta|ntena|nnelta)"),
        (4, "nelja(?:s|nnen|nnella|nnessa|tta|ntena|nnelta)|viimei(?:nen|sen|sella|sta)"),
    )
]


def number_words(language: Language) -> tuple[str, ...]:
    """The words of small numbers and ordinals, for near misses."""
    if language == "en":
        return (*_ENGLISH, *_ENGLISH_ORDINALS)
    plain = [w for _, pattern in _FINNISH_UNITS for w in pattern.split("|") if w.isalpha()]
    further = (
        "kolme kolmea kolmen nelja neljaa neljan ensimmainen ensimmaisella toisella kolmannella neljannella "
        "ensimmaisen toisen kolmannen neljannen"
    )
    return (*plain, *further.split())


def number_at(tokens: tuple[Token, ...], i: int, language: Language) -> tuple[float, int] | None:
    """The number that starts at token `i`: 57, 2 000, "two hundred", "kaksikymmentäviisi"."""
    token = tokens[i]
    if (
        token.kind is Kind.NUMBER
        and token.value is None
        and language == "en"
        and re.fullmatch(r"\d{1,3}(?:,\d{3})+", token.text)
    ):
        # In a Finnish question 5,900 could be 5.9: there it stays unread.
        return float(token.text.replace(",", "")), i + 1
    if token.kind is Kind.NUMBER and token.value is not None:
        nxt = tokens[i + 1] if i + 1 < len(tokens) else None
        scale = (
            nxt and nxt.kind is Kind.WORD and {"thousand": 1000, "million": 1_000_000, "tuhatta": 1000}.get(nxt.word)
        )
        return (token.value * scale, i + 2) if scale else (token.value, i + 1)
    if token.kind is not Kind.WORD:
        return None
    return _english(tokens, i) if language == "en" else _finnish(tokens, i)


def ordinal_at(tokens: tuple[Token, ...], i: int, language: Language) -> tuple[int, int] | None:
    """The ordinal that starts at token `i`: first, 1st, "ensimmäisen", "1."."""
    token = tokens[i]
    following = tokens[i + 1] if i + 1 < len(tokens) else None
    if token.kind is Kind.NUMBER and token.value is not None and token.value == int(token.value) and following:
        if language == "en" and following.glued and following.word in {"st", "nd", "rd", "th"}:
            return int(token.value), i + 2
        if language == "fi" and following.glued and following.word == ".":
            return int(token.value), i + 2
        return None
    if language == "en":
        value = _ENGLISH_ORDINALS.get(token.word)
        return (value, i + 1) if value else None
    return next(((n, i + 1) for n, pattern in _FINNISH_ORDINALS if pattern.fullmatch(token.word)), None)


def _english(tokens: tuple[Token, ...], i: int) -> tuple[float, int] | None:
    total = current = 0
    end = i
    while end < len(tokens):
        word = tokens[end].word
        if word in _ENGLISH and (current % 100 == 0 or (current % 10 == 0 and _ENGLISH[word] < 10)):
            current += _ENGLISH[word]
        elif word in _ENGLISH_SCALES and (end > i or word == "dozen"):
            if word in {"thousand", "million"}:
                total, current = total + max(current, 1) * _ENGLISH_SCALES[word], 0
            else:
                current = max(current, 1) * _ENGLISH_SCALES[word]
        else:
            break
        end += 1
    return (float(total + current), end) if end > i else None


def _finnish(tokens: tuple[Token, ...], i: int) -> tuple[float, int] | None:
    value = _finnish_word(tokens[i].word)
    if value is None:
        return None
    end = i + 1
    # "kaksi tuhatta", "kolme sataa"
    while end < len(tokens):
        scale = {"tuhatta": 1000, "sataa": 100, "kymmenta": 10}.get(tokens[end].word)
        if not scale or value >= scale:
            break
        value, end = value * scale, end + 1
    return float(value), end


def _finnish_word(word: str) -> int | None:
    for value, pattern in _FINNISH_UNIT:
        if pattern.fullmatch(word):
            return value
    match = re.fullmatch(r"(\w+)toista", word)
    if match and (unit := _finnish_word(match[1])):
        return 10 + unit
    for scale, compound in ((1000, r"(\w*?)(?:tuhatta|tuhannella|tuhannen|tuhat)(\w*)"),
                           (100, r"(\w*?)(?:sataa|sadalla|sadan|sata)(\w*)"),
                           (10, r"(\w+?)(?:kymmenta|kymmenen)(\w*)")):  # fmt: skip
        match = re.fullmatch(compound, word)
        if not match:
            continue
        head = _finnish_word(match[1]) if match[1] else 1
        tail = _finnish_word(match[2]) if match[2] else 0
        if head is not None and tail is not None and tail < scale:
            return head * scale + tail
    return None
