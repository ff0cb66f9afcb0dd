"""The question sets as written: templates with type, level, tags, placeholders and the name of their gold answer.

Arrives: the TOML files beside this module. Leaves: `Question`s, each with its wordings in both languages.
"""

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from cpq_graph.errors import ConfigurationError

FOLDER = Path(__file__).parent / "sets"
ANSWERABLE = ("set1", "set2", "further")
UNANSWERABLE = "unanswerable"
SETS = (*ANSWERABLE, UNANSWERABLE)
LANGUAGES: "tuple[Language, ...]" = ("en", "fi")

# Files of questions, with their set and part; and files of wordings of any question, with their part.
_QUESTIONS: "tuple[tuple[str, str, Part], ...]" = (
    *((name, name, "development") for name in SETS),
    ("further_wordings", "further", "development"),
    ("more_unanswerable", UNANSWERABLE, "development"),
    ("daily_unanswerable", UNANSWERABLE, "development"),
    ("benchmark_unanswerable", UNANSWERABLE, "development"),
)
_WORDINGS: "dict[str, Part]" = {
    "paraphrases": "development",
    "further_wordings": "development",
    "more_wordings": "development",
    "held_out": "held-out",
    "daily": "development",
    "colleagues": "development",
    "benchmark": "development",
    "chat": "development",
    "five_people": "development",
}

# Wordings that nobody has read yet are "fresh", until their first score is told (docs/evaluation.md).
Part = Literal["development", "held-out", "fresh"]
Language = Literal["en", "fi"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Texts(_Frozen):
    en: tuple[str, ...] = ()
    fi: tuple[str, ...] = ()


class _Entry(_Texts):
    id: str
    type: str
    level: str
    tags: tuple[str, ...] = ()
    gold: str | None = None
    given: dict[str, Any] = Field(default_factory=dict)
    bind: dict[str, str] = Field(default_factory=dict)


class _File(_Frozen):
    title: str
    questions: tuple[_Entry, ...] = ()
    wordings: dict[str, _Texts] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Wording:
    """One way to ask. The first development wording of a language is the `original`, the others are paraphrases."""

    language: Language
    part: Part
    template: str
    original: bool


@dataclass(frozen=True, slots=True)
class Question:
    """One meaning with all its wordings. `gold` names a function of the gold modules; without one the question cannot
    be answered. `bind` says what fills each placeholder, `given` are further arguments of the gold function."""

    id: str
    set: str
    type: str
    level: str
    tags: tuple[str, ...]
    gold: str | None
    given: dict[str, Any]
    bind: dict[str, str]
    wordings: tuple[Wording, ...]


def read_sets(folder: Path = FOLDER) -> tuple[Question, ...]:
    """All questions, in the order of the files. Raises ConfigurationError that names the file and entry."""
    files = {name: _read(folder / f"{name}.toml") for name in (*(name for name, _, _ in _QUESTIONS), *_WORDINGS)}
    known = {entry.id for file in files.values() for entry in file.questions}
    if strangers := {i for name in _WORDINGS for i in files[name].wordings} - known:
        raise ConfigurationError(f"wordings of questions that are not there: {', '.join(sorted(strangers))}")
    questions = []
    for name, set_, part in _QUESTIONS:
        for entry in files[name].questions:
            more = [(kind, files[other].wordings.get(entry.id)) for other, kind in _WORDINGS.items()]
            questions.append(_question(entry, set_, [(part, entry), *more]))
    if len({question.id for question in questions}) < len(questions):
        raise ConfigurationError("two questions have the same id")
    return tuple(questions)


def _read(path: Path) -> _File:
    try:
        return _File.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise ConfigurationError(f"{path} is missing") from None
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        raise ConfigurationError(f"{path}: {error}") from None


def _question(entry: _Entry, name: str, parts: Iterable[tuple[Part, _Texts | None]]) -> Question:
    wordings: list[Wording] = []
    for part, texts in parts:
        for language in LANGUAGES if texts is not None else ():
            for template in getattr(texts, language):
                first = not any(known.language == language for known in wordings)
                wordings.append(Wording(language, part, template, original=first and part == "development"))
    return Question(
        entry.id, name, entry.type, entry.level, entry.tags, entry.gold, entry.given, entry.bind, tuple(wordings)
    )
