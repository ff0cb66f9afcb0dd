"""One document's XML → rows, in one pass that holds no more of it than the elements now open.

Arrives: UTF-8 in pieces. Leaves: rows in `Rows`, with ids relative to the document, and entries for what is left out.
A document that fails raises `Refused`; its rows may be in `Rows` already and must not be used.
"""

from collections.abc import Iterable, Mapping
from typing import Protocol

from lxml import etree

from cpq_graph.model import ATTRIBUTE, INDEXED_BYTES_MAX, PARAMETER, PARAMETER_VALUE, PRODUCT_FAMILY, TAB
from transform.abbreviate import Abbreviator
from transform.collected import (
    ATTRIB,
    CHILDREN,
    DOCUMENT,
    FAMILY,
    FATE,
    ID,
    KIND,
    ORDINALS,
    OWN,
    PARENT,
    PLACE,
    POSITION,
    SEEN,
    SERIAL,
    VALUES,
    Element,
    Rows,
    document_element,
    render_place,
)
from transform.kinds import PATTERNS, RUN, Kind, Kinds, first_field
from transform.markup import bounded
from transform.rejects import SAMPLE_LENGTH, Level, Outcome, Reason, Refused
from transform.second_look import SecondLook, has_wrong_namespaces
from transform.texts import TextFields

# Deeper documents are refused. libxml2 itself stops at 2048 with huge_tree, which long texts need.
DEPTH_MAX = 256
# Elements directly in one other, which are remembered until it ends: some 200 bytes each.
CHILDREN_MAX = 500_000
# A product's id comes before an element's; together they must fit a key.
ID_BYTES_MAX = INDEXED_BYTES_MAX - 200

_ESCAPES = {ord(mark): f"%{ord(mark):02X}" for mark in "%/.:=#"}
_FAMILY, _TAB, _PARAMETER, _VALUE = PRODUCT_FAMILY.label, TAB.label, PARAMETER.label, PARAMETER_VALUE.label


def escape_id(text: str) -> str:
    """An id with the marks that put ids together percent-escaped."""
    return text.translate(_ESCAPES)


