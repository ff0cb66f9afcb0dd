"""Source text in, tokens with source positions out; what cannot be read as a token is an error with its place.

The server decodes `\\uXXXX` anywhere, before it looks for strings, names and comments, so the same is done here; a
token's `start` and `end` still count characters of the text as it was written.
"""

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["word", "name", "string", "number", "parameter", "op", "end"]


@dataclass(frozen=True, slots=True, eq=False)
class Token:
    """`text` is as written (escapes decoded), `value` what it stands for: the upper-case word, the name without its
    back-ticks, the string's content, the parameter's name."""

    kind: Kind
    text: str
    value: str
    start: int
    end: int


class CypherSyntaxError(Exception):
    """The text is not Cypher from here on. Caught by the pipeline; never leaves the package."""

    def __init__(self, message: str, start: int, end: int) -> None:
        super().__init__(message)
        self.message = message
        self.start = start
        self.end = end


# What the server takes for white space: the ASCII separators and Unicode's spaces.
_SPACE = "\\t\\n\\x0b\\f\\r \\x1c-\\x1f\\xa0\\u1680\\u180e\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000"
_TOKEN = re.compile(
    rf"""
      (?P<space>[{_SPACE}]+|//[^\r\n]*|/\*.*?\*/)
    | (?P<word>[^\W\d]\w*)
    | (?P<string>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
    | (?P<name>`(?:[^`]|``)*`)
    | (?P<parameter>\$(?:\w+|`(?:[^`]|``)*`))
    | (?P<op>\.\.|<=|>=|<>|=~|!=|==|&&|\|\||\+=|::|[()\[\]{{}},.:;|&!%*/+\-^=<>$]
         |[\u27e8\u3008\ufe64\uff1c\u27e9\u3009\ufe65\uff1e\xad\u2010-\u2015\u2212\ufe58\ufe63\uff0d])
    | (?P<number>0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?)
    """,
    re.VERBOSE | re.DOTALL,
)
_FRACTION = re.compile(r"\.\d[\d_]*(?:[eE][+-]?\d+)?")
# The server reads these as the plain signs.
_SIGNS = dict.fromkeys("⟨〈﹤＜", "<") | dict.fromkeys("⟩〉﹥＞", ">")
_SIGNS |= dict.fromkeys("\xad‐‑‒–—―−﹘﹣－", "-")
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})?|\\.", re.DOTALL)
_STRING_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_STRING_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "\\": "\\", "'": "'", '"': '"', "`": "`"}


def tokenize(source: str) -> list[Token]:
    """The tokens of `source` without white space and comments, ended by one of kind `end`."""
    text, origin = _decoded(source) if "\\u" in source else (source, None)
    tokens: list[Token] = []
    position, length = 0, len(text)

    def place(index: int) -> int:
        return index if origin is None else origin[index]

    while position < length:
        match = _FRACTION.match(text, position) if text[position] == "." else None
        # `1..3` and `n.1` are no fractions; a fraction stands where no name, number or bracket went before.
        if match is not None and not (tokens and text[position - 1] in ".)]}_`" + _ALNUM):
            kind: str | None = "number"
        else:
            match = _TOKEN.match(text, position)
            kind = match.lastgroup if match is not None else None
        if match is None or kind is None:
            raise CypherSyntaxError(_unreadable(text, position), place(position), place(position) + 1)
        if kind != "space":
            written = match.group()
            start, end = place(position), place(match.end())
            tokens.append(Token(kind, written, _value(kind, written), start, end))  # type: ignore[arg-type]
        position = match.end()
    tokens.append(Token("end", "", "", len(source), len(source)))
    return tokens


_ALNUM = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _value(kind: str, written: str) -> str:
    if kind == "word":
        return written.upper()
    if kind == "string":
        body = written[1:-1]
        if "\\" not in body:
            return body
        return _STRING_ESCAPE.sub(lambda found: _STRING_ESCAPES.get(found[1], found[0]), body)
    if kind == "name":
        return written[1:-1].replace("``", "`")
    if kind == "parameter":
        return written[2:-1].replace("``", "`") if written[1] == "`" else written[1:]
    return _SIGNS.get(written, written) if kind == "op" else written


def _unreadable(text: str, position: int) -> str:
    rest = text[position : position + 2]
    if rest[0] in "'\"":
        return "A string starts here and does not end"
    if rest == "/*":
        return "A comment starts here and does not end"
    if rest[0] == "`":
        return "A quoted name starts here and does not end"
    return f"The character {rest[0]!r} means nothing in Cypher"


def _decoded(source: str) -> tuple[str, list[int]]:
    """The text the server parses, and for each of its characters (and its end) the place in `source`."""
    pieces: list[str] = []
    origin: list[int] = []
    last = 0
    for match in _ESCAPE.finditer(source):
        if not match.group().startswith("\\u"):
            continue
        if match[1] is None:
            raise CypherSyntaxError("A \\u escape needs four hexadecimal digits", match.start(), match.end())
        pieces += [source[last : match.start()], chr(int(match[1], 16))]
        origin += [*range(last, match.start()), match.start()]
        last = match.end()
    pieces.append(source[last:])
    origin += [*range(last, len(source)), len(source)]
    return "".join(pieces), origin
