"""How configurations call their elements and fields: as the default mapping has it, and quite otherwise.

Nothing arrives; what leaves are `Dialect`s, by which `documents` writes XML. A site's mapping is written apart from
them, so that a fault of one does not hide in the other.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from cpq_graph.model import ATTRIBUTE, PARAMETER, PARAMETER_VALUE, PRODUCT_FAMILY, TAB


@dataclass(frozen=True, slots=True)
class Dialect:
    """`elements` names those of each label (as the label, where it says nothing); `places` says where fields are, by
    label and field: "@name" for an XML attribute, "name" for the text of a child, "." for the element's own text; two
    places take turns from document to document. Without a word a field is the XML attribute of its name. With
    `trailing`, every other document has the texts, but for ids, behind the elements that they belong to."""

    root: str
    namespace: str
    elements: Mapping[str, str] = field(default_factory=dict)
    places: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    trailing: bool = False

    def element(self, label: str) -> str:
        """The name of a label's elements."""
        return self.elements.get(label, label)

    def place(self, label: str, name: str, turn: int) -> str:
        """Where a field is in a document of that turn."""
        places = self.places.get((label, name), (f"@{name}",))
        return places[turn // 2 % len(places)]


CPQ = Dialect(root="Configuration", namespace="urn:cpq:configuration")

_FAMILY, _TAB, _PARAMETER, _VALUE, _ATTRIBUTE = (
    node.label for node in (PRODUCT_FAMILY, TAB, PARAMETER, PARAMETER_VALUE, ATTRIBUTE)
)
VERTRIEB = Dialect(
    root="Konfiguration",
    namespace="urn:beispiel:vertrieb:3",
    elements={
        _FAMILY: "Baureihe", _TAB: "Seite", _PARAMETER: "Merkmal", _VALUE: "Wert", _ATTRIBUTE: "Kennzeichen",
    },
    places={
        (_FAMILY, "id"): ("Kennung",), (_FAMILY, "name"): ("Bezeichnung",), (_FAMILY, "product_code"): ("@artikel",),
        (_FAMILY, "total_cost"): ("Gesamtkosten",),
        (_TAB, "id"): ("@nr",), (_TAB, "name"): ("@titel",),
        (_PARAMETER, "id"): ("Schlüssel",), (_PARAMETER, "name"): ("Bezeichnung",),
        (_VALUE, "id"): ("@nr",), (_VALUE, "name"): (".",), (_VALUE, "measure"): ("Maß", "@maß"),
        (_VALUE, "quantity"): ("Stückzahl",), (_VALUE, "cost"): ("@kosten",),
        # Called as a value is, which stands elsewhere.
        (_ATTRIBUTE, "type"): ("@art",), (_ATTRIBUTE, "value"): ("Wert",),
    },
    trailing=True,
)  # fmt: skip
