"""What a question costs, on the graph that serves: `python bench/questions.py [--offers N --seed N] [--out FOLDER]`.

Arrives: the development questions of sets 1 and 2, bound to the sample source that the graph was made from; of wordings
that compile to the same statement with the same values, one. Leaves: a table of milliseconds by step (median, 95 %,
worst; the best of the rounds for each question, so warm), and the slowest to run, with their Cypher and query plan.
"""

import argparse
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import psutil

from bench.asked import add_arguments, asked, quantile, serving_names
from bench.plans import Operator, as_table, profiled, serving_session
from cpq_graph.evaluation.binding import Asked
from cpq_graph.query.compile import Query, compile_plan
from cpq_graph.query.engine import Engine
from cpq_graph.query.language import Linker, Understood, understand
from cpq_graph.settings import load_settings

STEPS = ("link", "compile", "check", "run", "say", "total")


class Row(NamedTuple):
    """A question with what it compiled to, the least milliseconds of each step, and the plan if it was asked for."""

    text: str
    query: Query
    times: dict[str, float]
    plan: list[Operator]


def distinct(questions: Iterable[Asked]) -> list[tuple[Asked, Query]]:
    """The first of all wordings that compile alike."""
    linker = Linker(*serving_names())
    found: dict[str, tuple[Asked, Query]] = {}
    for one in questions:
        understood = understand(one.text, linker, language=one.language)
        if isinstance(understood, Understood):
            query = compile_plan(understood.plan)
            found.setdefault(f"{query.cypher}\n{query.parameters}", (one, query))
    return list(found.values())


def measure(questions: Iterable[tuple[Asked, Query]], rounds: int, plans: int) -> list[Row]:
    """One row for each answered question, the slowest to run first; so many of them with their plan."""
    rows: list[Row] = []
    settings = load_settings()
    with Engine(settings) as engine:
        engine.warm_up()
        for one, query in questions:
            answers = [engine.ask(one.text, language=one.language) for _ in range(rounds)]
            if answers[0].status == "OK":
                times = {step: min(a.timings_ms.get(step, 0.0) for a in answers) for step in STEPS}
                rows.append(Row(one.text, query, times, []))
    rows.sort(key=lambda row: -row.times["run"])
    with serving_session(settings) as session:
        slowest = [row._replace(plan=profiled(session, row.query)) for row in rows[:plans]]
    return slowest + rows[plans:]


def as_markdown(rows: list[Row], load: float) -> str:
    """The tables."""
    lines = [f"{len(rows)} different questions; load {load:.1f}", ""]
    lines += ["| step | median ms | 95 % | worst |", "|---|---:|---:|---:|"]
    for step in STEPS:
        times = [row.times[step] for row in rows]
        lines.append(f"| {step} | " + " | ".join(f"{quantile(times, share):.1f}" for share in (0.5, 0.95, 1.0)) + " |")
    lines += ["", "Slowest to run:", ""]
    for row in rows:
        if row.plan:
            lines += [f"{row.times['run']:.0f} ms: {row.text}", "", "```cypher", row.query.cypher, "```", ""]
            lines += [f"With {row.query.parameters}", "", *as_table(row.plan), ""]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measures and writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    parser.add_argument("--plans", type=int, default=5, help="of how many the query plan is shown")
    parser.add_argument("--out", type=Path, help="folder for questions.md and questions.json")
    arguments = parser.parse_args()
    rows = measure(distinct(asked(arguments)), arguments.rounds, arguments.plans)
    if not rows:
        sys.exit("no question was answered: is this the sample that serves?")
    text = as_markdown(rows, psutil.getloadavg()[0])
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
        data = [
            {
                "question": row.text,
                "cypher": row.query.cypher,
                "plan": [each._asdict() for each in row.plan],
                **row.times,
            }
            for row in rows
        ]
        (arguments.out / "questions.json").write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n")
        (arguments.out / "questions.md").write_text(text)
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
