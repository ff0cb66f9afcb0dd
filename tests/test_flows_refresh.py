"""The refresh as a user runs it: the command, real servers, the committed sample and its ground truth."""

import hashlib
import json
import lzma
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import psycopg
import pytest

from cpq_graph.manifest import Serving, read_serving
from cpq_graph.query.engine import Engine
from cpq_graph.servers import Address
from cpq_graph.settings import Settings
from load.database import connect
from load.dump import dump_graph
from sample_data.create import SMALL, create, load_small
from stack import local, prefect_server

COMMAND = Path(sys.executable).with_name("cpq-graph")
CHECKOUT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Site:
    """A data folder of its own, with servers of its own."""

    settings: Settings
    environment: dict[str, str]

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(COMMAND), *arguments],
            env=self.environment | environment, capture_output=True, text=True, check=False, timeout=900, cwd=CHECKOUT,
        )  # fmt: skip

    def json(self, *arguments: str) -> Any:
        done = self.run(*arguments, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def serving(self) -> Serving:
        return read_serving(self.settings.data_dir)

    def dump(self, folder: Path) -> bytes:
        graph = self.serving().current
        with connect(Address(graph.uri, "neo4j", graph.database)) as database:
            dump_graph(database, folder / "dump.txt")
        return (folder / "dump.txt").read_bytes()


@pytest.fixture(scope="module")
def prefect_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("prefect")
    yield prefect_server.ensure(folder)
    prefect_server.stop(folder)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, prefect_url: str) -> Iterator[Site]:
    settings = Settings(_env_file=None, data_dir=tmp_path_factory.mktemp("site"), neo4j_heap_mb=512)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("CPQ_GRAPH_", "PREFECT_"))}
    own = {
        "CPQ_GRAPH_DATA_DIR": str(settings.data_dir),
        "CPQ_GRAPH_NEO4J_HEAP_MB": "512",
        "PREFECT_API_URL": prefect_url,
    }
    yield Site(settings, kept | own)
    local.remove(settings)


@pytest.fixture(scope="module")
def first_night(site: Site) -> dict[str, Any]:
    """The report of a refresh of the committed sample."""
    load_small(local.ensure_postgres(site.settings).get_secret_value())
    return site.json("refresh")


def test_the_graph_is_the_ground_truth(site: Site, first_night: dict[str, Any], tmp_path: Path) -> None:
    expected = lzma.decompress((SMALL / "dump.txt.xz").read_bytes())

    assert site.dump(tmp_path).splitlines() == expected.splitlines()


def test_totals_are_the_ground_truth_and_add_up(first_night: dict[str, Any]) -> None:
    truth = json.loads((SMALL / "summary.json").read_bytes())

    assert first_night["tables"] == truth["tables"]
    assert first_night["labels"] == truth["label_totals"]
    assert first_night["relationships"] == truth["relationship_totals"]
    for group in ("tables", "labels", "relationships"):
        for totals in first_night[group].values():
            assert totals["read"] == totals["loaded"] + totals["rejected"] + totals["filtered"]


def test_every_reject_is_reported_with_place_and_reason(site: Site, first_night: dict[str, Any]) -> None:
    report = site.json("rejects")
    names = ("table", "key", "place", "reason", "level", "outcome", "label")
    found = sorted(tuple(row[name] for name in names) for row in report["rows"])
    lines = lzma.decompress((SMALL / "rejects.jsonl.xz").read_bytes()).decode().splitlines()

    assert found == sorted(tuple(json.loads(line)) for line in lines)
    assert report["adds_up"]


def test_the_report_names_every_step_and_its_time(first_night: dict[str, Any]) -> None:
    steps = {step["name"]: step["seconds"] for step in first_night["steps"]}

    assert first_night["status"] == "succeeded"
    assert {
        "extract rows",
        "parse documents",
        "import",
        "create indexes",
        "reconcile",
        "smoke questions",
        "switch",
    } <= set(steps)
    assert first_night["peak_memory_mb"] > 0


def test_status_and_verify_agree_with_the_run(site: Site, first_night: dict[str, Any]) -> None:
    status = site.json("status")
    verified = site.json("verify", "--samples", "5")

    assert status["counts"]["Offer"] == first_night["labels"]["Offer"]["loaded"]
    assert status["runs"][0]["run"] == first_night["run"]
    assert verified["equal"]


def test_the_second_night_changes_nothing_and_can_be_rolled_back(
    site: Site, first_night: dict[str, Any], tmp_path: Path
) -> None:
    before = site.serving().current
    dump, artifacts = site.dump(tmp_path), _digests(site.settings.data_dir / before.artifacts)

    with Engine(site.settings) as engine:
        asked_before = engine.ask("How many offers are there?")
        report = site.json("refresh")
        asked_after = engine.ask("How many offers are there?")

    after = site.serving()
    assert after.current.store != before.store
    assert site.dump(tmp_path) == dump
    assert _digests(site.settings.data_dir / after.current.artifacts) == artifacts
    assert next(step["rows"] for step in report["steps"] if step["name"] == "parse documents") == 0
    # The engine followed the switch by itself.
    assert asked_before.rows == asked_after.rows

    site.json("rollback")
    assert site.serving().current.store == before.store
    assert site.json("ask", "How many offers are there?")["rows"] == list(asked_before.rows)


