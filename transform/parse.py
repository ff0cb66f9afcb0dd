"""One document's XML → rows, in one pass that holds no more of it than the elements now open.

Arrives: UTF-8 in pieces. Leaves: rows in `Rows`, with ids relative to the document, and entries for what is left out.
A document that fails raises `Refused`; its rows may be in `Rows` already and must not be used.

The two hot callbacks see every element of every document, most of which are Attributes: an Attribute costs two
appends. What its owner and position are follows from runs, one per owner and stretch of Attributes (`Rows.runs`).
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from lxml import etree

from cpq_graph.model import ATTRIBUTE, INDEXED_BYTES_MAX, PARAMETER, PARAMETER_VALUE, PRODUCT_FAMILY, TAB
from transform.kinds import OWNERS, PATTERNS, Kind, Kinds, local_name
from transform.rejects import SAMPLE_LENGTH, Level, Outcome, Reason, Refused
from transform.texts import TextFields

# Deeper documents are refused. libxml2 itself stops at 2048 with huge_tree, which long texts need.
DEPTH_MAX = 256
# A product's id comes before an element's; together they must fit a key.
ID_BYTES_MAX = INDEXED_BYTES_MAX - 200

_ESCAPED = re.compile(r"[%/.:=#]")
_PATTERN_NAMES = {pair: (pattern.name,) for pair, pattern in PATTERNS.items()}
_TAB_OF_FAMILY = PATTERNS[PRODUCT_FAMILY.label, TAB.label].name


def escape_id(text: str) -> str:
    """An id with the marks that put ids together percent-escaped."""
    return _ESCAPED.sub(lambda mark: f"%{ord(mark[0]):02X}", text)


@dataclass(slots=True)
class Rows:
    """What documents gave, until it is made into frames. `elements` has, for each label, one tuple per loaded element:
    document, id, parent's id, the id that its label needs besides (a tab's family, a value's parameterId), position,
    place, then the label's fields as text. `types` and `values` have one item per Attribute element, whatever becomes
    of it; `runs` say which stretches of them belong to whom: document, owner's label, owner's serial number, id, place
    and fate, the Attribute's XML name, how many, first position, first ordinal."""

    elements: dict[str, list[tuple[Any, ...]]] = field(default_factory=lambda: {label: [] for label in OWNERS})
    types: list[str | None] = field(default_factory=list)
    values: list[str | None] = field(default_factory=list)
    runs: list[tuple[Any, ...]] = field(default_factory=list)
    entries: list[tuple[Any, ...]] = field(default_factory=list)
    # The serial number last given to an element; never given again.
    serial: int = 0

    @property
    def size(self) -> int:
        """Rows held."""
        return len(self.types) + len(self.entries) + sum(map(len, self.elements.values()))

    def clear(self) -> None:
        """Forgets all, in place: the parser keeps hold of the lists."""
        for rows in (*self.elements.values(), self.types, self.values, self.runs, self.entries):
            rows.clear()


class _Open:
    """An element that is open, or the document. `fate` is why it is rejected, if it is; `family` the id of the family
    that a tab belongs to; `children` how many mapped children it had so far."""

    __slots__ = (
        "attrib", "attributes", "children", "family", "fate", "id", "kind", "label", "ordinals", "own", "place",
        "position", "seen", "serial", "values",
    )  # fmt: skip

    def __init__(self, kind: Kind | None, attrib: Mapping[str, str], place: str, position: int, serial: int) -> None:
        self.kind = kind
        self.label = "" if kind is None else kind.label
        self.attrib = attrib
        self.place = place
        self.position = position
        self.serial = serial
        self.fate: Reason | None = None
        self.id = ""
        self.own: str | None = None
        self.family: str | None = None
        self.children = self.attributes = self.values = 0
        self.ordinals: dict[str, int] = {}
        self.seen: dict[str, int] = {}


