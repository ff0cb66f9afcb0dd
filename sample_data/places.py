"""Where each element of a document stands, its id, and what becomes of it.

Arrives: element trees as made. Leaves: `Placed` elements, from which `truth` and `frames` are told.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from cpq_graph.model import (
    ATTRIBUTE,
    ATTRIBUTE_BYTES_MAX,
    INDEXED_BYTES_MAX,
    PARAMETER,
    PARAMETER_VALUE,
    PRODUCT_FAMILY,
    TAB,
)
from sample_data.elements import Attr, Element
from sample_data.reasons import Reason

_DELIMITERS = str.maketrans({c: f"%{ord(c):02X}" for c in "%/.:=#"})
_SEPARATORS = {PRODUCT_FAMILY.label: "/", TAB.label: ".", PARAMETER.label: ":", PARAMETER_VALUE.label: "="}


def escaped(own_id: str) -> str:
    """An id of the source as part of an element's id: the delimiters are percent-escaped."""
    return own_id.translate(_DELIMITERS)


@dataclass(slots=True)
class Placed:
    """An element of a document and what becomes of it. `id` is relative to the product. `above` are the elements it
    stands in, outermost first; `family` is the one that its tab counts for (None: none does)."""

    element: Element | Attr
    id: str
    place: str
    position: int
    parent: "Placed | None"
    fate: Reason | None
    notes: tuple[Reason, ...] = ()
    # A tab's family, reached through tabs alone; a family's is itself.
    family: "Placed | None" = None

    @property
    def label(self) -> str:
        """The label it becomes."""
        return ATTRIBUTE.label if isinstance(self.element, Attr) else self.element.node.label


def walk(roots: list[Element]) -> Iterator[Placed]:
    """Each element of a document in document order, parents first."""
    yield from _walk(list(roots), None)


def _walk(siblings: "list[Element] | list[Element | Attr]", parent: Placed | None) -> Iterator[Placed]:
    seen: Counter[str] = Counter()
    nameless: Counter[str] = Counter()
    used: Counter[tuple[str, str]] = Counter()
    pairs: set[tuple[str, str]] = set()
    base = "" if parent is None else parent.id
    above = "" if parent is None else parent.place
    rejected = parent is not None and parent.fate is not None
    for position, element in enumerate(siblings):
        label = ATTRIBUTE.label if isinstance(element, Attr) else element.node.label
        seen[label] += 1
        place = f"{above}/{label}[{seen[label]}]"
        if isinstance(element, Attr):
            fate = Reason.PARENT_REJECTED if rejected else _attribute_fate(element, pairs)
            yield Placed(element, "", place, position, parent, fate)
            if element.inner is not None:
                inside = Reason.PARENT_REJECTED if fate else Reason.MISPLACED
                holder = Placed(element, "", place, position, parent, fate)
                yield Placed(element.inner, "", f"{place}/{label}[1]", 0, holder, inside)
            continue
        notes: list[Reason] = []
        raw_id = element.raw.get("id", "")
        if raw_id:
            used[label, raw_id] += 1
            own = escaped(raw_id)
            if used[label, raw_id] > 1:
                own += f"#{used[label, raw_id]}"
                notes.append(Reason.REPEATED_ID)
        else:
            nameless[label] += 1
            own = f"#{nameless[label]}"
            notes.append(Reason.MISSING_OWN_ID)
        fate = Reason.PARENT_REJECTED if rejected else element.fate
        if (
            fate is None
            and element.node is PARAMETER
            and not any(isinstance(c, Element) and c.node is PARAMETER_VALUE for c in element.children)
        ):
            notes.append(Reason.PARAMETER_WITHOUT_VALUE)
        placed = Placed(element, base + _SEPARATORS[label] + own, place, position, parent, fate, tuple(notes))
        if element.node is PRODUCT_FAMILY:
            placed.family = placed
        elif element.node is TAB and parent is not None and parent.label in (PRODUCT_FAMILY.label, TAB.label):
            placed.family = parent.family
        yield placed
        yield from _walk(element.children, placed)


def _attribute_fate(element: Attr, pairs: set[tuple[str, str]]) -> Reason | None:
    if not element.type:
        return Reason.ATTRIBUTE_WITHOUT_TYPE
    if element.value is None:
        return Reason.ATTRIBUTE_WITHOUT_VALUE
    sizes = len(element.type.encode()), len(element.value.encode())
    if max(sizes) > INDEXED_BYTES_MAX or sum(sizes) > ATTRIBUTE_BYTES_MAX:
        return Reason.TOO_LONG
    if (element.type, element.value) in pairs:
        return Reason.REPEATED_ATTRIBUTE
    pairs.add((element.type, element.value))
    return None
