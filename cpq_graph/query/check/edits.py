"""A text under repair: what it is now, and where its places were in the text as it was given."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cpq_graph.query.check.findings import Edit


def apply(source: str, edits: Iterable[Edit]) -> str:
    """The text with non-overlapping edits made; insertions at one place keep their order."""
    pieces: list[str] = []
    last = 0
    for edit in sorted(edits, key=lambda one: (one.start, one.end)):
        pieces += [source[last : edit.start], edit.text]
        last = edit.end
    return "".join([*pieces, source[last:]])


def overlapping(edits: Sequence[Edit], others: Iterable[Edit]) -> bool:
    """Whether an edit touches what one of the others changes. Insertions beside each other do not."""
    return any((one.start < other.end and other.start < one.end) or one == other for one in edits for other in others)


@dataclass(frozen=True, slots=True)
class Revision:
    """A text and the edits that led to it, step by step."""

    original: str
    text: str
    steps: tuple[tuple[Edit, ...], ...] = ()

    def edited(self, edits: Iterable[Edit]) -> "Revision":
        """The next revision."""
        step = tuple(sorted(edits, key=lambda one: (one.start, one.end)))
        return Revision(self.original, apply(self.text, step), (*self.steps, step))

    def place(self, position: int) -> int:
        """Where a place of the text was in the original; what was put in stands where it was put."""
        for step in reversed(self.steps):
            position = _back(position, step)
        return min(position, len(self.original))


def _back(position: int, step: Sequence[Edit]) -> int:
    shift = 0
    for edit in step:
        begins = edit.start + shift
        if position < begins:
            break
        if position < begins + len(edit.text):
            return edit.start
        shift += len(edit.text) - (edit.end - edit.start)
    return position - shift


def line_and_column(text: str, position: int) -> tuple[int, int]:
    """Both from 1. Lines end as the server counts them, at a line feed."""
    line = text.count("\n", 0, position) + 1
    return line, position - (text.rfind("\n", 0, position) + 1) + 1


def highlight(text: str, start: int, end: int) -> str:
    """The line of the place, and the place marked below it."""
    begin = text.rfind("\n", 0, start) + 1
    stop = text.find("\n", start)
    line = text[begin : stop if stop >= 0 else len(text)].rstrip("\r")
    width = max(1, min(end, begin + len(line)) - start)
    return f"{line}\n{' ' * (start - begin)}{'^' * width}"
