"""A stored document → its text as UTF-8, in pieces.

Arrives: the bytes as they lie in the database, in pieces, perhaps gzipped, in whatever encoding. Leaves: UTF-8
without a byte-order mark. The encoding is found by mark, declaration and content, in that order. A declaration that
lies is `Refused`, as reading on would give mojibake; a lie may show at the end only, so what was read until then must
be dropped. A document without mark and declaration that turns out not to be UTF-8 raises `Undeclared`, and is read
again.
"""

import codecs
import re
import zlib
from collections.abc import Iterable, Iterator

from transform.rejects import Reason, Refused

# What a gzipped document may inflate to: what the database could have held as it is.
INFLATED_BYTES_MAX = 1 << 30
_PIECE = 1 << 18
# A declaration must come first and is short.
_HEAD = 1024

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# How "<", perhaps after blanks, looks without a mark; no other encoding has NUL beside it.
_WIDE = (
    (re.compile(rb"<\x00\x00\x00|\x00\x00\x00<"), "utf-32"),
    (re.compile(rb"(?:[ \t\r\n]\x00)*+<\x00"), "utf-16-le"),
    (re.compile(rb"(?:\x00[ \t\r\n])*+\x00<"), "utf-16-be"),
)
_DECLARATION = re.compile(r"""\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']([^"'>]*)["']""")
# Declared names → codec, by the name that Python knows the codec under. Others are refused: multi-byte and stateful
# ones have too many ways to look right and be wrong.
_SINGLE_BYTE = {"iso8859-1", "iso8859-15", "cp1252", "ascii"}
_UTF_16 = {"utf-16", "utf-16-le", "utf-16-be"}
# Marks and blanks, in any width.
_NOTHING = codecs.BOM_UTF8 + codecs.BOM_UTF16_LE + b" \t\r\n\x00"
_C1 = re.compile(rb"[\x80-\x9f]")
# Text read as UTF-8 with what is none escaped: bytes that are not UTF-8, characters beyond ASCII that are.
_NOT_UTF_8, _UTF_8 = re.compile("[\udc80-\udcff]"), re.compile("[^\x00-\x7f\udc80-\udcff]")


class Undeclared(Exception):  # noqa: N818 - it is an outcome, not an error
    """No mark, no declaration, and not UTF-8: to be read again as windows-1252."""


def decode_document(pieces: Iterable[bytes], *, undeclared: str = "utf-8") -> Iterator[bytes]:
    """The document as UTF-8. `undeclared` is what it is read as when neither mark nor declaration says. Raises
    Refused or Undeclared, perhaps after pieces have come."""
    stream = _in_pieces(_inflated(iter(pieces)))
    head = _head(stream)
    # What begins with many blanks is left to the parser.
    if len(head) < _HEAD and not head.strip(_NOTHING):
        raise Refused(Reason.EMPTY_DOCUMENT)
    mark, encoding, declared = _detect(head)
    body = head[len(mark) :]
    codec, said = encoding or declared, "which it is declared or marked as"
    if codec is None:
        if undeclared == "utf-8":
            yield from _undeclared(body, stream)
            return
        codec, said = undeclared, "which it would be without a declaration; nor is it UTF-8"
    lie = Refused(Reason.LYING_ENCODING, f"not in {codec}, {said}")
    if codec in _SINGLE_BYTE:
        yield from _single_byte(codec, body, stream, lie)
    else:
        decoder = codecs.getincrementaldecoder(codec)("strict")
        try:
            for piece in _chain(body, stream):
                # libxml2 would refuse wrong bytes, too, but not say that it is the encoding that is wrong.
                text = decoder.decode(piece)
                yield piece if codec == "utf-8" else text.encode()
            decoder.decode(b"", final=True)
        except UnicodeError:
            raise lie from None


def _undeclared(body: bytes, stream: Iterator[bytes]) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder("utf-8")("strict")
    try:
        for piece in _chain(body, stream):
            decoder.decode(piece)
            yield piece
        decoder.decode(b"", final=True)
    except UnicodeError:
        raise Undeclared from None


