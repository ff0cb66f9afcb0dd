"""A graph of a company's finalized offers, and questions to it in English and Finnish.

One question:

    >>> import cpq_graph
    >>> answer = cpq_graph.ask("How many offers were sent in 2024?")
    >>> print(answer.answer)

Many: an `Engine` keeps its connection and what it knows of the graph between them.

    >>> with cpq_graph.Engine() as engine:
    ...     answers = [engine.ask(question) for question in questions]

Without `settings` those of the environment hold (`CPQ_GRAPH_…` and `.env`). docs/tutorial.md goes on from here.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cpq_graph.errors import CpqGraphError
    from cpq_graph.query.answer import Answer, QueryResult
    from cpq_graph.query.check import Checked, Finding
    from cpq_graph.query.engine import Engine
    from cpq_graph.settings import Settings

__all__ = [
    "Answer", "Checked", "CpqGraphError", "Engine", "Finding", "QueryResult", "Settings", "ask", "ask_async",
]  # fmt: skip

# Where each name is from: looked up at its first use, for what an engine needs takes a second to import.
_HOMES = {
    "Answer": "cpq_graph.query.answer",
    "Checked": "cpq_graph.query.check",
    "CpqGraphError": "cpq_graph.errors",
    "Engine": "cpq_graph.query.engine",
    "Finding": "cpq_graph.query.check",
    "QueryResult": "cpq_graph.query.answer",
    "Settings": "cpq_graph.settings",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def ask(
    question: str, *, language: str | None = None, engine: str = "compiled", settings: "Settings | None" = None
) -> "Answer":
    """The answer to one question in English or Finnish, with its rows and the Cypher that made them.

    Connects, asks and disconnects; for more than one question keep an `Engine`. `language` ("en", "fi") overrides what
    is detected, `settings` those of the environment. A question that cannot be answered is no error: its status is
    DECLINED, with the reason. Raises ConfigurationError for a setting, language or engine that is wrong, ArtifactsError
    when no graph was loaded yet, TargetError when its server does not answer; all are CpqGraphErrors.

        >>> answer = cpq_graph.ask("Mikä on SNEP MODE P:n suosituin pituus vuonna 2024?")
        >>> answer.status, answer.language
        ('OK', 'fi')
    """
    from cpq_graph.query.engine import Engine

    with Engine(settings) as opened:
        return opened.ask(question, engine=engine, language=language)


async def ask_async(
    question: str, *, language: str | None = None, engine: str = "compiled", settings: "Settings | None" = None
) -> "Answer":
    """`ask` for asyncio: the same, in a thread, so that the loop goes on.

        >>> answer = await cpq_graph.ask_async("How many offers are there?")

    Several at once share one engine: `asyncio.gather(*(engine.ask_async(question) for question in questions))`.
    """
    from asyncio import to_thread

    return await to_thread(ask, question, language=language, engine=engine, settings=settings)
