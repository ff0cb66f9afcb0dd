"""The harness: every question to every configuration, several times, and what came of it.

Arrives: questions as asked, configurations, how often. Leaves: an append-only file of attempts, one JSON object a line.
A run that was interrupted goes on where it stopped: what stands in the file is not asked again.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from cpq_graph.evaluation.binding import Asked
from cpq_graph.evaluation.compare import agrees
from cpq_graph.evaluation.sets import Language

Status = Literal["OK", "WRONG_RESULT", "SYNTAX_ERROR", "NO_ATTEMPT"]
ATTEMPTS = "attempts.jsonl"


@dataclass(frozen=True, slots=True)
class Reply:
    """What a configuration makes of a question. `declined` and `failed` (with the reason) exclude rows. Times are
    seconds: generation (all up to the Cypher), execution, wording. Tokens are over all calls of a model."""

    rows: Sequence[dict[str, Any]] = ()
    declined: bool = False
    failed: bool = False
    reason: str | None = None
    understanding: str | None = None
    cypher_before: str | None = None
    cypher_after: str | None = None
    t1: float = 0.0
    t2: float = 0.0
    t3: float = 0.0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    raw: str | None = None


@dataclass(frozen=True, slots=True)
class Configuration:
    """A way to answer, by the name that reports use."""

    name: str
    answer: Callable[[str, Language], Reply]


class Attempt(BaseModel):
    """One question to one configuration, once. `right` is status OK or, where a question cannot be answered,
    NO_ATTEMPT. `data` identifies the source that was asked about."""

    model_config = ConfigDict(frozen=True)

    data: str
    configuration: str
    key: str
    repeat: int
    question: str
    set: str
    part: str
    original: bool
    type: str
    level: str
    tags: tuple[str, ...]
    language: str
    text: str
    status: Status
    right: bool
    rows: int
    gold_rows: int
    t1: float
    t2: float
    t3: float
    prompt_tokens: int
    completion_tokens: int
    cypher_before: str | None
    cypher_after: str | None
    understanding: str | None
    reason: str | None
    raw: str | None


def evaluate(
    asked: Sequence[Asked],
    configurations: Iterable[Configuration],
    folder: Path,
    *,
    data: str,
    repeats: int = 3,
    progress: Callable[[int], object] = lambda _: None,
) -> list[Attempt]:
    """All attempts, those of the file and the missing ones, in order: repeat by repeat, so that a warm-up falls on the
    first of each. Raises CpqGraphError when a configuration cannot answer at all (no server, no graph)."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / ATTEMPTS
    known = {_key(attempt): attempt for attempt in read_attempts(path)}
    attempts: list[Attempt] = []
    with path.open("a", encoding="utf-8", newline="\n") as file:
        if file.tell() and not path.read_bytes().endswith(b"\n"):
            file.write("\n")
        for configuration in configurations:
            for repeat in range(1, repeats + 1):
                for question in asked:
                    attempt = known.get((data, configuration.name, question.key, repeat, question.text))
                    if attempt is None:
                        attempt = _attempt(question, configuration, repeat, data)
                        file.write(attempt.model_dump_json() + "\n")
                        file.flush()
                    attempts.append(attempt)
                    progress(1)
    return attempts


def read_attempts(path: Path) -> Iterator[Attempt]:
    """The attempts of a file. A line that a killed run left unfinished is passed over."""
    if not path.exists():
        return
    with path.open(encoding="utf-8") as file:
        for line in file:
            try:
                yield Attempt.model_validate(json.loads(line))
            except (json.JSONDecodeError, ValidationError):
                continue


def status_of(question: Asked, reply: Reply) -> Status:
    """What came of a reply."""
    if reply.declined:
        return "NO_ATTEMPT"
    if reply.failed:
        return "SYNTAX_ERROR"
    if question.gold is not None and agrees(question.gold, reply.rows, question.constants):
        return "OK"
    return "WRONG_RESULT"


def _key(attempt: Attempt) -> tuple[str, str, str, int, str]:
    return attempt.data, attempt.configuration, attempt.key, attempt.repeat, attempt.text


def _attempt(asked: Asked, configuration: Configuration, repeat: int, data: str) -> Attempt:
    reply = configuration.answer(asked.text, asked.language)
    status, question = status_of(asked, reply), asked.question
    return Attempt(
        data=data,
        configuration=configuration.name,
        key=asked.key,
        repeat=repeat,
        question=question.id,
        set=question.set,
        part=asked.part,
        original=asked.original,
        type=question.type,
        level=question.level,
        tags=question.tags,
        language=asked.language,
        text=asked.text,
        status=status,
        right=status == ("NO_ATTEMPT" if asked.gold is None else "OK"),
        rows=len(reply.rows),
        gold_rows=0 if asked.gold is None else asked.gold.frame.height,
        t1=reply.t1,
        t2=reply.t2,
        t3=reply.t3,
        prompt_tokens=reply.prompt_tokens,
        completion_tokens=reply.completion_tokens,
        cypher_before=reply.cypher_before,
        cypher_after=reply.cypher_after,
        understanding=reply.understanding,
        reason=reply.reason,
        raw=reply.raw,
    )