def _single_byte(codec: str, body: bytes, stream: Iterator[bytes], lie: Refused) -> Iterator[bytes]:
    """Every byte means something in such an encoding, so a lie shows in what it means: text whose characters beyond
    ASCII are mostly UTF-8 is UTF-8, damaged perhaps, and the bytes that ISO-8859-1 has control characters for are
    windows-1252."""
    as_utf_8 = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    good = bad = 0
    for piece in _chain(body, stream):
        if codec.startswith("iso") and _C1.search(piece):
            raise lie
        try:
            text = piece.decode(codec)
        except UnicodeError:
            raise lie from None
        if not piece.isascii() or as_utf_8.getstate()[0]:
            otherwise = as_utf_8.decode(piece)
            good, bad = good + len(_UTF_8.findall(otherwise)), bad + len(_NOT_UTF_8.findall(otherwise))
        yield text.encode()
    bad += len(as_utf_8.decode(b"", final=True))
    if good and good >= bad:
        raise lie


def _detect(head: bytes) -> tuple[bytes, str | None, str | None]:
    """The mark, the encoding by mark or by the width of characters, and the codec declared. Raises Refused when they
    contradict each other."""
    mark, encoding = next(((mark, name) for mark, name in _MARKS if head.startswith(mark)), (b"", None))
    if encoding is None:
        encoding = next((name for pattern, name in _WIDE if pattern.match(head)), None)
    if encoding == "utf-32":
        raise Refused(Reason.LYING_ENCODING, "UTF-32 is not read")
    start = head[len(mark) :]
    match = _DECLARATION.match(start.decode(encoding if encoding in _UTF_16 else "latin-1", "replace"))
    if match is None:
        return mark, encoding, None
    declared = _codec(match[1])
    if declared in _UTF_16 and encoding is None:
        raise Refused(Reason.LYING_ENCODING, f"declared as {match[1]}, which the bytes are not")
    if encoding is not None and declared not in (encoding, "utf-16" if encoding in _UTF_16 else encoding):
        raise Refused(Reason.LYING_ENCODING, f"declared as {match[1]}, marked as {encoding}")
    return mark, encoding, declared


def _codec(name: str) -> str:
    try:
        codec = codecs.lookup(name.strip()).name
    except (LookupError, ValueError):
        codec = ""
    if codec not in _SINGLE_BYTE | _UTF_16 | {"utf-8"}:
        raise Refused(Reason.LYING_ENCODING, f"{name} is not an encoding that is read")
    return codec


def _inflated(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The bytes, gunzipped when they are gzipped; several members follow each other, as gzip has it."""
    head = b""
    for piece in pieces:
        head += piece
        if len(head) >= 2:
            break
    if not head.startswith(b"\x1f\x8b"):
        if head:
            yield head
        yield from pieces
        return
    total = members = 0
    inflater = None
    for compressed in _in_pieces(_chain(head, pieces)):
        data = compressed
        while data:
            if inflater is None:
                # Padding after a member is usual.
                data = data.lstrip(b"\x00") if members else data
                if not data:
                    break
                inflater = zlib.decompressobj(31)
            try:
                piece = inflater.decompress(data, _PIECE)
            except zlib.error as error:
                raise Refused(Reason.DAMAGED_GZIP, str(error)) from None
            total += len(piece)
            if total > INFLATED_BYTES_MAX:
                raise Refused(Reason.TOO_LARGE, f"inflates to more than {INFLATED_BYTES_MAX} bytes")
            yield piece
            data = inflater.unconsumed_tail
            if inflater.eof:
                data, inflater, members = inflater.unused_data, None, members + 1
    if inflater is not None:
        raise Refused(Reason.DAMAGED_GZIP, "cut short")


def _in_pieces(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in pieces of a size that keeps the decoded text and the parser's own buffer small."""
    for piece in pieces:
        if len(piece) <= _PIECE:
            yield piece
        else:
            view = memoryview(piece)
            for start in range(0, len(piece), _PIECE):
                yield bytes(view[start : start + _PIECE])


def _head(stream: Iterator[bytes]) -> bytes:
    head = b""
    for piece in stream:
        head += piece
        if len(head) >= _HEAD:
            break
    return head


def _chain(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    if first:
        yield first
    yield from rest