class Flattener:
    """lxml's parser target. Its callbacks see every element of every document, so they do little."""

    def __init__(self, kinds: Kinds, rows: Rows, abbreviator: Abbreviator | None) -> None:
        self.kinds = kinds
        self.rows = rows
        self.abbreviator = abbreviator
        # All XML names of a label have the same fields.
        self.single = {kind.label: kind.single for kind in kinds.by_name.values()}
        # The number last given to an element; never given again.
        self.serial = 0
        self.begin(0)

    def begin(self, document: int) -> None:
        """Another document."""
        self.depth = 0
        # The depth of the Attribute that is open, 0 when none is, and whether it is on top as a parent (see
        # `_open_attribute`); the kind and number of those that came one by one since the last other child.
        self.inside = 0
        self.is_parent = False
        self.attribute = self.kinds.attribute[1]
        self.pending = 0
        self.families = 0
        self.top = document_element(document)

    def start(self, tag: str, attrib: Mapping[str, str]) -> None:
        """An element opens."""
        self.depth = depth = self.depth + 1
        if depth > DEPTH_MAX:
            raise Refused(Reason.TOO_DEEP, f"over {DEPTH_MAX} levels of elements")
        kind = self.kinds[tag]
        if kind is None:
            return
        if kind is RUN:
            self._run(attrib["n"])
        elif kind.label == ATTRIBUTE.label and not self.inside:
            self._attribute(kind, attrib)
        else:
            self._open(kind, attrib)

    def end(self, tag: str) -> None:
        """An element closes."""
        depth = self.depth
        self.depth = depth - 1
        kind = self.kinds[tag]
        if kind is None or kind is RUN:
            return
        if self.inside != depth:
            self._close(kind)
            return
        self.inside = 0
        if self.is_parent:
            self.is_parent = False
            self.top = self.top[PARENT]

    def doctype(self, name: str, public: str | None, system: str | None) -> None:
        """A document type: entities, external ones among them, could follow. Nothing of it is ever read."""
        raise Refused(Reason.DOCTYPE, f"<!DOCTYPE {name} {public or ''} {system or ''}".rstrip())

    def close(self) -> None:
        """The parser ends, at a fault of the document as well."""

    def close_run(self) -> None:
        """Ends the run of Attributes that came one by one."""
        if self.pending:
            count, self.pending = self.pending, 0
            self._add_run(self.attribute.name, count, None)

    def open_serials(self) -> list[int]:
        """The serial numbers of the elements now open: they may get more Attributes."""
        serials = []
        element = self.top
        while element is not None:
            serials.append(element[SERIAL])
            element = element[PARENT]
        return serials

    def _attribute(self, kind: Kind, attrib: Mapping[str, str]) -> None:
        if kind is not self.attribute:
            self.close_run()
            self.attribute = kind
        self.inside = self.depth
        self.pending += 1
        types, values = kind.keys
        self.rows.types.append(first_field(attrib, types))
        self.rows.values.append(first_field(attrib, values))

    def _run(self, key: str) -> None:
        """A run of plain Attributes."""
        if self.abbreviator is None:
            raise ValueError("a run in a document that was not abbreviated")
        text = self.abbreviator.take(key)
        if self.inside:
            # In another Attribute, where they may not be: each is looked at by itself.
            words, ((type_key,), (value_key,)) = text.decode().split('"'), self.attribute.keys
            for type_, value in zip(words[1::4], words[3::4], strict=True):
                self._open(self.attribute, {type_key: type_, value_key: value})
                self._close(self.attribute)
            return
        if self.pending:
            self.close_run()
        count = text.count(b'"') // 4
        self._add_run(self.attribute.name, count, text)
        self.rows.abbreviated += count

    def _add_run(self, name: str, count: int, text: bytes | None) -> None:
        top = self.top
        kind, ordinals, position = top[KIND], top[ORDINALS], top[CHILDREN]
        ordinal = ordinals.get(name, 0)
        self.rows.runs += (
            top[DOCUMENT], kind.label if kind is not None else "", top[SERIAL], top[ID], top[FATE], top[PLACE],
            name, count, position, ordinal, text,
        )  # fmt: skip
        ordinals[name] = ordinal + count
        top[CHILDREN] = position + count
        if position + count > CHILDREN_MAX:
            raise Refused(Reason.TOO_LARGE, f"over {CHILDREN_MAX} elements in one other")

    def _open(self, kind: Kind, attrib: Mapping[str, str]) -> None:
        if self.pending:
            self.close_run()
        parent = self.top
        if self.inside and not self.is_parent:
            parent = self._open_attribute(parent)
        name = kind.name
        ordinals = parent[ORDINALS]
        ordinal = ordinals[name] = ordinals.get(name, 0) + 1
        position = parent[CHILDREN]
        parent[CHILDREN] = position + 1
        if position >= CHILDREN_MAX:
            raise Refused(Reason.TOO_LARGE, f"over {CHILDREN_MAX} elements in one other")
        self.serial += 1

        own = attrib.get(kind.own[0]) if len(kind.own) == 1 else first_field(attrib, kind.own)
        key = kind.separator
        if own:
            # Most ids need no escaping, and this is the quickest way to see it.
            key += own if own.isidentifier() else own.translate(_ESCAPES)
        seen = parent[SEEN]
        number = seen[key] = seen.get(key, 0) + 1
        element_id = parent[ID] + key if own and number == 1 else f"{parent[ID]}{key}#{number}"
        place = (parent[PLACE], name, ordinal)
        self.top = element = [
            parent[DOCUMENT], kind, element_id, parent, own, None, position, place, attrib, self.serial, None,
            0, 0, {}, {},
        ]  # fmt: skip
        fate = self._fate(element, kind, parent)
        if fate is not None:
            element[FATE] = fate
            self._reject(element, fate)
        elif not own:
            self._note(element, Reason.MISSING_OWN_ID)
        elif number > 1:
            self._note(element, Reason.REPEATED_ID)

    def _fate(  # noqa: PLR0911 - one for each reason
        self, element: Element, kind: Kind, parent: Element
    ) -> Reason | None:
        """Why the element is rejected, or None. Tells a tab its family, a parameter how many values it has."""
        above: Kind | None = parent[KIND]
        if kind.label == _TAB and above is not None:
            element[FAMILY] = parent[ID] if above.label == _FAMILY else parent[FAMILY]
        if parent[FATE] is not None:
            return Reason.PARENT_REJECTED
        if above is None:
            if kind.label != _FAMILY:
                return Reason.MISPLACED
            self.families += 1
            if self.families > 1:
                return Reason.SECOND_FAMILY
        elif above.label not in kind.parents:
            return Reason.MISPLACED
        elif kind.label == _VALUE:
            parent[VALUES] += 1
            if parent[VALUES] > 1:
                return Reason.SECOND_VALUE
        if len(element[ID]) > ID_BYTES_MAX // 4 and len(element[ID].encode()) > ID_BYTES_MAX:
            if above is None:
                raise Refused(Reason.TOO_LONG_KEY, element[ID])
            return Reason.TOO_LONG_KEY
        return None

    def _open_attribute(self, owner: Element) -> Element:
        """An Attribute that something mapped stands in, where nothing may: it becomes the parent. It is the last that
        was counted, owns nothing, and what is in it shares its fate when its owner is rejected."""
        place = (owner[PLACE], self.attribute.name, owner[ORDINALS][self.attribute.name])
        fate = owner[FATE]
        self.is_parent = True
        self.top = attribute = [
            owner[DOCUMENT], self.attribute, "", owner, None, None, 0, place, {}, 0, fate, 0, 0, {}, {},
        ]  # fmt: skip
        return attribute

    def _close(self, kind: Kind) -> None:
        if self.pending:
            self.close_run()
        element = self.top
        self.top = element[PARENT]
        if element[FATE] is None:
            label = kind.label
            if label == _PARAMETER and not element[VALUES]:
                self._note(element, Reason.PARAMETER_WITHOUT_VALUE)
            parent, attrib, single = element[PARENT], element[ATTRIB], self.single[label]
            cells = self.rows.elements[label]
            cells += (
                element[DOCUMENT], element[ID], parent[ID] or None, element[FAMILY], parent[OWN] or None,
                element[POSITION], element[PLACE],
            )  # fmt: skip
            if single is not None:
                cells += map(attrib.get, single)
            else:
                cells += [first_field(attrib, keys) for keys in kind.keys]

    def _reject(self, element: Element, fate: Reason) -> None:
        label = element[KIND].label
        above = "" if element[PARENT][KIND] is None else element[PARENT][KIND].label
        lost = [PATTERNS[above, label].name] if (above, label) in PATTERNS else []
        if above == label == _TAB and element[FAMILY] is not None:
            lost.append(PATTERNS[_FAMILY, _TAB].name)
        sample = " ".join(f'{name}="{value[:SAMPLE_LENGTH]}"' for name, value in element[ATTRIB].items())
        self._enter(element, fate, Outcome.REJECTED, sample, lost)

    def _note(self, element: Element, reason: Reason) -> None:
        self._enter(element, reason, Outcome.NOTED, element[OWN] or "", [])

    def _enter(self, element: Element, reason: Reason, outcome: Outcome, sample: str, lost: list[str]) -> None:
        label = element[KIND].label
        # An Attribute is a node by what it says, not where; one that cannot be a node counts for itself.
        counts = label != ATTRIBUTE.label or reason is not Reason.PARENT_REJECTED
        place = render_place(element[PLACE])
        self.rows.entries.append(
            (element[DOCUMENT], place, reason, Level.ELEMENT, outcome, label, sample[:SAMPLE_LENGTH], lost, counts)
        )


