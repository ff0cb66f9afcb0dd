"""Fields that a site keeps in texts → fields among the XML attributes.

Arrives: lxml's events, where `<Value><Measure>57</Measure></Value>` has its measure in the text of a child, or
`<Mark kind="size">57</Mark>` its value in its own. Leaves: the events as if it had been an XML attribute, for the
flattener, which then needs one way to look only. An element is held back until its first mapped child opens or it ends
itself, so its fields may stand in any order before its mapped children; later ones are still good for all but the id.
"""

from collections.abc import Mapping
from typing import Protocol

from cpq_graph.model import PROPERTY_BYTES_MAX
from transform.kinds import OWN_TEXT, Kind, Kinds, local_name, text_key
from transform.rejects import Reason, Refused


class Events(Protocol):
    """Who takes the changed events."""

    def start(self, tag: str, attrib: Mapping[str, str]) -> None:
        """An element opens."""
        ...

    def end(self, tag: str) -> None:
        """An element closes."""
        ...

    def doctype(self, name: str, public: str | None, system: str | None) -> None:
        """A document type comes."""
        ...

    def close(self) -> None:
        """The document ends."""
        ...


class _Text:
    """A text as it comes in pieces, and under which key it is a field. What is too long for any property is cut, but
    stays too long."""

    __slots__ = ("depth", "key", "length", "pieces")

    def __init__(self, key: str, depth: int) -> None:
        self.key = key
        self.depth = depth
        self.pieces: list[str] = []
        self.length = 0

    def add(self, text: str) -> None:
        """The next piece."""
        if self.length <= PROPERTY_BYTES_MAX:
            self.pieces.append(text[: PROPERTY_BYTES_MAX + 1])
            self.length += len(text)


class _Held:
    """An open mapped element: how deep it is, its fields so far, its own text where that is a field, the text that is
    being read of a child, whether it has any children, and whether its start was passed on."""

    __slots__ = ("attrib", "depth", "has_children", "kind", "own", "passed", "reading", "tag")

    def __init__(self, kind: Kind, tag: str, attrib: Mapping[str, str], depth: int) -> None:
        self.kind = kind
        self.tag = tag
        self.attrib = dict(attrib)
        self.depth = depth
        self.own = _Text(OWN_TEXT, depth) if kind.has_own_text else None
        self.reading: _Text | None = None
        self.has_children = False
        self.passed = False

    def keep_own(self) -> None:
        """Its own text becomes a field. Between children, blanks at the ends are how the file was laid out."""
        if self.own is not None:
            text = "".join(self.own.pieces)
            self.attrib[OWN_TEXT] = text.strip(" \t\r\n") if self.has_children else text


class TextFields:
    """lxml's parser target in front of another. Only mapped elements are passed on."""

    def __init__(self, target: Events, kinds: Kinds, depth_max: int) -> None:
        self.target = target
        self.kinds = kinds
        self.depth_max = depth_max
        self.depth = 0
        self.held: list[_Held] = []

    def start(self, tag: str, attrib: Mapping[str, str]) -> None:
        """An element opens."""
        self.depth += 1
        if self.depth > self.depth_max:
            raise Refused(Reason.TOO_DEEP, f"over {self.depth_max} levels of elements")
        if self.held and self.held[-1].depth == self.depth - 1:
            top = self.held[-1]
            top.has_children = True
            # A field of this element is a field, whatever an element of its name is elsewhere.
            if (name := local_name(tag)) in top.kind.texts:
                top.reading = _Text(text_key(name), self.depth)
                return
        kind = self.kinds[tag]
        if kind is not None:
            self._pass_on()
            self.held.append(_Held(kind, tag, attrib, self.depth))

    def data(self, text: str) -> None:
        """A piece of text."""
        if not self.held:
            return
        top = self.held[-1]
        if top.reading is not None:
            top.reading.add(text)
        elif top.own is not None and top.depth == self.depth:
            top.own.add(text)

    def end(self, tag: str) -> None:
        """An element closes."""
        if self.held:
            top = self.held[-1]
            if top.reading is not None and top.reading.depth == self.depth:
                self._keep(top, top.reading)
                top.reading = None
            elif top.depth == self.depth:
                self._pass_on()
                top.keep_own()
                self.held.pop()
                self.target.end(tag)
        self.depth -= 1

    def doctype(self, name: str, public: str | None, system: str | None) -> None:
        """A document type comes."""
        self.target.doctype(name, public, system)

    def close(self) -> None:
        """The document ends."""
        self.target.close()

    def _keep(self, top: _Held, field: _Text) -> None:
        if field.key in top.attrib:
            return
        if top.passed and field.key in top.kind.own:
            raise Refused(Reason.ID_AFTER_CHILDREN, f"<{top.tag}> has its id after mapped children")
        top.attrib[field.key] = "".join(field.pieces)

    def _pass_on(self) -> None:
        if self.held and not self.held[-1].passed:
            top = self.held[-1]
            top.passed = True
            top.keep_own()
            self.target.start(top.tag, top.attrib)
