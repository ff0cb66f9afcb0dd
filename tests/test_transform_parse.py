"""What becomes of each element of a document, and of documents that are not as they should be."""

from pathlib import Path

import polars as pl
import pytest
from parsed import MAPPING, family, graph_of, rejects_of

from cpq_graph.model import (
    ATTRIBUTE,
    HAS_TAB,
    HAS_VALUE,
    PARAMETER,
    PARAMETER_VALUE,
    PRODUCT_FAMILY,
    TAB,
    VALUE_HAS_ATTRIBUTE,
)
from cpq_graph.site import ElementMapping, XmlMapping
from transform import parts
from transform.assemble import Assembled
from transform.rejects import Outcome

VALUE = '<ParameterValue id="v" measure="57"/>'


def ids(graph: Assembled, label: str) -> list[str]:
    return sorted(graph.nodes[label].select("id").collect()["id"])


def only(document: str, tmp_path: Path) -> Assembled:
    return graph_of({"P": document.encode()}, tmp_path)


def reason(document: str | bytes, tmp_path: Path) -> str:
    """Why the whole document is refused, seen beside a good one that is loaded in any case."""
    content = document if isinstance(document, bytes) else document.encode()
    graph = graph_of({"bad": content, "good": family().encode()}, tmp_path)
    assert ids(graph, PRODUCT_FAMILY.label) == ["good/f"]
    assert graph.tables["configuration"].rejected == 1
    row = graph.rejects.filter(level="row", outcome="rejected").collect().row(0, named=True)
    assert (row["table"], row["key"], row["place"]) == ("configuration", "C-bad", "")
    return str(row["reason"])


def test_ids_say_the_place_by_own_ids(tmp_path: Path) -> None:
    document = family(
        f'<Tab id="t.1"><Parameter id="p"/><Parameter id="p">{VALUE}</Parameter><Parameter/><Parameter id=""/>'
        '<Tab id="t/2"><Parameter id="a=b"/></Tab></Tab><Row><Tab id="t.1"/></Row><ProductFamily id="f"/>'
    )
    graph = graph_of({"P:1": document.encode()}, tmp_path)
    assert ids(graph, PRODUCT_FAMILY.label) == ["P%3A1/f", "P%3A1/f/f"]
    assert ids(graph, TAB.label) == ["P%3A1/f.t%2E1", "P%3A1/f.t%2E1#2", "P%3A1/f.t%2E1.t%2F2"]
    tab = "P%3A1/f.t%2E1"
    assert ids(graph, PARAMETER.label) == sorted(
        [f"{tab}:p", f"{tab}:p#2", f"{tab}:#1", f"{tab}:#2", f"{tab}.t%2F2:a%3Db"]
    )
    assert ids(graph, PARAMETER_VALUE.label) == [f"{tab}:p#2=v"]
    assert graph.reasons[Outcome.NOTED] == {"missing_own_id": 2, "parameter_without_value": 4, "repeated_id": 2}
    tabs = graph.relationships[HAS_TAB.name].collect().rows()
    assert sorted(tabs) == [("P%3A1/f", tab, 0), ("P%3A1/f", f"{tab}#2", 1), ("P%3A1/f", f"{tab}.t%2F2", 4)]


def test_an_id_does_not_depend_on_what_else_is_there(tmp_path: Path) -> None:
    before = ids(only(family(f'<Tab id="t"><Parameter id="p">{VALUE}</Parameter></Tab>'), tmp_path / "1"), "Parameter")
    document = family(
        f'<Tab id="new"/><Note/><Tab id="t"><Parameter id="x"/><Parameter id="p">{VALUE}</Parameter></Tab>'
    )
    assert set(before) < set(ids(only(document, tmp_path / "2"), "Parameter"))


