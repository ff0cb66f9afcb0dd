"""Documents hold what they were made from, whatever their encoding; the troubled ones cannot be read."""

import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from cpq_graph.model import ATTRIBUTE, MODEL, PARAMETER, PRODUCT_FAMILY, TAB
from sample_data.documents import Document, Form
from sample_data.elements import Attr, Element
from sample_data.generate import Spec, configurations, stream
from sample_data.places import walk
from sample_data.reasons import DOCUMENT_REASONS, Reason

MAPPED = {"ProductFamily", "Tab", "Parameter", "ParameterValue", "Attribute"}


def parsed(data: bytes) -> etree._Element:
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    encoding = None
    if b"<?xml" not in data.replace(b"\0", b"")[:10]:
        try:
            data.decode()
        except UnicodeDecodeError:
            encoding = "windows-1252"
    return etree.fromstring(data, etree.XMLParser(resolve_entities="internal", huge_tree=True, encoding=encoding))


def mapped(root: etree._Element) -> list[tuple[str, dict[str, str]]]:
    elements = [(etree.QName(e).localname, e) for e in root.iter("{*}*")]
    return [(name, dict(e.attrib)) for name, e in elements if name in MAPPED]


def as_made(document: Document) -> list[tuple[str, dict[str, str]]]:
    made = []
    for placed in walk(document.roots):
        element = placed.element
        if isinstance(element, Attr):
            fields = {"type": element.type, "value": element.value}
            made.append((placed.label, {n: v for n, v in fields.items() if v is not None}))
        else:
            made.append((placed.label, element.raw))
    return made


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    made = stream(Spec(100, 7, "mixed", bulk=0.2))
    return [configuration.document for offer in made for configuration in configurations(offer)]


def test_the_elements_are_called_as_the_default_mapping_says() -> None:
    assert {node.label for node in MODEL.nodes} >= MAPPED


def test_sound_documents_hold_what_they_were_made_from(documents: list[Document]) -> None:
    sound = [document for document in documents if document.trouble is None]
    assert len(sound) > 150
    for document in sound:
        data = document.render()
        assert data is not None
        assert mapped(parsed(data)) == as_made(document)


@pytest.mark.parametrize("trouble", DOCUMENT_REASONS)
@pytest.mark.parametrize("form", Form)
def test_troubled_documents_have_that_trouble(trouble: Reason, form: Form, documents: list[Document]) -> None:
    for turn in range(9):
        document = Document(documents[0].roots, form, layout=turn, trouble=trouble, turn=turn)
        data = document.render()
        match trouble:
            case Reason.NULL_DOCUMENT:
                assert data is None
            case Reason.DOCTYPE:
                assert parsed(data or b"").getroottree().docinfo.internalDTD is not None
            case Reason.NO_FAMILY:
                assert not mapped(parsed(data or b""))
            case Reason.TOO_DEEP if turn % 2 == 0:
                assert max(sum(1 for _ in e.iterancestors()) for e in parsed(data or b"").iter()) > 256
            case Reason.DAMAGED_GZIP:
                with pytest.raises((OSError, EOFError, zlib.error)):
                    gzip.decompress(data or b"")
            case Reason.LYING_ENCODING if turn % 6 in (4, 5):
                # Single-byte encodings read as anything; what comes of it is not what was written.
                assert "merkistö" in (data or b"").decode("utf-8" if turn % 6 == 4 else "windows-1252")
                assert "– merkistö" not in (data or b"").decode("iso-8859-1")
            case _:
                with pytest.raises(etree.XMLSyntaxError):
                    parsed(data or b"")


AWKWARD = ["R&D", "a\nb", "\t", "\r\n", '"', "<&>", "\u2028", "💡", "]]>"]
TEXT = st.text(st.characters(exclude_categories=("Cs", "Cn"), exclude_characters="".join(map(chr, range(32)))))


@given(
    texts=st.lists(TEXT | st.sampled_from(AWKWARD), min_size=2),
    form=st.sampled_from(Form),
    layout=st.integers(0, 20),
    zipped=st.booleans(),
)
def test_any_text_survives_any_form(texts: list[str], form: Form, layout: int, *, zipped: bool) -> None:
    texts = [text.translate({0xFFFE: "", 0xFFFF: ""}) for text in texts]
    parameter = Element(PARAMETER, {"id": "1", "name": texts[0]}, {})
    tab = Element(TAB, {"id": "1", "name": "Tab"}, {}, [Attr(texts[0], text) for text in texts] + [parameter])
    root = Element(PRODUCT_FAMILY, {"name": texts[1]}, {}, [tab, Attr("only", None)])
    document = Document([root], form, zipped, layout)
    data = document.render()
    assert data is not None
    assert mapped(parsed(data)) == as_made(document)
    assert any(name == ATTRIBUTE.label for name, _ in as_made(document))
    assert data == document.render()