class Flattener:
    """lxml's parser target for one document."""

    __slots__ = (
        "add_type", "add_value", "attribute", "depth", "document", "families", "inside", "kinds", "rows", "run_start",
        "serial", "stack", "top", "type_key", "value_key",
    )  # fmt: skip

    def __init__(self, document: int, kinds: Kinds, rows: Rows) -> None:
        self.document = document
        self.kinds = kinds
        self.rows = rows
        self.add_type = rows.types.append
        self.add_value = rows.values.append
        self.depth = 0
        # The depth of the Attribute that is open, 0 when none is. `attribute` is the XML name of those in the run.
        self.inside = 0
        self.attribute: str | None = None
        self.run_start = len(rows.types)
        self.serial = rows.serial
        self.families = 0
        self.top = _Open(None, {}, "", 0, -1)
        self.stack = [self.top]
        (attribute,) = {kind for kind in kinds.by_name.values() if kind.label == ATTRIBUTE.label}
        self.type_key, self.value_key = attribute.keys

    def start(self, tag: str, attrib: Mapping[str, str]) -> None:
        """An element opens."""
        self.depth += 1
        if self.depth > DEPTH_MAX:
            raise Refused(Reason.TOO_DEEP, f"over {DEPTH_MAX} levels of elements")
        if tag == self.attribute and not self.inside:
            self.inside = self.depth
            self.add_type(attrib.get(self.type_key[0]))
            self.add_value(attrib.get(self.value_key[0]))
            return
        kind = self.kinds[tag]
        if kind is None:
            return
        if kind.label == ATTRIBUTE.label and not self.inside:
            self._attribute(tag, attrib)
        else:
            self._open(kind, local_name(tag), attrib)

    def end(self, tag: str) -> None:
        """An element closes."""
        depth = self.depth
        self.depth = depth - 1
        if self.inside == depth:
            self.inside = 0
            if self.top.label == ATTRIBUTE.label:
                self.top = self._pop()
        elif self.kinds[tag] is not None:
            self._close()

    def doctype(self, name: str, public: str | None, system: str | None) -> None:
        """A document type: entities, external ones among them, could follow. Nothing of it is ever read."""
        raise Refused(Reason.DOCTYPE, f"<!DOCTYPE {name} {public or ''} {system or ''}".rstrip())

    def close(self) -> None:
        """The parser ends, at a fault of the document as well."""

    def finish(self) -> None:
        """The document has ended well."""
        if not self.families:
            raise Refused(Reason.NO_FAMILY)

    def close_run(self) -> None:
        """Ends the stretch of Attributes that the open element had since its last other child."""
        end = len(self.rows.types)
        count = end - self.run_start
        if count:
            top = self.top
            fate = top.fate if top.kind is not None else Reason.MISPLACED
            name = local_name(self.attribute or "")
            ordinal = top.ordinals.get(name, 0)
            self.rows.runs.append(
                (self.document, top.label, top.serial, top.id, top.place, fate, name, count, top.children, ordinal)
            )
            top.ordinals[name] = ordinal + count
            top.children += count
            self.run_start = end

    def open_serials(self) -> list[int]:
        """The serial numbers of the elements now open: they may get more Attributes."""
        return [element.serial for element in self.stack]

    def _attribute(self, tag: str, attrib: Mapping[str, str]) -> None:
        """The first Attribute of a document, or one under another XML name than the one before."""
        if tag != self.attribute:
            self.close_run()
            # The quick way is for fields that can only be in one place.
            self.attribute = tag if len(self.type_key) == len(self.value_key) == 1 else None
        self.inside = self.depth
        self.add_type(_first(attrib, self.type_key))
        self.add_value(_first(attrib, self.value_key))

    def _open(self, kind: Kind, name: str, attrib: Mapping[str, str]) -> None:
        self.close_run()
        parent = self._open_attribute() if self.inside and self.top.label != ATTRIBUTE.label else self.top
        ordinal = parent.ordinals[name] = parent.ordinals.get(name, 0) + 1
        self.serial += 1
        element = _Open(kind, attrib, f"{parent.place}/{name}[{ordinal}]", parent.children, self.serial)
        parent.children += 1
        self._identify(element, kind, parent)
        self.stack.append(element)
        self.top = element

    def _identify(self, element: _Open, kind: Kind, parent: _Open) -> None:
        """Gives the element its id, or its fate."""
        own = _first(element.attrib, kind.own)
        key = kind.separator + escape_id(own) if own else kind.separator
        number = parent.seen[key] = parent.seen.get(key, 0) + 1
        element.own = own or None
        element.id = f"{parent.id}{key}" if own and number == 1 else f"{parent.id}{key}#{number}"
        element.fate = self._fate(element, parent)
        if element.fate is not None:
            self._reject(element, parent)
            return
        if not own:
            self._note(element, Reason.MISSING_OWN_ID)
        elif number > 1:
            self._note(element, Reason.REPEATED_ID)

    def _fate(self, element: _Open, parent: _Open) -> Reason | None:
        """Why the element is rejected, or None."""
        if element.label == TAB.label:
            element.family = parent.id if parent.label == PRODUCT_FAMILY.label else parent.family
        if parent.fate is not None:
            return Reason.PARENT_REJECTED
        if parent.kind is None and element.label == PRODUCT_FAMILY.label:
            self.families += 1
            if self.families > 1:
                return Reason.SECOND_FAMILY
        elif (parent.label, element.label) not in PATTERNS:
            return Reason.MISPLACED
        if element.label == PARAMETER_VALUE.label:
            parent.values += 1
            if parent.values > 1:
                return Reason.SECOND_VALUE
        if len(element.id) > ID_BYTES_MAX // 4 and len(element.id.encode()) > ID_BYTES_MAX:
            if parent.kind is None:
                raise Refused(Reason.TOO_LONG_KEY, element.id)
            return Reason.TOO_LONG_KEY
        return None

    def _reject(self, element: _Open, parent: _Open) -> None:
        lost = _PATTERN_NAMES.get((parent.label, element.label), ())
        if parent.label == TAB.label and element.label == TAB.label and element.family is not None:
            lost = (*lost, _TAB_OF_FAMILY)
        fate = element.fate or Reason.PARENT_REJECTED
        sample = " ".join(f'{name}="{value[:SAMPLE_LENGTH]}"' for name, value in element.attrib.items())
        self._enter(element, fate, Level.ELEMENT, Outcome.REJECTED, sample[:SAMPLE_LENGTH], lost)

    def _note(self, element: _Open, reason: Reason) -> None:
        self._enter(element, reason, Level.ELEMENT, Outcome.NOTED, (element.own or "")[:SAMPLE_LENGTH], ())

    def _enter(
        self, element: _Open, reason: Reason, level: Level, outcome: Outcome, sample: str, lost: tuple[str, ...]
    ) -> None:
        counts = element.label != ATTRIBUTE.label or element.fate is not Reason.PARENT_REJECTED
        self.rows.entries.append(
            (self.document, element.place, reason, level, outcome, element.label, sample, lost, counts)
        )

    def _open_attribute(self) -> _Open:
        """An Attribute that something mapped stands in, where nothing may: it goes on the stack as the parent."""
        owner = self.top
        # Its place is that of the last Attribute counted. It owns nothing, whatever becomes of itself.
        name = local_name(self.attribute or "")
        place = f"{owner.place}/{name}[{owner.ordinals[name]}]"
        attribute = _Open(self.kinds.by_name[name], {}, place, 0, -1)
        attribute.fate = owner.fate
        self.stack.append(attribute)
        self.top = attribute
        return attribute

    def _close(self) -> None:
        self.close_run()
        element = self.top
        self.top = self._pop()
        if element.kind is None or element.fate is not None:
            return
        if element.label == PARAMETER.label and not element.values:
            self._note(element, Reason.PARAMETER_WITHOUT_VALUE)
        extra = element.family if element.label == TAB.label else self.top.own
        fields = [_first(element.attrib, keys) for keys in element.kind.keys]
        parent = self.top.id or None
        self.rows.elements[element.label].append(
            (self.document, element.id, parent, extra, element.position, element.place, *fields)
        )

    def _pop(self) -> _Open:
        self.stack.pop()
        return self.stack[-1]