def test_a_dry_run_writes_nothing_to_neo4j(site: Site, first_night: dict[str, Any]) -> None:
    before = site.serving()
    report = site.json("refresh", "--dry-run")

    assert report["status"] == "dry-run"
    assert report["labels"] == first_night["labels"]
    assert site.serving() == before


# A process that kills itself, hard, in the middle of a step.
_KILLED = """
import os, signal, sys
from flows import recording
original = recording.Recorder.step
def step(self, name):
    if name == sys.argv[1]:
        self.update(step=name)
        os.kill(os.getpid(), signal.SIGKILL)
    return original(self, name)
recording.Recorder.step = step
from flows.refresh import refresh
refresh()
"""
STEPS = (
    "clear left-overs", "extract rows", "hash documents", "parse documents", "build frames", "check rejects",
    "write CSV files", "import", "start server", "create indexes", "reconcile", "build artifacts", "mark complete",
    "smoke questions", "switch", "retire the graph before",
)  # fmt: skip
# All of them take minutes: `make test-long`.
KILLED_IN = STEPS if os.environ.get("CPQ_GRAPH_TEST_LONG") else ("parse documents", "import", "mark complete", "switch")


def test_a_run_killed_in_any_step_leaves_a_graph_that_answers(
    site: Site, first_night: dict[str, Any], tmp_path: Path
) -> None:
    create(20, seed=3, into=local.ensure_postgres(site.settings).get_secret_value())
    changed = site.json("refresh")
    expected = site.dump(tmp_path)
    assert {step["name"] for step in changed["steps"]} == set(STEPS)
    before = site.serving().current

    for step in KILLED_IN:
        done = subprocess.run(
            [sys.executable, "-c", _KILLED, step], env=site.environment, capture_output=True, check=False, cwd=CHECKOUT,
        )  # fmt: skip
        assert done.returncode == -9, f"{step}: {done.stderr.decode()[-2000:]}"
        if step != "retire the graph before":
            assert site.serving().current == before, step
        with Engine(site.settings) as engine:
            answer = engine.ask("How many offers are there?")
        assert answer.status == "OK", (step, answer.reason)
        assert [list(row.values()) for row in answer.rows] == [[changed["labels"]["Offer"]["loaded"]]], step

    report = site.json("refresh")
    assert report["status"] == "succeeded"
    assert site.dump(tmp_path) == expected
    killed = [run for run in site.json("status", "--runs", "50")["runs"] if run["error_kind"] == "killed"]
    assert {run["failed_step"] for run in killed} == set(KILLED_IN)
    # Nothing that the killed runs started is left: one server serves, and two stores are kept.
    servers = site.json("stack", "status")["neo4j"]
    assert sum(server["pid"] is not None for server in servers) == 1
    assert len(servers) == 2


def test_a_second_run_says_that_one_is_under_way(site: Site, first_night: dict[str, Any]) -> None:
    from filelock import FileLock

    with FileLock(site.settings.data_dir / "refresh.lock"):
        done = site.run("refresh", "--json")

    assert done.returncode == 1
    assert json.loads(done.stdout)["kind"] == "busy"


@pytest.mark.parametrize(
    ("setting", "value", "kind", "said"),
    [
        ("CPQ_GRAPH_POSTGRES_URL", "postgresql://nobody:canary-4711@127.0.0.1:1/none", "source", "127.0.0.1"),
        ("CPQ_GRAPH_SOURCE_DIR", "/nowhere", "configuration", "site.toml"),
        ("CPQ_GRAPH_PERIOD_FROM", "2999-01-01", "data", "within the period"),
        ("CPQ_GRAPH_MAX_REJECT_SHARE", "0", "data", "rejected"),
    ],
)
def test_a_failure_says_whose_turn_it_is_and_leaves_the_graph(
    site: Site, first_night: dict[str, Any], setting: str, value: str, kind: str, said: str
) -> None:
    load_small(local.ensure_postgres(site.settings).get_secret_value())
    before = site.serving()

    done = site.run("refresh", "--json", **{setting: value})

    assert done.returncode == 1
    failure = json.loads(done.stdout)
    assert failure["kind"] == kind
    assert said in failure["reason"]
    assert "canary-4711" not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert site.serving() == before


