"""How documents are built, as `outline` and `doctor` tell it."""

from functools import partial

from parsed import MAPPING, pieces_of

from cpq_graph.site import XmlMapping
from transform.outline import Outline, outline

OTHER = XmlMapping.model_validate(
    {
        "family": {"element": "Line", "fields": {"id": "@key", "name": "Title"}},
        "tab": {"element": "Page", "fields": {"id": "@key", "name": "@nowhere"}},
        "parameter": {"element": "Feature", "fields": {"id": ["Key", "@key"]}},
        "value": {"element": "Value", "fields": {"name": ".", "measure": ["@measure", "Measure"]}},
        "attribute": {"element": "Mark", "fields": {"type": "@type", "value": "Value"}},
    }
)
DOCUMENT = (
    "<c:File xmlns:c='urn:c'><Line key='a'><Title>Mode P</Title><Line key='b'/><Page key='t'><Page key='u'>"
    "<Feature key='p'><Mark type='ext_id'><Value>pituus</Value></Mark><Value measure='57'>57 mm</Value></Feature>"
    "</Page></Page>"
    "<Page key='v'><Feature><Key>q</Key><Value>\n<Measure>58</Measure>58 mm</Value></Feature></Page></Line></c:File>"
)


def look(*documents: str | bytes, mapping: XmlMapping = OTHER) -> Outline:
    data = [text.encode() if isinstance(text, str) else text for text in documents]
    return outline([partial(pieces_of, each, 9) for each in data], mapping)


def test_what_a_mapping_finds() -> None:
    looked = look(DOCUMENT, DOCUMENT)
    found = {entry: looked.found(entry) for entry in OTHER.by_entry}
    assert {entry: each.elements for entry, each in found.items()} == {
        "family": 4, "tab": 6, "parameter": 4, "value": 4, "attribute": 2,
    }  # fmt: skip
    times = {f"{e}.{name}": place.times for e, each in found.items() for name, place in each.fields.items()}
    assert times == {
        "family.id": 4, "family.name": 2, "tab.id": 6, "tab.name": 0, "parameter.id": 4, "value.name": 4,
        "value.measure": 4, "attribute.type": 2, "attribute.value": 2,
    }  # fmt: skip
    assert set(found["value"].fields["measure"].examples) == {"57", "58"}
    assert set(found["attribute"].fields["type"].examples) == {"ext_id"}


def test_the_tree_is_small_and_says_what_each_element_is() -> None:
    looked = look(DOCUMENT, DOCUMENT.replace("<Page", "<Box><Page").replace("</Page>", "</Page></Box>"))
    rows = [(depth, s.name, s.times, s.entry or s.text_of) for depth, s in looked.root.walk(-1)][1:]
    assert rows[:6] == [
        (0, "File", 2, None), (1, "Line", 4, "family"), (2, "Title", 2, "family.name"), (2, "Page", 3, "tab"),
        (3, "Feature", 2, "parameter"), (4, "Mark", 1, "attribute"),
    ]  # fmt: skip
    assert (5, "Value", 1, "attribute.value") in rows
    assert (4, "Value", 2, "value") in rows


def test_a_tree_does_not_grow_with_nesting_and_keeps_apart_what_is_called_alike() -> None:
    nested = "<A><As>" * 100 + "<B>1<C><B>2</B></C></B>" + "</As></A>" * 100
    looked = look(nested, "<A>" * 200 + "</A>" * 200)
    rows = [(depth, shape.name, shape.times) for depth, shape in looked.root.walk(-1)][1:]
    assert rows == [
        (0, "A", 201), (1, "As", 100), (2, "A", 99), (2, "B", 1), (3, "C", 1), (4, "B", 1),
    ]  # fmt: skip


def test_documents_that_cannot_be_read_are_told_and_leave_no_trace() -> None:
    looked = look(
        DOCUMENT[:-9], "<!DOCTYPE a><a/>", b"", b"<?xml version='1.0' encoding='x-none'?><a/>", "<a>" * 300, DOCUMENT,
        b"<b>\xe4</b>",
    )  # fmt: skip
    assert looked.documents == 7
    assert looked.faults == {
        "not_well_formed": 1, "doctype": 1, "empty_document": 1, "lying_encoding": 1, "too_deep": 1,
    }  # fmt: skip
    assert set(looked.root.children) == {"File", "b"}
    assert list(looked.root.children["b"].text.examples) == ["ä"]
    assert looked.found("family").elements == 2


def test_a_mapping_of_another_site_finds_nothing() -> None:
    looked = look(DOCUMENT, mapping=MAPPING)
    assert {entry: looked.found(entry).elements for entry in MAPPING.by_entry} == dict.fromkeys(MAPPING.by_entry, 0)
