"""Documents spoiled as bytes: flips, cuts, encodings that lie, gzip.

Arrives: a random generator and a document. Leaves: bytes, or None for NULL.
"""

import codecs
import gzip
import random
import zlib

from soak.spoiling import Base, bases, inserted


def flips(rng: random.Random, base: Base) -> bytes:
    """Some bits turned."""
    data = bytearray(base.stored)
    for _ in range(rng.choice((1, 1, 1, 2, 5, 40))):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data)


def high_bytes(rng: random.Random, base: Base) -> bytes:
    """A few bytes of an undeclared UTF-8 document replaced by others beyond ASCII."""
    data = bytearray(base.text.encode())
    for _ in range(rng.choice((1, 1, 2, 6))):
        data[rng.randrange(len(data))] = rng.randrange(0x80, 0x100)
    return bytes(data)


def cut(rng: random.Random, base: Base) -> bytes:
    """The beginning, the end or the middle is gone."""
    data = base.stored
    start, end = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    return (data[:end], data[start:], data[:start] + data[end:])[rng.randrange(3)]


def spliced(rng: random.Random, base: Base) -> bytes:
    """With another document, itself or junk in or behind it."""
    other = rng.choice(bases()).stored
    at, from_ = rng.randrange(len(base.stored)), rng.randrange(len(other))
    junk = rng.randbytes(rng.randrange(1, 60))
    return rng.choice((
        base.stored[:at] + other[from_:], base.stored + other, base.stored + base.stored, base.stored + junk,
        junk + base.stored, base.stored[:at] + junk + base.stored[at:], b"\n" + base.stored, base.stored + b"\n\n",
        base.stored + bytes(rng.randrange(1, 9)),
    ))  # fmt: skip


def nothing(rng: random.Random, _: Base) -> bytes | None:
    """As good as nothing."""
    return rng.choice((
        None, b"", b" ", b"\r\n\t " * rng.randrange(1, 900), codecs.BOM_UTF8, codecs.BOM_UTF16_BE + b"\x00 ",
        gzip.compress(b"", mtime=0), b"\x00" * rng.randrange(1, 3000), b"<", b"<>", b"<?xml?>", b"null", b"{}",
        b'<?xml version="1.0"?>', b"<!-- only a comment -->", b"<a/>", b"\x1f", b"\x1f\x8b", codecs.BOM_UTF8 * 2,
    ))  # fmt: skip


_MARKS = (b"", codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE)
_CODECS = ("utf-8", "utf-16-le", "utf-16-be", "iso-8859-1", "windows-1252", "utf-32-le", "cp437", "shift_jis")
_DECLARED = (
    "UTF-8", "utf-8", "UTF-16", "UTF-16LE", "UTF-16BE", "ISO-8859-1", "iso-8859-15", "windows-1252", "US-ASCII",
    "UTF-32", "windows-1251", "Shift_JIS", "utf-7", "EBCDIC-CP-FI", "", " ", "x-none", "utf_8\x00", "ä", "UTF-8-SIG",
)  # fmt: skip


def encoded(rng: random.Random, base: Base) -> bytes:
    """Mark, declaration and content, each drawn by itself: right, absent or lying."""
    text = base.text.replace("</Layout>", rng.choice(("</Layout>", "väri – €</Layout>", "Härmä ®</Layout>")), 1)
    declared = rng.choice((*_DECLARED[:9], *_DECLARED)) if rng.random() < 0.75 else None
    quote = rng.choice("\"'")
    head = "" if declared is None else f'<?xml version="1.0" encoding={quote}{declared}{quote}?>\n'
    codec = rng.choice((*_CODECS[:5], *_CODECS))
    data = (head + text).encode(codec, "xmlcharrefreplace")
    if rng.random() < 0.15:
        other = rng.choice(_CODECS[:5])
        half = data.index(b">", len(data) // 2)
        data = data[: half + 1] + text[len(text) // 2 :].encode(other, "xmlcharrefreplace")
    if rng.random() < 0.2:
        data = b"\n \r\t"[: rng.randrange(1, 5)] + data
    mark = rng.choice(_MARKS) if rng.random() < 0.5 else b""
    data = mark + data
    return gzip.compress(data, mtime=0) if rng.random() < 0.1 else data


def marks_inside(rng: random.Random, base: Base) -> bytes:
    """Byte-order marks where none belong."""
    text = inserted(rng, base.text, "\ufeff", rng.randrange(1, 4))
    return rng.choice(
        (
            codecs.BOM_UTF8 * 2 + text.encode(),
            text.encode(),
            text.encode("utf-16"),
            b" " + codecs.BOM_UTF8 + text.encode(),
        )
    )


def zipped(rng: random.Random, base: Base) -> bytes:
    """Compressed, and damaged in every part of a gzip file."""
    data = base.text.encode()
    packed = bytearray(gzip.compress(data, mtime=0))
    half = len(data) // 2
    at = rng.randrange(len(packed))
    flipped = packed[:at] + bytes([packed[at] ^ (1 << rng.randrange(8))]) + packed[at + 1 :]
    return bytes(rng.choice((
        packed, packed[:at], flipped, packed[:-8] + bytes(8), packed[:-4] + b"\xff" * 4, packed + b"rest",
        packed + bytes(rng.randrange(1, 600)),
        gzip.compress(data[:half]) + gzip.compress(data[half:]), gzip.compress(data[:half]) + data[half:],
        gzip.compress(bytes(packed)),
        zlib.compress(data), packed[:3] + b"\x08" + packed[4:10] + b"name.xml\x00" + packed[10:],
        packed[:3] + b"\xff" + packed[4:],
        packed + packed, b"\x1f\x8b" + data, packed[:2] + b"\x07" + packed[3:], gzip.compress(data, 0),
        codecs.BOM_UTF8 + packed,
    )))  # fmt: skip


def bombs(rng: random.Random, base: Base) -> bytes:
    """Little that inflates to much."""
    size = rng.choice((32, 64, 128)) << 20
    before, after = rng.choice((
        (b"", b""), (b"<C>", b"</C>"), (b"<C a='", b"'/>"), (b"<C><!--", b"--></C>"), (b"<C><![CDATA[", b"]]></C>"),
        (b"<", b"/>"),
        (b"<C><ProductFamily id='f' name='", b"'/></C>"), (b"<C><ProductFamily id='f'/><?x ", b"?></C>"),
    ))  # fmt: skip
    filler = rng.choice((b" ", b"A", b"\x00", "ä".encode()))
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    out = [packer.compress(before)]
    out += [packer.compress(filler * ((1 << 20) // len(filler))) for _ in range(size >> 20)]
    out += [packer.compress(after), packer.flush()]
    return b"".join(out)
