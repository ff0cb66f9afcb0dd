"""A small whole graph by hand, with what is easily lost: nulls beside "", nested families and tabs, shared Attributes,
people of one name, texts that are hard to write down."""

import json
from datetime import date

import polars as pl

from cpq_graph.model import MODEL
from load.frames import GraphFrames

# (product, family, length name and measure, colour)
_PRODUCTS = (
    ("P1", "SNEP® MODE P", ("1200 mm", "1200"), "Black"),
    ("P2", "SNEP® MODE P", ("2400 mm", "2400"), 'musta, "matta"\n2'),
    ("P3", "SNEP® MODE P", ("1200 mm", "1200"), "Black"),
    ("P4", "SNEP® MODE CR", ("800 mm", "800"), "White"),
)


def small_frames(products: int = len(_PRODUCTS)) -> GraphFrames:
    """The graph of the first `products` products, each in an offer of its own except that P3 shares P2's."""
    chosen = _PRODUCTS[:products]
    offers = {"P1": "O1", "P2": "O2", "P3": "O2", "P4": "O3"}
    used = sorted({offers[product] for product, *_ in chosen})
    nodes: dict[str, list[dict[str, object]]] = {node.label: [] for node in MODEL.nodes}
    edges: dict[str, list[dict[str, object]]] = {r.name: [] for r in MODEL.relationships}
    attributes: dict[tuple[str, str], str] = {}

    def edge(name: str, start: str, end: str, position: int | None = None) -> None:
        edges[name].append({"start": start, "end": end} | ({} if position is None else {"position": position}))

    def attribute(label: str, owner: str, position: int, kind: str, value: str) -> None:
        key = attributes.setdefault((kind, value), f"key{len(attributes)}")
        edge(f"{label}_HAS_ATTRIBUTE_Attribute", owner, key, position)

    nodes["User"] = [{"id": "U1", "userid": "aost", "firstname": "Åsa", "lastname": "Öst"}]
    people = (("A1", "Maija Härmä", "Valo Oy"), ("A2", "Maija Härmä", "Valo Oy Åbo"), ("A3", None, ""))
    for number, offer in enumerate(used):
        nodes["Offer"].append(
            {
                "id": offer,
                "language_id": ("fi", "en", None)[number],
                "status": "ORDERED",
                "date": (date(2024, 1, 31), date(2024, 12, 31), None)[number],
                "version": ("1", "", " 2 ")[number],
            }
        )
        edge("Offer_HANDLED_BY_User", offer, "U1")
        person, name, company = people[number]
        nodes["Participant"].append({"id": person, "title": None, "name": name, "company": company})
        edge("Offer_SENT_BY_Participant", offer, person)
        edge("Offer_RECEIVED_BY_Participant", offer, people[0][0])
        nodes["Content"].append({"id": f"C{offer}", "total_price": (1234.5, 0.1, None)[number]})
        edge("Offer_CONTAINS_Content", offer, f"C{offer}")
        nodes["Subcontent"].append({"id": f"S{offer}", "total_price": 12.0})
        edge("Content_CONTAINS_Subcontent", f"C{offer}", f"S{offer}")
    for product, family_name, length, colour in chosen:
        family, child = f"{product}/f", f"{product}/f/c"
        tab, inner = f"{family}.t", f"{family}.t.i"
        nodes["Product"].append({"id": product})
        edge("Subcontent_CONTAINS_Product", f"S{offers[product]}", product)
        edge("Product_CONFIGURED_AS_ProductFamily", product, family)
        for owner, text in ((family, family_name), (child, "Child {family}")):
            nodes["ProductFamily"].append({"id": owner, "name": text, "product_code": "SN-1", "total_cost": 99.95})
        edge("ProductFamily_HAS_CHILD_ProductFamily", family, child, 1)
        attribute("ProductFamily", family, 2, "note", "\ufeff \\ ,;\t'`😀")
        for owner, text in ((tab, "General"), (inner, "")):
            nodes["Tab"].append({"id": owner, "name": text})
        edge("ProductFamily_HAS_TAB_Tab", family, tab, 0)
        edge("ProductFamily_HAS_TAB_Tab", family, inner, 1)
        edge("Tab_HAS_CHILD_Tab", tab, inner, 1)
        features = (
            (tab, 0, "pituus", "Length" if product != "P2" else "Pituus", length),
            (inner, 0, "vari", "Frame color", (colour, None)),
        )
        for owner, position, ext_id, name, (shown, measure) in features:
            parameter = f"{owner}:{ext_id}"
            nodes["Parameter"].append({"id": parameter, "name": name})
            edge("Tab_HAS_PARAMETER_Parameter", owner, parameter, position)
            attribute("Parameter", parameter, 1, "ext_id", ext_id)
            if (product, ext_id) == ("P4", "vari"):
                continue
            value = f"{parameter}=v"
            nodes["ParameterValue"].append(
                {
                    "id": value,
                    "measure": measure,
                    "name": shown,
                    "quantity": 1 if measure else None,
                    "parameterId": ext_id,
                    "cost": 1e-7 if measure else None,
                }
            )
            edge("Parameter_HAS_VALUE_ParameterValue", parameter, value, 0)
            attribute("ParameterValue", value, 0, "unit", "mm" if measure else "")
    nodes["Attribute"] = [{"key": key, "type": kind, "value": value} for (kind, value), key in attributes.items()]
    return GraphFrames(
        {label: pl.LazyFrame(rows, infer_schema_length=None) for label, rows in nodes.items() if rows},
        {name: pl.LazyFrame(rows, infer_schema_length=None) for name, rows in edges.items() if rows},
    )


def canonical_lines(frames: GraphFrames) -> list[str]:
    """The canonical dump that a graph of these frames must have, computed without Neo4j and without `load.dump`."""

    def text(value: object) -> str:
        return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str)

    lines = []
    keys: dict[str, dict[str, list[object]]] = {}
    for node in MODEL.nodes:
        keys[node.label] = {}
        for row in frames.node(node).collect().to_dicts():
            properties = {p.name: row[p.name] for p in node.properties if row[p.name] is not None}
            keys[node.label][row.get("key", row.get("id"))] = [row[part] for part in node.key]
            lines.append(f"N\t{node.label}\t{text(properties)}")
    for r in MODEL.relationships:
        for row in frames.relationship(r).collect().to_dicts():
            properties = {p.name: row[p.name] for p in r.properties if row[p.name] is not None}
            start, end = text(keys[r.start.label][row["start"]]), text(keys[r.end.label][row["end"]])
            lines.append(f"R\t{r.type}\t{r.start.label}\t{start}\t{r.end.label}\t{end}\t{text(properties)}")
    return sorted(lines)