@pytest.mark.parametrize(
    ("inner", "entries"),
    [
        (
            f'<Tab id="t"><Parameter id="p">{VALUE}<ParameterValue id="w"><Attribute type="a" value="b"/>'
            "</ParameterValue></Parameter></Tab>",
            [
                ("parent_rejected", "/ProductFamily[1]/Tab[1]/Parameter[1]/ParameterValue[2]/Attribute[1]"),
                ("second_value", "/ProductFamily[1]/Tab[1]/Parameter[1]/ParameterValue[2]"),
            ],
        ),
        ('<Parameter id="p"/>', [("misplaced", "/ProductFamily[1]/Parameter[1]")]),
        (f'<Tab id="t">{VALUE}</Tab>', [("misplaced", "/ProductFamily[1]/Tab[1]/ParameterValue[1]")]),
        (
            '<Tab id="t"><ProductFamily id="x"><Tab id="y"/></ProductFamily></Tab>',
            [
                ("misplaced", "/ProductFamily[1]/Tab[1]/ProductFamily[1]"),
                ("parent_rejected", "/ProductFamily[1]/Tab[1]/ProductFamily[1]/Tab[1]"),
            ],
        ),
        (
            '<Attribute type="a" value="b"><Attribute type="c" value="d"/><Tab id="t"/></Attribute>',
            [
                ("misplaced", "/ProductFamily[1]/Attribute[1]/Attribute[1]"),
                ("misplaced", "/ProductFamily[1]/Attribute[1]/Tab[1]"),
            ],
        ),
        (
            '<Attribute type="a" value="b"><Tab id="t"><Tab id="u"/><Attribute type="c" value="d"/></Tab></Attribute>',
            [
                ("misplaced", "/ProductFamily[1]/Attribute[1]/Tab[1]"),
                ("parent_rejected", "/ProductFamily[1]/Attribute[1]/Tab[1]/Attribute[1]"),
                ("parent_rejected", "/ProductFamily[1]/Attribute[1]/Tab[1]/Tab[1]"),
            ],
        ),
        ('<Attribute value="b"/>', [("attribute_without_type", "/ProductFamily[1]/Attribute[1]")]),
        ('<Attribute type="" value="b"/>', [("attribute_without_type", "/ProductFamily[1]/Attribute[1]")]),
        ('<Attribute type="a"/>', [("attribute_without_value", "/ProductFamily[1]/Attribute[1]")]),
        (f'<Tab id="{"x" * 9000}"/>', [("too_long_key", "/ProductFamily[1]/Tab[1]")]),
        (f'<Tab id="{"ä" * 4000}"/>', [("too_long_key", "/ProductFamily[1]/Tab[1]")]),
    ],
)
def test_rejected_elements_take_what_is_in_them_along(
    inner: str, entries: list[tuple[str, str]], tmp_path: Path
) -> None:
    graph = only(family(inner), tmp_path)
    assert [(r, place) for r, outcome, place in rejects_of(graph) if outcome == "rejected"] == entries
    assert all(total.adds_up for total in (*graph.labels.values(), *graph.patterns.values()))


def test_only_the_first_root_family_hangs_on_the_product(tmp_path: Path) -> None:
    document = '<C><ProductFamily id="a"/><ProductFamily id="b"><Tab id="t"/></ProductFamily><Tab id="lost"/></C>'
    graph = only(document, tmp_path)
    assert ids(graph, PRODUCT_FAMILY.label) == ["P/a"]
    assert rejects_of(graph) == [
        ("misplaced", "rejected", "/Tab[1]"),
        ("parent_rejected", "rejected", "/ProductFamily[2]/Tab[1]"),
        ("second_family", "rejected", "/ProductFamily[2]"),
    ]
    assert graph.labels[PRODUCT_FAMILY.label].rejected == 1
    assert graph.patterns[HAS_TAB.name].rejected == 1


