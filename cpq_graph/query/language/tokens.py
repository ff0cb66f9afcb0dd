"""Text into tokens: words, numbers, quoted names and marks, each knowing where it stood.

Arrives: a question, or a stored name. Leaves: tokens of one shape for both, so that "SNEP® MODE P" and "snep mode-P:n"
become the same words. Case, diacritics, ® and hyphens are folded away.
"""

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a token is made of."""

    WORD = "word"
    NUMBER = "number"
    DATE = "date"
    QUOTED = "quoted"
    MARK = "mark"


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a question. `word` is folded, without the Finnish suffix after a colon or the English 's, which is
    `suffix`. `glued` says that no space stood before it. `value` is a number's."""

    kind: Kind
    text: str
    word: str
    start: int
    end: int
    glued: bool = False
    suffix: str = ""
    value: float | None = None


# Marks that a name may bear and nobody types.
_IGNORED = re.compile("[®™©\u00ad\u200b]")
_ENDINGS = (
    "n|t|a|ä|ta|tä|tta|ttä|ita|itä|lle|lla|llä|lta|ltä|ssa|ssä|sta|stä|in|iin|een|hin|hen|hön|seen|ksi|na|nä|en|ien|jen|iden|"
    "ja|jä|ia|iä|it|illa|illä|ille|ilta|iltä|issa|issä|ista|istä|lle|nsa|nsä|kin|aa|ää|ään|aan|eja|ejä|eista|eistä|s"
)
_PATTERN = re.compile(
    r"""
    (?P<quoted>["“”„«](?P<inner>[^"“”„«»]+)["“”»]|(?<!\w)['‘’](?P<inner1>[^'‘’]+)['‘’](?!\w))
  | (?P<date>\d{4}-\d{1,2}-\d{1,2}(?!\d) | \d{1,2}\.\d{1,2}\.\d{4}(?!\d) | \d{1,2}/\d{1,2}/\d{4}(?!\d))
  | (?P<number>\d{1,3}(?:[\u0020\u00a0\u202f]\d{3})+(?![\d])(?:[.,]\d+(?!\d|\.\d))?
      | \d{1,3}(?:,\d{3})+\.\d+ | \d+(?:[.,]\d+)(?!\d|\.\d) | \d+)
  | (?P<word>[^\W\d_]+(?:['’](?:t|re|ve|ll|m|d)\b)?)
  | (?P<mark><=|>=|=>|=<|[^\w\s])
    """,
    re.VERBOSE | re.IGNORECASE,
)
_SUFFIX = re.compile(rf"(?::(?P<fi>{_ENDINGS})|['’](?P<en>s))(?![\w])", re.IGNORECASE)


def fold(text: str) -> str:
    """Lower case without diacritics: "Härmä" and "HARMA" meet."""
    decomposed = unicodedata.normalize("NFKD", text.casefold().replace("ø", "o").replace("æ", "ae").replace("đ", "d"))
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def number_of(text: str) -> float | None:
    """The number that `text` writes, with a decimal point or comma, or None. "1,234" could mean two things: None."""
    bare = re.sub(r"[\u0020\u00a0\u202f]", "", text)
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+\.\d+", bare):
        return float(bare.replace(",", ""))
    if re.fullmatch(r"[1-9]\d{0,2},\d{3}", bare):
        return None
    bare = bare.replace(",", ".")
    return float(bare) if re.fullmatch(r"\d+(?:\.\d+)?", bare) else None


def clean_text(text: str) -> str:
    """The text that tokens' places refer to."""
    return _IGNORED.sub(" ", unicodedata.normalize("NFC", text))


def tokenize(text: str) -> tuple[Token, ...]:
    """The tokens of `text`, in order; white space and marks such as ® are left out."""
    clean = clean_text(text)
    tokens: list[Token] = []
    position = end = 0
    while match := _PATTERN.search(clean, position):
        start, position = match.span()
        if match["mark"] == "-" and _joins(clean, start, position):
            # What stood together stays together: T-2024-17 is one id.
            end = position if start == end else end
            continue
        tokens.append(_token(match, clean, glued=bool(tokens) and start == end))
        suffix = _SUFFIX.match(clean, position)
        if suffix and tokens[-1].kind is not Kind.MARK:
            last = tokens[-1]
            written = suffix["fi"] or "'s"
            tokens[-1] = Token(
                last.kind, last.text, last.word, last.start, suffix.end(), last.glued, fold(written), last.value
            )
            position = suffix.end()
        end = position
    return tuple(tokens)


def _joins(text: str, start: int, end: int) -> bool:
    """Whether the hyphen only joins words (MODE-P, "MODE P -valaisin"), as opposed to a range of numbers or a dash."""
    before, after = text[start - 1 : start], text[end : end + 1]
    if before.isspace() and after.isspace():
        # "MODE P - ja MODE S -valaisimet"
        return text[end:].lstrip()[:1].isalpha()
    return after.isalpha() or (after.isalnum() and before.isalpha())


def words_of(text: str) -> tuple[str, ...]:
    """The folded words and numbers of a stored name."""
    return tuple(t.word for t in tokenize(text) if t.kind is not Kind.MARK)


def _token(match: re.Match[str], text: str, *, glued: bool) -> Token:
    start, end = match.span()
    raw = text[start:end]
    if match["quoted"]:
        inner = match["inner"] or match["inner1"]
        return Token(Kind.QUOTED, inner, fold(inner).strip(), start, end, glued)
    if match["date"]:
        return Token(Kind.DATE, raw, raw, start, end, glued)
    if match["number"]:
        value = number_of(raw)
        return Token(Kind.NUMBER, raw, raw, start, end, glued, value=value)
    if match["word"]:
        return Token(Kind.WORD, raw, fold(raw).replace("’", "'"), start, end, glued)
    return Token(Kind.MARK, raw, raw, start, end, glued)
