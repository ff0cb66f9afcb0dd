"""How a site's documents are built, and what of it a mapping finds: for people who write one.

Arrives: documents as streams of bytes, and the mapping. Leaves: `Outline`, a tree of element names in which an element
that is nested in its like is taken together with it, so that nesting of any depth gives a small tree.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from lxml import etree

from cpq_graph.site import OWN_TEXT, XmlMapping
from transform.documents import Undeclared, decode_document
from transform.kinds import local_name
from transform.markup import bounded
from transform.parse import DEPTH_MAX
from transform.rejects import Reason, Refused

# Names that a tree may have, examples that each place keeps, and letters of each: enough to see what it is.
NAMES_MAX, EXAMPLES_MAX, LETTERS_MAX = 3_000, 200, 40

Opens = Callable[[], Iterator[bytes]]


@dataclass(slots=True)
class Place:
    """A text that stands in so many elements, with examples."""

    times: int = 0
    examples: dict[str, None] = field(default_factory=dict)

    def add(self, text: str) -> None:
        """Counts one more."""
        self.times += 1
        if len(self.examples) < EXAMPLES_MAX:
            self.examples.setdefault(" ".join(text[:LETTERS_MAX].split()))

    def add_all(self, other: "Place") -> None:
        """Counts those of another."""
        self.times += other.times
        for example in other.examples:
            if len(self.examples) < EXAMPLES_MAX:
                self.examples.setdefault(example)


@dataclass(slots=True)
class Shape:
    """All elements of one name at one place of the tree: the entry of the mapping that they are, or the field
    ("value.measure") whose text they have; how many, their XML attributes, own texts that are not blank, and what
    stands in them."""

    name: str
    entry: str | None = None
    text_of: str | None = None
    times: int = 0
    attributes: dict[str, Place] = field(default_factory=dict)
    text: Place = field(default_factory=Place)
    children: "dict[str, Shape]" = field(default_factory=dict)

    def walk(self, depth: int = 0) -> "Iterator[tuple[int, Shape]]":
        """Itself and all below, parents first, with their depth."""
        yield depth, self
        for child in self.children.values():
            yield from child.walk(depth + 1)

    def at(self, place: str) -> Place:
        """What stands at a place of a mapping."""
        if place.startswith("@"):
            return self.attributes.get(place[1:], Place())
        if place == OWN_TEXT:
            return self.text
        child = self.children.get(place)
        return Place(child.times, child.text.examples) if child else Place()

    def merge(self, other: "Shape") -> None:
        """Takes over what another, of the same name, has."""
        self.times += other.times
        self.text.add_all(other.text)
        for name, place in other.attributes.items():
            self.attributes.setdefault(name, Place()).add_all(place)
        for name, child in other.children.items():
            self.children.setdefault(name, Shape(name, child.entry, child.text_of)).merge(child)


@dataclass(slots=True)
class Found:
    """How many elements of one kind there are, and what stands in the places of each field."""

    elements: int = 0
    fields: dict[str, Place] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Outline:
    """So many documents, of which some cannot be read, and how the others are built: `root` holds their roots."""

    mapping: XmlMapping
    documents: int
    faults: Counter[str]
    root: Shape

    def found(self, entry: str) -> Found:
        """What is there of one kind of element."""
        fields = self.mapping.by_entry[entry].fields
        found = Found(fields={name: Place() for name in fields})
        for _, shape in self.root.walk():
            if shape.entry == entry:
                found.elements += shape.times
                for name, places in fields.items():
                    for place in places:
                        found.fields[name].add_all(shape.at(place))
        return found


def outline(documents: Iterable[Opens], mapping: XmlMapping) -> Outline:
    """Looks at documents. One that cannot be read counts by the reason that a refresh would give."""
    root, faults, number = Shape(""), Counter[str](), 0
    for opens in documents:
        number += 1
        try:
            try:
                root.merge(_shape(decode_document(opens()), mapping))
            except Undeclared:
                root.merge(_shape(decode_document(opens(), undeclared="cp1252"), mapping))
        except Refused as refused:
            faults[refused.reason] += 1
        except etree.XMLSyntaxError:
            faults[Reason.NOT_WELL_FORMED] += 1
    return Outline(mapping, number, faults, root)


def _shape(pieces: Iterable[bytes], mapping: XmlMapping) -> Shape:
    target = _Looker(mapping)
    parser = etree.XMLParser(target=target, huge_tree=True, no_network=True, load_dtd=False, encoding="utf-8")
    for piece in bounded(pieces):
        parser.feed(piece)
    parser.close()
    return target.root


class _Looker:
    """lxml's parser target."""

    def __init__(self, mapping: XmlMapping) -> None:
        self.root = Shape("")
        self.names = 0
        self.entries = {name: entry for entry, kind in mapping.by_entry.items() for name in kind.element}
        # Which field the text of a child is, by the parent's entry and the child's name.
        self.fields = {
            (entry, place): f"{entry}.{name}"
            for entry, kind in mapping.by_entry.items()
            for name, places in kind.fields.items()
            for place in places
        }
        # What is open, and the first letters of the own text of each.
        self.open: list[Shape] = [self.root]
        self.texts: list[str] = [""]

    def start(self, tag: str, attrib: Mapping[str, str]) -> None:
        """An element opens."""
        if len(self.open) > DEPTH_MAX:
            raise Refused(Reason.TOO_DEEP)
        shape = self._known(local_name(tag))
        shape.times += 1
        for key, value in attrib.items():
            shape.attributes.setdefault(local_name(key), Place()).add(value)
        self.open.append(shape)
        self.texts.append("")

    def _known(self, name: str) -> Shape:
        """The shape of an element that opens with this name."""
        parent = self.open[-1]
        field_name = self.fields.get((parent.entry or "", name))
        if field_name is None:
            # In one of its name directly, or again in what it stood in before (a tab in the children of a tab). Others
            # of that name further out may be quite another thing.
            for outer, above in zip(self.open[-2::-1], self.open[::-1], strict=False):
                if above.name == name and above.text_of is None and (above is parent or outer.name == parent.name):
                    return above
        if name not in parent.children:
            self.names += 1
            if self.names > NAMES_MAX:
                raise Refused(Reason.TOO_LARGE, f"over {NAMES_MAX} names of elements")
            entry = None if field_name else self.entries.get(name)
            parent.children[name] = Shape(name, entry, field_name)
        return parent.children[name]

    def data(self, text: str) -> None:
        """A piece of text."""
        if len(self.texts[-1]) < LETTERS_MAX:
            self.texts[-1] = (self.texts[-1] + text[: 10 * LETTERS_MAX]).lstrip()

    def end(self, tag: str) -> None:
        """An element closes."""
        shape, text = self.open.pop(), self.texts.pop()
        if text:
            shape.text.add(text)

    def doctype(self, name: str, public: str | None, system: str | None) -> None:
        """A document type: such documents are not read."""
        raise Refused(Reason.DOCTYPE)

    def close(self) -> None:
        """The document ends."""
