"""What the checker says: findings for people, problems and edits for the rules."""

from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict


@dataclass(frozen=True, slots=True)
class Edit:
    """Replaces the characters from `start` to `end` by `text`; nothing else changes."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Problem:
    """What a rule found at a place of the text it was given. With `edits` the repair is the only one possible; without,
    the query is refused, unless it is a `note`."""

    message: str
    start: int
    end: int
    edits: tuple[Edit, ...] = ()
    hint: str | None = None
    note: bool = False


class Finding(BaseModel):
    """A problem as the asker sees it. `line` and `column` count from 1 in the query as it was given; `highlight` is
    that line with the place marked below; `note` findings inform and change nothing."""

    model_config = ConfigDict(frozen=True)

    rule: str
    message: str
    line: int
    column: int
    repaired: bool = False
    highlight: str = ""
    hint: str | None = None
    note: bool = False


class Checked(BaseModel):
    """The outcome. `cypher` is the query to run when status is OK or REPAIRED; with REFUSED it is the text as far as it
    was repaired, and must not be run."""

    model_config = ConfigDict(frozen=True)

    status: Literal["OK", "REPAIRED", "REFUSED"]
    cypher: str
    findings: tuple[Finding, ...] = ()

    @property
    def runnable(self) -> bool:
        """Whether `cypher` may be run."""
        return self.status != "REFUSED"
