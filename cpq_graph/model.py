"""The graph model: every label, property, relationship, key and index, each with its meaning.

Nothing arrives; what leaves are frozen descriptions, in `MODEL`. All that needs to know what the graph looks like
(CSV headers, constraints, upserts, schema text, query checker) is derived from here by `cpq_graph.render`, and no
label or relationship type is spelled out anywhere else in the code.
"""

from dataclasses import dataclass, field
from enum import StrEnum

# Neo4j limits a range-index key to about 8 kB; longer values cannot be stored in an indexed property.
INDEXED_BYTES_MAX = 8_000
# The type and value of an Attribute are one key together: Neo4j stops at 8,167 bytes.
ATTRIBUTE_BYTES_MAX = 8_100
# What a property that no range index covers may hold: a bulk import reads a field into one buffer (4 MiB by default).
PROPERTY_BYTES_MAX = 1_000_000


class PropertyType(StrEnum):
    """Cypher's name of a property's type."""

    STRING = "STRING"
    INTEGER = "INTEGER"
    FLOAT = "FLOAT"
    DATE = "DATE"


@dataclass(frozen=True, slots=True)
class Property:
    """A property of a node or relationship. `indexed` asks for a range index of its own; `numeric` says that its text
    is a number wherever it can be, so that it is compared as one."""

    name: str
    type: PropertyType
    description: str
    indexed: bool = False
    numeric: bool = False


@dataclass(frozen=True, slots=True)
class Node:
    """A label. `key` names the properties that together are unique; `public` says whether schema V2 shows it."""

    label: str
    key: tuple[str, ...]
    properties: tuple[Property, ...]
    description: str
    public: bool = True

    def property(self, name: str) -> Property:
        """The property called `name`. Raises KeyError when the label has none."""
        for candidate in self.properties:
            if candidate.name == name:
                return candidate
        raise KeyError(f"{self.label} has no property {name}")


class Cardinality(StrEnum):
    """How many right nodes one left node may have."""

    ONE = "1:1"
    MANY = "1:N"


@dataclass(frozen=True, slots=True)
class Relationship:
    """A pattern (start)-[:type]->(end). One type may occur in several patterns. `shared` says that many starts may have
    the same end (a participant, an attribute); otherwise an end belongs to at most one start."""

    type: str
    start: Node
    end: Node
    cardinality: Cardinality
    description: str
    properties: tuple[Property, ...] = ()
    public: bool = True
    shared: bool = False

    @property
    def name(self) -> str:
        """A name unique among the patterns, fit for a file: `Offer_CONTAINS_Content`."""
        return f"{self.start.label}_{self.type}_{self.end.label}"


@dataclass(frozen=True, slots=True)
class FullText:
    """A full-text index over names that people type."""

    name: str
    nodes: tuple[Node, ...]
    properties: tuple[str, ...]
    # Lower-cases and folds diacritics, so that "härmä", "Harma" and "HÄRMÄ" meet.
    analyzer: str = "standard-folding"


@dataclass(frozen=True, slots=True)
class Model:
    """The whole graph. `nodes` and `relationships` are in loading order; `state` is the label that holds no data of
    the source but says what the graph was made from."""

    nodes: tuple[Node, ...]
    relationships: tuple[Relationship, ...]
    full_texts: tuple[FullText, ...]
    state: Node
    version: int = field(default=1)

    def node(self, label: str) -> Node:
        """The node with `label`. Raises KeyError when there is none."""
        for candidate in self.nodes:
            if candidate.label == label:
                return candidate
        raise KeyError(f"the model has no label {label}")


def _string(name: str, description: str, *, indexed: bool = False) -> Property:
    return Property(name, PropertyType.STRING, description, indexed)


def _float(name: str, description: str) -> Property:
    return Property(name, PropertyType.FLOAT, description)


_ID = _string("id", "Unique within the label; the same source element keeps it over every refresh")

USER = Node(
    "User",
    ("id",),
    (
        _ID,
        _string("userid", "Login name in the CPQ system", indexed=True),
        _string("firstname", "First name"),
        _string("lastname", "Last name"),
    ),
    "A person of the own company who handles offers",
)
PARTICIPANT = Node(
    "Participant",
    ("id",),
    (
        _ID,
        _string("title", "Title of the person"),
        _string("name", "Full name; several participants may share one", indexed=True),
        _string("company", "Company the person acts for", indexed=True),
    ),
    "A person who sends, delivers or receives offers",
)
OFFER = Node(
    "Offer",
    ("id",),
    (
        _ID,
        _string("language_id", "Language the offer is written in"),
        _string("status", "State in the CPQ system; only finalized ones are loaded", indexed=True),
        Property("date", PropertyType.DATE, "Day of the offer", indexed=True),
        _string("version", "Version of the offer"),
    ),
    "A finalized offer",
)
CONTENT = Node(
    "Content",
    ("id",),
    (_ID, _float("total_price", "The offer's total price; the subcontent repeats part of it, never add the two")),
    "What an offer contains as a whole",
)
SUBCONTENT = Node(
    "Subcontent",
    ("id",),
    (_ID, _float("total_price", "Price of the products of this subcontent, a part of the content's price")),
    "The part of a content that holds its products",
)
PRODUCT = Node("Product", ("id",), (_ID,), "One configured product (a luminaire) of an offer")
PRODUCT_FAMILY = Node(
    "ProductFamily",
    ("id",),
    (
        _ID,
        _string("name", "Canonical name, as 'SNEP® MODE P'", indexed=True),
        _string("product_code", "Code of the product"),
        _float("total_cost", "Total cost of the configured family"),
    ),
    "The family a product was configured as, with this product's choices",
)
TAB = Node("Tab", ("id",), (_ID, _string("name", "Name on the configurator's screen")), "A page of parameters")
PARAMETER = Node(
    "Parameter",
    ("id",),
    (_ID, _string("name", "Name on the configurator's screen; the stable key is the Attribute of type 'ext_id'")),
    "A configurable feature",
)
PARAMETER_VALUE = Node(
    "ParameterValue",
    ("id",),
    (
        _ID,
        Property(
            "measure", PropertyType.STRING, "The bare number as text ('57'), when the value is a measure", numeric=True
        ),
        _string("name", "The choice as shown ('57W')"),
        Property("quantity", PropertyType.INTEGER, "How many"),
        _string("parameterId", "The id that the XML gives its parameter"),
        _float("cost", "Cost of the choice"),
    ),
    "The choice made for a parameter",
)
ATTRIBUTE = Node(
    "Attribute",
    ("type", "value"),
    (_string("type", "Kind of attribute, as 'ext_id'"), _string("value", "Value, as 'pituus'")),
    "One node for each distinct (type, value), shared by all that have it",
)

