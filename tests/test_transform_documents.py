"""Encodings by mark, declaration and content, and gzip: what is read, and what is refused."""

import codecs
import gzip
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from parsed import pieces_of

from transform import documents
from transform.documents import Undeclared, decode_document
from transform.rejects import Reason, Refused

TEXT = "<a>Härmä ® – €</a>"
SINGLE = "<a>Härmä ®</a>"


def declared(name: str, text: str = SINGLE) -> str:
    return f'<?xml version="1.0" encoding="{name}"?>{text}'


def read(document: bytes, undeclared: str = "utf-8", piece: int = 1 << 20) -> str:
    return b"".join(decode_document(pieces_of(document, piece), undeclared=undeclared)).decode()


@pytest.mark.parametrize(
    ("document", "text"),
    [
        (TEXT.encode(), TEXT),
        (declared("UTF-8", TEXT).encode(), declared("UTF-8", TEXT)),
        (codecs.BOM_UTF8 + TEXT.encode(), TEXT),
        (codecs.BOM_UTF8 + declared("utf-8").encode(), declared("utf-8")),
        (TEXT.encode("utf-16"), TEXT),
        (codecs.BOM_UTF16_BE + declared("UTF-16", TEXT).encode("utf-16-be"), declared("UTF-16", TEXT)),
        (declared("UTF-16LE", TEXT).encode("utf-16-le"), declared("UTF-16LE", TEXT)),
        (TEXT.encode("utf-16-be"), TEXT),
        (declared("ISO-8859-1").encode("latin-1"), declared("ISO-8859-1")),
        (declared("latin1").encode("latin-1"), declared("latin1")),
        (declared("ISO-8859-15", "<a>€</a>").encode("iso-8859-15"), declared("ISO-8859-15", "<a>€</a>")),
        (declared("windows-1252", TEXT).encode("cp1252"), declared("windows-1252", TEXT)),
        (declared("US-ASCII", "<a>x</a>").encode(), declared("US-ASCII", "<a>x</a>")),
        (declared("ISO-8859-1", "<a>x</a>").encode(), declared("ISO-8859-1", "<a>x</a>")),
    ],
)
@pytest.mark.parametrize("piece", [1 << 20, 3])
@pytest.mark.parametrize("zipped", [False, True])
def test_read(document: bytes, text: str, piece: int, zipped: bool) -> None:
    assert read(gzip.compress(document) if zipped else document, piece=piece) == text


@pytest.mark.parametrize(
    "document",
    [
        declared("UTF-8").encode("latin-1"),
        codecs.BOM_UTF8 + declared("ISO-8859-1").encode(),
        codecs.BOM_UTF8 + SINGLE.encode("latin-1"),
        codecs.BOM_UTF16_LE + declared("UTF-8").encode("utf-16-le"),
        declared("UTF-8").encode("utf-16-le"),
        declared("UTF-16").encode(),
        declared("ISO-8859-1").encode(),
        declared("windows-1252").encode(),
        declared("ISO-8859-1", TEXT).encode("cp1252"),
        declared("windows-1252", "<a>x</a>").encode() + b"\x81",
        declared("US-ASCII").encode("latin-1"),
        declared("x-no-such-encoding").encode(),
        declared("utf-7").encode("utf-7"),
        declared("rot13").encode(),
        declared("").encode(),
        TEXT.encode("utf-16")[:-1],
        TEXT.encode("utf-16-le") + b"\x00\xd8<\x00",
        TEXT.encode("utf-32"),
    ],
)
@pytest.mark.parametrize("piece", [1 << 20, 3])
def test_a_lie_is_refused(document: bytes, piece: int) -> None:
    with pytest.raises(Refused) as refused:
        read(document, piece=piece)
    assert refused.value.reason is Reason.LYING_ENCODING


@pytest.mark.parametrize("padding", [0, 3_000_000])
def test_undeclared_bytes_are_windows_1252_when_they_are_not_utf_8(padding: int) -> None:
    document = (" " * 10 + "<a>" + " " * padding + "Härmä – €</a>").encode("cp1252")
    with pytest.raises(Undeclared):
        read(document)
    assert read(document, "cp1252").strip() == document.decode("cp1252").strip()


@pytest.mark.parametrize(
    "document",
    [b"", codecs.BOM_UTF8, b" \r\n\t", codecs.BOM_UTF16_LE + " \n".encode("utf-16-le"), gzip.compress(b"", mtime=0),
     gzip.compress(b" ", mtime=0), codecs.BOM_UTF16_BE],
)  # fmt: skip
def test_nothing_in_it(document: bytes) -> None:
    with pytest.raises(Refused) as refused:
        read(document)
    assert refused.value.reason is Reason.EMPTY_DOCUMENT


WHOLE = gzip.compress(declared("UTF-8", "<a>" + random.Random(1).randbytes(9_000).hex() + "</a>").encode(), mtime=0)


@pytest.mark.parametrize(
    "document",
    [WHOLE[:-1], WHOLE[:-8], WHOLE[:200], WHOLE[:2], WHOLE[:12], WHOLE[:-8] + bytes(8), WHOLE + b"rest",
     b"\x1f\x8b<a/>", WHOLE[:300] + b"\xff" * 40 + WHOLE[340:]],
)  # fmt: skip
@pytest.mark.parametrize("piece", [1 << 20, 100])
def test_damaged_gzip_is_refused(document: bytes, piece: int) -> None:
    with pytest.raises(Refused) as refused:
        read(document, piece=piece)
    assert refused.value.reason is Reason.DAMAGED_GZIP


def test_several_members_and_padding_are_one_document() -> None:
    assert read(gzip.compress(b"<a>") + gzip.compress(b"") + gzip.compress(b"</a>") + bytes(30), piece=7) == "<a></a>"


def test_a_bomb_is_refused_in_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "INFLATED_BYTES_MAX", 20 << 20)
    bomb = gzip.compress(bytes(64 << 20))
    seen = 0
    with pytest.raises(Refused) as refused:
        for piece in decode_document([bomb]):
            assert len(piece) <= 1 << 20
            seen += len(piece)
    assert refused.value.reason is Reason.TOO_LARGE
    assert seen <= 20 << 20


@given(st.binary(max_size=200))
def test_any_bytes_give_utf_8_or_a_refusal(document: bytes) -> None:
    for undeclared in ("utf-8", "cp1252"):
        try:
            read(document, undeclared)
        except (Refused, Undeclared):
            continue
