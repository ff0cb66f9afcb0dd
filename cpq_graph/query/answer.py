"""What an asker gets: the typed result of a question, of a check and of a query, with JSON-safe rows."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from cpq_graph.query.check import Finding


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Answer(_Frozen):
    """The result of a question.

    OK: `answer` in words, `rows` as evidence (`truncated` when the row cap cut them), and the Cypher that made them.
    DECLINED: `reason` names what was not understood or cannot be asked, `suggestions` the closest that can.
    ERROR: `reason` says what failed and what to do.
    `timings_ms` is by step: link, compile, check, run, say, total.
    """

    status: Literal["OK", "DECLINED", "ERROR"]
    answer: str | None = None
    understanding: str | None = None
    columns: tuple[str, ...] = ()
    rows: tuple[dict[str, Any], ...] = ()
    truncated: bool = False
    cypher: str | None = None
    parameters: dict[str, Any] = Field(default_factory=dict)
    language: str = "en"
    engine: str = "compiled"
    timings_ms: dict[str, float] = Field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    reason: str | None = None
    suggestions: tuple[str, ...] = ()


class QueryResult(_Frozen):
    """The result of a checked read-only query. REFUSED: `findings` say why, and nothing was run."""

    status: Literal["OK", "REPAIRED", "REFUSED", "ERROR"]
    cypher: str
    columns: tuple[str, ...] = ()
    rows: tuple[dict[str, Any], ...] = ()
    truncated: bool = False
    findings: tuple[Finding, ...] = ()
    reason: str | None = None
    timings_ms: dict[str, float] = Field(default_factory=dict)