def test_a_deployment_runs_on_a_worker(site: Site, first_night: dict[str, Any]) -> None:
    environment = site.environment | {"CPQ_GRAPH_HOME": str(CHECKOUT), "PREFECT_LOGGING_LEVEL": "INFO"}
    prefect = [sys.executable, "-m", "prefect", "--no-prompt"]

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [*prefect, *arguments],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            cwd=CHECKOUT,
            timeout=900,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run("work-pool", "create", "cpq-graph", "--type", "process", "--overwrite")
    run("deploy", "--all")
    worker = subprocess.Popen(
        [*prefect, "worker", "start", "--pool", "cpq-graph", "--type", "process"],
        env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=CHECKOUT,
    )  # fmt: skip
    try:
        before = site.serving().current.run
        run("deployment", "run", "refresh/nightly", "--watch", "--watch-timeout", "600")
    finally:
        worker.terminate()
        worker.wait(30)

    assert site.serving().current.run != before
    assert "succeeded" in run("artifact", "inspect", "refresh-summary")


def _digests(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


def test_rejects_are_kept_as_a_frame_for_other_tools(site: Site, first_night: dict[str, Any]) -> None:
    frame = pl.read_parquet(site.settings.data_dir / "runs" / first_night["run"] / "rejects.parquet")

    assert frame.columns == ["table", "key", "place", "reason", "level", "outcome", "label", "sample"]


@pytest.fixture
def tiny_source(site: Site, first_night: dict[str, Any]) -> Iterator[psycopg.Connection[Any]]:
    """A source of few offers, to be changed, and a full refresh of it."""
    url = local.ensure_postgres(site.settings).get_secret_value()
    create(15, seed=11, into=url)
    site.json("refresh")
    with psycopg.connect(url, autocommit=True) as connection:
        yield connection


CHANGES = (
    # An offer is un-finalized, another one finalized.
    "UPDATE cpq.quote SET state = 'DRAFT' WHERE quote_no = "
    "(SELECT min(quote_no) FROM cpq.quote WHERE state IN ('FINALIZED', 'ORDERED'))",
    "UPDATE cpq.quote SET state = 'FINALIZED' WHERE quote_no = "
    "(SELECT max(quote_no) FROM cpq.quote WHERE state NOT IN ('FINALIZED', 'ORDERED'))",
    # A product is configured as another one is.
    "WITH final AS (SELECT f.file_no, f.body FROM cpq.item_file f JOIN cpq.line_item USING (item_no) "
    "JOIN cpq.quote_section USING (section_no) JOIN cpq.quote_body USING (body_no) JOIN cpq.quote q USING (quote_no) "
    "WHERE q.state IN ('FINALIZED', 'ORDERED')) "
    "UPDATE cpq.item_file SET body = (SELECT body FROM final ORDER BY file_no DESC LIMIT 1) "
    "WHERE file_no = (SELECT min(file_no) FROM final)",
)


def test_a_delta_leaves_the_graph_that_a_full_refresh_makes(
    site: Site, tiny_source: psycopg.Connection[Any], tmp_path: Path
) -> None:
    store = site.serving().current.store
    nothing = site.json("refresh", "--mode", "delta")
    assert "update offers" not in {step["name"] for step in nothing["steps"]}

    for change in CHANGES:
        assert tiny_source.execute(change).rowcount == 1, change
        report = site.json("refresh", "--mode", "delta")
        assert "update offers" in {step["name"] for step in report["steps"]}
        assert site.serving().current.store == store
        assert (
            site.json("ask", "How many offers are there?")["rows"][0]["offers"] == report["labels"]["Offer"]["loaded"]
        )
    after_deltas = site.dump(tmp_path)
    artifacts = _digests(site.settings.data_dir / site.serving().current.artifacts)

    site.json("refresh")
    assert site.dump(tmp_path).splitlines() == after_deltas.splitlines()
    full = _digests(site.settings.data_dir / site.serving().current.artifacts)
    assert {**full, "manifest.json": ""} == {**artifacts, "manifest.json": ""}


def test_a_delta_killed_midway_is_finished_by_the_next(
    site: Site, tiny_source: psycopg.Connection[Any], tmp_path: Path
) -> None:
    tiny_source.execute(CHANGES[0])
    killed = subprocess.run(
        [sys.executable, "-c", _KILLED.replace("refresh()", "refresh(mode='delta')"), "reconcile"],
        env=site.environment, capture_output=True, check=False, cwd=CHECKOUT,
    )  # fmt: skip
    assert killed.returncode == -9, killed.stderr.decode()[-2000:]
    assert site.json("ask", "How many offers are there?")["status"] == "OK"

    # Meanwhile the source went back to what it was: only the interrupted run knows of that offer.
    tiny_source.execute(
        "UPDATE cpq.quote SET state = 'FINALIZED' WHERE quote_no = "
        "(SELECT min(quote_no) FROM cpq.quote WHERE state = 'DRAFT' AND quote_no <= "
        "(SELECT min(quote_no) FROM cpq.quote WHERE state IN ('FINALIZED', 'ORDERED')))"
    )
    site.json("refresh", "--mode", "delta")
    after_delta = site.dump(tmp_path)
    site.json("refresh")
    assert site.dump(tmp_path).splitlines() == after_delta.splitlines()
