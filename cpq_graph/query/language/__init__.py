"""Questions in English and Finnish, understood as typed plans.

Arrives: a question and a `Linker`, made once for a version of the artifacts. Leaves: `Understood`, with the plan and
one sentence that says what it is; or `Declined`, with the reason. Every word that carries meaning is in the plan, or
the question is declined.
"""

from datetime import date

import simplemma

from cpq_graph.query.language.link import Linker
from cpq_graph.query.language.result import Declined, Understood
from cpq_graph.query.language.understanding import understand_on

__all__ = ["Declined", "Linker", "Understood", "understand", "warm_up"]


def warm_up() -> None:
    """Loads the dictionaries that tell a misspelling from a word (some 3 s of CPU, 400 MB): else the first unknown word
    of a process waits for them."""
    for language in ("en", "fi"):
        simplemma.is_known("x", lang=language)


def understand(
    question: str, linker: Linker, *, language: str | None = None, today: date | None = None
) -> Understood | Declined:
    """The plan of a question, or why there is none. `language` is en or fi, None to tell it from the words; `today` is
    what "last year" is reckoned from."""
    return understand_on(question, linker, language, today or date.today())
