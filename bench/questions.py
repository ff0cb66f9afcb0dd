"""What a question costs, on the graph that serves: `python bench/questions.py [--offers N --seed N] [--out FOLDER]`.

Arrives: the development questions of sets 1 and 2, bound to the sample source that the graph was made from. Leaves: a
table of milliseconds by step (median, 95 %, worst; the best of the rounds for each question, so warm), and the slowest
five with their Cypher.
"""

import argparse
import json
import statistics
import sys
from pathlib import Path

from cpq_graph.evaluation.binding import ask_all
from cpq_graph.evaluation.facts import facts_of
from cpq_graph.evaluation.sets import read_sets
from cpq_graph.query.engine import Engine
from cpq_graph.settings import load_settings
from sample_data.create import SMALL_SPEC
from sample_data.frames import frames
from sample_data.generate import Spec

STEPS = ("link", "compile", "check", "run", "say", "total")


def measure(spec: Spec, rounds: int) -> list[dict[str, object]]:
    """One row per answered question: its text, its Cypher and the best milliseconds of each step."""
    questions = [
        one for one in ask_all(read_sets(), facts_of(frames(spec)))
        if one.question.set in ("set1", "set2") and one.part == "development"
    ]  # fmt: skip
    rows: list[dict[str, object]] = []
    with Engine(load_settings()) as engine:
        for one in questions:
            answers = [engine.ask(one.text, language=one.language) for _ in range(rounds)]
            if answers[0].status == "OK":
                times = {step: min(a.timings_ms.get(step, 0.0) for a in answers) for step in STEPS}
                rows.append({"question": one.text, "cypher": answers[0].cypher, **times})
    return rows


def as_markdown(rows: list[dict[str, object]]) -> str:
    """The tables."""
    lines = [f"{len(rows)} questions", "", "| step | median ms | 95 % | worst |", "|---|---:|---:|---:|"]
    for step in STEPS:
        times = sorted(float(str(row[step])) for row in rows)
        share = times[int(0.95 * (len(times) - 1))]
        lines.append(f"| {step} | {statistics.median(times):.1f} | {share:.1f} | {times[-1]:.1f} |")
    lines += ["", "Slowest to run:", ""]
    for row in sorted(rows, key=lambda row: -float(str(row["run"])))[:5]:
        lines += [f"{float(str(row['run'])):.0f} ms: {row['question']}", "", "```cypher", str(row["cypher"]), "```", ""]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measures and writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--offers", type=int, default=SMALL_SPEC.offers, help="size of the sample that serves")
    parser.add_argument("--seed", type=int, default=SMALL_SPEC.seed)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=Path, help="folder for questions.md and questions.json")
    arguments = parser.parse_args()
    small = (arguments.offers, arguments.seed) == (SMALL_SPEC.offers, SMALL_SPEC.seed)
    spec = SMALL_SPEC if small else Spec(arguments.offers, arguments.seed, "mixed")
    rows = measure(spec, arguments.rounds)
    if not rows:
        sys.exit("no question was answered: is this the sample that serves?")
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
        (arguments.out / "questions.json").write_text(json.dumps(rows, indent=2, ensure_ascii=False) + "\n")
        (arguments.out / "questions.md").write_text(as_markdown(rows))
    sys.stdout.write(as_markdown(rows))


if __name__ == "__main__":
    main()
