"""Runs of plain Attribute elements → one short element each, before the parser sees them.

Arrives: a document's UTF-8 in pieces. Leaves: the same document in which each run of Attributes that could not be
plainer (`<Attribute type="ext_id" value="pituus"/>`, one after the other) is replaced by an empty element that names
it, and the runs' own text. Four elements of five are such Attributes, and a callback for each is what parsing would
spend its time on.

It makes no difference to what the parser says of the document. What is replaced is, wherever it stands, as good or as
bad as what it is replaced by: it holds no mark-up but its own, no ">" that could end a comment, instruction or CDATA
section before its own end, no reference, and no character that XML forbids or would normalise. In content it is one
element for others, elsewhere (in a comment, say) its replacement is never reported and the run is dropped. The name
of the replacement is random, so that no document holds it. Only lines and columns change: whoever must name the place
of a fault reads the document again as it is.
"""

import re

from transform.kinds import RUN_NAME, Kinds

# Anything but quotes, mark-up, control characters, and U+F000 to U+FFFF, two of which XML forbids.
_PLAIN = rb'[^"<>&\x00-\x1f\xef]*+'


class Abbreviator:
    """Abbreviates documents, piece by piece. `begin` each one."""

    def __init__(self, kinds: Kinds) -> None:
        name, kind = kinds.attribute
        self._name = re.escape(name.encode())
        keys = [key.encode() for several in kind.keys for key in several]
        self._fields = rb" ".join(rb'%b="%b"' % (re.escape(key), _PLAIN) for key in keys)
        self._prefixed = re.compile(rb"<([A-Za-z_][\w.-]*:)%b\s" % self._name)
        self._patterns: dict[bytes, re.Pattern[bytes]] = {}
        # The two take turns, so that the runs of a piece and of the one before have different keys.
        self._turns = (_Turn(b"a"), _Turn(b"b"))
        self._prefix = b""

    def begin(self) -> None:
        """Another document."""
        self._prefix = b""

    def shorten(self, piece: bytes) -> bytes:
        """The piece with its runs replaced. An Attribute that is cut by the end of a piece stays as it is."""
        if not self._prefix and (match := self._prefixed.search(piece)):
            self._prefix = match[1]
        pattern = self._patterns.get(self._prefix) or self._compile(self._prefix)
        parts = pattern.split(piece)
        # The parser may hold back the end of a piece until the next one, no longer: what is held back longer is one
        # thing, such as a comment, and what is in it is never asked for.
        self._turns = (self._turns[1], self._turns[0])
        parts[1::2] = self._turns[0].take_over(self._prefix, parts[1::2])
        return b"".join(parts)

    def take(self, key: str) -> bytes:
        """The XML of a run, by the `n` of the element that stands for it."""
        fresh, older = self._turns
        return fresh.runs.pop(key, None) or older.runs.pop(key)

    def _compile(self, prefix: bytes) -> "re.Pattern[bytes]":
        element = rb"<%b%b %b/>" % (re.escape(prefix), self._name, self._fields)
        if len(self._patterns) > 100:
            self._patterns.clear()
        pattern = self._patterns[prefix] = re.compile(rb"(%b(?:\s*+%b)*+)" % (element, element))
        return pattern


class _Turn:
    """Keys for the runs of one piece, and the runs by them."""

    def __init__(self, name: bytes) -> None:
        self.runs: dict[str, bytes] = {}
        self._name = name
        self._keys: list[str] = []
        self._elements: dict[bytes, list[bytes]] = {}

    def take_over(self, prefix: bytes, runs: list[bytes]) -> list[bytes]:
        """Keeps the runs; the elements that stand for them."""
        for number in range(len(self._keys), len(runs)):
            self._keys.append(f"{self._name.decode()}{number}")
        if len(self._elements) > 100:
            self._elements.clear()
        elements = self._elements.setdefault(prefix, [])
        for number in range(len(elements), len(runs)):
            elements.append(b'<%b%b n="%b%d"/>' % (prefix, RUN_NAME.encode(), self._name, number))
        self.runs = dict(zip(self._keys, runs, strict=False))
        return elements[: len(runs)]
