"""Abbreviating runs of Attributes changes nothing: not what is found in a document, not whether it is refused."""

import random
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from parsed import MAPPING, family, pieces_of

from sample_data.generate import Spec, configurations, stream
from transform.abbreviate import Abbreviator
from transform.collected import Rows
from transform.documents import Undeclared, decode_document
from transform.frames import Framer
from transform.kinds import read_kinds
from transform.parse import DocumentParser, Faulty, Flattener
from transform.rejects import Refused


class Sink:
    def __init__(self) -> None:
        self.rows = Rows()

    def relieve(self, target: Flattener) -> None:
        pass


def found(document: bytes, piece: int, *, as_it_is: bool) -> object:
    """All frames of a document, or why it is refused."""
    sink = Sink()
    parser = DocumentParser(read_kinds(MAPPING), sink)
    try:
        parser.parse(1, decode_document(pieces_of(document, piece)), as_it_is=as_it_is)
    except Undeclared:
        return "undeclared"
    except Faulty:
        # It will be read again as it is, for the reason: there must be one, unless all that was wrong is a prefix that
        # is not declared.
        plain = found(document, piece, as_it_is=True)
        assert plain in ("not_well_formed", "no_family") or b"<c:" in document
        return plain
    except Refused as refused:
        return refused.reason.value
    return {name: frame.rows() for name, frame in Framer().frame(sink.rows, []).items()}


def sample_documents() -> Iterator[bytes]:
    for made in stream(Spec(6, 21, "mixed", bulk=0.2, giant_text=0)):
        for configuration in configurations(made):
            yield configuration.document.render() or b""


DOCUMENTS = sorted({document for document in sample_documents() if len(document) < 60_000}, key=len)
A = '<Attribute type="a" value="b"/>'
FRAGMENTS = [
    A, A * 3, f"{A}\n {A}", '<Attribute type="a" value="b">', "</Attribute>", '<Attribute type="a" value="b" />',
    '<Attribute value="b" type="a"/>', "<Attribute type='a' value='b'/>", '<Attribute type="a" value=">"/>',
    '<Attribute type="-->" value="?>"/>', '<Attribute type="]]>" value="b"/>', '<Attribute type="a&amp;" value="b"/>',
    '<Attribute type="a" value="\n"/>', '<Attribute type="\x01" value="b"/>', '<Attribute type="\ufffe" value="b"/>',
    '<Attribute type="a" type="b"/>', '<Attribute type="" value=""/>', '<Attribute type="a" value="b"/', "<!--", "-->",
    "<![CDATA[", "]]>", "<?pi ", "?>", '"', "'", "<", ">", "&", "/>", "<Tab>", "</Tab>", '<Parameter id="p">',
    "</Parameter>", '<ParameterValue id="v"/>', "<c:Attribute type=\"a\" value=\"b\"/>", '<X y="', "<!DOCTYPE x>",
]  # fmt: skip


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=8), st.sampled_from([1 << 18, 40, 7]))
def test_any_sequence_of_fragments(fragments: list[str], piece: int) -> None:
    document = family(f'<Tab id="t">{"".join(fragments)}</Tab>').encode()
    assert found(document, piece, as_it_is=False) == found(document, piece, as_it_is=True)


@pytest.mark.parametrize("seed", range(6))
def test_mutated_documents(seed: int) -> None:
    rng = random.Random(seed)
    wrong = 0
    for _ in range(60):
        document = bytearray(rng.choice(DOCUMENTS))
        for _ in range(rng.randrange(3)):
            place = rng.randrange(len(document) + 1)
            match rng.randrange(4):
                case 0:
                    document[place : place + 1] = bytes([rng.randrange(256)])
                case 1:
                    document[place : place + rng.randrange(40)] = b""
                case 2:
                    document[place:place] = rng.choice(FRAGMENTS).encode()
                case 3:
                    document[place:place] = document[place : place + rng.randrange(200)]
        # Cut now and then in the middle of a run.
        piece = rng.choice([1 << 18, 1 << 18, 300])
        plain = found(bytes(document), piece, as_it_is=True)
        wrong += isinstance(plain, str)
        assert found(bytes(document), piece, as_it_is=False) == plain
    assert 0 < wrong < 60


def test_runs_are_really_abbreviated() -> None:
    abbreviator = Abbreviator(read_kinds(MAPPING))
    abbreviator.begin()
    document = family(A * 200).encode()
    short = abbreviator.shorten(document)
    assert len(short) < len(document) / 20
    key = short.split(b'n="')[1].split(b'"')[0].decode()
    assert abbreviator.take(key) == (A * 200).encode()
