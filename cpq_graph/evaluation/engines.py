"""The engine's ways to answer, as configurations of the harness.

Arrives: an open engine, the name of one of its engines. Leaves: a `Configuration`.
"""

import json

from cpq_graph.evaluation.harness import Configuration, Reply
from cpq_graph.evaluation.sets import Language
from cpq_graph.query.answer import Answer
from cpq_graph.query.engine import Engine


def of_engine(engine: Engine, name: str) -> Configuration:
    """The engine called `name`, told the language that the question is in."""

    def answer(question: str, language: Language) -> Reply:
        return reply_of(engine.ask(question, engine=name, language=language))

    return Configuration(name, answer)


def reply_of(answer: Answer) -> Reply:
    """An answer as the harness counts it. Everything before the run is generation, its checking included."""
    spent = answer.timings_ms
    run, say = spent.get("run", 0.0), spent.get("say", 0.0)
    return Reply(
        rows=answer.rows,
        declined=answer.status == "DECLINED",
        failed=answer.status == "ERROR",
        reason=answer.reason,
        understanding=answer.understanding,
        cypher_before=answer.cypher,
        cypher_after=answer.cypher,
        t1=(spent.get("total", 0.0) - run - say) / 1000,
        t2=run / 1000,
        t3=say / 1000,
        raw=None if answer.answer is None else json.dumps([answer.answer, answer.rows[:20]], ensure_ascii=False),
    )
