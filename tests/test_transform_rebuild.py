"""From the graph alone each document's hierarchy can be rebuilt, in document order: over generated documents."""

import tempfile
from pathlib import Path
from xml.sax.saxutils import quoteattr

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from parsed import graph_of

from cpq_graph.model import ATTRIBUTE, PARAMETER, PARAMETER_VALUE, PRODUCT_FAMILY, TAB
from transform.rebuild import Rebuilt, rebuild

# Any character that XML 1.0 can hold.
CHARACTERS = st.characters(
    exclude_categories=("Cs",),
    exclude_characters="".join(map(chr, (*range(9), 11, 12, *range(14, 32)))) + "\ufffe\uffff",
)
TEXTS = st.one_of(
    st.text(CHARACTERS, max_size=12), st.sampled_from(["", " ", "R&D", "a<b>", "]]>", "\t\n\r", "1 234,50"])
)
# Few distinct ids, so that they repeat, and some of the marks that ids are put together with.
IDS = st.one_of(st.none(), st.sampled_from(["", "a", "b", "a#2", "#1", "a/b", ".", ":=", "%2F", "ä"]), TEXTS)
NAMES = st.one_of(st.none(), TEXTS)
# What stands around the mapped elements, and is of no interest.
NOISE = st.sampled_from(
    ["", "\n  ", "<Note/>", "text", "<!-- <Tab id='no'/> <Attribute type=\"a\" value=\"b\"/> -->",
     "<![CDATA[<Attribute type=\"a\" value=\"b\"/>]]>", "<?pi <Attribute type=\"a\" value=\"b\"/>?>",
     "<Option name='x' value=\"&lt;&#62;\"/>"]
)  # fmt: skip


class Element:
    """What a document says of an element: `rebuilt` is what the graph must give back, without ids."""

    def __init__(self, label: str, fields: dict[str, str | None], children: "list[Element]", noise: str) -> None:
        self.label = label
        self.fields = fields
        self.children = children
        self.noise = noise

    def xml(self) -> str:
        fields = "".join(f" {name}={_quoted(value)}" for name, value in self.fields.items() if value is not None)
        if not self.children and not self.noise:
            return f"<{self.label}{fields}/>"
        inner = "".join(child.xml() + self.noise for child in self.children)
        return f"<{self.label}{fields}>{self.noise}{inner}</{self.label}>"

    def said(self) -> object:
        kept = {name: value for name, value in self.fields.items() if name != "id" and value is not None}
        seen: set[tuple[str, ...]] = set()
        children = []
        for child in self.children:
            if child.label == ATTRIBUTE.label:
                pair = (child.fields["type"] or "", child.fields["value"] or "")
                if pair in seen:
                    continue
                seen.add(pair)
            children.append(child.said())
        return (self.label, tuple(sorted(kept.items())), tuple(children))


def _quoted(value: str) -> str:
    return quoteattr(value, {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def _graph_says(element: Rebuilt) -> object:
    kept = {n: v for n, v in element.properties.items() if n not in ("id", "parameterId")}
    return (element.label, tuple(sorted(kept.items())), tuple(_graph_says(child) for child in element.children))


@st.composite
def attributes(draw: st.DrawFn) -> Element:
    type_ = draw(st.one_of(st.sampled_from(["ext_id", "unit", "ä"]), TEXTS.filter(bool)))
    return Element(ATTRIBUTE.label, {"type": type_, "value": draw(TEXTS)}, [], draw(st.sampled_from(["", "\n"])))


def _mixed(draw: st.DrawFn, *kinds: "st.SearchStrategy[Element]", most: int = 4) -> list[Element]:
    return draw(st.lists(st.one_of(*kinds), max_size=most))


@st.composite
def values(draw: st.DrawFn) -> Element:
    return Element(
        PARAMETER_VALUE.label, {"id": draw(IDS), "name": draw(NAMES)}, _mixed(draw, attributes()), draw(NOISE)
    )


@st.composite
def parameters(draw: st.DrawFn) -> Element:
    children = _mixed(draw, attributes())
    if draw(st.booleans()):
        children.insert(draw(st.integers(0, len(children))), draw(values()))
    return Element(PARAMETER.label, {"id": draw(IDS), "name": draw(NAMES)}, children, draw(NOISE))


@st.composite
def tabs(draw: st.DrawFn, depth: int = 0) -> Element:
    inner = [tabs(depth + 1)] if depth < 3 else []
    children = _mixed(draw, attributes(), parameters(), *inner)
    return Element(TAB.label, {"id": draw(IDS), "name": draw(NAMES)}, children, draw(NOISE))


@st.composite
def families(draw: st.DrawFn, depth: int = 0) -> Element:
    inner = [families(depth + 1)] if depth < 2 else []
    children = _mixed(draw, attributes(), tabs(), *inner)
    fields = {"id": draw(IDS), "name": draw(NAMES), "product_code": draw(NAMES)}
    return Element(PRODUCT_FAMILY.label, fields, children, draw(NOISE))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(
    st.lists(families(), min_size=1, max_size=2),
    st.sampled_from(["utf-8", "utf-16"]),
    st.sampled_from([1 << 20, 97]),
)
def test_rebuilt_hierarchy_is_the_documents(roots: list[Element], encoding: str, piece: int) -> None:
    documents = {}
    for number, root in enumerate(roots):
        xml = root.xml()
        head = f'<?xml version="1.0" encoding="{encoding}"?>'
        documents[f"P{number}/#"] = f"{head}<Configuration>{xml}</Configuration>".encode(encoding)
    with tempfile.TemporaryDirectory() as folder:
        graph = graph_of(documents, Path(folder), piece=piece)
        assert graph.reasons["rejected"] == {}
        rebuilt = rebuild(graph.nodes, graph.relationships)
        for label, frame in graph.nodes.items():
            if label != ATTRIBUTE.label:
                assert frame.select("id").collect()["id"].is_unique().all()
    assert {product: _graph_says(found) for product, found in rebuilt.items()} == {
        product: root.said() for product, root in zip(documents, roots, strict=True)
    }