@pytest.mark.parametrize("rows_max", [150_000, 1])
def test_repeated_and_too_long_attributes_are_filtered(
    rows_max: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # With one row a batch, the repetition comes in another batch than the first.
    monkeypatch.setattr(parts, "ROWS_MAX", rows_max)
    long = "x" * 8001
    attributes = (
        '<Attribute type="a" value="b"/>',
        f'<Attribute type="a" value="{long}"/>',
        "<Attribute type='a' value='b'/>",
    )
    inner = f'<ParameterValue id="v">{attributes[0]}{attributes[1]}<Note/>{attributes[2]}</ParameterValue>'
    document = family(f'<Tab id="t"><Parameter id="p">{inner}</Parameter></Tab>')
    graph = graph_of({"P": document.encode()}, tmp_path, piece=50)
    place = "/ProductFamily[1]/Tab[1]/Parameter[1]/ParameterValue[1]"
    assert rejects_of(graph) == [
        ("repeated_attribute", "filtered", f"{place}/Attribute[3]"),
        ("too_long", "filtered", f"{place}/Attribute[2]"),
    ]
    pattern = graph.patterns[VALUE_HAS_ATTRIBUTE.name]
    assert (pattern.read, pattern.loaded, pattern.filtered) == (3, 1, 2)
    label = graph.labels[ATTRIBUTE.label]
    assert (label.read, label.loaded, label.filtered) == (2, 1, 1)
    assert graph.relationships[VALUE_HAS_ATTRIBUTE.name].collect()["position"].to_list() == [0]


def test_values_that_are_no_numbers_are_emptied(tmp_path: Path) -> None:
    value = '<ParameterValue id="v" name="57 W" measure="57 W" quantity="2.5" cost="1,234"/>'
    attributes = f'id="f" name="{"n" * 8001}" total_cost="1 234,50" product_code=""'
    graph = only(family(f'<Tab id="t"><Parameter id="p">{value}</Parameter></Tab>', attributes), tmp_path)
    (row,) = graph.nodes[PARAMETER_VALUE.label].collect().rows(named=True)
    assert (row["measure"], row["name"], row["quantity"], row["cost"]) == ("57", "57 W", None, None)
    (root,) = graph.nodes[PRODUCT_FAMILY.label].collect().rows(named=True)
    assert (root["name"], root["total_cost"], root["product_code"]) == (None, 1234.5, "")
    place = "/ProductFamily[1]/Tab[1]/Parameter[1]/ParameterValue[1]"
    assert rejects_of(graph) == [
        ("ambiguous_number", "emptied", f"{place}/@cost"),
        ("bad_number", "emptied", f"{place}/@quantity"),
        ("too_long", "emptied", "/ProductFamily[1]/@name"),
    ]


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ("", "empty_document"),
        ("<C>", "not_well_formed"),
        (family()[:-3], "not_well_formed"),
        (family() + "<Second/>", "not_well_formed"),
        (family("&unknown;"), "not_well_formed"),
        (family("\x00"), "not_well_formed"),
        (family("&#1;"), "not_well_formed"),
        (family("<X a='1' a='2'/>"), "not_well_formed"),
        ("<C/>", "no_family"),
        ("<Attribute type='a' value='b'/>", "no_family"),
        ('<Attribute type="a" value="b"/>', "no_family"),
        ('<Attribute type="a" value="b"/><Attribute type="a" value="b"/>', "not_well_formed"),
        ("<!DOCTYPE C>" + family(), "doctype"),
        ('<!DOCTYPE C [<!ENTITY a "x">]>' + family("&a;"), "doctype"),
        ('<!DOCTYPE C [<!ENTITY a SYSTEM "file:///etc/passwd">]>' + family("&a;"), "doctype"),
        ('<!DOCTYPE C SYSTEM "http://127.0.0.1:9/c.dtd">' + family(), "doctype"),
        (family("<Group>" * 255 + "</Group>" * 255), "too_deep"),
        (family("<Tab>" * 255 + "</Tab>" * 255), "too_deep"),
        (family("<Tab>" * 253 + "<Attribute type='a' value='b'/>" + "</Tab>" * 253), None),
        (family("<Tab>" * 254 + '<Attribute type="a" value="b"/>' + "</Tab>" * 254), "too_deep"),
        (family("<X>" * 5000), "too_deep"),
        (family("", f'id="{"i" * 9000}"'), "too_long_key"),
    ],
)
def test_documents_that_are_refused(document: str, expected: str | None, tmp_path: Path) -> None:
    if expected is None:
        assert only(document, tmp_path).tables["configuration"].rejected == 0
    else:
        assert reason(document, tmp_path) == expected


def test_a_fault_is_said_to_be_where_it_is(tmp_path: Path) -> None:
    run = '<Attribute type="a" value="b"/>\n' * 20
    graph = only(family(f"{run}<X></Y>"), tmp_path)
    assert "line 21" in graph.rejects.collect()["sample"][0]


def test_no_entity_is_expanded_and_no_file_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("canary")
    document = f'<!DOCTYPE C [<!ENTITY a SYSTEM "{secret.as_uri()}">]>' + family(attributes='id="f" name="&a;"')
    graph = graph_of({"P": document.encode(), "Q": family("&lt;", 'id="f" name="R&amp;D"').encode()}, tmp_path / "data")
    assert graph.nodes[PRODUCT_FAMILY.label].collect()["name"].to_list() == ["R&D"]
    assert "canary" not in str(graph.rejects.collect().rows())


def test_long_texts_are_skipped_and_long_values_emptied(tmp_path: Path) -> None:
    value = f'<ParameterValue id="v" name="{"n" * 1_000_001}"/>'
    document = family(f'<Image>{"iVBORw0K" * 1_500_000}</Image><Tab id="t"><Parameter id="p">{value}</Parameter></Tab>')
    graph = only(document, tmp_path)
    assert rejects_of(graph)[0][:2] == ("too_long", "emptied")
    assert graph.patterns[HAS_VALUE.name].loaded == 1


