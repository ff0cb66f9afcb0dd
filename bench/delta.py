"""What a delta costs: `python bench/delta.py [--offers N …] [--changed N] [--rounds N] [--out FOLDER]`.

Arrives: sources of the sample's generator, one for each number of offers, with defects. Leaves: a table in Markdown and
`delta.json`: of each size, the seconds of each step of a delta in which so many offers changed (a fifth each:
no longer final, newly final, another version; the rest another's configurations), median of the rounds, and the CPU
of the command and of Neo4j. The command is run as a user runs it, on local servers in a folder that is then removed.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import psutil
import psycopg

from cpq_graph.settings import CHECKOUT, Settings
from sample_data.create import create
from stack import local, prefect_server, processes
from stack.neo4j import Host

COMMAND = Path(sys.executable).with_name("cpq-graph")
FINAL = """
SELECT quote_no FROM cpq.quote WHERE state IN ('FINALIZED', 'ORDERED') ORDER BY md5(quote_no || %s) LIMIT %s
"""
DRAFT = """
SELECT quote_no FROM cpq.quote WHERE state NOT IN ('FINALIZED', 'ORDERED') ORDER BY md5(quote_no || %s) LIMIT %s
"""
FILES = """
SELECT DISTINCT ON (quote_no) file_no, body FROM cpq.item_file JOIN cpq.line_item USING (item_no)
JOIN cpq.quote_section USING (section_no) JOIN cpq.quote_body USING (body_no)
WHERE quote_no = ANY(%s) ORDER BY quote_no, file_no
"""


def change(url: str, offers: int, seed: int) -> None:
    """Changes so many offers."""
    some = offers // 5
    with psycopg.connect(url) as connection:
        final = [number for (number,) in connection.execute(FINAL, (seed, offers - some))]
        draft = [number for (number,) in connection.execute(DRAFT, (seed, some))]
        update = "UPDATE cpq.quote SET state = %s WHERE quote_no = ANY(%s)"
        connection.execute(update, ("DRAFT", final[:some]))
        connection.execute(update, ("FINALIZED", draft))
        connection.execute(
            "UPDATE cpq.quote SET revision = revision || 'x' WHERE quote_no = ANY(%s)", (final[some : 2 * some],)
        )
        files = connection.execute(FILES, (final[2 * some :],)).fetchall()
        for (number, _), (_, body) in zip(files, files[1:] + files[:1], strict=True):
            connection.execute("UPDATE cpq.item_file SET body = %s WHERE file_no = %s", (body, number))


def refresh(environment: dict[str, str], mode: str) -> tuple[dict[str, Any], float]:
    """The report of a refresh, and the CPU seconds of the command with the processes that it has waited for."""
    before = os.times()
    command = [str(COMMAND), "refresh", "--mode", mode, "--json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, cwd=CHECKOUT)
    after = os.times()
    if done.returncode:
        sys.exit(done.stderr[-4000:])
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return json.loads(done.stdout), used


def neo4j_cpu(settings: Settings) -> float:
    """CPU seconds that the local Neo4j servers have taken so far."""
    host = Host.of(settings)
    processes = [process for name in host.names() if (process := host.open(name).process())]
    return sum(sum(psutil.Process(process.pid).cpu_times()[:2]) for process in processes)


def measure(offers: int, changed: int, rounds: int, folder: Path, prefect_url: str) -> dict[str, Any]:
    """One size."""
    settings = Settings(_env_file=None, data_dir=folder)
    own = {"CPQ_GRAPH_DATA_DIR": str(folder), "PREFECT_API_URL": prefect_url}
    environment = processes.plain_environment() | own
    try:
        url = local.ensure_postgres(settings).get_secret_value()
        create(offers, seed=5, defects="mixed", into=url)
        full, _ = refresh(environment, "full")
        deltas = []
        # The first compiles what the server then knows.
        for number in range(rounds + 1):
            change(url, changed, number)
            started = neo4j_cpu(settings)
            report, cpu = refresh(environment, "delta")
            steps = {step["name"]: step["seconds"] for step in report["steps"]}
            if "update offers" not in steps:
                sys.exit("it was not a delta: too many offers changed for so small a source")
            deltas.append(
                steps
                | {"all steps": sum(steps.values()), "CPU: command": cpu, "CPU: Neo4j": neo4j_cpu(settings) - started}
            )
    finally:
        local.remove(settings)
    labels, patterns = full["labels"], full["relationships"]
    return {
        "offers": offers,
        "nodes": sum(totals["loaded"] for totals in labels.values()),
        "relationships": sum(totals["loaded"] for totals in patterns.values()),
        "full": round(sum(step["seconds"] for step in full["steps"]), 1),
        "first": {name: round(seconds, 2) for name, seconds in deltas[0].items()},
        "median": {name: round(statistics.median(d[name] for d in deltas[1:]), 2) for name in deltas[0]},
    }


def as_markdown(sizes: list[dict[str, Any]], changed: int) -> str:
    """The result as a table, a column for each size."""
    heads = [f"{s['offers']:,} offers, {s['nodes']:,} nodes, {s['relationships']:,} relationships" for s in sizes]
    lines = [f"| delta of {changed} offers, s | {' | '.join(heads)} |", f"|---|{'---:|' * len(sizes)}"]
    names = [name for name in sizes[0]["median"] if any(size["median"].get(name, 0) >= 0.05 for size in sizes)]
    lines += [f"| {name} | {' | '.join(str(size['median'].get(name, '')) for size in sizes)} |" for name in names]
    lines.append(f"| all steps, the first after a start | {' | '.join(str(s['first']['all steps']) for s in sizes)} |")
    lines.append(f"| a full refresh, all steps | {' | '.join(str(size['full']) for size in sizes)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measures and writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--offers", type=int, nargs="+", default=[300, 1_000], help="sizes of the source")
    parser.add_argument("--changed", type=int, default=50, help="offers that change in each round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=Path, help="folder for delta.md and delta.json")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        prefect = Path(folder) / "prefect"
        try:
            prefect_url = prefect_server.ensure(prefect)
            sizes = [
                measure(offers, arguments.changed, arguments.rounds, Path(folder) / str(offers), prefect_url)
                for offers in arguments.offers
            ]
        finally:
            prefect_server.stop(prefect)
    text = as_markdown(sizes, arguments.changed)
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
        (arguments.out / "delta.json").write_text(json.dumps(sizes, indent=2) + "\n")
        (arguments.out / "delta.md").write_text(text)
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
