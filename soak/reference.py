"""A document read a second time, as plainly as can be: what the pipeline must have seen of it.

Arrives: the stored bytes. Leaves: `Seen`, how many elements of each label and relationships of each pattern it holds
and which texts; or `Unreadable`. Written apart from the pipeline, with another XML parser (expat), whole documents in
memory, and for the default mapping alone.
"""

import codecs
import gzip
import re
import zlib
from collections import Counter
from dataclasses import dataclass, field
from xml.parsers import expat

from cpq_graph.model import ATTRIBUTE, HAS_TAB, MODEL, PARAMETER, PARAMETER_VALUE, PRODUCT_FAMILY, TAB

LABELS = (PRODUCT_FAMILY.label, TAB.label, PARAMETER.label, PARAMETER_VALUE.label, ATTRIBUTE.label)
_PATTERNS = {(r.start.label, r.end.label): r.name for r in MODEL.relationships if r.start.label in LABELS}
_DECLARED = re.compile(r"""<\?xml\s[^>]*?encoding\s*=\s*["']([^"'>]*)["']""")
_DEPTH, _CHILDREN, _MARKUP, _ATTRIBUTES, _ROOT_ID = 256, 500_000, 16 << 20, 100_000, 7_799
_MARKUP_IN = re.compile(
    r"""<!--.*?-->|<\?.*?\?>|<!\[CDATA\[.*?]]>|<[^<>"'!?](?:[^<>"']|"[^"]*"|'[^']*')*>""", re.DOTALL
)
_KNOWN = ("utf-8", "utf-16", "utf-16-le", "utf-16-be", "iso8859-1", "iso8859-15", "cp1252", "ascii")
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))

# Expat knows the names of XML 1.0 as it was until 2008; since then any script may be in them. Letters that came later
# are read as one that was always allowed.
_TAG = re.compile(r"""<[^<>"'!?](?:[^<>"']|"[^"]*"|'[^']*')*>""")
_QUOTED_OR_LATER = re.compile(
    r""""[^"]*"|'[^']*'|[\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff"""
    r"""\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff]"""
)


def _as_before(match: "re.Match[str]") -> str:
    return match[0] if match[0][0] in "\"'" else "ä"


class Unreadable(Exception):  # noqa: N818 - it is an outcome, not an error
    """Nothing of it may be loaded; the reason is one of the reject report's."""


@dataclass(slots=True)
class Seen:
    """What a document holds: elements by label, relationships by pattern name, the texts of names, the (type, value) of
    Attributes."""

    labels: Counter[str] = field(default_factory=Counter)
    patterns: Counter[str] = field(default_factory=Counter)
    names: set[str] = field(default_factory=set)
    pairs: set[tuple[str, str]] = field(default_factory=set)


def read(stored: bytes | None) -> Seen:
    """What the document holds. Raises Unreadable."""
    if stored is None:
        raise Unreadable("null_document")
    text = decode(_inflated(stored))
    if not text.strip(" \t\r\n\x00\ufeff"):
        raise Unreadable("empty_document")
    if len(text) > _MARKUP // 64 and any(_is_too_long(match[0]) for match in _MARKUP_IN.finditer(text)):
        raise Unreadable("too_large")
    reader = _Reader()
    try:
        reader.parser.Parse(_TAG.sub(lambda tag: _QUOTED_OR_LATER.sub(_as_before, tag[0]), text), True)
    except expat.ExpatError as error:
        raise Unreadable("not_well_formed", str(error)) from None
    except UnicodeEncodeError:
        raise Unreadable("lying_encoding") from None
    if not reader.seen.labels[PRODUCT_FAMILY.label] or not reader.families:
        raise Unreadable("no_family")
    return reader.seen


def _is_too_long(markup: str) -> bool:
    long = len(markup) > _MARKUP // 64 and not markup.startswith("<![CDATA[")
    return long and (len(markup.encode()) > _MARKUP or markup.count("='") > _ATTRIBUTES)