def _first(attrib: Mapping[str, str], keys: tuple[str, ...]) -> str | None:
    """The field, from the first place that has it."""
    for key in keys:
        if (text := attrib.get(key)) is not None:
            return text
    return None


class Sink(Protocol):
    """Takes the rows away when there are many."""

    @property
    def rows(self) -> Rows:
        """Where the parser puts them."""
        ...

    def relieve(self, target: Flattener) -> None:
        """Called every now and then, between two pieces of a document."""
        ...


def parse_document(document: int, pieces: Iterable[bytes], kinds: Kinds, sink: Sink) -> None:
    """Parses one document, given as UTF-8. Raises Refused with the reason when nothing of it may be loaded."""
    flattener = Flattener(document, kinds, sink.rows)
    target = TextFields(flattener, kinds, DEPTH_MAX) if kinds.has_texts else flattener
    # The encoding is known and the bytes are UTF-8 by now, whatever the declaration says.
    parser = etree.XMLParser(target=target, huge_tree=True, no_network=True, load_dtd=False, encoding="utf-8")
    try:
        for piece in pieces:
            parser.feed(piece)
            sink.relieve(flattener)
        parser.close()
        flattener.finish()
    except etree.XMLSyntaxError as error:
        reason = Reason.TOO_DEEP if "depth" in str(error.msg).lower() else Reason.NOT_WELL_FORMED
        raise Refused(reason, str(error.msg)) from None
    finally:
        flattener.close_run()
        sink.rows.serial = flattener.serial
