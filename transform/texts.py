"""Fields that a site keeps in the text of child elements → fields among the XML attributes.

Arrives: lxml's events, where `<Value><Measure>57</Measure></Value>` has its measure in a text. Leaves: the events as if
it had been an XML attribute, for the flattener, which then needs one way to look only. An element is held back until
its first mapped child opens or it ends itself, so its fields may stand in any order before its mapped children; later
ones are still good for all but the id.
"""

from collections.abc import Mapping
from typing import Protocol

from cpq_graph.model import PROPERTY_BYTES_MAX
from transform.kinds import Kind, Kinds, local_name, text_key
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


class _Held:
    """An open mapped element: how deep it is, its fields so far, and whether its start was passed on."""

    __slots__ = ("attrib", "depth", "kind", "passed", "tag")

    def __init__(self, kind: Kind, tag: str, attrib: Mapping[str, str], depth: int) -> None:
        self.kind = kind
        self.tag = tag
        self.attrib = dict(attrib)
        self.depth = depth
        self.passed = False


class TextFields:
    """lxml's parser target in front of another. Only mapped elements are passed on."""

    def __init__(self, target: Events, kinds: Kinds, depth_max: int) -> None:
        self.target = target
        self.kinds = kinds
        self.depth_max = depth_max
        self.depth = 0
        self.held: list[_Held] = []
        # The field whose text is being read, and its pieces.
        self.reading: tuple[int, str] | None = None
        self.pieces: list[str] = []
        self.length = 0

    def start(self, tag: str, attrib: Mapping[str, str]) -> None:
        """An element opens."""
        self.depth += 1
        if self.depth > self.depth_max:
            raise Refused(Reason.TOO_DEEP, f"over {self.depth_max} levels of elements")
        kind = self.kinds[tag]
        if kind is not None:
            self._pass_on()
            self.held.append(_Held(kind, tag, attrib, self.depth))
        elif self.reading is None and self.held:
            top = self.held[-1]
            name = local_name(tag)
            if top.depth == self.depth - 1 and name in top.kind.texts:
                self.reading = (self.depth, text_key(name))
                self.pieces, self.length = [], 0

    def data(self, text: str) -> None:
        """A piece of text."""
        # What is too long for any property is cut, but stays too long.
        if self.reading is not None and self.length <= PROPERTY_BYTES_MAX:
            self.pieces.append(text[: PROPERTY_BYTES_MAX + 1])
            self.length += len(text)

    def end(self, tag: str) -> None:
        """An element closes."""
        if self.reading is not None and self.reading[0] == self.depth:
            self._keep(self.reading[1], "".join(self.pieces))
            self.reading = None
        elif self.held and self.held[-1].depth == self.depth:
            self._pass_on()
            self.held.pop()
            self.target.end(tag)
        self.depth -= 1

    def doctype(self, name: str, public: str | None, system: str | None) -> None:
        """A document type comes."""
        self.target.doctype(name, public, system)

    def close(self) -> None:
        """The document ends."""
        self.target.close()

    def _keep(self, key: str, text: str) -> None:
        top = self.held[-1]
        if key in top.attrib:
            return
        if top.passed and key in top.kind.own:
            raise Refused(Reason.ID_AFTER_CHILDREN, f"<{top.tag}> has its id after mapped children")
        top.attrib[key] = text

    def _pass_on(self) -> None:
        if self.held and not self.held[-1].passed:
            self.held[-1].passed = True
            self.target.start(self.held[-1].tag, self.held[-1].attrib)
