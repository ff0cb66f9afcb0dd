"""A place to break things in: a data folder with servers of its own and a small source.

Arrives: a folder. Leaves: `Site`, which runs the commands as a user does and looks at what they left.
"""

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import psutil

from cpq_graph.manifest import Serving, read_serving
from cpq_graph.render import constraints, full_text_indexes, range_indexes
from cpq_graph.report import read_reports, runs_dir
from cpq_graph.servers import Address
from cpq_graph.settings import CHECKOUT, Settings
from cpq_graph.site import read_site
from extract.source import open_source
from flows.reading import check_source
from load.database import connect
from load.dump import dump_graph
from stack import local, processes
from stack.neo4j import Host
from stack.neo4j_program import SHORT_LIVED, mark
from transform.parts import PartStore, missing_documents

COMMAND = Path(sys.executable).with_name("cpq-graph")
HEAP_MB = 512
# Longer than any run of a small source takes on a busy machine: what is not over by then hangs.
PATIENCE_S = 600


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    stdout: str
    stderr: str

    @property
    def document(self) -> dict[str, Any]:
        """What it printed as JSON; {} when it could not."""
        with contextlib.suppress(ValueError):
            return dict(json.loads(self.stdout))
        return {}


@dataclass(frozen=True)
class Site:
    """A data folder with servers of its own, and a source of so many offers."""

    # More of the environment of every command.
    extra: ClassVar[dict[str, str]] = {}

    folder: Path
    offers: int = 60
    seed: int = 1

    @cached_property
    def settings(self) -> Settings:
        """The settings that the commands run with."""
        return Settings(_env_file=None, data_dir=self.folder / "data", neo4j_heap_mb=HEAP_MB)

    @property
    def environment(self) -> dict[str, str]:
        """The environment that the commands run in: nothing of the user's that would change what they do."""
        own = {
            "CPQ_GRAPH_DATA_DIR": str(self.settings.data_dir),
            "CPQ_GRAPH_NEO4J_HEAP_MB": str(HEAP_MB),
            "CPQ_GRAPH_NEO4J_JAVA_OPTIONS": " ".join(SHORT_LIVED),
            # Several parts even of a small source.
            "CPQ_GRAPH_PART_MB": "1",
            "PYTHONPATH": str(CHECKOUT),
        }
        return processes.plain_environment() | own | self.extra

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        """Starts a command."""
        return subprocess.Popen(
            [str(COMMAND), *arguments], env=self.environment | environment, cwd=CHECKOUT, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def finish(self, process: subprocess.Popen[str]) -> Ended:
        """Waits for a command. One that hangs is ended, and has code 124."""
        try:
            out, err = process.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            return Ended(124, out, err)
        return Ended(process.returncode, out, err)

    def run(self, *arguments: str, **environment: str) -> Ended:
        """Runs a command to its end."""
        return self.finish(self.start(*arguments, **environment))

    def serving(self) -> Serving:
        """Which graph serves."""
        return read_serving(self.settings.data_dir)

    def runs(self) -> int:
        """How many runs there have been."""
        return sum(1 for _ in runs_dir(self.settings.data_dir).glob("*/report.json"))

    def step(self) -> str:
        """The step that the newest run is in, "" before the first and after the last."""
        reports = read_reports(self.settings.data_dir)
        return (reports[0].step or "") if reports and reports[0].status == "running" else ""

    def unknown_documents(self) -> int:
        """How many documents of the source the next run has to parse."""
        site = read_site(self.settings.source_dir)
        with open_source(local.ensure_postgres(self.settings), self.settings.source_dir) as opened:
            _, checked = check_source(opened, site, self.settings)
            digests = opened.digests(checked.configurations)
        return missing_documents(PartStore.open(self.settings.data_dir, site.xml), digests).height

    def dump(self) -> str:
        """The SHA-256 of the canonical dump of the graph that serves."""
        address = local.ensure_serving(self.settings)
        with connect(Address(address.uri, address.user, address.database), self.settings.target_password) as database:
            return dump_graph(database, self.folder / "dump.txt")

    def count_offers(self) -> int:
        """What the graph that serves says at this moment. Raises TargetError when it does not answer."""
        graph = self.serving().current
        with connect(Address(graph.uri, "neo4j", graph.database)) as database:
            return int(database.rows("MATCH (o:Offer) RETURN count(o) AS n")[0]["n"])

    def neo4j_processes(self) -> list[psutil.Process]:
        """Everything at work on a store: servers and imports."""
        prefix = mark(Host.of(self.settings).folder)
        return [p for p, line in processes.command_lines() if any(each.startswith(prefix) for each in line)]

    def pipeline_processes(self) -> list[psutil.Process]:
        """What a command of this site has started and is still there, but for the servers."""
        setting = ("CPQ_GRAPH_DATA_DIR", str(self.settings.data_dir))
        found = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if setting in process.environ().items() and processes.is_alive(process):
                    found.append(process)
        return found

    def leftovers(self) -> Iterator[str]:
        """What should not be there when no command is under way."""
        for process in self.pipeline_processes():
            yield f"process {' '.join(process.cmdline())[:150]} is left"
        at_work = self.neo4j_processes()
        if len(at_work) > 1:
            yield f"{len(at_work)} Java processes are at work"
        stores = set(Host.of(self.settings).names())
        serving = self.serving()
        kept = {graph.store for graph in (serving.current, serving.previous) if graph}
        if stores - kept:
            yield f"stores that no graph needs: {', '.join(sorted(stores - kept))}"
        data = self.settings.data_dir
        yield from (f"{path} is left" for path in data.glob("runs/*/csv"))
        yield from (f"{path} is left" for path in data.glob("parts/*/.*"))
        yield from (f"run {r.run} still says it is under way" for r in read_reports(data) if r.status == "running")
        yield from self._indexes()

    def _indexes(self) -> Iterator[str]:
        expected = {*range_indexes(), *full_text_indexes(), *constraints()}
        graph = self.serving().current
        with connect(Address(graph.uri, "neo4j", graph.database)) as database:
            states = {row["name"]: row["state"] for row in database.run("SHOW INDEXES YIELD name, state")}
        for name in sorted(expected):
            if states.get(name) != "ONLINE":
                yield f"index {name} is {states.get(name, 'missing')}"

    def remove(self) -> None:
        """Ends the servers and removes their data."""
        local.remove(self.settings)
