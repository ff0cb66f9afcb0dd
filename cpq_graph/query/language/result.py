"""What `understand` gives back, and how the grammar says that it does not understand."""

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from cpq_graph.query.language.lexicon import Language
from cpq_graph.query.plan import Plan


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Understood(_Frozen):
    """A question with its plan. `understanding` is one plain sentence in its language, with what was assumed."""

    plan: Plan
    understanding: str
    language: Language


class Declined(_Frozen):
    """A question without a plan. `reason` is in the question's language; `not_understood` are the words that nothing
    explains; `suggestions` are choices for an ambiguity, or the closest questions that can be asked."""

    reason: str
    not_understood: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    language: Language


@dataclass(frozen=True, slots=True)
class Problem(Exception):  # noqa: N818 - not an error of the program: the way a question turns out
    """Raised within the grammar where a question cannot be planned. `key` names the message in messages.toml,
    `values` fill it; `words` were not understood; `choices` replace [start, end) of the question's tokens."""

    key: str
    values: tuple[tuple[str, str], ...] = ()
    words: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    span: tuple[int, int] | None = None
