"""One graph, however a site's XML writes it: fields as XML attributes, texts of children, or the element's own text."""

from pathlib import Path

import pytest
from nasty import QUOTED_FOLDER
from parsed import graph_of, rejects_of

from cpq_graph.model import ATTRIBUTE, PARAMETER, PARAMETER_VALUE, PRODUCT_FAMILY
from cpq_graph.site import ElementMapping, XmlMapping


def mapping(**fields: dict[str, tuple[str, ...]]) -> XmlMapping:
    """A mapping whose value has these fields, if given, and whose attribute has."""
    value = {"id": ("@key",), "name": ("@name",), "measure": ("@measure",)} | fields.get("value", {})
    return XmlMapping(
        family=ElementMapping(element=("Line",), fields={"id": ("@key",), "name": ("@name",)}),
        tab=ElementMapping(element=("Page",), fields={"id": ("@key",)}),
        parameter=ElementMapping(element=("Feature",), fields={"id": ("@key",)} | fields.get("parameter", {})),
        value=ElementMapping(element=("Value",), fields=value),
        attribute=ElementMapping(
            element=("Mark",), fields={"type": ("@type",), "value": ("@value",)} | fields.get("attribute", {})
        ),
    )


def document(value: str, mark: str = "") -> bytes:
    """A family with one parameter with these."""
    return f"<Line key='f'><Page key='t'><Feature key='p'>{mark}{value}</Feature></Page></Line>".encode()


def value_of(tmp_path: Path, how: XmlMapping, text: str) -> dict[str, str | None]:
    """Name and measure of the value as it is loaded."""
    graph = graph_of({"P": document(text)}, tmp_path, how, piece=7)
    assert rejects_of(graph) == []
    (row,) = graph.nodes[PARAMETER_VALUE.label].select("id", "name", "measure").collect().rows(named=True)
    assert row.pop("id") == "P/f.t:p=v"
    return row


MEASURES = {
    "<Value key='v' name='57 mm' measure='57'/>": "57",
    "<Value key='v' name='57 mm'><Measure>57</Measure></Value>": "57",
    "<Value key='v' name='57 mm' measure='57'><Measure>58</Measure></Value>": "first",
    "<Value key='v' name='57 mm'><Measure>58</Measure><Measure>59</Measure></Value>": "58",
    "<Value key='v' name='57 mm'><Size><Measure>58</Measure></Size></Value>": None,
    "<Value key='v' name='57 mm'/>": None,
    "<c:Value xmlns:c='urn:c' key='v' name='57 mm'><c:Measure> 57 mm\n</c:Measure></c:Value>": "57",
}


@pytest.mark.parametrize("places", [("@measure", "Measure"), ("Measure", "@measure")])
@pytest.mark.parametrize("text", MEASURES)
def test_places_are_tried_in_their_order(tmp_path: Path, text: str, places: tuple[str, ...]) -> None:
    expected = MEASURES[text]
    if expected == "first":
        expected = "57" if places[0] == "@measure" else "58"
    found = value_of(tmp_path, mapping(value={"measure": places}), text)
    assert found == {"name": "57 mm", "measure": expected}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("<Value key='v'>57 mm</Value>", "57 mm"),
        ("<Value key='v'> 57 &amp; more </Value>", " 57 & more "),
        ("<Value key='v'>57<!-- not this --> <![CDATA[<mm>]]></Value>", "57 <mm>"),
        ("<Value key='v'>\n  57 mm\n  <Measure>57</Measure>\n</Value>", "57 mm"),
        ("<Value key='v'>\n  <Measure>57</Measure>\n  57 mm\n</Value>", "57 mm"),
        ("<Value key='v'>\n  57 mm\n  <Mark type='a' value='b'/><Help>x</Help>\n</Value>", "57 mm"),
        ("<Value key='v'/>", ""),
    ],
)
def test_a_field_may_be_the_element_s_own_text(tmp_path: Path, text: str, name: str) -> None:
    how = mapping(value={"name": (".",), "measure": ("Measure",)})
    measure = "57" if "Measure" in text else None
    assert value_of(tmp_path, how, text) == {"name": name, "measure": measure}


