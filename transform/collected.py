"""What the parser found, until it is made into frames.

Nothing arrives; what leaves is `Rows`, which the parser fills and `frames` reads and clears.
"""

from dataclasses import dataclass, field
from typing import Any

from transform.kinds import OWNERS

# An element of a document: a list, because making an object takes four times as long, and there are millions. Its
# items, by the constants below: the document's key; the kind (None: the document itself); the id, relative to the
# document; the element it stands in; its own id as the XML has it; the id of the family that a tab belongs to; its
# place among the mapped children of its parent, from 0; the same among those of its XML name, from 1; its XML
# attributes; a serial number; why it is rejected, if it is. While it is open, besides: how many mapped children it
# had; how many values; how many of each XML name; how often each id.
Element = list[Any]
DOCUMENT, KIND, ID, PARENT, OWN, FAMILY, POSITION, ORDINAL, ATTRIB, SERIAL, FATE = range(11)
CHILDREN, VALUES, ORDINALS, SEEN = range(11, 15)


def document_element(key: int) -> Element:
    """The element that stands for a document, and holds its root families."""
    return [key, None, "", None, None, None, 0, 0, {}, 0, None, 0, 0, {}, {}]


def render_place(element: Element | None) -> str:
    """Where the element is, as a path: `/ProductFamily[1]/Tab[2]`; "" for the document."""
    steps = []
    while element is not None and element[KIND] is not None:
        steps.append(f"/{element[KIND].name}[{element[ORDINAL]}]")
        element = element[PARENT]
    return "".join(reversed(steps))


@dataclass(slots=True)
class Rows:
    """Rows of any number of documents. `elements` are those to load, by label.

    Attributes are many, so they are kept by runs: Attributes of one owner, one after the other. A run is: the owner, the
    Attributes' XML name, how many, position of the first, how many Attributes of that name came before, and the run's
    XML (see `transform.abbreviate`) or None: then its Attributes are the next ones of `types` and `values`."""

    elements: dict[str, list[Element]] = field(default_factory=lambda: {label: [] for label in OWNERS})
    runs: list[tuple[Element, str, int, int, int, bytes | None]] = field(default_factory=list)
    types: list[str | None] = field(default_factory=list)
    values: list[str | None] = field(default_factory=list)
    entries: list[tuple[Any, ...]] = field(default_factory=list)
    # Attributes in runs that have their XML.
    abbreviated: int = 0
    # The serial number last given to an element; never given again.
    serial: int = 0

    @property
    def size(self) -> int:
        """Rows held."""
        return self.abbreviated + len(self.types) + len(self.entries) + sum(map(len, self.elements.values()))

    def clear(self) -> None:
        """Forgets all, in place: the parser keeps hold of the lists."""
        for elements in self.elements.values():
            elements.clear()
        self.runs.clear()
        self.types.clear()
        self.values.clear()
        self.entries.clear()
        self.abbreviated = 0