def test_names_are_local_names(tmp_path: Path) -> None:
    document = (
        '<c:C xmlns:c="urn:c"><c:ProductFamily id="f"><c:Tab id="t"><c:Attribute type="a" value="b"/>'
        '<c:Attribute type="a" value="b"/></c:Tab></c:ProductFamily></c:C>'
    )
    default = (
        '<C xmlns="urn:c"><ProductFamily id="f"><Tab id="t"><Attribute type="a" value="b"/></Tab></ProductFamily></C>'
    )
    graph = graph_of({"P": document.encode(), "Q": default.encode()}, tmp_path)
    assert ids(graph, TAB.label) == ["P/f.t", "Q/f.t"]
    assert graph.labels[ATTRIBUTE.label].loaded == 1


OTHER = XmlMapping(
    family=ElementMapping(
        element=("Line",), fields={"id": ("Key",), "name": ("Title", "@title"), "total_cost": ("Cost",)}
    ),
    tab=ElementMapping(element=("Page", "Sheet"), fields={"id": ("@key",), "name": ("@title",)}),
    parameter=ElementMapping(element=("Feature",), fields={"id": ("@key",), "name": ("Title",)}),
    value=ElementMapping(
        element=("Choice",), fields={"id": ("@key",), "name": ("Text",), "measure": ("Measure",), "quantity": ("",)}
    ),
    attribute=ElementMapping(element=("Mark", "Flag"), fields={"type": ("@kind",), "value": ("Says", "@says")}),
)


def test_another_mapping_with_fields_in_texts(tmp_path: Path) -> None:
    document = (
        "<X><Line title='no'><Key>f</Key><Title>Mode<!-- x --> <![CDATA[P & Q]]></Title><Cost>1 234,50</Cost>"
        "<Page key='a'><Mark kind='k'><Says>v</Says></Mark><Flag kind='k' says='w'/><Sheet key='b'>"
        "<Feature key='p'><Choice key='v'><Other><Text>not this</Text></Other><Text>57 W</Text><Measure>57 W</Measure>"
        "</Choice><Title>Teho</Title></Feature></Sheet></Page></Line></X>"
    )
    graph = graph_of({"P": document.encode()}, tmp_path, OTHER, piece=11)
    assert rejects_of(graph) == []
    (root,) = graph.nodes[PRODUCT_FAMILY.label].collect().rows(named=True)
    assert root == {"id": "P/f", "name": "Mode P & Q", "product_code": None, "total_cost": 1234.5}
    (parameter,) = graph.nodes[PARAMETER.label].collect().rows(named=True)
    assert parameter == {"id": "P/f.a.b:p", "name": "Teho"}
    (value,) = graph.nodes[PARAMETER_VALUE.label].collect().rows(named=True)
    assert (value["name"], value["measure"], value["parameterId"]) == ("57 W", "57", "p")
    pairs = graph.nodes[ATTRIBUTE.label].select("type", "value").collect().rows()
    assert sorted(pairs) == [("k", "v"), ("k", "w")]


def test_an_id_in_a_text_must_come_before_mapped_children(tmp_path: Path) -> None:
    graph = graph_of({"P": b"<Line><Page key='a'/><Key>f</Key></Line>"}, tmp_path, OTHER)
    assert rejects_of(graph) == [("id_after_children", "rejected", "")]


def test_the_same_document_of_two_products_is_two_configurations(tmp_path: Path) -> None:
    document = family('<Tab id="t"><Attribute type="a" value="b"/></Tab><Tab id="t"/><Parameter/>').encode()
    graph = graph_of({"P": document, "Q": document}, tmp_path)
    assert ids(graph, TAB.label) == ["P/f.t", "P/f.t#2", "Q/f.t", "Q/f.t#2"]
    assert graph.labels[ATTRIBUTE.label].loaded == 1
    assert graph.labels[PARAMETER.label].rejected == 2
    keys = graph.rejects.filter(pl.col("reason") == "misplaced").collect()["key"].to_list()
    assert sorted(keys) == ["C-P", "C-Q"]


def test_mapping_of_the_default_site_has_plain_attributes() -> None:
    from transform.kinds import read_kinds

    assert read_kinds(MAPPING).has_plain_attributes
    assert not read_kinds(OTHER).has_plain_attributes


def test_type_and_value_are_one_key_and_too_long_together(tmp_path: Path) -> None:
    pairs = ((5_000, 5_000), (100, 8_000), (4_050, 4_050), (101, 8_000), (4_051, 4_050))
    attributes = "".join(f'<Attribute type="{"t" * t}" value="{"v" * v}"/>' for t, v in pairs)
    graph = only(family(attributes), tmp_path)
    assert [place for _, _, place in rejects_of(graph)] == [f"/ProductFamily[1]/Attribute[{n}]" for n in (1, 4, 5)]
    assert graph.labels[ATTRIBUTE.label].loaded == 2
