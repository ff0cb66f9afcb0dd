"""What the parser found, until it is made into frames.

Nothing arrives; what leaves is `Rows`, which the parser fills and `frames` reads and clears.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from transform.kinds import FIELDS, OWNERS, Kind, first_field

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
# Elements and runs that wait, while they are still in the processor's cache, to be put into columns.
_WAITING_MAX = 100


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
    """Rows of any number of documents, by column. `keys` say, for each label, which XML attributes hold its fields.

    Attributes are many, so they are kept by runs: Attributes of one owner, one after the other. A run's `text` is its
    XML (see `transform.abbreviate`) or None: then its Attributes are the next ones of `types` and `values`. Its
    position is that of its first Attribute, its ordinal how many Attributes of that XML name came before."""

    keys: Mapping[str, tuple[tuple[str, ...], ...]]
    elements: dict[str, dict[str, list[Any]]] = field(init=False)
    runs: dict[str, list[Any]] = field(init=False)
    types: list[str | None] = field(default_factory=list)
    values: list[str | None] = field(default_factory=list)
    entries: list[tuple[Any, ...]] = field(default_factory=list)
    # Attributes in runs that have their XML.
    abbreviated: int = 0
    # What has been read but not been put into columns: elements by label; runs as owner, name, count, position,
    # ordinal, text.
    new_elements: dict[str, list[Element]] = field(default_factory=lambda: {label: [] for label in OWNERS})
    new_runs: list[tuple[Element, str, int, int, int, bytes | None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._empty()

    def _empty(self) -> None:
        self.elements = {label: {name: [] for name in (*ELEMENT_COLUMNS, *FIELDS[label])} for label in OWNERS}
        self.runs = {name: [] for name in RUN_COLUMNS}

    @property
    def size(self) -> int:
        """Rows held."""
        elements = sum(len(columns["id"]) for columns in self.elements.values())
        return self.abbreviated + len(self.types) + len(self.entries) + elements

    def settle(self, *, at_least: int = _WAITING_MAX) -> None:
        """Puts what is new into the columns, when it is much."""
        if sum(map(len, self.new_elements.values())) + len(self.new_runs) < at_least:
            return
        for label, elements in self.new_elements.items():
            self._settle_elements(label, elements)
            elements.clear()
        owners = [run[0] for run in self.new_runs]
        found = (
            [owner[DOCUMENT] for owner in owners],
            [owner[KIND].label if owner[KIND] is not None else "" for owner in owners],
            [owner[SERIAL] for owner in owners],
            [owner[ID] for owner in owners],
            [owner[FATE] for owner in owners],
            [owner[PLACE] for owner in owners],
            *([run[item] for run in self.new_runs] for item in range(1, 6)),
        )
        for column, items in zip(self.runs.values(), found, strict=True):
            column.extend(items)
        self.new_runs.clear()

    def _settle_elements(self, label: str, elements: list[Element]) -> None:
        found = [
            [element[DOCUMENT] for element in elements],
            [element[ID] for element in elements],
            [element[PARENT][ID] or None for element in elements],
            [element[FAMILY] for element in elements],
            [element[PARENT][OWN] or None for element in elements],
            [element[POSITION] for element in elements],
            [element[PLACE] for element in elements],
        ]
        for keys in self.keys[label]:
            if len(keys) == 1:
                (key,) = keys
                found.append([element[ATTRIB].get(key) for element in elements])
            else:
                found.append([first_field(element[ATTRIB], keys) for element in elements])
        for column, items in zip(self.elements[label].values(), found, strict=True):
            column.extend(items)

    def clear(self) -> None:
        """Forgets all that was put into columns."""
        self._empty()
        self.types.clear()
        self.values.clear()
        self.entries.clear()
        self.abbreviated = 0


def field_keys(kinds: Mapping[str, Kind]) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Which XML attributes hold the fields of each label; all XML names of a label have the same."""
    return {kind.label: kind.keys for kind in kinds.values() if kind.label in OWNERS}