def decode(data: bytes) -> str:
    """The text, by mark, declaration and content. Raises Unreadable."""
    if data.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        raise Unreadable("lying_encoding")
    mark, marked = next(((m, c) for m, c in _MARKS if data.startswith(m)), (b"", None))
    data = data[len(mark) :]
    start = data[:2_000]
    if marked is None and any(_begins(start, codec) for codec in ("utf-32-le", "utf-32-be")):
        raise Unreadable("lying_encoding")
    if marked is None:
        marked = next((codec for codec in ("utf-16-le", "utf-16-be") if _begins(start, codec)), None)
    head = data[:1_024].decode(marked if marked in ("utf-16-le", "utf-16-be") else "latin-1", "replace")
    match = _DECLARED.match(head.lstrip())
    declared = None
    if match:
        declared = _codec(match[1])
        wide = declared.startswith("utf-16")
        if marked and declared != marked and not (declared == "utf-16" and marked.startswith("utf-16")):
            raise Unreadable("lying_encoding")
        if wide and not marked:
            raise Unreadable("lying_encoding")
    if marked or declared == "utf-8":
        return _strictly(data, marked or "utf-8")
    if declared is None:
        try:
            return data.decode()
        except UnicodeDecodeError:
            declared = "cp1252"
    return _single(data, declared)


def _begins(data: bytes, codec: str) -> bool:
    """Whether it is the beginning of a document in a wide encoding."""
    return data.decode(codec, "replace").lstrip(" \t\r\n").startswith("<")


def _codec(name: str) -> str:
    try:
        codec = codecs.lookup(name.strip()).name
    except (LookupError, ValueError):
        codec = ""
    if codec not in _KNOWN:
        raise Unreadable("lying_encoding")
    return codec


def _single(data: bytes, codec: str) -> str:
    text = _strictly(data, codec)
    if codec.startswith("iso") and any(0x80 <= byte < 0xA0 for byte in data):
        raise Unreadable("lying_encoding")
    as_utf_8 = data.decode("utf-8", "surrogateescape")
    wrong = sum("\udc80" <= c <= "\udcff" for c in as_utf_8)
    right = sum(c >= "\x80" for c in as_utf_8) - wrong
    if right and right >= wrong:
        raise Unreadable("lying_encoding")
    return text


def _strictly(data: bytes, codec: str) -> str:
    try:
        return data.decode(codec)
    except UnicodeDecodeError:
        raise Unreadable("lying_encoding") from None


def _inflated(stored: bytes) -> bytes:
    if not stored.startswith(b"\x1f\x8b"):
        return stored
    try:
        return gzip.decompress(stored)
    except (OSError, EOFError, zlib.error):
        raise Unreadable("damaged_gzip") from None


class _Reader:
    """Counts as the elements come."""

    def __init__(self) -> None:
        self.seen = Seen()
        self.families = 0
        # The open elements: label ("" where it is not mapped), the family that a tab belongs to, children.
        self.open: list[tuple[str, bool, list[int]]] = []
        # Namespaces are ignored, and so is a prefix that was never declared.
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = lambda _: self.open.pop()
        self.parser.StartDoctypeDeclHandler = self.doctype

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """An element."""
        if len(self.open) >= _DEPTH:
            raise Unreadable("too_deep")
        prefix, _, local = tag.partition(":")
        name = local if prefix and local and ":" not in local else tag
        if name not in LABELS:
            self.open.append(("", False, [0]))
            return
        above, in_family, children = next((each for each in reversed(self.open) if each[0]), ("", False, [0]))
        children[0] += 1
        if children[0] > _CHILDREN:
            raise Unreadable("too_large")
        if not above and name == PRODUCT_FAMILY.label:
            self.families += 1
            own = attributes.get("id", "").translate({ord(c): "%00" for c in "%/.:=#"})
            if self.families == 1 and len(own.encode()) > _ROOT_ID:
                raise Unreadable("too_long_key")
        self.seen.labels[name] += 1
        if (above, name) in _PATTERNS:
            self.seen.patterns[_PATTERNS[above, name]] += 1
        under_family = name == TAB.label and (above == PRODUCT_FAMILY.label or (above == TAB.label and in_family))
        if under_family and above == TAB.label:
            self.seen.patterns[HAS_TAB.name] += 1
        self.open.append((name, under_family, [0]))
        if name == ATTRIBUTE.label:
            self.seen.pairs.add((attributes.get("type", ""), attributes.get("value", "")))
        else:
            self.seen.names.add(attributes.get("name", ""))

    def doctype(self, *_: object) -> None:
        """A document type."""
        raise Unreadable("doctype")