def test_an_attribute_s_value_as_its_own_text_as_a_child_s_or_as_an_xml_attribute(tmp_path: Path) -> None:
    marks = "<Mark type='a'>own</Mark><Mark type='b' value='x'>own</Mark><Mark type='c'><Value>child</Value></Mark>"
    how = mapping(attribute={"value": ("@value", "Value", ".")})
    # A value's element stands in an attribute as the text of a field: there it is none.
    graph = graph_of({"P": document("<Value key='v'/>", marks + "<Mark type='d'/>")}, tmp_path, how)
    assert rejects_of(graph) == []
    pairs = graph.nodes[ATTRIBUTE.label].select("type", "value").collect().rows()
    assert sorted(pairs) == [("a", "own"), ("b", "x"), ("c", "child"), ("d", "")]
    assert graph.labels[PARAMETER_VALUE.label].loaded == 1


def test_an_id_may_be_the_element_s_own_text_that_stands_first(tmp_path: Path) -> None:
    how = mapping(parameter={"id": (".",)})
    text = "<Line key='f'><Page key='t'><Feature>\n p1 <Value key='v'/> more\n</Feature></Page></Line>"
    graph = graph_of({"P": text.encode()}, tmp_path, how)
    assert graph.nodes[PARAMETER.label].collect()["id"].to_list() == ["P/f.t:p1"]


def test_what_stands_in_a_field_s_element_keeps_its_own_fields(tmp_path: Path) -> None:
    how = mapping(value={"name": ("Name",)}, parameter={"name": ("Name",)})
    text = document("", "<Name>Length <b>of</b><Value key='v'><Name>57</Name></Value> it</Name>")
    graph = graph_of({"P": text}, tmp_path, how)
    assert rejects_of(graph) == []
    assert graph.nodes[PARAMETER.label].collect()["name"].to_list() == ["Length of it"]
    assert graph.nodes[PARAMETER_VALUE.label].collect()["name"].to_list() == ["57"]


def test_a_long_own_text_is_emptied_and_takes_no_memory(tmp_path: Path) -> None:
    how = mapping(value={"name": (".",)})
    graph = graph_of({"P": document(f"<Value key='v'>{'x' * 3_000_000}</Value>")}, tmp_path, how)
    assert [entry[:2] for entry in rejects_of(graph)] == [("too_long", "emptied")]


def test_attributes_first_and_texts_then_make_one_graph(tmp_path: Path) -> None:
    """The same configuration in two ways, with both places in the list."""
    kinds = {
        "family": "id name", "tab": "id name", "parameter": "id name", "attribute": "type value",
        "value": "id name measure quantity cost",
    }  # fmt: skip
    both = XmlMapping.model_validate(
        {
            entry: {"element": entry.title(), "fields": {f: [f"@{f}", f.title()] for f in fields.split()}}
            for entry, fields in kinds.items()
        }
    )
    rows = {"id": "1", "name": "R&amp;D", "measure": "57", "quantity": "2", "cost": "1,5"}
    inline = "".join(f" {name}='{text}'" for name, text in rows.items())
    texts = "".join(f"<{name.title()}>{text}</{name.title()}>" for name, text in rows.items())
    as_attributes = (
        "<Family id='f' name='F'><Attribute type='a' value='b'/><Tab id='t' name='T'><Parameter id='p' name='P'>"
        f"<Value{inline}/></Parameter></Tab></Family>"
    )
    as_texts = (
        "<Family><Name>F</Name><Id>f</Id><Attribute><Type>a</Type><Value>b</Value></Attribute><Tab><Id>t</Id>"
        f"<Parameter><Id>p</Id><Value>{texts}</Value><Name>P</Name></Parameter><Name>T</Name></Tab></Family>"
    )
    folder = tmp_path / QUOTED_FOLDER
    graphs = [graph_of({"P": text.encode()}, folder, both) for text in (as_attributes, as_texts)]
    assert [rejects_of(graph) for graph in graphs] == [[], []]
    for label in (PRODUCT_FAMILY.label, PARAMETER.label, PARAMETER_VALUE.label, ATTRIBUTE.label):
        one, other = (graph.nodes[label].collect() for graph in graphs)
        assert one.height == 1
        assert one.drop("key", strict=False).equals(other.drop("key", strict=False)), label
