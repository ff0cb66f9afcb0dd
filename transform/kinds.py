"""The kinds of element that a configuration has, as the model sees them and as a site's XML calls them.

Arrives: the site's `XmlMapping`. Leaves: `Kind`s, and the lookup from an XML tag to its kind.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

from cpq_graph import site
from cpq_graph.model import (
    ATTRIBUTE,
    FAMILY_HAS_ATTRIBUTE,
    FAMILY_HAS_CHILD,
    HAS_PARAMETER,
    HAS_TAB,
    HAS_VALUE,
    PARAMETER,
    PARAMETER_HAS_ATTRIBUTE,
    PARAMETER_VALUE,
    PRODUCT_FAMILY,
    TAB,
    TAB_HAS_ATTRIBUTE,
    TAB_HAS_CHILD,
    VALUE_HAS_ATTRIBUTE,
    Relationship,
)
from cpq_graph.site import ElementMapping, XmlMapping

# Between an element's id and its parent's. Each kind has its own, so that no two kinds' ids can meet.
SEPARATORS = {PRODUCT_FAMILY.label: "/", TAB.label: ".", PARAMETER.label: ":", PARAMETER_VALUE.label: "="}
# Properties that are read from the element itself, in the order of its rows.
FIELDS = {
    PRODUCT_FAMILY.label: ("name", "product_code", "total_cost"),
    TAB.label: ("name",),
    PARAMETER.label: ("name",),
    PARAMETER_VALUE.label: ("measure", "name", "quantity", "cost"),
}
# The pattern that leads to an element of a label from the one it hangs on.
PATTERNS: dict[tuple[str, str], Relationship] = {
    (PRODUCT_FAMILY.label, PRODUCT_FAMILY.label): FAMILY_HAS_CHILD,
    (PRODUCT_FAMILY.label, TAB.label): HAS_TAB,
    (TAB.label, TAB.label): TAB_HAS_CHILD,
    (TAB.label, PARAMETER.label): HAS_PARAMETER,
    (PARAMETER.label, PARAMETER_VALUE.label): HAS_VALUE,
    (PRODUCT_FAMILY.label, ATTRIBUTE.label): FAMILY_HAS_ATTRIBUTE,
    (TAB.label, ATTRIBUTE.label): TAB_HAS_ATTRIBUTE,
    (PARAMETER.label, ATTRIBUTE.label): PARAMETER_HAS_ATTRIBUTE,
    (PARAMETER_VALUE.label, ATTRIBUTE.label): VALUE_HAS_ATTRIBUTE,
}
# Where an element of no mapped parent may stand: nowhere, but for a family.
OWNERS = tuple(SEPARATORS)


# What stands for a run of Attributes (see `transform.abbreviate`). It is random, so that no document holds it.
RUN_NAME = f"run-{secrets.token_hex(8)}"


def text_key(name: str) -> str:
    """Where the text of a child element (or "." for the element's own) is kept among an element's XML attributes. No
    XML name has a slash."""
    return f"/{name}"


OWN_TEXT = text_key(site.OWN_TEXT)


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """A kind of element under one of its XML names. `keys` are, for each field, the XML attributes that may hold it, in
    order of preference; `own` those of its id; `texts` the names of child elements whose text is a field;
    `has_own_text` says whether its own text is one; `parents` are the labels that it may hang on."""

    label: str
    name: str
    separator: str
    own: tuple[str, ...]
    keys: tuple[tuple[str, ...], ...]
    texts: frozenset[str]
    parents: frozenset[str]
    has_own_text: bool = False

    @property
    def single(self) -> tuple[str, ...] | None:
        """The XML attributes that hold the fields, where each can only be in one; otherwise None."""
        return tuple(several[0] for several in self.keys) if all(len(k) == 1 for k in self.keys) else None


# The kind of what stands for a run.
RUN = Kind("", RUN_NAME, "", (), (), frozenset(), frozenset())


def first_field(attrib: Mapping[str, str], keys: tuple[str, ...]) -> str | None:
    """A field, from the first place that has it."""
    for key in keys:
        if (text := attrib.get(key)) is not None:
            return text
    return None


def local_name(tag: str) -> str:
    """The name without its namespace."""
    return tag.rpartition("}")[2]


@dataclass(slots=True)
class Kinds(dict[str, Kind | None]):
    """XML tag, with or without a namespace, → kind, or None for what is of no interest."""

    by_name: Mapping[str, Kind] = field(default_factory=dict)

    def __missing__(self, tag: str) -> Kind | None:
        kind = self.by_name.get(local_name(tag))
        # A document may have any number of names; the table may not.
        if len(self) < 10_000:
            self[tag] = kind
        return kind

    @property
    def attribute(self) -> tuple[str, Kind]:
        """The XML name and kind of Attributes; the first where there are several."""
        return next((name, kind) for name, kind in self.by_name.items() if kind.label == ATTRIBUTE.label)

    @property
    def has_texts(self) -> bool:
        """Whether any field is a text."""
        return any(kind.texts or kind.has_own_text for kind in self.by_name.values())

    @property
    def has_plain_attributes(self) -> bool:
        """Whether Attributes have one XML name and two fields, each in one XML attribute."""
        attributes = [kind for kind in self.by_name.values() if kind.label == ATTRIBUTE.label]
        return len(attributes) == 1 and all(len(several) == 1 for several in attributes[0].keys) and not self.has_texts


def read_kinds(mapping: XmlMapping) -> Kinds:
    """The lookup of a site's mapping."""
    by_name: dict[str, Kind] = {RUN_NAME: RUN}
    for label, element in (
        (PRODUCT_FAMILY.label, mapping.family),
        (TAB.label, mapping.tab),
        (PARAMETER.label, mapping.parameter),
        (PARAMETER_VALUE.label, mapping.value),
        (ATTRIBUTE.label, mapping.attribute),
    ):
        by_name |= {name: _kind(label, name, element) for name in element.element}
    return Kinds(by_name=by_name)


def _kind(label: str, name: str, mapping: ElementMapping) -> Kind:
    fields = ("type", "value") if label == ATTRIBUTE.label else FIELDS[label]
    places = {field_name: [p for p in mapping.fields.get(field_name, ()) if p] for field_name in (*fields, "id")}
    keys = {
        field_name: tuple(place[1:] if place.startswith("@") else text_key(place) for place in several)
        for field_name, several in places.items()
    }
    texts = {place for several in places.values() for place in several if not place.startswith("@")}
    parents = {parent for parent, child in PATTERNS if child == label}
    return Kind(
        label,
        name,
        SEPARATORS.get(label, ""),
        keys["id"],
        tuple(keys[field_name] for field_name in fields),
        frozenset(texts - {site.OWN_TEXT}),
        frozenset(parents),
        site.OWN_TEXT in texts,
    )
