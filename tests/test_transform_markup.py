"""Markup that never ends is refused in little memory, and all else comes through unchanged, however it is cut."""

import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import etree
from parsed import graph_of, rejects_of

from cpq_graph.settings import CHECKOUT
from transform import markup, parse
from transform.markup import bounded
from transform.rejects import Reason, Refused

TOKENS = ("<a>", "</a>", "<!-- x -->", "<!-- <a> ->-->", "<![CDATA[ <b> ]] > ä ]]]>", "<![CDATA[]]>", "<?p <a> ?? > ?>",
          "<b c='>\"' d=\"'>--&gt;\"/>", "text ä € 𝒜", "]]", "-->", "<b/>", "&lt;", "?>",
          "<![CDATA[ä𝒜]]]]>", "<!-->", "<?>", "<!---->")  # fmt: skip


def cut(document: bytes, rng: random.Random, size: int) -> Iterator[bytes]:
    while document:
        at = rng.randint(1, size)
        yield document[:at]
        document = document[at:]


def canonical(document: bytes) -> bytes | None:
    try:
        return bytes(etree.tostring(etree.fromstring(document), method="c14n"))
    except etree.XMLSyntaxError:
        return None


def test_a_document_stays_what_it_is_however_it_is_cut() -> None:
    rng = random.Random(1)
    good = 0
    for number in range(3000):
        document = f"<r>{''.join(rng.choices(TOKENS, k=rng.randint(1, 12)))}</r>".encode()
        through = b"".join(bounded(cut(document, rng, 3 + number % 12)))
        assert canonical(through) == canonical(document)
        good += canonical(document) is not None
    assert good > 500


@pytest.mark.parametrize(
    ("before", "filler", "after", "refused"),
    [
        ("<C a='", "x", "'/>", True),
        ('<C a="', "'>", '"/>', True),
        ("<C ", " ", "/>", True),
        ("<C", "c", "/>", True),
        ("<C><!--", "> <", "--></C>", True),
        ("<C><?p ", "> <", "?></C>", True),
        ("<!DOCTYPE C '", "x", "'><C/>", True),
        ("<C><![CDATA[", "]] > <!-- ä", "]]></C>", False),
        ("<C>", "text ä ", "</C>", False),
        ("<C>", "<a b='c'/>", "</C>", False),
        ("<C>", "<!-- x --><?p x?><![CDATA[x]]>", "</C>", False),
    ],
)
@pytest.mark.parametrize("piece", [7, 100, 2_000])
def test_only_one_long_piece_of_markup_is_refused(
    before: str, filler: str, after: str, refused: bool, piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(markup, "MARKUP_BYTES_MAX", 3000)
    document = (before + filler * (6000 // len(filler)) + after).encode()
    pieces = (document[at : at + piece] for at in range(0, len(document), piece))
    if refused:
        with pytest.raises(Refused) as error:
            list(bounded(pieces))
        assert error.value.reason is Reason.TOO_LARGE
    else:
        assert canonical(b"".join(bounded(pieces))) == canonical(document)


def test_a_tag_of_many_attributes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markup, "TAG_ATTRIBUTES_MAX", 50)
    document = ("<C " + " ".join(f"a{n}=''" for n in range(100)) + "/>").encode()
    with pytest.raises(Refused):
        list(bounded(document[at : at + 40] for at in range(0, len(document), 40)))


@pytest.mark.parametrize(
    "child", ['<Tab id="{}"/>', '<Attribute type="a" value="{}"/>', "<Attribute type='a' value='{}'/>"]
)
def test_endless_children_are_refused(child: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parse, "CHILDREN_MAX", 100)
    documents = {
        str(count): f"<ProductFamily id='f'>{''.join(child.format(n) for n in range(count))}</ProductFamily>".encode()
        for count in (100, 101)
    }
    assert rejects_of(graph_of(documents, tmp_path)) == [("too_large", "rejected", "")]


def test_a_prefix_that_nobody_declared_is_ignored_but_hides_nothing(tmp_path: Path) -> None:
    whole = "<C><x:ProductFamily id='f'/></C>"
    bad = (whole + "<C/>", whole + "junk", whole[:-3], whole + "\x00", "<C><x:ProductFamily id='f'/>&#1;</C>")
    found = {"good": whole} | {f"bad {number}": document for number, document in enumerate(bad)}
    graph = graph_of({key: document.encode() for key, document in found.items()}, tmp_path)
    assert graph.nodes["ProductFamily"].collect()["id"].to_list() == ["good/f"]
    assert graph.reasons["rejected"] == {"not_well_formed": len(bad)}


MEASURED = """
import sys
from pathlib import Path
sys.path.insert(0, "tests")
from bench.parse import peak_megabytes
from parsed import MAPPING
from transform.parts import parse_part
before, filler, after, megabytes = sys.argv[2:]
def document():
    yield b"<C><ProductFamily id='f'/>" + before.encode()
    for _ in range(int(megabytes)):
        yield filler.encode() * ((1 << 20) // len(filler.encode()))
    yield after.encode() + b"</C>"
result = parse_part([("0" * 64, document)], MAPPING, Path(sys.argv[1]))
print(result.refused, round(peak_megabytes()))
"""


@pytest.mark.parametrize(
    ("before", "filler", "after", "refused"),
    [("<X a='", "x", "'/>", 1), ("<X><![CDATA[", "ä]]", "]]></X>", 0), ("<X>", "iVBORw0K", "</X>", 0)],
)
def test_peak_memory_with_120_megabytes_of_one_thing(
    before: str, filler: str, after: str, refused: int, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", MEASURED, str(tmp_path), before, filler, after, "120"]
    done = subprocess.run(command, cwd=CHECKOUT, check=True, capture_output=True, text=True)
    found, peak = map(int, done.stdout.split())
    assert found == refused
    assert peak < 200
