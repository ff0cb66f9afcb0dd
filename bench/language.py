"""What it costs to understand a question: `python bench/language.py [--offers N --seed N] [--out FOLDER]`.

Arrives: the artifacts of the graph that serves (no server is asked), and the development questions of sets 1 and 2 in
both languages, bound to the sample that it was made from. Leaves: milliseconds of linking and planning, and of
compiling, with the catalog grown to 100 families, 100 features and 20,000 names: wall and CPU, the best of the rounds
and the first time; what the linker costs; the slowest five; with `--profile` where the time goes.
"""

import argparse
import cProfile
import gc
import io
import json
import pstats
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import psutil

from bench.asked import add_arguments, asked, quantile, serving_names
from bench.grown import grow
from cpq_graph.catalog import Catalog, PartyName
from cpq_graph.evaluation.binding import Asked
from cpq_graph.query.compile import compile_plan
from cpq_graph.query.language import Declined, Linker, Understood, understand, warm_up
from cpq_graph.query.plan import Plan

STEPS = ("link and plan", "compile", "both")

_Result = TypeVar("_Result")


class Cost(NamedTuple):
    """Milliseconds by the clock and of the process's CPU."""

    wall: float
    cpu: float

    def __add__(self, other: object) -> "Cost":
        if not isinstance(other, Cost):
            return NotImplemented
        return Cost(self.wall + other.wall, self.cpu + other.cpu)


class Row(NamedTuple):
    """One question: the costs of its two steps the first time, and the least of the rounds."""

    text: str
    understood: bool
    first: dict[str, Cost]
    best: dict[str, Cost]


def timed(step: Callable[[], _Result]) -> tuple[_Result, Cost]:
    """What a step gives, with what it cost."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = step()
    return result, Cost((time.perf_counter() - wall) * 1e3, (time.process_time() - cpu) * 1e3)


def ask(one: Asked, linker: Linker) -> tuple[Understood | Declined, dict[str, Cost]]:
    """A question understood and compiled, with the cost of each step."""
    understood, linked = timed(lambda: understand(one.text, linker, language=one.language))
    compiled = Cost(0.0, 0.0)
    if isinstance(understood, Understood):
        plan: Plan = understood.plan
        compiled = timed(lambda: compile_plan(plan))[1]
    return understood, {"link and plan": linked, "compile": compiled, "both": linked + compiled}


def measure(questions: list[Asked], linker: Linker, rounds: int) -> list[Row]:
    """One row a question. In a round every question is asked once, so that none finds the caches full of itself."""
    every = [[ask(one, linker) for one in questions] for _ in range(rounds + 1)]
    rows = []
    for number, one in enumerate(questions):
        results = [each[number] for each in every]
        best = {
            step: Cost(min(costs[step].wall for _, costs in results), min(costs[step].cpu for _, costs in results))
            for step in STEPS
        }
        rows.append(Row(one.text, isinstance(results[0][0], Understood), results[0][1], best))
    return rows


def made(catalog: Catalog, names: list[PartyName]) -> tuple[Linker, dict[str, Any]]:
    """A linker, with what it costs to make it and to read what it is made of: ms, MB."""
    written, rows = catalog.model_dump_json(), [name.model_dump() for name in names]
    reading = timed(lambda: (Catalog.model_validate_json(written), [PartyName.model_validate(row) for row in rows]))
    first = timed(lambda: Linker(catalog, names))
    linker, again = timed(lambda: Linker(catalog, names))
    tracemalloc.start()
    weighed = Linker(catalog, names)
    gc.collect()
    memory = tracemalloc.get_traced_memory()[0] / 2**20
    tracemalloc.stop()
    del weighed
    return linker, {
        "families": len(catalog.families), "features": len(catalog.features), "names": len(names), "linker MB": memory,
        "reading its artifacts": reading[1], "making the linker, first in a process": first[1],
        "making it again": again, "dictionaries, once in a process": timed(warm_up)[1],
    }  # fmt: skip


def as_markdown(rows: list[Row], linker: dict[str, Any], load: float) -> str:
    """The tables."""
    understood = sum(row.understood for row in rows)
    sizes = ", ".join(f"{linker[what]} {what}" for what in ("families", "features", "names"))
    lines = [
        f"{len(rows)} questions, {understood} understood; {sizes}; load {load:.1f}; ms of CPU (wall)",
        "",
        "| step | best of the rounds: median | 95 % | worst | first time: median | 95 % | worst |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for step in STEPS:
        cells = []
        for costs in ([row.best[step] for row in rows], [row.first[step] for row in rows]):
            for share in (0.5, 0.95, 1.0):
                cpu, wall = (quantile([getattr(c, kind) for c in costs], share) for kind in ("cpu", "wall"))
                cells.append(f"{cpu:.1f} ({wall:.1f})")
        lines.append(f"| {step} | " + " | ".join(cells) + " |")
    lines += ["", "Once for each graph, ms of CPU (wall):", ""]
    lines += [f"- {name}: {cost.cpu:.0f} ({cost.wall:.0f})" for name, cost in linker.items() if isinstance(cost, Cost)]
    lines += [f"- memory of the linker: {linker['linker MB']:.0f} MB", "", "Slowest:", ""]
    for row in sorted(rows, key=lambda row: -row.best["both"].cpu)[:5]:
        lines.append(f"- {row.best['both'].cpu:.1f} ms, the first time {row.first['both'].cpu:.1f}: {row.text}")
    return "\n".join(lines) + "\n"


def profile(questions: list[Asked], linker: Linker) -> str:
    """Where the time of one warm round goes, function by function."""
    profiler = cProfile.Profile()
    profiler.enable()
    for one in questions:
        ask(one, linker)
    profiler.disable()
    text = io.StringIO()
    stats = pstats.Stats(profiler, stream=text).strip_dirs()
    stats.sort_stats("cumulative").print_stats(35)
    stats.sort_stats("tottime").print_stats(25)
    return text.getvalue()


def main() -> None:
    """Measures and writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    parser.add_argument("--families", type=int, default=100)
    parser.add_argument("--features", type=int, default=100)
    parser.add_argument("--names", type=int, default=20_000)
    parser.add_argument("--profile", action="store_true", help="also say where the time goes")
    parser.add_argument("--out", type=Path, help="folder for language.md and language.json")
    arguments = parser.parse_args()
    questions = asked(arguments)
    catalog, names = grow(
        *serving_names(), families=arguments.families, features=arguments.features, parties=arguments.names
    )
    linker, cost = made(catalog, names)
    rows = measure(questions, linker, arguments.rounds)
    text = as_markdown(rows, cost, psutil.getloadavg()[0])
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
        (arguments.out / "language.md").write_text(text)
        data = {"linker": cost, "questions": [row._asdict() for row in rows]}
        (arguments.out / "language.json").write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n")
    sys.stdout.write(text)
    if arguments.profile:
        sys.stdout.write(profile(questions, linker))


if __name__ == "__main__":
    main()
