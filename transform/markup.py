"""Markup that is too long is refused, before the parser takes all of it into memory.

Arrives: a document's UTF-8 in pieces. Leaves: the same in pieces, with no CDATA section longer than one. Text
is passed on by the parser as it comes, but a tag, a comment, an instruction or a CDATA section is held as a whole, in
up to nine copies: one attribute that never ends, in a few kB of gzip, would take any amount of memory.
"""

import re
from collections.abc import Iterable, Iterator

from transform.rejects import Reason, Refused

# A tag with its attributes' values, a comment, an instruction. Embedded images of some MB are let through: they are
# left out later.
MARKUP_BYTES_MAX = 16 << 20
# Attributes of one tag that is longer than a piece: each takes some 200 bytes.
TAG_ATTRIBUTES_MAX = 100_000

_CLOSERS = {b"<![CDATA[": b"]]>", b"<!--": b"-->", b"<?": b"?>"}
_LONGEST = max(map(len, _CLOSERS))
_SECTION = re.compile(b"<[!?]")
# What a tag goes on with, up to its end or to a quote.
_UNQUOTED = re.compile(rb"""[^"'<>]*+""")


def bounded(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The document. Raises Refused when a tag, comment or instruction is too long."""
    scan = _Scan()
    for piece in pieces:
        if through := scan.through(piece):
            yield through
    if scan.held:
        yield scan.held


class _Scan:
    """What is open at the end of a piece: only that can be long."""

    def __init__(self) -> None:
        # The end of a piece that the next one decides about.
        self.held = b""
        # What ends that which is open: a section's closer, a tag's ">", None in text; where in this piece it begins.
        self._closer: bytes | None = None
        self._inside = 0
        self._quote = b""
        self._length = self._attributes = 0

    def through(self, piece: bytes) -> bytes:
        """The piece, less what is held back for the next one."""
        piece = self.held + piece
        position = self._inside = 0
        while position < len(piece):
            if self._closer is None:
                position = self._opened(piece, position)
            elif self._closer == b">":
                position = self._tag(piece, position)
            else:
                position = self._section(piece, position)
        kept = len(piece) - self._undecided(piece)
        self.held = piece[kept:]
        return piece[:kept] + b"]]><![CDATA[" if self._closer == b"]]>" else piece[:kept]

    def _opened(self, piece: bytes, start: int) -> int:
        """Finds the next section, or else the last tag."""
        if match := _SECTION.search(piece, start):
            at = match.start()
            opener = next((each for each in _CLOSERS if piece.startswith(each, at)), b"<!")
        else:
            at, opener = piece.rfind(b"<", start), b"<"
            if at < 0:
                return len(piece)
        self._closer, self._quote, self._length, self._attributes = _CLOSERS.get(opener, b">"), b"", 0, 0
        self._inside = at + len(opener)
        return self._inside

    def _section(self, piece: bytes, start: int) -> int:
        end = piece.find(self._closer or b"", start)
        if end < 0:
            self._grow(len(piece) - start)
            return len(piece)
        end += len(self._closer or b"")
        self._closer = None
        return end

    def _tag(self, piece: bytes, start: int) -> int:
        if self._quote:
            end = piece.find(self._quote, start)
        else:
            match = _UNQUOTED.match(piece, start)
            end = match.end() if match else start
            end = end if end < len(piece) else -1
        if end < 0:
            self._grow(len(piece) - start)
            return len(piece)
        self._grow(end + 1 - start)
        mark = piece[end : end + 1]
        if self._quote:
            self._quote = b""
            self._attributes += 1
        elif mark in b"\"'":
            self._quote = mark
        else:
            # Another "<" in a tag is for the parser to refuse.
            self._closer = None
            return end if mark == b"<" else end + 1
        return end + 1

    def _grow(self, by: int) -> None:
        self._length += by
        if self._closer != b"]]>" and self._length > MARKUP_BYTES_MAX:
            raise Refused(Reason.TOO_LARGE, f"a tag or comment of more than {MARKUP_BYTES_MAX} bytes")
        if self._attributes > TAG_ATTRIBUTES_MAX:
            raise Refused(Reason.TOO_LARGE, f"a tag with more than {TAG_ATTRIBUTES_MAX} attributes")

    def _undecided(self, piece: bytes) -> int:
        """How many bytes at the end may be the beginning of an opener, a closer or (where a CDATA section is cut) of a
        character."""
        if self._closer is None or self._closer == b">":
            last = piece.rfind(b"<", max(0, len(piece) - _LONGEST + 1))
            # Only what may open a section; a tag is known by its first two bytes.
            if last >= 0 and (len(piece) - last == 1 or piece[last + 1 : last + 2] == b"!"):
                self._closer = None
                return len(piece) - last
            return 0
        inside = piece[self._inside :]
        held = len(inside) - len(inside.rstrip(self._closer[:1]))
        if held:
            return min(held, len(self._closer) - 1)
        while held < 4 and held < len(piece) and piece[-1 - held] >= 0x80:
            held += 1
            if piece[-held] >= 0xC0:
                break
        return held
