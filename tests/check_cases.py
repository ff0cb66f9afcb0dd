"""The files in tests/cases/check: for each rule what must pass, what must become what, and what must be refused.

A line is a query; `\\n` and `\\r` in it are line breaks. Below [repair], the line after a query says what it becomes.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

FOLDER = Path(__file__).parent / "cases" / "check"


@dataclass(frozen=True)
class Case:
    rule: str
    kind: str
    text: str
    expected: str

    def __str__(self) -> str:
        return f"{self.rule}-{self.kind}: {self.text}"


def cases() -> list[Case]:
    found: list[Case] = []
    for file in sorted(FOLDER.glob("*.txt")):
        kind = ""
        for line in file.read_text().splitlines():
            text = line.replace("\\n", "\n").replace("\\r", "\r")
            if line.startswith("["):
                kind = line.strip("[]")
            elif line.startswith("=> "):
                found[-1] = Case(file.stem, kind, found[-1].text, text.removeprefix("=> "))
            elif line.strip():
                found.append(Case(file.stem, kind, text, text))
    return found


class Places:
    """Where a small graph holds which values."""

    _PLACES: ClassVar = {
        "SNEP® MODE P": (("ProductFamily", "name"),),
        "Valo Oy": (("Participant", "company"),),
        "Aino Niemi": (("Participant", "name"),),
        "pituus": (("Attribute", "value"),),
        "ext_id": (("Attribute", "type"),),
        "Length": (("Parameter", "name"),),
        "Black": (("ParameterValue", "name"),),
        "Twice": (("Participant", "company"), ("ProductFamily", "name")),
    }

    def places(self, value: str) -> tuple[tuple[str, str], ...]:
        return self._PLACES.get(value, ())
