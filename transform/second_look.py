"""Whether a document whose namespaces are wrong is well-formed otherwise.

Arrives: UTF-8 in pieces. Leaves: the first fault, if there is one. Namespaces are ignored, so a prefix that nobody
declared is no reason to refuse a document. But after such a fault libxml2 (2.14) says nothing of what follows the root
element, and a second document behind the first would be lost without a word. Expat looks at those.
"""

from collections.abc import Sequence
from typing import Protocol
from xml.parsers import expat


class _Entry(Protocol):
    domain_name: str
    type_name: str


def has_wrong_namespaces(log: Sequence[_Entry]) -> bool:
    """Whether the parser's log has a fault of namespaces."""
    return any("NS_" in entry.type_name for entry in log)


class SecondLook:
    """Expat, which knows nothing of namespaces unless it is asked to."""

    def __init__(self) -> None:
        self._parser = expat.ParserCreate("utf-8")
        self.fault: str | None = None

    def feed(self, piece: bytes, *, last: bool = False) -> None:
        """Takes the next piece; nothing more after a fault."""
        if self.fault is None:
            try:
                self._parser.Parse(piece, last)
            except expat.ExpatError as error:
                self.fault = str(error)
