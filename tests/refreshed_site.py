"""A place to refresh: a data folder with servers of its own, on which commands run as a user runs them."""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from unittest import mock

from cpq_graph.manifest import Serving, read_serving
from cpq_graph.query.answer import Answer
from cpq_graph.query.engine import Engine
from cpq_graph.servers import Address
from cpq_graph.settings import CHECKOUT, Settings
from load.database import connect
from load.dump import dump_graph
from stack import local, processes

COMMAND = Path(sys.executable).with_name("cpq-graph")
DISTURBED = [sys.executable, str(Path(__file__).with_name("disturbed_run.py"))]


@dataclass(frozen=True)
class Site:
    """The data folder's settings, and the environment that its commands run in."""

    settings: Settings
    environment: dict[str, str]

    @property
    def source(self) -> str:
        """URL of its source database, which then answers."""
        return local.ensure_postgres(self.settings).get_secret_value()

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(COMMAND), *arguments],
            env=self.environment | environment, capture_output=True, text=True, check=False, timeout=900, cwd=CHECKOUT,
        )  # fmt: skip

    def json(self, *arguments: str) -> Any:
        done = self.run(*arguments, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def refresh(self, mode: Literal["full", "delta"] = "full") -> dict[str, Any]:
        """The same flow as the command's, in this process, which has imported it already."""
        from prefect.settings import PREFECT_API_URL, temporary_settings

        from flows.refresh import refresh

        with (
            mock.patch.dict(os.environ, self.environment, clear=True),
            temporary_settings({PREFECT_API_URL: self.environment["PREFECT_API_URL"]}),
        ):
            return refresh(mode=mode).model_dump(mode="json")

    def killed_in(self, step: str, mode: Literal["full", "delta"] = "full") -> None:
        """A refresh that is killed as it begins a step."""
        done = subprocess.run(
            [*DISTURBED, step, mode], env=self.environment, capture_output=True, check=False, cwd=CHECKOUT,
        )  # fmt: skip
        assert done.returncode == -9, f"{step}: {done.stderr.decode()[-2000:]}"

    def ask(self, question: str) -> Answer:
        with Engine(self.settings) as engine:
            return engine.ask(question)

    def count_offers(self) -> int:
        """As an answer to a question."""
        answer = self.ask("How many offers are there?")
        assert answer.status == "OK", answer.reason
        (row,) = answer.rows
        (number,) = row.values()
        return int(number)

    def serving(self) -> Serving:
        return read_serving(self.settings.data_dir)

    def dump(self, folder: Path) -> list[bytes]:
        """The graph that serves, canonically, in lines."""
        graph = self.serving().current
        with connect(Address(graph.uri, "neo4j", graph.database)) as database:
            dump_graph(database, folder / "dump.txt")
        return (folder / "dump.txt").read_bytes().splitlines()

    def artifacts(self) -> dict[str, str]:
        """SHA-256 of each artifact of the graph that serves."""
        folder = self.settings.data_dir / self.serving().current.artifacts
        return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


@contextmanager
def new_site(settings: Settings, prefect_url: str) -> Iterator[Site]:
    """A site with nothing in it yet, whose servers and files are removed at the end."""
    own = {
        "CPQ_GRAPH_DATA_DIR": str(settings.data_dir),
        "CPQ_GRAPH_NEO4J_HEAP_MB": str(settings.neo4j_heap_mb),
        "CPQ_GRAPH_NEO4J_JAVA_OPTIONS": settings.neo4j_java_options or "",
        "PREFECT_API_URL": prefect_url,
    }
    try:
        yield Site(settings, processes.plain_environment() | own)
    finally:
        local.remove(settings)
