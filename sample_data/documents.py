"""Configurations as XML files: the mapped elements in a dialect, buried in what is of no interest.

Arrives: `Document`, element trees and how the file is written. Leaves: its bytes, always the same for one document.
"""

import gzip
import random
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from xml.sax.saxutils import escape

from cpq_graph.model import ATTRIBUTE, PARAMETER, PRODUCT_FAMILY, TAB
from sample_data.dialects import CPQ, Dialect
from sample_data.elements import Attr, Element
from sample_data.reasons import Reason

# What stands in the way of an attribute's text surviving a parser, and an element's.
_ESCAPES = {'"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
_TEXT_ESCAPES = {"\r": "&#13;"}


class Form(StrEnum):
    """How the text becomes bytes: encoding, byte-order mark, what the declaration says."""

    UTF_8 = "utf-8"
    UTF_8_BOM = "utf-8 with mark"
    UNDECLARED = "utf-8 without declaration"
    UTF_16_LE = "utf-16-le with mark"
    UTF_16_BE = "utf-16-be with mark"
    UTF_16_LE_BARE = "utf-16-le without mark"
    LATIN_1 = "iso-8859-1"
    WINDOWS = "windows-1252"
    WINDOWS_UNDECLARED = "windows-1252 without declaration"


# How often each occurs; WINDOWS_UNDECLARED, which XML does not allow, is among the defects.
FORM_WEIGHTS = {
    Form.UTF_8: 60,
    Form.UTF_8_BOM: 8,
    Form.UNDECLARED: 6,
    Form.UTF_16_LE: 6,
    Form.UTF_16_BE: 4,
    Form.UTF_16_LE_BARE: 2,
    Form.LATIN_1: 8,
    Form.WINDOWS: 6,
}

# (declared, codec, mark)
_FORMS: dict[Form, tuple[str, str, bytes]] = {
    Form.UTF_8: ("UTF-8", "utf-8", b""),
    Form.UTF_8_BOM: ("utf-8", "utf-8", b"\xef\xbb\xbf"),
    Form.UNDECLARED: ("", "utf-8", b""),
    Form.UTF_16_LE: ("UTF-16", "utf-16-le", b"\xff\xfe"),
    Form.UTF_16_BE: ("UTF-16", "utf-16-be", b"\xfe\xff"),
    Form.UTF_16_LE_BARE: ("UTF-16LE", "utf-16-le", b""),
    Form.LATIN_1: ("ISO-8859-1", "iso-8859-1", b""),
    Form.WINDOWS: ("windows-1252", "windows-1252", b""),
    Form.WINDOWS_UNDECLARED: ("", "windows-1252", b""),
}


_CONTROL_REFERENCES = {code: f"&#{code};" for code in range(0x80, 0xA0)}


@dataclass(slots=True)
class Document:
    """A configuration as stored. `bulk` is how many bytes of no interest there are to one of interest. A `trouble`
    makes it a document of which nothing can be read; `turn` varies in which way."""

    roots: list[Element]
    form: Form = Form.UTF_8
    zipped: bool = False
    layout: int = 0
    bulk: float = 1.0
    trouble: Reason | None = None
    turn: int = 0
    giant_text: int = 0

    def render(self, dialect: Dialect = CPQ) -> bytes | None:
        """The bytes of the file; None where the row holds NULL."""
        text = "".join(self._lines(dialect))
        match self.trouble:
            case Reason.NULL_DOCUMENT:
                return None
            case Reason.EMPTY_DOCUMENT:
                return (b"", b"\xef\xbb\xbf", b" \n", gzip.compress(b"", mtime=0))[self.turn % 4]
            case Reason.NOT_WELL_FORMED:
                text = self._broken(text)
            case Reason.TOO_DEEP:
                depth = (300, 5_000)[self.turn % 2]
                element = ("Group", dialect.element(TAB.label))[self.turn // 2 % 2]
                text = text.replace("</Layout>", "</Layout>" + f"<{element}>" * depth + f"</{element}>" * depth, 1)
            case Reason.LYING_ENCODING:
                return self._lying(text)
        if self.trouble is Reason.DOCTYPE:
            data = self._encoded(text, _DOCTYPES[self.turn % len(_DOCTYPES)].replace("Configuration", dialect.root))
        else:
            data = self._encoded(text)
        if self.trouble is Reason.DAMAGED_GZIP:
            data = gzip.compress(data, mtime=0)
            middle = len(data) // 2
            return (data[:middle], data[:-8] + bytes(8), data[:20] + b"\xff" * 40 + data[60:])[self.turn % 3]
        return gzip.compress(data, mtime=0) if self.zipped else data

    def _encoded(self, text: str, doctype: str = "") -> bytes:
        declared, codec, mark = _FORMS[self.form]
        head = f'<?xml version="1.0" encoding="{declared}"?>\n' if declared else ""
        if self.form is Form.LATIN_1:
            # As bytes they would be taken for windows-1252, which calls itself ISO-8859-1 often enough.
            text = text.translate(_CONTROL_REFERENCES)
        return mark + (head + doctype + text).encode(codec, "xmlcharrefreplace")

    def _broken(self, text: str) -> str:
        """The text cut short, or with one thing in it that XML forbids."""
        middle = text.index("</Layout>")
        wrongs = (
            text[: len(text) * 3 // 5],
            text[:middle] + "</Mismatch>" + text[middle:],
            text[:middle] + "\x00" + text[middle:],
            text[:middle] + "&#1;" + text[middle:],
            text[:middle] + "\x0b" + text[middle:],
            text[:middle] + "&undefined;" + text[middle:],
            text + "<Second/>",
            text[:middle] + "<Twice a='1' a='2'/>" + text[middle:],
            text[:middle] + "AT&T" + text[middle:],
        )
        return wrongs[self.turn % len(wrongs)]

    def _lying(self, text: str) -> bytes:
        """Bytes that are not in the encoding that the file says."""
        text = text.replace("</Layout>", "väärä merkistö</Layout>", 1)
        declared = '<?xml version="1.0" encoding="{}"?>\n'
        lies = (
            (declared.format("UTF-8") + text).encode("iso-8859-1", "xmlcharrefreplace"),
            b"\xef\xbb\xbf" + (declared.format("UTF-8") + text).encode("windows-1252", "xmlcharrefreplace"),
            (declared.format("UTF-16") + text).encode(),
            (declared.format("x-no-such-encoding") + text).encode(),
            (declared.format("ISO-8859-1") + text).encode(),
            (declared.format("ISO-8859-1") + text.replace("merkistö", "– merkistö", 1)).encode(
                "windows-1252", "xmlcharrefreplace"
            ),
        )
        return lies[self.turn % len(lies)]

    def _lines(self, dialect: Dialect) -> Iterator[str]:
        rng = random.Random(self.layout)
        prefix = "c:" if self.layout % 7 == 3 else ""
        namespace = {3: f' xmlns:c="{dialect.namespace}"', 5: f' xmlns="{dialect.namespace}"'}.get(self.layout % 7, "")
        writer = _Writer(dialect, prefix, wrapped=self.layout % 3 == 0, turn=self.layout)
        if self.trouble is not Reason.NO_FAMILY:
            for root in self.roots:
                writer.write(root)
        text = "".join(writer.out)
        wanted = int(len(text) * self.bulk)
        family, tab = dialect.element(PRODUCT_FAMILY.label), dialect.element(TAB.label)
        yield f"<{dialect.root}{namespace} created-by='configurator'>\n"
        yield f"<!-- <{family} id='never'> --><?layout <{tab}/> ?><Layout>12 x 4</Layout>\n"
        if self.giant_text:
            yield f"<Preview>{'iVBORw0K' * (self.giant_text // 8)}</Preview>\n"
        yield from _bulk(rng, wanted // 2)
        yield text
        yield from _bulk(rng, wanted - wanted // 2)
        yield f"<Snippet><![CDATA[<{family} id='never'/>]]></Snippet></{dialect.root}>\n"


@dataclass(slots=True)
class _Writer:
    """Writes elements into `out`. `wrapped` puts parameters into an element of no meaning, as some screens do; `turn`
    varies where fields are."""

    dialect: Dialect
    prefix: str
    wrapped: bool
    turn: int
    out: list[str] = field(default_factory=list)

    def write(self, element: Element) -> None:
        """Appends the element's XML."""
        label, out = element.node.label, self.out
        tag = self.prefix + self.dialect.element(label)
        attributes, texts, later = self._fields(label, element.raw)
        out.append(f"<{tag}{attributes}>{texts}")
        out.extend(f'<Option name="{escape(c.names[0], _ESCAPES)}" list_price="12.50"/>' for c in element.options)
        for child in element.children:
            if isinstance(child, Attr):
                self._write_attr(child)
            elif self.wrapped and child.node is PARAMETER:
                out.append("<Row>")
                self.write(child)
                out.append("</Row>\n")
            else:
                self.write(child)
        out.append(f"{later}</{tag}>\n")

    def _write_attr(self, attr: Attr) -> None:
        tag = self.prefix + self.dialect.element(ATTRIBUTE.label)
        raw = {n: v for n, v in (("type", attr.type), ("value", attr.value)) if v is not None}
        attributes, texts, later = self._fields(ATTRIBUTE.label, raw)
        if attr.inner is None and not texts + later:
            self.out.append(f"<{tag}{attributes}/>")
            return
        # Where nothing may be, a field that comes behind it is lost.
        self.out.append(f"<{tag}{attributes}>{texts}{later}")
        if attr.inner is not None:
            self._write_attr(attr.inner)
        self.out.append(f"</{tag}>")

    def _fields(self, label: str, raw: dict[str, str]) -> tuple[str, str, str]:
        """The fields as XML attributes, as texts at the beginning, and as texts at the end."""
        attributes, texts, later = "", "", ""
        for name, value in raw.items():
            place = self.dialect.place(label, name, self.turn)
            if place.startswith("@"):
                attributes += f' {place[1:]}="{escape(value, _ESCAPES)}"'
                continue
            text = escape(value, _TEXT_ESCAPES)
            if place != ".":
                text = f"<{self.prefix}{place}>{text}</{self.prefix}{place}>"
            if name != "id" and place != "." and self.dialect.trailing and self.turn % 2:
                later += text
            else:
                texts += text
        return attributes, texts, later


_IMAGES = tuple(b64encode(random.Random(f"bulk {n}").randbytes(1_500)).decode() for n in range(12))
_WORDS = ("valaisin", "runko", "asennus", "ljusarmatur", "kaapeli", "light", "screen", "peruuta", "größe", "väri")


def _bulk(rng: random.Random, size: int) -> Iterator[str]:
    """About so many characters of what nobody asks for. Few distinct images, so that samples compress."""
    while size > 0:
        if rng.random() < 0.4:
            piece = f"<Image encoding='base64'>{rng.choice(_IMAGES)}</Image>\n"
        else:
            words, language = " ".join(rng.choices(_WORDS, k=12)), rng.choice(("fi", "sv", "en", "de"))
            piece = f"<Translation lang='{language}' value='{words}'><Price>9</Price></Translation>\n"
        yield piece
        size -= len(piece)


_DOCTYPES = (
    "<!DOCTYPE Configuration>\n",
    '<!DOCTYPE Configuration [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">'
    '<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;">]>\n',
    '<!DOCTYPE Configuration [<!ENTITY secret SYSTEM "file:///etc/hostname">]>\n',
    '<!DOCTYPE Configuration SYSTEM "http://127.0.0.1:9/configuration.dtd">\n',
    '<!DOCTYPE Configuration [<!ATTLIST Configuration kind CDATA "added">]>\n',
)