# Only needed to rebuild a document in its order; questions never ask for it, so schema V2 leaves it out.
_POSITION = (Property("position", PropertyType.INTEGER, "Place among the mapped children of the XML element"),)

HANDLED_BY = Relationship("HANDLED_BY", OFFER, USER, Cardinality.ONE, "The user who handles the offer", shared=True)
SENT_BY = Relationship("SENT_BY", OFFER, PARTICIPANT, Cardinality.ONE, "Who sent (sold) it", shared=True)
DELIVERED_BY = Relationship("DELIVERED_BY", OFFER, PARTICIPANT, Cardinality.ONE, "Who delivers it", shared=True)
RECEIVED_BY = Relationship("RECEIVED_BY", OFFER, PARTICIPANT, Cardinality.ONE, "Who received (ordered) it", shared=True)
OFFER_CONTAINS = Relationship("CONTAINS", OFFER, CONTENT, Cardinality.ONE, "What is offered")
CONTENT_CONTAINS = Relationship("CONTAINS", CONTENT, SUBCONTENT, Cardinality.ONE, "The part with the products")
SUBCONTENT_CONTAINS = Relationship("CONTAINS", SUBCONTENT, PRODUCT, Cardinality.MANY, "The products")
CONFIGURED_AS = Relationship(
    "CONFIGURED_AS", PRODUCT, PRODUCT_FAMILY, Cardinality.ONE, "The root family of its configuration"
)
HAS_TAB = Relationship(
    "HAS_TAB", PRODUCT_FAMILY, TAB, Cardinality.MANY, "Its tabs, at every depth of tab nesting", _POSITION
)
HAS_PARAMETER = Relationship("HAS_PARAMETER", TAB, PARAMETER, Cardinality.MANY, "Its parameters", _POSITION)
HAS_VALUE = Relationship("HAS_VALUE", PARAMETER, PARAMETER_VALUE, Cardinality.ONE, "The choice made", _POSITION)
FAMILY_HAS_CHILD = Relationship(
    "HAS_CHILD", PRODUCT_FAMILY, PRODUCT_FAMILY, Cardinality.MANY, "Families nested in it", _POSITION, public=False
)
TAB_HAS_CHILD = Relationship("HAS_CHILD", TAB, TAB, Cardinality.MANY, "Tabs nested in it", _POSITION, public=False)
HAS_ATTRIBUTE = tuple(
    Relationship("HAS_ATTRIBUTE", owner, ATTRIBUTE, Cardinality.MANY, "Its attributes", _POSITION, shared=True)
    for owner in (PRODUCT_FAMILY, TAB, PARAMETER, PARAMETER_VALUE)
)
FAMILY_HAS_ATTRIBUTE, TAB_HAS_ATTRIBUTE, PARAMETER_HAS_ATTRIBUTE, VALUE_HAS_ATTRIBUTE = HAS_ATTRIBUTE

# The type of the shared Attribute that is the stable key of a feature.
EXT_ID = "ext_id"

MODEL = Model(
    nodes=(
        USER,
        PARTICIPANT,
        OFFER,
        CONTENT,
        SUBCONTENT,
        PRODUCT,
        PRODUCT_FAMILY,
        TAB,
        PARAMETER,
        PARAMETER_VALUE,
        ATTRIBUTE,
    ),
    relationships=(
        HANDLED_BY,
        SENT_BY,
        DELIVERED_BY,
        RECEIVED_BY,
        OFFER_CONTAINS,
        CONTENT_CONTAINS,
        SUBCONTENT_CONTAINS,
        CONFIGURED_AS,
        HAS_TAB,
        HAS_PARAMETER,
        HAS_VALUE,
        *HAS_ATTRIBUTE,
        FAMILY_HAS_CHILD,
        TAB_HAS_CHILD,
    ),
    full_texts=(
        FullText("parameter_names", (PARAMETER,), ("name",)),
        FullText("family_names", (PRODUCT_FAMILY,), ("name",)),
        FullText("participant_names", (PARTICIPANT,), ("name", "company")),
        FullText("user_names", (USER,), ("firstname", "lastname", "userid")),
        FullText("value_names", (PARAMETER_VALUE,), ("name",)),
    ),
    state=Node(
        "GraphState",
        ("id",),
        (
            _ID,
            _string("fingerprint", "Identifies the content of the graph"),
            _string("run", "The refresh that made it"),
        ),
        "What the graph was made from; never part of an answer",
        public=False,
    ),
)