class Sink(Protocol):
    """Takes the rows away when there are many."""

    @property
    def rows(self) -> Rows:
        """Where the parser puts them."""
        ...

    def relieve(self, target: Flattener) -> None:
        """Called every now and then, between two pieces of a document."""
        ...


class Faulty(Exception):  # noqa: N818 - it is an outcome, not an error
    """A document gives nothing, or something that cannot be trusted: to be read again as it is."""


class DocumentParser:
    """Parses document after document."""

    def __init__(self, kinds: Kinds, sink: Sink) -> None:
        self._kinds = kinds
        self._sink = sink
        self._abbreviator = Abbreviator(kinds) if kinds.has_plain_attributes else None
        self._flattener = Flattener(kinds, sink.rows, self._abbreviator)
        self._parser = self._new_parser()

    def _new_parser(self) -> etree.XMLParser:
        texts = self._kinds.has_texts
        target = TextFields(self._flattener, self._kinds, DEPTH_MAX) if texts else self._flattener
        # The encoding is known and the bytes are UTF-8 by now, whatever the declaration says.
        return etree.XMLParser(target=target, huge_tree=True, no_network=True, load_dtd=False, encoding="utf-8")

    def parse(self, document: int, pieces: Iterable[bytes], *, as_it_is: bool = False) -> None:
        """Parses one document, given as UTF-8. Raises Refused with the reason when nothing of it may be loaded, and
        Faulty when that can only be said after another look, `as_it_is`."""
        flattener, parser = self._flattener, self._parser
        abbreviator = None if as_it_is else self._abbreviator
        second_look = SecondLook() if as_it_is else None
        flattener.begin(document)
        if abbreviator is not None:
            abbreviator.begin()
        try:
            for piece in bounded(pieces):
                parser.feed(piece if abbreviator is None else abbreviator.shorten(piece))
                if second_look is not None:
                    second_look.feed(piece)
                self._sink.relieve(flattener)
            parser.close()
            if has_wrong_namespaces(parser.feed_error_log):
                if second_look is None:
                    raise Faulty
                second_look.feed(b"", last=True)
                if second_look.fault is not None:
                    raise Refused(Reason.NOT_WELL_FORMED, second_look.fault)
            if not flattener.families:
                # Two Attributes at the root are one element when abbreviated: whether that is all is seen below.
                raise Refused(Reason.NO_FAMILY) if abbreviator is None else Faulty
        except BaseException as error:
            # A parser that failed keeps some of what it was doing.
            self._parser = self._new_parser()
            if not isinstance(error, etree.XMLSyntaxError):
                raise
            if abbreviator is not None:
                raise Faulty from None
            raise Refused(Reason.NOT_WELL_FORMED, str(error.msg)) from None
        finally:
            flattener.close_run()
