"""What the parser found, until it is made into frames.

Nothing arrives; what leaves is `Rows`, which the parser fills and `frames` reads and clears.
"""

from dataclasses import dataclass, field
from typing import Any

from transform.kinds import FIELDS, OWNERS

# Where an element is: where its parent is, its XML name, and which of its parent's children of that name it is, from
# 1. Kept like this because few are ever written out.
Place = tuple["Place | None", str, int]

# An element of a document: a list, because making an object takes four times as long, and there are millions. Its
# items, by the constants below: the document's key; the kind (None: the document itself); the id, relative to the
# document; the element it stands in; its own id as the XML has it; the id of the family that a tab belongs to; which of
# its parent's mapped children it is, from 0; its place; its XML attributes; a serial number; why it is rejected, if
# it is; how many mapped children it had so far; how many values; how many of each XML name; how often each id.
Element = list[Any]
DOCUMENT, KIND, ID, PARENT, OWN, FAMILY, POSITION, PLACE, ATTRIB, SERIAL, FATE = range(11)
CHILDREN, VALUES, ORDINALS, SEEN = range(11, 15)

# The columns of elements, before those of their fields, and of runs of Attributes.
ELEMENT_COLUMNS = ("document", "id", "parent", "family", "parameterId", "position", "place")
RUN_COLUMNS = (
    "document", "label", "serial", "owner", "fate", "place", "name", "count", "position", "ordinal", "text",
)  # fmt: skip


def document_element(key: int) -> Element:
    """The element that stands for a document, and holds its root families."""
    return [key, None, "", None, None, None, 0, None, {}, 0, None, 0, 0, {}, {}]


def render_place(place: Place | None) -> str:
    """The place as a path: `/ProductFamily[1]/Tab[2]`."""
    steps = []
    while place is not None:
        place, name, ordinal = place
        steps.append(f"/{name}[{ordinal}]")
    return "".join(reversed(steps))


@dataclass(slots=True)
class Rows:
    """Rows of any number of documents. `elements` (by label: those that are loaded) and `runs` are flat: row after row,
    cell after cell, in the order of the columns above, as nothing else takes so little time and memory.

    Attributes are many, so they are kept by runs: Attributes of one owner, one after the other. A run's `text` is its
    XML (see `transform.abbreviate`) or None: then its Attributes are the next ones of `types` and `values`. Its
    position is that of its first Attribute, its ordinal how many Attributes of that XML name came before."""

    elements: dict[str, list[Any]] = field(default_factory=lambda: {label: [] for label in OWNERS})
    runs: list[Any] = field(default_factory=list)
    types: list[str | None] = field(default_factory=list)
    values: list[str | None] = field(default_factory=list)
    entries: list[tuple[Any, ...]] = field(default_factory=list)
    # Attributes in runs that have their XML.
    abbreviated: int = 0

    @property
    def size(self) -> int:
        """Rows held."""
        elements = sum(len(cells) // len(element_columns(label)) for label, cells in self.elements.items())
        return self.abbreviated + len(self.types) + len(self.entries) + elements

    def clear(self) -> None:
        """Forgets all, in place: the parser keeps hold of the lists."""
        for cells in self.elements.values():
            cells.clear()
        self.runs.clear()
        self.types.clear()
        self.values.clear()
        self.entries.clear()
        self.abbreviated = 0


def element_columns(label: str) -> tuple[str, ...]:
    """The columns of a label's elements."""
    return (*ELEMENT_COLUMNS, *FIELDS[label])


def by_column(cells: list[Any], names: tuple[str, ...]) -> dict[str, list[Any]]:
    """Flat rows as columns."""
    return {name: cells[number :: len(names)] for number, name in enumerate(names)}
